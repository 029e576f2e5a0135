"""The seventeen tokens that the step-by-step tasks share, and a few masks over them."""

import numpy as np
import numpy.typing as npt

from lengthwise.relations.gates import IntArray

VOCABULARY: tuple[str, ...] = ("_", "<", ">", "=", "+", "*", "/", *"0123456789")
"""Padding, begin, end, equals, plus, times, divide, digits; a token's code is its index."""

PAD, BEGIN, END, EQUALS, PLUS, TIMES, DIVIDE, ZERO = range(8)
NOTHING = len(VOCABULARY)
"""The symbol that an operator reads where an argument is absent."""


def codes(text: str) -> IntArray:
    """Return the token codes of ``text``; blanks are ignored.

    Example:
        >>> codes("< 3 = 3 >").tolist()
        [1, 10, 3, 10, 2]
    """
    return np.array([VOCABULARY.index(c) for c in text if c != " "], dtype=np.int64)


def text(tokens: npt.ArrayLike) -> str:
    """Return token codes as blank-separated text, the inverse of :func:`codes`.

    Example:
        >>> text([1, 10, 3, 10, 2])
        '< 3 = 3 >'
    """
    return " ".join(VOCABULARY[code] for code in np.asarray(tokens).tolist())


def is_digit(tokens: IntArray) -> npt.NDArray[np.bool_]:
    """Return which codes are digits (an absent argument is none)."""
    return (tokens >= ZERO) & (tokens < NOTHING)
