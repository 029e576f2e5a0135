"""Programs that write: at every position exactly one ``next`` Boolean should hold.

Because an operation at position i sees only positions up to i, one pass over a finished text gives
every prediction (teacher forcing); :func:`generate` appends its own outputs instead.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.crasp.interpreter import as_words, evaluate_expressions
from lengthwise.crasp.program import Program
from lengthwise.crasp.stepper import Stepper
from lengthwise.languages.words import Word, Words

NONE = -1
SEVERAL = -2


def predictions(program: Program, words: "Words | Iterable[Word]") -> np.ndarray:
    """Return at each position the index of the one ``next`` that holds, (batch, positions).

    The index counts the program's ``next`` map in order; ``NONE`` and ``SEVERAL`` mark positions
    where not exactly one holds.

    Example:
        >>> from lengthwise.crasp.embedding import Q
        >>> flip = Program([], next={"b": Q["a"], "a": Q["b"]})
        >>> predictions(flip, ["abc"]).tolist()
        [[0, 1, -1]]
    """
    batch = as_words(_generator(program), words)
    holds = np.stack([np.asarray(v) for v in evaluate_expressions(program.outputs, batch)])
    return _unique(holds)


def _unique(holds: np.ndarray) -> np.ndarray:
    total = holds.sum(axis=0)
    return np.where(total == 1, holds.argmax(axis=0), np.where(total == 0, NONE, SEVERAL))


def _generator(program: Program) -> Program:
    if not program.is_generator:
        raise InputError('the program has no `next "a" = ...`; it accepts words, it writes none.')
    return program


def teacher_forced(
    program: Program, words: Iterable[Word], start: str | None = None
) -> list[tuple[str, ...]]:
    """Return the predicted next symbol at every position from the first ``start`` symbol on.

    Without ``start`` all positions are asked. It is an error when no or several ``next`` hold.

    Example:
        >>> from lengthwise.crasp.embedding import Q
        >>> flip = Program([], next={"b": Q["a"], "a": Q["b"]})
        >>> teacher_forced(flip, ["abb"])
        [('b', 'a', 'a')]
    """
    texts = [tuple(word) for word in words]
    symbols = list(program.next)
    results: list[tuple[str, ...]] = []
    for word, row in zip(texts, predictions(program, texts), strict=True):
        if start is not None and start not in word:
            raise InputError(f"the word {' '.join(word)!r} has no {start!r} to start from.")
        first = 0 if start is None else word.index(start)
        for place in range(first, len(word)):
            if row[place] < 0:
                raise _not_one(program, word[: place + 1])
        results.append(tuple(symbols[index] for index in row[first : len(word)]))
    return results


def generate(
    program: Program, prompts: Iterable[Word], *, stop: str = "EOS", limit: int = 1_000
) -> list[tuple[str, ...]]:
    """Return what the program writes after each prompt, up to and including ``stop``.

    All prompts run together, one position at a time. It is an error when no or several ``next``
    hold, or when a text has not stopped after ``limit`` symbols.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> more = count(Q["x"]) < 3
        >>> generate(Program([], next={"x": more, "EOS": ~more}), ["x"])
        [('x', 'x', 'EOS')]
    """
    texts = [list(prompt) for prompt in prompts]
    if any(not text for text in texts):
        raise InputError("a prompt needs at least one symbol.")
    letters = tuple(dict.fromkeys((*_generator(program).letters(), *program.next)))
    run = Stepper(program.outputs, letters=letters, batch=len(texts))
    codes = {letter: code for code, letter in enumerate(letters)}
    if program.alphabet is not None:
        Words.encode(texts, program.alphabet, strict=True)
    starts = [len(text) for text in texts]
    done = [False] * len(texts)
    position = 0
    while not all(done):
        column = [codes.get(t[position], -1) if position < len(t) else -1 for t in texts]
        chosen = _unique(np.stack(run.step(np.array(column))))
        position += 1
        for index, text in enumerate(texts):
            if not done[index] and len(text) == position:
                done[index] = _append(program, text, int(chosen[index]), stop)
                if len(text) - starts[index] >= limit and not done[index]:
                    raise InputError(f"no {stop!r} within {limit} symbols after a prompt.")
    return [tuple(text[size:]) for text, size in zip(texts, starts, strict=True)]


def _append(program: Program, text: list[str], index: int, stop: str) -> bool:
    if index < 0:
        raise _not_one(program, text)
    symbol = list(program.next)[index]
    text.append(symbol)
    return symbol == stop


def _not_one(program: Program, text: Sequence[str]) -> InputError:
    """Say what holds after this text, when it is not exactly one symbol."""
    batch = as_words(program, [text])
    rows = evaluate_expressions(program.outputs, batch)
    holding = [name for name, row in zip(program.next, rows, strict=True) if row[0, -1]]
    what = "several `next` hold: " + ", ".join(holding) if holding else "no `next` holds"
    shown = " ".join(text if len(text) <= 40 else ["...", *text[-40:]])
    return InputError(f"after {len(text)} symbols ({shown}) {what}.")
