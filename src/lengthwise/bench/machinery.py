"""How fast the machinery around training is: overhead per run, the listing, two workers."""

import itertools
import json
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lengthwise.bench.measure import Figure, Row, compare, seconds
from lengthwise.records.manifest import RESULT, SPEC
from lengthwise.records.spec import RunSpec, content_id
from lengthwise.runs.driver import drive
from lengthwise.runs.index import rows
from lengthwise.runs.job import Job
from lengthwise.runs.pool import Pool
from lengthwise.runs.store import Store


def machinery(rounds: int) -> Iterator[Row | Figure]:
    """What surrounds training: overhead per run, listing many runs, two workers against one."""
    rounds = min(rounds, 3)
    yield overhead(rounds)
    yield listing(rounds)
    yield two_workers(rounds)


def overhead(rounds: int, runs: int = 20) -> Figure:
    """Measure the seconds per run beyond training itself, with a warm pool of one worker.

    Training itself is what the result reports: steps, evaluations and checkpoints.
    """
    values = []
    with tempfile.TemporaryDirectory() as folder, Pool(1) as pool:
        drive(_jobs(folder, [_small(10**6)]), pool)  # warm
        for turn in range(rounds):
            specs = [_small(turn * runs + number) for number in range(runs)]
            spent = seconds(partial(drive, _jobs(folder, specs), pool))
            trained = {row["id"]: row["seconds"] for row in rows(Store(folder))}
            values.append((spent - sum(trained[spec.id] for spec in specs)) / runs)
    return _figure("overhead per run, warm pool (s)", values, 0.3)


def listing(rounds: int, runs: int = 10_000) -> Figure:
    """Measure the seconds to list many finished runs, their cache being there."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        _fill(store, runs)
        assert len(rows(store)) == runs
        values = [seconds(partial(rows, store)) for _ in range(rounds)]
    return _figure(f"listing {runs} runs (s)", values, 1.0)


def two_workers(rounds: int, steps: int = 150) -> Row:
    """Measure four runs of models of width 64 by two workers against one."""
    seeds = itertools.count()

    def work(pool: Pool, folder: str) -> None:
        drive(_jobs(folder, [_wide(steps, next(seeds)) for _ in range(4)]), pool)

    with tempfile.TemporaryDirectory() as folder, Pool(1) as one, Pool(2) as two:
        for number, pool in enumerate((one, two)):  # start the workers
            drive(_jobs(folder, [_small(10**7 + 2 * number + i) for i in range(2)]), pool)
        return compare(
            "runs", "four runs of width 64, two workers", partial(work, two, folder),
            "one worker", partial(work, one, folder), rounds=rounds, at_least=1.7,
        )  # fmt: skip


def _figure(name: str, values: Sequence[float], at_most: float) -> Figure:
    value = statistics.median(values)
    return Figure(group="runs", name=name, value=value, unit="s", at_most=at_most)


def _jobs(folder: str, specs: Sequence[RunSpec]) -> list[Job]:
    return [Job(spec, Path(folder), device="cpu") for spec in specs]


def _small(seed: int) -> RunSpec:
    return RunSpec.create(
        task="binary-majority",
        position="nope",
        model={"layers": 1, "heads": 1, "width": 8},
        training={"length": (1, 5), "steps": 20, "batch": 8, "evaluate_every": 20},
        evaluation={"lengths": ((6, 10),), "instances": 20},
        seed=seed,
    )


def _wide(steps: int, seed: int) -> RunSpec:
    training = {"length": (1, 30), "steps": steps, "evaluate_every": steps}
    return RunSpec.create(
        task="binary-majority",
        position="rope",
        model={"layers": 2, "heads": 2, "width": 64},
        training={**training, "stop_when_perfect": False},
        evaluation={"lengths": ((31, 60),), "instances": 200},
        seed=seed,
    )


def _fill(store: Store, runs: int) -> None:
    """Make folders as finished runs leave them, without training."""
    spec = _wide(100, 0).model_dump(mode="json")
    spec["training"]["length"] = [1, 50]
    spec["evaluation"]["lengths"] = [[51, 100], [101, 150]]
    bins = [
        {
            "low": low,
            "high": high,
            "correct": {str(n): 7 for n in range(low, high + 1)},
            "total": {str(n): 9 for n in range(low, high + 1)},
        }
        for low, high in ((1, 50), (51, 100), (101, 150))
    ]
    history = [{"step": step, "loss": 0.5, "bins": bins} for step in (50, 100)]
    result = {"steps": 100, "stopped": "all steps done", "bins": bins, "history": history}
    result |= {"seconds": 1.0, "environment": {}}
    for seed in range(runs):
        spec["seed"] = seed
        folder = store.root / content_id(spec)
        folder.mkdir(parents=True)
        _plain(folder / SPEC, spec)
        _plain(folder / RESULT, result)


def _plain(path: Path, value: Any) -> None:
    """Write without waiting for the disk: these runs need not survive anything."""
    path.write_text(json.dumps(value))
