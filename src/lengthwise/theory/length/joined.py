"""Programs joined from two parts that are right together on short words, and wrong later.

A conjunction that agrees with f up to a length consists of two programs that hold on all of f
there, and whose mistakes there have no word in common; for a disjunction, turn everything round.
Parts come from the enumeration on a bank of words, so rivals may be twice as large as what is
enumerated; what the bank does not tell apart is seen once, so this finds some and not all.
"""

from collections.abc import Iterator

import numpy as np

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.crasp.bank import Bank
from lengthwise.crasp.candidates import Candidates, SearchSpace, Shelf
from lengthwise.crasp.syntax import And, Bool, Or

PARTS = 1_500
"""Parts on one side of f that are joined, the smallest first."""
JOIN, PLACE = 1e-7, 4e-5
"""Seconds for each part and for each that is joined, about."""
FOUND = 40
"""Joined programs of one length that are looked at."""


def joined_rivals(
    bank: Bank, labels: np.ndarray, largest: int, positions: bool, limits: Limits
) -> Iterator[Bool]:
    """Yield single and joined programs that agree with the labels to some length, longest last.

    They are not larger than ``largest``; some may be f itself.
    """
    space = SearchSpace(
        size=largest, constant=3, periods=(2, 3, 4) if positions else (), window=2 * positions
    )
    candidates = Candidates(bank, space, limits.part(0.5))
    try:
        while candidates.size < largest:
            candidates.grow()
    except LimitReachedError:
        pass
    shelf = candidates.bools
    if not shelf.values:
        return
    order = np.argsort(shelf.sizes, kind="stable")
    parts = _Parts(shelf, order, bank, labels, largest)

    def built(row: int) -> Bool:
        return candidates.expression(int(order[row]))

    yield from map(built, parts.latest())
    for kind in (And, Or):
        for one, two in parts.pairs(kind, limits):
            yield kind(built(one), built(two))


class _Parts:
    """All candidates, smallest first, with their values on the bank."""

    def __init__(
        self, shelf: Shelf, order: np.ndarray, bank: Bank, labels: np.ndarray, largest: int
    ) -> None:
        self.bank, self.labels, self.largest = bank, labels, largest
        self.sizes = np.array(shelf.sizes)[order]
        packed = np.stack(shelf.values)[order]
        self.values = np.unpackbits(packed, axis=1, count=bank.size).astype(bool)

    def latest(self) -> list[int]:
        """Return the candidates that are wrong last."""
        wrong = self.values != self.labels
        first = np.where(wrong.any(axis=1), wrong.argmax(axis=1), self.bank.size)
        return [int(row) for row in np.argsort(first, kind="stable")[-3:]]

    def pairs(self, kind: type[And | Or], limits: Limits) -> list[tuple[int, int]]:
        """Return pairs that are right on the whole bank, and others that are right longest."""
        side = self.values if kind is And else ~self.values
        wanted = self.labels if kind is And else ~self.labels
        found: list[tuple[int, int]] = []
        for level in range(len(self.bank.levels) - 1, 0, -1):
            limits.check("the joining of programs")
            end = self.bank.levels[level].stop
            limits.spend(JOIN * len(self.sizes) + PLACE * PARTS)
            right = self._right_to(side, wanted, end)
            same = {pair for pair in right if (side[pair[0]] & side[pair[1]] == wanted).all()}
            others = [pair for pair in right if pair not in same]
            if not found:
                found = sorted(same)[:FOUND]
            if others:
                return found + others[:FOUND]
        return found

    def _right_to(self, side: np.ndarray, wanted: np.ndarray, end: int) -> list[tuple[int, int]]:
        """Return pairs whose conjunction is what is wanted up to a row, the smallest first."""
        inside, outside = np.flatnonzero(wanted[:end]), np.flatnonzero(~wanted[:end])
        holds = np.flatnonzero(side[:, inside].all(axis=1))[:PARTS]
        mistakes = np.packbits(side[np.ix_(holds, outside)], axis=1)
        sizes = self.sizes[holds]
        found: list[tuple[int, int, int]] = []
        for place in range(len(holds)):
            apart = ~(mistakes[place:] & mistakes[place]).any(axis=1)
            total = sizes[place] + sizes[place:] + 1
            for other in np.flatnonzero(apart & (total <= self.largest)) + place:
                size = int(sizes[place] + sizes[other] + 1)
                found.append((size, int(holds[place]), int(holds[other])))
            if len(found) > 20 * FOUND:
                break
        return [(one, two) for _, one, two in sorted(found)]
