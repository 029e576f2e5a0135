"""How two languages lie to each other: equal, one inside the other, disjoint, or different.

Words fall into four regions: in both, only in the first, only in the second, in neither. For each a
shortest word is sought, or a proof that there is none:

1. Both sides are followed at once, shortest words first (:mod:`.finite`: configurations). Where
   that ends, every region without a word is empty: **all configurations were compared**.
2. Where it does not end, the **form** of what is left (:mod:`.meanings`) may be that of nothing:
   so it is for two texts of one meaning. Else a **walk** that follows sums near their bounds only
   may show that no word gets there (:mod:`.walks`), for any number of layers.
3. Where both are programs of one layer (:mod:`.event_paths`), what is left is a question about
   whole numbers, decided with a **refuted linear system** for every way in.
4. Else a region without a word is **open**, up to the length that was searched. Equality of C-RASP
   programs is undecidable in general (from two layers on).
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, Protocol

from lengthwise.core.integer_rows import GaveUpError, LinearRow, Proof, refutes, solve
from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.crasp.constraints import TooManyCasesError
from lengthwise.crasp.embedding import any_of, never
from lengthwise.crasp.event_paths import EventPaths, NotOneLayerError, Side, decided, demands
from lengthwise.crasp.finite import CountingMachine
from lengthwise.crasp.interpreter import accepts_empty
from lengthwise.crasp.machines import TooLargeError
from lengthwise.crasp.meanings import Boolean, Meanings, UnwrittenError
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import And, Bool, Not, Symbol
from lengthwise.crasp.unsugared import unsugared
from lengthwise.crasp.walks import Walks, statement
from lengthwise.languages.convention import Accept
from lengthwise.languages.dfa import DFA

FEW, FIRST = 16, 1_000
"""Pairs of configurations that are followed before forms, and before walks and linear systems."""
CONFIGURATIONS = 30_000
"""Pairs of configurations that are followed at most."""
CONFIGURATION, FORM, PIVOT = 1.5e-4, 2e-3, 2e-7
"""Seconds for a configuration, for a form, and for an entry of a linear system, about."""

How = Literal["word", "configurations", "form", "walk", "linear", "open"]
Key = tuple[bool, bool]
REGIONS: tuple[Key, ...] = ((True, True), (True, False), (False, True), (False, False))


@dataclass(frozen=True)
class Region:
    """One part of the picture: a shortest word in it, or why there is none."""

    how: How
    word: tuple[str, ...] | None = None
    shortest: bool = True
    """Whether no shorter word lies in the region."""
    searched: int = -1
    """Where it is open, or shorter words were not excluded: no word up to this length."""
    systems: int = 0
    """Where it is empty by linear systems: how many were refuted."""
    walk: dict[str, Any] | None = None
    """Where it is empty by a walk: that walk, as a certificate holds it."""

    @property
    def agreed(self) -> float:
        """The length up to which no word is in the region."""
        if self.word is not None and self.shortest:
            return len(self.word) - 1
        return inf if self.empty else self.searched

    @property
    def empty(self) -> bool:
        """Whether the region was proved empty."""
        return self.how in ("configurations", "form", "walk", "linear")


@dataclass(frozen=True)
class Venn:
    """Four regions, by whether a word is in the first and in the second language.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> more = Program.of(count(Q["a"]) > count(Q["b"]))
        >>> twice = Program.of(2 * count(Q["a"]) > 2 * count(Q["b"]) + 1)
        >>> compare(more, twice, "ab").relation
        'equal'
    """

    regions: dict[Key, Region]
    letters: tuple[str, ...]
    accept: Accept
    sides: tuple[Side, ...] = ()

    @property
    def relation(self) -> str:
        """Name how the two lie to each other, as far as it is known."""
        empty = {key: region.empty for key, region in self.regions.items()}
        word = {key: region.word is not None for key, region in self.regions.items()}
        only = empty[True, False], empty[False, True]
        if only == (True, True):
            return "equal"
        if word[True, False] and word[False, True]:
            return "disjoint" if empty[True, True] else "different"
        if only[0] and word[False, True]:
            return "included"
        if only[1] and word[True, False]:
            return "includes"
        return "different" if word[True, False] or word[False, True] else "open"

    @property
    def difference(self) -> tuple[str, ...] | None:
        """A shortest word that is in one of them only, if one is known."""
        words = [self.regions[key].word for key in ((True, False), (False, True))]
        return min((w for w in words if w is not None), key=len, default=None)

    @property
    def agreed(self) -> float:
        """The length up to which they are known to accept the same words; infinite if equal."""
        return min(self.regions[key].agreed for key in ((True, False), (False, True)))


def compare(
    one: Side,
    two: Side,
    letters: Sequence[str],
    *,
    accept: Accept = "last",
    configurations: int = CONFIGURATIONS,
    limits: Limits | None = None,
) -> Venn:
    """Compare two languages, each a program or an automaton over ``letters``.

    When the time is over, what is not known by then is open.
    """
    known = tuple(letters)
    sides = tuple(over(side, known) for side in (one, two))
    search = _Search(sides, known, accept, limits or Limits(60))
    with suppress(LimitReachedError):
        search.follow(min(FEW, configurations))
        if not search.closed and search.missing:
            search.forms()
        if not search.closed and search.missing:
            search.follow(min(FIRST, configurations))
        if not search.closed and search.missing:
            search.walk()
        if not search.closed and search.missing:
            search.count()
        if not search.closed and search.missing:
            search.follow(configurations)
    return Venn(search.regions(), known, accept, sides)


def over(side: Side, letters: tuple[str, ...]) -> Side:
    """Return a side over the common letters; it rejects words with letters that it does not have.

    A program without an alphabet has all letters.
    """
    own = side.alphabet
    others = [letter for letter in letters if own is not None and letter not in own]
    if isinstance(side, DFA):
        return side if own == letters else _widened(side, letters)
    if not others:
        return side
    return Program.of(side.accept & never(any_of(map(Symbol, others))), empty=accepts_empty(side))


def _widened(side: DFA, letters: tuple[str, ...]) -> DFA:
    """Return an automaton over other letters; unknown ones lead to a state of their own."""
    dead = side.states
    columns = {letter: k for k, letter in enumerate(side.alphabet)}
    rows = [
        [int(side.transitions[v, columns[a]]) if a in columns else dead for a in letters]
        for v in range(side.states)
    ]
    return DFA(letters, [*rows, [dead] * len(letters)], side.initial, [*side.accepting, False])


class _Walk(Protocol):
    """A language followed letter by letter."""

    def start(self) -> Any: ...
    def successors(self, state: Any) -> Sequence[Any]: ...
    def output(self, state: Any) -> bool: ...


class _Automaton:
    def __init__(self, dfa: DFA) -> None:
        self._dfa, self._table = dfa, dfa.transitions.tolist()

    def start(self) -> int:
        return self._dfa.initial

    def successors(self, state: int) -> list[int]:
        return self._table[state]

    def output(self, state: int) -> bool:
        return bool(self._dfa.accepting[state])


class _Configurations:
    def __init__(self, program: Program, letters: Sequence[str], accept: Accept) -> None:
        self._machine = CountingMachine(program.accept, letters, at_end=accept == "end")
        self._empty = accepts_empty(program)
        self.successors, self.output = self._machine.successors, self._machine.output

    def start(self) -> Any:
        return self._machine.start(self._empty)


class _Search:
    def __init__(
        self, sides: Sequence[Side], letters: tuple[str, ...], accept: Accept, limits: Limits
    ) -> None:
        self._sides, self._letters, self._limits = sides, letters, limits
        self._accept: Accept = accept
        self._words: dict[Key, tuple[str, ...]] = {}
        self._long: set[Key] = set()
        self._refuted: dict[Key, int] = {}
        self._void: set[Key] = set()
        self._walks: dict[Key, dict[str, Any]] = {}
        self.closed, self._searched = False, -1

    @property
    def missing(self) -> list[Key]:
        known = {*self._words, *self._refuted, *self._void, *self._walks}
        return [key for key in REGIONS if key not in known]

    def follow(self, limit: int) -> None:
        """Follow both sides over all words, shortest first, equal pairs of configurations once."""
        try:
            walks = [self._walk(side) for side in self._sides]
        except TooManyCasesError:
            return
        first = tuple(walk.start() for walk in walks)
        parents: dict[Any, tuple[Any, int]] = {first: (None, 0)}
        level, length = [first], 0
        while level:
            for pair in level:
                self._see(walks, pair, parents)
            self._searched = length
            if not self.missing:
                return
            level, length = list(self._next(walks, level, parents)), length + 1
            if len(parents) > limit:
                return
        self.closed = True

    def _walk(self, side: Side) -> _Walk:
        if isinstance(side, DFA):
            return _Automaton(side)
        return _Configurations(side, self._letters, self._accept)

    def _next(self, walks: list[_Walk], level: list[Any], parents: Any) -> Iterator[Any]:
        for pair in level:
            self._limits.spend(CONFIGURATION)
            self._limits.check("the comparison")
            options = [walk.successors(state) for walk, state in zip(walks, pair, strict=True)]
            for letter, after in enumerate(zip(*options, strict=True)):
                if after not in parents:
                    parents[after] = pair, letter
                    yield after

    def _see(self, walks: list[_Walk], pair: Any, parents: Any) -> None:
        key = walks[0].output(pair[0]), walks[1].output(pair[1])
        if key in self._words:
            return
        word: list[str] = []
        while parents[pair][0] is not None:
            pair, letter = parents[pair]
            word.append(self._letters[letter])
        self._words[key] = tuple(reversed(word))

    def walk(self) -> None:
        """Find regions that no walk reaches."""
        given = statement(self._sides, self._letters, self._accept)
        for key in self.missing:
            search = Walks(given, key, self._limits)
            found = search.followed() or search.related()
            if found is not None:
                self._walks[key] = found

    def forms(self) -> None:
        """Find regions whose form is that of no word; the empty word was seen before."""
        if self._accept != "last" or self._searched < 0:
            return
        meanings = Meanings(self._letters)
        self._limits.spend(FORM)
        try:
            sides = [_form(side, meanings) for side in self._sides]
            for key in self.missing:
                self._limits.check("the comparison of forms")
                one, two = (
                    form if inside else meanings.negation(form)
                    for inside, form in zip(key, sides, strict=True)
                )
                if meanings.both(one, two) == meanings.constant(False):
                    self._void.add(key)
        except (TooManyCasesError, UnwrittenError, TooLargeError):
            return

    def count(self) -> None:
        """Decide what is left by linear systems, if both sides count in one layer only."""
        try:
            paths = EventPaths.build(self._sides, self._letters, self._accept)
        except NotOneLayerError:
            return
        for key in self.missing:
            self._count(key, paths)

    def _count(self, key: Key, paths: EventPaths) -> None:
        """Go through every state where a word may end and every way to be in the region there.

        Each system is refuted, or gives a word; then only shorter ones are asked for, so that the
        last word is a shortest one if no system was given up.
        """
        systems, sure = 0, True
        for end in sorted({v for _, v in paths.edges}):
            for signs in demands(_both(key, [formulas[end] for formulas in paths.formulas])):
                systems += 1
                while True:
                    rows = paths.rows(end, signs)
                    if key in self._words:
                        rows.append(paths.at_most(len(self._words[key]) - 1))
                    result = self._solve(rows, paths)
                    if not isinstance(result, tuple):
                        break
                    self._words[key] = paths.word(result, end)
                sure &= result is not None
        if key not in self._words and sure:
            self._refuted[key] = systems
        if key in self._words and not sure:
            self._long.add(key)

    def _solve(self, rows: list[LinearRow], paths: EventPaths) -> tuple[int, ...] | Proof | None:
        """Return a path, a proof that there is none, or None when the search gives up."""

        def check() -> None:
            self._limits.spend(PIVOT * len(rows) ** 2 * (len(rows) + len(paths.edges)))
            self._limits.check("a linear system")

        try:
            result = solve(rows, len(paths.edges), unwanted=paths.disconnected, check=check)
        except GaveUpError:
            return None
        assert isinstance(result, tuple) or refutes(result, rows, paths.valid), "no proof"
        return result

    def regions(self) -> dict[Key, Region]:
        """Return what is known of each region."""
        return {key: self._region(key) for key in REGIONS}

    def _region(self, key: Key) -> Region:
        if key in self._words:
            sure = key not in self._long
            return Region("word", self._words[key], sure, -1 if sure else self._searched)
        if self.closed:
            return Region("configurations")
        if key in self._walks:
            return Region("walk", walk=self._walks[key])
        if key in self._void:
            return Region("form")
        if key in self._refuted:
            return Region("linear", systems=self._refuted[key])
        return Region("open", searched=self._searched)


def _form(side: Side, meanings: Meanings) -> Boolean:
    if isinstance(side, DFA):
        return meanings.automaton(side.transitions.tolist(), side.initial, side.accepting.tolist())
    return meanings.of(unsugared(side.accept))


def _both(key: Key, formulas: Sequence[Bool]) -> Bool:
    one, two = (f if inside else Not(f) for inside, f in zip(key, formulas, strict=True))
    return decided(And(one, two), {})
