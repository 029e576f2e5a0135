"""Work that may loop, explode, crash, fork or exit: done in a process of its own, and ended.

One supervisor process per set of modules loads them once and forks a child for each piece of work
(:mod:`.supervisor`). A child has a session of its own, a bound on its memory and a channel of
messages; whatever happens to it, to the supervisor or to us, nothing of it stays behind:

    us ---- lifeline ---- supervisor      the lifeline breaks: the supervisor kills the child,
     |                        | forks     its group and what has left the group
     +------ channel ------ child         the channel breaks: the child has ended

Workers of runs are no such children: they must outlive us to save what they have (`runs.pool`).
"""

import atexit
import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Self

from lengthwise.core.channel import Channel, GoneError, LateError
from lengthwise.core.limits import LimitReachedError, Limits

MEMORY = 4 << 30
"""Bytes that a child may take beyond what is loaded, where nothing else is said."""
START_SECONDS = 60.0
"""Patience while Python starts and modules are loaded."""
END_SECONDS = 5.0
"""Patience while a killed process disappears."""


class Child:
    """One piece of work in a process of its own; after any trouble it has ended.

    Example:
        >>> with nursery().start("lengthwise.core.supervisor:echo", Limits(5)) as child:
        ...     child.send("hello")
        ...     child.receive(5.0)
        'hello'
    """

    def __init__(self, channel: Channel, lifeline: Channel, marks: int) -> None:
        self._channel, self._lifeline, self._marks = channel, lifeline, marks
        self.ended = False

    @property
    def mark(self) -> int:
        """How far it says that it is; see ``supervisor.Marking``."""
        return int.from_bytes(os.pread(self._marks, 8, 0), sys.byteorder)

    def send(self, message: Any, seconds: float | None = None) -> None:
        """Send plain data; ``LateError`` or ``GoneError`` when it is not taken."""
        self._channel.send(message, seconds)

    def receive(self, seconds: float | None = None) -> Any:
        """Return the next message; ``LateError`` or ``GoneError`` when there is none."""
        return self._channel.receive(seconds)

    def how(self) -> str:
        """Say how it ended, once it has."""
        with suppress(LateError, GoneError):
            return str(self._lifeline.receive(END_SECONDS))
        return "its process is gone"

    def close(self) -> None:
        """Kill it and everything that it has started; wait until that has happened."""
        if self.ended:
            return
        self.ended = True
        self._channel.close()
        with suppress(OSError):
            self._lifeline.socket.shutdown(socket.SHUT_WR)
        with suppress(LateError, GoneError):
            while True:  # what it says; then it closes the line
                self._lifeline.receive(END_SECONDS)
        self._lifeline.close()
        os.close(self._marks)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Nursery:
    """A supervisor with some modules loaded; children start in milliseconds.

    Args:
        modules: what is imported once, before any child is forked.
        threads: of the numeric libraries in children; default: theirs.
    """

    def __init__(self, *modules: str, threads: int | None = None) -> None:
        self._modules, self._threads = modules, threads
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: Channel | None = None

    def start(self, target: str, limits: Limits, *, quiet: bool = True, **arguments: Any) -> Child:
        """Fork a child that calls ``target`` (``"module:function"``) with its channel.

        Args:
            target: what is called there, as ``function(channel, **arguments)``.
            limits: ``memory`` bounds the child's address space beyond what is loaded; keeping to
                the time is up to who waits for messages.
            quiet: whether what it prints goes nowhere; otherwise to standard error.
            **arguments: plain data.
        """
        ours, theirs = socket.socketpair()
        line, held = socket.socketpair()
        order = {
            "target": target,
            "arguments": arguments,
            "memory": limits.memory or MEMORY,
            "directory": os.getcwd(),
            "quiet": quiet,
        }
        with TemporaryFile(buffering=0) as file:
            file.write(bytes(8))
            marks = os.dup(file.fileno())
        try:
            with theirs, held, self._lock:
                self._order(order, [theirs.fileno(), held.fileno(), marks])
        except BaseException:
            os.close(marks)
            ours.close()
            line.close()
            raise
        return Child(Channel(ours), Channel(line), marks)

    def warm_up(self) -> None:
        """Start the supervisor now and wait until everything is loaded."""
        with self._lock:
            self._ready()

    def close(self) -> None:
        """End the supervisor, which kills all its children."""
        with self._lock:
            self._end()

    def _order(self, order: dict[str, Any], descriptors: list[int]) -> None:
        for again in (True, False):
            control = self._ready()
            try:
                socket.send_fds(control.socket, [b"+"], descriptors)
                control.send(order, START_SECONDS)
                control.receive(START_SECONDS)
            except (OSError, GoneError):  # it was killed
                self._end()
                if not again:
                    raise
            except BaseException:  # an alarm: what is said later is no answer to the next order
                self._end()
                raise
            else:
                return

    def _ready(self) -> Channel:
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._control is None:
            self._launch()
        assert self._control is not None
        return self._control

    def _launch(self) -> None:
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "lengthwise.core.supervisor", str(theirs.fileno())]
        with theirs:
            self._process = subprocess.Popen(
                [*command, *self._modules],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=environment(self._threads),
                start_new_session=True,  # Ctrl-C in a terminal is for us
            )
        self._control = Channel(ours)
        atexit.register(self.close)
        try:
            self._control.receive(START_SECONDS)
        except BaseException as error:
            self._end()
            if isinstance(error, LateError | GoneError):
                names = ", ".join(self._modules) or "Python"
                raise LimitReachedError(f"no process could be started for {names}") from None
            raise

    def _end(self) -> None:
        control, process = self._control, self._process
        self._control = self._process = None
        if control is not None:
            control.close()
        if process is not None:
            atexit.unregister(self.close)
            try:
                process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@cache
def nursery(*modules: str, number: int = 0) -> Nursery:
    """Return the supervisor that has these modules loaded; one for each set, while we live.

    Children of one supervisor have the same seed of hashes; another ``number`` is another one.
    """
    del number
    return Nursery(*modules)


def environment(threads: int | None = None) -> dict[str, str]:
    """Return the environment of our processes: this package importable, no more threads than asked.

    Example:
        >>> environment(threads=2)["OMP_NUM_THREADS"]
        '2'
    """
    source = str(Path(__file__).parents[2])
    paths = [source, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    extra = {"PYTHONPATH": os.pathsep.join(paths)}
    if threads is not None:
        extra["OMP_NUM_THREADS"] = str(threads)
    return {**os.environ, **extra}
