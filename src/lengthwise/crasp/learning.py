"""Learning a program from its behaviour: the smallest one that fits, by depth, then size.

Candidates are enumerated bottom-up on a bank of words (:mod:`.candidates`). At each size a
candidate that equals the target is a solution; so is a conjunction (or disjunction) of two
candidates that each contain (or are contained in) the target, which finds programs of twice the
enumerated size. With an oracle, a solution is verified on longer words and a counterexample joins
the bank.

Used with ``train_length`` this is the idealised inference procedure of Huang et al. (2025), read
for programs: among all programs consistent with short words, take the simplest.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.crasp.bank import Bank, Codes, all_codes
from lengthwise.crasp.candidates import Candidates, SearchSpace
from lengthwise.crasp.checking import Report, check
from lengthwise.crasp.facts import analyse
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import And, Bool, Connective, Counting, Expression, Or, postorder
from lengthwise.crasp.targets import Target
from lengthwise.languages.words import Word, Words

BANK_WORDS = 600
"""About how many words the first bank holds when the length is not given."""
SECONDS = 120.0
"""Time for a search, where nothing else is said."""


@dataclass(frozen=True)
class LearnedProgram:
    """The outcome: a program or none, what was explored, and on what it was verified.

    ``explored`` counts expressions built, ``distinct`` those kept as different on the bank at the
    last depth, ``enumerated_size`` the size up to which single expressions were enumerated there.
    """

    program: Program | None
    explored: int
    distinct: int
    bank_words: int
    train_length: int
    enumerated_size: int
    counterexamples: int
    verified: Report | None
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as plain data."""
        text = None if self.program is None else str(self.program)
        summary = None if self.program is None else analyse(self.program).to_dict()
        report = None if self.verified is None else self.verified.to_dict()
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return plain | {"program": text, "analysis": summary, "verified": report}


def learn(
    target: Target,
    *,
    space: SearchSpace | None = None,
    limits: Limits | None = None,
    train_length: int | None = None,
    verify_seconds: float = 2.0,
) -> LearnedProgram:
    """Find a smallest program for a target language.

    With ``train_length`` only words up to that length are used, and no counterexample is fed back;
    the verification still reports how far the program is right.

    Example:
        >>> from lengthwise.crasp.targets import from_function
        >>> result = learn(from_function(lambda w: w.count("a") > w.count("b"), "ab"))
        >>> result.program.accept
        #"a" > #"b"
    """
    limits = limits or Limits(SECONDS)
    length = train_length or _bank_length(len(target.letters))
    words = all_codes(len(target.letters), length)
    failures = 0
    while True:
        bank = Bank.build(target.letters, words)
        labels = target.decide(bank.as_words())
        search = Search(bank, labels, np.ones(bank.size, dtype=bool), space, limits)
        solution = search.run()
        if solution is None:
            return search.outcome(None, length, failures, None)
        program = _named(solution, target)
        report = check(program, target, seconds=verify_seconds)
        if report.agrees or train_length is not None or not report.counterexample:
            return search.outcome(program, length, failures, report)
        codes = {letter: code for code, letter in enumerate(target.letters)}
        words = [*words, tuple(codes[letter] for letter in report.counterexample)]
        failures += 1


def _named(root: Bool, target: Target) -> Program:
    """Give the program its alphabet and the target's verdict on the empty word."""
    empty = bool(target.decide(Words.encode([""], target.letters))[0])
    return name_parts(root).replace(alphabet=target.letters, empty=empty)


def _bank_length(letters: int) -> int:
    """Return the length up to which all words make a bank of about ``BANK_WORDS``."""
    length, total = 1, letters
    while total + letters ** (length + 1) <= BANK_WORDS and length < 12:
        length += 1
        total += letters**length
    return length


def learn_examples(
    examples: Iterable[tuple[Word, bool]],
    letters: Sequence[str] | None = None,
    *,
    space: SearchSpace | None = None,
    limits: Limits | None = None,
) -> LearnedProgram:
    """Find a smallest program consistent with labelled words; nothing else is verified.

    Example:
        >>> words = [("aa", True), ("b", False), ("ab", True), ("bb", False)]
        >>> learn_examples(words, space=SearchSpace(periods=(), window=0)).program.accept
        #"a" > 0
    """
    pairs = [(tuple(word), bool(label)) for word, label in examples]
    known = tuple(letters or sorted({letter for word, _ in pairs for letter in word}))
    codes = {letter: code for code, letter in enumerate(known)}
    table: dict[Codes, bool] = {}
    for word, label in pairs:
        row = tuple(codes.get(letter, -1) for letter in word)
        if -1 in row:
            raise InputError(
                f"the example {' '.join(word)!r} has a letter outside {' '.join(known)}."
            )
        if table.setdefault(row, label) != label:
            raise InputError(f"the example {' '.join(word)!r} is given with both labels.")
    bank = Bank.build(known, table)
    if not bank.size:
        raise InputError("learning needs at least one non-empty example.")
    labels, given = np.zeros(bank.size, dtype=bool), np.zeros(bank.size, dtype=bool)
    for word, row in bank.words.items():
        labels[row], given[row] = table.get(word, False), word in table
    search = Search(bank, labels, given, space, limits)
    root, program = search.run(), None
    if root is not None:
        program = name_parts(root).replace(alphabet=known, empty=table.get(()))
    return search.outcome(program, int(bank.length.max()), 0, None)


class Search:
    """One enumeration against fixed labels; ``given`` marks the words whose label is known."""

    def __init__(
        self,
        bank: Bank,
        labels: np.ndarray,
        given: np.ndarray,
        space: SearchSpace | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._bank = bank
        self._space, self._limits = space or SearchSpace(), limits or Limits(SECONDS)
        self._target = np.packbits(labels & given)
        self._given = np.packbits(given)
        self._explored = self._distinct = self._size = 0

    def run(self) -> Bool | None:
        """Return the first solution by depth, then size, or None where nothing is left to try."""
        deepest = self._space.depth
        for depth in range(deepest + 1):
            # leave time for the greater depths: each may use half of what remains
            share = self._limits.part(1 if depth == deepest else 1 / 2)
            candidates = Candidates(self._bank, replace(self._space, depth=depth), share)
            try:
                solution = self._at_depth(candidates)
            except LimitReachedError:
                solution = None
            self._explored += candidates.explored
            self._distinct = len(candidates.bools.recipes) + len(candidates.counts.recipes)
            self._size = candidates.size
            if solution is not None:
                return solution
            if self._limits.over:
                return None
        return None

    def _at_depth(self, candidates: Candidates) -> Bool | None:
        pairs = (_Pairs(And, self), _Pairs(Or, self))
        most = min(7, self._space.size) if candidates.space.depth == 0 else self._space.size
        while candidates.size < most:
            fresh = candidates.grow()
            if not fresh:
                continue
            values = candidates.bools.stack(fresh) & self._given
            for row in np.flatnonzero((values == self._target).all(axis=1)):
                return candidates.expression(fresh[int(row)])
            solutions = [pair.add(candidates, fresh, values) for pair in pairs]
            best = min((s for s in solutions if s is not None), key=lambda s: s[0], default=None)
            if best is not None:
                return best[1]
        return None

    @property
    def target(self) -> np.ndarray:
        """The labels as packed bits, zero where no label is given."""
        return self._target

    @property
    def given(self) -> np.ndarray:
        """Which labels are given, as packed bits."""
        return self._given

    def outcome(
        self, program: Program | None, length: int, failures: int, report: Report | None
    ) -> LearnedProgram:
        """Return the record of this search."""
        return LearnedProgram(
            program=program,
            explored=self._explored,
            distinct=self._distinct,
            bank_words=self._bank.size,
            train_length=length,
            enumerated_size=self._size,
            counterexamples=failures,
            verified=report,
            seconds=self._limits.spent(),
        )


class _Pairs:
    """Candidates on one side of the target, to be joined in pairs.

    For a conjunction, a candidate must hold on the whole target; two of them solve it when no word
    outside the target is in both. For a disjunction, complement everything.
    """

    LARGEST = 6_000

    def __init__(self, join: type[Connective], search: Search) -> None:
        self._join = join
        self._negate = join is Or
        self._given = search.given
        target = search.target ^ search.given if self._negate else search.target
        self._inside = target
        self._outside = target ^ search.given
        self._rows: list[int] = []
        self._wrong: list[np.ndarray] = []

    def add(
        self, candidates: Candidates, fresh: list[int], values: np.ndarray
    ) -> tuple[int, Bool] | None:
        """Take in new candidates; return the size and expression of a smallest new pair."""
        if self._negate:
            values = values ^ self._given
        fits = ((values & self._inside) == self._inside).all(axis=1)
        wrong = values & self._outside
        useful = np.flatnonzero(fits & (wrong != self._outside).any(axis=1))
        best: tuple[int, int, int] | None = None
        sizes = candidates.bools.sizes
        for index in useful[: max(0, self.LARGEST - len(self._rows))]:
            row = fresh[int(index)]
            if self._wrong:
                clear = ~(np.stack(self._wrong) & wrong[index]).any(axis=1)
                for other in np.flatnonzero(clear)[:1]:
                    total = sizes[row] + sizes[self._rows[other]] + 1
                    if best is None or total < best[0]:
                        best = total, self._rows[other], row
            self._rows.append(row)
            self._wrong.append(wrong[index])
        if best is None:
            return None
        left, right = (candidates.expression(row) for row in best[1:])
        return best[0], self._join(left, right)


def name_parts(root: Bool) -> Program:
    """Return a readable program: counts used twice or nested get names, the rest stays inline."""
    users: dict[Expression, int] = {}
    for node in postorder([root]):
        for arg in node.args:
            users[arg] = users.get(arg, 0) + 1
    parts = [n for n in postorder([root]) if isinstance(n, Counting) and users.get(n, 0) > 1]
    return Program([*((f"C{k}", node) for k, node in enumerate(parts, 1)), ("accept", root)])
