"""Executing a job where it arrived: in a worker, on a cluster, or here."""

from collections.abc import Callable

from lengthwise.core.files import DiskFullError
from lengthwise.records.progress import Interrupted, Listener
from lengthwise.runs.execute import attempt
from lengthwise.runs.job import Job, Message, note_failure
from lengthwise.runs.store import BusyError, Store
from lengthwise.runs.trackers import load_tracker


def perform(job: Job, listener: Listener, should_stop: Callable[[], bool]) -> Message:
    """Execute a job and say how it ended; a failure is also noted in the run's folder."""
    run, store = job.spec.id, Store(job.root)
    try:
        _, here = attempt(
            job.spec,
            store,
            device=job.device,
            again=job.again,
            restart_damaged=job.restart_damaged,
            repair=job.repair,
            trackers=[load_tracker(name) for name in job.trackers],
            listener=listener,
            should_stop=should_stop,
        )
    except Interrupted:
        return Message(run, "stopped")
    except BusyError as error:
        return Message(run, "busy", {"reason": str(error)})
    except DiskFullError as error:
        return Message(run, "fatal", {"reason": str(error)})
    except (Exception, SystemExit, GeneratorExit) as error:  # must not end its worker
        return Message(run, "failed", {"reason": note_failure(store.folder(job.spec), error)})
    return Message(run, "done", {"here": here})
