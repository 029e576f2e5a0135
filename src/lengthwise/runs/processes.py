"""How many processes, and how many threads in each."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from lengthwise.core.errors import InputError
from lengthwise.records.spec import RunSpec

SMALL_WIDTH = 256
"""Below this width two threads in one process lose more by synchronisation than they gain."""


@dataclass(frozen=True)
class Plan:
    """How many processes, and how many threads in each."""

    jobs: int
    threads: int


def plan(specs: Sequence[RunSpec], jobs: int | None = None, threads: int | None = None) -> Plan:
    """Use every core once: over runs first, inside a run only for wide models."""
    for option, value in (("--jobs", jobs), ("--threads", threads)):
        if value is not None and value < 1:
            raise InputError(f"{option} is {value}; it must be at least 1.")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    jobs = jobs or max(1, min(len(specs), cores or 1))
    wide = any(spec.model.width >= SMALL_WIDTH for spec in specs)
    return Plan(jobs, threads or (max(1, (cores or 1) // jobs) if wide else 1))
