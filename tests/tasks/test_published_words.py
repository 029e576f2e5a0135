"""The authors' words: in the language, in the window, and distributed as their data are."""

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.tasks import load_task
from lengthwise.tasks.batch import IGNORE
from lengthwise.tasks.formal.lengths import LANGUAGES, windows


def words(name: str, low: int, high: int, count: int = 400):
    task = load_task(f"{name}:distribution=published")
    batch = task.draw(np.random.default_rng(0), low, high, count)
    return task, batch, [row[1:size] for row, size in zip(batch.tokens, batch.size, strict=True)]


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("window", ["train", "far"])
def test_words_are_in_the_language_in_the_window_and_labelled_as_uniform_ones(name, window):
    low, high = windows(name).train if window == "train" else windows(name).bins[2]
    task, batch, found = words(name, low, min(high, low + 98), 60)
    dfa = task.language
    assert dfa is not None
    targets = task.labels[1]
    for row, word in zip(batch.targets, found, strict=True):
        assert low <= len(word) <= high
        state = dfa.initial
        for place, letter in enumerate(word.tolist()):
            state = int(dfa.transitions[state, letter])
            assert row[1 + place] == dfa.symbols + targets[state, letter]
        assert dfa.accepting[state]
        assert row[0] == IGNORE


def longest_run(word) -> float:
    ends = np.flatnonzero(np.diff(word)) + 1
    return max(map(len, np.split(word, ends))) / len(word)


@pytest.mark.parametrize(
    ("name", "window", "length", "run"),
    [
        # mean length and longest run over length of the authors' committed training sets
        ("tomita-3", (1, 100), 50.5, 0.785),
        ("tomita-4", (1, 100), 50.4, 0.156),
        ("tomita-5", (1, 100), 50.3, 0.210),
        ("tomita-6", (1, 100), 45.4, 0.210),
        ("tomita-7", (1, 100), 93.8, 0.671),
        ("abcde", (5, 200), 191.4, 0.564),
        ("ab-d-bc", (2, 50), 37.1, 0.156),
        ("zero-twos", (2, 50), 37.6, 0.346),
    ],
)
def test_statistics_are_those_of_the_authors_data(name, window, length, run):
    _, _, found = words(name, *window, count=1500)
    assert np.mean([len(word) for word in found]) == pytest.approx(length, rel=0.06)
    assert np.mean([longest_run(word) for word in found]) == pytest.approx(run, rel=0.06)


def test_brackets_return_to_zero_rarely():
    """Uniform words of D_3 return about every seventh letter, the authors' much less often."""
    _, _, found = words("d-3", 200, 300, 60)
    back = [np.mean(np.cumsum(1 - 2 * word) == 0) for word in found]
    assert np.mean(back) < 0.03


def test_draws_repeat_and_single_lengths_can_be_asked_for():
    one, two = (words("d-4", 2, 60, 20)[1] for _ in range(2))
    assert (one.tokens == two.tokens).all()
    task = load_task("zero-twos:distribution=published")
    batch = task.sample(np.random.default_rng(1), np.array([5, 9, 9, 1]))
    assert batch.length.tolist() == [5, 9, 9, 1]
    assert (batch.size == batch.length + 1).all()


def test_mistakes_are_named():
    with pytest.raises(InputError, match="leave words and supervision=recognition out"):
        load_task("d-3:distribution=published,words=all,supervision=next")
    with pytest.raises(InputError, match="is for the paper's languages"):
        load_task("depth-hierarchy:distribution=published")
