"""What expressions mean, in a form where equal forms prove equal meanings, on words of any length.

A **count** is a constant, a finite-state part (:mod:`.machines`) and multiples of counts of
Booleans that are not finite-state, or far away. A **Boolean** asks which sums reach which bounds,
and has a finite-state answer for each way:

    #"a" > #"b" || "b"      question   S >= 1  with S = #"a" - #"b"
                            answers    no: "b",   yes: true

Sums are divided by their common factor and turned to one of their two directions; questions about
one sum are ordered by their bounds, so that ``S >= 2`` without ``S >= 1`` never counts; a question
is dropped if no answer depends on it; one that a machine with few states can answer, or that
bounds of the sum answer, is not asked. Forms are therefore equal far more often than texts, and
what is left undone costs nothing but that two forms of one meaning stay apart.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import gcd
from typing import Any

from lengthwise.crasp.machines import Machines, TooLargeError
from lengthwise.crasp.syntax import (
    Add,
    And,
    Compare,
    Constant,
    Expression,
    LocalCount,
    Not,
    Number,
    Or,
    PrefixCount,
    Residue,
    Scale,
    Subtract,
    Symbol,
    postorder,
)

Term = tuple[int, int]
"""A distance (-1: any earlier position, counted) and the number of a Boolean."""
Sum = tuple[int, tuple[tuple[Term, int], ...]]
"""A machine, read as a count, and coefficients of counts of Booleans that are not finite-state."""
Count = tuple[int, Sum]
"""A constant and a sum."""
Question = tuple[Sum, int]
"""Whether a sum reaches a bound."""
Boolean = tuple[tuple[Question, ...], tuple[int, ...]]
"""Questions, and the machine that answers for each set of yeses (a bit for each question)."""

CLOSE = 2
"""Greatest distance at which machines remember; they have two states for each further one."""
SIGNS: dict[str, Callable[[bool, bool], bool]] = {
    "<": lambda reached, passed: not reached,
    "<=": lambda reached, passed: not passed,
    "==": lambda reached, passed: reached and not passed,
    "!=": lambda reached, passed: not reached or passed,
    ">=": lambda reached, passed: reached,
    ">": lambda reached, passed: passed,
}
"""Each comparison of a difference with 0, from whether it reaches 0 and whether it passes it."""


MOST_QUESTIONS = 10
"""Of one Boolean; the answers are twice as many with each."""


class UnwrittenError(Exception):
    """An expression has no form; the message says why."""


class Meanings:
    """Forms of expressions over some letters.

    Example:
        >>> meanings = Meanings("ab")
        >>> a, b = (meanings.prefix(meanings.symbol(letter)) for letter in "ab")
        >>> more = meanings.compare(">", a, b)
        >>> twice = meanings.compare(">=", meanings.scale(2, a), meanings.add(b, b, 1))
        >>> meanings.compare(">", meanings.scale(2, a), meanings.add(b, b, 1)) == more
        True
        >>> twice == more
        False
    """

    def __init__(self, letters: Sequence[str]) -> None:
        self.letters = tuple(letters)
        self.machines = Machines(len(self.letters))
        self._no, self._yes = self.machines.constant(0), self.machines.constant(1)
        self._booleans: list[Boolean] = []
        self._numbers: dict[Boolean, int] = {}
        self._asked: dict[Question, Boolean] = {}
        self._forms: dict[type[Expression], Callable[..., Any]] = {
            Symbol: self.symbol,
            Constant: self.constant,
            Residue: self.residue,
            Not: self.negation,
            And: self.both,
            Or: self.either,
            Compare: self.compare,
            Number: self.number,
            PrefixCount: self.prefix,
            LocalCount: self.near,
            Scale: self.scale,
            Add: lambda one, two: self.add(one, two, 1),
            Subtract: lambda one, two: self.add(one, two, -1),
        }

    # --- Booleans ---

    def constant(self, value: bool) -> Boolean:
        """Return true or false."""
        return (), (self._yes if value else self._no,)

    def symbol(self, name: str) -> Boolean:
        """Return whether the last letter is this one, which no word has if it is none of ours."""
        if name not in self.letters:
            return self.constant(False)
        return (), (self.machines.letter(self.letters.index(name)),)

    def residue(self, modulus: int, residue: int) -> Boolean:
        """Return whether the position has a residue."""
        return (), (self.machines.residue(modulus, residue),)

    def automaton(
        self, table: Sequence[Sequence[int]], initial: int, accepting: Sequence[bool]
    ) -> Boolean:
        """Return whether an automaton over the same letters accepts."""
        machine = self.machines.build(
            table[initial], lambda state: table[state], lambda state: int(accepting[state])
        )
        return (), (machine,)

    def negation(self, one: Boolean) -> Boolean:
        """Return the opposite."""
        opposite = lambda p, q: 1 - p  # noqa: E731
        answers = [self.machines.join(opposite, "not", m, m) for m in one[1]]
        return self._reduced(one[0], answers)

    def both(self, one: Boolean, two: Boolean) -> Boolean:
        """Return the conjunction."""
        return self._joined(lambda p, q: p & q, "and", one, two)

    def either(self, one: Boolean, two: Boolean) -> Boolean:
        """Return the disjunction."""
        return self._joined(lambda p, q: p | q, "or", one, two)

    def _joined(
        self, function: Callable[[int, int], int], name: str, one: Boolean, two: Boolean
    ) -> Boolean:
        questions = tuple(sorted({*one[0], *two[0]}))
        if len(questions) > MOST_QUESTIONS:
            raise TooLargeError
        left, right = _spread(one, questions), _spread(two, questions)
        join = self.machines.join
        answers = [join(function, name, *sorted(pair)) for pair in zip(left, right, strict=True)]
        return self._reduced(questions, answers)

    def _reduced(self, questions: tuple[Question, ...], answers: Sequence[int]) -> Boolean:
        """Drop questions on which no answer depends; sets of yeses that never occur are no."""
        for place in range(len(questions)):
            bit = 1 << place
            occurring = [a for a in range(len(answers)) if _occurs(questions, a)]
            if all(
                answers[a] == answers[a ^ bit] for a in occurring if _occurs(questions, a ^ bit)
            ):
                kept = questions[:place] + questions[place + 1 :]
                folded = [self._no] * (len(answers) // 2)
                for a in occurring:
                    folded[(a & (bit - 1)) | ((a >> (place + 1)) << place)] = answers[a]
                return self._reduced(kept, folded)
        final = [m if _occurs(questions, a) else self._no for a, m in enumerate(answers)]
        return questions, tuple(final)

    def compare(self, sign: str, one: Count, two: Count) -> Boolean:
        """Return a comparison of two counts."""
        constant, difference = self.add(one, two, -1)
        reached = self._ask(difference, -constant)
        passed = self._ask(difference, 1 - constant)
        questions = tuple(sorted({*reached[0], *passed[0]}))
        # where a machine answers, both questions are machines; else a pure question is yes or no
        left, right = _spread(reached, questions), _spread(passed, questions)
        holds = SIGNS[sign]
        return self._reduced(
            questions,
            [
                self.machines.join(lambda p, q: int(holds(bool(p), bool(q))), sign, p, q)
                for p, q in zip(left, right, strict=True)
            ],
        )

    def _ask(self, asked: Sum, bound: int) -> Boolean:
        """Return whether a sum reaches a bound."""
        if (asked, bound) not in self._asked:
            self._asked[asked, bound] = self._answer(asked, bound)
        return self._asked[asked, bound]

    def _answer(self, asked: Sum, bound: int) -> Boolean:
        if not asked[1]:
            known = self.machines.reaches(asked[0], bound)
            if known is not None:
                return (), (known,)
        low, high = self._range(asked)
        if low >= bound or high < bound:
            return self.constant(low >= bound)
        factor = gcd(*self.machines[asked[0]].outputs, *(k for _, k in asked[1]))
        if factor > 1:
            smaller = self._divided(asked, factor)
            return self._ask(smaller, -(-bound // factor))
        opposite = self._scaled(asked, -1)
        if opposite < asked:
            return self.negation(self._ask(opposite, 1 - bound))
        return ((asked, bound),), (self._no, self._yes)

    def _range(self, asked: Sum) -> tuple[float, float]:
        """Return bounds on a sum; of other Booleans nothing is known."""
        low, high = [0, 0], [0, 0]
        for (distance, _), k in asked[1]:
            low[distance >= 0] += min(0, k)
            high[distance >= 0] += max(0, k)
        machine = self.machines[asked[0]]
        least, most = self.machines.extremes(asked[0], low[0], high[0])
        return (
            min(machine.outputs[s] + low[0] + least[s] for s in machine.first) + low[1],
            max(machine.outputs[s] + high[0] + most[s] for s in machine.first) + high[1],
        )

    # --- counts ---

    def number(self, value: int) -> Count:
        """Return a constant."""
        return value, (self._no, ())

    def prefix(self, one: Boolean) -> Count:
        """Return how many positions up to here satisfy a Boolean."""
        if not one[0]:
            return 0, (one[1][0], ())
        return 0, (self._no, (((-1, self._number(one)), 1),))

    def near(self, distances: Sequence[int], one: Boolean) -> Count:
        """Return how many of the positions at some distances satisfy a Boolean."""
        close = [d for d in distances if d <= CLOSE and not one[0]]
        machine = self.machines.seen(one[1][0], close) if close else self._no
        far = sorted(d for d in distances if d not in close)
        return 0, (machine, tuple(((d, self._number(one)), 1) for d in far))

    def add(self, one: Count, two: Count, factor: int) -> Count:
        """Return the first count and a multiple of the second."""
        other = self._scaled(two[1], factor)
        machine = self.machines.join(lambda x, y: x + y, "+", *sorted((one[1][0], other[0])))
        terms = dict(one[1][1])
        for term, k in other[1]:
            terms[term] = terms.get(term, 0) + k
        kept = tuple(sorted((term, k) for term, k in terms.items() if k))
        return one[0] + factor * two[0], (machine, kept)

    def scale(self, factor: int, one: Count) -> Count:
        """Return a multiple of a count."""
        return factor * one[0], self._scaled(one[1], factor)

    def _scaled(self, one: Sum, factor: int) -> Sum:
        if not factor:
            return self._no, ()
        return self.machines.scaled(one[0], factor), tuple((t, factor * k) for t, k in one[1])

    def _divided(self, one: Sum, factor: int) -> Sum:
        machine = self.machines.join(lambda x, y: x // factor, f"/ {factor}", one[0], one[0])
        return machine, tuple((t, k // factor) for t, k in one[1])

    # --- whole expressions ---

    def of(self, root: Expression) -> Boolean:
        """Return the form of a Boolean without conditionals, ``min`` and ``max``.

        ``UnwrittenError`` is raised where it has these, or needs too large a machine.

        Example:
            >>> from lengthwise.crasp.embedding import Q, count
            >>> meanings, balanced = Meanings("ab"), count(Q["a"]) == count(Q["b"])
            >>> meanings.of(count(balanced) > 0) == meanings.of(~(count(balanced) < 1))
            True
        """
        forms: dict[Expression, Any] = {}
        try:
            for node in postorder([root]):
                forms[node] = self.form(type(node), node.constants, [forms[a] for a in node.args])
        except TooLargeError:
            raise UnwrittenError("a part has too many states") from None
        return forms[root]

    def form(
        self, kind: type[Expression], constants: Sequence[Any], operands: Sequence[Any]
    ) -> Any:
        """Return the form of an operation, from its constants and the forms of its operands."""
        if kind not in self._forms:
            raise UnwrittenError(f"no form of {kind.__name__}")
        return self._forms[kind](*constants, *operands)

    def boolean(self, number: int) -> Boolean:
        """Return the Boolean with a number, as terms of sums name it."""
        return self._booleans[number]

    def _number(self, one: Boolean) -> int:
        if one not in self._numbers:
            self._numbers[one] = len(self._booleans)
            self._booleans.append(one)
        return self._numbers[one]


def _occurs(questions: Sequence[Question], yeses: int) -> bool:
    """Whether a set of yeses is possible: who reaches a bound reaches the smaller ones."""
    return all(
        (yeses >> place) & 1 or not (yeses >> (place + 1)) & 1
        for place, ((one, _), (two, _)) in enumerate(pairwise(questions))
        if one == two
    )


def _spread(one: Boolean, questions: Sequence[Question]) -> list[int]:
    """Return the answers of a Boolean to a longer list of questions."""
    places = [questions.index(question) for question in one[0]]
    return [
        one[1][sum(((a >> place) & 1) << k for k, place in enumerate(places))]
        for a in range(1 << len(questions))
    ]
