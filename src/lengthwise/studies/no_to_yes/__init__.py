"""No to yes: problems of Huang et al. that are predicted to fail, before and after a change."""

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.records.intervals import wilson
from lengthwise.records.outcomes import agreement
from lengthwise.studies.board import BoardCell, Scoreboard, board_cell
from lengthwise.studies.climbing import Climb
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.frozen_file import frozen
from lengthwise.studies.ladder import thirds
from lengthwise.studies.study import (
    Claim,
    ClaimOutcome,
    Planned,
    Study,
    StudyTable,
    claims_of,
    inconclusive,
    not_run,
    outcome,
)

FILE = frozen("no-to-yes")
SIDES = ("before", "after")


@cache
def formats() -> list[dict[str, Any]]:
    """Return the problems with their changes; a changed file is refused."""
    text = resources.files(__name__).joinpath("formats.json").read_text(encoding="utf-8")
    found = json.loads(text)["problems"]
    if digest(found) != FILE.settings["formats"]:
        raise InputError("no-to-yes: formats.json is not what was frozen; see chosen_formats.")
    return found


def digest(problems: Sequence[dict[str, Any]]) -> str:
    """Return the hash of the chosen changes."""
    text = json.dumps(problems, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def group(problem: str, side: str) -> str:
    """Name the runs of a problem before or after its change."""
    return f"no-to-yes/{problem}/{side}"


def cells(size: str) -> list[Climb]:
    """Return every problem before and after its change; the same budget for both."""
    about = FILE.of_size(size)
    longest = int(about["trained"])
    return [
        Climb(
            group=group(one["problem"], side),
            task=one[side]["task"],
            encoding=one[side]["encoding"],
            trained=(1, longest),
            tests=thirds(longest),
            instances=int(about["instances"]),
            seeds=int(about["seeds"]),
            metric="exact" if one["kind"] == "encoding" else "answer",
            rungs=about.get("rungs"),
            smoke=size == "smoke",
        )
        for one in formats()[: about.get("problems")]
        for side in SIDES
        if one[side] is not None
    ]


def plan(size: str, evidence: StudyEvidence) -> list[Planned]:
    """Return the runs so far, problem by problem."""
    if size != "smoke":
        FILE.trained_by_recipe()
    return [run for cell in cells(size) for run in cell.runs(evidence)]


def expected(size: str) -> float | None:
    """Return the planned seconds of one core: so many for a seed."""
    about = FILE.of_size(size)
    return len(cells(size)) * about["seeds"] * about["seconds"] if "seconds" in about else None


# ---- what came out ----


def board(evidence: StudyEvidence) -> Scoreboard:
    """Put every prediction beside its cell, where all seeds were run."""
    found = [_cell(evidence, one, side) for one in formats() for side in SIDES if one[side]]
    return Scoreboard("no-to-yes", evidence.size, tuple(c for c in found if c is not None))


def _cell(evidence: StudyEvidence, one: dict[str, Any], side: str) -> BoardCell | None:
    cell = evidence.cell(group(one["problem"], side))
    if cell is None or len(cell.runs) < int(FILE.of_size(evidence.size)["seeds"]):
        return None
    said = {"answer": one[side]["answer"], "strength": one[side]["strength"]}
    return board_cell(one[side]["task"], one[side]["encoding"], said, cell)


def _share(evidence: StudyEvidence, side: str, least: float, kind: str = "") -> ClaimOutcome:
    """Claim that at least so many of the fitted cells of a side came out as predicted."""
    asked = [one for one in formats() if one[side] and (one["kind"] == kind or not kind)]
    made = [(one, _cell(evidence, one, side)) for one in asked]
    known = [(one, cell) for one, cell in made if cell is not None]
    if not known:
        return not_run()
    fitted = [(one, cell) for one, cell in known if cell.outcome != "not fitted"]
    right = [one["problem"] for one, c in fitted if agreement(c.predicted, c.outcome) is True]
    ours = f"{len(right)} of {len(fitted)} fitted cells as predicted, {len(known)} run"
    around = wilson(len(right), len(fitted)) if fitted else None
    if len(known) < len(asked):
        return inconclusive(f"{len(known)} of {len(asked)} cells run", ours, around)
    if 2 * len(fitted) < len(known):
        return inconclusive("fewer than half of the cells were fitted", ours, around)
    wrong = [one["problem"] for one, _ in fitted if one["problem"] not in right]
    return outcome(len(right) >= least * len(fitted), ours, around, ", ".join(wrong))


RULES = {"share": _share}


def claims(size: str) -> list[Claim]:
    """Return the claims of the frozen file."""
    return claims_of(FILE, RULES)


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
    plan=plan,
    claims=claims,
    tables=tables,
    board=board,
    expected=expected,
    notes={
        "smoke": "ten steps a run: exercises the machinery and decides nothing",
        "laptop": "lengths to 12, tested to 36, five seeds, the frozen recipe",
        "paper": "lengths to 12, tested to 36, ten seeds, the frozen recipe",
    },
)
