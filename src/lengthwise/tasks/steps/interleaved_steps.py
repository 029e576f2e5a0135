"""Steps inside: after every k-th symbol the state, or after every symbol how it changed.

A state is found by looking at the last symbols; a change by counting: the state is j if it was
entered once more often than left. So changes need no positions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.crasp.embedding import Q, any_of, count, exists, never, number
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Bool, Count
from lengthwise.crasp.window_program import window_program
from lengthwise.languages.machine import FREE
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.languages.window_answers import window_answers
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.tasks.derived import DerivedTask
from lengthwise.tasks.steps.end_question import EndQuestion, inner_question
from lengthwise.tasks.steps.format_answers import StepNames, format_answers
from lengthwise.tasks.vocabulary import EOS, SEP, Vocabulary

MOST_EVERY = 8
LARGEST_PROGRAM = 20_000
"""Rules of a program that is written down: one for each state and each block of symbols."""
LAST_SYMBOLS = 4
"""How far back a program looks that answers the bare question."""


@dataclass(frozen=True, kw_only=True)
class StepsInside(DerivedTask):
    """Another task with the state written after every ``every``-th symbol: ``steps:parity``.

    ``<bos> 1 q1 0 q1 1 q0 <sep> e <eos>``: the symbols are given, the model writes the states, the
    answer and ``<eos>``. With ``every=0`` no step is written: the bare question, to compare with.
    The task may be any with an automaton behind it (``steps:regex:(aa)*;every=2``). ``joined``
    writes one symbol for several states (``0.3-1.2.4``: for 0 and 3, and for the other three),
    ``prefix`` names the states where ``q`` clashes, ``alphabet`` the symbols of an expression.
    With ``write=change`` a step says from which state to which, or that nothing changed:
    ``<bos> 1 q0>q1 0 q= 1 q1>q0 <sep> e <eos>``. ``drop`` leaves out symbols that change nothing.
    """

    every: int = 1
    write: Literal["state", "change"] = "state"
    joined: str = ""
    drop: str = ""
    prefix: str = "q"
    alphabet: str = ""

    name: ClassVar[str] = "steps"
    summary: ClassVar[str] = "any regular task with its states written along: steps:parity;every=2"
    example: ClassVar[str] = "steps:parity;every=1"
    min_length: ClassVar[int] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.every <= MOST_EVERY:
            raise InputError(f"task 'steps': every={self.every} is not in 0..{MOST_EVERY}.")
        if self.write == "change" and (self.every != 1 or self.joined):
            raise InputError("task 'steps': write=change needs every=1 and no joined states.")
        check_names(self.name, self.question, self.steps.names)

    @cached_property
    def inner(self) -> Task:
        """The task whose words are read: all of them, where it is about a language."""
        return self.question.task

    @cached_property
    def question(self) -> EndQuestion:
        """The words, and the states and answer behind them."""
        return inner_question(self.task, self.alphabet, self.drop)

    @cached_property
    def steps(self) -> StepNames:
        """The symbols that are written for steps; none where no step is written."""
        if self.write == "change":
            return _changes(self.question, self.prefix)
        states = list(range(self.question.steps.states if self.every else 0))
        for group in filter(None, self.joined.split("-")):
            members = [int(text) if text.isdecimal() else -1 for text in group.split(".")]
            if not all(0 <= state < len(states) for state in members):
                raise InputError(
                    f"task 'steps': joined={self.joined} does not name states 0 to "
                    f"{len(states) - 1}, as 0.3-1.2."
                )
            for state in members:
                states[state] = states[members[0]]
        kept = list(dict.fromkeys(states))
        numbers = np.array([kept.index(state) for state in states], dtype=np.int64)
        table = np.tile(numbers, (len(states), 1))
        return StepNames(tuple(f"{self.prefix}{state}" for state in kept), table)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Letters, states and answers."""
        every = (*self.question.letters, *self.steps.names, *self.question.names)
        return Vocabulary(tuple(dict.fromkeys(every)))

    @property
    def longest(self) -> int | None:
        """As for the inner task."""
        return self.inner.longest

    def max_tokens(self, length: int) -> int:
        """The word with its steps, and ``<bos>``, ``<sep>``, the answer and ``<eos>``."""
        size = self.question.longest_word(length)
        return size + (size // self.every if self.every else 0) + 4

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw words of the inner task and write the states into them."""
        words, sizes = self.question.words(self.inner.sample(rng, lengths))
        return self.lay_out(words, sizes, lengths)

    def lay_out(
        self,
        words: Int[np.ndarray, "b n"],
        sizes: Int[np.ndarray, "b"],
        lengths: Int[np.ndarray, "b"],
    ) -> Batch:
        """Write words of letters with their states and answers.

        The letter i (from 0) stands behind i letters, i // every steps and ``<bos>``.
        """
        ids, question = self._ids, self.question
        rows, width = np.arange(len(sizes)), words.shape[1]
        every = self.every or width + 1
        place = np.arange(width)
        column = 1 + place + place // every
        ends = 1 + sizes + sizes // every
        tokens = np.full((len(rows), int(ends.max(initial=1)) + 3), self.vocabulary.pad)
        targets = np.full_like(tokens, IGNORE)
        inside = place < sizes[:, None]
        tokens[:, 0] = self.vocabulary.bos
        r, c = np.nonzero(inside)
        tokens[r, column[c]] = ids["letters"][words[r, c]]
        due = inside & ((place + 1) % every == 0) & bool(self.every)
        r, c = np.nonzero(due)
        state = question.steps.actions().run(words)
        if self.every:
            step = ids["steps"][self.steps.table[state[r, c], state[r, c + 1]]]
            tokens[r, column[c] + 1] = targets[r, column[c]] = step
        last = question.read.run(words)[:, -1]
        answer = ids["answers"][question.asked[last]]
        tokens[rows, ends] = self.vocabulary.sep
        tokens[rows, ends + 1] = targets[rows, ends] = answer
        tokens[rows, ends + 2] = targets[rows, ends + 1] = self.vocabulary.eos
        return Batch(tokens=tokens, targets=targets, length=lengths, size=ends + 3)

    @cached_property
    def _ids(self) -> dict[str, Int[np.ndarray, "k"]]:
        names = {
            "letters": self.question.letters,
            "steps": self.steps.names,
            "answers": self.question.names,
        }
        return {key: np.array(self.vocabulary.encode(list(text))) for key, text in names.items()}

    def render(self, batch: Batch) -> list[str]:
        """Write each row; what the model writes stands in brackets."""
        return bracketed(self, batch)

    def answered(self, written: Sequence[int], target: Sequence[int]) -> bool:
        """Compare what stands behind the separator: the answer."""
        sep = self.vocabulary.sep
        place = list(target).index(sep)
        return list(written[place:]) == list(target[place:])

    @property
    def answers(self) -> RegularAnswers:
        """What the format asks at every symbol: the state, the answer, ``<eos>``, or nothing."""
        return self._answers

    @cached_property
    def _answers(self) -> RegularAnswers:
        return format_answers(self.question, self.steps, self.every)

    @property
    def program(self) -> Any | None:
        """The program that looks at the last symbols only, or counts changes; None without one."""
        return self._program

    @cached_property
    def _program(self) -> Any | None:
        if self.write == "change":
            return _counting_program(self.question, self.steps)
        if self.question.steps.states * len(self.question.letters) ** self.every > LARGEST_PROGRAM:
            return None
        widest = (2 if self.joined else 1) * self.every + 1 if self.every else LAST_SYMBOLS
        found = window_answers(self.answers, widest=widest)
        if found is None:
            return None
        return window_program(found.answers, self.answers.automaton.alphabet, self.answers.names)


def bracketed(task: Task, batch: Batch) -> list[str]:
    """Write each row of a task; what the model writes stands in brackets."""
    lines: list[str] = []
    for tokens, targets, size in zip(batch.tokens, batch.targets, batch.size, strict=True):
        words = [task.vocabulary.text(int(token)) for token in tokens[:size]]
        asked = [False, *(targets[: size - 1] != IGNORE).tolist()]
        shown = (f"[{word}]" if own else word for word, own in zip(words, asked, strict=True))
        lines.append(" ".join(shown))
    return lines


def _changes(question: EndQuestion, prefix: str) -> StepNames:
    """Name every change of the state that a letter can make, and that there is none."""
    table = np.zeros((question.steps.states,) * 2, dtype=np.int64)
    names = [f"{prefix}="]
    for before, row in enumerate(question.steps.transitions.tolist()):
        for now in dict.fromkeys(row):
            if now != before:
                table[before, now] = len(names)
                names.append(f"{prefix}{before}>{prefix}{now}")
    return StepNames(tuple(names), table)


def _counting_program(question: EndQuestion, steps: StepNames) -> Program:
    """Follow the state by counts: it is j if j was entered once more often than left."""
    machine, balance = question.steps, _balances(question, steps)
    here = [one == 1 for one in balance]
    reading, read = never(Q[SEP]), exists(Q[SEP])
    cases: dict[str, list[Bool]] = {
        name: [] for name in dict.fromkeys((*steps.names, *question.names))
    }
    for state, row in enumerate(machine.transitions.tolist()):
        for letter, target in zip(question.letters, row, strict=True):
            step = steps.names[int(steps.table[state, target])]
            cases[step].append(Q[letter] & here[state] & reading)
        if machine.outputs[state] != FREE:
            cases[question.names[int(machine.outputs[state])]].append(Q[SEP] & here[state])
    cases[EOS] = [read & any_of(Q[name] for name in question.names)]
    letters = (*question.letters, *steps.names, *question.names, SEP, EOS)
    outputs = {name: any_of(found) for name, found in cases.items()}
    return Program([], alphabet=tuple(dict.fromkeys(letters)), next=outputs)


def _balances(question: EndQuestion, steps: StepNames) -> list[Count]:
    """Count for every state how often it was entered, less how often it was left."""
    found: list[Count] = [number(int(q == question.steps.initial)) for q in range(len(steps.table))]
    for before, now in np.argwhere(steps.table > 0).tolist():
        change = count(Q[steps.names[int(steps.table[before, now])]])
        found[before], found[now] = found[before] - change, found[now] + change
    return found


def check_names(task: str, question: EndQuestion, steps: Sequence[str]) -> None:
    """Refuse states that are spelled like something else."""
    clash = set(steps) & {*question.letters, *question.names}
    if clash:
        raise InputError(
            f"task {task!r}: {min(clash)!r} is a symbol of the task and would also name a state; "
            "choose other names for states, as prefix=state."
        )
