"""How far beyond the training length subjects like this one hold, from measured suites.

Rows are plain data: ``subject``, ``encoding``, ``predicted``, ``fragment``, ``depth``, ``outcome``
of the cell, ``reach`` (the longest length that still held, over the training length) and ``curve``,
a list of (length over training length, right and tried instances of every fitted seed). Cells that
were not fitted say nothing and are left out. Similar means: same encoding, same prediction, and the
same fragment and depth as long as at least five rows remain.

The estimate is the share of similar cells that hold, with its Wilson interval, the median reach,
and accuracy against length over training length: the mean over languages, and the range in which a
further language is expected. Of n exchangeable numbers a further one lies between the k-th
smallest and the k-th largest with chance (n + 1 - 2k) / (n + 1), whatever their distribution; k is
the largest for which that is at least 90%, or 1. How well this does is measured by leaving each
language out (``calibrate``).
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Any

from lengthwise.predict.types import Calibration, Reach, ReachPoint, Verdict
from lengthwise.records.intervals import wilson

ENOUGH = 5
WANTED = 0.9
"""The chance with which a further language is to lie in the range of a point."""
_LEVELS = (("predicted", "fragment", "depth"), ("predicted", "fragment"), ("predicted",))

Row = Mapping[str, Any]


def expected_reach(verdict: Verdict, facts: Mapping[str, Any], rows: Sequence[Row]) -> Reach | None:
    """Estimate the reach of a decided verdict; None when too little was measured."""
    if verdict.answer == "undecided":
        return None
    wanted = {
        "predicted": verdict.answer,
        "fragment": facts.get("fragment"),
        "depth": facts.get("depth"),
    }
    return _expected(verdict.subject, verdict.encoding, wanted, rows)


def _expected(
    subject: str, encoding: str, wanted: Mapping[str, Any], rows: Iterable[Row]
) -> Reach | None:
    mine = [
        row
        for row in rows
        if row["encoding"] == encoding
        and row["subject"] != subject
        and row["outcome"] != "not fitted"
    ]
    for keys in _LEVELS:
        similar = [row for row in mine if all(row.get(key) == wanted[key] for key in keys)]
        if len(similar) >= ENOUGH:
            return _estimate(encoding, keys, wanted, similar)
    return None


def _estimate(
    encoding: str, keys: tuple[str, ...], wanted: Mapping[str, Any], rows: Sequence[Row]
) -> Reach:
    holds = sum(row["outcome"] == "holds" for row in rows)
    low, high = wilson(holds, len(rows))
    return Reach(
        encoding=encoding,
        similar=", ".join(
            f"{key} {'unknown' if wanted[key] is None else wanted[key]}" for key in keys
        ),
        cells=len(rows),
        holds=holds,
        low=low,
        high=high,
        median=float(median(row["reach"] for row in rows)),
        subjects=tuple(str(row["subject"]) for row in rows),
        curve=expected_curve(rows),
    )


def accuracies(row: Row) -> dict[float, float]:
    """Return a cell's accuracy by length over training length: the mean over its fitted seeds.

    Example:
        >>> accuracies({"curve": [[1.5, [[3, 4], [1, 4]]]]})
        {1.5: 0.5}
    """
    return {
        float(at): fmean(right / tried for right, tried in seeds)
        for at, seeds in row.get("curve") or ()
    }


def expected_curve(rows: Sequence[Row]) -> tuple[ReachPoint, ...]:
    """Return the points at which at least five languages were measured."""
    values: dict[float, list[float]] = {}
    for row in rows:
        for at, value in accuracies(row).items():
            values.setdefault(at, []).append(value)
    return tuple(
        ReachPoint(at, fmean(found), *further(found), len(found))
        for at, found in sorted(values.items())
        if len(found) >= ENOUGH
    )


def further(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the range in which a further value is expected, and with which chance.

    Example:
        >>> further([0.1, 0.9, 0.5, 1.0])
        (0.1, 1.0, 0.6)
    """
    many = len(values)
    skipped = max(1, int((many + 1) * (1 - WANTED) / 2))
    ordered = sorted(values)
    return ordered[skipped - 1], ordered[-skipped], (many + 1 - 2 * skipped) / (many + 1)


def calibrate(rows: Sequence[Row]) -> list[Calibration]:
    """Leave each language out, estimate it from the others, and compare, by encoding and answer.

    ``inside`` counts the points of the left-out curve, beyond the training length, that lie in
    their ranges, ``expected`` how many should; ``score`` is the mean squared error of the chance of
    holding (Brier), ``base`` that of the share of all others with the same encoding.
    """
    found: list[Calibration] = []
    for encoding in dict.fromkeys(str(row["encoding"]) for row in rows):
        mine = [r for r in rows if r["encoding"] == encoding and r["outcome"] != "not fitted"]
        for answer in ("yes", "no"):
            left = [_left_out(row, mine) for row in mine if row["predicted"] == answer]
            known = [one for one in left if one is not None]
            if known:
                found.append(_summed(encoding, answer, known))
    return found


_LeftOut = tuple[float, float, int, int, float]
"""Squared errors (ours, base), points inside, all points, points expected inside."""


def _left_out(row: Row, rows: Sequence[Row]) -> _LeftOut | None:
    others = [other for other in rows if other["subject"] != row["subject"]]
    reach = _expected(row["subject"], row["encoding"], row, others)
    if reach is None:
        return None
    truth = float(row["outcome"] == "holds")
    share = sum(other["outcome"] == "holds" for other in others) / len(others)
    measured = accuracies(row)
    points = [p for p in reach.curve if p.at > 1 and p.at in measured]
    inside = sum(p.low <= measured[p.at] <= p.high for p in points)
    expected = sum(p.chance for p in points)
    error = (reach.holds / reach.cells - truth) ** 2
    return error, (share - truth) ** 2, inside, len(points), expected


def _summed(encoding: str, answer: str, left: Sequence[_LeftOut]) -> Calibration:
    scores, bases, inside, points, expected = zip(*left, strict=True)
    return Calibration(
        encoding=encoding,
        predicted=answer,
        languages=len(left),
        points=sum(points),
        inside=sum(inside),
        expected=sum(expected),
        score=fmean(scores),
        base=fmean(bases),
    )
