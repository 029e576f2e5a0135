"""``python -m lengthwise.core.supervisor DESCRIPTOR MODULES...``: forks children and ends them.

It does nothing but wait: for an order (fork a child), for the break of a lifeline (kill that child
and all that it has started), for the end of a child (say how, on its lifeline), and for the end of
the process that has started it (kill everything and go). See :mod:`.child`.
"""

import ctypes
import mmap
import os
import resource
import select
import signal
import socket
import struct
import sys
import traceback
import warnings
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from lengthwise.core.channel import Channel, GoneError

_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of Linux: whose parent has ended becomes ours, and can be killed."""
_END_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of Linux: a child gets this signal when the supervisor is killed."""
_ROUNDS = 20
"""How often strays are looked for: those that are found may have started others."""


def echo(channel: Channel) -> None:
    """Say what is said, until the other side ends; the least that a child can do."""
    with suppress(GoneError):
        while True:
            channel.send(channel.receive())


class Marking(Channel):
    """A child's channel, with a number that the other side can look at while the child works.

    Writing it costs no call of the system: a word's number is written before each word, and who
    waits knows which one takes so long.
    """

    def __init__(self, end: socket.socket, descriptor: int) -> None:
        super().__init__(end)
        self._marks = mmap.mmap(descriptor, 8)
        os.close(descriptor)

    def mark(self, number: int) -> None:
        """Say how far the work is."""
        _NUMBER.pack_into(self._marks, 0, number)


_NUMBER = struct.Struct("q")


def main() -> None:
    """Load the modules, say so, and wait for orders."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    descriptor, *modules = sys.argv[1:]
    control = Channel(socket.socket(fileno=int(descriptor)))
    _prctl(_SUBREAPER, 1)
    for module in modules:
        import_module(module)
    with suppress(GoneError):  # who wanted it may have given up meanwhile
        control.send("ready")
        _Supervisor(control).run()


def _prctl(option: int, value: int) -> None:
    """Ask Linux for something; other systems do without."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


class _Supervisor:
    def __init__(self, control: Channel) -> None:
        self._control = control
        self._lines: dict[int, socket.socket] = {}
        self._wake, self._waker = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(self._waker, False)
        signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def run(self) -> None:
        """Serve until the process that has started us ends."""
        while self._look():
            self._reap()
        for pid in list(self._lines):
            self._end(pid)

    def _look(self) -> bool:
        """Wait until something happens; False when nobody is left to wait for."""
        control = self._control.socket.fileno()
        by_line = {line.fileno(): pid for pid, line in self._lines.items()}
        watch = select.poll()
        for descriptor in (control, self._wake, *by_line):
            watch.register(descriptor, select.POLLIN)
        for descriptor, _ in watch.poll():
            if descriptor == self._wake:
                with suppress(BlockingIOError):
                    os.read(self._wake, 4096)
            elif descriptor in by_line:  # nothing is ever said there: the line broke
                self._end(by_line[descriptor])
        if control in {descriptor for descriptor, _ in watch.poll(0)}:
            return self._order()
        return True

    def _order(self) -> bool:
        """Fork a child as ordered; False when there is no order but the end."""
        mark, descriptors, _, _ = socket.recv_fds(self._control.socket, 1, 3)
        if not mark:
            return False
        try:
            order = self._control.receive()
        except GoneError:
            return False
        channel, line = (socket.socket(fileno=descriptor) for descriptor in descriptors[:2])
        marks, supervisor = descriptors[2], os.getpid()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of libraries' threads; they have their own care
            pid = os.fork()
        if pid == 0:
            self._forget(line)
            _child(Marking(channel, marks), order, supervisor)
        channel.close()
        os.close(marks)
        self._lines[pid] = line
        self._control.send("started")  # before that no other order is on its way
        return True

    def _forget(self, line: socket.socket) -> None:
        """In a child: drop everything that is the supervisor's."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for end in (line, self._control.socket, *self._lines.values()):
            end.close()
        os.close(self._wake)
        os.close(self._waker)

    def _reap(self) -> None:
        """Bury whatever has ended: children, and orphans that came to us."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            if pid in self._lines:
                self._bury(pid, status)

    def _end(self, pid: int) -> None:
        """Kill a child with all that it has started."""
        for kill in (os.kill, os.killpg):  # it may not have a group of its own yet
            with suppress(ProcessLookupError, PermissionError):
                kill(pid, signal.SIGKILL)
        self._bury(pid, os.waitpid(pid, 0)[1])

    def _bury(self, pid: int, status: int) -> None:
        """Kill what an ended child has left behind, and say how it ended."""
        line = self._lines.pop(pid)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        self._kill_strays()
        with suppress(GoneError):
            Channel(line).send(_how(status))
        line.close()

    def _kill_strays(self) -> None:
        """Kill processes that left their group: their parents are gone, so they are ours now."""
        for _ in range(_ROUNDS):
            strays = [pid for pid in _children() if pid not in self._lines]
            for pid in strays:
                with suppress(ProcessLookupError, ChildProcessError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
            if not strays:
                return


def _children() -> list[int]:
    with suppress(OSError):
        place = Path(f"/proc/self/task/{os.getpid()}/children")
        return [int(pid) for pid in place.read_text().split()]
    return []


def _how(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"exit code {code}"
    return f"signal {signal.Signals(-code).name}"


def _child(channel: Channel, order: dict[str, Any], supervisor: int) -> None:
    """Become a process of its own within its bounds, do the work and end."""
    code = 1
    try:
        os.setsid()
        _prctl(_END_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != supervisor:  # it ended before we could ask
            return
        _silence(quiet=order["quiet"])
        os.chdir(order["directory"])
        sys.path[0] = order["directory"]
        confine(order["memory"])
        module, _, name = order["target"].partition(":")
        getattr(import_module(module), name)(channel, **order["arguments"])
        code = 0
    except GoneError:  # nobody waits any more
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _silence(*, quiet: bool) -> None:
    """What a child prints must not get between what we print."""
    if quiet:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 2)
        os.close(nothing)
    os.dup2(2, 1)


def confine(memory: int) -> None:
    """Bound the address space of this process, beyond what is loaded; no core files."""
    with suppress(OSError, ValueError):
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
