"""What every model that a user names can do."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Bool

from lengthwise.core.components import Component
from lengthwise.core.errors import InputError
from lengthwise.models.decoder import Decoder
from lengthwise.records.spec import Metric
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch


class Model(ABC):
    """A model that can be evaluated and asked."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What headings call it."""

    @property
    @abstractmethod
    def decoder(self) -> Decoder:
        """The transformer itself."""

    @property
    def encoding(self) -> str:
        """How position is told to it."""
        return "compiled"

    @property
    def weights(self) -> str:
        """The digest of its weights, where something measured is kept for these."""
        return ""

    @property
    def task(self) -> Component | None:
        """The task that it was trained on, if it was trained."""
        return None

    @property
    def trained(self) -> tuple[int, int] | None:
        """The lengths that it was trained on."""
        return None

    @property
    def folder(self) -> Path | None:
        """The folder of its run, where evaluations are kept."""
        return None

    @property
    def prompting(self) -> str:
        """What identifies the way in which tasks are put to it, where there are several."""
        return ""

    @abstractmethod
    def prepared(self, task: Task, metric: Metric) -> Task:
        """Return the task as this model is asked it, or say why it cannot be."""

    @abstractmethod
    def right(self, task: Task, batch: Batch, metric: Metric) -> Bool[np.ndarray, "b"]:
        """Say which rows are right."""

    @abstractmethod
    def reply(self, words: Sequence[str], stop: str, limit: int) -> list[dict[str, object]]:
        """Say what it makes of each input: complete it, or judge it."""

    def __call__(self, word: str, *, stop: str = "<eos>", limit: int = 1000) -> object:
        """Say what it makes of one input: what it writes, its labels, or whether it accepts."""
        if not isinstance(word, str):
            kind = type(word).__name__
            raise InputError(f'model: pass a word as a string, as in model("0 1 1"), not a {kind}.')
        (found,) = self.reply([word], stop, limit)
        said = list(found.values())[-1]
        return said.removesuffix(stop).strip() if isinstance(said, str) else said
