"""What each encoding costs: the time of a training step against that of NoPE."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.positions import POSITIONS, example, load_position

CEILINGS = {"alibi": 1.35, "t5": 1.35, "rope": 1.35}
"""Largest accepted ratio to NoPE at the default size."""


def step_costs(
    encodings: Sequence[str] = (),
    *,
    layers: int = 4,
    width: int = 256,
    heads: int = 4,
    length: int = 150,
    batch: int = 16,
    rounds: int = 5,
    threads: int = 1,
) -> list[dict[str, Any]]:
    """Time forward, backward and AdamW for each encoding, all in turn, ``rounds`` times.

    Every round runs every encoding once, so that a slow moment of the machine hits all alike. A row
    has the encoding's ``name``, its best time, NoPE's best time, their ``ratio``, the ``ceiling``
    if there is one, and the ``spread`` (slowest / fastest round) that says how far to trust it.
    With one thread, processor time is measured, so that other processes matter less.
    """
    clock = time.process_time if threads == 1 else time.perf_counter
    names = ["nope", *(e for e in (encodings or map(example, POSITIONS)) if e != "nope")]
    config = ModelConfig(layers=layers, width=width, heads=heads)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        steps = {name: _step(name, config, length, batch) for name in names}
        times: dict[str, list[float]] = {name: [] for name in names}
        for number in range(rounds + 1):
            for name, step in steps.items():
                started = clock()
                step()
                if number:  # the first round warms up
                    times[name].append(clock() - started)
    finally:
        torch.set_num_threads(before)
    return [_row(name, times[name], min(times["nope"])) for name in names]


def _row(name: str, times: list[float], baseline: float) -> dict[str, Any]:
    return {
        "name": name,
        "seconds": min(times),
        "baseline_seconds": baseline,
        "ratio": min(times) / baseline,
        "ceiling": CEILINGS.get(name),
        "spread": max(times) / min(times),
    }


def _step(name: str, config: ModelConfig, length: int, batch: int) -> Callable[[], None]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = Decoder(config, 32, load_position(name), context=length)
        tokens = torch.randint(0, 32, (batch, length))
    scale = torch.full((batch,), length // 2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step() -> None:
        logits = model(tokens, scale=scale)
        optimizer.zero_grad()
        F.cross_entropy(logits.flatten(0, 1), tokens.flatten()).backward()
        optimizer.step()

    return step
