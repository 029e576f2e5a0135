"""Does a program compute what it should? Exhaustively to a length, then by sampling, in a budget.

The report says exactly what was covered. Against an automaton the program's own automaton is tried
first (:mod:`lengthwise.crasp.finite`); where the program has finitely many configurations,
the answer is then complete for words of every length.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import inf
from typing import Any

import numpy as np

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.crasp.finite import to_automaton
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.program import Program
from lengthwise.crasp.sampling import longer_words
from lengthwise.crasp.targets import Target
from lengthwise.languages.convention import Accept
from lengthwise.languages.words import Words, words_of_length

CHUNK = 1 << 16
"""Most words decided at once."""

SAMPLING_SECONDS = 1.0
"""Least time for longer words, even where the rest has taken all of it."""

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
        seconds: time for everything; what is not done by then is not reported as done.
        samples: how many longer words are tried; 0 for none.
        sample_length: longest sampled word.
        seed: of the sampling.

    Example:
        >>> from lengthwise.crasp.embedding import Q, never
        >>> from lengthwise.crasp.targets import from_regex
        >>> check(Program.of(never(Q["b"])), from_regex("a*", "ab")).evidence
        'proof'
    """
    run, limits = _Check(program, target, accept), Limits(seconds)
    shortest = 12 if max_length is None else min(max_length, 12)
    _within(limits, 1, lambda part: run.exhaust(shortest, part, most=QUICK))
    if run.open and target.automaton is not None:
        _within(limits, 1 / 3, run.prove)
    if run.open:
        _within(limits, 2 / 3, lambda part: run.exhaust(max_length, part))
    if run.open and samples:
        last = Limits(max(SAMPLING_SECONDS, limits.left()))
        _within(last, 1, lambda part: run.sample(samples, sample_length, seed, part))
    return run.report()


def _within(limits: Limits, share: float, stage: Callable[[Limits], None]) -> None:
    """Do a stage within a share of what is left; one that is not done has shown nothing more."""
    part = limits.part(share)
    with suppress(LimitReachedError), part.alarm("the comparison"):
        stage(part)


class _Check:
    """A comparison in progress."""

    def __init__(self, program: Program, target: Target, accept: Accept) -> None:
        self._program, self._target = program, target
        self._accept: Accept = accept
        self._clock = Limits(None)
        self._proved = False
        self._reached, self._words, self._sampled, self._sampled_to = -1, 0, 0, 0
        self._wrong: tuple[tuple[str, ...], bool] | None = None
        self._accepted: list[tuple[int, ...]] = []

    @property
    def open(self) -> bool:
        return not self._proved and self._wrong is None

    def prove(self, limits: Limits) -> None:
        """Build the program's automaton if it has one, and compare."""
        target = self._target.automaton
        assert target is not None
        own = to_automaton(
            self._program, self._target.letters, accept=self._accept, seconds=limits.left()
        )
        if own is None:
            return
        word = own.distinguishing_word(target)
        self._proved = word is None
        if word is not None:
            letters = tuple(self._target.letters[code] for code in word)
            self._wrong = letters, own.accepts(letters)

    def exhaust(self, max_length: int | None, limits: Limits, most: float = inf) -> None:
        """Go on with all words, shortest first, until the length or the time is used up."""
        length = self._reached + 1
        while max_length is None or length <= max_length:
            if len(self._target.letters) ** length > most:
                return
            before = limits.spent()
            for words in words_of_length(self._target.letters, length, CHUNK):
                if not self._compare(words) or limits.over:
                    return
            self._reached = length
            self._words += len(self._target.letters) ** length
            spent = limits.spent() - before
            if spent * len(self._target.letters) > limits.left():
                return
            length += 1

    def sample(self, samples: int, longest: int, seed: int, limits: Limits) -> None:
        """Try longer words: uniform ones, and ones built to be near the language."""
        rng = np.random.default_rng(seed)
        low = self._reached + 1
        if low > longest:
            return
        members = tuple(self._accepted)
        for words in longer_words(self._target, members, low, longest, samples, rng):
            same = self._compare(words)
            self._sampled += words.count
            self._sampled_to = max(self._sampled_to, int(words.lengths.max(initial=0)))
            if not same or limits.over:
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
            seconds=self._clock.spent(),
        )
