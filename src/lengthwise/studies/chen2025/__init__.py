"""On the Limitations and Capabilities of Position Embeddings for Length Generalization.

Chen, Liang and Lin (2025, arXiv 2510.04130). The body of the paper was not available to us: what
is first-hand (abstract, captions, the claims of Figure 1) and what is our reconstruction is said
claim by claim and in ``docs/papers/chen2025.md``.
"""

from lengthwise.studies.chen2025.claims import RULES
from lengthwise.studies.chen2025.figures import figures, tables
from lengthwise.studies.chen2025.runs import plan
from lengthwise.studies.frozen_file import frozen
from lengthwise.studies.study import Study, on_use

STUDY = Study(
    name="chen2025",
    title="On the Limitations and Capabilities of Position Embeddings for Length Generalization",
    source="Chen, Liang and Lin 2025, arXiv 2510.04130",
    frozen=frozen("chen2025"),
    plan=plan,
    rules=RULES,
    measures=on_use("lengthwise.studies.chen2025.measures:measures"),
    tables=tables,
    figures=figures,
    notes={
        "smoke": "20 steps of tiny models; tests the machinery, decides nothing about training.",
        "laptop": frozen("chen2025").of_size("laptop")["note"],
        "paper": "The published sets and epochs (10,000 instances, 300 epochs; 1,000 and 2,000 "
        "for LBPE) and about 1,000 test instances at each scale; model and optimiser are ours.",
    },
)
"""The study."""
