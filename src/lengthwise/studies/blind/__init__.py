"""The blind suite: languages nobody has tuned on, predicted first, then trained by the recipe."""

from functools import cache
from typing import Any

from lengthwise.studies.board import BoardCell, Scoreboard, board_cell
from lengthwise.studies.climbing import Climb, ClimbingStudy, climb, frozen_rows, share_as_predicted
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.frozen_file import frozen
from lengthwise.studies.study import ClaimOutcome, Study, StudyTable

ENCODINGS = ("nope", "ape")
FILE = frozen("blind")


@cache
def suite() -> list[dict[str, Any]]:
    """Return the drawn languages with their predictions; a changed file is refused."""
    return frozen_rows(__name__, "suite.json", "languages", FILE.settings["suite"], "`lab draw`")


def group(task: str, encoding: str) -> str:
    """Name the runs of a language with an encoding."""
    return f"blind/{task}/{encoding}"


def cells(size: str) -> list[Climb]:
    """Return every language with both encodings, in the order of the suite."""
    return [
        climb(
            FILE,
            size,
            group=group(language["task"], encoding),
            task=language["task"],
            encoding=encoding,
        )
        for language in suite()[: FILE.of_size(size).get("languages")]
        for encoding in ENCODINGS
    ]


CELLS = ClimbingStudy(FILE, cells)


# ---- what came out ----


def board(evidence: StudyEvidence) -> Scoreboard:
    """Put every prediction beside its cell, where all seeds were run."""
    found: list[BoardCell] = []
    for language in suite():
        for encoding in ENCODINGS:
            cell = CELLS.whole(evidence, group(language["task"], encoding))
            if cell is not None:
                said = {**language["predicted"][encoding], **language["facts"]}
                found.append(board_cell(language["task"], encoding, said, cell))
    return Scoreboard("blind", evidence.size, tuple(found))


def _kind_of(task: str) -> str:
    return next(language["kind"] for language in suite() if language["task"] == task)


def _agreement(
    evidence: StudyEvidence, least: float, kind: str | None = None, encoding: str | None = None
) -> ClaimOutcome:
    """Claim that at least so many of the fitted cells are as predicted; mixed counts against."""
    planned = [
        (language["task"], name)
        for language in suite()
        for name in ENCODINGS
        if kind in (None, language["kind"]) and encoding in (None, name)
    ]
    known = {(c.subject, c.encoding): c for c in board(evidence).cells}
    made = [known[key] for key in planned if key in known]
    return share_as_predicted(
        made, len(planned), least, lambda c: f"{c.subject.partition(';')[0]} {c.encoding}"
    )


RULES = {"agreement": _agreement}


def tables(evidence: StudyEvidence) -> list[StudyTable]:
    """Return every cell, with all its seeds and rungs."""
    rows: list[list[Any]] = []
    for one in board(evidence).cells:
        cell = evidence.cell(group(one.subject, one.encoding))
        if cell is None:
            continue
        name = one.subject.partition(";")[0]
        said = {True: "yes", False: "no", None: "-"}[one.agrees]
        means = " / ".join(f"{100 * value:.1f}" for value in one.accuracy)
        about = [name, _kind_of(one.subject), one.encoding, one.predicted, one.outcome, said]
        rows.append([*about, means, cell.by_seed, cell.rungs, cell.tried])
    columns = ["language", "class", "encoding", "predicted", "measured", "agrees"]
    columns += ["trained / twice / three times", "seeds", "rungs", "runs"]
    note = (
        "seeds: exact match between two and three times the training length, in brackets where "
        "the training lengths were not fitted; rungs: the setting of the recipe that counted"
    )
    return [StudyTable("All cells", columns, rows, note)] if rows else []


STUDY = Study(
    name="blind",
    title="Predictions on languages that nobody has tuned on",
    source="our own; languages of MLRegTest (arXiv 2304.07687, CC BY 4.0) and random expressions",
    frozen=FILE,
    plan=CELLS.plan,
    rules=RULES,
    tables=tables,
    board=board,
    expected=CELLS.expected,
    notes={
        "smoke": "ten steps a run: exercises the machinery and decides nothing",
        "laptop": "lengths to 24, tested to 72, five seeds, the frozen recipe",
        "paper": "lengths to 50, tested to 150, five seeds, the frozen recipe",
    },
)
