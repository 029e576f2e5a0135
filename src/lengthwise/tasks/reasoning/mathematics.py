"""Tasks with an answer sentence and an optional scratchpad: what they share."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from lengthwise.core.errors import InputError
from lengthwise.tasks.reasoning import _blocks as blocks
from lengthwise.tasks.reasoning._blocks import Block
from lengthwise.tasks.reasoning.base import Split, TemplateTask, tokenize
from lengthwise.tasks.reasoning.scratchpad import (
    SHORT,
    Markers,
    Scratchpad,
    Steps,
    Style,
    score_pad,
)
from lengthwise.tasks.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class SteppedTask(TemplateTask):
    """A text task whose target may open with a scratchpad.

    ``scratchpad`` is ``none``, ``full``, ``minimal`` or five flags such as ``i1_c1_o1_v0_r1``.
    ``markers=wordy`` writes the parts in words, and ``stripped=false`` writes out how numbers are
    reduced, as the authors' code does by default; their published runs use neither.
    """

    scratchpad: str = "none"
    markers: Style = "short"
    stripped: bool = True

    split: ClassVar[Split] = Split(train=(1, 8), test=(9, 16))
    symbols: ClassVar[tuple[str, ...]]
    """Symbols whose ids are computed; they come first in the vocabulary."""
    phrases: ClassVar[str]
    """Words of the prompt, the answer and the step contents."""
    whole: ClassVar[str] = ""
    """Further words of steps that are not stripped."""
    wordy: ClassVar[Markers]
    """The long markers of the pad."""

    def __post_init__(self) -> None:
        if Scratchpad.parse(self.scratchpad) is None and not (
            self.markers == "short" and self.stripped
        ):
            raise InputError(
                f"task {self.name!r}: markers and stripped are about a scratchpad; "
                "add scratchpad=full, minimal or flags."
            )
        if not self.stripped and not self.whole:
            raise InputError(f"task {self.name!r}: stripped=false: its steps have one form only.")

    @cached_property
    def pad(self) -> Scratchpad | None:
        """Which parts of the steps are written, if any."""
        return Scratchpad.parse(self.scratchpad, SHORT if self.markers == "short" else self.wordy)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Computed symbols first; the words of the pad only if there is one."""
        pad = tokenize(self.pad.markers.words()) if self.pad else ()
        whole = () if self.stripped else self.whole.split()
        words = (*self.symbols, *self.phrases.split(), *pad, *whole)
        return Vocabulary(tuple(dict.fromkeys(words)))

    @abstractmethod
    def _steps(self, content: Any) -> Steps:
        """Write the parts of every step."""

    @abstractmethod
    def _question(self, content: Any) -> Block:
        """Write the prompt."""

    @abstractmethod
    def _answer(self, content: Any) -> Block:
        """Write the answer sentence."""

    def _write(self, content: Any) -> tuple[Block, Block]:
        answer = self._answer(content)
        if self.pad is not None:
            answer = blocks.join(self.pad.write(self.words, self._steps(content)), answer)
        return self._question(content), answer

    def score(self, generated: str, target: str) -> dict[str, float]:
        """Return for each part of the pad the fraction of steps in which it is right."""
        return score_pad(generated, target, tokenize, self.pad.markers if self.pad else SHORT)
