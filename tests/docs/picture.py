"""The README's picture: what the quickstart measured, drawn by the code with which it draws.

``python -m tests.docs.picture FOLDER`` takes the runs of a quickstart (``lengthwise quickstart
--output FOLDER``), keeps their counts, draws them and prints the sentence that the README quotes.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from lengthwise.cli.quickstart import STEPS
from lengthwise.report.curves import Curve, pool_runs
from lengthwise.report.guessing import with_chance
from lengthwise.report.lead import lead
from lengthwise.report.measured import from_cell
from lengthwise.report.predicted import verdicts
from lengthwise.report.run_page import wanted
from lengthwise.report.run_sources import find
from lengthwise.report.static_panels import figure_bytes
from lengthwise.runs.store import Store
from tests.docs.blocks import ROOT

PICTURE = ROOT / "docs" / "img" / "quickstart.svg"
COUNTS = ROOT / "docs" / "img" / "quickstart.json"


def kept() -> dict[str, Any]:
    """Return the command and the counts behind the picture."""
    return json.loads(COUNTS.read_text())


def curves() -> list[Curve]:
    """Return the curves that are drawn."""
    return with_chance(pool_runs([from_cell(cell) for cell in kept()["runs"]]))


def sentence() -> str:
    """Say what came out, as the quickstart's page begins."""
    runs = [from_cell(cell) for cell in kept()["runs"]]
    return lead(curves(), verdicts(wanted(runs), time_limit=60))


def keep(store: Path) -> None:
    """Write the counts of a quickstart's runs, and the picture of them."""
    words = [word.format(folder=store.parent) for word in STEPS[-1].split()]
    said = subprocess.run(["lengthwise", *words, "--json"], check=True, capture_output=True)
    runs = find([run["id"] for run in json.loads(said.stdout)], Store(store)).runs
    cells = [
        {
            "task": run.task,
            "encoding": run.encoding,
            "seed": run.seed,
            "trained": run.trained,
            "bins": [bin_.model_dump() for bin_ in run.bins],
        }
        for run in runs
    ]
    COUNTS.write_text(json.dumps({"command": STEPS[-1], "runs": cells}, indent=1) + "\n")
    PICTURE.write_bytes(figure_bytes(curves(), "svg"))


if __name__ == "__main__":
    keep(Path(sys.argv[1]) / "runs")
    sys.stdout.write(sentence() + "\n")
