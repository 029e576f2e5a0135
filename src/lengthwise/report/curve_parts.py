"""Curves as panels, tables and lists of runs of a page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lengthwise.records.accuracy import AccuracyByLength, pool
from lengthwise.records.outcomes import LINE, agreement
from lengthwise.report.colours import rank
from lengthwise.report.curves import Curve, best, points_of
from lengthwise.report.document import (
    MARKS,
    MEANINGS,
    Line,
    Panel,
    Section,
    Table,
    TableCell,
    percent,
    words,
)
from lengthwise.report.measured import Measured
from lengthwise.report.predicted import Verdicts
from lengthwise.report.run_command import command
from lengthwise.report.spelled import spelled

TONES = {"yes": "good", "no": "bad", "undecided": "dim"}
SAID = {"yes": "holds", "no": "fails", "undecided": "undecided"}
"""What a prediction says of a cell, in the words of the measurement."""
WORTH = 0.02
"""Guessing that is right less often is not drawn: it lies on the axis."""
MOST_SEEDS, SEED_POINTS = 12, 20
"""Thin lines of one curve, and points of each."""


def by_panel(drawn: Iterable[Curve]) -> dict[tuple[Any, ...], list[Curve]]:
    """Group curves that share a panel."""
    groups: dict[tuple[Any, ...], list[Curve]] = {}
    for curve in drawn:
        groups.setdefault(curve.panel, []).append(curve)
    return {key: sorted(found, key=lambda c: rank(c.encoding)) for key, found in groups.items()}


def encodings_of(drawn: Iterable[Curve]) -> list[str]:
    """List the encodings, in the order in which they always stand."""
    return sorted({curve.encoding for curve in drawn}, key=rank)


def panels(drawn: Sequence[Curve], found: Verdicts) -> list[Panel]:
    """Return one panel per task and training range, with predictions beside the curves."""
    order = encodings_of(drawn)
    return [
        Panel(
            title=members[0].task,
            note=_trained(members[0]),
            trained=members[0].trained,
            series=[series_data(curve, order.index(curve.encoding)) for curve in members],
            lines=[line(curve, found) for curve in best(members)],
            measured=_measured(members),
            chance=[_level(one) for one in members[0].chance if one.accuracy >= WORTH],
        )
        for members in by_panel(drawn).values()
    ]


def _level(guess: AccuracyByLength) -> dict[str, float]:
    return {"lo": guess.low, "hi": guess.high, "a": round(guess.accuracy, 4)}


def _trained(curve: Curve) -> str:
    group = f"{curve.group}, " if curve.group else ""
    return f"{group}trained on lengths {curve.trained[0]} to {curve.trained[1]}"


def _measured(members: Sequence[Curve]) -> str:
    names = {curve.bins[-1].name for curve in members if curve.bins}
    return f"at {names.pop()}" if len(names) == 1 else "on the longest lengths"


def series_data(curve: Curve, number: int) -> dict[str, Any]:
    """Return a curve as columns: n, a, l, h, k and t by point, e the encoding's number.

    ``w`` names the lengths of points that stand for several; ``seeds`` has n and a of every seed.
    """
    points = curve.points
    seeds = f"{curve.seeds} seed{'s' if curve.seeds > 1 else ''}"
    data: dict[str, Any] = {
        "e": number,
        "c": f"{curve.configuration}, {seeds}" if curve.configuration else seeds,
        "n": [round(p.middle, 1) for p in points],
        "a": [round(p.accuracy, 4) for p in points],
        "l": [round(p.interval[0], 4) for p in points],
        "h": [round(p.interval[1], 4) for p in points],
        "k": [p.counts[0] for p in points],
        "t": [p.counts[1] for p in points],
    }
    if any(p.low != p.high for p in points):
        data["w"] = [f"{p.low}\N{EN DASH}{p.high}" for p in points]
    if len(curve.by_seed) > 1:
        data["seeds"] = [_thin(bins) for bins in curve.by_seed[:MOST_SEEDS]]
    return data


def _thin(bins: Sequence[AccuracyByLength]) -> dict[str, list[float]]:
    points = points_of(bins, SEED_POINTS)
    return {
        "n": [round(p.middle, 1) for p in points],
        "a": [round(p.accuracy, 3) for p in points],
    }


def line(curve: Curve, found: Verdicts) -> Line:
    """Put a prediction beside the accuracy on the longest lengths."""
    verdict = found.get(curve.task, {}).get(curve.encoding, {})
    answer = verdict.get("answer", "")
    far = curve.bins[-1] if curve.bins else pool(())
    low, high = far.interval
    measured = f"{far.accuracy:.1%} ({100 * low:.1f}\N{EN DASH}{100 * high:.1f})"
    if curve.outcome in ("mixed", "not fitted"):
        measured += f", {curve.outcome}"
    return Line(
        encoding=curve.encoding,
        predicted=SAID.get(answer, answer),
        strength=verdict.get("strength", "").strip("-"),
        because=verdict.get("because", ""),
        measured=measured,
        mark=mark(curve, answer),
    )


def mark(curve: Curve, answer: str) -> str:
    """Compare a prediction with a curve: right, wrong, open, or nothing where nothing was said.

    A curve of the trained lengths alone, or one that was not fitted, leaves it open.
    """
    if answer not in ("yes", "no"):
        return ""
    agrees = agreement(answer, curve.outcome) if len(curve.bins) > 1 else None
    return {True: "right", False: "wrong", None: "open"}[agrees]


def overview(drawn: Sequence[Curve], found: Verdicts) -> Table:
    """Return tasks against encodings: what was measured, what was predicted, whether they agree."""
    order = encodings_of(drawn)
    rows = []
    for members in by_panel(best(drawn)).values():
        known = {curve.encoding: curve for curve in members}
        row = [TableCell(members[0].task, under=_tested(members))]
        row += [_square(known[e], found) if e in known else TableCell("") for e in order]
        rows.append(row)
    note = (
        f"Exact match at the longest tested lengths. Holds: its seeds stay above {LINE:.0%}; "
        "fails: none does; mixed: they differ; not fitted: too few learned the training lengths. "
        "Of several configurations the best is shown."
    )
    if found:
        marks = (f"{MARKS[kind]} {meaning}" for kind, meaning in MEANINGS.items())
        note = f"{', '.join(marks)}. {note}"
    meanings = ["", *map(spelled, order)]
    intervals = frozenset(range(1, len(order) + 1))
    return Table("", ["task", *order], rows, note, intervals, meanings)


def _tested(members: Sequence[Curve]) -> str:
    to = f"trained to {members[0].trained_to}"
    return f"{to}, tested at {members[0].bins[-1].name}" if members[0].bins else to


def _square(curve: Curve, found: Verdicts) -> TableCell:
    if not curve.bins:
        return TableCell("")
    far = curve.bins[-1]
    verdict = found.get(curve.task, {}).get(curve.encoding, {})
    answer = verdict.get("answer", "")
    predicted = f", predicted: {SAID.get(answer, answer)}" if answer else ""
    return replace(
        percent(far),
        text=f"{far.accuracy:.0%}",
        mark=mark(curve, answer),
        under=f"{curve.outcome}{predicted}",
        hint=verdict.get("because", ""),
        share=far.accuracy,
    )


def accuracy_tables(drawn: Sequence[Curve]) -> list[Table]:
    """Return accuracy by range of lengths, one table per set of ranges."""
    groups: dict[tuple[str, ...], list[Curve]] = {}
    for curve in drawn:
        groups.setdefault(tuple(bin_.name for bin_ in curve.bins), []).append(curve)
    return [_accuracies(names, members) for names, members in groups.items()]


def _accuracies(names: tuple[str, ...], members: Sequence[Curve]) -> Table:
    parts = any(curve.group for curve in members)
    several = any(curve.configuration for curve in members)
    columns = ["part"] * parts + ["task", "encoding"] + ["configuration"] * several + ["seeds"]
    first = len(columns)
    columns += [f"{n} (trained)" if i == 0 else n for i, n in enumerate(names)]
    rows = []
    for curve in members:
        row = [TableCell(curve.group)] * parts + [TableCell(curve.task), TableCell(curve.encoding)]
        row += [TableCell(curve.configuration)] * several + [words(curve.seeds)]
        rows.append(row + [percent(bin_) for bin_ in curve.bins])
    title = f"Lengths {', '.join(names)}"
    return Table(title, columns, rows, intervals=frozenset(range(first, len(columns))))


def runs_section(runs: Sequence[Measured]) -> tuple[Section, list[dict[str, Any]]]:
    """List every run, and return what opening one shows: its command and its specification."""
    parts = any(run.group for run in runs)
    columns = ["part"] * parts + ["run", "task", "encoding", "seed", "trained"]
    columns += ["steps", "stopped", "seconds", "exact match by range"]
    rows = []
    for number, run in enumerate(runs):
        row = [TableCell(run.group)] * parts + [TableCell(run.id or str(number + 1), run=number)]
        row += [TableCell(run.task), TableCell(run.encoding), words(run.seed)]
        row += [TableCell("{}-{}".format(*run.trained), run.trained[1])]
        row += [words(run.steps), TableCell(run.stopped), words(_whole(run.seconds))]
        shares = [bin_.accuracy for bin_ in run.bins]
        row.append(
            TableCell(" / ".join(f"{s:.1%}" for s in shares), shares[-1] if shares else None)
        )
        rows.append(row)
    note = "Open a run for the command that makes it again and its whole specification."
    listed = Section(f"Runs ({len(runs)})", [dense(columns, rows, note)], folded=True)
    return listed, [_opened(run) for run in runs]


def dense(columns: Sequence[str], rows: Sequence[Sequence[TableCell]], note: str = "") -> Table:
    """Return a table without the columns in which nothing is said.

    Example:
        >>> dense(["a", "b"], [[TableCell("1"), TableCell("")]]).columns
        ['a']
    """
    kept = [i for i in range(len(columns)) if any(row[i].text for row in rows)]
    return Table("", [columns[i] for i in kept], [[row[i] for i in kept] for row in rows], note)


def _whole(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds)


def _opened(run: Measured) -> dict[str, Any]:
    made = run.command or (command(run.spec) if run.spec else "")
    spec: Mapping[str, Any] = run.spec.model_dump(mode="json") if run.spec else {}
    return {"command": made, "spec": spec}
