"""How much of a training step goes into data: drawing a batch and preparing it for the model."""

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from lengthwise.bench.measure import Figure
from lengthwise.models.supervised import prepare
from lengthwise.records.spec import RunSpec
from lengthwise.training.loop import Trainer

# task, layers, heads, width, training lengths
STEPS = (
    ("parity", 4, 2, 256, (0, 50)),
    ("majority", 1, 2, 256, (0, 50)),
    ("unique-copy", 2, 1, 64, (0, 50)),
    ("sort", 2, 2, 64, (0, 50)),
    ("d-12", 2, 2, 64, (2, 100)),
    ("tomita-4", 2, 2, 64, (1, 100)),
    ("addition-text", 2, 2, 64, (1, 8)),
    ("copy-v3-text", 2, 2, 64, (2, 20)),
    ("scan", 2, 2, 64, (1, 25)),
    ("pcfg", 2, 2, 64, (1, 8)),
)
AT_MOST = 5.0
"""Percent of a step that data may take."""


def data_share(rounds: int) -> Iterator[Figure]:
    """Time whole steps and their data alone in turn; the best of each counts.

    In processor time, because a long step is interrupted on a busy machine and its data is not.
    """
    for task, layers, heads, width, lengths in STEPS:
        spec = RunSpec.create(
            task=task,
            position="ape",
            model={"layers": layers, "heads": heads, "width": width},
            training={"length": lengths, "steps": 10**6},
            evaluation={"lengths": ()},
        )
        with tempfile.TemporaryDirectory() as folder:
            trainer = Trainer(spec, Path(folder))
            trainer.train_step()
            pairs = [
                (_processor(trainer.train_step), _processor(partial(_data, trainer)))
                for _ in range(8 * rounds)
            ]
        step, data = (min(times) for times in zip(*pairs, strict=True))
        yield Figure(
            group="data",
            name=f"{task} {layers}/{heads}/{width}, batch {spec.training.batch}",
            value=100 * data / step,
            unit="% of a step",
            at_most=AT_MOST,
        )


def _processor(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def _data(trainer: Trainer) -> None:
    """Make the batch of the next step and prepare it, as a step does."""
    batch, offsets, places = trainer.draw()
    prepare(batch, trainer.device, offsets=offsets, places=places)
