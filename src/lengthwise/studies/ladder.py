"""The settings that are tried for a problem at the sizes a laptop can do, in order."""

from typing import Any

from lengthwise.core.errors import unknown
from lengthwise.records.spec import Range
from lengthwise.studies.tuning import Attempt, Problem

TRAINED = {"smoke": 8, "laptop": 20}
"""Longest training length; tests go to two and three times that."""
INSTANCES = {"smoke": 20, "laptop": 500}
SEEDS = {"smoke": 1, "laptop": 5}
_SMALL: dict[str, Any] = {"rate": 1e-3, "warmup": 100, "evaluate_every": 625}
STRONG_DECAY = 1.0
"""In a few thousand steps the usual 0.01 hardly changes a weight. This one is meant to shrink
position vectors that a language has no use for; it helps D_12 and hurts D_3, so it comes late."""
LADDERS: dict[str, tuple[Attempt, ...]] = {
    "smoke": (Attempt(layers=1, heads=1, width=16, rate=1e-3, steps=10, evaluate_every=10),),
    "laptop": (
        Attempt(layers=1, heads=2, width=64, steps=2500, **_SMALL),
        Attempt(layers=2, heads=2, width=64, steps=2500, **_SMALL),
        Attempt(layers=1, heads=2, width=64, steps=2500, weight_decay=STRONG_DECAY, **_SMALL),
        Attempt(layers=1, heads=4, width=128, steps=3000, last_resort=True, **_SMALL),
    ),
}


def thirds(trained: int) -> tuple[Range, Range]:
    """Return the test lengths: to twice, and from twice to three times the training length.

    Example:
        >>> thirds(10)
        ((11, 20), (21, 30))
    """
    return (trained + 1, 2 * trained), (2 * trained + 1, 3 * trained)


def small_problem(
    task: str,
    encoding: str,
    size: str,
    *,
    group: str,
    trained: int | None = None,
    attempts: tuple[Attempt, ...] | None = None,
) -> Problem:
    """Return a problem at smoke or laptop size, with the size's own settings unless given."""
    if size not in LADDERS:
        raise unknown("size", size, LADDERS)
    longest = trained or TRAINED[size]
    return Problem(
        group=group,
        task=task,
        encoding=encoding,
        trained=(1, longest),
        tests=thirds(longest),
        instances=INSTANCES[size],
        attempts=attempts or LADDERS[size],
        seeds=SEEDS[size],
    )
