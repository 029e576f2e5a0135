"""How long training must be, measured: the first training length from which a language holds.

A language is trained at growing lengths by the recipe. It *holds from* a length if its cell holds,
at two to three times that length, there and at every longer one that was trained. That is held
against the length complexity N of the kept table, and against size, depth and states.
"""

from typing import Any

from lengthwise.studies.climbing import Climb, ClimbingStudy, climb
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.frozen_file import frozen
from lengthwise.studies.study import (
    ClaimOutcome,
    Study,
    StudyFigure,
    StudyTable,
    inconclusive,
    not_run,
    outcome,
)
from lengthwise.studies.training_length.predictors import PREDICTORS, predictors
from lengthwise.studies.training_length.ranks_of import rank_correlation, rank_interval

ENCODINGS = ("ape", "nope")
FILE = frozen("length")
LEAST = 5
"""Languages of which a rank correlation says something."""


def group(task: str, encoding: str, longest: int) -> str:
    """Name the runs of a language with an encoding at one training length."""
    return f"length/{task}/{encoding}/{longest}"


def languages(size: str) -> list[str]:
    """Return the tasks of a size."""
    return FILE.settings["languages"][: FILE.of_size(size).get("languages")]


def cells(size: str) -> list[Climb]:
    """Return every language with both encodings at every training length, short ones first."""
    return [
        climb(
            FILE, size, longest, group=group(task, encoding, longest), task=task, encoding=encoding
        )
        for longest in FILE.of_size(size)["lengths"]
        for task in languages(size)
        for encoding in ENCODINGS
    ]


CELLS = ClimbingStudy(FILE, cells)


# ---- what came out ----


def outcomes(evidence: StudyEvidence, task: str, encoding: str) -> list[str]:
    """Return what became of a language at each training length; ``-`` where seeds are missing."""
    lengths = FILE.of_size(evidence.size)["lengths"]
    cells = [CELLS.whole(evidence, group(task, encoding, longest)) for longest in lengths]
    return ["-" if cell is None else cell.outcome for cell in cells]


def holds_from(evidence: StudyEvidence, task: str, encoding: str) -> float | None:
    """Return the first training length from which a language holds at every one that was trained.

    Beyond all of them if it does not hold at the longest; None where runs are missing.
    """
    lengths, found = FILE.of_size(evidence.size)["lengths"], outcomes(evidence, task, encoding)
    if "-" in found:
        return None
    first = float("inf")
    for longest, became in zip(reversed(lengths), reversed(found), strict=True):
        if became != "holds":
            break
        first = float(longest)
    return first


def points(evidence: StudyEvidence, encoding: str) -> list[dict[str, Any]]:
    """Return every language with a program in the encoding's class, measured and predicted."""
    found: list[dict[str, Any]] = []
    for task in languages(evidence.size):
        measured, said = holds_from(evidence, task, encoding), predictors(task, encoding)
        if measured is not None and said is not None:
            found.append({"task": task, "measured": measured, **said})
    return found


def _possible(size: str, encoding: str) -> int:
    return sum(predictors(task, encoding) is not None for task in languages(size))


def _missing(evidence: StudyEvidence, encoding: str, known: int) -> ClaimOutcome | None:
    """Say why nothing can be said yet, or nothing."""
    if not known:
        return not_run()
    if known < _possible(evidence.size, encoding) or known < LEAST:
        return inconclusive(f"{known} of {_possible(evidence.size, encoding)} languages run")
    return None


def _rank(evidence: StudyEvidence, encoding: str, predictor: str) -> ClaimOutcome:
    """Claim that the order of a predictor is that of what was measured, beyond chance."""
    found = points(evidence, encoding)
    if (why := _missing(evidence, encoding, len(found))) is not None:
        return why
    pairs = [(point[predictor], point["measured"]) for point in found]
    value, around = rank_correlation(pairs), rank_interval(pairs)
    if value is None:
        return inconclusive("all languages came out alike")
    ours = f"rank correlation {value:.2f} over {len(pairs)} languages"
    if around[0] <= 0 < around[1]:
        return inconclusive("the interval contains 0", ours, around)
    return outcome(value > 0, ours, around)


def _best(evidence: StudyEvidence, encoding: str) -> ClaimOutcome:
    """Claim that no other predictor has a larger rank correlation."""
    found = points(evidence, encoding)
    if (why := _missing(evidence, encoding, len(found))) is not None:
        return why
    values = {
        name: rank_correlation([(point[name], point["measured"]) for point in found])
        for name in PREDICTORS
    }
    ours = ", ".join(f"{n} {'-' if v is None else f'{v:.2f}'}" for n, v in values.items())
    own = values["N"]
    if own is None:
        return inconclusive("all languages came out alike", ours)
    return outcome(all(v is None or v <= own for v in values.values()), ours)


RULES = {"rank": _rank, "best": _best}


def tables(evidence: StudyEvidence) -> list[StudyTable]:
    """Return what became of every language at every length, beside what was predicted."""
    lengths = FILE.of_size(evidence.size)["lengths"]
    rows: list[list[Any]] = []
    for encoding in ENCODINGS:
        for task in languages(evidence.size):
            found, first = outcomes(evidence, task, encoding), holds_from(evidence, task, encoding)
            if set(found) == {"-"}:
                continue
            said = predictors(task, encoding) or dict.fromkeys(PREDICTORS, "none")
            shown = "-" if first is None else f"{first:g}" if first < float("inf") else "never"
            rows.append([task, encoding, *found, shown, *(said[name] for name in PREDICTORS)])
    columns = ["language", "encoding", *(f"to {n}" for n in lengths), "holds from", *PREDICTORS]
    note = "N: from the kept table, a lower bound where it is not exact; none: no program"
    return [StudyTable("First training length that suffices", columns, rows, note)] if rows else []


def figures(evidence: StudyEvidence) -> list[StudyFigure]:
    """Return the first training length by language."""
    data = [
        {"language": point["task"], "length": point["measured"], "series": encoding}
        for encoding in ENCODINGS
        for point in points(evidence, encoding)
        if point["measured"] < float("inf")
    ]
    title = "First training length from which a language holds"
    return [StudyFigure(title, "bars", "language", "length", data, "series")] if data else []


STUDY = Study(
    name="length",
    title="How long training must be, against length complexity",
    source="our own",
    frozen=FILE,
    plan=CELLS.plan,
    rules=RULES,
    tables=tables,
    figures=figures,
    expected=CELLS.expected,
    notes={
        "smoke": "ten steps a run: exercises the machinery and decides nothing",
        "laptop": "lengths to 5, 8, 12, 20 and 32, tested to three times that, three seeds",
        "paper": "lengths to 50, five seeds",
    },
)
