"""Counter languages and recall: words, labels and distributions against slow references."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.tasks import load_task
from lengthwise.tasks.batch import IGNORE
from tests.tasks.chi import is_uniform, surprise

PAIRS = {"(": ")", "[": "]", "{": "}"}


def rows(task, batch):
    text = task.vocabulary.text
    for tokens, targets, size in zip(batch.tokens, batch.targets, batch.size, strict=True):
        yield [text(t) for t in tokens[1:size]], [text(t) for t in targets[1:size] if t != IGNORE]


def dyck1(word):
    depth, labels = 0, []
    for symbol in word:
        depth += 1 if symbol == "(" else -1
        assert depth >= 0
        labels.append("{(,)}" if depth else "{(,$}")
    assert depth == 0
    return labels


def shuffle(kinds):
    def labels_of(word):
        depth, labels = Counter(), []
        for symbol in word:
            if symbol in PAIRS:
                depth[symbol] += 1
            else:
                opening = next(o for o, c in PAIRS.items() if c == symbol)
                depth[opening] -= 1
                assert depth[opening] >= 0
            opens = list(PAIRS)[:kinds]
            closing = [PAIRS[o] for o in opens if depth[o]]
            labels.append("{" + ",".join(opens + closing + ["$"] * (not closing)) + "}")
        assert not any(depth.values())
        return labels

    return labels_of


def boolean(arity):
    symbols = "01" + "~&@%^"[:arity]

    def parse(word, place):
        """Return where the expression that begins at ``place`` ends."""
        symbol = word[place]
        place += 1
        if symbol in "01":
            return place
        for _ in range("~&@%^".index(symbol) + 1):
            place = parse(word, place)
        return place

    def labels_of(word):
        assert parse(word, 0) == len(word)
        everything = "{" + ",".join(symbols) + "}"
        return [everything] * (len(word) - 1) + ["{$}"]

    return labels_of


def blocks(letters):
    names = "abcd"[:letters]

    def labels_of(word):
        n = len(word) // letters
        assert "".join(word) == "".join(x * n for x in names)
        labels = []
        for t in range(1, len(word) + 1):
            if t == len(word):
                labels.append("{$}")
            else:
                labels.append("{a,b}" if word[t - 1] == "a" else "{" + word[t] + "}")
        return labels

    return labels_of


CASES = {
    "dyck-1": dyck1,
    "shuffle-dyck": shuffle(2),
    "shuffle-dyck:kinds=3": shuffle(3),
    "boolean-3": boolean(3),
    "boolean-5": boolean(5),
    "an-bn": blocks(2),
    "an-bn-cn": blocks(3),
    "an-bn-cn-dn": blocks(4),
}


@pytest.mark.parametrize("name", CASES)
def test_words_and_labels_of_1000_instances(name):
    task = load_task(name)
    batch = task.draw(np.random.default_rng(0), 1, 40, 1000)
    for word, labels in rows(task, batch):
        assert labels == CASES[name](word)


def count_words(name: str, length: int) -> list[tuple[str, ...]]:
    """List all words of a length by trying every one."""
    task = load_task(name)
    alphabet = [s for s in task.vocabulary.symbols if not (s.startswith("{") and len(s) > 1)]
    found = []
    for word in itertools.product(alphabet, repeat=length):
        try:
            CASES[name](word)
        except (AssertionError, IndexError, StopIteration):
            continue
        found.append(word)
    return found


@pytest.mark.parametrize(
    ("name", "length"),
    [("dyck-1", 10), ("shuffle-dyck", 6), ("shuffle-dyck:kinds=3", 4), ("boolean-3", 5)],
)
def test_words_are_uniform(name, length):
    wanted = count_words(name, length)
    task = load_task(name)
    batch = task.sample(np.random.default_rng(1), np.full(40 * len(wanted), length))
    counts = Counter(tuple(word) for word, _ in rows(task, batch))
    assert set(counts) == set(wanted)
    assert surprise([counts[word] for word in wanted], np.ones(len(wanted))) < 4.5


def test_impossible_lengths():
    for name, low in (("dyck-1", 7), ("shuffle-dyck", 3), ("an-bn-cn", 4), ("flip-flop", 5)):
        task = load_task(name)
        assert not len(task.possible_lengths(low, low))
        with pytest.raises(InputError, match="no instances"):
            task.draw(np.random.default_rng(0), low, low, 1)
    with pytest.raises(InputError, match="even"):
        load_task("shuffle-dyck").sample(np.random.default_rng(0), np.array([3]))
    with pytest.raises(InputError, match="multiples of 3"):
        load_task("an-bn-cn").sample(np.random.default_rng(0), np.array([4]))


# ---- recall ------------------------------------------------------------------------------


def test_flip_flop():
    task = load_task("flip-flop:ignore=0.5")
    batch = task.draw(np.random.default_rng(0), 4, 60, 1000)
    kinds = Counter()
    for (word, answers), length in zip(rows(task, batch), batch.length, strict=True):
        assert len(word) == length
        memory, wanted = None, []
        for order, bit in zip(word[::2], word[1::2], strict=True):
            if order == "w":
                memory = bit
            elif order == "r":
                wanted.append(memory)
                assert bit == memory
        assert answers == wanted
        assert word[0] == "w"
        assert word[-2] == "r"
        kinds.update(word[2:-2:2])
    assert surprise([kinds[k] for k in "wri"], [0.25, 0.25, 0.5]) < 4.5


@pytest.mark.parametrize("left", ["false", "true"])
def test_induction_head(left):
    task = load_task(f"induction-head:symbols=20,left={left}")
    batch = task.draw(np.random.default_rng(0), 2, 20, 1000)
    places = []
    for line, length in zip(task.render(batch), batch.length, strict=True):
        prompt, answer = line.split("  ->  ")
        *word, query = prompt.split()[1:]
        assert len(set(word)) == len(word) == length
        at = word.index(query)
        assert answer.split()[0] == word[at + 1 if left == "false" else at - 1]
        if length == 20:
            places.append(at)
    assert (0 in places) == (left == "false")


@pytest.mark.parametrize("distance", [1, 2, 3])
def test_distance_copy(distance):
    task = load_task(f"distance-copy:distance={distance}")
    batch = task.draw(np.random.default_rng(0), 0, 50, 1000)
    for line, length, size in zip(task.render(batch), batch.length, batch.size, strict=True):
        prompt, answer = line.split("  ->  ")
        symbols = prompt.split()[1:-1]
        assert len(symbols) == length
        marks, word = symbols[: distance - 1], symbols[distance - 1 :]
        assert set(marks) <= {"#"}
        assert len(set(word)) == len(word)
        assert len(word) % distance == 0
        assert answer.split() == [*word[::distance], "<eos>"]
        # the rule that makes it an induction head at a distance
        whole = ["<bos>", *symbols]
        current = "<bos>"
        for output in answer.split()[:-1]:
            assert whole[whole.index(current) + distance] == output
            current = output
        assert size == len(prompt.split()) + len(answer.split())


def test_distance_copy_lengths_follow_the_authors():
    """Draw in the range, then round down to one below a multiple of t."""
    task = load_task("distance-copy:distance=3")
    drawn = task.draw_lengths(np.random.default_rng(0), 51, 100, 40_000)
    wanted = Counter((n + 1) // 3 * 3 - 1 for n in range(51 // 3 * 3 + 2, 101))
    counts = Counter(drawn.tolist())
    assert set(counts) == set(wanted)
    keys = sorted(wanted)
    assert surprise([counts[k] for k in keys], [wanted[k] for k in keys]) < 4.5


def test_associative_recall():
    task = load_task("mqar:keys=12,values=5")
    batch = task.draw(np.random.default_rng(0), 1, 12, 1000)
    for (word, answers), length in zip(rows(task, batch), batch.length, strict=True):
        cut = word.index("<sep>")
        given = dict(zip(word[:cut:2], word[1:cut:2], strict=True))
        assert len(given) == length
        assert sorted(word[cut + 1 :: 2]) == sorted(given)
        assert answers == [given[key] for key in word[cut + 1 :: 2]]
        assert word[cut + 2 :: 2] == answers


def test_values_of_associative_recall_are_uniform():
    task = load_task("mqar:keys=6,values=5")
    batch = task.sample(np.random.default_rng(0), np.full(4000, 6))
    assert is_uniform(batch.tokens[:, 2:13:2].ravel() - 6, range(5))
    assert is_uniform(batch.tokens[:, 1], range(6))
    assert is_uniform(batch.tokens[:, 14], range(6))


def test_associative_recall_with_room_between_queries():
    task = load_task("mqar:keys=12,values=5,slots=3")
    batch = task.draw(np.random.default_rng(0), 1, 12, 1000)
    assert batch.size.max() == task.max_tokens(12)
    for row, targets, length in zip(batch.tokens, batch.targets, batch.length, strict=True):
        word = [task.vocabulary.text(int(t)) for t in row]
        cut = 2 * length + 1
        assert word[cut] == "<sep>"
        given = dict(zip(word[1:cut:2], word[2:cut:2], strict=True))
        asked = np.flatnonzero(targets != IGNORE)
        assert sorted(word[t] for t in asked) == sorted(given)
        assert ((asked - cut) % 2 == 1).all()
        for t in asked:
            assert task.vocabulary.text(int(targets[t])) == given[word[t]]
        assert word[cut + 1 + 6 * length :] == ["<pad>"] * (len(word) - cut - 1 - 6 * length)


def test_queries_come_early_by_a_power_law():
    """The first pair takes place i with a chance proportional to i ** (power - 1)."""
    task = load_task("mqar:keys=4,values=4,slots=2,power=0.3")
    batch = task.sample(np.random.default_rng(0), np.full(8000, 4))
    asked = batch.targets[:, 10:26:2] != IGNORE
    first = asked & (batch.tokens[:, 10:26:2] == batch.tokens[:, 1:2])
    counts = first.sum(axis=0)
    assert counts.sum() == 8000
    assert surprise(counts.tolist(), np.arange(1.0, 9) ** -0.7) < 4.5


@pytest.mark.parametrize(
    "text",
    [
        "flip-flop:ignore=1",
        "induction-head:symbols=1",
        "distance-copy:distance=0",
        "distance-copy:distance=9,symbols=4",
        "mqar:keys=0",
        "mqar:slots=-1",
        "mqar:power=0",
        "shuffle-dyck:kinds=7",
        "boolean:arity=9",
        "an-bn:letters=1",
    ],
)
def test_bad_options_are_refused(text):
    name = re.match(r"[a-z-]+", text)[0]
    with pytest.raises(InputError, match=name):
        load_task(text)
