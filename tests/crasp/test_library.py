import re

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.crasp import accepts, analyse, families, parse, teacher_forced
from lengthwise.crasp.library import entries, load, names, read_parameters, text
from lengthwise.crasp.writers import generate, predictions
from lengthwise.languages.words import all_words
from lengthwise.tasks import load_task
from lengthwise.tasks.following import check_task
from tests.crasp.languages import RECOGNISERS, all_strings, program, subsequence

PARTIAL = {"blocks-4"}  # right on prefixes of its language only
GENERATORS = {name for name in names() if load(name).is_generator}


def test_every_program_has_a_test():
    shown = {name for name in RECOGNISERS if not re.fullmatch(r"d-\d", name)}
    assert set(names()) == shown | GENERATORS | PARTIAL


@pytest.mark.parametrize("name", RECOGNISERS)
def test_recognisers_are_right_on_all_words(name):
    member, longest = RECOGNISERS[name]
    found = program(name)
    letters = found.letters()
    for length in range(longest + 1):
        batch = all_words(letters, length)
        expected = [member("".join(batch.word(k))) for k in range(batch.count)]
        assert accepts(found, batch).tolist() == expected


@pytest.mark.parametrize("blocks", [3, 4, 5])
def test_blocks_are_told_complete_on_prefixes(blocks):
    pattern = "".join("ab"[k % 2] + "+" for k in range(blocks))
    prefix = re.compile("".join(f"({'ab'[k % 2]}+" for k in range(blocks)) + ")?" * blocks)
    found = load("blocks-4") if blocks == 4 else families.blocks(blocks)
    words = [word for word in all_strings("ab", 12) if word and prefix.fullmatch(word)]
    assert accepts(found, words).tolist() == [bool(re.fullmatch(pattern, w)) for w in words]
    assert analyse(found).depth == blocks - 2
    assert families.blocks(4).accept is load("blocks-4").accept


@pytest.mark.parametrize("pattern", ["a", "aa", "ab", "aba", "aabb", "caca"])
def test_subsequences_with_repeated_letters(pattern):
    found = families.subsequence(pattern, "abc")
    member = subsequence(pattern)
    for length in range(8):
        batch = all_words("abc", length)
        expected = [member("".join(batch.word(k))) for k in range(batch.count)]
        assert accepts(found, batch).tolist() == expected


def test_families_agree_with_the_files():
    for number in (1, 2, 3, 4, 12):
        assert load(f"d-{number}").accept is load(f"bounded-dyck(n={number})").accept
    assert families.subsequence("aba", "ab").accept is load("subsequence-aba").accept
    assert families.sort("01234").next == load("generate-sort").next
    assert families.unique_copy("abc").next == load("generate-unique-copy").next
    assert families.induction_head("abc", 3).next == load("induction-head", t=3).next
    assert families.anti_induction("abc").next == load("anti-induction").next
    assert families.first_occurrence("abc").next == load("first-occurrence").next


TASKS = [
    ("generate-binary-majority", "binary-majority"),
    ("generate-majority", "majority:letters=3"),
    ("generate-interleaved-majority", "interleaved-majority"),
    ("generate-sort", "sort:symbols=5"),
]


@pytest.mark.parametrize(("name", "task"), TASKS)
def test_generators_solve_their_tasks(name, task):
    report = check_task(load(name), load_task(task), instances=1_000)
    assert (report.solved, report.instances) == (1_000, 1_000)
    assert "all 1,000" in report.sentence()


@pytest.mark.parametrize(
    ("build", "task"),
    [
        (families.majority, "majority:letters=26"),
        (families.sort, "sort:symbols=30"),
        (families.unique_copy, "unique-copy:symbols=20"),
    ],
)
def test_families_solve_their_tasks(build, task):
    built = load_task(task)
    report = check_task(build(built.vocabulary.symbols), built, instances=1_000)
    assert (report.solved, report.instances) == (1_000, 1_000)


def test_a_wrong_generator_is_caught():
    wrong = load("generate-majority")
    swapped = wrong.replace(next=dict(zip(wrong.next, reversed(wrong.next.values()), strict=True)))
    report = check_task(swapped, load_task("majority:letters=3"), instances=200)
    assert report.solved < 200
    assert report.mistake is not None
    with pytest.raises(InputError, match="symbols the program does not know"):
        check_task(wrong, load_task("majority:letters=5"))


def test_unique_copy_file_teacher_forced_and_autoregressive():
    rng = np.random.default_rng(0)
    found = load("generate-unique-copy")
    prompts, answers = [], []
    for _ in range(1_000):
        word = list(rng.permutation(list("abc"))[: rng.integers(1, 4)])
        prompts.append(["<bos>", *word, "<sep>"])
        answers.append((*word, "<eos>"))
    assert generate(found, prompts, stop="<eos>") == answers
    whole = [[*p, *a[:-1]] for p, a in zip(prompts, answers, strict=True)]
    assert teacher_forced(found, whole, start="<sep>") == answers


RETRIEVERS = {
    "induction-head": families.induction_head,
    "anti-induction": families.anti_induction,
    "first-occurrence": families.first_occurrence,
}


@pytest.mark.parametrize("name", RETRIEVERS)
def test_retrieval_on_random_words(name):
    """After a word and a query that occurred in it, the program names its neighbour."""
    rng = np.random.default_rng(2)
    letters = list("abcdefgh")
    texts, answers = [], []
    for _ in range(1_000):
        word = rng.permutation(letters)[: rng.integers(3, 9)].tolist()
        if name == "first-occurrence":
            word = rng.choice(letters, 12).tolist()
        place = word.index(word[int(rng.integers(1, len(word) - 1))])
        place = max(place, 1) if name == "anti-induction" else place
        texts.append([*word, word[place]])
        answers.append(word[place - 1] if name == "anti-induction" else word[place + 1])
    found = RETRIEVERS[name](letters)
    said = predictions(found, texts)
    outputs = list(found.next)
    assert [outputs[said[k, len(text) - 1]] for k, text in enumerate(texts)] == answers


def test_loading_by_name():
    assert load("bounded-dyck").parameters == {"n": 2}
    with pytest.raises(InputError, match=r"unknown program 'dyck'.*Did you mean"):
        load("dyck")
    with pytest.raises(InputError, match="write name=integer"):
        read_parameters("n")
    with pytest.raises(InputError, match="no parameter 'm'"):
        load("bounded-dyck", **read_parameters("m=3"))


def test_entries_describe_every_program():
    found = entries()
    assert [entry.name for entry in found] == names()
    for entry in found:
        assert entry.description
        said = re.search(r"Fragment: ([a-z, ]+?)( \(.*\))?\.", entry.source)
        assert said is not None
        assert said[1] == entry.summary.fragment
        assert parse(text(entry.name)) == load(entry.name)
