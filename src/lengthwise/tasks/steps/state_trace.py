"""Steps behind: the states after the input, bare, reversed, or with marks that say where it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from jaxtyping import Int

from lengthwise.crasp.embedding import Q, all_of, any_of, exists, prev, true
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Bool
from lengthwise.languages.machine import FREE
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch, gapped_batch
from lengthwise.tasks.derived import DerivedTask
from lengthwise.tasks.steps import marks as marked
from lengthwise.tasks.steps.end_question import EndQuestion, inner_question
from lengthwise.tasks.steps.interleaved_steps import check_names
from lengthwise.tasks.vocabulary import EOS, SEP, Vocabulary

Hints = Literal["none", "reversed", "index", "signpost"]


@dataclass(frozen=True, kw_only=True)
class StateTrace(DerivedTask):
    """Another task with the trace of its states behind the input: ``trace:parity;hints=index``.

    * ``none``: ``<bos> 1 0 <sep> q1 q1 o <eos>``; ``reversed``: the last state first;
    * ``index``: ``<bos> #7 1 #8 0 <sep> #7 q1 #8 q1 o <eos>``, with indices from a random start;
    * ``signpost``: the same with any distinct marks.

    With marks the input is at most ``marks`` symbols long.
    """

    hints: Hints = "index"
    marks: int = 100
    prefix: str = "q"
    alphabet: str = ""

    name: ClassVar[str] = "trace"
    summary: ClassVar[str] = "any regular task with the trace of its states: trace:parity"
    example: ClassVar[str] = "trace:parity;hints=index"
    min_length: ClassVar[int] = 0
    sizes: ClassVar[tuple[str, ...]] = ("marks",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_names(self.name, self.question, self.step_names)
        symbols = (*self.question.letters, *self.step_names, *self.question.names)
        marked.check_marks(self.name, self.marks, self.mark_names, symbols)

    @cached_property
    def inner(self) -> Task:
        """The task whose words are read: all of them, where it is about a language."""
        return self.question.task

    @cached_property
    def question(self) -> EndQuestion:
        """The words, and the states and answer behind them."""
        return inner_question(self.task, self.alphabet)

    @property
    def step_names(self) -> tuple[str, ...]:
        """The symbols that are written for states."""
        return tuple(f"{self.prefix}{state}" for state in range(self.question.steps.states))

    @property
    def hinted(self) -> bool:
        """Whether symbols have marks."""
        return self.hints in ("index", "signpost")

    @property
    def mark_names(self) -> tuple[str, ...]:
        """The symbols of the marks, if there are any."""
        kind = marked.INDEX if self.hints == "index" else marked.SIGNPOST
        return marked.mark_names(kind, self.marks) if self.hinted else ()

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Letters, states, answers and marks."""
        question = self.question
        every = (*question.letters, *self.step_names, *question.names, *self.mark_names)
        return Vocabulary(tuple(dict.fromkeys(every)))

    @property
    def longest(self) -> int | None:
        """Marks run out."""
        inner = self.question.task.longest
        return min(inner or self.marks, self.marks) if self.hinted else inner

    def max_tokens(self, length: int) -> int:
        """The word and its trace, and ``<bos>``, ``<sep>``, the answer and ``<eos>``."""
        size = self.question.longest_word(length)
        return 2 * size * (2 if self.hinted else 1) + 4

    def possible_lengths(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """As for the inner task, as far as there are marks."""
        return self.question.task.possible_lengths(low, min(high, self.longest or high))

    def draw_lengths(
        self, rng: np.random.Generator, low: int, high: int, count: int
    ) -> Int[np.ndarray, "b"]:
        """As for the inner task, as far as there are marks."""
        self.check_range(low, high)
        return self.question.task.draw_lengths(rng, low, min(high, self.longest or high), count)

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw words of the inner task and write the trace behind them."""
        question = self.question
        words, sizes = question.words(question.task.sample(rng, lengths))
        states = question.steps.actions().run(words)[:, 1:]
        last = question.read.run(words)[:, -1]
        letters, steps = self._codes(question.letters)[words], self._codes(self.step_names)[states]
        inside = np.arange(words.shape[1]) < sizes[:, None]
        if self.hints == "reversed":
            back = np.maximum(sizes[:, None] - 1 - np.arange(words.shape[1]), 0)
            steps = np.take_along_axis(steps, back, axis=1)
        if self.hinted:
            ordered = self.hints == "index"
            drawn = marked.draw_marks(rng, sizes, self.marks, order=ordered)
            hints = self._codes(self.mark_names)[drawn]
            letters, steps = _beside(hints, letters), _beside(hints, steps)
            inside = np.repeat(inside, 2, axis=1)
        one = np.ones((len(sizes), 1), dtype=np.int64)
        answer = self._codes(question.names)[question.asked[last]][:, None]
        vocabulary = self.vocabulary
        cells = np.concatenate(
            [
                one * vocabulary.bos,
                letters,
                one * vocabulary.sep,
                steps,
                answer,
                one * vocabulary.eos,
            ],
            axis=1,
        )
        here = one.astype(bool)
        written = np.concatenate([here, inside, here, inside, here, here], axis=1)
        return gapped_batch(vocabulary, cells, written, letters.shape[1] + 2, lengths)

    def _codes(self, names: Sequence[str]) -> Int[np.ndarray, "k"]:
        return np.array(self.vocabulary.encode(list(names)))

    def answered(self, written: Sequence[int], target: Sequence[int]) -> bool:
        """Compare the answer, which stands at the end, before ``<eos>``."""
        return list(written[-2:]) == list(target[-2:])

    @property
    def reason(self) -> str | None:
        """Why the program writes every instance."""
        return ARGUMENT if self.hinted else None

    @property
    def program(self) -> Any | None:
        """The program that looks symbols up by their marks; without marks there is none."""
        return self._program

    @cached_property
    def _program(self) -> Program | None:
        if not self.hinted or self.marks > marked.LARGEST:
            return None
        next_ = self._states() | self._next_marks()
        for name, node in self._ends().items():
            next_[name] = next_[name] | node if name in next_ else node
        letters = (*self.vocabulary.symbols, SEP, EOS)
        return Program([], alphabet=letters, next=next_)

    def _states(self) -> dict[str, Bool]:
        """At a mark behind the separator: the state, from the one before and the marked letter."""
        question, names = self.question, self.step_names
        before = {p: prev(Q[name]) for p, name in enumerate(names)}
        first = question.steps.initial
        before[first] = before[first] | prev(Q[SEP])
        letter = {a: marked.at_mark(self.mark_names, a) for a in question.letters}
        cases: dict[int, list[Bool]] = {state: [] for state in range(len(names))}
        for state, row in enumerate(question.steps.transitions.tolist()):
            for symbol, target in zip(question.letters, row, strict=True):
                cases[target].append(before[state] & letter[symbol])
        return {names[state]: any_of(found) for state, found in cases.items()}

    def _next_marks(self) -> dict[str, Bool]:
        """At the separator the first mark, at a state the one that follows the mark before it."""
        here = any_of(Q[name] for name in self.step_names)
        first = marked.first_mark(self.mark_names)
        then = self._following()
        return {h: (Q[SEP] & first[h]) | (here & then[h] if h in then else ~true) for h in first}

    def _following(self) -> dict[str, Bool]:
        if self.hints == "index":
            return marked.following_index(self.mark_names)
        return marked.following_signpost(self.mark_names)

    def _ends(self) -> dict[str, Bool]:
        """Behind the last state the answer, behind the answer the end."""
        question, done = self.question, all_of(~node for node in self._following().values())
        empty = Q[SEP] & ~prev(true)
        found: dict[str, list[Bool]] = {name: [] for name in question.names}
        for state, number in enumerate(question.steps.outputs.tolist()):
            if number != FREE:
                found[question.names[number]].append(Q[self.step_names[state]] & done)
        if question.asked[question.read.initial] != FREE:
            found[question.names[int(question.asked[question.read.initial])]].append(empty)
        end = exists(Q[SEP]) & any_of(Q[name] for name in question.names)
        return {name: any_of(nodes) for name, nodes in found.items()} | {EOS: end}


ARGUMENT = (
    "a mark occurs once before <sep>, so the letter behind it is the one that it marks; at a mark "
    "behind <sep> the symbol before it is the last state (or <sep>, the first one), so the state "
    "that is due is that of the automaton's table; the next mark is the one that follows in the "
    "input, and where none follows the answer of the state is due"
)


def _beside(hints: Int[np.ndarray, "b n"], values: Int[np.ndarray, "b n"]) -> np.ndarray:
    """Put every hint before its value."""
    return np.stack([hints, values], axis=2).reshape(len(values), -1)
