"""Position relations: those of the usual encodings, and the ideal one read off a circuit's gates.

A relation ``phi(query, key, scale)`` is the only thing a table-based encoding can tell about a pair
of positions. The ideal relation names the slot that the key fills for the gate at the query, and
gives one common value, 0, to every irrelevant key (Chen, Liang and Lin 2025, arXiv 2510.04130; the
construction from gates is our reconstruction, consistent with the paper).
"""

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

import numpy as np

from lengthwise.relations.formulas import SlotFormula, fit_formulas
from lengthwise.relations.gates import (
    ABSENT,
    CircuitFamily,
    IntArray,
    Relation,
    Wiring,
    slot_offsets,
    wiring_of,
)


def absolute(query: Any, key: Any, scale: Any = None) -> IntArray:
    """Return a value of its own for every pair of positions (APE)."""
    return np.asarray(query, dtype=np.int64) * (1 << 31) + np.asarray(key)


def relative(query: Any, key: Any, scale: Any = None) -> IntArray:
    """Return the distance ``query - key`` (RPE, unclipped)."""
    return np.asarray(query, dtype=np.int64) - np.asarray(key)


def constant(query: Any, key: Any, scale: Any = None) -> IntArray:
    """Return the same value for every pair (NoPE)."""
    return relative(query, key) * 0


RELATIONS: Mapping[str, Relation] = {"ape": absolute, "rpe": relative, "nope": constant}
"""Relations that do not depend on the task, by the name of their encoding."""


def ideal_table(family: CircuitFamily, scale: int, *, null: bool = True) -> IntArray:
    """Return the ideal relation of one scale as a table ``[query - 1, key - 1]``, from the gates.

    Slots of several operators are numbered one after another (:func:`slot_offsets`). A token in two
    slots gets the higher one; with ``null`` position 1 gets the value of an absent argument.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> ideal_table(circuit("select-last"), 2).tolist()
        [[0, 0, 0], [0, 0, 0], [0, 1, 0]]
    """
    return _table(wiring_of(family, scale), slot_offsets(family, scale), null)


def _table(wiring: Wiring, offsets: Mapping[str, int], null: bool) -> IntArray:
    size = int(wiring.query.max(initial=0))
    table = np.zeros((size, size + 1), dtype=np.int64)
    start = np.array([offsets[name] for name in wiring.names], dtype=np.int64)[wiring.operator]
    arity = np.array(wiring.arity, dtype=np.int64)[wiring.operator]
    for slot, position in enumerate(wiring.arguments.T, 1):
        column = np.where(position != ABSENT, position - 1, 0 if null else size)
        used = arity >= slot
        table[wiring.query[used] - 1, column[used]] = start[used] + slot
    return table[:, :size]


class IdealRelation:
    """The ideal relation of any circuit family as a vectorised ``phi(query, key, scale)``.

    Built from the gates, one cached table per scale; pairs outside a table have value 0. This is
    what gives a user's own task its ideal encoding.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> phi = IdealRelation(circuit("select-first"))
        >>> phi(4, np.arange(1, 5), 3).tolist()
        [1, 0, 0, 0]
    """

    uses_scale = True
    """Tables are per scale, so every call needs one."""

    def __init__(self, family: CircuitFamily, *, null: bool = True) -> None:
        self.family = family
        self.null = null
        self.table = lru_cache(maxsize=256)(partial(ideal_table, family, null=null))

    def __call__(self, query: Any, key: Any, scale: Any) -> IntArray:
        """Return the slot that ``key`` fills at ``query``, else 0; all three broadcast."""
        query, key, scale = np.broadcast_arrays(
            *(np.asarray(part, dtype=np.int64) for part in (query, key, scale))
        )
        value = np.zeros(query.shape, dtype=np.int64)
        for size in np.unique(scale).tolist():
            table = self.table(size)
            here = (scale == size) & (query >= 1) & (query <= len(table))
            here &= (key >= 1) & (key <= len(table))
            value[here] = table[query[here] - 1, key[here] - 1]
        return value


def ideal_relation(family: CircuitFamily) -> Relation:
    """Return the family's closed formula if it has one, else its relation read off the gates.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> ideal_relation(circuit("copy", reference=4))(8, 2, 1).tolist()
        1
    """
    return getattr(family, "relation", None) or IdealRelation(family)


def relation_formulas(family: CircuitFamily, scales: range) -> tuple[SlotFormula | None, ...]:
    """Return one formula per slot: declared ones, else fitted to the gates at ``scales``.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> str(relation_formulas(circuit("division"), range(1, 4))[1])
        'j = W + 3'
    """
    declared = getattr(family, "formulas", None)
    return declared() if declared is not None else fit_formulas(family, scales)
