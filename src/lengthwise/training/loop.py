"""One run from its specification to its result: fit, measure, keep what was done."""

import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.core.files import write_bytes
from lengthwise.core.seeds import Stream, generator, torch_seed
from lengthwise.evaluation.exact import test_set
from lengthwise.evaluation.metrics import check_metric, evaluate
from lengthwise.models.decoder import Decoder
from lengthwise.models.supervised import draw_offsets, loss, prepare
from lengthwise.positions import POSITIONS
from lengthwise.positions.base import PositionEncoding
from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.manifest import EVENTS, DamagedError
from lengthwise.records.outcomes import FITTED
from lengthwise.records.progress import Interrupted, Listener, Progress
from lengthwise.records.record import CHECKPOINT, content, history_bytes, parse_history
from lengthwise.records.result import Evaluation, first_fit, impossible, kept
from lengthwise.records.spec import RunSpec
from lengthwise.tasks import TASKS
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch
from lengthwise.training.checkpoint import best_weights, load_checkpoint, save_checkpoint
from lengthwise.training.first_look import first_look
from lengthwise.training.optimizer import build_optimizer
from lengthwise.training.positional import check_regularize, positional_penalty
from lengthwise.training.schedule import learning_rate
from lengthwise.training.start import begin

CHECKPOINT_SECONDS = 60.0
LOOK_EVERY, LOOK_ROWS = 20, 200
"""A run that settles looks for its first fit every so many steps, on so few instances."""


class DisagreementError(InputError):
    """The checkpoint is whole, but how the run got there is not known: it begins anew."""


class Trainer:
    """A run in progress, in a folder of its own.

    Every batch is a pure function of seed and step, so the folder's checkpoint (weights, optimiser,
    step) is the whole state: a run that was interrupted continues to the same numbers.
    """

    def __init__(self, spec: RunSpec, folder: Path, device: str = "cpu") -> None:
        self.spec, self.folder, self.device = spec, folder, device
        self.task = spec.task.build(TASKS, Task)
        self.encoding = spec.position.build(POSITIONS, PositionEncoding)
        for bin_ in spec.bins:
            self.task.check_range(*bin_)
        check_regularize(spec.training.regularize, self.encoding)
        check_metric(spec.evaluation.metric, self.task, spec.training.length)
        self.context = self.task.max_tokens(spec.longest)
        self.model = build_model(spec, self.task, self.encoding, self.context)
        begin(spec, self.model, folder.parent)
        first_look(spec, self.task, self.encoding, self.model.encoding, self.context)
        self.model = self.model.to(device)
        self.optimizer = build_optimizer(self.model, spec.training)
        if spec.training.compiled:
            self.model.packed = torch.compile(self.model.packed, dynamic=True)
        self.step = 0
        self.history: list[Evaluation] = []
        self._best: dict[str, Tensor] = {}  # weights of the best evaluation so far, if kept
        self._loss_sum, self._loss_count = 0.0, 0  # since the last evaluation

    def resume(self) -> None:
        """Continue from the folder's checkpoint, if there is one."""
        path = self.folder / CHECKPOINT
        if not path.exists():
            return
        facts = load_checkpoint(path, self.model, self.optimizer, self.spec.id)
        try:
            self.step, self._loss_count = int(facts["step"]), int(facts["loss_count"])
            self._loss_sum = float.fromhex(facts["loss_sum"])
        except (KeyError, ValueError) as error:
            raise InputError(f"{path}: damaged ({error!r}).") from None
        if not 0 <= self.step <= self.spec.training.most:
            raise InputError(f"{path}: damaged (step {self.step} of {self.spec.training.most}).")
        self.history = self._history(facts.get("history"))
        self._best = best_weights(path, self.spec.id)
        self._write_history()

    def _history(self, known: str | None) -> list[Evaluation]:
        """Return the evaluations up to the checkpoint's step, every one of them.

        The checkpoint knows them; events.jsonl, which may be one ahead or damaged, follows it. For
        a checkpoint of an earlier version it is the other way round.
        """
        try:
            data = content(self.folder, EVENTS) if known is None else known.encode()
            found = [event for event in parse_history(data) if event.step <= self.step]
        except DamagedError as error:
            raise DisagreementError(str(error)) from None
        due = evaluated_steps(self.spec, self.step, first_fit(found))
        since = self.step - (due[-1] if due else 0)
        whole = [event.step for event in found] == due and self._loss_count == since
        if not whole or impossible(self.spec, tuple(found)):
            raise DisagreementError(
                f"{self.folder / EVENTS}: not the evaluations up to step {self.step}, at which the "
                "checkpoint was saved."
            )
        return found

    def fit(
        self,
        listener: Listener = lambda progress: None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> str:
        """Train to the end and return why it ended; ``should_stop`` is asked between steps."""
        started = saved = time.monotonic()
        while not (reason := self._finished()):
            assert not self._last(), "every run is evaluated at its last step"
            value = self.train_step()
            self._loss_sum, self._loss_count = self._loss_sum + value, self._loss_count + 1
            if due := self._due():
                self._evaluate()
            if should_stop():
                self.save()
                raise Interrupted
            late = time.monotonic() - saved > CHECKPOINT_SECONDS
            if self._planned() or (late and not due):
                self.save()  # not at a last step out of turn: a longer run is not measured there
                saved = time.monotonic()
            listener(self._progress(value, time.monotonic() - started))
        return reason

    def save(self) -> None:
        """Write the checkpoint: everything needed to continue to the same numbers."""
        facts = {
            "run": self.spec.id,
            "step": str(self.step),
            "loss_sum": self._loss_sum.hex(),
            "loss_count": str(self._loss_count),
            "history": history_bytes(tuple(self.history)).decode(),
        }
        save_checkpoint(self.folder / CHECKPOINT, self.model, self.optimizer, facts, self._best)

    def train_step(self) -> float:
        """Take one optimiser step and return its loss."""
        training = self.spec.training
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(training, self.step, self.fitted)
        if self.spec.model.dropout:
            torch.manual_seed(torch_seed(self.spec.seed, Stream.DROPOUT, self.step))
        low = training.precision == "bfloat16"
        with torch.autocast(torch.device(self.device).type, torch.bfloat16, enabled=low):
            value = self._loss()
        self.optimizer.zero_grad()
        value.backward()
        if training.clip:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), training.clip)
        self.optimizer.step()
        self.step += 1
        return value.item()

    def draw(self) -> tuple[Batch, np.ndarray | None, np.ndarray | None]:
        """Return the batch of the next step, its offsets, and positions the encoding chose."""
        training = self.spec.training
        before = 0 if self.spec.start is None else self.spec.start.steps
        rng = generator(self.spec.seed, Stream.TRAINING_DATA, before + self.step)
        batch = self.task.draw(rng, *self._lengths(), training.batch)
        batch = batch.rows(np.argsort(batch.size, kind="stable"))  # neighbours of similar size
        shift = self.encoding.absolute and training.offsets
        offsets = draw_offsets(rng, batch, self.context) if shift else None
        return batch, offsets, self.model.encoding.positions(batch.size, rng)

    def _lengths(self) -> tuple[int, int]:
        """Return the lengths of the next batch: of the possible ones a growing part, then all."""
        low, high = self.spec.training.length
        if self.step >= self.spec.training.curriculum:
            return low, high
        possible = self.task.possible_lengths(low, high)
        return low, int(possible[len(possible) * self.step // self.spec.training.curriculum])

    def _loss(self) -> Tensor:
        value = self._batch_loss(*self.draw())
        if self.spec.training.regularize:
            value = value + self.spec.training.regularize * positional_penalty(self.model)
        return value

    def _batch_loss(
        self, batch: Batch, offsets: np.ndarray | None, places: np.ndarray | None
    ) -> Tensor:
        return loss(self.model, prepare(batch, self.device, offsets=offsets, places=places))

    def _evaluate(self) -> None:
        mean = self._loss_sum / self._loss_count
        self._loss_sum, self._loss_count = 0.0, 0
        finite = mean if math.isfinite(mean) else None
        event = Evaluation(step=self.step, loss=finite, bins=self.measure())
        self.history.append(event)
        if self.spec.training.keep == "best" and kept(self.spec, self.history) is event:
            self._best = {n: value.detach().clone() for n, value in self._weights().items()}
        self._write_history()

    def _weights(self) -> dict[str, Tensor]:
        return dict(self.model.state_dict())

    def keep(self) -> Evaluation:
        """Go back to the weights that the run keeps, and return their evaluation."""
        if self._best:
            self.model.load_state_dict(self._best)
        return kept(self.spec, self.history)

    def measure(self) -> tuple[AccuracyByLength, ...]:
        """Measure every bin's fixed test set."""
        return tuple(
            self._right(number, self._tests(number)) for number in range(len(self.spec.bins))
        )

    def _tests(self, number: int) -> Batch:
        bin_, instances = self.spec.bins[number], self.spec.evaluation.instances
        return test_set(self.task, self.spec.seed, bin_, number, instances)

    def _right(self, number: int, rows: Batch) -> AccuracyByLength:
        metric = self.spec.evaluation.metric
        return evaluate(self.model, self.task, rows, self.spec.bins[number], metric)

    def _write_history(self) -> None:
        write_bytes(self.folder / EVENTS, history_bytes(tuple(self.history)))

    @property
    def fitted(self) -> int | None:
        """The step of the first evaluation that was right in distribution."""
        return first_fit(self.history)

    @property
    def last_step(self) -> int:
        """The step at which the run ends, as far as is known."""
        training, fitted = self.spec.training, self.fitted
        return training.settled(fitted) if training.settle and fitted else training.steps

    def _last(self) -> bool:
        return self.step >= self.last_step

    def _due(self) -> bool:
        """Whether this step is evaluated: by the plan, at the end, or for a first fit."""
        planned = self._planned() or self._last()
        return planned or (bool(self.spec.training.settle) and self._fits())

    def _planned(self) -> bool:
        return self.step % self.spec.training.evaluate_every == 0

    def _fits(self) -> bool:
        """Whether this is the first fit: asked now and then, of a few instances, then of all.

        Nothing is drawn and nothing kept, so that a run that is continued decides alike; only the
        training lengths are looked at.
        """
        if self.fitted is not None or self.step % LOOK_EVERY:
            return False
        batch = self._tests(0)
        few = batch.rows(np.arange(min(LOOK_ROWS, len(batch.length))))
        return all(self._right(0, rows).accuracy >= FITTED for rows in (few, batch))

    def _finished(self) -> str:
        if not self.history or self.history[-1].step != self.step:
            return ""
        if self.history[-1].loss is None:
            return "the loss is not finite"
        training = self.spec.training
        if training.settle and self._last():
            return "settled" if self.fitted is not None else "not fitted"
        if training.settle == 0 and training.stop_when_perfect and self._perfect():
            return "perfect in distribution"
        return "all steps done" if self._last() else ""

    def _perfect(self) -> bool:
        return self.history[-1].bins[0].accuracy == 1.0

    def _progress(self, value: float, seconds: float) -> Progress:
        last = self.history[-1] if self.history else None
        return Progress(
            step=self.step,
            steps=self.last_step,
            loss=value,
            evaluated=last.step if last else 0,
            accuracy=tuple(bin_.accuracy for bin_ in last.bins) if last else (),
            seconds=seconds,
        )


def evaluated_steps(spec: RunSpec, step: int, fitted: int | None = None) -> list[int]:
    """Return the steps up to some step at which a run is evaluated.

    A run that settles is evaluated at its first fit as well, and ends later.

    Example:
        >>> spec = RunSpec.create(
        ...     task="parity", position="nope", training={"steps": 5, "evaluate_every": 2}
        ... )
        >>> evaluated_steps(spec, 3), evaluated_steps(spec, 5)
        ([2], [2, 4, 5])
    """
    training = spec.training
    every, last = training.evaluate_every, training.steps
    known = set(range(every, step + 1, every))
    if training.settle and fitted is not None:
        last = training.settled(fitted)
        known.add(fitted)
    return sorted(known | ({last} if step >= last else set()))


def build_model(spec: RunSpec, task: Task, encoding: PositionEncoding, context: int) -> Decoder:
    """Create the model with weights drawn from the run's own stream."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(torch_seed(spec.seed, Stream.WEIGHTS))
        return Decoder(spec.model, len(task.vocabulary), encoding.for_task(task), context)
