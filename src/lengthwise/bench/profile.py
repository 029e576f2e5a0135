"""Where the time of a training step goes, by kind of operation."""

from collections import Counter
from collections.abc import Iterator

from lengthwise.bench.measure import Figure
from lengthwise.bench.training import trainer_of

SHAPES = (("unique-copy", 2, 1, 64), ("parity", 4, 2, 256))
KINDS = (
    ("matrix multiplies", ("aten::mm", "aten::addmm", "aten::bmm", "mkldnn::_linear_pointwise")),
    ("attention", ("scaled_dot_product",)),
    ("activation", ("gelu", "relu")),
    ("norms", ("layer_norm", "rms_norm")),
    ("moving data", ("index", "copy", "cat", "fill", "zero", "embedding", "clone")),
    ("optimiser", ("fused_adam", "foreach", "clip", "linalg_vector_norm")),
)


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
