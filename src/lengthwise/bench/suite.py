"""The benchmark's table of contents, and the guard against getting slower."""

import importlib.util
import warnings
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

from lengthwise.bench.measure import Figure, Judged, Measured, Row
from lengthwise.core.channel import Channel, GoneError
from lengthwise.core.child import nursery
from lengthwise.core.errors import InputError, unknown
from lengthwise.core.limits import Limits

_HERE = "lengthwise.bench"

# group -> ("module:function", whether it needs the peers)
GROUPS: dict[str, tuple[str, bool]] = {
    "end-to-end": (f"{_HERE}.training:end_to_end", True),
    "steps": (f"{_HERE}.training:single_steps", True),
    "evaluation": (f"{_HERE}.decoding:evaluation", True),
    "generation": (f"{_HERE}.decoding:generation", True),
    "checkpoints": (f"{_HERE}.checkpoints:checkpoints", True),
    "memory": (f"{_HERE}.memory:memory", False),
    "profile": (f"{_HERE}.one_step:profile", False),
    "data": (f"{_HERE}.one_step:data_share", False),
    "runs": (f"{_HERE}.machinery:machinery", False),
    "sampling": (f"{_HERE}.samplers:sampling", False),
    "encodings": (f"{_HERE}.one_step:encodings", False),
    "programs": (f"{_HERE}.interpreting:programs", False),
    "start-up": (f"{_HERE}.start_up:start_up", False),
    "deciding": (f"{_HERE}.deciding:deciding", True),
    "answers": (f"{_HERE}.judging:answers", False),
}
PEERS = ("transformers", "accelerate", "x_transformers", "networkx")

SLOWER = 0.85
"""A ratio below this share of the stored one counts as slower."""


def chosen(groups: Iterable[str]) -> list[str]:
    """Return the groups to measure, all if none is named; check that they can be."""
    names = list(groups) or list(GROUPS)
    for group in names:
        if group not in GROUPS:
            raise unknown("group", group, GROUPS)
    if any(GROUPS[group][1] for group in names):
        require_peers()
    return names


def require_peers() -> None:
    """Say how to install the peers if one is missing."""
    missing = [name for name in PEERS if importlib.util.find_spec(name) is None]
    if missing:
        raise InputError(
            f"bench: the peers {', '.join(missing)} are not installed; "
            "`pip install 'lengthwise[bench]'` brings them, or use --group with another group."
        )


def run(group: str, rounds: int, threads: int) -> Iterator[Measured]:
    """Measure a group, row by row, in a process of its own.

    What ran before in a process changes how fast memory is had there (`docs/log.md`).
    """
    asked = {"place": GROUPS[group][0], "rounds": rounds, "threads": threads}
    limits = Limits(None, memory=1 << 46)  # what is measured may take what there is
    start = nursery(__name__).start
    with start(f"{__name__}:send_rows", limits, quiet=False, **asked) as child:
        try:
            while (row := child.receive()) is not None:
                yield _read(row)
        except GoneError:
            raise RuntimeError(f"bench: group {group} ended with {child.how()}.") from None


def _read(row: dict[str, Any]) -> Measured:
    """Return a row that another process sent as plain data."""
    kind = Row if "ratio" in row else Judged if "outcome" in row else Figure
    return kind(**row)


def send_rows(channel: Channel, place: str, rounds: int, threads: int) -> None:
    """Measure in this process and say every row; None is the end."""
    warnings.filterwarnings("ignore")  # the peers' own
    for row in measure(place, rounds, threads):
        channel.send(row.model_dump())
    channel.send(None)


def measure(place: str, rounds: int, threads: int) -> Iterator[Measured]:
    """Measure what stands at ``"module:function"``, row by row, in this process."""
    import torch

    torch.set_num_threads(threads)
    module, _, name = place.partition(":")
    function: Callable[[int], Iterator[Measured]] = getattr(import_module(module), name)
    yield from function(rounds)


def ratios(rows: Iterable[Measured]) -> dict[str, float]:
    """Return the ratios worth keeping, by group and name."""
    return {
        f"{row.group}: {row.name} / {row.peer}": round(row.ratio, 3)
        for row in rows
        if isinstance(row, Row)
    }


def slower(rows: Iterable[Measured], before: dict[str, float]) -> list[dict[str, Any]]:
    """Name what became slower than the stored ratios by more than 15%.

    Example:
        >>> row = Row(group="g", name="n", peer="p", ours=1, theirs=2, ratio=2, low=2, high=2)
        >>> [entry["row"] for entry in slower([row], {"g: n / p": 3.0})]
        ['g: n / p']
    """
    return [
        {"row": name, "before": before[name], "now": ratio}
        for name, ratio in ratios(rows).items()
        if name in before and ratio < SLOWER * before[name]
    ]
