"""The fused backend: a program becomes one compiled loop over positions, without whole arrays.

Source is generated per program and compiled by numba (the extra ``fast``). The loop walks positions
outside and words inside, on codes stored positions first, so that the compiler can treat many words
at once with vector instructions; counters are as narrow as the word length allows. A program is
compiled on first use, which takes about a second, and then kept.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.crasp._kernel import kernel_source
from lengthwise.crasp.interpreter import largest_value
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Bool, postorder
from lengthwise.languages.convention import Accept
from lengthwise.languages.words import Words

LARGEST = 2_000
"""Most operations that are compiled; beyond, compilation would take minutes."""


def fused_accepts(program: Program, words: Words, accept: Accept) -> np.ndarray:
    """Return which words are accepted, like ``accepts`` (which calls this for ``fused``)."""
    if not isinstance(words.tokens, np.ndarray):
        raise InputError("the fused backend runs on numpy arrays; use backend='array' for torch.")
    kernel = _kernel(program.accept, words.letters, accept, _width(program, words), words.uniform)
    result = np.empty(words.count, dtype=np.bool_)
    kernel(words.columns, words.lengths, result)
    return result


def _width(program: Program, words: Words) -> str:
    """Return the narrowest integer that holds every value on these words."""
    largest = largest_value([program.accept], words.longest + 1)
    for name in ("int16", "int32", "int64"):
        if largest < np.iinfo(name).max // 2:
            return name
    raise InputError(f"counts can reach {largest:.3g} on these words, more than 64 bits hold.")


@lru_cache(maxsize=64)
def _kernel(
    output: Bool, letters: tuple[str, ...], accept: Accept, width: str, uniform: bool
) -> Callable[..., None]:
    try:
        import numba
    except ImportError:
        raise InputError(
            "the fused backend needs numba: pip install 'lengthwise[fast]' (or backend='array')."
        ) from None
    size = sum(1 for _ in postorder([output]))
    if size > LARGEST:
        raise InputError(
            f"the program has {size} operations; the fused backend compiles at most {LARGEST}. "
            "Use backend='array'."
        )
    scope: dict[str, Any] = {"np": np, "I": getattr(np, width)}
    exec(kernel_source(output, letters, accept, uniform=uniform), scope)
    compiled: Any = numba.njit(scope["kernel"])
    return compiled
