"""Another task as one question: a word, and one answer behind it that an automaton knows.

parity        the prompt, and its answer
tomita-3      every regular language: a word, accept or reject (supervision=recognition)
flip-flop     labels along the way: the word to the last label that is asked for, and that label
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.languages.dfa import DFA
from lengthwise.languages.graphs import reachable
from lengthwise.languages.machine import COMPARED_STATES, FREE, Machine, merge_free
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.tasks import load_task, read_by
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch
from lengthwise.tasks.formal.regular import RegularTask
from lengthwise.tasks.formal.user import Regex

MOST_STATES = 200
"""Automata with more states are not spelled: each is a symbol of its own."""


@dataclass(frozen=True)
class EndQuestion:
    """The words of a task, and an automaton whose states know the answer behind each.

    ``read`` follows the words that occur (``asked[state]`` is the answer behind them, or FREE where
    no word ends); ``steps`` is a machine with as few states as the answers need, which is spelled.
    """

    task: Task
    read: DFA
    asked: Int[np.ndarray, "q"]
    names: tuple[str, ...]
    steps: Machine
    dropped: tuple[str, ...] = ()
    """Symbols of the task that are left out of the words."""

    @property
    def letters(self) -> tuple[str, ...]:
        """The symbols of the words."""
        return self.read.alphabet

    def words(self, batch: Batch) -> tuple[Int[np.ndarray, "b n"], Int[np.ndarray, "b"]]:
        """Return the words of a batch as letters, -1 behind them, and their sizes."""
        vocabulary, marked = self.task.vocabulary, batch.supervised
        rows = np.arange(len(batch.size))
        if self._behind:
            place = np.argmax(marked, axis=1)
            sizes = place - 1 + (batch.tokens[rows, place] != vocabulary.sep)
        else:
            sizes = marked.shape[1] - 1 - np.argmax(marked[:, ::-1], axis=1)
        width = int(sizes.max(initial=0))
        code = np.full(len(vocabulary), -1)
        for number, letter in enumerate(self.letters):
            code[vocabulary.ids[letter]] = number
        words = code[batch.tokens[:, 1 : width + 1]]
        words[np.arange(width) >= sizes[:, None]] = -1
        if self.dropped:  # the others move to the front, in order
            sizes = (words >= 0).sum(axis=1)
            words = np.take_along_axis(words, np.argsort(words < 0, axis=1, kind="stable"), axis=1)
            words = words[:, : int(sizes.max(initial=0))]
        return words, sizes

    @property
    def neutral(self) -> tuple[str, ...]:
        """The letters that change no state: a word without them has the same answer."""
        small = Machine(self.letters, self.read.transitions, self.read.initial, self.asked)
        moves = small.minimise().transitions
        same = (moves == np.arange(len(moves))[:, None]).all(axis=0)
        return tuple(letter for letter, stays in zip(self.letters, same, strict=True) if stays)

    def without(self, letters: Sequence[str]) -> Self:
        """Leave neutral letters out of the words."""
        wrong = [letter for letter in letters if letter not in self.neutral]
        kept = [k for k, letter in enumerate(self.letters) if letter not in letters]
        if wrong or not kept:
            known = " ".join(self.neutral) or "none"
            raise InputError(
                f"task {self.task.name!r}: drop={' '.join(letters)} must be symbols that change "
                f"nothing ({known}), and not all there are."
            )
        names, read = tuple(self.letters[k] for k in kept), self.read
        small = DFA(names, read.transitions[:, kept], read.initial, read.accepting)
        steps = _fewest(small, self.asked)
        return replace(self, read=small, steps=steps, dropped=tuple(letters))

    @property
    def _behind(self) -> bool:
        answers = self.task.answers
        return answers is not None and answers.read == "answer"

    def longest_word(self, length: int) -> int:
        """Return the most letters that a word of at most this length can have."""
        return max(0, self.task.max_tokens(length) - (4 if self._behind else 1))


def end_question(task: Task) -> EndQuestion:
    """Read a task as one question behind a word, or say what is missing.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> found = end_question(load_task("parity"))
        >>> found.steps.states, found.names
        (2, ('e', 'o'))
    """
    if isinstance(task, RegularTask):
        task = replace(task, supervision="recognition", words="language")
    answers = task.answers
    if answers is None:
        raise InputError(
            f"task {task.name!r}: no states are known, so that there are no steps to write; steps "
            "need an automaton: a regular language, or a task that declares `answers`."
        )
    read, asked = _by_state(answers)
    steps = _fewest(read, asked)
    if steps.states > MOST_STATES:
        raise InputError(
            f"task {task.name!r}: {steps.states} states are too many to spell, each as a symbol of "
            f"its own; steps are written for automata of up to {MOST_STATES} states."
        )
    return EndQuestion(task, read, asked, answers.names, steps)


def _fewest(read: DFA, asked: Int[np.ndarray, "q"]) -> Machine:
    """Return a machine with as few states as the answers need."""
    machine = Machine(read.alphabet, read.transitions, read.initial, asked)
    small = machine.minimise()
    if FREE not in asked or read.states > COMPARED_STATES:
        return small
    return min((small, merge_free(machine)), key=lambda one: one.states)


def inner_question(text: str, alphabet: str, drop: str = "") -> EndQuestion:
    """Load the task that steps are added to; ``alphabet`` is for expressions alone.

    Formats of one task share it, and with it the tables that its words are drawn from.
    """
    return _inner_question(text, alphabet, drop, tuple(read_by({"task": text}).items()))


@lru_cache(maxsize=16)
def _inner_question(
    text: str, alphabet: str, drop: str, contents: tuple[tuple[str, bytes], ...]
) -> EndQuestion:
    del contents  # another file, another question
    found = load_task(text)
    if alphabet:
        if not isinstance(found, Regex):
            raise InputError(f"task {text!r}: alphabet= is for regular expressions.")
        found = replace(found, alphabet=alphabet)
    question = end_question(found)
    return question.without(drop.split() if " " in drop else tuple(drop)) if drop else question


def _by_state(answers: RegularAnswers) -> tuple[DFA, Int[np.ndarray, "q"]]:
    """Split states by their last letter where the answer depends on it."""
    dfa, table = answers.automaton, answers.table
    if (table == table[:, :1]).all():
        return dfa, np.array(table[:, 0])
    letters = dfa.symbols  # state (q, a) behind a letter a is q * letters + a; the first is extra
    start = dfa.states * letters
    rows = [dfa.transitions[q] * letters + np.arange(letters) for q in range(dfa.states)]
    transitions = np.array([*(row for row in rows for _ in range(letters)), rows[dfa.initial]])
    asked = np.append(table.ravel(), FREE)
    keep = reachable(transitions.astype(np.int32), start)
    new = np.cumsum(keep) - 1
    small = new[transitions[keep]]
    return DFA(dfa.alphabet, small, int(new[start]), np.zeros(len(small), dtype=bool)), asked[keep]
