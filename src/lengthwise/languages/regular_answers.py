"""Answers that are a regular function of what was read: an automaton whose states carry them.

A task declares here what it asks. With ``labels`` the answer is read at every letter, which is
visible, so it may depend on that letter; with ``answer`` it is read once, behind the word.

    bits with an even number of ones, read behind the word: e(ven) or o(dd)

        state   0   1       answer
        >  0    0   1       e
           1    1   0       o
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from lengthwise.languages.dfa import DFA
from lengthwise.languages.machine import FREE, Machine, Part, merge_free


@dataclass(frozen=True)
class RegularAnswers:
    """The answer behind a word, by the state it reaches and its last letter.

    ``table[state, letter]`` is the number of a name, or ``FREE`` where nothing is asked. Read
    behind the word, all letters have the same answer.

    Example:
        >>> even = DFA("01", [[0, 1], [1, 0]], 0, [True, False])
        >>> RegularAnswers.behind(even, ["e", "o"]).answer("0110")
        'e'
    """

    automaton: DFA
    names: tuple[str, ...]
    table: NDArray[np.int64]
    read: Literal["labels", "answer"]

    @classmethod
    def behind(cls, automaton: DFA, answers: Sequence[str | None]) -> Self:
        """Build answers that are read once, one for each state; None where nothing is asked."""
        names = tuple(dict.fromkeys(answer for answer in answers if answer is not None))
        column = [FREE if answer is None else names.index(answer) for answer in answers]
        shape = automaton.transitions.shape
        return cls(automaton, names, np.broadcast_to(np.array(column)[:, None], shape), "answer")

    @property
    def everywhere(self) -> bool:
        """Whether an answer is asked for after every word."""
        return bool((self.table != FREE).all())

    def answer(self, word: Sequence[str]) -> str | None:
        """Return the answer behind a word, letter by letter; None where nothing is asked."""
        return self.along(word)[-1]

    def along(self, word: Sequence[str]) -> list[str | None]:
        """Return the answers before the first letter of a word and behind each."""
        number = {letter: k for k, letter in enumerate(self.automaton.alphabet)}
        states, letters = [self.automaton.initial], [0]
        for letter in word:
            letters.append(number[letter])
            states.append(int(self.automaton.transitions[states[-1], letters[-1]]))
        found = self.table[states, letters].tolist()
        return [None if k == FREE else self.names[k] for k in found]

    def parts(self) -> Iterator[Part]:
        """Yield the questions that a program must answer: one for each letter in view."""
        dfa = self.automaton
        if self.read == "answer":
            yield _part(None, Machine(dfa.alphabet, dfa.transitions, dfa.initial, self.by_state))
            return
        for letter in range(dfa.symbols):
            outputs = self.table[dfa.transitions[:, letter], letter]
            machine = Machine(dfa.alphabet, dfa.transitions, dfa.initial, outputs)
            yield _part((letter,), machine)

    @property
    def by_state(self) -> NDArray[np.int64]:
        """The answers of states, where they do not depend on the letter."""
        assert (self.table == self.table[:, :1]).all()
        return self.table[:, 0]


def _part(letters: tuple[int, ...] | None, machine: Machine) -> Part:
    """Let a program follow any machine that gives the answers that are asked for."""
    small = machine.minimise()
    if (machine.outputs == FREE).all():  # nothing is asked
        return Part(letters, (small,), machine)
    if FREE in machine.outputs:  # then a refutation argues about the machine as it is
        return Part(letters, (small, merge_free(machine)), machine)
    return Part(letters, (small,), small)
