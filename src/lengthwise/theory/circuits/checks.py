"""Is a relation fit for a circuit, and do the gates describe a function? Four checks.

Separation and injectivity look at positions only. Functionality and coverage look at drawn
instances: does a row of slot symbols always give the same output, and are the rows of long
instances met in training? (Our reconstruction around Chen, Liang and Lin 2025, arXiv 2510.04130.)
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.relations.gates import (
    ABSENT,
    CircuitFamily,
    IntArray,
    Relation,
    SampledFamily,
    wiring_of,
)

Row = tuple[int, ...]
TruthTable = dict[Row, int]
"""Output by slot symbols; ``MISSING`` is the symbol of an absent argument."""

MISSING = -1


@dataclass(frozen=True)
class Clash:
    """One place where a relation confuses positions ``first`` and ``second`` at ``query``."""

    scale: int
    query: int
    slot: int
    first: int
    second: int


def separation(family: CircuitFamily, relation: Relation, scale: int) -> list[Clash]:
    """Return where an irrelevant key shares the value of an argument, at scales up to ``scale``.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> from lengthwise.relations.relation import constant, relative
        >>> parity = circuit("parity", layout="unaligned")
        >>> separation(parity, relative, 3)
        []
        >>> separation(parity, constant, 1)[0]
        Clash(scale=1, query=3, slot=1, first=2, second=1)
    """
    return [clash for size in range(1, scale + 1) for clash in _unseparated(family, relation, size)]


def _unseparated(family: CircuitFamily, relation: Relation, scale: int) -> list[Clash]:
    wiring = wiring_of(family, scale)
    clashes = []
    for query, arguments in zip(wiring.query.tolist(), wiring.arguments, strict=True):
        keys = np.arange(1, query + 1)
        values = np.broadcast_to(relation(query, keys, scale), keys.shape)
        irrelevant = ~np.isin(keys, arguments)
        for slot, position in enumerate(arguments.tolist(), 1):
            if position == ABSENT:
                continue
            same = keys[irrelevant & (values == values[position - 1])]
            clashes += [Clash(scale, query, slot, position, int(key)) for key in same[:1]]
    return clashes


def injectivity(family: CircuitFamily, relation: Relation, scale: int) -> list[Clash]:
    """Return where two slots of one gate, at different positions, share a value.

    Slots that the family declares ``symmetric`` may share one.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> from lengthwise.relations.relation import constant
        >>> injectivity(circuit("parity", layout="unaligned"), constant, 1)
        [Clash(scale=1, query=3, slot=1, first=2, second=3)]
    """
    groups = getattr(family, "symmetric", ())
    clashes = []
    for size in range(1, scale + 1):
        wiring = wiring_of(family, size)
        for query, arguments in zip(wiring.query.tolist(), wiring.arguments, strict=True):
            values = np.broadcast_to(relation(query, arguments, size), arguments.shape)
            clashes += _shared(size, query, arguments.tolist(), values.tolist(), groups)
    return clashes


def _shared(
    scale: int,
    query: int,
    arguments: list[int],
    values: list[int],
    groups: Sequence[Sequence[int]],
) -> list[Clash]:
    seen: dict[int, list[tuple[int, int]]] = {}
    for slot, (position, value) in enumerate(zip(arguments, values, strict=True), 1):
        if position != ABSENT:
            seen.setdefault(value, []).append((slot, position))
    return [
        Clash(scale, query, slot, first, second)
        for members in seen.values()
        for (slot, first), (other, second) in combinations(members, 2)
        if first != second and not any(slot in g and other in g for g in groups)
    ]


def truth_tables(
    family: CircuitFamily,
    scales: Iterable[int],
    rng: np.random.Generator,
    count: int = 200,
) -> dict[str, TruthTable]:
    """Collect the operators' rows over drawn instances, refusing two outputs for one row.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> parity = circuit("parity", layout="unaligned")
        >>> len(truth_tables(parity, range(1, 5), np.random.default_rng(0))["parity"])
        8
    """
    tables: dict[str, TruthTable] = {}
    for scale in scales:
        for name, rows, outputs in gate_rows(family, scale, rng, count):
            table = tables.setdefault(name, {})
            for row, output in zip(rows, outputs, strict=True):
                if table.setdefault(row, output) != output:
                    raise _conflict(family, name, scale, row, (table[row], output))
    return tables


def gate_rows(
    family: CircuitFamily,
    scale: int,
    rng: np.random.Generator,
    count: int,
    *,
    distinct: bool = True,
) -> list[tuple[str, list[Row], list[int]]]:
    """Return per operator the rows and outputs of ``count`` drawn instances, ``distinct`` ones.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> copy = circuit("copy", layout="unaligned")
        >>> [(name, rows, _)] = gate_rows(copy, 1, np.random.default_rng(0), 1)
        >>> name, len(rows)
        ('copy', 2)
    """
    wiring = wiring_of(family, scale)
    tokens = _drawn(family, scale, rng, count, int(wiring.query.max()))
    padded = np.pad(tokens, ((0, 0), (1, 0)), constant_values=MISSING)
    found = []
    for number, name in enumerate(wiring.names):
        mine = wiring.operator == number
        arguments = wiring.arguments[mine]
        arity = wiring.arity[number]
        rows = padded[:, arguments[:, :arity]]
        outputs = padded[:, wiring.query[mine] + 1]
        pairs = np.concatenate([rows, outputs[..., None]], axis=-1).reshape(-1, arity + 1)
        pairs = np.unique(pairs, axis=0) if distinct else pairs
        found.append((name, [tuple(row) for row in pairs[:, :-1].tolist()], pairs[:, -1].tolist()))
    return found


def _drawn(
    family: CircuitFamily, scale: int, rng: np.random.Generator, count: int, last: int
) -> IntArray:
    if not isinstance(family, SampledFamily):
        raise InputError(
            f"{family.name}: truth tables need instances; add a method sample(scale, rng)."
        )
    tokens = np.asarray(family.sample(scale, rng, count))
    if tokens.shape[1] <= last:
        raise InputError(
            f"{family.name}, scale {scale}: sequences have {tokens.shape[1]} tokens, but a gate "
            f"writes token {last + 1}."
        )
    return tokens


def _conflict(
    family: CircuitFamily, name: str, scale: int, row: Row, outputs: tuple[int, int]
) -> InputError:
    known = getattr(family, "vocabulary", ())
    spell = [known[code] if 0 <= code < len(known) else "absent" for code in (*row, *outputs)]
    slots = ", ".join(f"slot {number} = {token}" for number, token in enumerate(spell[:-2], 1))
    return InputError(
        f"{family.name}: conflicting truth table of operator {name!r} at scale {scale}: {slots} "
        f"gives both {spell[-2]} and {spell[-1]}; an argument is missing from its gates."
    )


@dataclass(frozen=True)
class Coverage:
    """How much of the truth tables training meets.

    ``rows_seen`` in training; ``unseen`` is the share of ``test_gates`` whose row is not one.
    """

    rows_seen: int
    test_gates: int
    unseen: float


def coverage(
    family: CircuitFamily,
    *,
    train_scale: int = 5,
    scale: int = 20,
    samples: int = 10_000,
    tests: int = 1_000,
    seed: int = 0,
) -> Coverage:
    """Return which share of the gates at ``scale`` has a row never met in training.

    Training draws ``samples`` instances with scales uniform on ``1 .. train_scale``. A share above
    0 means that the network must generalize inside the truth table too.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> coverage(circuit("parity", layout="unaligned"), samples=500, tests=20).unseen
        0.0
    """
    rng = np.random.default_rng(seed)
    drawn = np.bincount(rng.integers(1, train_scale + 1, samples), minlength=train_scale + 1)
    seen: set[tuple[str, Row]] = set()
    for size in range(1, train_scale + 1):
        for name, rows, _ in gate_rows(family, size, rng, int(drawn[size])):
            seen.update((name, row) for row in rows)
    tested = [
        (name, row)
        for name, rows, _ in gate_rows(family, scale, rng, tests, distinct=False)
        for row in rows
    ]
    return Coverage(len(seen), len(tested), sum(row not in seen for row in tested) / len(tested))
