"""One run in several processes: data parallel under ``torchrun -m lengthwise ...``.

Every process draws the same batch, since batch b is a pure function of (task, seed, b), and takes
its share of the rows; gradients are averaged by torch's DistributedDataParallel. Up to the order of
summation the losses are those of one process. With dropout the masks differ from one process's.
Only the first process writes; the others read the checkpoint and the result from the same store.
"""

import gc
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from lengthwise.core.errors import InputError
from lengthwise.core.seeds import Stream, torch_seed
from lengthwise.models.supervised import Inputs, loss
from lengthwise.models.supervised import prepare as as_tensors
from lengthwise.records.result import RunResult
from lengthwise.records.spec import RunSpec
from lengthwise.runs.distributed import leader
from lengthwise.runs.driver import OnProgress, interrupt_flag
from lengthwise.runs.execute import choose_device, finish, finished, prepare, resumed
from lengthwise.runs.job import throttled
from lengthwise.runs.store import Store
from lengthwise.tasks.batch import Batch
from lengthwise.training.loop import Trainer


def execute_together(
    specs: Sequence[RunSpec],
    store: Store,
    *,
    device: str = "auto",
    again: bool = False,
    on_progress: OnProgress = lambda spec, progress: None,
) -> list[RunResult]:
    """Execute the runs one by one in all processes of the group; each returns the same results."""
    with joined(device) as device:
        return [_execute(spec, store, device, again, on_progress) for spec in specs]


def _execute(
    spec: RunSpec, store: Store, device: str, again: bool, on_progress: OnProgress
) -> RunResult:
    if spec.training.batch < dist.get_world_size():
        raise InputError(
            f"a batch of {spec.training.batch} cannot be shared by "
            f"{dist.get_world_size()} processes; use a larger --batch."
        )
    if not first_says(again or _finished(spec, store) is None, device):
        return _stored(spec, store)
    folder = store.folder(spec)
    with store.lock(store.open(spec)) if leader() else nullcontext():
        if leader():
            prepare(folder, spec, again=again)
        dist.barrier()
        trainer = resumed(SharedTrainer(spec, folder, device), restart_damaged=False)
        trainer.wrap()
        started = time.monotonic()
        report = throttled(lambda progress: on_progress(spec, progress))
        with interrupt_flag() as flag:
            stopped = trainer.fit(report, lambda: anyone_says(flag.is_set(), device))
        if leader():
            finish(trainer, stopped, time.monotonic() - started)
        dist.barrier()
    return _stored(spec, store)


class SharedTrainer(Trainer):
    """A trainer that works on its share of every batch."""

    def __init__(self, spec: RunSpec, folder: Path, device: str = "cpu") -> None:
        super().__init__(spec, folder, device)
        self._shared: nn.Module | None = None

    def wrap(self) -> None:
        """Join the models; their weights become those of the first process."""
        unused = any(not parameter.requires_grad for parameter in self.model.parameters())
        self._shared = DistributedDataParallel(
            _Loss(self.model), find_unused_parameters=unused or self._some_unused()
        )

    def _some_unused(self) -> bool:
        """Say whether a step leaves some weight without gradient."""
        self._loss().backward()
        unused = any(parameter.grad is None for parameter in self.model.parameters())
        self.optimizer.zero_grad()
        return unused

    def _batch_loss(
        self, batch: Batch, offsets: np.ndarray | None, places: np.ndarray | None
    ) -> Tensor:
        rank, world = dist.get_rank(), dist.get_world_size()
        rows = np.arange(rank, len(batch.length), world)
        part = batch.rows(rows)
        inputs = as_tensors(
            part,
            self.device,
            offsets=None if offsets is None else offsets[rows],
            places=None if places is None else places[rows, : part.tokens.shape[1]],
        )
        if self.spec.model.dropout:
            seed = torch_seed(self.spec.seed, Stream.DROPOUT, self.step, rank)
            torch.manual_seed(seed)
        # The mean over all supervised cells, not the mean of the processes' means.
        share = world * float(part.supervised.sum()) / float(batch.supervised.sum())
        value = loss(self.model, inputs) if self._shared is None else self._shared(inputs)
        return value * share

    def train_step(self) -> float:
        """Take one step together and return the loss of the whole batch."""
        value = torch.tensor(super().train_step(), dtype=torch.float64, device=self.device)
        dist.all_reduce(value)
        return value.item() / dist.get_world_size()

    def save(self) -> None:
        """Write the checkpoint, in the first process alone."""
        if leader():
            super().save()

    def _write_history(self) -> None:
        if leader():
            super()._write_history()


class _Loss(nn.Module):
    """The loss as a module, which is what DistributedDataParallel wraps."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, inputs: Inputs) -> Tensor:
        return loss(self.model, inputs)  # pyright: ignore[reportArgumentType]  (a Decoder)


@contextmanager
def joined(device: str) -> Iterator[str]:
    """Join the group that torchrun made for a block, which is given this process's device.

    The group is left while the interpreter still runs: models that hold on to it go first, and its
    threads end with it. Left at exit instead, a thread that was still running aborted the process.
    """
    device = choose_device(device)
    if device == "cuda":
        device = f"cuda:{os.environ['LOCAL_RANK']}"
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if device.startswith("cuda") else "gloo")
    try:
        yield device
    finally:
        gc.collect()
        dist.destroy_process_group()


def first_says(value: bool, device: str) -> bool:
    """Return the first process's answer in all of them."""
    answer = torch.tensor(int(value), device=device)
    dist.broadcast(answer, 0)
    return bool(answer.item())


def anyone_says(value: bool, device: str) -> bool:
    """Say in all processes whether one of them says yes, so that they stop at the same step."""
    answer = torch.tensor(int(value), device=device)
    dist.all_reduce(answer, dist.ReduceOp.MAX)
    return bool(answer.item())


def _finished(spec: RunSpec, store: Store) -> RunResult | None:
    return finished(store.record(store.folder(spec)))


def _stored(spec: RunSpec, store: Store) -> RunResult:
    result = _finished(spec, store)
    if result is None:
        raise InputError(f"store {str(store.root)!r} is not shared by all processes.")
    return result
