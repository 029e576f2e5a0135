"""Confidence intervals: of a proportion, of a mean over seeds, and of a proportion over both.

Two things are random in a measured accuracy: which instances were tested, and which seed trained
the model. Over instances alone an accuracy has the Wilson interval. Over seeds the accuracies of n
seeds are n independent draws, and their mean has Student's t interval with n - 1 degrees of
freedom; since every seed has its own test instances, that interval already covers both levels,
except that few seeds may look alike by chance. The interval used everywhere is therefore the hull
of the two: never narrower than the seeds' spread says, never narrower than the instances allow. In
simulations (``tests/records/test_intervals.py``) it has the true mean in 93 to 98% of all cases
where seeds differ by up to ten points, in 89 to 94% where they differ by twenty.
Five seeds that all agree say little about a rare one that would not: a seed in three that differs
is missed by five in 13% of all cases (``(2/3)**5``). No interval of five numbers can help that,
which is why pages show every seed.
"""

import math
from collections.abc import Sequence
from statistics import fmean, stdev

Interval = tuple[float, float]

_T = (
    *(12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281),
    *(2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860),
    *(2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423),
)
"""The 97.5% point of Student's t for 1 to 30 degrees of freedom."""
_NORMAL = 1.959964


def wilson(correct: int, total: int, z: float = _NORMAL) -> Interval:
    """Return the Wilson score interval of a proportion (95% by default).

    Example:
        >>> low, high = wilson(95, 100)
        >>> round(low, 3), round(high, 3)
        (0.888, 0.978)
    """
    if not total:
        return 0.0, 1.0
    p, square = correct / total, z * z
    centre = p + square / (2 * total)
    spread = z * math.sqrt(p * (1 - p) / total + square / (4 * total * total))
    scale = 1 + square / total
    # rounding must not push an end past the proportion itself
    return max(0.0, min(p, (centre - spread) / scale)), min(1.0, max(p, (centre + spread) / scale))


def student(freedom: int) -> float:
    """Return the 97.5% point of Student's t; beyond 30 degrees of freedom that of 30, a bit wide.

    Example:
        >>> student(4)
        2.7764
    """
    return _T[min(freedom, len(_T)) - 1]


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the 95% interval of a mean over seeds; of one value alone nothing is known.

    Example:
        >>> low, high = mean_interval([0.2, 0.3, 0.4])
        >>> round(low, 3), round(high, 3)
        (0.052, 0.548)
        >>> mean_interval([0.5])
        (-inf, inf)
    """
    if len(values) < 2:
        return -math.inf, math.inf
    mean = fmean(values)
    half = student(len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return mean - half, mean + half


def over_seeds(counts: Sequence[tuple[int, int]]) -> Interval:
    """Return the 95% interval of an accuracy from right and tried instances of every seed.

    One seed has the interval over its instances: there is nothing to say about other seeds.

    Example:
        >>> low, high = over_seeds([(90, 100), (80, 100), (100, 100)])
        >>> round(low, 3), round(high, 3)
        (0.652, 1.0)
        >>> over_seeds([(95, 100)]) == wilson(95, 100)
        True
    """
    known = [(right, tried) for right, tried in counts if tried]
    instances = wilson(sum(right for right, _ in known), sum(tried for _, tried in known))
    if len(known) < 2:
        return instances
    seeds = mean_interval([right / tried for right, tried in known])
    return max(0.0, min(instances[0], seeds[0])), min(1.0, max(instances[1], seeds[1]))
