"""A worker process: ``python -m lengthwise.runs.worker DESCRIPTOR THREADS``, started by the pool.

It imports torch once and then executes one job after the other. Between steps it looks at its
channel: a word from the pool, or the pool's death, makes the run save its checkpoint and end.
"""

import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection

import torch

from lengthwise.runs.job import STOP, Job, Message, throttled
from lengthwise.runs.perform import perform

LOOK_SECONDS = 0.05


def serve(channel: Connection) -> None:
    """Execute jobs until the pool says goodbye or dies."""
    while True:
        try:
            data = channel.recv_bytes()
        except (EOFError, ConnectionError):
            return
        if data == STOP:  # the run it was meant for has ended already
            continue
        job = Job.load(data)
        report = throttled(lambda p, run=job.spec.id: _send(channel, Message.of(run, p)))
        _send(channel, perform(job, report, called(channel)))


def _send(channel: Connection, message: Message) -> None:
    with suppress(ConnectionError):  # the pool is gone: the run stops at its next look
        channel.send_bytes(message.dump())


def called(channel: Connection) -> Callable[[], bool]:
    """Return a function that says, at little cost, whether the pool wants or has ended."""
    last = time.monotonic()

    def should_stop() -> bool:
        nonlocal last
        now = time.monotonic()
        if now - last < LOOK_SECONDS:
            return False
        last = now
        return channel.poll()

    return should_stop


def main() -> None:
    """Begin: Ctrl-C is left to the pool, threads are set, torch is loaded before the first job."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    descriptor, threads = map(int, sys.argv[1:])
    torch.set_num_threads(threads)
    with Connection(descriptor) as channel:
        serve(channel)


if __name__ == "__main__":
    main()
