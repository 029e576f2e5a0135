"""Executors by name; a module is loaded when its executor is opened."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal

from lengthwise.core.errors import InputError
from lengthwise.core.registry import Registry
from lengthwise.runs.driver import Executor
from lengthwise.runs.processes import Plan
from lengthwise.runs.store import Store

Name = Literal["local", "ray", "slurm"]


@dataclass(frozen=True, kw_only=True)
class Resources:
    """What an executor may need to know beyond the plan."""

    address: str | None = None
    fetch: bool = False
    cpus: float = 1.0
    gpus: float = 0.0
    slurm: dict[str, Any] = field(default_factory=dict)


EXECUTORS = Registry(
    "executor",
    "lengthwise.executors",
    {
        "local": "lengthwise.runs.pool:open_pool",
        "ray": "lengthwise.runs.on_ray:open_ray",
        "slurm": "lengthwise.runs.on_slurm:open_slurm",
    },
)
"""Name -> a function of store, plan and resources that opens the executor for a while."""


def open_executor(
    name: Name, store: Store, how: Plan, **resources: Any
) -> AbstractContextManager[Executor]:
    """Open the executor of that name for a while; what it needs is in ``Resources``."""
    given = Resources(**{key: value for key, value in resources.items() if value is not None})
    if name != "ray" and (given.address or given.fetch or given.gpus):
        raise InputError(f"--address, --fetch and --gpus are for --executor ray, not {name}.")
    opened: Callable[..., AbstractContextManager[Executor]] = EXECUTORS.load(name)
    return opened(store, how, given)
