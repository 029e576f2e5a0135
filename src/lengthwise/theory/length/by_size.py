"""The length complexity of a language among C-RASP programs, by their size.

Of all programs of a class that agree with f on the words up to N take one of least size. The length
complexity is the least N from which that is always f; ties count against f. Let s be the size of
the smallest program for f:

    N(f) = the greatest length of a shortest word that tells f from a program g that is not
           larger than s and not equal to f

A class is the grammar of :mod:`lengthwise.crasp.every_program`, without or with positions and
windows; programs are read at the last letter. What is said here is exact only if every program up
to size s was looked at (parts joined by proof alone), every one that agrees with f on all words
that were tried was proved equal or told apart by a shortest word, and none smaller than s is f.

Where that is not done, later rivals are searched among programs that are not larger than the
smallest known program for f; such a rival is a witness for that size, and a lower bound of N(f)
only if no smaller program for f exists.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import inf

import numpy as np

from lengthwise.core.limits import GRACE, LimitReachedError, Limits
from lengthwise.crasp.comparing import compare
from lengthwise.crasp.event_paths import Side
from lengthwise.crasp.every_program import EveryProgram, Kept
from lengthwise.crasp.facts import fragment
from lengthwise.crasp.facts import size as size_of
from lengthwise.crasp.interpreter import accepts, accepts_empty
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Bool, LocalCount, postorder
from lengthwise.crasp.targets import from_automaton, from_program
from lengthwise.crasp.whole_programs import WholePrograms
from lengthwise.languages.dfa import DFA
from lengthwise.theory.length.joined import joined_rivals
from lengthwise.theory.length.neighbours import neighbours

COMPARE_SECONDS = 1.0
"""Most work to tell one program from f."""
REACHED = 14
"""Size of the largest program up to which all are mostly looked at, so that nothing is joined."""
JOINED = 24
"""Largest joined program where no program for f is known."""
BESIDE = 300
"""Size of the largest program beside which others are looked at."""
GROWING = 0.3
"""Share of the work that is left for the parts of the next size."""
GROWTH, WHOLE_GROWTH = 4.0, 3.0
"""The parts, and the whole programs, of the next size take about this many times as much."""
EVALUATION = 1e-3
"""Seconds for the evaluation of a program on the bank."""
MOST_OPEN = 30
"""Programs that could not be told apart before the search stops: it would prove nothing."""


@dataclass(frozen=True)
class Rival:
    """A program that agrees with f on all words up to ``agreed`` and differs on ``word``.

    Without a word it could not be told from f.
    """

    expression: Bool
    size: int
    agreed: int
    word: tuple[str, ...] | None

    @property
    def least(self) -> int:
        """The least length that a word that tells it from f has."""
        return self.agreed + 1

    @property
    def most(self) -> float:
        """The length of the word that is known."""
        return inf if self.word is None else len(self.word)


@dataclass
class ProgramLength:
    """What is known of N(f) in one class.

    ``looked`` is the size up to which every program was looked at; ``rivals`` holds, for each size,
    the program that differs latest; ``open`` those that were not told from f.
    """

    letters: tuple[str, ...]
    program: Bool | None = None
    looked: int = 0
    rivals: dict[int, Rival] = field(default_factory=dict)
    open: list[Rival] = field(default_factory=list)

    @property
    def size(self) -> int | None:
        """The size of the smallest known program for f."""
        return None if self.program is None else size_of([self.program])

    @property
    def finished(self) -> bool:
        """Whether every program up to ``size`` was looked at."""
        return self.size is not None and self.looked >= self.size

    @property
    def excluded(self) -> int:
        """The size up to which no program is f, by proof."""
        doubtful = min((rival.size for rival in self.open), default=self.looked + 1)
        known = self.looked + 1 if self.size is None else self.size
        return min(self.looked, doubtful - 1, known - 1)

    @property
    def minimal(self) -> bool:
        """Whether no smaller program is f."""
        return self.size is not None and self.excluded == self.size - 1

    def best(self, size: int | None = None) -> Rival | None:
        """Return the rival up to a size that differs latest; default: the size of the program."""
        most = self.size if size is None else size
        listed = [rival for s, rival in self.rivals.items() if most is None or s <= most]
        return max(listed, key=lambda rival: (rival.least, -rival.size), default=None)

    @property
    def low(self) -> int:
        """A lower bound of N(f), if ``minimal``; else of the N of programs up to ``size``."""
        rival = self.best()
        return 0 if rival is None else rival.least

    @property
    def proved_low(self) -> int:
        """A lower bound of N(f), whatever the smallest program for f is."""
        rival = self.best(self.excluded + 1)
        return 0 if rival is None else rival.least

    @property
    def unresolved(self) -> list[Rival]:
        """The programs not larger than ``size`` that were not told from f."""
        return [rival for rival in self.open if self.size is None or rival.size <= self.size]

    @property
    def exact(self) -> bool:
        """Whether ``low`` is N(f)."""
        if self.size is None or not self.minimal or not self.finished or self.unresolved:
            return False
        counted = [rival for s, rival in self.rivals.items() if s <= self.size]
        return all(rival.most <= self.low for rival in counted)

    def add(self, rival: Rival) -> None:
        """Take in a rival: the latest of each size is kept, and those not told apart."""
        if rival.word is None:
            self.open.append(rival)
            return
        known = self.rivals.get(rival.size)
        if known is None or (rival.least, rival.most) > (known.least, known.most):
            self.rivals[rival.size] = rival


Say = Callable[[str], None]


def by_size(
    target: Side,
    every: EveryProgram,
    known: Iterable[Bool] = (),
    *,
    rivals: Iterable[Rival] = (),
    limits: Limits | None = None,
    say: Say = lambda text: None,
) -> ProgramLength:
    """Find the length complexity of a language among the programs of an enumeration.

    ``known`` are programs for it, in the grammar; ``rivals`` were found elsewhere. The enumeration
    is grown as far as needed and as the time goes, and can serve the next language.

    Example:
        >>> from lengthwise.languages.regex import compile_regex
        >>> found = by_size(compile_regex("a*", "ab"), EveryProgram("ab"))
        >>> found.exact, found.low, found.size, found.best().expression, found.best().word
        (True, 2, 4, "a", ('b', 'a'))
    """
    search = _Search(target, every, limits or Limits(20), say)
    for program in known:
        assert every.positions or is_plain(program), "not in the class"
        search.learn(program)
    for rival in rivals:
        search.found.add(rival)
    with suppress(LimitReachedError), search.limits.alarm("the search", GRACE):
        # first what is quick, then smaller programs for f and rivals, then what proves
        search.look_at_all(search.limits.part(0.1))
        search.look_beside()
        search.look_at_joined(search.limits.part(0.2))
        search.look_at_all(search.limits)
    return search.found


def is_plain(program: Bool) -> bool:
    """Whether a program is in the plain grammar: no positions and no windows, not even of one."""
    nodes = list(postorder([program]))
    return fragment(nodes) == "plain" and not any(isinstance(n, LocalCount) for n in nodes)


class _Search:
    def __init__(self, target: Side, every: EveryProgram, limits: Limits, say: Say) -> None:
        self.target, self.every, self.limits, self.say = target, every, limits, say
        self.letters = every.letters
        self.words = every.bank.as_words()
        if isinstance(target, DFA):
            self.labels = from_automaton(target).decide(self.words)
            self.empty = bool(target.accepting[target.initial])
        else:
            self.labels = from_program(target, self.letters).decide(self.words)
            self.empty = accepts_empty(target)
        self.found = ProgramLength(self.letters)
        self.whole, self.last = WholePrograms(every, 0), 0.0

    def learn(self, program: Bool) -> None:
        """Take a program that is f; the smallest is kept."""
        if self.found.size is None or size_of([program]) < self.found.size:
            self.found.program = program

    def look_at_all(self, limits: Limits) -> None:
        """Look at every program, smallest first, until one is f and all of its size are seen.

        Parts are kept as far as they take a small share of the work; beyond, programs are looked at
        whole.
        """
        found, growing = self.found, True
        while not (limits.over or found.finished or len(found.open) > MOST_OPEN):
            size = found.looked + 1
            self.say(f"every program of size {size}")
            needed = found.size is None or found.size > self.whole.kept + 2
            if size <= self.whole.kept:
                self._look(self.every.booleans(size), size)
            elif self.whole.kept == 0 or (growing and needed):
                growing = self._grow(limits)
                continue
            elif size > 2 * self.whole.kept + 2 or not self._look_whole(size, limits):
                return
            found.looked = size

    def _look_whole(self, size: int, limits: Limits) -> bool:
        """Look at the whole programs of a size; False where the work would be too much."""
        begun = limits.spent()
        if self.last * WHOLE_GROWTH > limits.left():
            return False
        try:
            until = partial(self._rows, size)
            for program in self.whole.agreeing(size, self.labels, until, limits):
                self._take(program, size)
        except LimitReachedError:
            return False
        self.last = limits.spent() - begun
        return True

    def _grow(self, limits: Limits) -> bool:
        """Keep the parts of the next size, if that is little work; others may have done it."""
        size, every = self.whole.kept + 1, self.every
        share = limits.part(GROWING)
        if size > 2 and GROWTH * every.costs[size - 1] > share.left():
            return False
        try:
            if size <= every.size:
                share.spend(every.costs[size])
            else:
                every.grow(share)
        except LimitReachedError:
            return False
        self.whole.kept = size
        return True

    def _rows(self, size: int) -> int:
        """How many words a rival of a size must be right on to be better than the known ones.

        Larger rivals do not count: the smallest program for f may turn out to be smaller than they.
        """
        best = self.found.best(size)
        low = 0 if best is None else min(best.least, len(self.every.bank.levels))
        return self.every.bank.levels[low - 1].stop if low else 0

    def _look(self, kept: Sequence[Kept], size: int) -> None:
        if not kept:
            return
        values = np.stack([item.values for item in kept])
        wrong = values != self.labels
        same = ~wrong.any(axis=1)
        for index in np.flatnonzero(same).tolist():
            self.tell(kept[index].expression, size)
        first = np.where(same, -1, wrong.argmax(axis=1))
        latest = int(first.argmax())
        if first[latest] >= 0:
            self._differs_at(kept[latest].expression, size, int(first[latest]))

    def _differs_at(self, expression: Bool, size: int, row: int) -> None:
        """Take in a program that differs first on a word of the bank, where all words are."""
        word = self.words.word(row)
        self.found.add(Rival(expression, size, len(word) - 1, tuple(word)))

    def tell(self, expression: Bool, size: int) -> None:
        """Tell a program that is right on the whole bank from f, or prove that it is f."""
        self.limits.check("the comparison of programs")
        program = Program.of(expression, alphabet=self.letters, empty=self.empty)
        clock = self.limits.part(0.5, COMPARE_SECONDS)
        venn = compare(program, self.target, self.letters, limits=clock)
        if venn.relation == "equal":
            self.learn(expression)
            return
        agreed = max(venn.agreed, self.every.length)
        assert agreed < inf, "programs that agree on all words are equal"
        self.found.add(Rival(expression, size, int(agreed), venn.difference))

    def look_beside(self) -> None:
        """Look at programs beside the smallest known one."""
        if self.found.size is None or self.found.size > BESIDE or self.found.exact:
            return
        assert self.found.program is not None
        self.say("programs beside it")
        with suppress(LimitReachedError):
            limits = self.limits.part(0.2)
            for expression in neighbours(self.found.program, self.letters):
                limits.check("the search beside the program")
                self._try(expression)

    def look_at_joined(self, limits: Limits) -> None:
        """Look at conjunctions and disjunctions of parts that are right on the bank together."""
        every, found = self.every, self.found
        if found.exact or (found.size is not None and found.size <= REACHED):
            return
        self.say("programs joined from two")
        largest = JOINED if found.size is None else found.size
        with suppress(LimitReachedError):
            listed = joined_rivals(every.bank, self.labels, largest, every.positions, limits)
            for expression in listed:
                self._try(expression)

    def _try(self, expression: Bool) -> None:
        """Take in any program of the grammar that is not too large, or was looked at."""
        size = size_of([expression])
        if self.found.size is None or self.found.looked < size <= self.found.size:
            self._take(expression, size)

    def _take(self, expression: Bool, size: int) -> None:
        """Take in a program: what the bank says of it, or a comparison."""
        self.limits.spend(EVALUATION)
        program = Program.of(expression, alphabet=self.letters, empty=self.empty)
        values = np.asarray(accepts(program, self.words))
        wrong = np.flatnonzero(values != self.labels)
        if len(wrong):
            self._differs_at(expression, size, int(wrong[0]))
        else:
            self.tell(expression, size)
