"""Any regular language as a task: per-position labels or accept/reject."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from jaxtyping import Bool, Int

from lengthwise.core.errors import InputError
from lengthwise.languages.dfa import DFA
from lengthwise.languages.machine import FREE
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch, sequence_batch
from lengthwise.tasks.formal.negatives import corrupt
from lengthwise.tasks.formal.paths import PathSampler
from lengthwise.tasks.formal.segments import completable, segmented
from lengthwise.tasks.vocabulary import Vocabulary

Supervision = Literal["published", "next", "member", "state", "recognition"]
END = "$"
"""Stands for "the word may end here" in the label of a set of continuations."""

Labels = tuple[tuple[str, ...], Int[np.ndarray, "q a"]]
"""Label names, and the label of a prefix by the state it reaches and its last symbol."""


@dataclass(frozen=True, kw_only=True)
class RegularTask(Task):
    """Learn a regular language from its words.

    ``supervision`` chooses what is asked:

    * ``next``: after every prefix the set of symbols that may follow, ``$`` if it may end;
    * ``member``: after every prefix whether it is in the language;
    * ``state``: after every prefix the state of the minimal automaton;
    * ``recognition``: accept or reject, once, behind the word;
    * ``published``: the labels of the paper, for the languages that have them.

    Words are uniform among those of their length; with ``words=segments`` they have long stretches
    of few letters (`tasks/formal/segments.py`). With ``words=all`` the first kinds of labels are
    asked on arbitrary words. Rejected words are half edits of words, half uniform.
    """

    supervision: Supervision = "next"
    words: Literal["language", "segments", "all"] = "language"

    name: ClassVar[str]

    def __post_init__(self) -> None:
        if not self.automaton.live()[self.automaton.initial]:
            raise InputError(f"task {self.name!r}: the language is empty, it has no words.")
        if self.supervision == "published" and self.published_labels() is None:
            raise InputError(
                f"task {self.name!r}: supervision=published exists only for the languages of the "
                "paper; use next, member, state or recognition."
            )
        if self.supervision == "recognition" and self.words == "segments":
            raise InputError(
                f"task {self.name!r}: words=segments is for labels of prefixes; recognition draws "
                "accepted and rejected words of its own."
            )
        if self.supervision == "published" and self.words == "all":
            raise InputError(
                f"task {self.name!r}: words=all needs supervision next, member or state; the "
                "published labels are for words of the language."
            )
        clash = set(self.automaton.alphabet) & set(self.labels[0])
        if clash:
            raise InputError(
                f"task {self.name!r}: alphabet symbol {min(clash)!r} is also the name of a label "
                f"under supervision={self.supervision}; rename the symbol."
            )

    @cached_property
    @abstractmethod
    def automaton(self) -> DFA:
        """The minimal complete automaton of the language."""

    @property
    def language(self) -> DFA:
        """The language, as its automaton."""
        return self.automaton

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The alphabet, then the labels."""
        return Vocabulary((*self.automaton.alphabet, *self.labels[0]))

    def max_tokens(self, length: int) -> int:
        """A word behind ``<bos>``; recognition adds separator, answer and ``<eos>``."""
        return length + (4 if self.supervision == "recognition" else 1)

    # ---- labels --------------------------------------------------------------------------

    def published_labels(self) -> Labels | None:
        """Return the labels of the paper, for the languages that have them."""
        return None

    @cached_property
    def labels(self) -> Labels:
        """Name the labels and say which one belongs to (state, last symbol)."""
        if self.words == "all" or self.supervision == "recognition":
            return self._all_labels
        return _restrict(self._all_labels, self.automaton.live())

    @cached_property
    def _all_labels(self) -> Labels:
        dfa = self.automaton
        if self.supervision == "published":
            labels = self.published_labels()
            assert labels is not None
            return labels
        if self.supervision == "recognition":
            return ("accept", "reject"), np.zeros(dfa.transitions.shape, dtype=np.int64)
        if self.supervision == "member":
            return by_state(["in" if final else "out" for final in dfa.accepting], dfa)
        if self.supervision == "state":
            return by_state([f"q{state}" for state in range(dfa.states)], dfa)
        return by_state([_continuations(dfa, state) for state in range(dfa.states)], dfa)

    @property
    def answers(self) -> RegularAnswers:
        """The labels; outside the language nothing is asked, unless ``words=all``."""
        dfa = self.automaton
        if self.supervision == "recognition":
            return RegularAnswers.behind(dfa, ["accept" if x else "reject" for x in dfa.accepting])
        asked = np.ones(dfa.states, dtype=bool) if self.words == "all" else dfa.live()
        names, table = self.labels
        return RegularAnswers(dfa, names, np.where(asked[:, None], table, FREE), "labels")

    # ---- lengths -------------------------------------------------------------------------

    def possible_lengths(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """List the lengths of which the language has words (for recognition: all lengths)."""
        if self.supervision == "recognition":
            return np.arange(max(low, 0), high + 1)
        lengths = np.arange(max(low, 1), high + 1)
        if self.words == "all" or not len(lengths):
            return lengths
        return lengths[self._exists(self.automaton, lengths)]

    def check_range(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """Return the possible lengths in a range, or say which lengths exist nearby."""
        if 0 <= low <= high and not len(self.possible_lengths(low, high)):
            raise self._no_words(f"{low}:{high}", low, high)
        return super().check_range(low, high)

    def _no_words(self, what: str, low: int, high: int) -> InputError:
        near = self.possible_lengths(max(0, low - 20), high + 20)
        some = self.possible_lengths(0, 100) if not len(near) else near
        shown = ", ".join(str(length) for length in some[:12])
        return InputError(
            f"task {self.name!r}: the language has no words of length {what}; "
            f"lengths that exist: {shown or 'only 0'}{', ...' if len(some) > 12 else ''}."
        )

    def _exists(self, dfa: DFA, lengths: Int[np.ndarray, "n"]) -> Bool[np.ndarray, "n"]:
        return self._sampler(dfa, int(lengths.max(initial=0))).exist[lengths]

    # ---- words ---------------------------------------------------------------------------

    @cached_property
    def _samplers(self) -> dict[int, PathSampler]:
        return {}

    @cached_property
    def _complement(self) -> DFA:
        return self.automaton.complement()

    def _sampler(self, dfa: DFA, longest: int) -> PathSampler:
        """Return a sampler for words up to some length; it grows by doubling."""
        known = self._samplers.get(id(dfa))
        if known is None or known.longest < longest:
            size = 64
            while size < longest:
                size *= 2
            known = self._samplers[id(dfa)] = PathSampler(dfa, size)
        return known

    def _own_words(
        self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]
    ) -> Int[np.ndarray, "b n"] | None:
        """Draw words that are not uniform in the language, -1 behind them; None if they are."""
        if self.words == "language":
            return None
        longest = int(lengths.max(initial=0))
        if self.words == "segments":
            self._existing(lengths)
            return segmented(rng, self.automaton, self._finish(longest), lengths)
        word = rng.integers(0, self.automaton.symbols, (len(lengths), longest))
        word[np.arange(longest) >= lengths[:, None]] = -1
        return word

    def _finish(self, longest: int) -> Bool[np.ndarray, "n q"]:
        """Return where a word can be finished; the table grows by doubling."""
        known = self._finishing.get("table")
        if known is None or len(known) <= longest:
            known = self._finishing["table"] = completable(self.automaton, max(64, 2 * longest))
        return known

    @cached_property
    def _finishing(self) -> dict[str, Bool[np.ndarray, "n q"]]:
        return {}

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw words and label them."""
        if self.supervision == "recognition":
            return self._recognition(rng, lengths)
        shape = (len(lengths), int(lengths.max(initial=0)) + 1)
        tokens, targets = np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.int64)
        tokens[:, 0], targets[:, 0] = self.vocabulary.bos, IGNORE
        token, target = self._tables
        word = self._own_words(rng, lengths)
        if word is None:
            sampler = self._existing(lengths)
            sampler.fill(rng, lengths, (token, tokens[:, 1:]), (target, targets[:, 1:]))
        else:
            return self._labelled(word, lengths)
        return Batch(tokens=tokens, targets=targets, length=lengths, size=lengths + 1)

    def _labelled(self, word: Int[np.ndarray, "b n"], lengths: Int[np.ndarray, "b"]) -> Batch:
        """Label words that were drawn elsewhere, -1 behind them."""
        token, target = self._tables
        state = self.automaton.run(word)[:, 1:]
        codes = np.where(word < 0, -1, state * self.automaton.symbols + word)
        first = np.ones((len(word), 1), dtype=np.int64)
        tokens = np.hstack([self.vocabulary.bos * first, token[codes]])
        targets = np.hstack([IGNORE * first, target[codes]])
        return Batch(tokens=tokens, targets=targets, length=lengths, size=lengths + 1)

    def _existing(self, lengths: Int[np.ndarray, "b"]) -> PathSampler:
        """Return the sampler, or say which length has no words."""
        missing = lengths[~self._exists(self.automaton, lengths)]
        if len(missing):
            raise self._no_words(str(missing[0]), int(missing[0]), int(missing[0]))
        return self._sampler(self.automaton, int(lengths.max(initial=0)))

    @cached_property
    def _tables(self) -> tuple[Int[np.ndarray, "c"], Int[np.ndarray, "c"]]:
        """Token and target of every code; the last entry is for padding, code -1."""
        states, symbols = self.automaton.transitions.shape
        tokens = np.append(np.tile(np.arange(symbols), states), self.vocabulary.pad)
        return tokens, np.append(symbols + self.labels[1].ravel(), IGNORE)

    def _recognition(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw accepted and rejected words with equal chances where both exist."""
        some, other = (self._exists(dfa, lengths) for dfa in (self.automaton, self._complement))
        accept = some & ((rng.random(len(lengths)) < 0.5) | ~other)
        longest = int(lengths.max(initial=0))
        word = np.full((len(lengths), longest), -1, dtype=np.int64)
        inside, outside = np.flatnonzero(some), np.flatnonzero(~accept)
        sampler = self._sampler(self.automaton, longest)
        if len(inside):
            drawn = sampler.draw(rng, lengths[inside])[0]
            word[inside, : drawn.shape[1]] = drawn
        if len(outside):
            others = self._sampler(self._complement, longest).draw(rng, lengths[outside])[0]
            others = np.pad(others, ((0, 0), (0, longest - others.shape[1])), constant_values=-1)
            edit = some[outside] & (rng.random(len(outside)) < 0.5)
            word[outside] = corrupt(rng, self.automaton, word[outside], others, edit)
        answer = (~accept).astype(np.int64)
        one = np.ones_like(lengths)
        return sequence_batch(
            self.vocabulary,
            np.maximum(word, 0),
            lengths,
            self.automaton.symbols + answer[:, None],
            one,
            lengths,
        )


def by_state(names: list[str], dfa: DFA) -> Labels:
    """Make labels that depend on the state only; equal names are one label."""
    distinct = tuple(dict.fromkeys(names))
    column = np.array([distinct.index(name) for name in names])
    return distinct, np.broadcast_to(column[:, None], dfa.transitions.shape)


def _restrict(labels: Labels, alive: Bool[np.ndarray, "q"]) -> Labels:
    """Drop labels that only words outside the language would need."""
    names, table = labels
    used = np.unique(table[alive])
    new = np.zeros(len(names), dtype=np.int64)
    new[used] = np.arange(len(used))
    return tuple(names[index] for index in used), new[table]


def _continuations(dfa: DFA, state: int) -> str:
    """Write the set of symbols that may follow a state, e.g. ``{a,$}``."""
    alive = dfa.live()
    allowed = [
        symbol
        for symbol, target in zip(dfa.alphabet, dfa.transitions[state], strict=True)
        if alive[target]
    ]
    return "{" + ",".join(allowed + [END] * bool(dfa.accepting[state])) + "}"
