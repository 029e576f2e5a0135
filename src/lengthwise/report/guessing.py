"""What guessing would give beside each curve."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

from lengthwise.core.errors import InputError
from lengthwise.evaluation.chance import chance
from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.report.curves import Curve
from lengthwise.tasks import load_task

Ranges = tuple[tuple[int, int], ...]


def with_chance(drawn: Iterable[Curve]) -> list[Curve]:
    """Return curves with the accuracy of guessing, where the task is one of the library's.

    A task from a user's file has none: a report executes nobody's file. Nor has one that is scored
    by another metric than exact match.
    """
    return [replace(curve, chance=_chance(curve)) for curve in drawn]


def _chance(curve: Curve) -> tuple[AccuracyByLength, ...]:
    exact = curve.spec is None or curve.spec.evaluation.metric == "exact"
    if not exact or ".py" in curve.task or not curve.bins:
        return ()
    return _guessed(curve.task, curve.trained, tuple((b.low, b.high) for b in curve.bins))


@lru_cache(maxsize=1024)
def _guessed(task: str, trained: tuple[int, int], ranges: Ranges) -> tuple[AccuracyByLength, ...]:
    with suppress(InputError):  # a plugin's, or one that needs a file that is not here
        found = chance(load_task(task), trained, ranges)
        return tuple(one for one in found if one is not None)
    return ()
