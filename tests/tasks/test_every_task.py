"""Laws that every registered task obeys."""

import dataclasses
import itertools
import json
import pickle

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.crasp.interpreter import accepts
from lengthwise.languages.regex import compile_regex
from lengthwise.records.published import reported
from lengthwise.tasks import TASKS, load_task
from lengthwise.tasks.batch import IGNORE
from lengthwise.tasks.fixed import FixedSet
from lengthwise.tasks.formal.lengths import LANGUAGES
from lengthwise.theory.decide.named_languages import suite
from tests.tasks import references


@pytest.fixture
def text(tmp_path):
    """Give the families their arguments."""
    (tmp_path / "a.txt").write_text("some words of text " * 20)
    even = {"a": {"x": "b"}, "b": {"x": "a"}}
    data = {"alphabet": ["x"], "initial": "a", "accepting": ["a"], "transitions": even}
    (tmp_path / "even.json").write_text(json.dumps(data))
    records = [{"source": f"w{n}", "target": "x y", "category": n} for n in range(1, 31)] * 3
    for part in ("train", "validation", "test"):
        (tmp_path / f"{part}.jsonl").write_text("\n".join(map(json.dumps, records)))
    arguments = {
        "jsonl": f"jsonl:{tmp_path}",
        "regex": "regex:(ab|ba)*;supervision=state",
        "dfa": f"dfa:{tmp_path}/even.json",
        "mlregtest": "mlregtest:04.04.SP.2.1.5",
        "text": f"text:{tmp_path}/a.txt",
        "fixed": "fixed:sort-text;size=60",
        "label": "label:parity",
        "steps": "steps:parity",
        "trace": "trace:parity",
    }
    return lambda name: arguments.get(name, name)


@pytest.mark.parametrize("name", list(TASKS))
def test_batches_have_the_one_layout(name, text):
    task = load_task(text(name))
    batch = task.draw(np.random.default_rng(0), 2, 12, 50)
    assert batch.tokens.shape == batch.targets.shape
    assert batch.tokens.dtype == batch.targets.dtype == np.int64
    assert batch.tokens.shape[1] >= batch.size.max()
    assert batch.size.max() <= task.max_tokens(12)
    assert set(batch.length.tolist()) <= set(task.possible_lengths(2, 12).tolist())
    column = np.arange(batch.tokens.shape[1])
    outside = column >= batch.size[:, None]
    assert (batch.tokens[outside] == task.vocabulary.pad).all()
    assert (batch.tokens[~outside] != task.vocabulary.pad).all()
    assert not batch.supervised[outside].any()
    assert batch.supervised.any(axis=1).all()
    answers = batch.targets[batch.supervised]
    assert answers.min() >= 0
    assert max(answers.max(), batch.tokens.max()) < len(task.vocabulary)
    assert len(task.render(batch)) == 50


@pytest.mark.parametrize("name", list(TASKS))
def test_a_task_is_a_value(name, text):
    task, again = load_task(text(name)), load_task(text(name))
    assert task == again
    assert hash(task) == hash(again)
    copy = pickle.loads(pickle.dumps(task))
    assert copy == task
    one, two = (t.draw(np.random.default_rng(5), 2, 12, 20) for t in (task, copy))
    assert np.array_equal(one.tokens, two.tokens)
    assert np.array_equal(one.targets, two.targets)
    assert all(f.kw_only for f in dataclasses.fields(task))


@pytest.mark.parametrize("name", list(TASKS))
def test_a_row_does_not_depend_on_the_padding_of_others(name, text):
    """A batch of one length has no padding beyond that of its own rows."""
    task = load_task(text(name))
    length = int(task.possible_lengths(2, 12)[0])
    batch = task.sample(np.random.default_rng(0), np.full(7, length))
    assert (batch.length == length).all()
    assert batch.tokens.shape[1] >= batch.size.max()


@pytest.mark.parametrize("name", list(TASKS))
def test_empty_ranges_are_refused(name, text):
    task = load_task(text(name))
    for low, high in ((5, 4), (-3, 4)):
        with pytest.raises(InputError):
            task.draw(np.random.default_rng(0), low, high, 1)


def test_names_match_the_registry():
    for name in TASKS:
        assert TASKS.load(name).name == name
        assert TASKS.load(name).summary
        assert TASKS.load(name).__doc__


def test_the_published_collections_are_complete():
    assert len(references.SOLVERS) == 17
    assert set(references.SOLVERS) <= set(TASKS)
    assert set(LANGUAGES) <= set(TASKS)


def test_languages_agree_with_the_suite_of_the_decision():
    """The same seventeen languages, defined twice."""
    order = [
        *(f"tomita-{n}" for n in range(1, 8)),
        *("d-2", "d-3", "d-4", "d-12", "aa-star", "aaaa-star", "abab-star"),
        *("abcde", "ab-d-bc", "zero-twos"),
    ]
    for name, entry in zip(order, suite("published").entries, strict=False):
        task = load_task(name)
        assert task.language.equivalent(compile_regex(entry.regex, entry.alphabet)), name


def test_reports_exist_for_the_published_tasks():
    for name in (*references.SOLVERS, *LANGUAGES, "majority", "addition"):
        assert reported(name)
    assert reported("mqar") == ()
    assert {line.encoding for line in reported("scan")} == {
        "nope",
        "t5-bias",
        "alibi",
        "rotary",
        "sinusoidal",
    }


PROGRAMS = [
    *("aa-star", "aaaa-star", "abab-star", "tomita-1", "tomita-2", "tomita-4", "tomita-7"),
    *("d-2", "d-3", "bounded-dyck:depth=1", "abcde", "ab-d-bc"),
]


@pytest.mark.parametrize("name", PROGRAMS)
def test_attached_programs_recognise_the_language(name):
    task = load_task(name)
    alphabet = task.language.alphabet
    longest = 8 if len(alphabet) <= 2 else 5
    for length in range(1, longest + 1):
        words = ["".join(w) for w in itertools.product(alphabet, repeat=length)]
        wanted = [task.language.accepts(word) for word in words]
        assert accepts(task.program, words).tolist() == wanted


def test_no_program_where_none_is_known():
    for name in ("tomita-3", "tomita-5", "tomita-6", "zero-twos", "mqar", "regex:(ab)*"):
        assert load_task(name).program is None


# ---- fixed sets --------------------------------------------------------------------------


def test_a_fixed_set_repeats_its_instances():
    task = FixedSet(task="addition-text", size=30)
    rng = np.random.default_rng(0)
    lines = {line for _ in range(20) for line in task.render(task.draw(rng, 1, 8, 30))}
    whole = set(task.render(task.instances(1, 8)))
    assert lines <= whole
    assert len(whole) <= 30
    other = FixedSet(task="addition-text", size=30, seed=1)
    assert set(other.render(other.instances(1, 8))) != whole


def test_a_fixed_set_is_balanced_in_length():
    task = load_task("fixed:sort-text;size=700,held=140")
    both = [*task.instances(2, 8).length, *task.held_out(2, 8).length]
    assert np.bincount(both).tolist() == [0, 0] + [120] * 7


def test_a_fixed_set_knows_what_its_task_knows():
    task = load_task("fixed:tomita-4;size=10")
    assert task.language.accepts("0101")
    steps = load_task("fixed:parity-steps;size=10")
    assert steps.circuit.name == "parity"
    assert steps.relation(24, 2, 3) == load_task("parity-steps").relation(24, 2, 3)
    batch = steps.sample(np.random.default_rng(0), np.array([1, 2, 3]))
    assert batch.length.tolist() == [1, 2, 3]


@pytest.mark.parametrize("text", ["fixed", "fixed:nothing", "fixed:sort;size=0"])
def test_bad_fixed_sets_are_refused(text):
    with pytest.raises(InputError):
        load_task(text)


def test_per_position_labels_are_not_asked_at_the_first_token():
    batch = load_task("d-3").draw(np.random.default_rng(0), 2, 12, 20)
    assert (batch.targets[:, 0] == IGNORE).all()
