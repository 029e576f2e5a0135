"""The length complexity of a regular language among automata, by their states.

Of all complete automata that agree with f on the words up to N take one with the fewest states. The
length complexity is the least N from which that is always f; ties count against f:

    N(f) = the greatest length of a shortest word that tells f from an automaton g != f
           that has no more states than f

Two automata with n states are together one with 2n states, and two of its states that differ do so
on a word of at most 2n - 2 letters. Let every state of f be reached by a word of at most p letters,
and every two be told apart by one of at most q. Who agrees with f up to p + q has n states, one for
each of f's; who agrees up to p + q + 1 has f's transitions too. From below, automata that differ
late are searched; where the search ends, N is exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.languages.dfa import DFA

Table = list[list[int]]
PAIR = 2e-6
"""Seconds for a pair of states, about."""
LARGEST = 400
"""Most transitions of an automaton among whose rivals all are searched."""


@dataclass(frozen=True)
class AutomatonLength:
    """An interval for N, and the automaton behind its lower end.

    ``rival`` has no more states, agrees on all words shorter than ``word``, and differs there.
    """

    states: int
    low: int
    high: int
    rival: DFA
    word: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """Whether the interval is one number."""
        return self.low == self.high


def by_states(dfa: DFA, limits: Limits | None = None) -> AutomatonLength:
    """Return the length complexity of a regular language among automata.

    Example:
        >>> from lengthwise.languages.regex import compile_regex
        >>> found = by_states(compile_regex("(ab)*"))
        >>> found.states, found.low, found.high, "".join(found.word)
        (3, 3, 3, 'aab')
    """
    search = _Search(dfa.minimise(), limits or Limits(10))
    try:
        search.redirect()
        if search.states * search.letters > LARGEST:
            return search.result()
        while search.low < search.high and search.beyond(search.low):
            pass
        search.high = search.low  # nothing differs later: the search came to its end
    except LimitReachedError:
        pass
    return search.result()


class _Search:
    def __init__(self, dfa: DFA, limits: Limits) -> None:
        self.dfa, self.limits = dfa, limits
        self.table: Table = dfa.transitions.tolist()
        self.outputs = [bool(value) for value in dfa.accepting]
        self.start = dfa.initial
        self.states, self.letters = len(self.table), len(dfa.alphabet)
        self.low, self.word = 0, ()
        # somebody who says the opposite differs on the empty word
        self.rival: tuple[Table, list[bool]] = (
            [[0] * self.letters],
            [not self.outputs[self.start]],
        )
        reach, apart = self._access(), self._apart()
        self.high = min(2 * self.states - 2, reach + apart + 1)

    def _access(self) -> int:
        """Return how long a word may be needed to reach a state."""
        seen, level, length = {self.start}, [self.start], 0
        while more := {t for s in level for t in self.table[s]} - seen:
            seen |= more
            level, length = list(more), length + 1
        return length

    def _apart(self) -> int:
        """Return how long a word may be needed to tell two states apart: rounds of refinement."""
        table, block = np.array(self.table), np.array(self.outputs, dtype=np.int64)
        count, rounds = len(np.unique(block)), 0
        while count < self.states:
            rows = np.column_stack([block, block[table]])
            block = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
            count, rounds = len(np.unique(block)), rounds + 1
        return rounds

    def redirect(self) -> None:
        """Try f itself with one transition redirected, or one state's answer turned."""
        for rows, outputs in self._changed():
            self.limits.spend(PAIR * self.states)
            self.limits.check("the search for other automata")
            found = self._differs(rows, outputs, self.start)
            if found is not None and len(found) > self.low:
                self._keep(found, rows, outputs, self.start)

    def _changed(self) -> Iterator[tuple[Table, list[bool]]]:
        for state in range(self.states):
            turned = [*self.outputs]
            turned[state] = not turned[state]
            yield self.table, turned
            for letter in range(self.letters):
                for target in range(self.states):
                    if target != self.table[state][letter]:
                        rows = [[*row] for row in self.table]
                        rows[state][letter] = target
                        yield rows, self.outputs

    def _differs(self, rows: Table, outputs: list[bool], start: int) -> tuple[int, ...] | None:
        """Return a shortest word on which another automaton differs, or None if it is f."""
        first = self.start, start
        words: dict[tuple[int, int], tuple[int, ...]] = {first: ()}
        queue = [first]
        for pair in queue:
            if self.outputs[pair[0]] != outputs[pair[1]]:
                return words[pair]
            for letter in range(self.letters):
                after = self.table[pair[0]][letter], rows[pair[1]][letter]
                if after not in words:
                    words[after] = (*words[pair], letter)
                    queue.append(after)
        return None

    def _keep(self, word: tuple[int, ...], rows: Table, outputs: list[bool], start: int) -> None:
        order = [start, *(s for s in range(len(rows)) if s != start)]
        place = {s: k for k, s in enumerate(order)}
        self.low, self.word = len(word), word
        self.rival = [[place[t] for t in rows[s]] for s in order], [outputs[s] for s in order]

    def beyond(self, agreed: int) -> bool:
        """Look for an automaton that agrees with f up to a length and differs later.

        States are numbered as words reach them, and a transition is chosen when a word needs it, so
        that each automaton is built once and given up at the first short word where it is wrong.
        """
        rows: Table = [[-1] * self.letters]
        outputs = [self.outputs[self.start]]
        return self._extend(rows, outputs, agreed)

    def _extend(self, rows: Table, outputs: list[bool], agreed: int) -> bool:
        self.limits.check("the search for other automata")
        first: tuple[int, int] = (self.start, 0)
        words: dict[tuple[int, int], tuple[int, ...]] = {first: ()}
        queue: list[tuple[int, int]] = [first]
        for pair in queue:
            self.limits.spend(PAIR)
            word = words[pair]
            if self.outputs[pair[0]] != outputs[pair[1]]:
                if len(word) <= agreed:
                    return False
                self._keep(word, _filled(rows), outputs, 0)
                return True
            for letter in range(self.letters):
                state, other = self.table[pair[0]][letter], rows[pair[1]][letter]
                if other < 0:
                    return self._choose(rows, outputs, agreed, pair[1], letter, state, len(word))
                if (state, other) not in words:
                    words[state, other] = (*word, letter)
                    queue.append((state, other))
        return False

    def _choose(
        self,
        rows: Table,
        outputs: list[bool],
        agreed: int,
        place: int,
        letter: int,
        state: int,
        length: int,
    ) -> bool:
        """Try every target of a transition that the word so far needs, a new state last."""
        for target in range(min(len(rows) + 1, self.states)):
            answers = [*outputs]
            if target == len(rows):
                right = self.outputs[state]
                answers.append(right if length + 1 <= agreed else not right)
            changed = [[*row] for row in rows] + [[-1] * self.letters] * (target == len(rows))
            changed[place] = [*changed[place]]
            changed[place][letter] = target
            if self._extend(changed, answers, agreed):
                return True
        return False

    def result(self) -> AutomatonLength:
        letters = self.dfa.alphabet
        rows, outputs = self.rival
        rival = DFA(letters, rows, 0, outputs)
        word = tuple(letters[code] for code in self.word)
        return AutomatonLength(self.states, self.low, self.high, rival, word)


def _filled(rows: Table) -> Table:
    """Let transitions that no word needed stay where they are."""
    return [[state if t < 0 else t for t in row] for state, row in enumerate(rows)]
