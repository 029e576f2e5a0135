"""Decision lists over thresholds: if this number is at most that, then no; else if ...

A test is *pure* when all words that pass it have the same label. Any pure test may come first: if
some list over the same tests fits, one fits that begins with it (Rivest 1987). So tests are taken
greedily, those first that settle many words and cost little, and thresholds need no search: for a
number that members keep to 3 and below, "above 3" is the pure test.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lengthwise.core.limits import Limits
from lengthwise.crasp.embedding import all_of
from lengthwise.crasp.syntax import And, Bool, Constant, Not, Or
from lengthwise.crasp.terms import ABSENT, Quantities

MOST_TESTS = 10
SHORT = 2
"""Lists with at most so many tests are not compared with others."""
SPARE = 3
"""Tests beyond that which may turn out to be superfluous."""
ENOUGH = 0.25
"""Cases are only told apart where no test settles this share of the words that are left."""
ANY = "any"
"""The sign of a test that a case alone is."""
VALUES = 6
"""Equalities are tried with numbers up to this one."""


@dataclass(frozen=True)
class Exit:
    """All words in ``case`` with ``measure sign threshold`` have the label."""

    quantity: int
    sign: str
    threshold: int
    case: int | None
    label: bool

    def passes(self, values: np.ndarray, cases: Sequence[np.ndarray]) -> np.ndarray:
        """Which words pass."""
        row = values[self.quantity]
        found = {
            "<=": row <= self.threshold,
            ">=": row >= self.threshold,
            "==": row == self.threshold,
            "!=": row != self.threshold,
            ANY: np.ones(len(row), dtype=bool),
        }[self.sign]
        return found if self.case is None else found & cases[self.case]


@dataclass(frozen=True)
class DecisionList:
    """Tests in order; words that pass none have the last label."""

    tests: tuple[Exit, ...]
    last: bool

    def labels(self, values: np.ndarray, cases: Sequence[np.ndarray]) -> np.ndarray:
        """Return the labels that the list gives."""
        found = np.full(values.shape[1], self.last)
        for test in reversed(self.tests):
            found[test.passes(values, cases)] = test.label
        return found

    def written(self, quantities: Quantities, cases: Sequence[Bool]) -> Bool:
        """Return the list as one expression."""
        found: Bool = Constant(self.last)
        for test in reversed(self.tests):
            measure = quantities.made[test.quantity]
            if test.case is None and not test.label:
                kept = measure.test(*_otherwise(test.sign, test.threshold))
            else:
                parts = [] if test.case is None else [cases[test.case]]
                parts += [] if test.sign == ANY else [measure.test(test.sign, test.threshold)]
                kept = all_of(parts) if test.label else Not(all_of(parts))
            if found == Constant(not test.label):
                found = kept
            else:
                found = Or(kept, found) if test.label else And(kept, found)
        return found


def _otherwise(sign: str, threshold: int) -> tuple[str, int]:
    """Return the opposite comparison of whole numbers."""
    return {
        "<=": (">=", threshold + 1),
        ">=": ("<=", threshold - 1),
        "==": ("!=", threshold),
        "!=": ("==", threshold),
    }[sign]


Scored = tuple[float, int, Exit]
"""A test with its score and how many words it settles."""


def _score(item: Scored) -> float:
    return item[0]


class ListFit:
    """Looks for a list that gives all words of a bank their label."""

    def __init__(
        self,
        quantities: Quantities,
        labels: np.ndarray,
        cases: Sequence[np.ndarray],
        limits: Limits | None = None,
    ) -> None:
        self._limits, self._widest = limits or Limits(None), 0
        self._values, self._labels = quantities.matrix(), labels
        self._cases = list(cases)
        costs = [item.cost for item in quantities.made]
        self._costs = np.array(costs)
        places = [item.place for item in quantities.made]
        self._ends = np.array([place == "end" for place in places])

    def run(self, most: int = MOST_TESTS) -> DecisionList | None:
        """Return the cheapest list that fits, without superfluous tests, or None.

        Tried are lists that only rule out (a conjunction), lists that only let in (a disjunction)
        and mixed ones.
        """
        found: list[DecisionList] = []
        for exits in ((False,), (True,), (False, True)):
            fitted = self._greedy(exits, most)
            if fitted is not None:
                found.append(fitted)
                if len(fitted.tests) <= SHORT:
                    break
        return min(found, key=self._price, default=None)

    def _price(self, found: DecisionList) -> float:
        return sum(2.0 + self._costs[test.quantity] for test in found.tests)

    def _greedy(self, exits: tuple[bool, ...], most: int) -> DecisionList | None:
        left = np.arange(len(self._labels))
        tests: list[Exit] = []
        while len(left) and not _alike(self._labels[left]):
            test = self._best(left, exits)
            if test is None or self._hopeless(left, exits, most + SPARE - len(tests)):
                return None
            tests.append(test)
            left = left[~test.passes(self._values[:, left], [case[left] for case in self._cases])]
        last = bool(self._labels[left[0]]) if len(left) else not tests[-1].label
        found = self._pruned(DecisionList(tuple(tests), last))
        return found if len(found.tests) <= most else None

    def _hopeless(self, left: np.ndarray, exits: tuple[bool, ...], tests: int) -> bool:
        """Whether the time is over, or no number of tests as wide as the widest suffices."""
        inside = int(self._labels[left].sum())
        needed = min(inside, len(left) - inside)
        if len(exits) == 1:
            needed = inside if exits[0] else len(left) - inside
        return tests * self._widest < needed or self._limits.over

    def _best(self, left: np.ndarray, exits: tuple[bool, ...]) -> Exit | None:
        values, labels = self._values[:, left], self._labels[left]
        self._widest = 0
        found = list(self._pure(values, labels, None, exits))
        if found and max(found, key=_score)[1] >= ENOUGH * len(left):
            return max(found, key=_score)[2]
        for number, case in enumerate(self._cases):
            inside = case[left]
            if inside.any() and not inside.all():
                found += self._pure(values[:, inside], labels[inside], number, exits)
        return max(found, key=_score)[2] if found else None

    def _pure(
        self, values: np.ndarray, labels: np.ndarray, case: int | None, exits: tuple[bool, ...]
    ) -> Iterator[Scored]:
        """Yield the best pure test of each kind with its score and how many words it settles."""
        price = self._costs + 2 + (1.0 if case is not None else 0.0)
        for label in exits:
            other = labels != label
            if not other.any():
                if case is not None:
                    self._widest = max(self._widest, len(labels))
                    yield len(labels) / 2.5, len(labels), Exit(0, ANY, 0, case, label)
                continue
            rest = values[:, other]
            low, high = rest.min(axis=1), rest.max(axis=1)
            mine = values[:, ~other]
            if not mine.shape[1]:
                continue
            yield from self._tail(mine, high, ">=", price, label, case)
            yield from self._tail(mine, low, "<=", price, label, case)
            for number in range(-2, VALUES + 1):
                same = (mine == number).sum(axis=1)
                pure = self._ends & (same > 0) & ~(rest == number).any(axis=1)
                if pure.any():
                    self._widest = max(self._widest, int(same[pure].max()))
                    score = np.where(pure, same / (price + 0.3 * abs(number) + 0.5), 0)
                    row = int(score.argmax())
                    yield (
                        float(score[row]),
                        int(same[row]),
                        Exit(row, "==", number, case, label),
                    )

    def _tail(
        self,
        mine: np.ndarray,
        edge: np.ndarray,
        sign: str,
        price: np.ndarray,
        label: bool,
        case: int | None,
    ) -> Iterator[Scored]:
        """Yield the best test beyond all words of the other label."""
        beyond = mine > edge[:, None] if sign == ">=" else mine < edge[:, None]
        settled = beyond.sum(axis=1)
        if not settled.any():
            return
        self._widest = max(self._widest, int(settled.max()))
        size = np.where(np.abs(edge) >= ABSENT // 2, 0, np.minimum(np.abs(edge), 20))
        score = settled / (price + 0.3 * size)
        row = int(score.argmax())
        step = 1 if sign == ">=" else -1
        yield (
            float(score[row]),
            int(settled[row]),
            Exit(row, sign, int(edge[row]) + step, case, label),
        )

    def _pruned(self, found: DecisionList) -> DecisionList:
        """Leave out tests, the last first, while the rest still fits."""
        for position in range(len(found.tests) - 1, -1, -1):
            tests = found.tests[:position] + found.tests[position + 1 :]
            for last in (found.last, not found.last):
                shorter = DecisionList(tests, last)
                if (shorter.labels(self._values, self._cases) == self._labels).all():
                    found = shorter
                    break
        return DecisionList(tuple(_merged(found.tests)), found.last)


def _merged(tests: Sequence[Exit]) -> list[Exit]:
    """Write "at least 4" and "at most 2", one after the other with one label, as "not 3"."""
    found: list[Exit] = []
    for test in tests:
        for k in range(len(found) - 1, -1, -1):
            if found[k].label != test.label:
                break
            pair = {found[k].sign: found[k].threshold, test.sign: test.threshold}
            same = (found[k].quantity, found[k].case) == (test.quantity, test.case)
            if same and pair.keys() == {"<=", ">="} and pair[">="] - pair["<="] == 2:
                found[k] = replace(test, sign="!=", threshold=pair["<="] + 1)
                break
        else:
            found.append(test)
            continue
        if found[k].sign != "!=" or found[k].quantity != test.quantity:
            found.append(test)
    return found


def _alike(labels: np.ndarray) -> bool:
    return bool(labels.all() or not labels.any())
