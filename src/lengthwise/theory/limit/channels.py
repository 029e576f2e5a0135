"""Fourth pass: a channel of the residual stream for every value, reused when it is free again.

Functions of the token are embedded in as few channels as their rank allows. A channel whose value
is read no more is cleared by the next MLP (``x - ReLU(x) + ReLU(-x) = 0``, exact in floating point)
and given to a later value; a channel that nobody needs again is left alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from lengthwise.theory.limit.plan import LinearReading, ModelPlan, Value

FOREVER = 1 << 30


@dataclass
class Channels:
    """Where every value lives, how tokens are embedded, and what must be cleared when."""

    of: dict[Value, int] = field(default_factory=dict)
    width: int = 0
    embedded: list[tuple[float, ...]] = field(default_factory=list)
    """Functions of the token that have channels, as values ``("token", k)``."""
    cleared: list[tuple[int, int]] = field(default_factory=list)
    """Pairs (block, channel): the MLP of this block clears the channel."""

    def row(self, reading: LinearReading) -> Float[np.ndarray, " d"]:
        """Return a reading as a row of weights."""
        weights = np.zeros(self.width)
        for value, coefficient in self.resolve(reading).items():
            weights[self.of[value]] += coefficient
        return weights

    def resolve(self, reading: LinearReading) -> dict[Value, float]:
        """Return a reading in terms of values alone, its token part through embedded functions."""
        found = dict(reading.values)
        if reading.has_token:
            weights = _combination(self.embedded, reading.token)
            assert weights is not None
            found |= {("token", k): float(w) for k, w in enumerate(weights) if w}
        return found


def allocate(plan: ModelPlan) -> Channels:
    """Return the channels of a plan."""
    channels = Channels()
    channels.embedded = _basis([r.token for _, r in _readings(plan) if r.has_token])
    born, last = _lifetimes(plan, channels)
    free: list[tuple[int, int]] = []  # (time from which it may be written, channel)
    busy: list[tuple[int, int]] = []  # (last reading, channel)
    for value in sorted(born, key=lambda v: born[v]):
        time = born[value]
        free += [(until | 1, channel) for until, channel in busy if until | 1 <= time]
        busy = [(until, channel) for until, channel in busy if until | 1 > time]
        usable = [slot for slot in free if slot[0] < time + time % 2]
        if usable:
            slot = min(usable, key=lambda slot: slot[1])
            free.remove(slot)
            channel = slot[1]
            channels.cleared.append((slot[0] // 2, channel))
        else:
            channel, channels.width = channels.width, channels.width + 1
        channels.of[value] = channel
        busy.append((last[value], channel))
    return channels


def _readings(plan: ModelPlan) -> Iterator[tuple[int, LinearReading]]:
    """Yield every reading with its time: attention of block b at 2b, its MLP at 2b + 1."""
    for number, block in enumerate(plan.blocks, start=1):
        for head in block.heads:
            for key, query in head.content:
                yield 2 * number, key
                yield 2 * number, query
            for reading in head.writes.values():
                yield 2 * number, reading
        for unit in block.units:
            yield 2 * number + 1, unit.reading


def _lifetimes(plan: ModelPlan, channels: Channels) -> tuple[dict[Value, int], dict[Value, int]]:
    born: dict[Value, int] = {("token", k): 1 for k in range(len(channels.embedded))}
    born |= {("code", m, r): 1 for m in plan.codes for r in range(m)}
    for number, block in enumerate(plan.blocks, start=1):
        for head in block.heads:
            born |= dict.fromkeys(head.writes, 2 * number)
        for unit in block.units:
            for value in unit.writes:
                born.setdefault(value, 2 * number + 1)
    last = dict(born)
    for time, reading in _readings(plan):
        for value in channels.resolve(reading):
            last[value] = max(last[value], time)
    ending = [value for value, _ in plan.outputs.values()]
    last |= dict.fromkeys((*ending, *(v for v in plan.lasting if v in born)), FOREVER)
    return born, last


def _basis(functions: Iterable[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Return functions of which all others are combinations with halves of integers."""
    chosen: list[tuple[float, ...]] = []
    distinct = sorted(dict.fromkeys(functions), key=_simplicity)
    for function in distinct:
        if _combination(chosen, function) is None:
            chosen.append(function)
    whole = all(_combination(chosen, function) is not None for function in distinct)
    return chosen if whole else distinct  # one that came later can make combinations ambiguous


def _simplicity(function: tuple[float, ...]) -> tuple[int, float]:
    return sum(map(bool, function)), sum(map(abs, function))


def _combination(
    basis: list[tuple[float, ...]], function: tuple[float, ...]
) -> Float[np.ndarray, " k"] | None:
    if function in basis:
        return np.eye(len(basis))[basis.index(function)]
    if not basis:
        return None
    matrix, target = np.array(basis).T, np.array(function)
    weights = np.round(2 * np.linalg.lstsq(matrix, target, rcond=None)[0]) / 2
    return weights if np.array_equal(matrix @ weights, target) else None
