"""The idealised inference procedure, in two runnable forms.

Huang et al. 2025, section 3.2: for each context n, take a simplest transformer that is right on all
inputs up to n/2. Their theorem: if the target is expressible by a PERIODIC and LOCAL limit
transformer, then from some n on the choice is right at every length up to n. Two stand-ins that can
be run: the smallest C-RASP program (size in place of R; our suggestion), and a trained decoder with
the positional penalty (R's practical form). Both report the first length at which the choice fails.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.crasp.facts import analyse
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.learning import Budget, learn
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
    budget: Budget | None = None,
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
        found = learn(target, budget=budget, train_length=half, verify_seconds=0.1)
        if found.program is None:
            rows.append(Chosen(context, half, "none found", None, half, horizon))
            continue
        fails = first_failure(found.program, target, horizon, seed)
        size = float(analyse(found.program).size)
        rows.append(Chosen(context, half, str(found.program).strip(), size, fails, horizon))
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
