"""Programs that tasks attach: by their name in the library of C-RASP programs, or of a family."""

from functools import lru_cache
from typing import Any

from lengthwise.crasp import families, library
from lengthwise.crasp.embedding import (
    Q,
    all_of,
    any_of,
    count,
    exists,
    false,
    number,
    prev,
)
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


@lru_cache(maxsize=32)
def pairs_program(keys: tuple[str, ...], values: tuple[str, ...]) -> Any | None:
    """Return the value that stood behind the current key before the separator, or None.

    An induction head (Huang et al. 2024) that looks at the pairs only; program ours.
    """
    if len(keys) + len(values) > LARGEST:
        return None
    listed = count(Q[SEP]) == 0
    outputs = {
        value: any_of(Q[key] & exists(Q[value] & prev(Q[key]) & listed) for key in keys)
        for value in values
    }
    return Program([("LISTED", listed)], alphabet=(*keys, *values, SEP), next=outputs)


@lru_cache(maxsize=32)
def counter_program(
    letters: tuple[str, ...], steps: tuple[int, ...], first: int, labels: tuple[str, str]
) -> Program:
    """Label prefixes by whether a counter is positive or zero.

    Example:
        >>> print(counter_program(("(", ")"), (1, -1), 0, ("in", "out")).next["out"])
        #"(" - #")" == 0
    """
    counter = number(first)
    for letter, step in zip(letters, steps, strict=True):
        seen = count(Q[letter])
        if first == 0 and letter == letters[0]:
            counter = seen if step == 1 else step * seen
        elif step in (1, -1):
            counter = counter + seen if step == 1 else counter - seen
        else:
            counter = counter + step * seen
    positive, zero = labels
    return Program(
        [("COUNTER", counter)],
        alphabet=(*letters, *labels),
        next={positive: counter > 0, zero: counter == 0},
    )


@lru_cache(maxsize=32)
def blocks_program(symbols: tuple[str, ...], letters: int) -> Program:
    """Label prefixes of a^n b^n c^n ...: behind a anything of a, b; else what comes next.

    ``symbols`` are the letters, then ``{a,b}``, ``{b}``, ``{c}``, ..., ``{$}``.
    """
    word, labels = symbols[:letters], symbols[letters:]
    full = {letter: count(Q[letter]) == count(Q[word[0]]) for letter in word}
    outputs = {labels[0]: Q[word[0]]}
    for place in range(1, letters + 1):
        more = Q[word[place]] & ~full[word[place]] if place < letters else false
        done = Q[word[place - 1]] & full[word[place - 1]] if place > 1 else false
        outputs[labels[place]] = more | done
    return Program([], alphabet=symbols, next=outputs)


@lru_cache(maxsize=32)
def shuffle_program(symbols: tuple[str, ...], kinds: int) -> Program:
    """Label prefixes of interleaved brackets by the kinds that are open.

    ``symbols`` are opening and closing brackets in turn, then one label for each set of kinds.
    """
    pairs = [(symbols[2 * kind], symbols[2 * kind + 1]) for kind in range(kinds)]
    open_ = [count(Q[opening]) > count(Q[closing]) for opening, closing in pairs]
    outputs = {
        symbols[2 * kinds + chosen]: all_of(
            open_[kind] if chosen >> kind & 1 else ~open_[kind] for kind in range(kinds)
        )
        for chosen in range(2**kinds)
    }
    return Program([], alphabet=symbols, next=outputs)
