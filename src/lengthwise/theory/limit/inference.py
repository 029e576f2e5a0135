"""The idealised inference procedure over programs: the simplest one that fits all short words.

Huang et al. 2025, section 3.2: for each context n, take a simplest transformer that is right on all
inputs up to n/2. Their theorem: if the target is expressible by a PERIODIC and LOCAL limit
transformer, then from some n on the choice is right at every length up to n. Here the hypotheses
are C-RASP programs, ordered by depth, then size (in place of the paper's regulariser R; our
suggestion), so the theorem does not speak of them. :func:`smallest_programs` asks the theorem's
question, how far beyond n/2 the choice is right; :func:`infer` asks from which training length on
it is right on everything tested. (:mod:`lengthwise.analysis.inferred` trains decoders with the
positional penalty instead, R's practical form.)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits
from lengthwise.crasp.candidates import SearchSpace
from lengthwise.crasp.facts import analyse
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.learning import SECONDS, LearnedProgram, learn
from lengthwise.crasp.program import Program
from lengthwise.crasp.targets import Target
from lengthwise.languages.words import Words, all_words
from lengthwise.theory.limit.compare import random_codes

EXHAUSTIVE = 20_000


@dataclass(frozen=True)
class Chosen:
    """What was chosen for one context, and the first length at which it is wrong."""

    context: int
    train_length: int
    chosen: str
    size: float | None
    fails_at: int | None
    """None: right on everything tried, up to ``horizon``."""
    horizon: int

    @property
    def holds(self) -> bool:
        """Whether the choice is right up to the context, as the theorem asks."""
        return self.fails_at is None or self.fails_at > self.context


def smallest_programs(
    target: Target,
    contexts: Sequence[int],
    *,
    horizon: int = 64,
    seconds: float = SECONDS,
    seed: int = 0,
) -> list[Chosen]:
    """Choose a smallest program for each context n from all words up to n/2.

    Example:
        >>> from lengthwise.crasp.targets import from_function
        >>> more = from_function(lambda w: w.count("a") > w.count("b"), "ab")
        >>> [row.holds for row in smallest_programs(more, [8], horizon=16)]
        [True]
    """
    rows = []
    for context in checked(contexts):
        half = context // 2
        program = learn(
            target, limits=Limits(seconds), train_length=half, verify_seconds=0.1
        ).program
        if program is None:
            rows.append(Chosen(context, half, "none found", None, half, horizon))
            continue
        fails = first_failure(program, target, horizon, seed)
        size = float(analyse(program).size)
        rows.append(Chosen(context, half, str(program).strip(), size, fails, horizon))
    return rows


def first_failure(program: Program, target: Target, horizon: int, seed: int = 0) -> int | None:
    """Return the first length with a wrong word: all words while they are few, then 300 random."""
    rng = np.random.default_rng(seed)
    letters = len(target.letters)
    for length in range(1, horizon + 1):
        if letters**length <= EXHAUSTIVE:
            words = all_words(target.letters, length)
        else:
            codes = np.stack([random_codes(letters, length, rng) for _ in range(300)])
            words = Words.of_codes(codes, target.letters)
        if (np.asarray(accepts(program, words)) != np.asarray(target.decide(words))).any():
            return length
    return None


def checked(contexts: Sequence[int]) -> Sequence[int]:
    """Return the contexts, each of which must have a half."""
    for context in contexts:
        if context < 2:
            raise InputError(f"context {context}: must be at least 2, so that n/2 is a length.")
    return contexts


@dataclass(frozen=True)
class Inference:
    """What was learned at each training length, and from which on it was right."""

    learned: tuple[LearnedProgram, ...]
    first_right: int | None

    def rows(self) -> list[dict[str, object]]:
        """Return one row per training length."""
        return [_row(item) for item in self.learned]


def infer(
    target: Target,
    longest: int,
    *,
    space: SearchSpace | None = None,
    seconds: float = SECONDS,
    verify_seconds: float = 1.0,
) -> Inference:
    """Learn from all words up to n for each n up to ``longest``.

    ``first_right`` is the least n such that the programs learned at n and at every larger n tried
    agree with the target on everything tested.

    Example:
        >>> from lengthwise.crasp.targets import from_regex
        >>> infer(from_regex("a*", "ab"), 3, space=SearchSpace(periods=(), window=0)).first_right
        2
    """
    learned = tuple(
        learn(
            target,
            space=space,
            limits=Limits(seconds / longest),
            train_length=n,
            verify_seconds=verify_seconds,
        )
        for n in range(1, longest + 1)
    )
    first: int | None = None
    for item in learned:
        right = item.verified is not None and item.verified.agrees
        first = (first or item.train_length) if right else None
    return Inference(learned, first)


def _row(item: LearnedProgram) -> dict[str, object]:
    program = "none found" if item.program is None else repr(item.program.accept)
    verdict = "-" if item.verified is None else item.verified.sentence()
    return {
        "n": item.train_length,
        "words": item.bank_words,
        "program": program,
        "verified": verdict,
    }
