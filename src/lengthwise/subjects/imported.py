"""A checkpoint in the transformers library's format, asked tasks as text."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool

from lengthwise.core.errors import InputError
from lengthwise.evaluation.answers import check_writes
from lengthwise.evaluation.metrics import METRICS
from lengthwise.models.decoder import Decoder
from lengthwise.models.exchange.architecture import ABOUT
from lengthwise.models.exchange.reading import Imported, read_folder
from lengthwise.models.generation import generate
from lengthwise.records.spec import Metric
from lengthwise.runs.store import Store
from lengthwise.subjects.any_model import Model
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch
from lengthwise.tasks.text.prompted import PromptedTask
from lengthwise.tasks.text.spelling import make_spelling
from lengthwise.tasks.text.tokenizer_file import TOKENIZER, TokenizerFile, read_tokenizer

SHOTS, SHOWN = 8, 8
"""Worked examples before an instance, and how many of the shortest lengths they have."""
FORM = 1
"""How tasks are written; another number for another way, so that nothing kept is mixed up."""


@dataclass(frozen=True)
class Prompt:
    """How a task is put to a pretrained model."""

    shots: int | None = None
    """Worked examples; by default none for a model that knows the task's symbols, else some."""
    lengths: tuple[int, int] | None = None
    """Their lengths; by default the shortest."""
    spelling: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ImportedModel(Model):
    """A decoder that was read from a folder, with the tokenizer that lies there."""

    path: Path
    imported: Imported
    tokenizer: TokenizerFile | None
    home: Path
    """Where what is measured is kept."""
    prompt: Prompt = field(default_factory=Prompt)

    @property
    def name(self) -> str:
        """The folder and the size of what it holds."""
        config = self.imported.described.model
        kind = self.imported.config["model_type"]
        return f"{self.path}: {kind}, {config.layers} layers of width {config.width}"

    @property
    def decoder(self) -> Decoder:
        """The decoder with the folder's weights."""
        return self.imported.decoder

    @property
    def encoding(self) -> str:
        """The encoding, as people type it; a table of zeros tells no positions."""
        table = getattr(self.decoder.encoding, "table", None)
        zero = table is not None and not bool(table.weight.any())
        return "nope" if zero else self.imported.described.position

    @property
    def weights(self) -> str:
        """The digest of the folder."""
        return self.imported.digest

    @property
    def folder(self) -> Path:
        """A folder of the store's cache; the model's own is left alone."""
        self.home.mkdir(parents=True, exist_ok=True)
        return self.home

    @property
    def trained(self) -> tuple[int, int] | None:
        """The training lengths that ``export model`` wrote down; else they are not known."""
        match self.imported.config.get(ABOUT):
            case {"trained": [int(low), int(high)]} if 0 <= low <= high:
                return low, high
        return None

    @property
    def prompting(self) -> str:
        """What identifies the way in which it is asked, besides the task."""
        prompt, known = self.prompt, self._tokenizer.digest
        said = [FORM, prompt.shots, prompt.lengths, sorted(prompt.spelling.items()), known]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]

    @property
    def _tokenizer(self) -> TokenizerFile:
        if self.tokenizer is None:
            raise InputError(
                f"{self.path}: there is no {TOKENIZER}, so that its tokens have no meaning; save "
                "the tokenizer into the folder (save_pretrained)."
            )
        return self.tokenizer

    def prepared(self, task: Task, metric: Metric) -> PromptedTask:
        """Return the task in the model's tokens, or say which symbol has none."""
        tokenizer, described = self._tokenizer, self.imported.described
        if tokenizer.size > described.vocabulary:
            raise InputError(
                f"{tokenizer.path}: {tokenizer.size:,} tokens, and the model has "
                f"{described.vocabulary:,}; it is the tokenizer of another model."
            )
        short = task.first_lengths(SHOWN)
        drawn = task.draw(np.random.default_rng(0), int(short[0]), int(short[-1]), 32)
        check_writes(task, drawn)
        spelling = make_spelling(tokenizer, task.vocabulary, self.prompt.spelling)
        shots = (0 if spelling.own else SHOTS) if self.prompt.shots is None else self.prompt.shots
        lengths = self.prompt.lengths or (int(short[0]), int(short[-1]))
        if shots:
            task.check_range(*lengths)
        context = described.context if described.bounded else None
        return PromptedTask(
            inner=task, spelling=spelling, shots=shots, shown=lengths, context=context
        )

    def right(self, task: Task, batch: Batch, metric: Metric) -> Bool[np.ndarray, "b"]:
        """Judge by the metric."""
        assert isinstance(task, PromptedTask)
        task.check_size(batch)
        return METRICS[metric](self.decoder, task, batch)

    def reply(self, words: Sequence[str], stop: str, limit: int) -> list[dict[str, object]]:
        """Continue each text, up to the token ``stop`` if there is one of that name."""
        tokenizer = self._tokenizer
        end = tokenizer.inner.token_to_id(stop)
        if end is None:
            end = self.imported.config.get("eos_token_id")
        end = end[0] if isinstance(end, list) else end
        rows: list[dict[str, object]] = []
        for word in words:
            ids = [*tokenizer.beginning, *tokenizer.ids(word)]
            rows.append({"prompt": word, "written": self._continued(word, ids, end, limit)})
        return rows

    def _continued(self, word: str, ids: list[int], end: int | None, limit: int) -> str:
        described = self.imported.described
        room = described.context - len(ids) if described.bounded else limit
        if not ids or room < 1:
            raise InputError(
                f"{word[:40]!r}: {len(ids):,} tokens; give at least one, and fewer than "
                f"{described.context:,}."
            )
        device = self.decoder.embedding.weight.device
        made = generate(
            self.decoder,
            torch.tensor([ids], device=device),
            torch.tensor([len(ids)], device=device),
            steps=min(limit, room),
            stop=end,
        )[0].tolist()
        made = made[: made.index(end)] if end is not None and end in made else made
        return self._tokenizer.inner.decode(made, skip_special_tokens=False)


def load_imported(path: Path, store: Store) -> ImportedModel:
    """Read a folder in the transformers library's format."""
    imported = read_folder(path)
    file = path / TOKENIZER
    tokenizer = read_tokenizer(file) if file.is_file() else None
    home = store.root / ".cache" / "models" / imported.digest
    return ImportedModel(path, imported, tokenizer, home)
