"""A user's Python predicate in a process of its own: it may loop, raise or crash, we answer."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.core.clock import Clock, OutOfTimeError
from lengthwise.core.errors import InputError
from lengthwise.languages.asked import Asked

BATCH = 1_024
"""Words per request."""
AGAIN = 2_000
"""Words that are asked again at the end."""


class GuardedFunction(Asked):
    """Calls ``file.py:name`` in another process, within the clock's limit.

    Answers are remembered. A word without an answer within a quarter of the time limit, an
    exception, a crash, an answer that is no truth value and a changed mind are one line each,
    naming the word. When the clock is over, asking raises ``OutOfTimeError``.
    """

    def __init__(self, reference: str, clock: Clock, letters: Iterable[str] = ()) -> None:
        super().__init__(None, letters)
        path = Path(reference.rpartition(":")[0])
        if not path.is_file():
            raise InputError(f"function {reference!r}: there is no file {str(path)!r}.")
        self.reference, self.clock = reference, clock
        self._confirmed = 0
        self._server = _Server(reference, clock)
        self.is_task, self.has_sampler = self._server.is_task, self._server.has_sampler

    def answers(self, words: Sequence[str]) -> list[bool]:
        """Ask the other process."""
        if self._server.ended:  # an alarm rang while it was answering
            self._server = _Server(self.reference, self.clock)
        found: list[bool] = []
        for start in range(0, len(words), BATCH):
            found += self._server.answers(words[start : start + BATCH])
        return found

    def drawn_members(self, lengths: Sequence[int], seed: int = 0) -> list[str]:
        """Return members that ``name_members(rng, length)`` draws, if the file has it.

        Each must be a word over the alphabet that the function accepts.
        """
        if not self.has_sampler or not lengths:
            return []
        if self._server.ended:
            self._server = _Server(self.reference, self.clock)
        words = [word for word in self._server.members(lengths, seed) if word is not None]
        for word in words:
            strange = sorted(set(word) - set(self.letters))
            if strange:
                self.close()
                raise InputError(
                    f"{self.reference}_members drew {_shown(word)} with {strange[0]!r}, which is "
                    f"not in the alphabet ({' '.join(self.letters)})."
                )
        for word, member in zip(words, self.ask(words), strict=True):
            if not member:
                self.close()
                raise InputError(
                    f"{self.reference}_members drew {_shown(word)}, which is no member for "
                    f"{self.reference}."
                )
        return words

    def confirm(self, seed: int = 0) -> None:
        """Ask a sample of words again, in another order, twice and in another process.

        A function that is random, or depends on what was asked before, is refused with the word.
        """
        if self.questions == self._confirmed:
            return
        self._confirmed = self.questions
        words = self._sample(np.random.default_rng(seed))
        second = _Server(self.reference, self.clock)
        deadline = time.monotonic() + self.clock.left() / 2
        try:
            for start in range(0, len(words), 64):
                if start and time.monotonic() > deadline:
                    return
                part = words[start : start + 64]
                for word, answer in zip(part, second.answers(part), strict=True):
                    if answer != self._look(word):
                        raise InputError(
                            f"function {self.reference!r} changes its mind: {_shown(word)} was "
                            f"{self._look(word)}, and {answer} when it was asked again."
                        )
        finally:
            second.close()

    def _sample(self, rng: np.random.Generator) -> list[str]:
        """Return known words, each twice, in random order."""
        longer = list(self.others)
        chosen = [longer[i] for i in rng.permutation(len(longer))[: AGAIN // 2]]
        lengths = [n for n in range(self.complete + 1) for _ in range(AGAIN // 2)]
        for n in rng.permutation(lengths)[: AGAIN - len(chosen)].tolist():
            chosen.append(self.word(n, int(rng.integers(len(self.tables[n])))))
        twice = [*chosen, *chosen]
        return [twice[i] for i in rng.permutation(len(twice))]

    def close(self) -> None:
        """End the process."""
        self._server.close()


class _Server:
    """One running process; after any trouble it has ended."""

    def __init__(self, reference: str, clock: Clock) -> None:
        self.reference, self.clock = reference, clock
        self.ended = False
        self._buffer = b""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lengthwise.subjects.function_server", reference],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        kind = self._exchange(None, "while its file was loaded", at_least=3.0)  # Python starts
        if "error" in kind:
            self.close()
            raise InputError(f"function {reference!r}: {kind['error']}")
        self.is_task, self.has_sampler = kind["kind"] == "task", bool(kind["sampler"])

    def answers(self, words: Sequence[str]) -> list[bool]:
        """Return the answers to some words; the word that makes trouble is named."""
        found: list[bool] = []
        try:
            self._send({"words": list(words)}, f"on the word {_shown(words[0])}")
            for byte in self._bytes(words):
                if byte == b"!":
                    failure = json.loads(self._line(f"on the word {_shown(words[len(found)])}"))
                    raise InputError(
                        f"function {self.reference!r} failed on the word "
                        f"{_shown(failure['word'])}: {failure['error']}"
                    )
                found.append(byte == b"1")
        except BaseException:  # an alarm may ring in the middle: what comes later is not ours
            self.close()
            raise
        return found

    def members(self, lengths: Sequence[int], seed: int) -> list[str | None]:
        """Return what the user's sampler draws."""
        request = {"members": list(lengths), "seed": seed}
        reply = self._exchange(request, "while members were drawn")
        if "error" in reply:
            self.close()
            raise InputError(f"{self.reference}_members failed {reply['error']}")
        return reply["members"]

    def _exchange(self, request: Any, when: str, at_least: float = 1.0) -> dict[str, Any]:
        try:
            if request is not None:
                self._send(request, when)
            return json.loads(self._line(when, at_least))
        except BaseException:
            self.close()
            raise

    def _send(self, request: Any, when: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise self._lost(when) from None

    def _bytes(self, words: Sequence[str]) -> Iterator[bytes]:
        for word in words:
            if not self._buffer:
                self._fill(f"on the word {_shown(word)}")
            byte, self._buffer = self._buffer[:1], self._buffer[1:]
            yield byte

    def _line(self, when: str, at_least: float = 1.0) -> bytes:
        while b"\n" not in self._buffer:
            self._fill(when, at_least)
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _fill(self, when: str, at_least: float = 1.0) -> None:
        """Read what there is, or say that there was nothing."""
        assert self._process.stdout is not None
        patience = max(at_least, self.clock.seconds / 4)
        wait = min(self.clock.left(), patience)
        ready, _, _ = select.select([self._process.stdout], [], [], wait)
        if not ready and wait < patience:
            raise OutOfTimeError
        if not ready:
            raise InputError(
                f"function {self.reference!r} gave no answer within {wait:.1f} s {when}; "
                "does it loop?"
            )
        chunk = os.read(self._process.stdout.fileno(), 65_536)
        if not chunk:
            raise self._lost(when)
        self._buffer += chunk

    def _lost(self, when: str) -> InputError:
        return InputError(f"function {self.reference!r}: its process ended {when}.")

    def close(self) -> None:
        """End the process."""
        self.ended = True
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue


def _shown(word: str) -> str:
    return repr(word if len(word) <= 60 else word[:57] + "...")
