"""Functions of two positions beside what a limit transformer allows.

A matrix D(j, i) of logits, key j and query i, is first written as

    D(j, i) = f(i - j) + g(i) + rest        by least squares over the pairs that were seen

(g changes nothing: what all keys of a query share cancels in the softmax). What is left over is not
invariant under shifts. Then f becomes a periodic and a local part,

    f(d) = periodic[d mod period] + local[d]        local[d] = 0 beyond a radius

with as few numbers (period + radius) as explain it to within a small share of its variance; the
mean of the periodic part is 0, since a constant cancels as well. Only
distances that were seen are fitted; the two parts say what lies beyond.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

LARGEST_PERIOD = 12
LEFT = 0.02
"""Share of the variance of f that periodic and local part may leave over."""
NOISE = 0.05
"""The same as a share of what no function of the distance explains."""
NEGLIGIBLE = 0.02
"""Standard deviation of logits that may always be left over: it moves a weight by 2 percent."""
TINY = 1e-9
"""Standard deviation of logits below which a function counts as constant."""

Array = Float[np.ndarray, "..."]


@dataclass(frozen=True)
class PositionalFunction:
    """f(d) = periodic[d mod period] + local[d], for every distance d."""

    periodic: Array
    local: Array

    @property
    def period(self) -> int:
        """The period of the part that does not vanish far away."""
        return len(self.periodic)

    @property
    def radius(self) -> int:
        """The largest distance at which the local part is not 0; -1 without one."""
        return len(self.local) - 1

    def values(self, size: int) -> Array:
        """Return f at distances 0, 1, ..., size - 1.

        Example:
            >>> PositionalFunction(np.array([0.0, 1.0]), np.array([5.0])).values(4).tolist()
            [5.0, 1.0, 0.0, 1.0]
        """
        found = self.periodic[np.arange(size) % self.period].astype(float)
        near = min(size, len(self.local))
        found[:near] += self.local[:near]
        return found


@dataclass(frozen=True)
class DistanceFit:
    """How a matrix of logits looks; shares are of the variance over the keys of a query."""

    size: float
    """Standard deviation over keys, g taken off: how much the matrix can move attention."""
    shift_residual: float
    """Share that is no function of the distance: 0 when invariant under shifts."""
    profile: Array
    """f at the distances that were seen."""
    function: PositionalFunction
    left: float
    """Share of the profile's variance that periodic and local part leave over."""

    @property
    def residual(self) -> float:
        """Share of the whole that no periodic and local function explains."""
        return self.shift_residual + (1 - self.shift_residual) * self.left

    @property
    def rest(self) -> float:
        """The same in logits: standard deviation of what is left over."""
        return self.size * self.residual**0.5


def fit_distances(
    values: Float[np.ndarray, "n n"], counts: Float[np.ndarray, "n n"]
) -> DistanceFit:
    """Fit a matrix (key, query) where ``counts`` is positive, weighted by it.

    Example:
        >>> place = np.arange(12)
        >>> distance = place[None, :] - place[:, None]
        >>> found = fit_distances(np.where(distance == 1, 3.0, 0.0), (distance >= 0) * 1.0)
        >>> found.function.radius, round(float(found.function.local[1]), 6), found.residual < 1e-9
        (1, 3.0, True)
    """
    key, query = np.nonzero(counts)
    weight, seen = counts[key, query], values[key, query]
    distance = query - key
    if (distance < 0).any():
        raise ValueError("keys must not lie behind their queries")
    profile, shift = _two_way(seen, weight, distance, query)
    centred = _off_queries(seen, weight, query)
    total = float(np.average(centred**2, weights=weight))
    left = float(np.average((seen - profile[distance] - shift[query]) ** 2, weights=weight))
    far = np.bincount(distance, weights=weight, minlength=len(profile))
    function, unexplained = split(profile, far, NOISE * left)
    small = total <= TINY**2
    return DistanceFit(
        size=total**0.5,
        shift_residual=0.0 if small else min(1.0, left / total),
        profile=profile,
        function=function,
        left=0.0 if small else unexplained,
    )


def _two_way(
    seen: Array, weight: Array, distance: np.ndarray, query: np.ndarray
) -> tuple[Array, Array]:
    """Solve for f and g by weighted least squares; f has mean 0 over distances."""
    distances, queries = int(distance.max()) + 1, int(query.max()) + 1
    size = distances + queries
    normal, right = np.zeros((size, size)), np.zeros(size)
    column = distances + query
    for index in (distance, column):
        np.add.at(right, index, weight * seen)
        np.add.at(normal, (index, index), weight)
    np.add.at(normal, (distance, column), weight)
    np.add.at(normal, (column, distance), weight)
    solved = np.linalg.lstsq(normal, right, rcond=1e-12)[0]
    f, g = solved[:distances], solved[distances:]
    return f - f.mean(), g + f.mean()


def _off_queries(seen: Array, weight: Array, query: np.ndarray) -> Array:
    """Take the weighted mean over its keys off every query."""
    total = np.bincount(query, weights=weight)
    mean = np.bincount(query, weights=weight * seen) / np.where(total > 0, total, 1)
    return seen - mean[query]


def split(profile: Array, weight: Array, allowed: float = 0.0) -> tuple[PositionalFunction, float]:
    """Write f as a periodic and a local part, with as few numbers as explain it.

    A variance of ``allowed`` may be left over, or one that hardly matters.

    The radius stays below half of the distances: a part that fills them all would be local in name
    only. The periodic part is fitted beyond it, from at least two of its periods.
    """
    size = len(profile)
    mean = np.average(profile, weights=weight)
    variance = float(np.average((profile - mean) ** 2, weights=weight))
    best: tuple[float, PositionalFunction] | None = None
    choices = sorted(
        (
            (period, radius)
            for period in range(1, min(LARGEST_PERIOD, size // 2) + 1)
            for radius in range(-1, min(size // 2, size - 2 * period))
        ),
        key=lambda c: (c[0] + c[1], c[0]),
    )
    for period, radius in choices:
        function = _parts(profile, weight, period, radius)
        left = profile - function.values(size)
        left = left - np.average(left, weights=weight)
        share = float(np.average(left**2, weights=weight)) / variance if variance else 0.0
        if share <= LEFT or share * variance <= max(allowed, NEGLIGIBLE**2):
            return function, share
        if best is None or share < best[0]:
            best = share, function
    if best is None:  # a single distance
        return PositionalFunction(np.zeros(1), np.zeros(0)), 0.0
    return best[1], best[0]


def _parts(profile: Array, weight: Array, period: int, radius: int) -> PositionalFunction:
    distance = np.arange(len(profile))
    far = distance > radius
    residue = distance[far] % period
    total = np.bincount(residue, weights=weight[far], minlength=period)
    table = np.bincount(residue, weights=(weight * profile)[far], minlength=period) / total
    near = distance[: radius + 1]
    local = profile[near] - table[near % period]
    return PositionalFunction(table - table.mean(), local)  # what all keys share cancels
