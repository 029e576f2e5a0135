"""Answers that the last few letters give away: a complete check on an automaton.

    words a s a s ... in which every letter is followed by the state behind it (parity: e, o)

        0 e 1 o 1 e 0 e            at a letter the next state is asked for:
          | |                      the letter and the state before it, a window of two letters,
          `-'--> o                 say what it is, wherever in the word that is

Every word that can be asked about is followed through the automaton together with its last letters.
There are finitely many such pairs; if none gives one window two answers, the windows decide.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np

from lengthwise.languages.machine import FREE
from lengthwise.languages.regular_answers import RegularAnswers

Window = tuple[str, ...]
"""The last letters, oldest first; fewer than the width only at the beginning of a word."""

Moves = list[list[tuple[int, int]]]
"""For every state the letters that may follow, each with the next state."""
_Pair = tuple[int, tuple[int, ...]]
MOST_WINDOWS = 200_000
"""Pairs of a state and a window that are followed; an automaton with more is not decided here."""


@dataclass(frozen=True)
class WindowAnswers:
    """The answer of every window that can be asked about; ``pairs`` were followed to see that.

    ``shown`` is a length to which texts show every window: who has seen them has seen every rule.
    """

    width: int
    answers: dict[Window, str]
    pairs: int
    shown: int

    def answer(self, word: Window) -> str | None:
        """Return the answer behind a word; None where nothing is asked."""
        return self.answers.get(tuple(word[-self.width :]))

    @property
    def offsets(self) -> int:
        """How far behind the letter in view a program has to look."""
        return self.width - 1


def window_answers(
    answers: RegularAnswers, widest: int = 3, most: int = MOST_WINDOWS
) -> WindowAnswers | None:
    """Return the narrowest window that gives away every answer, or None.

    Only for answers that are read at a letter: read behind the word, no letter is in view.

    Example:
        >>> from lengthwise.languages.dfa import DFA
        >>> last = DFA("ab", [[0, 1], [0, 1]], 0, [True, False])
        >>> table = np.array([[0, 1], [0, 1]])
        >>> window_answers(RegularAnswers(last, ("x", "y"), table, "labels")).answers
        {('a',): 'x', ('b',): 'y'}
    """
    if answers.read != "labels":
        return None
    moves = useful_moves(answers)
    for width in range(1, widest + 1):
        found, over = _windows(answers, moves, width, most)
        if over:
            return None
        if found is not None:
            return found
    return None


def all_windows(
    answers: RegularAnswers, width: int, most: int = MOST_WINDOWS
) -> WindowAnswers | None:
    """Return the windows of one width, or None if they do not decide or are too many."""
    return _windows(answers, useful_moves(answers), width, most)[0]


def useful_moves(answers: RegularAnswers) -> Moves:
    """List (letter, state) from every state, without those behind which nothing is ever asked."""
    dfa = answers.automaton
    targets = dfa.transitions
    asked = answers.table[targets, np.arange(dfa.symbols)] != FREE
    useful = asked.any(axis=1)
    while True:
        more = useful | useful[targets].any(axis=1)
        if (more == useful).all():
            break
        useful = more
    kept = asked | useful[targets]
    return [
        [(int(letter), int(targets[state, letter])) for letter in np.flatnonzero(kept[state])]
        for state in range(dfa.states)
    ]


def _windows(
    answers: RegularAnswers, moves: Moves, width: int, most: int
) -> tuple[WindowAnswers | None, bool]:
    """Follow every pair of a state and a window; say whether there were too many."""
    start: _Pair = (answers.automaton.initial, ())
    seen: dict[_Pair, int] = {start: 0}
    queue: deque[_Pair] = deque([start])
    found: dict[tuple[int, ...], int] = {}
    shown = 0
    table = answers.table
    while queue:
        state, window = queue.popleft()
        for letter, target in moves[state]:
            longer = (*window, letter)[-width:]
            asked = int(table[target, letter])
            if asked != FREE:
                if longer not in found:  # pairs are met in the order of their shortest words
                    shown = max(shown, seen[state, window] + 1)
                if found.setdefault(longer, asked) != asked:
                    return None, False
            if (target, longer) not in seen:
                if len(seen) >= most:
                    return None, True
                seen[target, longer] = seen[state, window] + 1
                queue.append((target, longer))
    names, letters = answers.names, answers.automaton.alphabet
    spelled = {tuple(letters[a] for a in window): names[k] for window, k in found.items()}
    return WindowAnswers(width, spelled, len(seen), shown), False
