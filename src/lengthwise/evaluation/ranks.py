"""Mean reciprocal rank: how encodings order over many tasks and seeds.

Kazemnejad et al. (2023) rank the encodings in every cell (task, seed) by accuracy on unseen lengths
and average 1/rank over cells; a cell in which any encoding is missing is dropped. Their released
code breaks ties by the order of rows, which matters: several encodings have accuracy 0 exactly.
Average ranks are the fair alternative.
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal, NamedTuple, TypeVar

from lengthwise.core.errors import InputError, unknown
from lengthwise.records.accuracy import pool
from lengthwise.records.result import RunResult

Ties = Literal["fair", "published"]
TIES: tuple[Ties, ...] = ("fair", "published")

Key = TypeVar("Key", bound=Hashable)
Table = Mapping[Key, Mapping[str, float]]
"""Cell to the score of every encoding in it; larger scores are better."""


class Cell(NamedTuple):
    """Runs that differ in their encoding alone."""

    task: str
    seed: int
    rest: str
    """Identifies everything else: model, training and test lengths."""


def ranks(scores: Sequence[float], ties: Ties = "fair") -> list[float]:
    """Rank scores from the largest (1) down.

    Equal scores share the mean of their ranks, or with ``published`` are ranked as they stand.

    Example:
        >>> ranks([0.0, 0.9, 0.0])
        [2.5, 1.0, 2.5]
        >>> ranks([0.0, 0.9, 0.0], "published")
        [2.0, 1.0, 3.0]
    """
    if ties not in TIES:
        raise unknown("ties", ties, TIES)
    order = sorted(range(len(scores)), key=lambda number: -scores[number])
    place = {number: float(rank) for rank, number in enumerate(order, 1)}
    if ties == "published":
        return [place[number] for number in range(len(scores))]
    groups: dict[float, list[float]] = {}
    for number, score in enumerate(scores):
        groups.setdefault(score, []).append(place[number])
    return [fmean(groups[score]) for score in scores]


def reciprocal_ranks(
    table: Table[Key], ties: Ties = "fair", encodings: Sequence[str] | None = None
) -> dict[str, float]:
    """Return the mean of 1/rank of every encoding over the complete cells, largest first.

    ``encodings`` restricts the comparison, and its order is what ``published`` breaks ties by; the
    default is the order of first appearance. A score that is not a number counts as missing.

    Example:
        >>> table = {("copy", 0): {"nope": 1.0, "rope": 0.0, "ape": 0.0},
        ...          ("sort", 0): {"nope": 0.2, "rope": 0.5}}
        >>> reciprocal_ranks(table)
        {'nope': 1.0, 'rope': 0.4, 'ape': 0.4}
        >>> reciprocal_ranks(table, "published")
        {'nope': 1.0, 'rope': 0.5, 'ape': 0.3333333333333333}
    """
    names = list(encodings) if encodings else list(appearance(table))
    cells = complete(table, names)
    if not cells:
        raise InputError(
            f"ranks: no cell has a score for all of {', '.join(names) or 'nothing'}; "
            "choose encodings that were measured on the same tasks and seeds."
        )
    found = [ranks([table[cell][name] for name in names], ties) for cell in cells]
    means = {name: fmean(1 / rank[i] for rank in found) for i, name in enumerate(names)}
    return dict(sorted(means.items(), key=lambda entry: -entry[1]))


def appearance(table: Table[Key]) -> dict[str, int]:
    """Return the encodings in order of first appearance, with the number of cells that have them.

    Example:
        >>> appearance({1: {"rope": 0.1}, 2: {"nope": 0.5, "rope": 0.2}})
        {'rope': 2, 'nope': 1}
    """
    counts: dict[str, int] = {}
    for row in table.values():
        for name, score in row.items():
            counts[name] = counts.get(name, 0) + (not math.isnan(score))
    return counts


def complete(table: Table[Key], encodings: Iterable[str]) -> list[Key]:
    """List the cells with a score for every one of the encodings."""
    names = list(encodings)
    return [
        cell
        for cell, row in table.items()
        if names and all(not math.isnan(row.get(name, math.nan)) for name in names)
    ]


def rank_table(results: Iterable[RunResult]) -> dict[Cell, dict[str, float]]:
    """Arrange finished runs in cells, scored by accuracy over all lengths beyond training.

    Runs are in one cell if only their encoding differs. Runs without a test range are left out.
    """
    table: dict[Cell, dict[str, float]] = {}
    for result in results:
        spec, beyond = result.spec, pool(result.bins[1:])
        if beyond.lengths:
            rest = spec.model_copy(update={"position": spec.task, "seed": 0}).id
            row = table.setdefault(Cell(str(spec.task), spec.seed, rest), {})
            row[str(spec.position)] = beyond.accuracy
    return table


@dataclass(frozen=True)
class RankReport:
    """Mean reciprocal ranks in both ways of handling ties."""

    table: dict[Cell, dict[str, float]]
    fair: dict[str, float]
    published: dict[str, float]

    @property
    def complete(self) -> int:
        """Number of cells that count."""
        return len(complete(self.table, self.fair))

    @property
    def dropped(self) -> int:
        """Number of cells that lack an encoding."""
        return len(self.table) - self.complete

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per encoding, best first, with its mean score over the cells."""
        cells = complete(self.table, self.fair)
        return [
            {
                "encoding": name,
                "fair ties": rank,
                "published ties": self.published[name],
                "mean accuracy": fmean(self.table[cell][name] for cell in cells),
            }
            for name, rank in self.fair.items()
        ]

    def plain(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "ranks": self.rows(),
            "cells": [{**cell._asdict(), "accuracy": row} for cell, row in self.table.items()],
            "complete": self.complete,
            "dropped": self.dropped,
        }


def rank_report(
    results: Iterable[RunResult], *, task: str | None = None, encodings: Sequence[str] = ()
) -> RankReport:
    """Rank the encodings of finished runs, of one task or of all."""
    table = rank_table(results)
    if task is not None:
        table = {cell: row for cell, row in table.items() if task in (cell.task, _name(cell.task))}
    if not table:
        raise InputError("ranks: no finished run has lengths beyond the trained ones.")
    known = appearance(table)
    for name in encodings:
        if name not in known:
            raise unknown("--encoding", name, known)
    both = {ties: reciprocal_ranks(table, ties, list(encodings) or None) for ties in TIES}
    return RankReport(table, both["fair"], both["published"])


def _name(text: str) -> str:
    return text.partition(":")[0]
