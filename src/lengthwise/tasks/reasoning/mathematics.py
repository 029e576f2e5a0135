"""Tasks with an answer sentence and an optional scratchpad: what they share."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from lengthwise.tasks.reasoning import _blocks as blocks
from lengthwise.tasks.reasoning._blocks import Block
from lengthwise.tasks.reasoning.base import Split, TemplateTask
from lengthwise.tasks.reasoning.scratchpad import PAD_WORDS, Scratchpad, Steps
from lengthwise.tasks.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class SteppedTask(TemplateTask):
    """A text task whose target may open with a scratchpad.

    ``scratchpad`` is ``none``, ``full``, ``minimal`` or five flags such as ``i1_c1_o1_v0_r1``.
    """

    scratchpad: str = "none"

    split: ClassVar[Split] = Split(train=(1, 8), test=(9, 16))
    symbols: ClassVar[tuple[str, ...]]
    """Symbols whose ids are computed; they come first in the vocabulary."""
    phrases: ClassVar[str]
    """Words of the prompt, the answer and the step contents."""

    def __post_init__(self) -> None:
        Scratchpad.parse(self.scratchpad)

    @cached_property
    def pad(self) -> Scratchpad | None:
        """Which parts of the steps are written, if any."""
        return Scratchpad.parse(self.scratchpad)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Computed symbols first; the words of the pad only if there is one."""
        pad = PAD_WORDS if self.pad else ()
        return Vocabulary(tuple(dict.fromkeys((*self.symbols, *self.phrases.split(), *pad))))

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
