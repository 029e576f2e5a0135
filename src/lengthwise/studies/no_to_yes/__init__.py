"""No to yes: problems of Huang et al. that are predicted to fail, before and after a change."""

from functools import cache
from typing import Any

from lengthwise.studies.board import BoardCell, Scoreboard, board_cell
from lengthwise.studies.climbing import Climb, ClimbingStudy, climb, frozen_rows, share_as_predicted
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.frozen_file import frozen
from lengthwise.studies.study import ClaimOutcome, Study, StudyTable

FILE = frozen("no-to-yes")
SIDES = ("before", "after")


@cache
def formats() -> list[dict[str, Any]]:
    """Return the problems with their changes; a changed file is refused."""
    kept = FILE.settings["formats"]
    return frozen_rows(__name__, "formats.json", "problems", kept, "chosen_formats")


def group(problem: str, side: str) -> str:
    """Name the runs of a problem before or after its change."""
    return f"no-to-yes/{problem}/{side}"


def cells(size: str) -> list[Climb]:
    """Return every problem before and after its change; the same budget for both."""
    return [
        climb(
            FILE,
            size,
            group=group(one["problem"], side),
            task=one[side]["task"],
            encoding=one[side]["encoding"],
            metric="exact" if one["kind"] == "encoding" else "answer",
        )
        for one in formats()[: FILE.of_size(size).get("problems")]
        for side in SIDES
        if one[side] is not None
    ]


CELLS = ClimbingStudy(FILE, cells)


# ---- what came out ----


def board(evidence: StudyEvidence) -> Scoreboard:
    """Put every prediction beside its cell, where all seeds were run."""
    found = [_cell(evidence, one, side) for one in formats() for side in SIDES if one[side]]
    return Scoreboard("no-to-yes", evidence.size, tuple(c for c in found if c is not None))


def _cell(evidence: StudyEvidence, one: dict[str, Any], side: str) -> BoardCell | None:
    cell = CELLS.whole(evidence, group(one["problem"], side))
    if cell is None:
        return None
    said = {"answer": one[side]["answer"], "strength": one[side]["strength"]}
    return board_cell(one[side]["task"], one[side]["encoding"], said, cell)


def _share(evidence: StudyEvidence, side: str, least: float, kind: str = "") -> ClaimOutcome:
    """Claim that at least so many of the fitted cells of a side came out as predicted."""
    asked = [one for one in formats() if one[side] and (one["kind"] == kind or not kind)]
    problem = {one[side]["task"]: one["problem"] for one in asked}
    made = [cell for one in asked if (cell := _cell(evidence, one, side)) is not None]
    return share_as_predicted(made, len(asked), least, lambda cell: problem[cell.subject])


RULES = {"share": _share}


def tables(evidence: StudyEvidence) -> list[StudyTable]:
    """Return every problem: what was predicted and measured before and after, and the price."""
    rows: list[list[Any]] = []
    for one in formats():
        if one["after"] is None:
            rows.append([one["problem"], "-", "no", "-", "-", "-", one.get("reason", "")])
            continue
        measured = [evidence.cell(group(one["problem"], side)) for side in SIDES]
        shown = [f"{c.outcome}: {c.shown}" if c else "not run" for c in measured]
        said = [f"{one[side]['answer']} ({one[side]['strength']})" for side in SIDES]
        change = f"{one['after']['task']} {one['after']['encoding']}"
        rows.append([one["problem"], change, *said, *shown, one.get("tokens") or ""])
    columns = [
        "problem",
        "change",
        "predicted before",
        "after",
        "measured before",
        "after",
        "tokens",
    ]
    note = (
        "measured: answers right at trained lengths / to twice / to three times (seeds), in "
        "brackets where the training lengths were not fitted; tokens: for each symbol of the input"
    )
    return [StudyTable("From no to yes", columns, rows, note)]


STUDY = Study(
    name="no-to-yes",
    title="From no to yes: problems that are predicted to fail, and what makes them a yes",
    source="our own; problems of Huang et al. (2024)",
    frozen=FILE,
    plan=CELLS.plan,
    rules=RULES,
    tables=tables,
    board=board,
    expected=CELLS.expected,
    notes={
        "smoke": "ten steps a run: exercises the machinery and decides nothing",
        "laptop": "lengths to 12, tested to 36, five seeds, the frozen recipe",
        "paper": "lengths to 12, tested to 36, ten seeds, the frozen recipe",
    },
)
