"""Sort a list in text, of single symbols or of numbers (Kazemnejad et al. 2023)."""

import string
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from jaxtyping import Bool, Int

from lengthwise.tasks.reasoning import _blocks as blocks
from lengthwise.tasks.reasoning._blocks import Block
from lengthwise.tasks.reasoning.base import DIGITS, Split
from lengthwise.tasks.reasoning.extraction import Answer
from lengthwise.tasks.reasoning.mathematics import SteppedTask
from lengthwise.tasks.reasoning.scratchpad import Markers, Steps

TOP = np.int16(np.iinfo(np.int16).max)
"""Stands behind the numbers of a shorter list."""


class _List(NamedTuple):
    value: Int[np.ndarray, "b n"]
    present: Bool[np.ndarray, "b n"]


@dataclass(frozen=True, kw_only=True)
class _Sorting(SteppedTask):
    """Sort by selection; subclasses say what the items are and how they are written."""

    split: ClassVar[Split] = Split(train=(2, 8), test=(9, 16))
    joins: ClassVar[tuple[tuple[str, str], ...]] = ((r" ,", ","), (r"\] \.$", "]."))
    phrases: ClassVar[str] = (
        "Sort the following list [ ] . The sorted is , minimum of unsorted portion"
    )
    wordy: ClassVar[Markers] = Markers.wordy("For", out="is:", rest="So, the unsorted portion is:")
    values: ClassVar[tuple[int, int]]

    @abstractmethod
    def _items(self, value: Int[np.ndarray, "..."]) -> Block:
        """Write each value as an item of a list."""

    def _content(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> _List:
        shape = (len(lengths), int(lengths.max()))
        low, high = self.values
        drawn = low + blocks.draw_below(rng, high + 1 - low, shape).astype(np.int16)
        return _List(drawn, blocks.first_places(lengths, shape[1]))

    def _longest(self, length: int) -> _List:
        value = np.full((1, length), self.values[1], dtype=np.int16)
        return _List(value, np.ones((1, length), dtype=bool))

    def _brackets(self, value: Int[np.ndarray, "..."], present: Bool[np.ndarray, "..."]) -> Block:
        comma = self.vocabulary.ids[","]
        listed = blocks.listing(self._items(value), present, comma)
        return blocks.join(self.words("["), listed, self.words("]"))

    def _question(self, content: _List) -> Block:
        return blocks.join(
            self.words("Sort the following list"), self._brackets(*content), self.words(".")
        )

    def _answer(self, content: _List) -> Block:
        ordered = np.where(content.present, content.value, TOP)
        ordered.sort(axis=1)
        return blocks.join(
            self.words("The sorted list is"),
            self._brackets(ordered, content.present),
            self.words("."),
        )

    def _steps(self, content: _List) -> Steps:
        """Swap the front of the unsorted part with its first minimum, step by step."""
        count = content.value.shape[1]
        rows, place = np.arange(len(content.value)), np.arange(count)
        current = np.where(content.present, content.value, TOP)
        front, least, after = (np.zeros_like(current[:, None].repeat(count, 1)) for _ in range(3))
        for step in range(count):
            chosen = step + np.argmin(current[:, step:], axis=1)
            front[:, step, 0], least[:, step, 0] = current[:, step], current[rows, chosen]
            current[rows, chosen] = current[:, step]
            current[:, step] = least[:, step, 0]
            after[:, step] = current
        shown = content.present
        later = shown[:, None] & (place > place[:, None])
        return Steps(
            present=shown,
            i=self._items(front[:, :, 0]),
            c=self.words("The minimum of the unsorted portion"),
            o=self._items(least[:, :, 0]),
            r=self._brackets(after, later),
        )


@dataclass(frozen=True, kw_only=True)
class SortSingle(_Sorting):
    """``Sort the following list [ M, E, F, F ]. The sorted list is [ E, F, F, M ].``

    Independent uniform symbols of an ordered alphabet of 50: digits, capitals, then a to n.
    """

    name: ClassVar[str] = "sort-text"
    summary: ClassVar[str] = "sort single symbols, in text"
    answer: ClassVar[Answer] = "list"
    symbols: ClassVar[tuple[str, ...]] = (
        *DIGITS,
        *string.ascii_uppercase,
        *string.ascii_lowercase[:14],
    )
    values: ClassVar[tuple[int, int]] = (0, 49)

    def _items(self, value: Int[np.ndarray, "..."]) -> Block:
        return blocks.word(value)


@dataclass(frozen=True, kw_only=True)
class SortNumbers(_Sorting):
    """``Sort the following list [ 2 4 6 8, 8 1 ]. The sorted list is [ 8 1, 2 4 6 8 ].``

    Independent uniform numbers from 10 to 9999, written digit by digit.
    """

    name: ClassVar[str] = "sort-multi-text"
    summary: ClassVar[str] = "sort numbers of several digits, in text"
    answer: ClassVar[Answer] = "numbers"
    symbols: ClassVar[tuple[str, ...]] = DIGITS
    values: ClassVar[tuple[int, int]] = (10, 9999)

    def _items(self, value: Int[np.ndarray, "..."]) -> Block:
        return blocks.digits(value, 4)
