"""Learning an automaton from a function that tells whether a short word belongs.

Angluin's L* (1987) with the counterexample treatment of Rivest and Schapire (1993). Membership is
asked of the function; equivalence is tested on all words up to a bound and on random longer ones,
so the result is *learned*, not proved: it agrees with the function wherever it was asked.
Short and random words do not show counters that run far (majority looks like a saturating counter),
so an automaton of n states is also tried on pumped words, whose loops repeat more than n times.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.languages.dfa import DFA

Word = tuple[int, ...]

PUMPED = 400
"""Random pumped words that are tried."""


@dataclass(frozen=True)
class Learned:
    """An automaton that agrees with the function on every word that was asked."""

    dfa: DFA
    questions: int
    exhaustive: int

    @property
    def note(self) -> str:
        """One sentence on what is known."""
        return (
            f"learned from a function: agrees on all words up to length {self.exhaustive} and on "
            f"random and pumped longer ones ({self.questions:,} questions); not proved equal"
        )


def learn(
    member: Callable[[str], object],
    alphabet: Iterable[str],
    *,
    exhaustive: int = 8,
    random_words: int = 500,
    longest: int = 40,
    max_states: int = 200,
    seed: int = 0,
) -> Learned:
    """Learn the minimal automaton of a Python predicate on words.

    Args:
        member: called with a string, its truth value is the answer.
        alphabet: the symbols (single characters).
        exhaustive: the hypothesis is tested on all words up to this length (fewer if there are
            more than 20,000), then on ``random_words`` words of length up to ``longest``.
        max_states: refuse when more states are needed.
        seed: of the random words.

    Example:
        >>> learn(lambda word: word.count("a") % 3 == 0, "ab").dfa.states
        3
    """
    learner = _Learner(member, tuple(alphabet), max_states)
    bound = _bound(len(learner.alphabet), exhaustive)
    rng = np.random.default_rng(seed)
    while True:
        hypothesis = learner.hypothesis()
        wrong = learner.counterexample(hypothesis, bound, random_words, longest, rng)
        if wrong is None:
            found = hypothesis.minimise()
            learner.refuse_if_pumping_fails(found)
            return Learned(found, len(learner.known), bound)
        learner.learn_from(hypothesis, wrong)


def _bound(symbols: int, exhaustive: int) -> int:
    bound, total = 0, 1
    while bound < exhaustive and total * symbols <= 20_000:
        bound += 1
        total *= symbols
    return bound


def pumped_words(dfa: DFA, seed: int = 0) -> Iterator[str]:
    """Yield words in which one to three short pieces are repeated more often than there are states.

    Repetitions differ by little, so that counters that should cancel, or nearly, are met.
    """
    rng, states = np.random.default_rng(seed), dfa.states
    pieces = ["".join(p) for n in (1, 2, 3) for p in product(dfa.alphabet, repeat=n)]
    pieces = pieces if len(pieces) <= 60 else list(rng.choice(pieces, 60, replace=False))
    for piece in pieces:
        yield from (piece * count for count in range(states + 1, 2 * states + 3))
    for _ in range(PUMPED):
        base = int(rng.integers(states + 1, 2 * states + 3))
        counts = base + rng.integers(-1, 2, size=int(rng.integers(2, 4)))
        yield "".join(pieces[rng.integers(len(pieces))] * int(n) for n in counts)


class _Learner:
    def __init__(
        self, member: Callable[[str], object], alphabet: tuple[str, ...], max_states: int
    ) -> None:
        DFA(alphabet, [[0] * len(alphabet)], 0, [False])  # the alphabet's own checks
        self.member = member
        self.alphabet = alphabet
        self.max_states = max_states
        self.known: dict[Word, bool] = {}
        self.suffixes: list[Word] = [()]
        self.access: list[Word] = [()]

    def ask(self, word: Word) -> bool:
        if word not in self.known:
            text = "".join(self.alphabet[a] for a in word)
            try:
                self.known[word] = bool(self.member(text))
            except Exception as error:
                raise InputError(
                    f"the function failed on the word {text!r}: {type(error).__name__}: {error}."
                ) from error
        return self.known[word]

    def refuse_if_pumping_fails(self, found: DFA) -> None:
        """Refuse an automaton that fits short words but not words that run far around its loops."""
        code = {symbol: number for number, symbol in enumerate(self.alphabet)}
        for word in pumped_words(found):
            if found.accepts(word) != self.ask(tuple(code[symbol] for symbol in word)):
                shown = word if len(word) <= 60 else word[:57] + "..."
                raise InputError(
                    f"the function does not look regular: an automaton of {found.states} states "
                    f"fits short words but not {shown!r}."
                )

    def row(self, word: Word) -> tuple[bool, ...]:
        return tuple(self.ask(word + suffix) for suffix in self.suffixes)

    def hypothesis(self) -> DFA:
        """Close the table: one state per distinct row."""
        rows = {self.row(word): number for number, word in enumerate(self.access)}
        table: list[list[int]] = []
        for word in self.access:  # grows while it is read
            line: list[int] = []
            for letter in range(len(self.alphabet)):
                found = self.row((*word, letter))
                if found not in rows:
                    rows[found] = len(self.access)
                    self.access.append((*word, letter))
                    if len(self.access) > self.max_states:
                        raise InputError(
                            f"the function needs more than {self.max_states} states; it may not "
                            "be regular."
                        )
                line.append(rows[found])
            table.append(line)
        return DFA(self.alphabet, table, 0, [self.ask(word) for word in self.access])

    def counterexample(
        self, dfa: DFA, bound: int, random_words: int, longest: int, rng: np.random.Generator
    ) -> Word | None:
        for word in self._tests(bound, random_words, longest, rng):
            if bool(dfa.accepting[dfa.step(0, word)]) != self.ask(word):
                return word
        return None

    def _tests(
        self, bound: int, random_words: int, longest: int, rng: np.random.Generator
    ) -> Iterator[Word]:
        letters = range(len(self.alphabet))
        for length in range(bound + 1):
            yield from product(letters, repeat=length)
        for _ in range(random_words):
            length = int(rng.integers(bound + 1, max(longest, bound + 1) + 1))
            yield tuple(rng.integers(0, len(self.alphabet), size=length).tolist())

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
