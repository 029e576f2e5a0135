"""Many runs on this machine: processes with one thread each, all stoppable, none lost."""

from collections.abc import Sequence

from lengthwise.records.record import load_result
from lengthwise.records.result import RunResult
from lengthwise.records.spec import RunSpec
from lengthwise.runs import distributed
from lengthwise.runs.driver import OnProgress as OnProgress
from lengthwise.runs.driver import drive
from lengthwise.runs.here import Here
from lengthwise.runs.job import Job
from lengthwise.runs.parallel import execute_together
from lengthwise.runs.pool import Pool
from lengthwise.runs.processes import Plan
from lengthwise.runs.store import Store


def execute_all(
    specs: Sequence[RunSpec],
    store: Store,
    how: Plan,
    *,
    device: str = "auto",
    again: bool = False,
    on_progress: OnProgress = lambda spec, progress: None,
) -> list[RunResult]:
    """Execute all runs and return their results in order; a run that failed before is retried.

    Ctrl-C, or a failure of one, lets each save its checkpoint before it ends. Under ``torchrun``
    the processes share every single run instead.
    """
    if distributed.active():
        return execute_together(specs, store, device=device, again=again, on_progress=on_progress)
    for spec in () if again else specs:  # nothing is trained for a table that would lack a run
        record = store.record(store.folder(spec))
        if record.state == "damaged":
            load_result(record)
    jobs = [Job(spec, store.root, device=device, again=again) for spec in specs]
    if how.jobs == 1:
        drive(jobs, Here(how.threads), retry=True, on_progress=on_progress)
    else:
        with Pool(how.jobs, how.threads) as pool:
            drive(jobs, pool, retry=True, on_progress=on_progress)
    return [load_result(store.record(store.folder(spec))) for spec in specs]
