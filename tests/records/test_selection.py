"""Selection as in the papers, against the rule written out plainly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.core.components import Component
from lengthwise.core.errors import InputError
from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.result import RunResult
from lengthwise.records.selection import repeat_until, select, successful
from lengthwise.records.spec import RunSpec
from lengthwise.report.curves import best, curves
from lengthwise.studies.evidence import StudyRun
from lengthwise.studies.tuning import chosen

SPEC = RunSpec.create(task="parity", position="nope")


def result(accuracies, *, layers=1, heads=1, width=8, rate=1e-3, seed=0, task="parity"):
    """A finished run with the given counts out of ten in every range."""
    model = SPEC.model.model_copy(update={"layers": layers, "heads": heads, "width": width})
    training = SPEC.training.model_copy(update={"learning_rate": rate})
    changes = {"model": model, "training": training, "seed": seed, "task": Component(name=task)}
    spec = SPEC.model_copy(update=changes)
    bins = tuple(
        AccuracyByLength(low=low, high=high, correct={low: right}, total={low: 10})
        for (low, high), right in zip(spec.bins, accuracies, strict=False)
    )
    return RunResult(
        spec=spec, steps=1, stopped="", bins=bins, history=(), seconds=0.0, environment={}
    )


shapes = st.tuples(
    st.sampled_from([1, 2, 4]), st.sampled_from([1, 2, 4]), st.sampled_from([16, 64])
)
scores = st.tuples(st.sampled_from([9, 10]), st.integers(7, 10), st.integers(0, 10))


@given(st.dictionaries(shapes, scores, min_size=1, max_size=12))
def test_the_choice_is_the_one_the_rule_names(table):
    """Reference: drop the imperfect, sort by the next range, then by layers, heads, width."""
    results = [
        result(score, layers=layers, heads=heads, width=width)
        for (layers, heads, width), score in table.items()
    ]
    perfect = {shape: score for shape, score in table.items() if score[0] == 10}
    choices = select(results)
    if not perfect:
        assert choices == []
        return
    highest = max(score[1] for score in perfect.values())
    expected = sorted(shape for shape, score in perfect.items() if score[1] == highest)[0]
    (choice,) = choices
    model = choice.spec.model
    assert (model.layers, model.heads, model.width) == expected
    assert choice.accuracy == pytest.approx([value / 10 for value in table[expected]])
    assert (choice.eligible, choice.tried) == (len(perfect), len(table))


@given(st.dictionaries(shapes, scores, min_size=1, max_size=6))
def test_studies_and_the_report_choose_as_select_does(table):
    results = [
        result(score, layers=layers, heads=heads, width=width)
        for (layers, heads, width), score in table.items()
    ]
    in_a_study = chosen([StudyRun.of("cell", one) for one in results]).spec
    (in_a_report,) = best(curves(results))
    assert in_a_report.spec == in_a_study
    for choice in select(results):  # none where nothing fitted: the others then take the best
        assert choice.spec == in_a_study


def test_several_seeds_count_with_their_mean_and_must_all_succeed():
    results = [
        result((10, 9, 0), width=8, seed=0),
        result((10, 7, 0), width=8, seed=1),
        result((10, 8, 0), width=16, seed=0),
        result((10, 8, 0), width=16, seed=1),
        result((10, 10, 0), width=32, seed=0),
        result((9, 10, 0), width=32, seed=1),
        result((10, 10, 10), width=64, task="sort"),
    ]
    first, second = select(results)
    assert (first.spec.model.width, first.seeds) == (8, 2)
    assert second.spec.task.name == "sort"
    assert {choice.spec.seed for choice in (first, second)} == {0}
    with pytest.raises(InputError, match="beyond the trained one"):
        select([result((10,))])


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(1, 5), st.integers(1, 4))
def test_seeds_are_tried_in_order_and_counted_the_same_for_any_number_of_workers(
    luck, wanted, at_once
):
    executed = []

    def execute(specs):
        executed.extend(spec.seed for spec in specs)
        return [result((10 if luck[spec.seed] else 9, 5, 5), seed=spec.seed) for spec in specs]

    spec = result((10, 5, 5)).spec
    found = repeat_until(spec, wanted, execute, limit=len(luck), at_once=at_once)
    wins = [seed for seed, lucky in enumerate(luck) if lucky][:wanted]
    assert [run.spec.seed for run in found.successes] == wins
    assert found.complete == (len(wins) == wanted)
    assert found.tried == (wins[-1] + 1 if found.complete else len(luck))
    assert executed == list(range(len(executed)))
    assert len(executed) < found.tried + at_once
    assert len(found.accuracy) == (3 if wins else 0)


def test_nearly_perfect_counts_if_asked():
    assert not successful(result((9, 5, 5)))
    assert successful(result((9, 5, 5)), threshold=0.9)
    with pytest.raises(InputError, match="at least 1"):
        repeat_until(result((9, 5, 5)).spec, 0, lambda specs: [])
