"""A user's Python predicate in a process of its own: it may loop, raise or crash, we answer."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.core.channel import GoneError, LateError
from lengthwise.core.child import nursery
from lengthwise.core.errors import InputError
from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.languages.asked import Asked

SERVER = "lengthwise.subjects.function_server"
LOOK_SECONDS = 0.1
"""Time between looks at the clock."""
BATCH = 1_024
"""Words per request."""
AGAIN = 2_000
"""Words that are asked again at the end."""


class GuardedFunction(Asked):
    """Calls ``file.py:name`` in another process, within the clock's limit.

    Answers are remembered. A word without an answer within a quarter of the time limit, an
    exception, a crash, an answer that is no truth value and a changed mind are one line each,
    naming the word. When the clock is over, asking raises ``LimitReachedError``.
    """

    def __init__(self, reference: str, clock: Limits, letters: Iterable[str] = ()) -> None:
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
        self.clock.check("asking again")  # before another process is started
        self._confirmed = self.questions
        words = self._sample(np.random.default_rng(seed))
        second = _Server(self.reference, self.clock, number=1)  # with another seed of hashes
        limits = self.clock.part(1 / 2)
        try:
            for start in range(0, len(words), 64):
                if start and limits.over:
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

    def _sample(self, rng: "np.random.Generator") -> list[str]:
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

    def __init__(self, reference: str, clock: Limits, number: int = 0) -> None:
        self.reference, self.clock = reference, clock
        start = nursery(SERVER, number=number).start
        self._child = start(f"{SERVER}:serve", clock, reference=reference)
        kind = self._exchange(None, "while its file was loaded", at_least=3.0)
        if "error" in kind:
            self.close()
            raise InputError(kind["error"])
        self.is_task, self.has_sampler = kind["kind"] == "task", bool(kind["sampler"])

    @property
    def ended(self) -> bool:
        """Whether it was closed."""
        return self._child.ended

    def answers(self, words: Sequence[str]) -> list[bool]:
        """Return the answers to some words; the word that makes trouble is named."""
        reply = self._exchange({"words": list(words)}, "on the word", words=words)
        if "error" in reply:
            self.close()
            raise InputError(
                f"function {self.reference!r} failed on the word {_shown(reply['word'])}: "
                f"{reply['error']}"
            )
        return reply["answers"]

    def members(self, lengths: Sequence[int], seed: int) -> list[str | None]:
        """Return what the user's sampler draws."""
        request = {"members": list(lengths), "seed": seed}
        reply = self._exchange(request, "while members were drawn")
        if "error" in reply:
            self.close()
            raise InputError(f"{self.reference}_members failed {reply['error']}")
        return reply["members"]

    def _exchange(
        self, request: Any, when: str, words: Sequence[str] = (), at_least: float = 1.0
    ) -> dict[str, Any]:
        """Ask, and wait as long as there is patience with each word and the clock allows."""
        try:
            if request is not None:
                self._child.send(request, self.clock.left())
            return self._wait(when, words, max(at_least, (self.clock.seconds or math.inf) / 4))
        except LateError:
            raise self._late(self._at(when, words)) from None
        except GoneError:
            raise self._lost(self._at(when, words)) from None
        except BaseException:  # an alarm may ring in the middle: what comes later is not ours
            self.close()
            raise

    def _wait(self, when: str, words: Sequence[str], patience: float) -> dict[str, Any]:
        waited, mark = Limits(None), -1
        while True:
            try:
                return self._child.receive(min(LOOK_SECONDS, self.clock.left()))
            except LateError:
                if self.clock.over:
                    raise
                if words and self._child.mark != mark:  # another word
                    waited, mark = Limits(None), self._child.mark
                if waited.spent() >= patience:
                    self.close()
                    raise InputError(
                        f"function {self.reference!r} gave no answer within {patience:.1f} s "
                        f"{self._at(when, words, mark)}; does it loop?"
                    ) from None

    def _at(self, when: str, words: Sequence[str], mark: int | None = None) -> str:
        number = self._child.mark if mark is None and words else mark or 0
        return f"{when} {_shown(words[min(number, len(words) - 1)])}" if words else when

    def _late(self, when: str) -> LimitReachedError:
        self.close()
        return LimitReachedError(f"{self.reference}: no time was left {when}")

    def _lost(self, when: str) -> InputError:
        how = self._child.how()
        self.close()
        return InputError(f"function {self.reference!r}: its process ended {when} ({how}).")

    def close(self) -> None:
        """End the process, and whatever it has started."""
        self._child.close()


def _shown(word: str) -> str:
    return repr(word if len(word) <= 60 else word[:57] + "...")
