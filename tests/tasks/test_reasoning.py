"""The text tasks: every target against a slow solver, and the published distributions."""

import re
from collections import Counter

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.tasks import load_task
from lengthwise.tasks.fixed import published_data
from lengthwise.tasks.reasoning.base import tokenize
from lengthwise.tasks.reasoning.pcfg import FUNCTION_SHARES, FUNCTIONS
from lengthwise.tasks.reasoning.scan import commands
from tests.tasks import references
from tests.tasks.chi import is_uniform, surprise


def draw(name: str, low: int, high: int, count: int, seed: int = 0):
    task = load_task(name)
    return task, task.draw(np.random.default_rng(seed), low, high, count)


@pytest.mark.parametrize("name", references.SOLVERS)
def test_targets_of_1000_instances(name):
    """Half in the published training range, half in the test range."""
    task = load_task(name)
    for seed, (low, high) in enumerate((task.split.train, task.split.test)):
        batch = task.draw(np.random.default_rng(seed), low, high, 500)
        for prompt, target in task.strings(batch):
            assert target == references.target(name, prompt, None)
            assert task.correct(target, target)


@pytest.mark.parametrize("name", references.SOLVERS)
def test_strings_are_tokenised_back(name):
    task, batch = draw(name, 2, 8, 50)
    for (prompt, target), tokens, size in zip(
        task.strings(batch), batch.tokens, batch.size, strict=True
    ):
        ids = task.vocabulary.encode(tokenize(prompt) + tokenize(target))
        assert ids == tokens[: size - 1].tolist()
        assert tokens[size - 1] == task.vocabulary.eos


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("copy-v1-text", lambda p, t: len(p.split()) - 2),
        ("copy-v2-text", lambda p, t: len(t.split())),
        ("reverse-v2-text", lambda p, t: len(p.split()) - 2),
        ("polynomial-text", lambda p, t: p.count("**")),
        ("summation-text", lambda p, t: p.count("+") + 1),
        ("parity-text", lambda p, t: p.count(",") + 1),
        ("sort-multi-text", lambda p, t: p.count(",") + 1),
        ("lego-text", lambda p, t: p.count("=")),
        ("scan", lambda p, t: len(t.split())),
        ("pcfg", lambda p, t: sum(word in FUNCTIONS for word in p.split())),
        ("addition-text", lambda p, t: max(len(s.split()) for s in p[8:-2].split("+"))),
    ],
)
def test_length_is_what_the_paper_counts(name, count):
    task, batch = draw(name, 2, 12, 200)
    for (prompt, target), length in zip(task.strings(batch), batch.length, strict=True):
        assert count(prompt.replace("[SEP]", " [SEP]"), target) == length


def test_published_examples_without_a_pad():
    poly = "Evaluate at x = - 2 in - 2 * x ** 2 + 1 * x ** 0 + 3 * x ** 3 ?"
    assert references.target("polynomial-text", poly, None) == "The answer is 9."
    assert references.target("summation-text", "Compute: 9 + 9 + 4 + 1 .[SEP]", None).endswith(
        "3 ."
    )
    words = ["append", "copy", "Q10", "E4", ",", "reverse", "K15", "D8"]
    assert references.pcfg_value(words) == ["Q10", "E4", "D8", "K15"]
    nested = "echo append copy Q10 E4 S15 P7 , shift remove_second K15 D8 M9 W5 , H12 Q5 G10 J6 J10"
    assert references.pcfg_value(nested.split()) == [
        "Q10",
        "E4",
        "S15",
        "P7",
        "D8",
        "M9",
        "W5",
        "K15",
        "K15",
    ]
    assert references.scan_actions("jump twice and run left") == ["Jump", "Jump", "Left", "Run"]


def test_scan_has_every_command_once():
    counts = dict(
        zip(*(x.tolist() for x in np.unique(commands().length, return_counts=True)), strict=True)
    )
    published = (
        "1:6 2:88 3:398 4:860 5:1184 6:1178 7:1104 8:1450 9:1256 10:1696 11:1072 12:1578 13:432 "
        "14:848 15:688 16:304 17:512 18:784 19:448 20:464 21:64 22:576 24:336 25:448 26:512 27:448 "
        "28:448 30:576 32:448 33:256 36:64 40:256 48:128"
    )
    assert counts == {int(k): int(v) for k, v in (pair.split(":") for pair in published.split())}
    assert len({tuple(row) for row in commands().command.tolist()}) == 20_910
    lengths = commands().length
    assert (lengths <= 25).sum() == 17_774
    assert (lengths > 25).sum() == 3_136
    assert (lengths <= 22).sum() == 16_990


def test_scan_draws_commands_uniformly():
    task, batch = draw("scan", 1, 4, 60_000)
    counts = Counter(task.render(batch))
    assert len(counts) == 6 + 88 + 398 + 860
    assert surprise(list(counts.values()), np.ones(len(counts))) < 4.5
    assert task.possible_lengths(20, 27).tolist() == [20, 21, 22, 24, 25, 26, 27]
    with pytest.raises(InputError, match="no command has 23 actions"):
        task.sample(np.random.default_rng(0), np.array([23]))


def test_scan_every_target():
    """All 20,910 commands against the interpreter, not a sample of them."""
    task = load_task("scan")
    rows = np.arange(20_910)
    prompt, actions = task._write(rows)
    for command, action in zip(prompt, actions, strict=True):
        text = task.string(command[command >= 0])
        assert task.string(action[action >= 0]) == references.scan(text)[1]


def test_addition_pairs_of_sizes_are_uniform():
    task, batch = draw("addition-text", 1, 8, 40_000)
    sizes = [
        tuple(len(side.split()) for side in prompt[8:-2].split("+"))
        for prompt, _ in task.strings(batch)
    ]
    codes = [9 * p + q for p, q in sizes]
    assert is_uniform(codes, [9 * p + q for p in range(1, 9) for q in range(1, 9)])


def test_addition_operands_are_uniform():
    task = load_task("addition-text")
    batch = task.sample(np.random.default_rng(3), np.full(30_000, 2))
    first = [
        int(side.replace(" ", ""))
        for prompt, _ in task.strings(batch)
        for side in prompt[8:-2].split("+")
    ]
    two = [x for x in first if x >= 10]
    assert is_uniform(two, range(10, 100))
    assert is_uniform([x for x in first if x < 10], range(10))


def test_polynomial_parts_are_uniform():
    task, batch = draw("polynomial-text", 3, 3, 8_000)
    text = " ".join(prompt for prompt, _ in task.strings(batch))
    assert is_uniform(
        [int(x.replace(" ", "")) for x in re.findall(r"x = (- \d|\d) in", text)], range(-2, 3)
    )
    assert is_uniform(
        [int(c.replace(" ", "")) for c in re.findall(r"(- \d|\d) \* x", text)], range(-3, 4)
    )
    assert is_uniform([int(e) for e in re.findall(r"\*\* (\d)", text)], range(4))


def test_lego_parts_are_uniform():
    task, batch = draw("lego-text", 7, 7, 14_000)
    strings = task.strings(batch)
    first = [prompt[3] for prompt, _ in strings]
    assert is_uniform([ord(x) - 97 for x in first], range(26))
    place = [[c[0] for c in p[3 : p.index(".")].split(", ")].index(p[-2]) for p, _ in strings]
    assert is_uniform(place, [4, 5, 6])
    assert is_uniform([int(t[-3:-1]) for _, t in strings], [-1, 1])


def test_lego_permuted_clauses():
    task = load_task("lego-text:permuted=true,scratchpad=full")
    batch = task.draw(np.random.default_rng(0), 2, 8, 300)
    orders = set()
    for prompt, target in task.strings(batch):
        assert target == references.target("lego-text", prompt, "icovr")
        orders.add(prompt.index("1"))
    assert len(orders) == 8  # the given value stands in every place


@pytest.mark.parametrize("name", ["copy-v3-text", "reverse-v1-text", "sort-text"])
def test_symbols_are_uniform(name):
    _task, batch = draw(name, 5, 5, 8_000)
    count = 50 if name == "sort-text" else 100
    asked = batch.supervised
    prompt = batch.tokens[:, 1:][~asked[:, 1:]]
    values = [t for t in prompt.tolist() if t < count]
    assert is_uniform(values, range(count))


def test_copy_v2_pairs_are_uniform_and_distinct():
    _task, batch = draw("copy-v2-text:symbols=8", 3, 3, 20_000)
    pairs = batch.tokens[:, 1] * 8 + batch.tokens[:, 3]
    assert is_uniform(pairs, [8 * a + b for a in range(8) for b in range(8) if a != b])


def test_sorted_numbers_cover_their_range():
    task, batch = draw("sort-multi-text", 6, 6, 5_000)
    values = [
        int(item.replace(" ", ""))
        for prompt, _ in task.strings(batch)
        for item in prompt[prompt.index("[") + 1 : prompt.index("]")].split(",")
    ]
    assert min(values) >= 10
    assert max(values) <= 9999
    assert is_uniform([(v - 10) // 999 for v in values], range(10))


def test_pcfg_has_the_published_shares():
    """Numbers of functions, kinds of functions and string lengths; means of the public corpus."""
    task, batch = draw("pcfg", 1, 8, 20_000)
    share = np.array(FUNCTION_SHARES[:8])
    assert surprise(np.bincount(batch.length, minlength=9)[1:], share) < 4.5
    words = [prompt.removesuffix("[SEP]").split()[1:] for prompt, _ in task.strings(batch)]
    kinds = Counter(word for row in words for word in row if word in FUNCTIONS)
    assert surprise([kinds[f] for f in FUNCTIONS], np.ones(10)) < 4.5
    strings: Counter[int] = Counter()
    for row in words:
        size = 0
        for word in [*row, ","]:
            if word == "," or word in FUNCTIONS:
                strings[size] += size > 0
                size = 0
            else:
                size += 1
    assert surprise([strings[n] for n in (2, 3, 4, 5)], [16.0, 30.0, 27.5, 27.0]) < 4.5
    assert set(strings) <= {0, 2, 3, 4, 5}


def test_pcfg_means_are_close_to_the_corpus():
    """18.3 input tokens and 9.4 output symbols on average in the public corpus."""
    _task, batch = draw("pcfg", 1, 35, 20_000)
    outputs = batch.supervised.sum(axis=1) - 1
    inputs = batch.size - outputs - 3
    assert abs(inputs.mean() - 18.3) < 0.6
    assert abs(outputs.mean() - 9.4) < 0.6


def test_pcfg_trees_are_uniform():
    """With two functions, f g x, there are as many trees as the kinds allow."""
    task, batch = draw("pcfg", 2, 2, 20_000)
    shapes: Counter[str] = Counter()
    for prompt, _ in task.strings(batch):
        word = re.sub(r"[A-Z]\d+( [A-Z]\d+)*", "s", prompt[7:-5])
        unary = set(references.ONE)
        shapes[
            "".join(
                "u" if w in unary else "b" if w != "s" and w != "," else w for w in word.split()
            )
        ] += 1
    assert set(shapes) == {"uus", "ubs,s", "bus,s", "bs,us", "bbs,s,s", "bs,bs,s"}
    assert surprise(
        [shapes[s] for s in ("uus", "ubs,s", "bus,s", "bs,us", "bbs,s,s", "bs,bs,s")],
        [0.36, 0.16, 0.16, 0.16, 0.08, 0.08],
    ) < 4.5  # fmt: skip


def test_pcfg_results_stay_below_the_limit():
    _task, batch = draw("pcfg:longest_result=100", 20, 35, 2_000)
    assert (batch.supervised.sum(axis=1) - 1).max() <= 100


@pytest.mark.parametrize("name", references.STEPPED)
@pytest.mark.parametrize("pad", ["none", "full", "i0_c0_o1_v1_r0"])
def test_no_instance_is_longer_than_promised(name, pad):
    """The bound is met: two random samples of short lengths reach it or stay below."""
    task = load_task(f"{name}:scratchpad={pad}")
    batch = task.draw(np.random.default_rng(0), 1, 3, 4_000)
    assert batch.size.max() <= task.max_tokens(3)
    top = batch.size[batch.length == batch.length.max()].max()
    assert top >= task.max_tokens(3) - 4


def test_published_recipe():
    task = load_task("addition-text")
    data = published_data(task, (1, 8), (9, 16), size=1000, test_size=100)
    assert len(data.train.size) == 1000
    assert len(data.validation.size) == 144  # int(1.15 * 1000 / 8) * 8 = 1144
    assert data.train.length.max() <= 8
    assert data.test.length.min() >= 9
    again = published_data(task, (1, 8), (9, 16), size=1000, test_size=100)
    assert np.array_equal(again.train.tokens, data.train.tokens)
    even = published_data(load_task("parity-text"), (4, 8), (9, 16), size=1000)
    lengths = np.concatenate([even.train.length, even.validation.length])
    assert set(np.bincount(lengths)[4:].tolist()) == {230}


def test_published_ranges():
    ranges = {name: load_task(name).split for name in references.SOLVERS}
    assert {ranges[n].train for n in ranges if n.startswith(("copy", "reverse"))} == {(2, 20)}
    assert ranges["scan"].test == (26, 48)
    assert ranges["pcfg"].train == (1, 8)
    assert ranges["parity-text"].train == (4, 8)


@pytest.mark.parametrize(
    "text",
    [
        "copy-v3-text:symbols=1",
        "copy-v3-text:symbls=9",
        "pcfg:longest_result=3",
        "lego-text:permuted=x",
    ],
)
def test_bad_options_are_refused(text):
    with pytest.raises(InputError):
        load_task(text)


def test_lengths_that_do_not_exist():
    for name, low, high in (("lego-text", 27, 30), ("scan", 23, 23), ("pcfg", 36, 40)):
        with pytest.raises(InputError, match="no instances"):
            load_task(name).draw(np.random.default_rng(0), low, high, 4)
