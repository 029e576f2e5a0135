"""Kazemnejad et al. (2023), The Impact of Positional Encoding on Length Generalization."""

from lengthwise.studies.frozen_file import frozen
from lengthwise.studies.kazemnejad2023.claims import RULES
from lengthwise.studies.kazemnejad2023.splits import plan
from lengthwise.studies.kazemnejad2023.tables import figures, tables
from lengthwise.studies.study import Study, on_use

STUDY = Study(
    name="kazemnejad2023",
    title="The Impact of Positional Encoding on Length Generalization in Transformers",
    source="Kazemnejad et al. (2023), arXiv 2305.19466",
    frozen=frozen("kazemnejad2023"),
    plan=plan,
    rules=RULES,
    measures=on_use("lengthwise.studies.kazemnejad2023.measures:measures"),
    tables=tables,
    figures=figures,
    notes={
        "smoke": "four steps a run: exercises the machinery and decides nothing",
        "laptop": frozen("kazemnejad2023").of_size("laptop")["note"],
        "paper": "T5-base decoders, 100,000 fixed instances and others held out, 40,000 steps, the "
        "best checkpoint in distribution, three seeds; needs GPUs. The language models have the "
        "published shape and other data: the Python library's source",
    },
)
