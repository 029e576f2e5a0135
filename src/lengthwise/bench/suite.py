"""The benchmark's table of contents, and the guard against getting slower."""

import importlib.util
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from lengthwise.bench.measure import Figure, Row
from lengthwise.core.errors import InputError, unknown

_HERE = "lengthwise.bench"

# group -> ("module:function", whether it needs the peers)
GROUPS: dict[str, tuple[str, bool]] = {
    "end-to-end": (f"{_HERE}.training:end_to_end", True),
    "steps": (f"{_HERE}.training:single_steps", True),
    "evaluation": (f"{_HERE}.inference:evaluation", True),
    "generation": (f"{_HERE}.inference:generation", True),
    "memory": (f"{_HERE}.memory:memory", False),
    "profile": (f"{_HERE}.profile:profile", False),
    "data": (f"{_HERE}.data:data_share", False),
    "runs": (f"{_HERE}.runs:machinery", False),
    "sampling": (f"{_HERE}.sampling:sampling", False),
    "encodings": (f"{_HERE}.encodings:encodings", False),
    "programs": (f"{_HERE}.programs:programs", False),
    "deciding": (f"{_HERE}.deciding:deciding", True),
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


def run(group: str, rounds: int, threads: int) -> Iterator[Row | Figure]:
    """Measure a group, row by row, in a process of its own.

    What ran before in a process changes how fast memory is had there (`docs/log.md`).
    """
    apart = get_context("spawn")
    receiving, sending = apart.Pipe(duplex=False)
    arguments = (GROUPS[group][0], rounds, threads, sending)
    process = apart.Process(target=_send_rows, args=arguments)
    process.start()
    sending.close()
    try:
        with suppress(EOFError):
            while True:
                yield receiving.recv()
        process.join()
        if process.exitcode:
            raise RuntimeError(f"bench: group {group} ended with exit code {process.exitcode}.")
    finally:
        process.terminate()
        process.join()


def _send_rows(place: str, rounds: int, threads: int, to: Connection) -> None:
    warnings.filterwarnings("ignore")  # the peers' own
    for row in measure(place, rounds, threads):
        to.send(row)
    to.close()


def measure(place: str, rounds: int, threads: int) -> Iterator[Row | Figure]:
    """Measure what stands at ``"module:function"``, row by row, in this process."""
    import torch

    torch.set_num_threads(threads)
    module, _, name = place.partition(":")
    function: Callable[[int], Iterator[Row | Figure]] = getattr(import_module(module), name)
    yield from function(rounds)


def ratios(rows: Iterable[Row | Figure]) -> dict[str, float]:
    """Return the ratios worth keeping, by group and name."""
    return {
        f"{row.group}: {row.name} / {row.peer}": round(row.ratio, 3)
        for row in rows
        if isinstance(row, Row)
    }


def slower(rows: Iterable[Row | Figure], before: dict[str, float]) -> list[dict[str, Any]]:
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
