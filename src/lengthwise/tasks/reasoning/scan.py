"""SCAN: commands to action sequences, the full grammar (Lake and Baroni 2018)."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.tasks.reasoning import _blocks as blocks
from lengthwise.tasks.reasoning._blocks import HOLE, Block
from lengthwise.tasks.reasoning.base import SEP, Split, TextTask
from lengthwise.tasks.reasoning.extraction import Answer
from lengthwise.tasks.vocabulary import Vocabulary

_VERBS = {"walk": "Walk", "look": "Look", "run": "Run", "jump": "Jump"}
_TURNS = {"left": "Left", "right": "Right"}
WORDS = (*_VERBS, "turn", *_TURNS, "opposite", "around", "twice", "thrice", "and", "after")
ACTIONS = (*_VERBS.values(), *_TURNS.values())
SYMBOLS = (*WORDS, *ACTIONS)


class Commands(NamedTuple):
    """Every command with its actions, as blocks of ids, in order of the number of actions."""

    command: Int[np.ndarray, "c w"]
    actions: Int[np.ndarray, "c a"]
    length: Int[np.ndarray, "c"]


def _verb_phrases() -> dict[str, str]:
    """Map the 34 phrases without repetition to their actions."""
    phrases = dict(_VERBS)
    for verb, act in (*_VERBS.items(), ("turn", "")):
        for side, turn in _TURNS.items():
            phrases[f"{verb} {side}"] = f"{turn} {act}"
            phrases[f"{verb} opposite {side}"] = f"{turn} {turn} {act}"
            phrases[f"{verb} around {side}"] = f"{turn} {act} " * 4
    return phrases


def _sentences() -> dict[str, str]:
    """Map the 102 phrases, repeated or not, to their actions."""
    phrases = _verb_phrases()
    times = {"": 1, " twice": 2, " thrice": 3}
    return {f"{p}{word}": f"{a} " * n for p, a in phrases.items() for word, n in times.items()}


@lru_cache(maxsize=1)
def commands() -> Commands:
    """Return all 20,910 commands.

    Example:
        >>> len(commands().length), int((commands().length <= 25).sum())
        (20910, 17774)
    """
    sentences = _sentences()
    phrase, action = _ids(list(sentences)), _ids(list(sentences.values()))
    count = len(sentences)
    first, second = (index.ravel() for index in np.indices((count, count)))
    nothing = np.full((count, phrase.shape[1] + 1), HOLE, dtype=np.int16)
    parts = [(blocks.join(phrase, nothing), blocks.join(action, np.full_like(action, HOLE)))]
    for word, order in (("and", (first, second)), ("after", (second, first))):
        between = np.array([SYMBOLS.index(word)], dtype=np.int16)
        command = blocks.join(phrase[first], between, phrase[second])
        parts.append((command, blocks.join(action[order[0]], action[order[1]])))
    command, actions = (np.concatenate(part) for part in zip(*parts, strict=True))
    length = (actions != HOLE).sum(axis=1)
    order = np.argsort(length, kind="stable")
    return Commands(command[order], actions[order], length[order])


def _ids(texts: list[str]) -> Block:
    rows = [[SYMBOLS.index(word) for word in text.split()] for text in texts]
    width = max(len(row) for row in rows)
    return np.array([row + [HOLE] * (width - len(row)) for row in rows], dtype=np.int16)


@dataclass(frozen=True, kw_only=True)
class Scan(TextTask):
    """``Solve: walk after turn right[SEP] Right Walk``; the length counts actions.

    Commands are uniform among the 20,910 of the grammar whose number of actions is in the range,
    so lengths are as frequent as the grammar makes them. Training up to 25 actions leaves 3,136
    commands for the test (Kazemnejad et al. 2023).
    """

    name: ClassVar[str] = "scan"
    summary: ClassVar[str] = "commands to action sequences, in text"
    split: ClassVar[Split] = Split(train=(1, 25), test=(26, 48))
    answer: ClassVar[Answer] = "text"
    joins: ClassVar[tuple[tuple[str, str], ...]] = ((r" \[SEP\]", "[SEP]"),)

    @property
    def longest(self) -> int:
        """The most actions of a command."""
        return 48

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Words of commands, actions, and the words of the template."""
        return Vocabulary((*SYMBOLS, "Solve:", SEP))

    @cached_property
    def _starts(self) -> Int[np.ndarray, "n"]:
        """Where the commands of each length begin in the table."""
        return np.searchsorted(commands().length, np.arange(50))

    def possible_lengths(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """List the numbers of actions that occur."""
        found = np.flatnonzero(np.diff(self._starts))
        return found[(found >= low) & (found <= high)]

    def draw_lengths(
        self, rng: np.random.Generator, low: int, high: int, count: int
    ) -> Int[np.ndarray, "b"]:
        """Draw the length of a random command."""
        possible = self.check_range(low, high)
        first, last = self._starts[possible[0]], self._starts[possible[-1] + 1]
        return commands().length[rng.integers(first, last, count)]

    def max_tokens(self, length: int) -> int:
        """Count the words of every command up to this length."""
        table = commands()
        some = table.length <= length
        words = (table.command[some] != HOLE).sum(axis=1) + table.length[some]
        return int(words.max()) + 3

    def _content(
        self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]
    ) -> Int[np.ndarray, "b"]:
        """Draw a row of the table for each length."""
        first, last = self._starts[lengths], self._starts[lengths + 1]
        if np.any(first == last):
            missing = int(lengths[np.argmax(first == last)])
            raise InputError(f"task 'scan': no command has {missing} actions.")
        return rng.integers(first, last)

    def _write(self, content: Int[np.ndarray, "b"]) -> tuple[Block, Block]:
        table = commands()
        prompt = blocks.join(self.words("Solve:"), table.command[content], self.words(SEP))
        return prompt, table.actions[content]
