"""Size and first paint of a page of 500 made-up runs: ``python -m tests.report.measure_page``."""

import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

from lengthwise.records.accuracy import read_bins
from lengthwise.records.spec import RunSpec
from lengthwise.report.document import Document
from lengthwise.report.html import render
from lengthwise.report.measured import Measured
from lengthwise.report.run_page import runs_document
from lengthwise.studies.suites import huang2024
from tests.browser import chromium

ENCODINGS = ("nope", "ape", "rope", "alibi")
PAINT = """() => ({
  paint: performance.getEntriesByName('first-contentful-paint')[0].startTime,
  loaded: performance.getEntriesByType('navigation')[0].loadEventEnd,
})"""


def many_runs(seeds: int = 5) -> list[Measured]:
    """Make up 25 tasks x 4 encodings x ``seeds``, 2000 instances in each of three ranges."""
    rng = np.random.default_rng(0)
    return [
        _made_up(RunSpec.create(task=task, position=encoding, seed=seed), reach, rng)
        for task in huang2024()
        for encoding in ENCODINGS
        for reach in [rng.uniform(40, 220)]
        for seed in range(seeds)
    ]


def _made_up(spec: RunSpec, reach: float, rng: np.random.Generator) -> Measured:
    bins = []
    for low, high in spec.bins:
        lengths = np.arange(low, high + 1)
        total = rng.multinomial(2000, np.full(len(lengths), 1 / len(lengths)))
        right = rng.binomial(total, 1 / (1 + np.exp((lengths - reach) / 12)))
        counts = [dict(zip(lengths.tolist(), n.tolist(), strict=True)) for n in (right, total)]
        bins.append({"low": low, "high": high, "correct": counts[0], "total": counts[1]})
    return Measured(
        task=str(spec.task),
        encoding=str(spec.position),
        trained=spec.training.length,
        bins=read_bins(bins),
        seed=spec.seed,
        id=spec.id,
        spec=spec,
        steps=3000,
        stopped="all steps done",
        seconds=61.0,
    )


def page_of(runs: list[Measured]) -> str:
    """Return the page with a prediction beside every curve."""
    verdict = {"answer": "yes", "strength": "proof", "because": "in C-RASP: " + 60 * "x"}
    found = {run.task: dict.fromkeys(ENCODINGS, verdict) for run in runs}
    return render(runs_document(runs, "500 runs", found=found))


def main(times: int = 5) -> None:
    """Print sizes and times."""
    runs = many_runs()
    render(Document("warm up"))
    started = perf_counter()
    html = page_of(runs)
    seconds = perf_counter() - started
    sys.stdout.write(f"{len(runs)} runs: {len(html.encode()):,} bytes, made in {seconds:.1f} s\n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(html)
        for _ in range(times):
            with chromium(viewport={"width": 1280, "height": 900}) as seen:
                found = seen.open(path).evaluate(PAINT)
            sys.stdout.write(
                f"first paint {found['paint']:.0f} ms, loaded after {found['loaded']:.0f} ms\n"
            )


if __name__ == "__main__":
    main()
