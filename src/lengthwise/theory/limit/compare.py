"""Does a compiled model say what its program says? Short words exhaustively, long ones sampled.

Every prefix of a word is compared, not only the whole word. Random words of many languages are
hopeless, so besides uniform letters there are skewed ones, long runs, and repeated blocks with a
few edits, which stay near acceptance for long.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from jaxtyping import Int

from lengthwise.crasp.interpreter import accepts, evaluate_expressions
from lengthwise.crasp.program import Program
from lengthwise.languages.words import Words, words_of_length
from lengthwise.theory.limit.compiled import CompiledModel
from lengthwise.theory.limit.normalise import at_last_letter

MOST_SHORT_WORDS = 20_000
MOST_PAIRS = 2_000_000_000
"""About how many pairs of positions are attended to in the random words of a check."""


@dataclass(frozen=True)
class Check:
    """How many words and answers were compared, and the first word that differs."""

    short_length: int
    short_words: int
    long_words: int
    longest: int
    answers: int
    errors: int
    counterexample: tuple[str, ...] | None = None


def check(
    model: CompiledModel,
    program: Program,
    *,
    short: int | None = None,
    words: int | None = None,
    seed: int = 0,
) -> Check:
    """Compare a model with the interpreter on all words to ``short`` and on random longer ones.

    By default ``short`` is 8, or less when there would be more than ``MOST_SHORT_WORDS`` words,
    and there are 100 random words, or fewer when they are very long.

    Example:
        >>> from lengthwise.crasp import Q, count
        >>> from lengthwise.theory.limit.compiled import build
        >>> majority = Program.of(count(Q["a"]) > count(Q["b"]), alphabet="ab")
        >>> check(build(majority, 64), majority, short=6, words=10).errors
        0
    """
    letters = model.description.letters
    if short is None:
        short = short_enough(len(letters), 8)
    short = min(short, model.description.length)
    if words is None:
        words = max(4, min(100, MOST_PAIRS // model.description.length**2))
    answers = errors = 0
    first: tuple[str, ...] | None = None
    exhaustive = chain.from_iterable(
        words_of_length(letters, size, MOST_SHORT_WORDS) for size in range(short + 1)
    )
    sampled = random_batches(letters, model.description.length, words, np.random.default_rng(seed))
    counts = [0, 0]
    for kind, batches in enumerate((exhaustive, sampled)):
        for batch in batches:
            counts[kind] += batch.count
            wrong, compared = _compare(model, program, batch)
            answers, errors = answers + compared, errors + int(wrong.sum())
            if first is None and wrong.any():
                first = batch.word(int(wrong.argmax()))
    longest = model.description.length if words else short
    return Check(short, counts[0], counts[1], longest, answers, errors, first)


def short_enough(letters: int, length: int) -> int:
    """Return the largest length up to ``length`` with few enough words to try them all."""
    while length > 1 and sum(letters**n for n in range(length + 1)) > MOST_SHORT_WORDS:
        length -= 1
    return length


def _compare(model: CompiledModel, program: Program, batch: Words) -> tuple[np.ndarray, int]:
    """Return which words have a wrong answer somewhere, and how many answers were compared."""
    words = [batch.word(index) for index in range(batch.count)]
    got = model.truths(words)[:, 1:]
    outputs = program.outputs
    if model.description.accept == "end":
        outputs = tuple(at_last_letter(node) for node in outputs)
    want = np.stack(evaluate_expressions(outputs, batch), axis=-1) if batch.longest else got
    wrong = (got != want).any(axis=(1, 2))
    if not program.is_generator:
        wrong |= model.accepts(words) != accepts(program, batch, accept=model.description.accept)
    return wrong, want.size + batch.count


def random_batches(
    letters: tuple[str, ...], length: int, words: int, rng: np.random.Generator
) -> Iterator[Words]:
    """Yield batches of random words; a tenth of them have the full length, others any length."""
    done = 0
    while done < words:
        count = min(10, words - done)
        size = length if done == 0 else int(rng.integers(1, length + 1))
        codes = np.stack([random_codes(len(letters), size, rng) for _ in range(count)])
        yield Words.of_codes(codes.astype(np.int64), letters)
        done += count


def random_codes(letters: int, length: int, rng: np.random.Generator) -> Int[np.ndarray, " n"]:
    """Return one word of one of four kinds: uniform, skewed, runs, or an edited repetition."""
    match rng.integers(4):
        case 0:
            return rng.integers(letters, size=length)
        case 1:
            return rng.choice(letters, size=length, p=rng.dirichlet(np.ones(letters)))
        case 2:
            breaks = np.sort(rng.integers(0, length + 1, size=int(rng.integers(1, 8))))
            runs = np.diff([0, *breaks, length])
            return np.repeat(rng.integers(letters, size=len(runs)), runs)
        case _:
            block = rng.integers(letters, size=int(rng.integers(1, 7)))
            codes = np.resize(block, length)
            edits = rng.integers(length, size=int(rng.integers(0, 3)))
            codes[edits] = rng.integers(letters, size=len(edits))
            return codes
