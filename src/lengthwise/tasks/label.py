"""Answers that are read off instead of written: what an encoder can be asked."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.tasks.derived import DerivedTask


@dataclass(frozen=True, kw_only=True)
class Label(DerivedTask):
    """Another task whose answer is one symbol, as a label of its prompt: ``label:parity``.

    ``<bos> 0 1 1 <sep> 0 <eos>`` becomes ``<bos> 0 1 1 <sep>``, and 0 is asked at the separator.
    Nothing of the answer is among the tokens, so that a model that looks both ways
    (``bidirectional``) cannot read it there.
    """

    name: ClassVar[str] = "label"
    summary: ClassVar[str] = "a task's one answer as a label of its prompt: label:parity"
    example: ClassVar[str] = "label:parity"

    def __post_init__(self) -> None:
        super().__post_init__()
        short = self.inner.first_lengths(4)
        if len(short):
            self.sample(np.random.default_rng(0), short)  # a task that asks more shows now

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw instances of the inner task and cut them behind their prompts."""
        whole = self.inner.sample(rng, lengths)
        rows, place = np.arange(len(lengths)), np.argmax(whole.supervised, axis=1)
        self._check(whole, rows, place)
        tokens = np.where(
            np.arange(whole.tokens.shape[1]) <= place[:, None], whole.tokens, self.vocabulary.pad
        )
        targets = np.full_like(whole.targets, IGNORE)
        targets[rows, place] = whole.targets[rows, place]
        width = int(place.max(initial=0)) + 1
        return Batch(tokens[:, :width], targets[:, :width], whole.length, place + 1)

    def _check(self, whole: Batch, rows: Int[np.ndarray, "b"], place: Int[np.ndarray, "b"]) -> None:
        """Refuse a task that asks for more than one symbol, apart from the end of the row."""
        rest = whole.supervised.copy()
        rest[rows, place] = False
        if (whole.targets[rest] != self.vocabulary.eos).any():
            raise InputError(
                f"task 'label': {self.task!r} asks for more than one symbol; a label is one."
            )
