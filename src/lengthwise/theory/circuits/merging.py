"""Merge operators whose truth tables never disagree: fewer operators, the same circuit.

Two operators of equal arity are one if no common row gives them different outputs. A group can be
merged exactly if its members agree pairwise, so the least number of operators is the chromatic
number of the disagreement graph; greedy merging finds it on all tasks here (our procedure, after
Chen, Liang and Lin 2025, arXiv 2510.04130, whose own is not known to us).
"""

from collections.abc import Mapping

import numpy as np

from lengthwise.relations.gates import CircuitFamily, IntArray
from lengthwise.theory.circuits.checks import TruthTable, truth_tables


def merge_operators(tables: Mapping[str, TruthTable]) -> list[list[str]]:
    """Group operators greedily, each into the first group that it does not contradict.

    Example:
        >>> merge_operators({"a": {(0,): 1}, "b": {(1,): 0}, "c": {(0,): 0}})
        [['a', 'b'], ['c']]
    """
    groups: list[list[str]] = []
    merged: list[TruthTable] = []
    for name, table in tables.items():
        for group, union in zip(groups, merged, strict=True):
            if _compatible(table, union):
                group.append(name)
                union.update(table)
                break
        else:
            groups.append([name])
            merged.append(dict(table))
    return groups


def _compatible(table: TruthTable, union: TruthTable) -> bool:
    if table and union and len(next(iter(table))) != len(next(iter(union))):
        return False
    return all(union.get(row, output) == output for row, output in table.items())


def merged_src(family: CircuitFamily, scale: int, *, seed: int = 0, count: int = 200) -> IntArray:
    """Return the number of operators left after merging, for all scales up to ``1 .. scale``.

    Example:
        Direct parity needs one more operator per scale; a digit and a carry operator never merge.

        >>> from lengthwise.relations.library import circuit
        >>> merged_src(circuit("parity-direct"), 4).tolist()
        [1, 2, 3, 4]
        >>> merged_src(circuit("addition-carry"), 4).tolist()
        [2, 2, 2, 2]
    """
    rng = np.random.default_rng(seed)
    tables: dict[str, TruthTable] = {}
    sizes = []
    for size in range(1, scale + 1):
        for name, table in truth_tables(family, [size], rng, count).items():
            tables.setdefault(name, {}).update(table)
        sizes.append(len(merge_operators(tables)))
    return np.array(sizes, dtype=np.int64)
