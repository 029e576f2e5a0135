"""Vectorised draws that several tasks share."""

import math

import numpy as np
from jaxtyping import Bool, Integer

from lengthwise.tasks.batch import count_columns, first_columns


def raw_bits(
    rng: np.random.Generator, count: int, kind: type[np.unsignedinteger]
) -> Integer[np.ndarray, "n"]:
    """Draw numbers of which every bit is fair; small ones share a draw of 64 bits."""
    each = 8 // np.dtype(kind).itemsize
    drawn = rng.integers(0, 2**64, -(-count // each), dtype=np.uint64)
    return drawn.view(kind)[:count]


def numbers_below(
    rng: np.random.Generator, bound: int, shape: tuple[int, ...]
) -> Integer[np.ndarray, "..."]:
    """Draw uniform numbers from 0 to ``bound - 1``, for a bound up to 256.

    The upper half of ``bound`` times 16 random bits, drawn again in the few cases that would favour
    some numbers (Lemire 2019).
    """
    product = raw_bits(rng, math.prod(shape), np.uint16) * np.uint32(bound)
    uneven = np.uint16(2**16 % bound)
    while len(again := np.flatnonzero(product.astype(np.uint16) < uneven)):
        product[again] = raw_bits(rng, len(again), np.uint16) * np.uint32(bound)
    return (product >> 16).astype(np.int16).reshape(shape)


def random_bits(rng: np.random.Generator, count: int, width: int) -> Integer[np.ndarray, "b t"]:
    """Draw independent fair bits, eight from each random byte."""
    raw = raw_bits(rng, -(-count * width // 8), np.uint8)
    return np.unpackbits(raw, count=count * width).reshape(count, width)


def exchangeable_bits(rng: np.random.Generator, count: int, width: int) -> Bool[np.ndarray, "b t"]:
    """Draw rows of bits of which every prefix has a uniform number of ones, uniformly arranged.

    A row is a coin with a uniform chance of its own, thrown again and again: the number of ones
    among the first L is uniform in 0..L, and all arrangements are equally likely (de Finetti). So
    one draw serves every length, without shuffling. Chances have 32 bits.
    """
    raw = raw_bits(rng, count * (width + 1), np.uint32).reshape(count, width + 1)
    return raw[:, 1:] < raw[:, :1]


def unequal_bits(
    rng: np.random.Generator, lengths: Integer[np.ndarray, "b"]
) -> tuple[Bool[np.ndarray, "b t"], Integer[np.ndarray, "b"]]:
    """Draw rows of bits whose number of ones is uniform in 0..length, drawn again on a tie.

    Return the bits, false beyond the length, and the number of ones.
    """
    width = int(lengths.max(initial=0))
    bits = exchangeable_bits(rng, len(lengths), width)
    bits &= first_columns(lengths, width)
    ones = count_columns(bits)
    while len(tied := np.flatnonzero(2 * ones == lengths)):
        again = exchangeable_bits(rng, len(tied), width)
        again &= first_columns(lengths[tied], width)
        bits[tied], ones[tied] = again, count_columns(again)
    return bits, ones


def distinct(
    rng: np.random.Generator, count: int, symbols: int, width: int
) -> Integer[np.ndarray, "b t"]:
    """Draw rows of ``width`` distinct numbers below ``symbols``, every sequence equally likely.

    Random keys with the number in their low bits are sorted; rows in which two keys agree in their
    random bits are drawn again, so the order is exactly uniform.
    """
    kind = np.uint32 if symbols <= 256 else np.uint64
    low = (symbols - 1).bit_length()
    keys = raw_bits(rng, count * symbols, kind).reshape(count, symbols)
    keys >>= kind(low)
    keys <<= kind(low)
    keys |= np.arange(symbols, dtype=kind)
    keys.sort(axis=1)
    tied = ((keys[:, 1:] ^ keys[:, :-1]) >> kind(low) == 0).any(axis=1)
    drawn = keys[:, :width] & kind(2**low - 1)
    if tied.any():
        drawn[tied] = distinct(rng, int(tied.sum()), symbols, width)
    return drawn


def carries(sums: Integer[np.ndarray, "b w"], base: int) -> Integer[np.ndarray, "b w"]:
    """Return the carry out of every column, low digit first, from the sums of two digits.

    A column of ``base - 1`` passes the carry on; any other decides it alone. So the carry is that
    of the last deciding column.

    Example:
        >>> carries(np.array([[2, 1, 1, 0]]), 2).tolist()
        [[1, 1, 1, 0]]
    """
    place = np.arange(2, 2 * sums.shape[1] + 2, 2, dtype=np.int32)
    decided = np.where(sums == base - 1, 0, place + (sums >= base))  # the lowest bit is the carry
    return np.maximum.accumulate(decided, axis=1) & 1
