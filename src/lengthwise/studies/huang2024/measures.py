"""What the study computes besides training: predictions, messages, fits, parity by ones."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from lengthwise.evaluation.exact import correct_rows, test_set
from lengthwise.predict.crossing import crossing
from lengthwise.runs.trained import load_run
from lengthwise.studies.evidence import StudyRun
from lengthwise.studies.huang2024.problems import ENCODINGS, PROBLEMS, SYMBOLS, cell
from lengthwise.studies.huang2024.trained_cells import found
from lengthwise.studies.scoreboard import predictions as predict_all
from lengthwise.studies.study import Bench, Measure
from lengthwise.theory.limit.positional_fit import RELATIONS as ALL
from lengthwise.theory.limit.positional_fit import FitSettings, fit_relation

MESSAGES = ("parity", "binary-majority", "repeat-copy", "addition", "sort", "dyck-1")
RELATIONS = ("j=i-1", "j=i-5", "mod3=0", "mod5=0", "j<i", "prime")


def measures(size: str) -> list[Measure]:
    """Return the measures of a size; the published size fits the published positional tables."""
    return [
        Measure("predictions", predictions, from_runs=False),
        Measure("messages", messages, from_runs=False),
        Measure(
            "positional",
            {"paper": _fit_paper, "laptop": _fit}.get(size, _fit_smoke),
            from_runs=False,
        ),
        Measure("parity-ones", parity_by_ones),
    ]


def predictions(bench: Bench) -> dict[str, Any]:
    """Predict every problem with both encodings, from what its task knows and nothing else."""

    names = {(f"{p}:symbols=150" if p in SYMBOLS else p): p for p in PROBLEMS}
    known = predict_all(list(names), ENCODINGS)
    return {
        name: {
            "encodings": {
                encoding: {
                    "answer": known[task].verdict(encoding).answer,
                    "strength": known[task].verdict(encoding).label,
                }
                for encoding in ENCODINGS
            },
            "facts": _plain(known[task].facts),
        }
        for task, name in names.items()
    }


def _plain(facts: Any) -> dict[str, Any]:
    return {key: facts[key] for key in ("fragment", "depth", "star-free") if key in facts}


def messages(bench: Bench) -> list[dict[str, Any]]:
    """Count what the first half of a word must tell the second (communication of section 4)."""
    rows: list[dict[str, Any]] = []
    for subject in MESSAGES:
        crossed = crossing(subject)
        growth = crossed.growth
        rows.append(
            {
                "subject": subject,
                "verdict": crossed.verdict,
                "halves": [] if growth is None else list(growth.halves),
                "bits": [] if growth is None else [round(b, 2) for b in growth.bits],
                "messages": [asdict(message) for message in crossed.messages],
            }
        )
    return rows


def _fit_smoke(bench: Bench) -> list[dict[str, Any]]:
    return fits(steps=50, relations=("j=i-1", "mod3=0"))


def _fit(bench: Bench) -> list[dict[str, Any]]:
    return fits()


def _fit_paper(bench: Bench) -> list[dict[str, Any]]:

    return fits(paper=True, relations=tuple(ALL), widths=(32, 256))


def fits(
    *,
    steps: int | None = None,
    paper: bool = False,
    relations: tuple[str, ...] = RELATIONS,
    widths: tuple[int, ...] = (8, 128),
) -> list[dict[str, Any]]:
    """Fit positional relations by products of learned vectors (appendix G.2)."""

    settings = FitSettings.paper() if paper else FitSettings()
    if steps is not None:
        settings = replace(settings, steps=steps)
    return [asdict(fit_relation(name, width, settings)) for name in relations for width in widths]


def parity_by_ones(bench: Bench) -> list[dict[str, Any]]:
    """Split parity's accuracy at the largest number of ones seen in training.

    The number of ones is uniform in 0..L, so many long words have few ones; a model that is right
    for as many ones as it was trained on and guesses beyond them would look better than chance.
    """

    rows: list[dict[str, Any]] = []
    for encoding in ENCODINGS:
        one = found(bench.evidence, cell("parity", encoding))
        for record in () if one is None else one.runs:
            rows += _by_ones(bench, encoding, record)
    return rows


def _by_ones(bench: Bench, encoding: str, record: StudyRun) -> Iterator[dict[str, Any]]:
    """Yield right and tried of one run in every bin, with few and with many ones."""
    spec = record.spec
    run = load_run(bench.store, spec.id)
    one = run.task.vocabulary.ids["1"]
    for number, bin_ in enumerate(spec.bins):
        batch = test_set(run.task, spec.seed, bin_, number, spec.evaluation.instances)
        right = correct_rows(run.model, batch)
        few = (batch.tokens == one).sum(axis=1) <= spec.training.length[1]
        yield {
            "encoding": encoding,
            "seed": spec.seed,
            "fitted": record.fitted,
            "low": bin_[0],
            "high": bin_[1],
            "few": [int(right[few].sum()), int(few.sum())],
            "many": [int(right[~few].sum()), int((~few).sum())],
        }
