"""Programs attached to generating tasks say what the task asks, at every supervised position."""

import pytest

from lengthwise.tasks import TASKS, load_task
from lengthwise.tasks.following import check_task

GENERATING = [
    "binary-majority",
    "majority:letters=2",
    "majority",
    "interleaved-majority",
    "interleaved-majority:period=2",
    "sort:symbols=9",
    "unique-copy:symbols=9",
    "distance-copy:symbols=9,distance=1",
    "distance-copy:symbols=9,distance=2",
    "distance-copy:symbols=9,distance=3",
    "induction-head:symbols=8",
    "induction-head:symbols=8,left=true",
]


@pytest.mark.parametrize("name", GENERATING)
def test_the_attached_program_solves_the_task(name):
    task = load_task(name)
    assert task.program is not None
    longest = min(30, task.longest or 30)
    report = check_task(task.program, task, instances=200, longest=longest)
    assert report.mistake is None
    assert report.solved == 200


@pytest.mark.parametrize("name", ["sort", "unique-copy", "induction-head"])
def test_no_program_is_built_over_very_many_symbols(name):
    assert load_task(name).program is None
    assert load_task(f"{name}:symbols=12").program is not None


def test_a_program_for_one_task_fails_on_another():
    """The check can fail: sorting is not copying."""
    copying, sorting = load_task("unique-copy:symbols=9"), load_task("sort:symbols=9")
    assert check_task(sorting.program, copying, instances=100).mistake is not None


@pytest.mark.parametrize("name", ["parity", "repeat-copy", "addition"])
def test_tasks_outside_the_language_attach_nothing(name):
    assert name in TASKS
    assert load_task(name).program is None
