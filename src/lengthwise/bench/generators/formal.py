"""Formal languages by random walks and rejection, as in the usual generators."""

import random
from functools import partial

from lengthwise.bench.generators.base import Example, Generator
from lengthwise.languages.dfa import DFA
from lengthwise.tasks import load_task
from lengthwise.tasks.batch import IGNORE
from lengthwise.tasks.formal.paths import PathSampler
from lengthwise.tasks.formal.regular import RegularTask
from lengthwise.tasks.vocabulary import Vocabulary


def _labelled(v: Vocabulary, word: list[int], labels: list[str]) -> Example:
    ids = v.ids
    return [v.bos, *word], [IGNORE, *(ids[label] for label in labels)], len(word)


def walk(
    dfa: DFA,
    names: list[list[str]],
    counts: list[list[int]],
    v: Vocabulary,
    rng: random.Random,
    low: int,
    high: int,
) -> Example:
    """Walk through the automaton, each symbol with its exact chance: a uniform word."""
    length = rng.randint(low, high)
    while not counts[length][dfa.initial]:
        length = rng.randint(low, high)
    table: list[list[int]] = dfa.transitions.tolist()
    state, word, labels = dfa.initial, [], []
    for left in range(length, 0, -1):
        drawn, after = rng.randrange(counts[left][state]), counts[left - 1]
        symbol = 0
        while drawn >= after[table[state][symbol]]:
            drawn -= after[table[state][symbol]]
            symbol += 1
        state = table[state][symbol]
        word.append(symbol)
        labels.append(names[state][symbol])
    return _labelled(v, word, labels)


def _walker(name: str) -> Generator:
    """Prepare the counts and labels of a language."""
    task = load_task(name)
    assert isinstance(task, RegularTask)
    dfa, (labels, table) = task.automaton, task.labels
    names = [[labels[label] for label in row] for row in table.tolist()]
    counts = PathSampler(dfa, 256).counts
    return partial(walk, dfa, names, counts, task.vocabulary)


def biased_brackets(depth: int, v: Vocabulary, rng: random.Random, low: int, high: int) -> Example:
    """Walk up or down with equal chances where both are possible: quicker, but not uniform."""
    length = 2 * rng.randint((low + 1) // 2, high // 2)
    level, word, labels = 0, [], []
    for left in range(length, 0, -1):
        if level == 0:
            up = True
        elif level in (depth, left):
            up = False
        else:
            up = rng.random() < 0.5
        level += 1 if up else -1
        word.append(0 if up else 1)
        labels.append("10" if level == 0 else "01" if level == depth else "11")
    return _labelled(v, word, labels)


def biased_tomita4(v: Vocabulary, rng: random.Random, low: int, high: int) -> Example:
    """Draw bits; a third zero in a row becomes a one: quicker, but not uniform."""
    zeros, word, labels = 0, [], []
    for _ in range(rng.randint(low, high)):
        bit = 1 if zeros == 2 else rng.randint(0, 1)
        zeros = 0 if bit else zeros + 1
        word.append(bit)
        labels.append("ny" if zeros == 2 else "yy")
    return _labelled(v, word, labels)


def _stopped_word(rng: random.Random, low: int, high: int) -> list[int]:
    """Draw bits, stopping with a chance that gives the middle length on average."""
    middle = (low + high) // 2
    go_on = middle / (1 + middle)
    word = []
    while rng.random() < go_on:
        word.append(rng.randint(0, 1))
    return word


def tomita5(v: Vocabulary, rng: random.Random, low: int, high: int) -> Example:
    """Reject words until length and both parities fit."""
    while True:
        word = _stopped_word(rng, low, high)
        ones = sum(word)
        if low <= len(word) <= high and ones % 2 == 0 and (len(word) - ones) % 2 == 0:
            break
    zero = one = 0
    labels = []
    for bit in word:
        one, zero = (one + bit) % 2, (zero + 1 - bit) % 2
        labels.append("n" if one or zero else "y")
    return _labelled(v, word, labels)


def tomita6(v: Vocabulary, rng: random.Random, low: int, high: int) -> Example:
    """Reject words until length and difference fit."""
    while True:
        word = _stopped_word(rng, low, high)
        if low <= len(word) <= high and (len(word) - 2 * sum(word)) % 3 == 0:
            break
    difference, labels = 0, []
    for bit in word:
        difference += -1 if bit else 1
        labels.append("n" if difference % 3 else "y")
    return _labelled(v, word, labels)


def generators() -> dict[str, Generator]:
    """Return generators of the same distribution given a length, for five languages.

    Words of D_4, D_12 and Tomita-4 come from a random walk with exact chances, those of Tomita-5
    and Tomita-6 by rejection, as in the authors' code.
    """
    rejecting = {"tomita-5": tomita5, "tomita-6": tomita6}
    walking = {name: _walker(name) for name in ("d-4", "d-12", "tomita-4")}
    return walking | {
        name: partial(draw, load_task(name).vocabulary) for name, draw in rejecting.items()
    }


def biased_generators() -> dict[str, Generator]:
    """Return quicker generators whose words are not uniform, for D_4, D_12 and Tomita-4."""
    drawers = {
        "d-4": partial(biased_brackets, 4),
        "d-12": partial(biased_brackets, 12),
        "tomita-4": biased_tomita4,
    }
    return {name: partial(draw, load_task(name).vocabulary) for name, draw in drawers.items()}
