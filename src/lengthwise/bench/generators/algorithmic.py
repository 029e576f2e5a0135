"""The eight algorithmic tasks of Huang et al. (2024), one example at a time."""

import random
from collections import Counter
from functools import partial

from lengthwise.bench.generators.base import Example, Generator, answered, continued
from lengthwise.tasks import load_task
from lengthwise.tasks.vocabulary import Vocabulary


def _binary_majority(rng: random.Random, length: int) -> tuple[list[int], int]:
    zeros = rng.randint(0, length)
    while 2 * zeros == length:
        zeros = rng.randint(0, length)
    bits = [0] * zeros + [1] * (length - zeros)
    rng.shuffle(bits)
    return bits, int(length > 2 * zeros)


def binary_majority(v: Vocabulary, rng: random.Random, low: int, high: int) -> Example:
    """Draw the number of zeros without a tie, then shuffle."""
    length = rng.randint(max(low, 1), high)
    bits, answer = _binary_majority(rng, length)
    return answered(v, bits, [answer], length)


def majority(v: Vocabulary, rng: random.Random, low: int, high: int) -> Example:
    """Draw letters until one of them is the most frequent."""
    length = rng.randint(max(low, 1), high)
    while True:
        word = rng.choices(range(26), k=length)
        top = Counter(word).most_common(2)
        if len(top) == 1 or top[0][1] > top[1][1]:
            return answered(v, word, [top[0][0]], length)


def interleaved(v: Vocabulary, rng: random.Random, low: int, high: int) -> Example:
    """Draw three streams and let them take turns."""
    total = rng.randint(max(low, 3), high)
    each = round(total / 3)
    each += (3 * each < max(low, 3)) - (3 * each > high)
    streams = [_binary_majority(rng, each) for _ in range(3)]
    word = [bit for column in zip(*(bits for bits, _ in streams), strict=True) for bit in column]
    return answered(v, word, [answer for _, answer in streams], 3 * each)


def sort(v: Vocabulary, rng: random.Random, low: int, high: int) -> Example:
    """Draw distinct numbers and sort them."""
    length = rng.randint(max(low, 1), high)
    word = rng.sample(range(150), length)
    return answered(v, word, sorted(word), length)


def unique_copy(v: Vocabulary, rng: random.Random, low: int, high: int) -> Example:
    """Draw distinct numbers."""
    length = rng.randint(max(low, 1), high)
    word = rng.sample(range(150), length)
    return answered(v, word, word, length)


def repeat_copy(v: Vocabulary, rng: random.Random, low: int, high: int) -> Example:
    """Draw independent letters."""
    length = rng.randint(max(low, 1), high)
    word = rng.choices(range(2), k=length)
    return answered(v, word, word, length)


def parity(v: Vocabulary, rng: random.Random, low: int, high: int) -> Example:
    """Draw the number of ones, then shuffle."""
    length = rng.randint(low, high)
    ones = rng.randint(0, length)
    word = [1] * ones + [0] * (length - ones)
    rng.shuffle(word)
    return answered(v, word, [2 + ones % 2], length)


def addition(v: Vocabulary, rng: random.Random, low: int, high: int) -> Example:
    """Draw two operands and let Python add them."""
    length = rng.randint(max(low, 4), high)
    first = rng.randint(1, length - 3)
    a, b = (_operand(rng, size) for size in (first, length - 2 - first))
    total = [int(bit) for bit in bin(int(a, 2) + int(b, 2))[2:]]
    prompt = [*map(int, a), 2, *map(int, b), 3]
    return continued([v.bos, *prompt, *total, v.eos], length + 1, length)


def _operand(rng: random.Random, size: int) -> str:
    if size == 1:
        return str(rng.randint(0, 1))
    return "1" + "".join(rng.choices("01", k=size - 1))


_DRAWERS = {
    "binary-majority": binary_majority,
    "majority": majority,
    "interleaved-majority": interleaved,
    "sort": sort,
    "unique-copy": unique_copy,
    "repeat-copy": repeat_copy,
    "parity": parity,
    "addition": addition,
}


def generators() -> dict[str, Generator]:
    """Return a generator for each of the eight tasks."""
    return {name: partial(drawer, load_task(name).vocabulary) for name, drawer in _DRAWERS.items()}
