"""How fast the machinery around training is: overhead per run, the listing, two workers."""

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lengthwise.records.spec import RunSpec, content_id
from lengthwise.runs.driver import drive
from lengthwise.runs.index import rows
from lengthwise.runs.job import Job
from lengthwise.runs.manifest import RESULT, SPEC
from lengthwise.runs.pool import Pool
from lengthwise.runs.store import Store

Row = dict[str, Any]


def benchmark(*, repeats: int = 3, listed: int = 10_000, steps: int = 150) -> list[Row]:
    """Return one row per measurement: name, ours, peer, ratio, spread.

    ``peer`` is what ours is held against: an allowance in seconds, or one worker's throughput.
    """
    return [
        overhead(repeats=repeats),
        listing(runs=listed, repeats=repeats),
        two_workers(steps=steps, repeats=repeats),
    ]


def overhead(*, runs: int = 20, repeats: int = 3) -> Row:
    """Measure the seconds per run beyond training itself, with a warm pool of one worker.

    Training itself is what the result reports: steps, evaluations and checkpoints.
    """
    values = []
    with tempfile.TemporaryDirectory() as folder, Pool(1) as pool:
        drive(_jobs(folder, [_small(10**6)]), pool)  # warm
        for repeat in range(repeats):
            specs = [_small(repeat * runs + number) for number in range(runs)]
            seconds = _timed(lambda specs=specs: drive(_jobs(folder, specs), pool))
            found = {row["id"]: row["seconds"] for row in rows(Store(folder))}
            values.append((seconds - sum(found[spec.id] for spec in specs)) / runs)
    return _row("overhead per run, warm pool (s)", values, 0.3)


def listing(*, runs: int = 10_000, repeats: int = 3) -> Row:
    """Measure the seconds to list many finished runs, their cache being there."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        _fill(store, runs)
        assert len(rows(store)) == runs
        values = [_timed(lambda: rows(store)) for _ in range(repeats)]
    return _row(f"listing {runs} runs (s)", values, 1.0)


def two_workers(*, steps: int = 150, repeats: int = 3) -> Row:
    """Measure the throughput of two workers against one, for models of width 64."""
    ours, peer = [], []
    with tempfile.TemporaryDirectory() as folder, Pool(1) as one, Pool(2) as two:
        for number, pool in enumerate((one, two)):  # start the workers
            drive(_jobs(folder, [_small(10**7 + 2 * number + i) for i in range(2)]), pool)
        for repeat in range(repeats):
            for pool, values, seed in ((one, peer, 0), (two, ours, 1)):
                specs = [_wide(steps, 4 * (2 * repeat + seed) + number) for number in range(4)]
                seconds = _timed(lambda s=specs, p=pool: drive(_jobs(folder, s), p))
                values.append(len(specs) / seconds)
    return _row("runs per second, two workers against one, width 64", ours, statistics.median(peer))


def _row(name: str, values: Sequence[float], peer: float) -> Row:
    ours = statistics.median(values)
    spread = max(values) - min(values)
    return {"name": name, "ours": ours, "peer": peer, "ratio": ours / peer, "spread": spread}


def _timed(action: Callable[[], Any]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


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
