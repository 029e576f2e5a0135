"""The plan is a pure function of the size, complete, and says what the paper says."""

from collections import Counter

import pytest

from lengthwise.positions import POSITIONS
from lengthwise.positions.base import PositionEncoding
from lengthwise.studies.chen2025 import STUDY
from lengthwise.studies.chen2025.cells import cells, task_of
from lengthwise.studies.chen2025.runs import ARITHMETIC, ENCODINGS, RPE, SELECT, TASKS
from lengthwise.studies.evidence import StudyEvidence, StudyRun
from lengthwise.tasks import TASKS as REGISTERED
from lengthwise.tasks.base import Task
from tests.studies.chen2025.synthetic import record


def planned(size):
    return STUDY.plan(size, StudyEvidence(size))


def short(one):
    return task_of(StudyRun(one.group, one.spec, (), 0, 0.0))


@pytest.mark.parametrize("size", ["smoke", "laptop", "paper"])
def test_a_plan_is_deterministic_and_names_no_run_twice(size):
    first, second = planned(size), planned(size)
    assert [p.spec.id for p in first] == [p.spec.id for p in second]
    assert len({p.spec.id for p in first}) == len(first)


def test_the_paper_size_has_every_setting_three_times():
    counts = Counter(p.group for p in planned("paper"))
    assert counts == {
        "encodings": 3 * 6 * 6,
        "hint": 3 * 3,
        "variants": 3 * (2 * (6 + 3) + 2),
        "control": 3 * 6,
        "relations": 4 * 3,
    }
    cells = Counter((short(p), str(p.spec.position)) for p in planned("paper")
                    if p.group == "encodings")  # fmt: skip
    assert cells == {(task, encoding): 3 for task in TASKS for encoding in ENCODINGS}
    assert RPE in ENCODINGS
    hinted = {(short(p), p.spec.task.options["task"].partition(":")[2]) for p in planned("paper")
              if p.group == "hint"}  # fmt: skip
    assert hinted == {(task, "layout=unaligned") for task in ARITHMETIC}


def test_the_paper_size_has_the_published_settings():
    for one in planned("paper"):
        training, selecting = one.spec.training, one.group == "relations"
        samples, epochs = (1_000, 2_000) if selecting else (10_000, 300)
        assert one.spec.task.options["size"] == samples
        assert training.steps * training.batch == pytest.approx(samples * epochs, rel=1e-4)
        assert training.length == ((1, 10) if selecting else (1, 5))
        assert -(-training.steps // training.evaluate_every) == (100 if selecting else 10)
        assert not training.stop_when_perfect
        assert one.spec.longest == 20
        for low, high in one.spec.bins:  # about 1,000 instances at every scale
            assert one.spec.evaluation.instances / (high - low + 1) == 1_000


@pytest.mark.parametrize("size", ["smoke", "laptop"])
def test_smaller_sizes_have_every_cell_of_the_figures(size):
    found = {(p.group, short(p), str(p.spec.position)) for p in planned(size)}
    left_out = ("alibi", "nope") if size == "laptop" else ()  # they do not fit arithmetic there
    wanted = {
        ("encodings", task, encoding)
        for task in TASKS
        for encoding in ENCODINGS
        if task not in ARITHMETIC or encoding not in left_out
    }
    wanted |= {("hint", task, "ipe-sh:attention=soft") for task in ARITHMETIC}
    wanted |= {
        ("variants", task, f"ipe:attention={kind}") for task in TASKS for kind in ("gap", "hard")
    }
    wanted |= {("relations", task, "lbpe") for task in SELECT}
    assert wanted <= found


@pytest.mark.parametrize("size", ["smoke", "laptop", "paper"])
def test_every_run_can_be_built_and_its_scales_exist(size):
    for one in planned(size):
        task = one.spec.task.build(REGISTERED, Task)
        for bin_ in one.spec.bins:
            task.check_range(*bin_)
        one.spec.position.build(POSITIONS, PositionEncoding).for_task(task)


def test_short_tasks_that_were_not_fitted_are_trained_once_more():
    first = planned("laptop")
    chosen = next(p for p in first if (short(p), str(p.spec.position)) == ("shift-steps", "ape"))
    other = next(p for p in first if (short(p), str(p.spec.position)) == ("addition-steps", "ape"))
    found = [record(p.group, p.spec, 0.9, 0.0) for p in (chosen, other)]
    fitted = next(p for p in first if (short(p), str(p.spec.position)) == ("copy-steps", "ape"))
    found.append(record(fitted.group, fitted.spec, 1.0, 0.0))
    (longer,) = STUDY.plan("laptop", StudyEvidence("laptop", tuple(found)))[len(first) :]
    assert (short(longer), str(longer.spec.position)) == ("shift-steps", "ape")
    assert longer.spec.training.steps > chosen.spec.training.steps
    found.append(record(longer.group, longer.spec, 0.9, 0.0))
    assert len(STUDY.plan("laptop", StudyEvidence("laptop", tuple(found)))) == len(first) + 1
    (cell,) = (c for c in cells(StudyEvidence("laptop", tuple(found)), "encodings")
               if c.task == "shift-steps")  # fmt: skip
    assert [r.spec.id for r in cell.runs] == [longer.spec.id]
