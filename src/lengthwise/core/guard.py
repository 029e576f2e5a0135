"""A user's Python predicate in a process of its own: it may loop, raise or crash, we answer."""

import json
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

from lengthwise.core.clock import Clock
from lengthwise.core.errors import InputError


class GuardedFunction:
    """Calls ``file.py:name`` word by word in another process, within the clock's limit.

    Answers are remembered. A word without an answer within a quarter of the time limit, an
    exception and a crash are one line each, naming the word.
    """

    def __init__(self, reference: str, clock: Clock) -> None:
        path = Path(reference.rpartition(":")[0])
        if not path.is_file():
            raise InputError(f"function {reference!r}: there is no file {str(path)!r}.")
        self.reference, self.clock = reference, clock
        self.known: dict[str, bool] = {}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lengthwise.core.function_server", reference],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._buffer = b""
        kind = self._receive("while its file was loaded", at_least=3.0)  # Python starts first
        if "error" in kind:
            self.close()
            raise InputError(f"function {reference!r}: {kind['error']}")
        self.is_class = kind["kind"] == "class"

    def __call__(self, word: str) -> bool:
        """Return the truth value of the function on a word."""
        if word not in self.known:
            assert self._process.stdin is not None
            try:
                self._process.stdin.write(json.dumps(word).encode() + b"\n")
                self._process.stdin.flush()
            except (BrokenPipeError, ValueError):
                raise self._ended(f"on the word {word!r}") from None
            reply = self._receive(f"on the word {word!r}")
            if "error" in reply:
                self.close()
                raise InputError(
                    f"function {self.reference!r} failed on the word {word!r}: {reply['error']}"
                )
            self.known[word] = reply["answer"]
        return self.known[word]

    def _receive(self, when: str, at_least: float = 1.0) -> dict[str, Any]:
        """Read one line, or say that there was none."""
        assert self._process.stdout is not None
        wait = min(self.clock.left(), max(at_least, self.clock.seconds / 4))
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._process.stdout], [], [], wait)
            if not ready:
                self.close()
                raise InputError(
                    f"function {self.reference!r} gave no answer within {wait:.1f} s {when}; "
                    "does it loop?"
                )
            chunk = self._process.stdout.read1(65_536)  # type: ignore[attr-defined]
            if not chunk:
                raise self._ended(when)
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line)

    def _ended(self, when: str) -> InputError:
        self.close()
        return InputError(f"function {self.reference!r}: its process ended {when}.")

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
