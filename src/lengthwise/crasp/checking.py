"""Does a program compute what it should? Exhaustively to a length, then by sampling, in a budget.

The report says exactly what was covered. Against an automaton the program's own automaton is tried
first (:mod:`lengthwise.crasp.finite`); where the program has finitely many configurations,
the answer is then complete for words of every length.
"""

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import inf
from typing import Any

import numpy as np

from lengthwise.crasp.finite import to_automaton
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.program import Program
from lengthwise.crasp.sampling import longer_words
from lengthwise.crasp.targets import Target, from_automaton, from_program
from lengthwise.languages.convention import Accept
from lengthwise.languages.words import Words, words_of_length

CHUNK = 1 << 16
"""Most words decided at once."""

QUICK = 2_000
"""Lengths with at most so many words are compared before anything harder is tried."""


@dataclass(frozen=True)
class Report:
    """What a check found and what it looked at.

    ``evidence`` is ``proof`` (words of every length), ``exhaustive`` (all words up to
    ``exhaustive_to``, plus ``sampled`` longer ones) or ``counterexample``.
    """

    agrees: bool
    evidence: str
    exhaustive_to: int
    exhaustive_words: int
    sampled: int
    sampled_to: int
    counterexample: tuple[str, ...] | None
    program_accepts: bool | None
    accept: str
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return asdict(self)

    def sentence(self) -> str:
        """Say in one sentence what is known."""
        if not self.agrees:
            word = " ".join(self.counterexample or ()) or "the empty word"
            verb = "accepts" if self.program_accepts else "rejects"
            shortest = "shortest counterexample" if self.sampled == 0 else "counterexample"
            return f"differs; {shortest}: {word} (the program {verb} it)."
        if self.evidence == "proof":
            return "equal on words of every length (finitely many configurations, all compared)."
        text = f"agrees on all {self.exhaustive_words:,} words up to length {self.exhaustive_to}"
        if self.sampled:
            text += f" and on {self.sampled:,} sampled words up to length {self.sampled_to}"
        return text + " (bounded: longer words were not decided)."


def check(
    program: Program,
    target: Target,
    *,
    accept: Accept = "last",
    max_length: int | None = None,
    seconds: float = 10.0,
    samples: int = 2_000,
    sample_length: int = 100,
    seed: int = 0,
) -> Report:
    """Compare a program with a target language, shortest words first.

    Args:
        program: the recogniser.
        target: what it should compute.
        accept: where the program is read.
        max_length: stop the exhaustive part here; default: as far as the budget goes.
        seconds: time for the exhaustive part; sampling comes on top.
        samples: how many longer words are tried; 0 for none.
        sample_length: longest sampled word.
        seed: of the sampling.

    Example:
        >>> from lengthwise.crasp.embedding import Q, never
        >>> from lengthwise.crasp.targets import from_regex
        >>> check(Program.of(never(Q["b"])), from_regex("a*", "ab")).evidence
        'proof'
    """
    run = _Check(program, target, accept)
    run.exhaust(12 if max_length is None else min(max_length, 12), seconds, most=QUICK)
    if run.open and target.automaton is not None:
        run.prove(seconds)
    if run.open:
        run.exhaust(max_length, seconds)
    if run.open and samples:
        run.sample(samples, sample_length, seed)
    return run.report()


class _Check:
    """A comparison in progress."""

    def __init__(self, program: Program, target: Target, accept: Accept) -> None:
        self._program, self._target = program, target
        self._accept: Accept = accept
        self._began = time.monotonic()
        self._proved = False
        self._reached, self._words, self._sampled, self._sampled_to = -1, 0, 0, 0
        self._wrong: tuple[tuple[str, ...], bool] | None = None
        self._accepted: list[tuple[int, ...]] = []

    @property
    def open(self) -> bool:
        return not self._proved and self._wrong is None

    def prove(self, seconds: float) -> None:
        """Build the program's automaton if it has one, and compare."""
        target = self._target.automaton
        assert target is not None
        own = to_automaton(
            self._program, self._target.letters, accept=self._accept, seconds=seconds / 2
        )
        if own is None:
            return
        word = own.distinguishing_word(target)
        self._proved = word is None
        if word is not None:
            letters = tuple(self._target.letters[code] for code in word)
            self._wrong = letters, own.accepts(letters)

    def exhaust(self, max_length: int | None, seconds: float, most: float = inf) -> None:
        """Go on with all words, shortest first, until the length or the time is used up."""
        deadline = time.monotonic() + seconds
        length = self._reached + 1
        while max_length is None or length <= max_length:
            if len(self._target.letters) ** length > most:
                return
            before = time.monotonic()
            for words in words_of_length(self._target.letters, length, CHUNK):
                if not self._compare(words) or time.monotonic() > deadline:
                    return
            self._reached = length
            self._words += len(self._target.letters) ** length
            spent = time.monotonic() - before
            if time.monotonic() + spent * len(self._target.letters) > deadline:
                return
            length += 1

    def sample(self, samples: int, longest: int, seed: int) -> None:
        """Try longer words: uniform ones, and ones built to be near the language."""
        rng = np.random.default_rng(seed)
        low = self._reached + 1
        if low > longest:
            return
        members = tuple(self._accepted)
        for words in longer_words(self._target, members, low, longest, samples, rng):
            self._sampled += words.count
            self._sampled_to = max(self._sampled_to, int(words.lengths.max(initial=0)))
            if not self._compare(words):
                return

    def _compare(self, words: Words) -> bool:
        expected = self._target.decide(words)
        actual = np.asarray(accepts(self._program, words, accept=self._accept))
        wrong = np.flatnonzero(actual != expected)
        if len(wrong):
            shortest = int(wrong[np.argmin(words.lengths[wrong])])
            self._wrong = words.word(shortest), bool(actual[shortest])
        elif len(self._accepted) < 2_000:
            rows = np.flatnonzero(expected)[:200]
            self._accepted += [tuple(words.tokens[r, : words.lengths[r]].tolist()) for r in rows]
        return not len(wrong)

    def report(self) -> Report:
        kind = "counterexample" if self._wrong else "proof" if self._proved else "exhaustive"
        return Report(
            agrees=self._wrong is None,
            evidence=kind,
            exhaustive_to=self._reached,
            exhaustive_words=self._words,
            sampled=self._sampled,
            sampled_to=self._sampled_to,
            counterexample=self._wrong[0] if self._wrong else None,
            program_accepts=self._wrong[1] if self._wrong else None,
            accept=self._accept,
            seconds=time.monotonic() - self._began,
        )


def equivalent(
    left: Program,
    right: Program,
    letters: Iterable[str] | None = None,
    *,
    accept: Accept = "last",
    **options: Any,
) -> Report:
    """Compare two programs; complete when both have finitely many configurations.

    Equality of C-RASP programs is undecidable in general, so otherwise the answer is bounded.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count, exists
        >>> one, two = Program.of(exists(Q["a"])), Program.of(count(Q["a"]) > 0)
        >>> equivalent(one, two, "ab").evidence
        'proof'
    """
    known = tuple(letters or dict.fromkeys((*left.letters(), *right.letters())))
    automaton = to_automaton(right, known, accept=accept)
    if automaton is not None:
        return check(left, from_automaton(automaton, "program"), accept=accept, **options)
    return check(left, from_program(right, known, accept=accept), accept=accept, **options)
