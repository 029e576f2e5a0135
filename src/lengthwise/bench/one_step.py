"""What a training step costs inside: by encoding, by its data, by kind of operation."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from lengthwise.analysis.cost import step_costs
from lengthwise.bench.measure import Figure
from lengthwise.bench.training import trainer_of
from lengthwise.models.supervised import prepare
from lengthwise.positions import POSITIONS, example
from lengthwise.training.loop import Trainer

CEILINGS = {"alibi": 1.35, "t5": 1.35, "rope": 1.35}
"""Largest accepted ratio to NoPE."""
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
SHAPES = (("unique-copy", 2, 1, 64), ("parity", 4, 2, 256))
KINDS = (
    ("matrix multiplies", ("aten::mm", "aten::addmm", "aten::bmm", "mkldnn::_linear_pointwise")),
    ("attention", ("scaled_dot_product",)),
    ("activation", ("gelu", "relu")),
    ("norms", ("layer_norm", "rms_norm")),
    ("moving data", ("index", "copy", "cat", "fill", "zero", "embedding", "clone")),
    ("optimiser", ("fused_adam", "foreach", "clip", "linalg_vector_norm")),
)


def encodings(rounds: int) -> Iterator[Figure]:
    """Time a step of every encoding in turn; the unit is a step of NoPE."""
    seconds = step_costs([example(name) for name in POSITIONS], rounds=rounds)
    for name, value in seconds.items():
        yield Figure(
            group="encodings",
            name=f"{name}, 4x256, length 150",
            value=value / seconds["nope"],
            unit="NoPE steps",
            at_most=CEILINGS.get(name),
        )


def data_share(rounds: int) -> Iterator[Figure]:
    """Time whole steps and their data alone in turn; the best of each counts.

    In processor time, because a long step is interrupted on a busy machine and its data is not.
    """
    for task, layers, heads, width, lengths in STEPS:
        trainer = trainer_of(task, layers, heads, width, lengths, evaluation={"lengths": ()})
        trainer.train_step()
        pairs = [
            (_processor(trainer.train_step), _processor(partial(_data, trainer)))
            for _ in range(8 * rounds)
        ]
        step, data = (min(times) for times in zip(*pairs, strict=True))
        yield Figure(
            group="data",
            name=f"{task} {layers}/{heads}/{width}, batch {trainer.spec.training.batch}",
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


def profile(rounds: int) -> Iterator[Figure]:
    """Share of processor time by kind, over a few steps of two tasks (one thread is clearest)."""
    for task, layers, heads, width in SHAPES:
        shares = _shares(task, layers, heads, width, steps=3 * rounds)
        for kind, share in shares.most_common():
            name = f"{task} {layers}/{heads}/{width}: {kind}"
            yield Figure(group="profile", name=name, value=100 * share, unit="% of a step")


def _shares(task: str, layers: int, heads: int, width: int, steps: int) -> Counter[str]:
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as record

    trainer = trainer_of(task, layers, heads, width)
    trainer.train_step()
    with record(activities=[ProfilerActivity.CPU]) as found:
        for _ in range(steps):
            trainer.train_step()
    times: Counter[str] = Counter()
    for event in found.key_averages():
        times[_kind(event.key)] += event.self_cpu_time_total
    total = sum(times.values())
    return Counter({kind: value / total for kind, value in times.items()})


def _kind(operation: str) -> str:
    for kind, parts in KINDS:
        if any(part in operation.lower() for part in parts):
            return kind
    return "everything else"
