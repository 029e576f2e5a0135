"""An executor without processes: one job at a time in this one."""

import threading
from collections.abc import Iterator
from queue import Empty, SimpleQueue

import torch

from lengthwise.runs.job import Job, Message, throttled
from lengthwise.runs.perform import perform


class Here:
    """Executes one job at a time in this process, in a thread, so that Ctrl-C is heard."""

    slots = 1

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads
        self._heard: SimpleQueue[Message] = SimpleQueue()
        self._stop = threading.Event()

    def submit(self, job: Job) -> None:
        """Begin a job."""
        threading.Thread(target=self._work, args=(job,), daemon=True).start()

    def messages(self, seconds: float) -> Iterator[Message]:
        """Yield what the job said."""
        try:
            yield self._heard.get(timeout=seconds)
            while True:
                yield self._heard.get_nowait()
        except Empty:
            return

    def stop(self) -> None:
        """Ask the job to save its checkpoint and end."""
        self._stop.set()

    def _work(self, job: Job) -> None:
        torch.set_num_threads(self.threads)
        report = throttled(lambda p: self._heard.put(Message.of(job.spec.id, p)))
        self._heard.put(perform(job, report, self._stop.is_set))
