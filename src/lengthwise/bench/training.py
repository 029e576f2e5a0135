"""Rows about training: whole runs against Trainer, single steps against equal shapes."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lengthwise.bench.measure import Figure, Row, compare, seconds
from lengthwise.bench.peers import gpt2, trainer_run, training_step, x_transformer
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.positions import load_position
from lengthwise.records.spec import Range, RunSpec
from lengthwise.training.loop import Trainer

# task, layers, heads, width, steps timed, ratio to reach; a training run has a process of its own,
# so small models come first: they would find the memory that large ones have left
END_TO_END = (
    ("unique-copy", 2, 1, 64, 12, 2.5),
    ("majority", 1, 2, 256, 12, 2.5),
    ("parity", 4, 2, 256, 4, 2.2),
    ("repeat-copy", 4, 4, 256, 3, 2.2),
)
# layers, heads, width, batch, length, ratio to reach against GPT-2
STEPS = ((2, 2, 64, 64, 100, 1.0), (4, 4, 256, 64, 150, 1.4), (12, 12, 768, 8, 64, 1.05))
VOCABULARY = 32


def trainer_of(
    task: str, layers: int, heads: int, width: int, lengths: Range = (0, 50), **more: Any
) -> Trainer:
    """Return a training without end; ``more`` are further parts of its specification."""
    spec = RunSpec.create(
        task=task,
        position="ape",
        model={"layers": layers, "heads": heads, "width": width},
        training={"length": lengths, "steps": 10**6},
        **more,
    )
    return Trainer(spec, Path(tempfile.mkdtemp()))


def end_to_end(rounds: int) -> Iterator[Row]:
    """Data, forward, backward and AdamW with offsets, against GPT-2 under Trainer."""
    for task, layers, heads, width, steps, at_least in END_TO_END:
        trainer = trainer_of(task, layers, heads, width)

        def ours(trainer: Trainer = trainer, steps: int = steps) -> None:
            for _ in range(steps):
                trainer.train_step()

        vocabulary = len(trainer.task.vocabulary)
        theirs = trainer_run(task, layers, heads, width, vocabulary, trainer.context, steps)
        name = f"{task} {layers}/{heads}/{width}, {steps} steps"
        yield compare(
            "end-to-end training", name, ours, "GPT-2 + Trainer", theirs,
            rounds=rounds, at_least=at_least,
        )  # fmt: skip


def single_steps(rounds: int) -> Iterator[Row | Figure]:
    """One step on equal padded shapes with every position supervised."""
    peak = matmul_peak()
    yield Figure(group="training step", name="matrix multiply, peak", value=peak, unit="GFLOP/s")
    for layers, heads, width, batch, length, at_least in STEPS:
        tokens = torch.randint(0, VOCABULARY, (batch, length))
        row = _against_gpt2(layers, heads, width, tokens, rounds, at_least)
        yield row
        share = step_flops(layers, width, batch * length, length) / row.ours / 1e9 / peak
        name = f"{row.name}, of peak"
        yield Figure(group="training step", name=name, value=100 * share, unit="%")
        for kind in ("rope", "alibi", "t5"):
            own = _ours(kind, layers, heads, width, length, activation="gelu")  # as the peer's
            other = x_transformer(kind, layers, heads, width, VOCABULARY, length)
            yield compare(
                "training step", f"{row.name}, {kind}", training_step(own, own, tokens),
                "x-transformers", training_step(other, other, tokens),
                rounds=rounds, at_least=1.0,
            )  # fmt: skip


def _against_gpt2(
    layers: int, heads: int, width: int, tokens: Tensor, rounds: int, at_least: float
) -> Row:
    """Compare with the faster of GPT-2's two settings, found in turns."""
    batch, length = tokens.shape
    peers = {}
    for attention in ("sdpa", "eager"):
        reference = gpt2(layers, heads, width, VOCABULARY, length, attention)
        peers[attention] = training_step(reference, lambda t, m=reference: m(t).logits, tokens)
    times = [{name: seconds(step) for name, step in peers.items()} for _ in range(5)]
    faster = min(peers, key=lambda name: min(turn[name] for turn in times))
    ours = training_step(model := _ours("ape", layers, heads, width, length), model, tokens)
    return compare(
        "training step", f"{layers}x{width}, batch {batch}, length {length}", ours,
        f"GPT-2, {faster}", peers[faster], rounds=rounds, at_least=at_least,
    )  # fmt: skip


def _ours(kind: str, layers: int, heads: int, width: int, length: int, **options: Any) -> Decoder:
    config = ModelConfig(layers=layers, heads=heads, width=width, **options)
    return Decoder(config, VOCABULARY, load_position(kind), length)


def matmul_peak(size: int = 1536, rounds: int = 8) -> float:
    """Return the float32 matrix-multiply speed of this machine in GFLOP/s."""
    a, b = torch.rand(size, size), torch.rand(size, size)
    best = min(seconds(lambda: torch.mm(a, b)) for _ in range(rounds))
    return 2 * size**3 / best / 1e9


def step_flops(layers: int, width: int, tokens: int, length: int) -> float:
    """Count a training step's matrix-multiply operations: three times the forward pass."""
    linear = 2 * tokens * (12 * width * width * layers + VOCABULARY * width)
    attention = 2 * 2 * tokens * (length + 1) / 2 * width * layers
    return 3.0 * (linear + attention)
