"""What an encoding costs as inputs grow: time of a forward pass and a step, and peak memory.

Kazemnejad et al. (2023) profile their encodings in steps of 100 tokens up to 2048; their claim is
only that NoPE adds no computation. Times here are taken in turn, the best of some rounds (of one
thread: processor time, so that other processes matter less); memory is the growth of a process of
its own, length after length.
"""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import torch
from pydantic import ValidationError

from lengthwise.bench.encodings import step_costs
from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.positions import load_position
from lengthwise.records.spec import first_problem

VOCABULARY = 32


@dataclass(frozen=True)
class Size:
    """The model and batch that are measured."""

    layers: int = 4
    heads: int = 4
    width: int = 128
    batch: int = 1

    def model(self, encoding: str, length: int) -> Decoder:
        """Build an untrained model."""
        try:
            config = ModelConfig(layers=self.layers, heads=self.heads, width=self.width)
        except ValidationError as error:
            raise InputError(f"cost: {first_problem(error)}") from None
        return Decoder(config, VOCABULARY, load_position(encoding), context=length).eval()


@dataclass(frozen=True)
class Cost:
    """Of one encoding at one length."""

    encoding: str
    length: int
    forward: float
    """Seconds of a forward pass that reads every position."""
    step: float
    """Seconds of forward, backward and AdamW."""
    memory: float
    """Peak megabytes of a forward pass, beyond what the model and the library need."""


def cost_by_length(
    encodings: Sequence[str],
    lengths: Sequence[int],
    *,
    size: Size | None = None,
    rounds: int = 3,
    threads: int = 1,
) -> list[Cost]:
    """Measure every encoding at every length, shortest first."""
    size = size or Size()
    if not encodings or not lengths:
        raise InputError("cost: name at least one encoding and one length.")
    for name, value in (
        *(("length", length) for length in lengths),
        *(("batch", size.batch), ("rounds", rounds), ("threads", threads)),
    ):
        if value < 1:
            raise InputError(f"cost: {name} {value} must be at least 1.")
    lengths = sorted(set(lengths))
    for encoding in encodings:
        size.model(encoding, lengths[-1])  # what cannot be built is refused here, in words
    peaks = {name: peak_memory(name, lengths, size) for name in encodings}
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        return [
            cost
            for length in lengths
            for cost in _costs(encodings, length, size, rounds, threads, peaks)
        ]
    finally:
        torch.set_num_threads(before)


def _costs(
    encodings: Sequence[str],
    length: int,
    size: Size,
    rounds: int,
    threads: int,
    peaks: dict[str, dict[int, float]],
) -> list[Cost]:
    rows = step_costs(
        encodings,
        layers=size.layers,
        width=size.width,
        heads=size.heads,
        length=length,
        batch=size.batch,
        rounds=rounds,
        threads=threads,
    )
    steps = {row["name"]: row["seconds"] for row in rows}
    forward = _forward_times(encodings, length, size, rounds, threads)
    return [
        Cost(name, length, forward[name], steps[name], peaks[name][length]) for name in encodings
    ]


@torch.inference_mode()
def _forward_times(
    encodings: Sequence[str], length: int, size: Size, rounds: int, threads: int
) -> dict[str, float]:
    """Time a forward pass of each encoding, in turn; the best of the rounds."""
    clock = time.process_time if threads == 1 else time.perf_counter
    models = {name: size.model(name, length) for name in encodings}
    times: dict[str, list[float]] = {name: [] for name in models}
    for number in range(rounds + 1):
        for name, model in models.items():
            started = clock()
            run_forward(model, length, size.batch)
            if number:  # the first round warms up
                times[name].append(clock() - started)
    return {name: min(each) for name, each in times.items()}


def run_forward(model: Decoder, length: int, batch: int) -> None:
    """Read zeros; what they are does not matter for the cost."""
    tokens = torch.zeros(batch, length, dtype=torch.long)
    model(tokens, scale=torch.full((batch,), max(1, length // 2)))


def peak_memory(encoding: str, lengths: Sequence[int], size: Size) -> dict[int, float]:
    """Return the peak growth in megabytes up to each length, measured in a process of its own."""
    task = json.dumps({"encoding": encoding, "lengths": sorted(lengths), "size": asdict(size)})
    code = "from lengthwise.analysis.cost import measure_here; measure_here()"
    done = subprocess.run(
        [sys.executable, "-c", code], input=task, check=True, capture_output=True, text=True
    )
    return {int(length): value for length, value in json.loads(done.stdout).items()}


@torch.inference_mode()
def measure_here() -> None:
    """Measure in this process what standard input asks for, and write it to standard output."""
    from lengthwise.bench.inference import _peak_kilobytes

    task = json.load(sys.stdin)
    torch.set_num_threads(1)
    size, lengths = Size(**task["size"]), task["lengths"]
    model = size.model(task["encoding"], max(lengths))
    run_forward(model, 1, 1)
    before = _peak_kilobytes()
    found = {}
    for length in lengths:
        run_forward(model, length, size.batch)
        found[length] = (_peak_kilobytes() - before) / 2**10
    json.dump(found, sys.stdout)
