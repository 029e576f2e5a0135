"""What an encoding costs as inputs grow: time of a forward pass and a step, and peak memory.

Kazemnejad et al. (2023) profile their encodings in steps of 100 tokens up to 2048; their claim is
only that NoPE adds no computation. Times here are taken in turn, the best of some rounds (of one
thread: processor time, so that other processes matter less); memory is the growth of a process of
its own, length after length.
"""

import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F  # noqa: N812
from pydantic import ValidationError

from lengthwise.core.channel import Channel, GoneError
from lengthwise.core.child import nursery
from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.positions import load_position
from lengthwise.records.spec import first_problem

VOCABULARY = 32
UNLIMITED = Limits(None, memory=1 << 46)
"""What is measured here is how much it takes."""


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
    steps = step_costs(
        encodings,
        layers=size.layers,
        width=size.width,
        heads=size.heads,
        length=length,
        batch=size.batch,
        rounds=rounds,
        threads=threads,
    )
    forward = _forward_times(encodings, length, size, rounds, threads)
    return [
        Cost(name, length, forward[name], steps[name], peaks[name][length]) for name in encodings
    ]


def step_costs(
    encodings: Sequence[str],
    *,
    layers: int = 4,
    width: int = 256,
    heads: int = 4,
    length: int = 150,
    batch: int = 16,
    rounds: int = 5,
    threads: int = 1,
) -> dict[str, float]:
    """Return the best seconds of forward, backward and AdamW with each encoding."""
    config = ModelConfig(layers=layers, width=width, heads=heads)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        return best_times(
            {name: _step(name, config, length, batch) for name in encodings}, rounds, threads
        )
    finally:
        torch.set_num_threads(before)


def best_times(
    works: dict[str, Callable[[], None]], rounds: int, threads: int = 1
) -> dict[str, float]:
    """Time every piece of work in turn, ``rounds`` times, and return the best seconds of each.

    Every round runs every piece once, so that a slow moment of the machine hits all alike. With one
    thread, processor time is measured, so that other processes matter less.
    """
    clock = time.process_time if threads == 1 else time.perf_counter
    times: dict[str, list[float]] = {name: [] for name in works}
    for number in range(rounds + 1):
        for name, work in works.items():
            started = clock()
            work()
            if number:  # the first round warms up
                times[name].append(clock() - started)
    return {name: min(each) for name, each in times.items()}


def _step(name: str, config: ModelConfig, length: int, batch: int) -> Callable[[], None]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = Decoder(config, VOCABULARY, load_position(name), context=length)
        tokens = torch.randint(0, VOCABULARY, (batch, length))
    scale = torch.full((batch,), length // 2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step() -> None:
        logits = model(tokens, scale=scale)
        optimizer.zero_grad()
        F.cross_entropy(logits.flatten(0, 1), tokens.flatten()).backward()
        optimizer.step()

    return step


@torch.inference_mode()
def _forward_times(
    encodings: Sequence[str], length: int, size: Size, rounds: int, threads: int
) -> dict[str, float]:
    models = {name: size.model(name, length) for name in encodings}
    works = {
        name: partial(run_forward, model, length, size.batch) for name, model in models.items()
    }
    return best_times(works, rounds, threads)


def run_forward(model: Decoder, length: int, batch: int) -> None:
    """Read zeros; what they are does not matter for the cost."""
    tokens = torch.zeros(batch, length, dtype=torch.long)
    model(tokens, scale=torch.full((batch,), max(1, length // 2)))


def peak_memory(encoding: str, lengths: Sequence[int], size: Size) -> dict[int, float]:
    """Return the peak growth in megabytes up to each length, measured in a process of its own."""
    asked = {"encoding": encoding, "lengths": sorted(lengths), "size": asdict(size)}
    with nursery(__name__).start(f"{__name__}:measure_here", UNLIMITED, **asked) as child:
        try:
            return {length: child.receive() for length in sorted(lengths)}
        except GoneError:
            raise InputError(
                f"cost: {encoding} was not measured: its process ended ({child.how()}); are the "
                "lengths too large for this machine?"
            ) from None


@torch.inference_mode()
def measure_here(channel: Channel, encoding: str, lengths: list[int], size: dict[str, int]) -> None:
    """Measure in this process, and say the megabytes up to each length."""
    torch.set_num_threads(1)
    built = Size(**size)
    model = built.model(encoding, max(lengths))
    run_forward(model, 1, 1)
    before = peak_kilobytes()
    for length in lengths:
        run_forward(model, length, built.batch)
        channel.send((peak_kilobytes() - before) / 2**10)


def peak_kilobytes() -> int:
    """Return this process's peak memory; ``ru_maxrss`` alone would include what started it."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
