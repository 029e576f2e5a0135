"""A user's own task given as gates: made to look like the built-in families, and checked."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.relations.gates import CircuitFamily, Gate, IntArray


def user_family(value: Any, reference: str) -> CircuitFamily:
    """Return ``value`` (a class, an instance, or a function ``gates(scale)``) as a family.

    The user supplies ``gates(scale)`` and, for the truth-table checks, ``sample(scale, rng)``
    returning one whole sequence of tokens (any hashable values); or a task whose ``circuit`` is
    such a value.

    Example:
        >>> def echo(scale):
        ...     return [Gate(scale + t - 1, "copy", (t,)) for t in range(1, scale + 1)]
        >>> user_family(echo, "mine.py:echo").gates(1)
        [Gate(query=1, operator='copy', arguments=(1,))]
    """
    value = value() if isinstance(value, type) else value
    value = getattr(value, "circuit", None) or value
    gates = getattr(value, "gates", value)
    if not callable(gates):
        raise InputError(
            f"circuit {reference!r}: needs a method gates(scale) returning a list of Gate."
        )
    name = str(getattr(value, "name", reference.rpartition(":")[2]))
    draw = getattr(value, "sample", None)
    symmetric = tuple(tuple(group) for group in getattr(value, "symmetric", ()))
    kind = _GateFamily if draw is None else _DrawnFamily
    return kind(name, gates, draw, symmetric)


class _GateFamily:
    """Gates only: complexity and relation can be computed, truth tables cannot."""

    def __init__(
        self, name: str, gates: Any, draw: Any, symmetric: tuple[tuple[int, ...], ...]
    ) -> None:
        self.name = name
        self.symmetric = symmetric
        self._gates = gates
        self._draw = draw
        self._codes: dict[Any, int] = {}

    def gates(self, scale: int) -> Sequence[Gate]:
        """Return the user's gates at ``scale``."""
        gates = _guarded(f"{self.name}: gates({scale})", self._gates, scale)
        if not isinstance(gates, Sequence):
            raise InputError(f"{self.name}: gates({scale}) returned {gates!r}; a list is needed.")
        return gates


class _DrawnFamily(_GateFamily):
    """Gates and instances."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Return the tokens met so far, in code order."""
        return tuple(str(token) for token in self._codes)

    def sample(self, scale: int, rng: np.random.Generator, count: int) -> IntArray:
        """Draw ``count`` sequences; tokens are numbered in the order they are met."""
        what = f"{self.name}: sample({scale}, rng)"
        rows = [list(_guarded(what, self._draw, scale, rng)) for _ in range(count)]
        lengths = {len(row) for row in rows}
        if len(lengths) > 1:
            raise InputError(
                f"{self.name}: sequences of scale {scale} have lengths "
                f"{sorted(lengths)}; positions may depend on the scale only."
            )
        codes = [[self._codes.setdefault(token, len(self._codes)) for token in r] for r in rows]
        return np.array(codes, dtype=np.int64)


def _guarded(what: str, function: Any, *arguments: Any) -> Any:
    """Call the user's function; what it raises is said in one line."""
    try:
        return function(*arguments)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{what} raised {type(error).__name__}: {error}") from error
