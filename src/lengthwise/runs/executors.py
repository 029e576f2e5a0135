"""Executors by name."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from lengthwise.core.errors import InputError
from lengthwise.runs.driver import Executor
from lengthwise.runs.local import Plan
from lengthwise.runs.store import Store

Name = Literal["local", "ray", "slurm"]


@contextmanager
def open_executor(
    name: Name,
    store: Store,
    how: Plan,
    *,
    address: str | None = None,
    fetch: bool = False,
    cpus: float = 1.0,
    gpus: float = 0.0,
    slurm: dict[str, Any] | None = None,
) -> Iterator[Executor]:
    """Open the executor of that name for a while."""
    if name == "ray":
        from lengthwise.runs.on_ray import OnRay

        workers = how.jobs
        with OnRay(
            address=address, workers=workers, cpus=cpus, gpus=gpus, threads=how.threads, fetch=fetch
        ) as on_ray:
            yield on_ray
        return
    if address or fetch or gpus:
        raise InputError(f"--address, --fetch and --gpus are for --executor ray, not {name}.")
    if name == "slurm":
        from lengthwise.runs.on_slurm import OnSlurm

        settings = dict(slurm or {})
        cluster = settings.pop("cluster", None)
        with OnSlurm(
            store, workers=how.jobs, threads=how.threads, options=settings, cluster=cluster
        ) as on_slurm:
            yield on_slurm
        return
    from lengthwise.runs.pool import Pool

    with Pool(how.jobs, how.threads) as pool:
        yield pool
