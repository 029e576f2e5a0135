"""Programs that tasks attach: by their name in the library of C-RASP programs, or of a family."""

from functools import lru_cache
from typing import Any

from lengthwise.crasp import families, library
from lengthwise.crasp.embedding import Q, any_of, count, exists, prev
from lengthwise.crasp.families import BOS, EOS, SEP
from lengthwise.crasp.program import Program

LARGEST = 40
"""Families are not built over more symbols: most grow with the square of their number."""


def library_program(name: str | None) -> Any | None:
    """Return the program of the library called ``name``, or None if it has none.

    Example:
        >>> library_program("no-such-program") is None
        True
    """
    if name is None or not (name in library.names() or name.startswith("d-")):
        return None
    return library.load(name)


@lru_cache(maxsize=32)
def family_program(family: str, symbols: tuple[str, ...], *parameters: int) -> Any | None:
    """Return the program of a family over some symbols, or None if it would be too large.

    Example:
        >>> family_program("majority", ("0", "1")).is_generator
        True
    """
    if len(symbols) > LARGEST:
        return None
    return getattr(families, family)(symbols, *parameters)


@lru_cache(maxsize=32)
def recall_program(symbols: tuple[str, ...], *, left: bool) -> Any | None:
    """Return an induction head (or its mirror image) that stops behind its answer, or None.

    Only the query and the answer repeat an earlier symbol, so the number of repeated symbols tells
    them apart. The induction head is of Huang et al. (2024), the rule for the end is ours.
    """
    if len(symbols) > LARGEST:
        return None
    inner = families.anti_induction(symbols) if left else families.induction_head(symbols)
    repeated = any_of(Q[symbol] & (count(Q[symbol]) >= 2) for symbol in symbols)
    turn = count(repeated)
    outputs = {symbol: node & (turn == 1) for symbol, node in inner.next.items()}
    return Program(
        [*inner.definitions, ("REPEATED", repeated), ("TURN", turn)],
        alphabet=(*symbols, families.EOS),
        next=outputs | {families.EOS: turn == 2},
    )


@lru_cache(maxsize=32)
def distance_copy_program(symbols: tuple[str, ...], distance: int, mark: str) -> Any | None:
    """Return unique copy that looks ``distance`` back (Huang et al. 2024, G.7), or None."""
    if len(symbols) > LARGEST:
        return None
    after = exists(Q[SEP])
    start = {a: Q[SEP] & exists(Q[a] & prev(Q[BOS], distance)) for a in symbols}

    def follows(a: str) -> Any:
        """Say whether ``a`` stood ``distance`` behind an earlier occurrence of this symbol."""
        return any_of(Q[s] & exists(Q[a] & prev(Q[s], distance)) for s in symbols)

    outputs = {a: after & (start[a] | follows(a)) for a in symbols}
    alphabet = (BOS, *symbols, mark, SEP, EOS)
    return Program({"POST": after}, alphabet=alphabet, next=outputs | {EOS: after & follows(SEP)})
