"""Things done one after the other in a process that may hang or die: the next one takes over.

parent                         child (forked: everything is imported already)
  | --- items[i:] ------------> |  does one after the other
  | <-- one line of JSON each - |
  |  no line within the limit: kill it, note "hang", fork another for items[i + 1:]
"""

import importlib
import json
import os
import pkgutil
import resource
import select
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Literal, TypeVar

import lengthwise

T = TypeVar("T")
End = Literal["done", "hang", "died"]

MOST_MEMORY = 4 * 2**30


def warm_up() -> None:
    """Import everything once, so that no forked process has to; nothing is started by it."""
    for module in pkgutil.walk_packages(lengthwise.__path__, "lengthwise."):
        if not module.name.endswith(("__main__", ".worker", "function_server", ".peers")):
            with suppress(ImportError):  # an extra that is not installed
                importlib.import_module(module.name)


def isolated(
    items: Sequence[T], act: Callable[[T], Any], seconds: float
) -> Iterator[tuple[T, End, Any]]:
    """Yield every item with how it ended and what ``act`` returned (plain data).

    Example:
        >>> list(isolated([1, 2], lambda number: number * 2, 60.0))
        [(1, 'done', 2), (2, 'done', 4)]
    """
    start = 0
    while start < len(items):
        child = _Child(items[start:], act)
        try:
            for item in items[start:]:
                start += 1
                end, value = child.next(seconds)
                yield item, end, value
                if end != "done":
                    break
        finally:
            child.close()


class _Child:
    def __init__(self, items: Sequence[Any], act: Callable[[Any], Any]) -> None:
        ours, theirs = os.pipe()
        self.process = os.fork()
        if not self.process:
            os.close(ours)
            _work(items, act, theirs)
        os.close(theirs)
        self.pipe, self.buffer = ours, b""

    def next(self, seconds: float) -> tuple[End, Any]:
        deadline = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.pipe], [], [], left)[0]:
                return "hang", None
            chunk = os.read(self.pipe, 65_536)
            if not chunk:
                return "died", None
            self.buffer += chunk
        line, _, self.buffer = self.buffer.partition(b"\n")
        return "done", json.loads(line)

    def close(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.pipe)


def _work(items: Sequence[Any], act: Callable[[Any], Any], pipe: int) -> None:
    """Do everything in the child; it never returns into the parent's code."""
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
        for item in items:
            line = json.dumps(act(item)).encode() + b"\n"
            while line:
                line = line[os.write(pipe, line) :]
        os._exit(0)
    finally:
        os._exit(3)
