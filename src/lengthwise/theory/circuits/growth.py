"""Growth tables and printed relations: circuits as rows for people and for programs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.core.registry import load_from_file
from lengthwise.relations.formulas import SlotFormula
from lengthwise.relations.gates import CircuitFamily, IntArray, Relation, SampledFamily
from lengthwise.relations.relation import ideal_relation, ideal_table, relation_formulas
from lengthwise.theory.circuits.checks import truth_tables
from lengthwise.theory.circuits.src import Circuits, SrcVerdict, src_verdict

CHECKED_INSTANCES = 200
"""Drawn per scale when truth tables are checked."""


def load_relation(name: str) -> Relation | str:
    """Return a relation's name as it is, or the function that ``file.py:name`` points to."""
    if ".py:" not in name:
        return name
    relation: Any = load_from_file(name, "relation")
    if not callable(relation):
        raise InputError(f"relation {name!r}: not a function phi(query, key, scale).")

    def guarded(query: Any, key: Any, scale: Any) -> IntArray:
        try:
            value = np.asarray(relation(query, key, scale), dtype=np.int64)
            return np.broadcast_to(value, np.broadcast_shapes(*map(np.shape, (query, key, scale))))
        except (TypeError, ValueError, IndexError, KeyError) as error:
            raise InputError(
                f"relation {name!r}: phi(query, key, scale) must take arrays and return whole "
                f"numbers; it raised {type(error).__name__}: {error}"
            ) from error

    guarded.__name__ = name.rpartition(":")[2]
    return guarded


def growth(
    family: CircuitFamily, relations: Sequence[str], *, train_scale: int = 5, scale: int = 20
) -> list[SrcVerdict]:
    """Return the verdict for each relation, after checking that the gates describe a function.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> [verdict.answer for verdict in growth(circuit("shift"), ["ape", "rpe", "ipe"])]
        ['no', 'no', 'yes']
    """
    check_function(family, train_scale)
    circuits = Circuits.upto(family, scale)
    return [
        src_verdict(
            family, load_relation(name), train_scale=train_scale, scale=scale, circuits=circuits
        )
        for name in relations
    ]


def check_function(family: CircuitFamily, scale: int) -> bool:
    """Refuse conflicting truth tables up to ``scale``; return False if there are no instances."""
    if not isinstance(family, SampledFamily):
        return False
    truth_tables(family, range(1, scale + 1), np.random.default_rng(0), CHECKED_INSTANCES)
    return True


def verdict_row(verdict: SrcVerdict, scales: Sequence[int]) -> dict[str, Any]:
    """Return a verdict as one row of the growth table."""
    return {
        "task": verdict.task,
        "relation": verdict.relation,
        **{f"SRC({n})": int(verdict.src[n - 1]) for n in scales},
        "grows": "no" if verdict.invariant else "yes",
        "tells arguments apart": "yes" if verdict.separates and verdict.injective else "no",
        "generalizes (conjecture)": verdict.answer,
    }


@dataclass(frozen=True)
class RelationReport:
    """The ideal relation of a task: formulas, one scale's table, and whether it needs the scale."""

    task: str
    scale: int
    formulas: tuple[SlotFormula | None, ...]
    table: IntArray
    uses_scale: bool

    def lines(self) -> list[str]:
        """Return one readable line per slot."""
        return [
            f"phi(i, j) = {slot}  iff  {formula if formula else 'see the table (no formula found)'}"
            for slot, formula in enumerate(self.formulas, 1)
        ]

    def plain(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "task": self.task,
            "scale": self.scale,
            "uses_scale": self.uses_scale,
            "formulas": [formula and str(formula) for formula in self.formulas],
            "table": self.table.tolist(),
        }


def relation_report(family: CircuitFamily, scale: int = 3) -> RelationReport:
    """Return the ideal relation of ``family``, with its table at one scale.

    Formulas of a user's gates are fitted at scales up to ``max(scale, 12)``. The relation needs the
    scale if two scales disagree on a pair of positions.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> print("\\n".join(relation_report(circuit("parity")).lines()))
        phi(i, j) = 1  iff  j = i - W
        phi(i, j) = 2  iff  j = i
    """
    formulas = relation_formulas(family, range(1, max(scale, 12) + 1))
    return RelationReport(
        task=family.name,
        scale=scale,
        formulas=formulas,
        table=ideal_table(family, scale),
        uses_scale=_needs_scale(family, max(scale, 6)),
    )


def relation_tables(family: CircuitFamily, scale: int) -> tuple[IntArray, list[int] | None]:
    """Return the relation as tables that the encodings ``ipe`` and ``ipe-sh`` read from a file.

    One table ``(T, T)`` if the relation does not need the scale, else one for each scale up to
    ``scale`` as ``(S, T, T)`` and the list of scales.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> relation_tables(circuit("select-last"), 3)[0].tolist()[2:]
        [[0, 1, 0, 0], [0, 0, 1, 0]]
    """
    scales = list(range(1, scale + 1))
    tables = [ideal_table(family, size) for size in scales]
    longest = max(len(table) for table in tables)
    stacked = np.stack([np.pad(table, (0, longest - len(table))) for table in tables])
    if _needs_scale(family, scale):
        return stacked, scales
    return stacked.max(axis=0), None


def _needs_scale(family: CircuitFamily, scale: int) -> bool:
    declared = getattr(family, "uses_scale", None)
    if declared is not None:
        return bool(declared)
    phi = ideal_relation(family)
    known: dict[int, list[int]] = {}
    for size in range(1, scale + 1):
        for query in sorted({gate.query for gate in family.gates(size)}):
            row = np.asarray(phi(query, np.arange(1, query + 1), size)).tolist()
            if known.setdefault(query, row) != row:
                return True
    return False
