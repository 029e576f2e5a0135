"""Gates and wirings: a step-by-step computation as operators applied to earlier positions.

A task writes its outputs one token at a time. Token ``query + 1`` is produced by one gate: an
operator applied to tokens at positions ``<= query``. Positions count from 1; an argument may be
absent, and "absent" is then one more symbol the operator can read.

Chen, Liang and Lin (2025, arXiv 2510.04130), Definition 4. The definition's name, its examples and
the word "operator" are the paper's; the formal text here is our reconstruction.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from lengthwise.core.errors import InputError

IntArray = npt.NDArray[np.int64]
"""Whole numbers; positions count from 1 and 0 stands for an absent argument."""

ABSENT = 0
"""The position of an argument that is not there."""

Relation = Callable[[Any, Any, Any], IntArray]
"""``phi(query, key, scale)``, broadcasting like a numpy function; 0 means irrelevant."""


@dataclass(frozen=True)
class Gate:
    """One step: the operator that turns tokens at ``arguments`` into token ``query + 1``.

    Slot ``s`` is ``arguments[s - 1]``; ``None`` marks an absent argument.

    Example:
        Parity of ``< 1 0 = 1 1 >`` with steps: the second output is ``x_2 XOR s_1``.

        >>> Gate(query=5, operator="xor", arguments=(3, 5))
        Gate(query=5, operator='xor', arguments=(3, 5))
    """

    query: int
    operator: str
    arguments: tuple[int | None, ...]


@runtime_checkable
class CircuitFamily(Protocol):
    """A task as one list of gates per scale; all this package asks of a user's own task.

    ``gates`` may not depend on the drawn symbols. A family that can also draw instances has
    ``sample(scale, rng, count)`` (see :class:`SampledFamily`).

    Example:
        >>> class Echo:
        ...     name = "echo"
        ...
        ...     def gates(self, scale):
        ...         return [Gate(scale + t - 1, "copy", (t,)) for t in range(1, scale + 1)]
        >>> wiring_of(Echo(), 2).arguments.tolist()
        [[1], [2]]
    """

    @property
    def name(self) -> str:
        """Return what the task is called."""
        ...

    def gates(self, scale: int) -> Sequence[Gate]:
        """Return the gates of every output token of an instance of size ``scale``."""
        ...


@runtime_checkable
class SampledFamily(CircuitFamily, Protocol):
    """A circuit family that also draws instances, so that its truth tables can be checked."""

    def sample(self, scale: int, rng: np.random.Generator, count: int) -> npt.ArrayLike:
        """Return ``count`` whole sequences as an array ``(count, length)`` of token codes."""
        ...


@dataclass(frozen=True)
class Wiring:
    """All gates of one scale as arrays: ``query (G,)``, ``operator (G,)``, ``arguments (G, S)``.

    ``operator`` holds indices into ``names`` and ``arity``. ``active`` marks the gates that count
    for the sequential representation complexity (all, except where a layout fills in defaults).
    """

    scale: int
    query: IntArray
    operator: IntArray
    arguments: IntArray
    names: tuple[str, ...]
    arity: tuple[int, ...]
    active: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.query)


def wiring_of(family: CircuitFamily, scale: int) -> Wiring:
    """Return the arrays of ``family`` at ``scale``, refusing gates that cannot be computed.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> wiring_of(circuit("parity", layout="unaligned"), 2).arguments.tolist()
        [[2, 4], [3, 5], [0, 6]]
    """
    fast = getattr(family, "wiring", None)
    if fast is not None:
        return fast(scale)
    gates = list(family.gates(scale))
    for number, gate in enumerate(gates, 1):
        _check_gate(family.name, scale, number, gate)
    return _stack(scale, gates)


def _check_gate(name: str, scale: int, number: int, gate: Gate) -> None:
    if not isinstance(gate, Gate):
        raise InputError(f"{name}, scale {scale}: gate {number} is {gate!r}; a Gate is needed.")
    where = f"{name}, scale {scale}, gate {number} ({gate.operator})"
    for position in (gate.query, *gate.arguments):
        if not isinstance(position, int | np.integer | None):
            raise InputError(f"{where}: position {position!r} is not a whole number.")
    if gate.query < 1:
        raise InputError(f"{where}: query position {gate.query}; positions count from 1.")
    for slot, position in enumerate(gate.arguments, 1):
        if position is None:
            continue
        if position > gate.query:
            raise InputError(
                f"{where}: slot {slot} looks at position {position}, after its query position "
                f"{gate.query}; arguments must be at positions 1 to {gate.query}."
            )
        if position < 1:
            raise InputError(
                f"{where}: slot {slot} is position {position}; positions count from 1 and an "
                "absent argument is None."
            )


def _stack(scale: int, gates: Sequence[Gate]) -> Wiring:
    names = tuple(dict.fromkeys(gate.operator for gate in gates))
    number = {name: index for index, name in enumerate(names)}
    arity = dict.fromkeys(names, 0)
    for gate in gates:
        arity[gate.operator] = max(arity[gate.operator], len(gate.arguments))
    width = max(arity.values(), default=0)
    arguments = np.full((len(gates), width), ABSENT, dtype=np.int64)
    for row, gate in enumerate(gates):
        arguments[row, : len(gate.arguments)] = [p or ABSENT for p in gate.arguments]
    return Wiring(
        scale=scale,
        query=np.array([gate.query for gate in gates], dtype=np.int64),
        operator=np.array([number[gate.operator] for gate in gates], dtype=np.int64),
        arguments=arguments,
        names=names,
        arity=tuple(arity[name] for name in names),
        active=np.ones(len(gates), dtype=bool),
    )


def slot_offsets(family: CircuitFamily, scale: int) -> dict[str, int]:
    """Return where each operator's slots start when all operators are numbered one after another.

    Operators come in the order in which they first appear at scales ``1 .. scale``, so that a slot
    keeps its number at larger scales as long as no operator's arity grows.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> slot_offsets(circuit("addition-carry"), 2)
        {'digit': 0, 'carry': 3}
    """
    arity: dict[str, int] = {}
    for size in range(1, scale + 1):
        wiring = wiring_of(family, size)
        for name, count in zip(wiring.names, wiring.arity, strict=True):
            arity[name] = max(arity.get(name, 0), count)
    starts = np.cumsum([0, *arity.values()])[:-1].tolist()
    return dict(zip(arity, starts, strict=True))
