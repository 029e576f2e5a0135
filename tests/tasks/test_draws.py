"""What a user's task draws is looked at before anything is trained on it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.runs.experiment import specifications
from lengthwise.tasks import TASKS, load_task
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch, sequence_batch
from lengthwise.tasks.draws import check_draws
from lengthwise.tasks.vocabulary import Vocabulary

CALLS = [0]


@dataclass(frozen=True, kw_only=True)
class Broken(Task):
    """``<bos> 0 1 <sep> y <eos>``, with one thing wrong."""

    wrong: str = ""

    name: ClassVar[str] = "broken"
    summary: ClassVar[str] = "wrong in one way"

    @cached_property
    def vocabulary(self):
        return Vocabulary(("0", "1", "y"))

    def max_tokens(self, length):
        return length + (2 if self.wrong == "short" else 4)

    def sample(self, rng, lengths) -> Any:
        word = rng.integers(0, 2, (len(lengths), lengths.max()))
        one = np.ones_like(lengths)
        right = sequence_batch(self.vocabulary, word, lengths, 2 * one[:, None], one, lengths)
        CALLS[0] += 1
        return changed(right, self.wrong)


def changed(batch, wrong):
    targets, rows = batch.targets, slice(1, None)
    if wrong == "raises":
        return batch.tokens[99, 99]
    if wrong == "tuple":
        return (batch.tokens, targets)
    parts = {
        "float": {"tokens": batch.tokens.astype(float)},
        "narrow": {"targets": targets[:, 1:]},
        "row": {name: getattr(batch, name)[rows] for name in ("tokens", "targets", "size")},
        "length": {"length": batch.length + 1},
        "size": {"size": batch.size + 9},
        "token": {"tokens": batch.tokens + 7},
        "target": {"targets": np.where(targets == IGNORE, IGNORE, 99)},
        "nothing": {"targets": np.full_like(targets, IGNORE)},
        "behind": {"size": batch.size - 2},
        "chance": {"tokens": (batch.tokens + CALLS[0]) % 2},
    }
    return batch if wrong not in parts else replace_unchecked(batch, **parts[wrong])


def replace_unchecked(batch, **parts):
    """Put fields together that a test's check of shapes would refuse."""
    made = object.__new__(Batch)
    for name in ("tokens", "targets", "length", "size"):
        object.__setattr__(made, name, parts.get(name, getattr(batch, name)))
    return made


def test_a_right_task_passes():
    assert len(check_draws(Broken(), 1, 5).size) == 16


@pytest.mark.parametrize(
    ("wrong", "said"),
    {
        "raises": "raised IndexError",
        "tuple": "returned tuple, not a Batch",
        "float": "tokens are float64, a numpy array of int64",
        "narrow": "targets have shape .* and tokens .*; each token has a target",
        "row": "tokens have 15 rows, 16 lengths were asked for",
        "length": "length says [56] where [45] was asked for",
        "size": "size goes from .* tokens have 9 columns",
        "token": "the vocabulary has ids 0 to 6",
        "target": "targets hold 99; the vocabulary has ids 0 to 6",
        "nothing": "ask for nothing",
        "behind": "behind the end of a row",
        "short": r"a row of length 5 has 9 tokens, but max_tokens\(5\) is 7",
        "chance": "two calls with equal generators differ",
    }.items(),
)
def test_what_is_wrong_is_named(wrong, said):
    with pytest.raises(InputError, match=rf"task 'broken', Broken.*{said}"):
        check_draws(Broken(wrong=wrong), 4, 5)


@pytest.mark.parametrize("name", ["parity", "copy-v1-text", "scan", "d-3", "fixed:parity"])
def test_our_own_tasks_pass(name):
    assert check_draws(load_task(name), 2, 6).supervised.any(axis=1).all()


def test_a_command_says_it_before_anything_runs(tmp_path):
    source = "from lengthwise.tasks.algorithmic.parity import Parity\n" + (
        "class Mine(Parity):\n"
        "    name = 'mine'\n"
        "    def max_tokens(self, length):\n"
        "        return length\n"
    )
    (tmp_path / "mine.py").write_text(source)
    with pytest.raises(
        InputError, match=r"task 'mine', Mine.sample: a row of length .* max_tokens"
    ):
        specifications([f"{tmp_path}/mine.py:Mine"], ["nope"], [0])


# ---- labels ------------------------------------------------------------------------------


@pytest.mark.parametrize("inner", ["parity", "binary-majority", "d-2:supervision=recognition"])
def test_labels_are_the_answers_of_the_task(inner):
    task, whole = load_task(f"label:{inner}"), load_task(inner)
    lengths = np.array([3, 1, 6])
    ours = task.sample(np.random.default_rng(0), lengths)
    theirs = whole.sample(np.random.default_rng(0), lengths)
    for row in range(3):
        place = int(np.argmax(theirs.supervised[row]))
        assert ours.size[row] == place + 1
        assert ours.tokens[row, : place + 1].tolist() == theirs.tokens[row, : place + 1].tolist()
        asked = ours.targets[row][ours.supervised[row]]
        assert asked.tolist() == [theirs.tokens[row, place + 1]]
    check_draws(task, 1, 6, once=True)


@pytest.mark.parametrize("inner", ["", "sort", "d-2", "repeat-copy"])
def test_a_task_that_asks_more_has_no_label(inner):
    with pytest.raises(InputError, match="task 'label'"):
        load_task(f"label:{inner}")


@pytest.mark.parametrize("name", ["parity", "d-2", "sort"])
def test_a_bidirectional_model_needs_a_task_that_asks_once(name):
    with pytest.raises(InputError, match="must ask once"):
        check_draws(load_task(name), 2, 6, once=True)


# ---- files are part of what a run is -----------------------------------------------------


def test_an_edited_text_is_another_run(tmp_path):
    file = tmp_path / "notes.txt"
    texts = [f"text:{file}", f"fixed:text:{file};size=20", f"text:{tmp_path}/*.txt"]
    seen = set()
    for content in ("some words " * 30, "other words " * 30):
        file.write_text(content)
        specs = specifications(texts, ["nope"], [0], **_short())
        batch = load_task(texts[1]).draw(np.random.default_rng(0), 5, 5, 3)
        seen |= {spec.id for spec in specs} | {batch.tokens.tobytes()}
    assert len(seen) == 2 * (len(texts) + 1)
    file.write_text("third " * 30)
    with pytest.raises(InputError, match="has been edited since the run was specified"):
        specs[0].task.build(TASKS, Task)


def test_text_of_the_library_depends_on_the_version_of_python(monkeypatch):
    ids = set()
    for version in ("3.11.1", "3.12.0"):
        monkeypatch.setattr("platform.python_version", lambda version=version: version)
        ids |= {spec.id for spec in specifications(["python-source"], ["nope"], [0], **_short())}
    assert len(ids) == 2


def _short():
    from lengthwise.records.spec import EvaluationConfig, TrainingConfig

    return {
        "training": TrainingConfig(length=(4, 6)),
        "evaluation": EvaluationConfig(lengths=((7, 8),)),
    }


MINE = """
from pathlib import Path
{before}
from lengthwise.tasks.algorithmic.parity import Parity
from dataclasses import dataclass
@dataclass(frozen=True, kw_only=True)
class Mine(Parity):
    name = "mine"
    file: str = ""
    {inside}
"""
READS = """@staticmethod
    def reads(options):
        path = Path(__file__).with_name("data.txt")
        return {str(path): path.read_bytes()}
    def sample(self, rng, lengths):
        self.reads({})
        return super().sample(rng, lengths)"""


def mine(folder, before="", inside=""):
    (folder / "mine.py").write_text(MINE.format(before=before, inside=inside))
    (folder / "data.txt").write_text("one")
    return f"{folder}/mine.py:Mine"


def identity(task):
    return specifications([task], ["nope"], [0], **_short())[0].id


@pytest.mark.parametrize(
    ("before", "inside"),
    [
        ("TEXT = Path(__file__).with_name('data.txt').read_text()", ""),
        ("", READS.replace("reads(", "secretly(")),
    ],
)
def test_a_file_that_a_users_task_reads_must_be_told(before, inside, tmp_path):
    task = mine(tmp_path, before, inside)
    for _ in range(2):  # also when Python has it in memory
        with pytest.raises(InputError, match=r"mine.py:Mine' reads '.*data.txt', .* def reads"):
            identity(task)


def test_files_that_are_told_or_named_are_part_of_the_identity(tmp_path):
    told = mine(tmp_path, inside=READS)
    named = f"{told}:file={tmp_path}/other.txt"
    (tmp_path / "other.txt").write_text("x")
    ids = {identity(told), identity(named)}
    specs = specifications([told], ["nope"], [0], **_short())
    (tmp_path / "other.txt").write_text("y")
    ids.add(identity(named))
    (tmp_path / "data.txt").write_text("two")
    ids |= {identity(told), identity(named)}
    assert len(ids) == 5
    specs[0].task.check_trusted(True)  # the code is the same; what it reads is not
    with pytest.raises(InputError, match="has been edited"):
        specs[0].task.build(TASKS, Task)
    (tmp_path / "mine.py").write_text("raise SystemExit")
    with pytest.raises(InputError, match="has been edited"):
        specs[0].task.check_trusted(True)


def test_modules_beside_a_users_file_are_part_of_it(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    task = mine(tmp_path, "from mine_helper import SHIFT", "shift = SHIFT")
    seen = set()
    for value in (1, 22):
        (tmp_path / "mine_helper.py").write_text("from mine_deeper import SHIFT\n")
        (tmp_path / "mine_deeper.py").write_text(f"SHIFT = {value}\n")
        seen.add((identity(task), load_task(task).shift))
    assert len(seen) == 2
    assert {shift for _, shift in seen} == {1, 22}
