"""The generators that benchmarks compare with make the same data, one example at a time."""

import random
from collections import Counter

import numpy as np
import pytest

from lengthwise.bench.generators import algorithmic, formal, reasoning
from lengthwise.bench.generators.base import collate
from lengthwise.bench.samplers import sampling
from lengthwise.tasks import load_task
from lengthwise.tasks.algorithmic._sampling import carries, distinct, exchangeable_bits
from lengthwise.tasks.formal.regular import RegularTask
from tests.tasks import references
from tests.tasks.chi import is_uniform, surprise


def lines(name, generator, low, high, count):
    task = load_task(name)
    rng = random.Random(0)
    batch = collate([generator(rng, low, high) for _ in range(count)], task.vocabulary.pad)
    return task.render(batch)


def agree(mine: Counter, theirs: Counter) -> bool:
    """Tell whether two samples look like the same distribution (rare lines pooled)."""
    common = [line for line in mine if mine[line] + theirs[line] >= 40]
    left = [mine[line] for line in common]
    right = [theirs[line] for line in common]
    left.append(mine.total() - sum(left) + 20)
    right.append(theirs.total() - sum(right) + 20)
    both = np.array(left) + np.array(right)
    return surprise(np.array(left), both) < 4 and surprise(np.array(right), both) < 4


@pytest.mark.parametrize("name", list(algorithmic.generators()))
def test_algorithmic_peers_have_the_same_distribution(name):
    low, high = (4, 6) if name == "addition" else (1, 3)
    task = load_task(name)
    theirs = Counter(lines(name, algorithmic.generators()[name], low, high, 4_000))
    batch = task.draw(np.random.default_rng(0), low, high, 4_000)
    mine = Counter(task.render(batch))
    if name in ("sort", "unique-copy", "majority"):  # too many different words: compare lengths
        mine, theirs = (Counter(len(line.split()) for line in c.elements()) for c in (mine, theirs))
    assert agree(mine, theirs)


@pytest.mark.parametrize("name", list(formal.generators()))
def test_formal_peers_draw_words_with_their_labels(name):
    task = load_task(name)
    assert isinstance(task, RegularTask)
    theirs = Counter(lines(name, formal.generators()[name], 6, 6, 6_000))
    mine = Counter(task.render(task.sample(np.random.default_rng(0), np.full(6_000, 6))))
    assert set(theirs) == set(mine)
    assert agree(mine, theirs)


@pytest.mark.parametrize("name", list(formal.biased_generators()))
def test_biased_peers_stay_in_the_language(name):
    task = load_task(name)
    theirs = set(lines(name, formal.biased_generators()[name], 6, 6, 3_000))
    mine = set(task.render(task.sample(np.random.default_rng(0), np.full(6_000, 6))))
    assert theirs <= mine


@pytest.mark.parametrize("name", list(reasoning.generators()))
def test_text_peers_solve_their_prompts(name):
    low, high = load_task(name).split.train
    for line in lines(name, reasoning.generators()[name], low, high, 200):
        prompt, target = line.split("  ->  ")
        assert target == references.target(name, prompt, None)


def test_rows_of_the_benchmark():
    rows = list(sampling(1, ("parity",), batch=8))
    assert [row.name for row in rows] == ["parity, lengths 0-50", "parity, lengths 101-150"]
    assert all(row.ratio > 0 and row.at_least for row in rows)


# ---- what makes the samplers fast --------------------------------------------------------


def test_carries_against_a_loop():
    rng = np.random.default_rng(0)
    for base in (2, 10):
        sums = rng.integers(0, 2 * base - 1, (300, 12))
        found = carries(sums, base)
        for row, wanted in zip(sums, found, strict=True):
            carry = 0
            for total, out in zip(row, wanted, strict=True):
                carry = int(total + carry >= base)
                assert out == carry


def test_a_random_coin_gives_a_uniform_number_of_ones():
    """For every prefix, and with all arrangements equally likely."""
    bits = exchangeable_bits(np.random.default_rng(0), 40_000, 9)
    for length in (1, 4, 9):
        assert is_uniform(bits[:, :length].sum(axis=1), range(length + 1))
    two = bits[:, :4][bits[:, :4].sum(axis=1) == 2]
    assert is_uniform(two @ [8, 4, 2, 1], [3, 5, 6, 9, 10, 12])


@pytest.mark.parametrize("symbols", [5, 300])
def test_distinct_draws_are_uniform(symbols):
    drawn = distinct(np.random.default_rng(0), 20_000, symbols, 2).astype(int)
    assert (drawn[:, 0] != drawn[:, 1]).all()
    if symbols == 5:
        pairs = [5 * a + b for a in range(5) for b in range(5) if a != b]
        assert is_uniform(5 * drawn[:, 0] + drawn[:, 1], pairs)
    else:
        assert is_uniform(drawn[:, 0], range(300))
        assert is_uniform(drawn[:, 1], range(300))
