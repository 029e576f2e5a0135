"""The one reader of models: a run, a checkpoint of one, a compiled program, a folder.

=============================  ==================================================================
``3f2a``                       a finished run of the store, by the beginning of its id
``runs/3f2a91bc04de``          a finished run, by its folder
``.../checkpoint.safetensors`` a run under way, at the step of its checkpoint
``.../model.safetensors``      the weights of a finished run
``dyck1.safetensors``          what ``lengthwise compile`` wrote
``my-checkpoint/``             a folder in the transformers library's format (`subjects.imported`)
=============================  ==================================================================

A model answers one question about any task that it can read: which rows of a batch are right?
Further formats need a reader here and a class with the same methods.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from jaxtyping import Bool

from lengthwise.core.components import Component
from lengthwise.core.errors import InputError
from lengthwise.evaluation.asking import reply
from lengthwise.evaluation.metrics import METRICS, check_metric
from lengthwise.languages.words import read_word
from lengthwise.models.decoder import Decoder
from lengthwise.models.exchange.reading import CONFIG, PICKLES, is_folder, pickled
from lengthwise.records.manifest import SPEC
from lengthwise.records.spec import Metric
from lengthwise.runs.store import Store
from lengthwise.runs.trained import TrainedRun, load_at_checkpoint, load_run
from lengthwise.subjects.any_model import Model
from lengthwise.subjects.imported import load_imported
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch
from lengthwise.tasks.formal.regular import RegularTask
from lengthwise.tasks.vocabulary import BOS
from lengthwise.theory.limit.compiled import KIND, CompiledModel
from lengthwise.theory.limit.compiled import load as load_compiled
from lengthwise.training.checkpoint import read_facts


@dataclass(frozen=True)
class TrainedModel(Model):
    """A trained decoder with the task that gives its tokens a meaning."""

    run: TrainedRun
    step: int | None = None
    """The step of a checkpoint; None for a finished run."""

    @property
    def name(self) -> str:
        """The run and what it is about."""
        at = "" if self.step is None else f" at step {self.step:,}"
        return f"{self.run.id}{at}: {self.run.subject}"

    @property
    def decoder(self) -> Decoder:
        """The trained decoder."""
        return self.run.model

    @property
    def encoding(self) -> str:
        """The encoding of the run."""
        return str(self.run.spec.position)

    @property
    def weights(self) -> str:
        """The digest of the file that they were read from."""
        return self.run.weights

    @property
    def task(self) -> Component:
        """The task of the run."""
        return self.run.spec.task

    @property
    def trained(self) -> tuple[int, int]:
        """The training lengths of the run."""
        return self.run.spec.training.length

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self.run.folder

    def prepared(self, task: Task, metric: Metric) -> Task:
        """Refuse a task whose symbols are not the model's, or that the metric cannot measure."""
        own, other = self.run.task.vocabulary.symbols, task.vocabulary.symbols
        if own != other:
            raise InputError(
                f"task {task.name!r} has other symbols ({_some(other)}) than {self.task}, on which "
                f"the model was trained ({_some(own)})."
            )
        shortest = int(task.first_lengths(1)[0])
        check_metric(metric, task, (shortest, max(shortest, self.trained[1])))
        return task

    def right(self, task: Task, batch: Batch, metric: Metric) -> Bool[np.ndarray, "b"]:
        """Judge by the metric."""
        return METRICS[metric](self.decoder, task, batch)

    def reply(self, words: Sequence[str], stop: str, limit: int) -> list[dict[str, object]]:
        """Complete each prompt, or label what was read, as the task is."""
        return [reply(self.decoder, self.run.task, word, stop, limit) for word in words]


@dataclass(frozen=True)
class CompiledProgram(Model):
    """A compiled program: what it says is read from its outputs, without a task of its own."""

    path: str
    model: CompiledModel

    @property
    def name(self) -> str:
        """The file and what it does."""
        return f"{self.path}: compiled {self.model.description.kind}"

    @property
    def decoder(self) -> Decoder:
        """The decoder with the compiled weights."""
        return self.model.decoder

    def prepared(self, task: Task, metric: Metric) -> Task:
        """Ask a recogniser whether words are in the task's language, a generator what it writes."""
        if metric != "exact":
            raise InputError(
                f"metric {metric}: a compiled program has no probabilities; use exact."
            )
        if self.model.description.kind == "generator":
            return task
        if not isinstance(task, RegularTask):
            raise InputError(
                f"task {task.name!r}: a compiled recogniser is evaluated on a regular language, "
                "such as --task '(ab)*'; `lengthwise compile --check` compares it with its program."
            )
        return replace(task, supervision="recognition", words="language")

    def right(self, task: Task, batch: Batch, metric: Metric) -> Bool[np.ndarray, "b"]:
        """Compare what the outputs say with what the task asks for."""
        text = task.vocabulary.text
        rows = [
            [text(int(token)) for token in tokens[:size]]
            for tokens, size in zip(batch.tokens, batch.size, strict=True)
        ]
        if self.model.description.kind == "recogniser":  # <bos> word <sep> answer <eos>
            accepted = self.model.accepts([row[1:-3] for row in rows])
            return np.array(
                [yes == (row[-2] == "accept") for yes, row in zip(accepted, rows, strict=True)]
            )
        skip = 0 if BOS in self.model.description.letters or rows[0][0] != BOS else 1
        names = list(self.model.description.outputs)
        places = {name: place for place, name in enumerate(names)}
        column = np.array([places.get(text(k), -1) for k in range(len(task.vocabulary))])
        found = np.zeros(len(rows), dtype=bool)
        ends = [int(np.flatnonzero(marked)[-1]) + 1 for marked in batch.supervised]
        said = self.model.truths([row[skip:end] for row, end in zip(rows, ends, strict=True)])
        for number, targets in enumerate(batch.targets):
            asked = np.flatnonzero(batch.supervised[number])
            held = said[number, asked + 1 - skip]
            wanted = column[targets[asked]][:, None] == np.arange(len(names))
            found[number] = bool((held == wanted).all() and wanted.any(axis=1).all())
        return found

    def reply(self, words: Sequence[str], stop: str, limit: int) -> list[dict[str, object]]:
        """Accept words, or write after prompts."""
        about = self.model.description
        texts = [read_word(word, about.letters) for word in words]
        if about.kind == "recogniser":
            answers = [bool(answer) for answer in self.model.accepts(texts)]
            return [{"word": w, "accepted": a} for w, a in zip(words, answers, strict=True)]
        return [
            {"prompt": word, "written": " ".join(self.model.write(text, stop, limit))}
            for word, text in zip(words, texts, strict=True)
        ]


def _some(symbols: Sequence[str]) -> str:
    return " ".join(symbols[:8]) + (" ..." if len(symbols) > 8 else "")


def read_model(text: str, store: Path | None = None, *, trust_code: bool = False) -> Model:
    """Read the model that a text names; nothing a stored run names is executed unless trusted.

    Example:
        >>> read_model("nothing.safetensors")
        Traceback (most recent call last):
        lengthwise.core.errors.InputError: nothing.safetensors: there is no such file.
    """
    path = Path(text)
    if path.suffix == ".safetensors":
        return _read_file(path, Store(store), trust_code=trust_code)
    if (path / SPEC).is_file():
        where = path.resolve()
        return TrainedModel(load_run(Store(where.parent), where.name, trust_code=trust_code))
    if is_folder(path):
        return load_imported(path, Store(store))
    if path.is_dir():
        raise InputError(
            f"{text}: a folder without {SPEC} and {CONFIG}; name that of a run, or one in the "
            "transformers library's format."
        )
    if path.suffix in PICKLES:
        raise pickled(path)
    if path.name != text or path.suffix:
        known = "not a model; name its folder, or a file of weights in it"
        raise InputError(
            f"{text}: {known if path.exists() else 'there is no such file or folder'}."
        )
    return TrainedModel(load_run(Store(store), text, trust_code=trust_code))


def _read_file(path: Path, store: Store, *, trust_code: bool) -> Model:
    """Read a file of weights by what it says it is."""
    if not path.exists():
        raise InputError(f"{path}: there is no such file.")
    facts = read_facts(path)
    if facts.get("made") == KIND:
        return CompiledProgram(str(path), load_compiled(path))
    run = facts.get("run")
    if run is None:
        raise InputError(f"{path}: neither a run's weights nor made by `lengthwise compile`.")
    where = path.resolve().parent
    home = Store(where.parent) if where.name == run and (where / SPEC).is_file() else store
    if "step" in facts:
        loaded = load_at_checkpoint(home, run, path, trust_code=trust_code)
        return TrainedModel(loaded, int(facts["step"]))
    return TrainedModel(load_run(home, run, trust_code=trust_code))
