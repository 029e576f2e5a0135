"""Sequential representation complexity (SRC) as a relation sees it, and the conjecture about it.

Two steps can share one learned operator only if their arguments carry the same relation values.
So, for a relation phi, count the distinct signatures ``(operator, phi of each argument)`` over all
scales up to n. The conjecture of Chen, Liang and Lin (2025, arXiv 2510.04130): length
generalization is possible if and only if SRC stays the same across scales. The name, the role and
the conjecture are the paper's; this computable form is our reconstruction, and the conjecture is
supported by experiments, not a theorem.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lengthwise.core.errors import InputError, unknown
from lengthwise.relations.gates import (
    ABSENT,
    CircuitFamily,
    IntArray,
    Relation,
    Wiring,
    wiring_of,
)
from lengthwise.relations.relation import RELATIONS, ideal_relation
from lengthwise.theory.circuits.checks import injectivity, separation

LARGEST = 30_000_000
"""Most gate arguments that one table may hold (about a gigabyte while counting)."""

IDEAL = "ipe"
"""Name of the ideal relation, in which an argument's value is its slot."""


@dataclass(frozen=True)
class Circuits:
    """The gates of every scale ``1 .. n`` in one table, so that several relations can share it."""

    scale: IntArray
    query: IntArray
    operator: IntArray
    arguments: IntArray

    @classmethod
    def upto(cls, family: CircuitFamily, scale: int) -> "Circuits":
        """Collect the active gates of all scales up to ``scale``."""
        wirings, total = [], 0
        for size in range(1, scale + 1):
            wirings.append(wiring_of(family, size))
            total += wirings[-1].arguments.size
            if total > LARGEST:
                raise InputError(
                    f"{family.name}: up to scale {size} the gates have more than {LARGEST:,} "
                    f"arguments (their arity grows); ask for a scale below {size}."
                )
        return _joined(wirings)


def _joined(wirings: list[Wiring]) -> Circuits:
    width = max(wiring.arguments.shape[1] for wiring in wirings)
    numbers: dict[str, int] = {}
    for wiring in wirings:
        for name in wiring.names:
            numbers.setdefault(name, len(numbers))
    operators, arguments = [], []
    for wiring in wirings:
        known = np.array([numbers[name] for name in wiring.names], dtype=np.int64)
        missing = width - wiring.arguments.shape[1]
        operators.append(known[wiring.operator][wiring.active])
        arguments.append(np.pad(wiring.arguments[wiring.active], ((0, 0), (0, missing))))
    return Circuits(
        scale=np.concatenate([np.full(w.active.sum(), w.scale) for w in wirings]),
        query=np.concatenate([w.query[w.active] for w in wirings]),
        operator=np.concatenate(operators),
        arguments=np.concatenate(arguments),
    )


def src_by_scale(
    family: CircuitFamily,
    relation: Relation | str,
    scale: int,
    circuits: Circuits | None = None,
) -> IntArray:
    """Return SRC_phi(1), ..., SRC_phi(scale).

    ``relation`` is a function or one of ``ape``, ``rpe``, ``nope``, ``ipe``. For ``ipe`` a token
    that fills two slots carries both values, so its signature depends only on which slots are
    absent.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> parity = circuit("parity")
        >>> src_by_scale(parity, "ape", 20)[[4, 9, 19]].tolist()
        [6, 11, 21]
        >>> src_by_scale(parity, "rpe", 20)[[4, 9, 19]].tolist()
        [1, 1, 1]
    """
    circuits = circuits or Circuits.upto(family, scale)
    present = circuits.arguments != ABSENT
    if relation == IDEAL:
        values = np.broadcast_to(np.arange(1, present.shape[1] + 1), present.shape)
    else:
        phi = _function(relation)
        size = circuits.scale[:, None]
        values = np.asarray(phi(circuits.query[:, None], circuits.arguments, size))
    first = np.iinfo(np.int64).min
    columns = [circuits.operator, *np.where(present, values, first).T]
    return _distinct_by_scale(columns, circuits.scale, scale)


def _function(relation: Relation | str) -> Relation:
    if not isinstance(relation, str):
        return relation
    if relation not in RELATIONS:
        raise unknown("encoding", relation, [*RELATIONS, IDEAL])
    return RELATIONS[relation]


def _distinct_by_scale(columns: Iterable[IntArray], scale: IntArray, largest: int) -> IntArray:
    """Count the distinct rows met up to each scale, column by column so that keys stay small."""
    key = np.zeros(len(scale), dtype=np.int64)
    for column in columns:
        _, rank = np.unique(column, return_inverse=True)
        _, key = np.unique(key * (rank.max(initial=0) + 1) + rank, return_inverse=True)
    earliest = np.full(key.max(initial=-1) + 1, largest + 1, dtype=np.int64)
    np.minimum.at(earliest, key, scale)
    return np.cumsum(np.bincount(earliest, minlength=largest + 1)[1:])


@dataclass(frozen=True)
class SrcVerdict:
    """What the conjecture says about one task under one relation; never more than a conjecture.

    ``answer`` is ``yes`` (SRC does not grow and the relation tells arguments apart), ``no`` (it
    grows), or ``undecided`` (it does not grow, but the relation does not tell arguments apart, so
    a layer would have to find them some other way).
    """

    task: str
    relation: str
    src: IntArray
    train_scale: int
    scale: int
    separates: bool
    injective: bool
    kind: str = "conjecture"

    @property
    def invariant(self) -> bool:
        """Return whether SRC is the same at the training and the test scale."""
        return bool(self.src[self.train_scale - 1] == self.src[self.scale - 1])

    @property
    def answer(self) -> str:
        """Return ``yes``, ``no`` or ``undecided``."""
        if not self.invariant:
            return "no"
        return "yes" if self.separates and self.injective else "undecided"


def src_verdict(
    family: CircuitFamily,
    relation: Relation | str,
    *,
    train_scale: int = 5,
    scale: int = 20,
    circuits: Circuits | None = None,
) -> SrcVerdict:
    """Return the conjecture's verdict for training up to ``train_scale``, testing at ``scale``.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> src_verdict(circuit("multiplication"), "rpe").answer
        'no'
        >>> src_verdict(circuit("multiplication"), "ipe").answer
        'yes'
    """
    if not 1 <= train_scale < scale:
        raise InputError(
            f"training scale {train_scale} and test scale {scale}: need 1 <= training < test."
        )
    phi = ideal_relation(family) if relation == IDEAL else _function(relation)
    name = relation if isinstance(relation, str) else getattr(relation, "__name__", "relation")
    return SrcVerdict(
        task=family.name,
        relation=name,
        src=src_by_scale(family, relation, scale, circuits),
        train_scale=train_scale,
        scale=scale,
        separates=not separation(family, phi, train_scale),
        injective=not injectivity(family, phi, train_scale),
    )
