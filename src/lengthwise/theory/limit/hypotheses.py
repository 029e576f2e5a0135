"""The hypotheses of the inference procedure: enumerated programs, each as its finite transformers.

A program that fits all words to n/2 is compiled, and the regulariser R of its finite model with
context n is what it costs. Three ways to get programs, cheapest first:

    singles     every behaviour on short words, by the smallest expression that has it
    pairs       P && Q of two that hold on all members, P || Q of two that hold on members only
    intervals   where one count settles the answer: count in [0..1] or [3..3] or ...

The last makes sure that something fits whatever is finite, so that R(T_n) of a language outside the
class can be seen to grow.

Among these the least R is a minimum over what was enumerated, not over all transformers: where two
expressions behave alike on the words of the bank, the smaller one stands for both.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import itemgetter

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.crasp.bank import Bank, all_codes
from lengthwise.crasp.candidates import Candidates, SearchSpace
from lengthwise.crasp.facts import analyse
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.learning import name_parts
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import And, Bool, Constant, Count, Or, as_bool
from lengthwise.crasp.targets import Target
from lengthwise.languages.words import Words
from lengthwise.theory.limit.compiler import compile_program
from lengthwise.theory.limit.regulariser import Regulariser, explicit, regulariser
from lengthwise.theory.limit.transformer import LimitTransformer

BANK_WORDS = 600
SINGLES, HALVES, JOINED, COUNTS = 1_500, 3_000, 60, 400
"""Most programs compiled for one context: single ones, parts of pairs, pairs, counts tried."""


@dataclass(frozen=True)
class Hypothesis:
    """A program with its limit transformer and what its finite model costs."""

    program: Program
    limit: LimitTransformer
    terms: Regulariser

    @property
    def order(self) -> tuple[float, int, str]:
        """Least R first (to what rounding tells apart), then the smallest program, then by name."""
        return round(self.terms.total, 9), analyse(self.program).size, repr(self.program.accept)


@dataclass
class Hypotheses:
    """Programs enumerated once, asked for every context; ``compiled`` counts those with an R."""

    target: Target
    bank: Bank
    candidates: Candidates
    labels: np.ndarray
    own: Program | None = None
    compiled: int = 0
    _fitted: dict[Bool, None] = field(default_factory=dict)
    _known: dict[Bool, LimitTransformer | None] = field(default_factory=dict)

    @classmethod
    def enumerate(
        cls,
        target: Target,
        longest: int,
        limits: Limits,
        space: SearchSpace | None = None,
        own: Program | None = None,
    ) -> "Hypotheses":
        """Enumerate expressions on all words to ``longest``, or further while words are few."""
        size = len(target.letters)
        length = max(longest, _affordable(size))
        bank = Bank.build(target.letters, all_codes(size, length))
        found = Candidates(bank, space or SearchSpace(), limits)
        try:
            while found.size < found.space.size:
                found.grow()
        except LimitReachedError:
            pass  # what was found by then is what is compared
        return cls(target, bank, found, np.asarray(target.decide(bank.as_words())), own)

    def simplest(self, context: int, limits: Limits) -> Hypothesis | None:
        """Return the hypothesis of least R that fits all words to half of a context.

        Ask for the longest context first: what fits there fits every shorter one, and is compared
        again there, so that R(T_n) never falls as n grows.
        """
        given = np.packbits(self.bank.length <= context // 2)
        wanted = np.packbits(self.labels) & given
        best: Hypothesis | None = None
        earlier = list(self._fitted)
        for root in chain(earlier, self._fitting(context // 2, wanted, given)):
            self._fitted.setdefault(root)
            made = self.hypothesis(root, context)
            if made is not None and (best is None or made.order < best.order):
                best = made
            if limits.over:
                break
        return best

    def hypothesis(self, root: Bool, context: int) -> Hypothesis | None:
        """Compile an expression; None where the compiler takes no such program."""
        program = self._program(root)
        if root not in self._known:
            self.compiled += 1
            try:
                self._known[root] = compile_program(program)
            except InputError:
                self._known[root] = None
        limit = self._known[root]
        if limit is None:
            return None
        # n letters stand behind the begin token
        return Hypothesis(program, limit, regulariser(explicit(limit, context + 1)))

    def _program(self, root: Bool) -> Program:
        empty = bool(self.target.decide(Words.encode([""], self.target.letters))[0])
        return name_parts(root).replace(alphabet=self.target.letters, empty=empty)

    def _fitting(self, longest: int, wanted: np.ndarray, given: np.ndarray) -> Iterator[Bool]:
        """Yield expressions that fit all words to a length."""
        if self.own is not None and self._fits(self.own, longest):
            yield as_bool(self.own.accept)
        values = np.stack(self.candidates.bools.values) & given
        single = np.flatnonzero((values == wanted).all(axis=1))
        for row in single[:SINGLES]:
            yield self.candidates.expression(int(row))
        yield from self._intervals(longest)
        above = ((values & wanted) == wanted).all(axis=1) & (values != wanted).any(axis=1)
        below = ((values | wanted) == wanted).all(axis=1) & (values != wanted).any(axis=1)
        yield from self._pairs(np.flatnonzero(above), values, wanted, And)
        yield from self._pairs(np.flatnonzero(below), values, wanted, Or)

    def _fits(self, program: Program, longest: int) -> bool:
        short = self.bank.length <= longest
        said = np.asarray(accepts(program, self.bank.as_words()))
        return bool((said == self.labels)[short].all())

    def _pairs(
        self, rows: np.ndarray, values: np.ndarray, wanted: np.ndarray, kind: type[And | Or]
    ) -> Iterator[Bool]:
        """Yield joined pairs, small parts first; rows are in the order of size."""
        join = np.bitwise_and if kind is And else np.bitwise_or
        parts, first = np.unique(values[rows], axis=0, return_index=True)
        order = np.argsort(first)[:HALVES]  # of those alike on these words the smallest
        parts, rows = parts[order], rows[first[order]]
        found: list[tuple[int, int, int]] = []
        sizes = self.candidates.bools.sizes
        for number, row in enumerate(rows):
            fits = (join(parts[:number], parts[number]) == wanted).all(axis=1)
            for other in np.flatnonzero(fits):
                found.append((sizes[row] + sizes[rows[other]], int(rows[other]), int(row)))
        for _, left, right in sorted(found)[:JOINED]:
            yield kind(self.candidates.expression(left), self.candidates.expression(right))

    def _intervals(self, longest: int) -> Iterator[Bool]:
        """Yield `count in these intervals` for every count that settles all words to a length."""
        short = self.bank.length <= longest
        labels, counts = self.labels[short], self.candidates.counts
        for row in range(min(COUNTS, len(counts.recipes))):
            values = counts.values[row][short]
            yes, no = np.unique(values[labels]), np.unique(values[~labels])
            if len(np.intersect1d(yes, no)) == 0:
                yield in_intervals(self.candidates.expression(row, boolean=False), yes, no)


def in_intervals(count: Count, yes: np.ndarray, no: np.ndarray) -> Bool:
    """Return that a count lies in the least number of intervals with ``yes`` and without ``no``.

    Example:
        >>> from lengthwise.crasp import Q
        >>> from lengthwise.crasp.syntax import count
        >>> in_intervals(count(Q["a"]), np.array([1, 3, 4]), np.array([0, 2]))
        #"a" == 1 || #"a" >= 3
    """
    marked = sorted([(int(v), True) for v in yes] + [(int(v), False) for v in no])
    runs = [(key, [v for v, _ in part]) for key, part in groupby(marked, key=itemgetter(1))]
    result: Bool = Constant(False)
    for number, (accepted, values) in enumerate(runs):
        if not accepted:
            continue
        low = None if number == 0 else values[0]
        high = None if number == len(runs) - 1 else values[-1]
        part = _interval(count, low, high)
        result = part if isinstance(result, Constant) else result | part
    return result


def _interval(count: Count, low: int | None, high: int | None) -> Bool:
    if low is None and high is None:
        return Constant(True)
    if low == high:
        return count == low  # type: ignore[return-value]
    if low is None:
        return count <= high  # type: ignore[operator]
    return count >= low if high is None else (count >= low) & (count <= high)


def _affordable(letters: int) -> int:
    """Return the length to which all words make a bank of about ``BANK_WORDS``."""
    length, total = 1, letters
    while total + letters ** (length + 1) <= BANK_WORDS and length < 24:
        length += 1
        total += letters**length
    return length
