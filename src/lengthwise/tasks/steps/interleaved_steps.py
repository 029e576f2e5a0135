"""Steps inside: after every k-th symbol the state, so that a step needs the last symbols only."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.crasp.window_program import window_program
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.languages.window_answers import window_answers
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.tasks.derived import DerivedTask
from lengthwise.tasks.steps.end_question import EndQuestion, end_question, load_inner
from lengthwise.tasks.steps.format_answers import format_answers
from lengthwise.tasks.vocabulary import Vocabulary

MOST_EVERY = 8
LARGEST_PROGRAM = 20_000
"""Rules of a program that is written down: one for each state and each block of symbols."""


@dataclass(frozen=True, kw_only=True)
class StepsInside(DerivedTask):
    """Another task with the state written after every ``every``-th symbol: ``steps:parity``.

    ``<bos> 1 q1 0 q1 1 q0 <sep> e <eos>``: the symbols are given, the model writes the states, the
    answer and ``<eos>``. With ``every=0`` no step is written: the bare question, to compare with.
    The task may be any with an automaton behind it (``steps:regex:(aa)*;every=2``). ``joined``
    writes one symbol for several states (``0.3-1.2.4``: for 0 and 3, and for the other three),
    ``prefix`` names the states where ``q`` clashes, ``alphabet`` the symbols of an expression.
    """

    every: int = 1
    joined: str = ""
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
        check_names(self.name, self.question, self.step_names)

    @cached_property
    def inner(self) -> Task:
        """The task whose words are read."""
        return load_inner(self.task, self.alphabet)

    @cached_property
    def question(self) -> EndQuestion:
        """The words, and the states and answer behind them."""
        return end_question(self.inner)

    @property
    def step_names(self) -> tuple[str, ...]:
        """The symbols that are written for states; none where no step is written."""
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
        return tuple(f"{self.prefix}{state}" for state in states)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Letters, states and answers."""
        every = (*self.question.letters, *self.step_names, *self.question.names)
        return Vocabulary(tuple(dict.fromkeys(every)))

    @property
    def longest(self) -> int | None:
        """As for the inner task."""
        return self.question.task.longest

    def max_tokens(self, length: int) -> int:
        """The word with its steps, and ``<bos>``, ``<sep>``, the answer and ``<eos>``."""
        size = self.question.longest_word(length)
        return size + (size // self.every if self.every else 0) + 4

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw words of the inner task and write the states into them."""
        words, sizes = self.question.words(self.question.task.sample(rng, lengths))
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
        state = _run(question, words)
        tokens[r, column[c] + 1] = targets[r, column[c]] = ids["steps"][state[r, c + 1]]
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
            "steps": self.step_names or ("<pad>",),
            "answers": self.question.names,
        }
        return {key: np.array(self.vocabulary.encode(list(text))) for key, text in names.items()}

    def render(self, batch: Batch) -> list[str]:
        """Write each row; what the model writes stands in brackets."""
        lines: list[str] = []
        for tokens, targets, size in zip(batch.tokens, batch.targets, batch.size, strict=True):
            words = [self.vocabulary.text(int(token)) for token in tokens[:size]]
            asked = [False, *(targets[: size - 1] != IGNORE).tolist()]
            shown = (f"[{word}]" if own else word for word, own in zip(words, asked, strict=True))
            lines.append(" ".join(shown))
        return lines

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
        return format_answers(self.question, self.step_names, self.every)

    @property
    def program(self) -> Any | None:
        """The program that looks at the last symbols only; None where they do not suffice."""
        return self._program

    @cached_property
    def _program(self) -> Any | None:
        if not self.every or self._rules > LARGEST_PROGRAM:
            return None
        widest = (2 if self.joined else 1) * self.every + 1
        found = window_answers(self.answers, widest=widest)
        if found is None:
            return None
        return window_program(found.answers, self.answers.automaton.alphabet, self.answers.names)

    @property
    def _rules(self) -> int:
        return self.question.steps.states * len(self.question.letters) ** self.every


def _run(question: EndQuestion, words: Int[np.ndarray, "b n"]) -> Int[np.ndarray, "b m"]:
    """Run the machine that is spelled."""
    return question.steps.actions().run(words)


def check_names(task: str, question: EndQuestion, steps: Sequence[str]) -> None:
    """Refuse states that are spelled like something else."""
    clash = set(steps) & {*question.letters, *question.names}
    if clash:
        raise InputError(
            f"task {task!r}: {min(clash)!r} is a symbol of the task and would also name a state; "
            "choose other names for states, as prefix=state."
        )
