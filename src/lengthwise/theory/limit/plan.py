"""The blocks of a transformer before channels are given out: who reads what and writes where.

A *value* is anything that will occupy a channel of the residual stream for a while; a *reading* is
a linear combination of values and of a function of the token (the begin token first).
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

Value = Hashable


@dataclass(frozen=True)
class LinearReading:
    """``sum of coefficient * value`` plus a number for each token.

    Example:
        >>> (LinearReading({"x": 1.0}) + LinearReading({"x": 1.0}, (0.0, 2.0)).times(2)).values
        {'x': 3.0}
    """

    values: dict[Value, float] = field(default_factory=dict)
    token: tuple[float, ...] = ()

    def __add__(self, other: "LinearReading") -> "LinearReading":
        values = dict(self.values)
        for value, coefficient in other.values.items():
            values[value] = values.get(value, 0.0) + coefficient
        return LinearReading(values, _add(self.token, other.token))

    def times(self, factor: float) -> "LinearReading":
        """Return a multiple."""
        values = {value: factor * coefficient for value, coefficient in self.values.items()}
        return LinearReading(values, tuple(factor * number for number in self.token))

    @property
    def has_token(self) -> bool:
        """Whether the token itself matters."""
        return any(self.token)


def _add(left: tuple[float, ...], right: tuple[float, ...]) -> tuple[float, ...]:
    if not left or not right:
        return left or right
    return tuple(x + y for x, y in zip(left, right, strict=True))


def total(readings: Iterable[LinearReading]) -> LinearReading:
    """Return the sum of readings."""
    result = LinearReading()
    for reading in readings:
        result = result + reading
    return result


@dataclass
class Head:
    """Logit = ``sum of key * query`` over ``content`` plus ``phi[i - j]``; writes averages."""

    content: list[tuple[LinearReading, LinearReading]] = field(default_factory=list)
    phi: dict[int, float] = field(default_factory=dict)
    writes: dict[Value, LinearReading] = field(default_factory=dict)


@dataclass
class Unit:
    """A hidden unit of an MLP: a step (Heaviside) or a ReLU of a reading plus a bias.

    For a step, the reading stays at least ``margin`` away from 0, or ``margin / i`` at the i-th
    token when ``shrinks``, and below ``bound`` in size.
    """

    reading: LinearReading
    bias: float
    writes: dict[Value, float]
    step: bool = True
    margin: float = 0.5
    shrinks: bool = False
    bound: float = 1.0


@dataclass
class PlannedBlock:
    """Attention heads, then hidden units."""

    heads: list[Head] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)


@dataclass
class ModelPlan:
    """All blocks, the periodic code of positions, and what is read at the end."""

    letters: tuple[str, ...]
    blocks: list[PlannedBlock]
    codes: tuple[int, ...]
    """Moduli whose residues the position vectors hold, one channel per residue."""
    outputs: dict[str, tuple[Value, float]]
    """Name -> the value read, already centred, and its sign."""
    lasting: frozenset[Value]
    """Values whose channels no MLP may read or clear: copies of position vectors."""
