"""How far beyond the training length subjects like this one held, from a measured suite.

Rows are plain data: ``subject``, ``encoding``, ``predicted``, ``fragment``, ``depth``, ``reach``
(the longest length that still held, over the training length) and ``held`` (at two to three times).
The estimate is the fraction that held among similar rows, with its Wilson interval, and the median
reach. Similar means: same encoding, same prediction, and the same fragment and depth as long as
at least five rows remain.
"""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from lengthwise.predict.types import Reach, Verdict
from lengthwise.records.intervals import wilson

ENOUGH = 5
_LEVELS = (("predicted", "fragment", "depth"), ("predicted", "fragment"), ("predicted",))


def expected_reach(
    verdict: Verdict, facts: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]
) -> Reach | None:
    """Estimate the reach of a decided verdict; None when too little was measured."""
    if verdict.answer == "undecided":
        return None
    wanted = {
        "predicted": verdict.answer,
        "fragment": facts.get("fragment"),
        "depth": facts.get("depth"),
    }
    mine = [
        row
        for row in rows
        if row["encoding"] == verdict.encoding and row["subject"] != verdict.subject
    ]
    for keys in _LEVELS:
        similar = [row for row in mine if all(row.get(key) == wanted[key] for key in keys)]
        if len(similar) >= ENOUGH:
            return _estimate(verdict.encoding, keys, wanted, similar)
    return None


def _estimate(
    encoding: str,
    keys: tuple[str, ...],
    wanted: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
) -> Reach:
    held = sum(bool(row["held"]) for row in rows)
    low, high = wilson(held, len(rows))
    return Reach(
        encoding=encoding,
        similar=", ".join(
            f"{key} {'unknown' if wanted[key] is None else wanted[key]}" for key in keys
        ),
        runs=len(rows),
        held=held,
        low=low,
        high=high,
        median=float(median(row["reach"] for row in rows)),
        subjects=tuple(str(row["subject"]) for row in rows),
    )
