"""Learning an automaton from a predicate on words, and saying when it must not be trusted.

Angluin's L* (1987) with the counterexample treatment of Rivest and Schapire (1993). The automaton
is learned from all words up to half the length to which all words are read, and trusted only if

* it stays as it is while that bound doubles,
* the bound exceeds its access depth plus its distinguishing length, so that every transition was
  seen with every difference that it makes,
* longer words, made on purpose (:mod:`.longer`), do not contradict it,
* its language is not finite or cofinite, unless length alone decides: what a sparse language does
  beyond its short members cannot be seen.

Even then the result is *learned*, not proved: nothing is known beyond the words that were read.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from lengthwise.core.limits import Limits
from lengthwise.languages.asked import MOST_WORDS, Asked
from lengthwise.languages.dfa import DFA
from lengthwise.languages.longer import tests_of

Word = tuple[int, ...]

LEAST_TESTS = 500
"""With fewer longer words than this (a slow function) an automaton is not trusted."""


@dataclass(frozen=True)
class LearnedAutomaton:
    """An automaton that fits all words up to ``fitted``; ``doubt`` says why not to trust it."""

    dfa: DFA | None
    fitted: int
    asked: Asked
    doubt: str = ""

    @property
    def note(self) -> str:
        """One sentence on what is known."""
        return f"learned from a function, not proved equal to it; read: {self.asked.sentence}"


class _GaveUpError(Exception):
    """More states are needed than allowed, or more time."""


def learn(
    member: Callable[[str], object],
    alphabet: Iterable[str] = (),
    *,
    max_states: int = 200,
    most_words: int = MOST_WORDS,
    seconds: float = 60.0,
    seed: int = 0,
) -> LearnedAutomaton:
    """Learn the minimal automaton of a predicate on words.

    Args:
        member: the predicate, or an ``Asked`` of it, which has an alphabet and keeps the answers.
        alphabet: the symbols (single characters).
        max_states: give up when more states are needed.
        most_words: all words are read up to the length at which there are more than these.
        seconds: time for reading and trying; what is too slow leaves a doubt.
        seed: of the longer words.

    Example:
        >>> learn(lambda word: word.count("a") % 3 == 0, "ab").dfa.states
        3
        >>> learn(lambda word: word == word[::-1], "ab").doubt  # doctest: +ELLIPSIS
        "an automaton of ... states fits all words to length 8 but not '...'"
    """
    asked = member if isinstance(member, Asked) else Asked(member, alphabet)
    DFA(asked.letters, [[0] * len(asked.letters)], 0, [False])  # the alphabet's own checks
    limits = Limits(seconds)
    asked.read_all(most=most_words, seconds=seconds / 2)
    fitted = asked.complete // 2
    try:
        dfa = _Learner(asked, max_states, limits).fit(fitted).minimise()
    except _GaveUpError as error:
        return LearnedAutomaton(None, fitted, asked, f"{error} fits all words to length {fitted}")
    doubt = (
        _unchanged(dfa, fitted, asked)
        or _longer(dfa, fitted, asked, limits, np.random.default_rng(seed))
        or _deep(dfa, asked)
        or _finite(dfa, asked)
    )
    return LearnedAutomaton(dfa, fitted, asked, doubt)


def _unchanged(dfa: DFA, fitted: int, asked: Asked) -> str:
    """Say a word, read completely, that the automaton of the shorter words gets wrong."""
    wrong = first_difference(dfa, asked, asked.complete)
    return "" if wrong is None else _refuted(dfa, fitted, dfa.decode(wrong))


def _refuted(dfa: DFA, fitted: int, word: str) -> str:
    shown = word if len(word) <= 60 else word[:57] + "..."
    return f"{_size(dfa)} fits all words to length {fitted} but not {shown!r}"


def _size(dfa: DFA) -> str:
    return f"an automaton of {dfa.states} state{'s' if dfa.states > 1 else ''}"


def _deep(dfa: DFA, asked: Asked) -> str:
    depth, difference = access_depth(dfa), distinguishing_length(dfa)
    if asked.complete > depth + difference:
        return ""
    return (
        f"{_size(dfa)} needs all words to length {depth + difference + 1} "
        f"to be told from others, and they were read to length {asked.complete}"
    )


def _finite(dfa: DFA, asked: Asked) -> str:
    """Say that long words all looked the same, unless length alone decides or the user drew."""
    if asked.constant:
        return "all words that were read have the same answer, so nothing is learned from them"
    if asked.has_sampler or (dfa.transitions == dfa.transitions[:, :1]).all():
        return ""
    for machine, kind in ((dfa, "members"), (dfa.complement(), "words outside")):
        if _longest_path(machine) is not None:
            return (
                f"the {kind} that were seen are short (to length {_longest_path(machine)}) and "
                "longer ones may exist: draw some in a function `name_members(rng, length)`"
            )
    return ""


def _longer(dfa: DFA, fitted: int, asked: Asked, limits: Limits, rng: "np.random.Generator") -> str:
    """Try longer words; the first that the automaton gets wrong refutes it."""
    cut = False
    for batch in tests_of(dfa, asked, rng):
        for start in range(0, len(batch), 50):
            cut = limits.over
            if cut:
                break
            words = batch[start : start + 50]
            for word, answer in zip(words, asked.ask(words), strict=True):
                if dfa.accepts(word) != answer:
                    return _refuted(dfa, fitted, word)
    if cut and len(asked.others) < LEAST_TESTS:
        return f"the function is slow: only {len(asked.others)} longer words were read"
    return ""


def first_difference(dfa: DFA, asked: Asked, bound: int) -> Word | None:
    """Return the first word up to a length, read completely, on which automaton and answers differ.

    Example:
        >>> asked = Asked(lambda word: len(word) == 2, "ab")
        >>> asked.read_all(most=20)
        >>> first_difference(DFA("ab", [[0, 0]], 0, [False]), asked, 3)
        (0, 0)
    """
    states = np.array([dfa.initial])
    for length in range(bound + 1):
        wrong = np.flatnonzero(dfa.accepting[states] != asked.tables[length])
        if len(wrong):
            return tuple(dfa.encode(asked.word(length, int(wrong[0]))))
        states = dfa.transitions[states].ravel()
    return None


def access_depth(dfa: DFA) -> int:
    """Return the length of the longest shortest word into a state."""
    depth, seen, edge = 0, {dfa.initial}, {dfa.initial}
    while edge := {int(t) for q in edge for t in dfa.transitions[q]} - seen:
        seen |= edge
        depth += 1
    return depth


def distinguishing_length(dfa: DFA) -> int:
    """Return the length that suffixes need to tell all states of a minimal automaton apart.

    Example:
        >>> distinguishing_length(DFA("a", [[1], [2], [0]], 0, [True, False, False]))
        1
    """
    classes, rounds = dfa.accepting.astype(np.int64), 0
    while True:
        rows = np.column_stack([classes, classes[dfa.transitions]])
        _, finer = np.unique(rows, axis=0, return_inverse=True)
        if finer.max() == classes.max():
            return rounds
        classes, rounds = finer.ravel(), rounds + 1


def _longest_path(dfa: DFA) -> int | None:
    """Return the length of the longest accepted word, None if there is no longest."""
    live, layer = dfa.live(), {dfa.initial}
    longest = -1
    for length in range(dfa.states + 1):
        layer = {q for q in layer if live[q]}
        if not layer:
            return longest
        if any(dfa.accepting[q] for q in layer):
            longest = length
        layer = {int(t) for q in layer for t in dfa.transitions[q]}
    return None


class _Learner:
    def __init__(self, asked: Asked, max_states: int, limits: Limits) -> None:
        self.asked = asked
        self.max_states, self.limits = max_states, limits
        self.suffixes: list[Word] = [()]
        self.access: list[Word] = [()]

    def fit(self, bound: int) -> DFA:
        """Return an automaton that agrees on all words up to the bound."""
        while True:
            hypothesis = self.hypothesis()
            wrong = first_difference(hypothesis, self.asked, bound)
            if wrong is None:
                return hypothesis
            self.learn_from(hypothesis, wrong)

    def ask(self, word: Word) -> bool:
        return self.asked("".join(self.asked.letters[a] for a in word))

    def row(self, word: Word) -> tuple[bool, ...]:
        return tuple(self.ask(word + suffix) for suffix in self.suffixes)

    def hypothesis(self) -> DFA:
        """Close the table: one state per distinct row."""
        rows = {self.row(word): number for number, word in enumerate(self.access)}
        table: list[list[int]] = []
        letters = self.asked.letters
        for word in self.access:  # grows while it is read
            if self.limits.over:
                raise _GaveUpError("no automaton that could be learned in time")
            line: list[int] = []
            for letter in range(len(letters)):
                found = self.row((*word, letter))
                if found not in rows:
                    rows[found] = len(self.access)
                    self.access.append((*word, letter))
                    if len(self.access) > self.max_states:
                        raise _GaveUpError(f"no automaton of at most {self.max_states} states")
                line.append(rows[found])
            table.append(line)
        return DFA(letters, table, 0, [self.ask(word) for word in self.access])

    def learn_from(self, dfa: DFA, word: Word) -> None:
        """Add the suffix at which the hypothesis goes wrong (Rivest and Schapire 1993)."""
        low, high = 0, len(word)
        while high - low > 1:
            middle = (low + high) // 2
            prefix = self.access[dfa.step(0, word[:middle])]
            if self.ask(prefix + word[middle:]) == self.ask(word):
                low = middle
            else:
                high = middle
        self.suffixes.append(word[high:])
