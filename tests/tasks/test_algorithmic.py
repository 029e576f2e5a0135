"""The eight algorithmic tasks against slow, obvious solvers and the published distributions."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.tasks import load_task
from lengthwise.tasks.batch import IGNORE

# name: (vocabulary size, tokens at length 150), Huang et al. (2024), their code.
SIZES = {
    "binary-majority": (6, 154),
    "majority": (30, 154),
    "interleaved-majority": (6, 156),
    "sort": (154, 303),
    "unique-copy": (154, 303),
    "repeat-copy": (6, 303),
    "parity": (8, 154),
    "addition": (8, 300),
}


def solve(name: str, prompt: list[str]) -> list[str]:
    """Solve an instance given as symbols, one at a time."""
    if name in ("binary-majority", "majority"):
        ((best, _),) = Counter(prompt).most_common(1)
        return [best]
    if name == "interleaved-majority":
        return [Counter(prompt[k::3]).most_common(1)[0][0] for k in range(3)]
    if name == "sort":
        return sorted(prompt, key=int)
    if name == "parity":
        return ["o" if prompt.count("1") % 2 else "e"]
    if name == "addition":
        u, v = "".join(prompt[:-1]).split("+")
        return list(f"{int(u, 2) + int(v, 2):b}")
    return prompt


@pytest.mark.parametrize("name", SIZES)
def test_sizes_as_published(name):
    task = load_task(name)
    assert (len(task.vocabulary), task.max_tokens(150)) == SIZES[name]


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("span", [(0, 12), (51, 150)])
def test_every_instance_is_right(name, span):
    task = load_task(name)
    batch = task.draw(np.random.default_rng(1), *span, 1000)
    words = task.vocabulary
    for tokens, targets, length, size in zip(
        batch.tokens, batch.targets, batch.length, batch.size, strict=True
    ):
        text = [words.text(int(token)) for token in tokens]
        assert text[0] == "<bos>"
        assert text[size - 1] == "<eos>"
        assert set(text[size:]) <= {"<pad>"}
        prompt = text[1 : 1 + length]
        start = length + (0 if name == "addition" else 1)
        answer = solve(name, prompt)
        assert text[start + 1 : size - 1] == answer
        expected = [IGNORE] * len(targets)
        expected[start : size - 1] = [words.ids[s] for s in [*answer, "<eos>"]]
        assert targets.tolist() == expected
        assert size <= task.max_tokens(int(length))


@pytest.mark.parametrize("name", SIZES)
def test_lengths_stay_in_range_and_reach_both_ends(name):
    task = load_task(name)
    lengths = task.draw(np.random.default_rng(2), 0, 50, 5000).length
    possible = task.possible_lengths(0, 50)
    assert set(lengths.tolist()) == set(possible.tolist())


@pytest.mark.parametrize("name", ["parity", "unique-copy", "addition", "majority"])
def test_lengths_are_uniform(name):
    task = load_task(name)
    lengths = task.draw_lengths(np.random.default_rng(3), 0, 20, 21_000)
    assert_uniform(Counter(lengths.tolist()), task.possible_lengths(0, 20).tolist())


def assert_uniform(counts, values):
    """Chi-square against the uniform distribution, at five standard deviations."""
    total = sum(counts.values())
    expected = total / len(values)
    assert set(counts) <= set(values)
    statistic = sum((counts.get(v, 0) - expected) ** 2 / expected for v in values)
    freedom = len(values) - 1
    assert statistic < freedom + 5 * math.sqrt(2 * freedom)


@pytest.mark.parametrize(("length", "allowed"), [(7, range(8)), (6, [0, 1, 2, 4, 5, 6])])
def test_binary_majority_draws_the_number_of_zeros_uniformly_without_ties(length, allowed):
    task = load_task("binary-majority")
    batch = task.sample(np.random.default_rng(4), np.full(20_000, length))
    zeros = (batch.tokens[:, 1 : length + 1] == 0).sum(axis=1)
    assert_uniform(Counter(zeros.tolist()), list(allowed))


def test_parity_draws_the_number_of_ones_uniformly_and_arranges_it_uniformly():
    batch = load_task("parity").sample(np.random.default_rng(5), np.full(40_000, 5))
    bits = batch.tokens[:, 1:6]
    assert_uniform(Counter(bits.sum(axis=1).tolist()), list(range(6)))
    two = bits[bits.sum(axis=1) == 2]
    arrangements = Counter(map(tuple, two.tolist()))
    assert len(arrangements) == 10
    assert_uniform(arrangements, list(arrangements))


def test_majority_equals_redrawing_until_the_mode_is_unique():
    task = load_task("majority:letters=3")
    batch = task.sample(np.random.default_rng(6), np.full(30_000, 3))
    words = Counter(map(tuple, batch.tokens[:, 1:4].tolist()))
    good = [w for w in np.ndindex(3, 3, 3) if len(set(w)) < 3]
    assert_uniform(words, good)


def test_addition_draws_operand_lengths_and_bits_uniformly():
    batch = load_task("addition").sample(np.random.default_rng(7), np.full(20_000, 7))
    plus = (batch.tokens == 2).argmax(axis=1) - 1
    assert_uniform(Counter(plus.tolist()), [1, 2, 3, 4])
    single = batch.tokens[plus == 1, 1]
    assert_uniform(Counter(single.tolist()), [0, 1])
    assert (batch.tokens[plus > 1, 1] == 1).all()


def test_distinct_symbols_are_drawn_uniformly():
    batch = load_task("unique-copy:symbols=5").sample(np.random.default_rng(8), np.full(12_000, 2))
    pairs = Counter(map(tuple, batch.tokens[:, 1:3].tolist()))
    assert_uniform(pairs, [(a, b) for a in range(5) for b in range(5) if a != b])


def test_interleaved_lengths_follow_the_published_rounding():
    task = load_task("interleaved-majority")
    drawn = Counter(task.draw_lengths(np.random.default_rng(9), 3, 50, 48_000).tolist())
    published = Counter()
    for total in range(3, 51):
        m = round(total / 3)
        m -= 3 * m > 50
        m += 3 * m < 3
        published[3 * m] += 1000
    assert set(drawn) == set(published)
    statistic = sum((drawn[k] - v) ** 2 / v for k, v in published.items())
    assert statistic < len(published) + 5 * math.sqrt(2 * len(published))


@given(seed=st.integers(0, 2**32 - 1), name=st.sampled_from(sorted(SIZES)))
def test_sampling_is_a_function_of_the_generator(seed, name):
    task = load_task(name)
    one, two = (task.draw(np.random.default_rng(seed), 0, 9, 5) for _ in range(2))
    assert np.array_equal(one.tokens, two.tokens)
    assert np.array_equal(one.targets, two.targets)


def test_impossible_lengths_are_refused_by_name():
    with pytest.raises(InputError, match=r"'sort' has no instances of length 151:160.*1 to 150"):
        load_task("sort").check_range(151, 160)
    with pytest.raises(InputError, match="'addition' has no instances of length 0:3"):
        load_task("addition").check_range(0, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("paritty", "Did you mean 'parity'"),
        ("majority:leters=3", "Did you mean 'letters'"),
        ("majority:letters=many", "expected int"),
        ("majority:letters", "option=value"),
        ("majority:letters=1", "not in 2..26"),
        ("missing.py:Mine", "no file"),
    ],
)
def test_wrong_names_and_options_are_explained(text, message):
    with pytest.raises(InputError, match=message):
        load_task(text)


def test_own_task_from_a_file(tmp_path):
    source = tmp_path / "mine.py"
    source.write_text(
        "from dataclasses import dataclass\n"
        "from lengthwise.tasks.algorithmic.parity import Parity\n"
        "@dataclass(frozen=True, kw_only=True)\n"
        "class Mine(Parity):\n    name = 'mine'\n    factor: int = 2\n"
    )
    assert load_task(f"{source}:Mine:factor=3").factor == 3
    with pytest.raises(InputError, match=r"Known: .*Mine"):
        load_task(f"{source}:Other")


def test_a_task_with_gates_has_its_ideal_relation_for_free(tmp_path):
    """A user's circuit, no relation: it is read off the gates and usable by the ideal encoding."""
    from lengthwise.positions import load_position

    source = tmp_path / "gates.py"
    source.write_text(
        "from lengthwise.tasks.arithmetic.steps import ParitySteps\n"
        "from lengthwise.relations.gates import CircuitFamily\n"
        "class Bare:\n"
        "    'The gates of a family, and nothing else.'\n"
        "    def __init__(self, inner): self.name, self.inner = 'bare', inner\n"
        "    def gates(self, scale): return self.inner.gates(scale)\n"
        "class Mine(ParitySteps):\n"
        "    @property\n"
        "    def circuit(self): return Bare(super().circuit)\n"
    )
    mine, known = load_task(f"{source}:Mine"), load_task("parity-steps")
    i, j = np.meshgrid(np.arange(1, 30), np.arange(1, 30), indexing="ij")
    causal = j <= i
    ours, theirs = (np.asarray(task.relation(i, j, 5)) for task in (mine, known))
    assert np.array_equal(ours[causal], theirs[causal])
    assert load_position("ipe-sh").for_task(mine).phi
