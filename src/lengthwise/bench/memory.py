"""Peak memory, each figure in a process of its own."""

from collections.abc import Iterator

import numpy as np
import torch

from lengthwise.analysis.cost import UNLIMITED, peak_kilobytes
from lengthwise.bench.decoding import decoder
from lengthwise.bench.measure import Figure
from lengthwise.bench.peers import training_step
from lengthwise.core.channel import Channel
from lengthwise.core.child import nursery
from lengthwise.evaluation.exact import correct_rows
from lengthwise.tasks import load_task

# name, what is done, gigabytes at most
FIGURES = (
    ("train 12x768, batch 8, length 128", "train", 6.0),
    ("evaluate 4x256, batch 16, length 2000", "evaluate", 3.0),
)


def memory(rounds: int) -> Iterator[Figure]:
    """Start a process for each figure; its peak would hide in what another has left."""
    for name, what, at_most in FIGURES:
        with nursery(__name__).start(f"{__name__}:peak_memory", UNLIMITED, what=what) as child:
            value = child.receive()
        yield Figure(group="memory", name=name, value=value, unit="GB", at_most=at_most)


def peak_memory(channel: Channel, what: str) -> None:
    """Do the work and say this process's peak memory in GB."""
    if what == "train":
        tokens = torch.randint(0, 32, (8, 128))
        model = decoder(12, 12, 768, 32, 128).train()
        step = training_step(model, model, tokens)
        for _ in range(2):
            step()
    else:
        task = load_task("repeat-copy")
        batch = task.sample(np.random.default_rng(0), np.full(16, 998))
        correct_rows(decoder(4, 4, 256, 6, 2000), batch, early_exit=False)
    channel.send(round(peak_kilobytes() / 2**20, 3))
