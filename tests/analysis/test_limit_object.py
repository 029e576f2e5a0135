"""Limit objects of runs: inputs, agreement, curves, comparison, pictures."""

import numpy as np
import pytest
import torch

from lengthwise.analysis.limit_object import (
    OBJECTS,
    RUNS,
    AtLength,
    LimitComparison,
    agreement,
    limit_of_run,
    plain,
    trained_inputs,
)
from lengthwise.core.errors import InputError
from lengthwise.records.spec import RunSpec
from lengthwise.report.limit_figures import draw_compared, draw_limit
from lengthwise.runs.execute import execute
from lengthwise.runs.store import Store
from lengthwise.runs.trained import load_run


def trained(folder, **changes):
    settings = {
        "task": "aa-star",
        "position": "ape",
        "model": {"layers": 1, "heads": 2, "width": 16},
        "training": {"length": (1, 6), "steps": 2, "batch": 8},
        "evaluation": {"lengths": ((7, 12),), "instances": 4},
    }
    spec = RunSpec.create(**{**settings, **changes})
    execute(spec, Store(folder))
    return load_run(Store(folder), spec.id)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("limit"))


@pytest.fixture(scope="module")
def report(run):
    return limit_of_run(run, instances=4, inputs=60)


def test_inputs_are_trained_lengths_at_offsets_that_fit(run):
    rows = trained_inputs(run, 60)
    sizes = [part.tokens.shape[1] for part in rows]
    assert max(sizes) <= run.task.max_tokens(6)
    assert sum(len(part.tokens) for part in rows) == 60
    ends = np.concatenate([(part.positions[:, -1]).numpy() for part in rows])
    assert ends.max() < run.model.context
    assert len(set(ends.tolist())) > 3  # offsets all over the context
    assert all(part.asked.any() for part in rows)


def test_agreement_against_row_by_row(run, report):
    rows = trained_inputs(run, 30, seed=3)
    same = total = 0
    for part in rows:
        for index in range(len(part.tokens)):
            tokens, places = part.tokens[index : index + 1], part.positions[index : index + 1]
            with torch.no_grad():
                first, second = (m(tokens, places)[0] for m in (run.model, report.extracted.model))
            asked = part.asked[index]
            same += bool((first.argmax(-1) == second.argmax(-1))[asked].all())
            total += 1
    assert agreement(run.model, report.extracted.model, rows) == same / total
    assert agreement(run.model, run.model, rows) == 1.0


def test_the_object_goes_beyond_the_context_and_the_model_does_not(report):
    inside = [row for row in report.curve if row.model is not None]
    beyond = [row for row in report.curve if row.model is None]
    assert inside
    assert beyond
    assert max(row.length for row in inside) <= 12 < min(row.length for row in beyond)
    assert report.further == pytest.approx(np.mean([row.limit for row in beyond]))
    found = plain(report)
    assert len(found["heads"]) == 2
    assert found["faithful"] == (found["agreement"] >= 0.99)


def test_comparison_counts_each_run_once(report):
    def like(trained, longer, limit, alike):
        curve = (AtLength(3, trained, 1.0), AtLength(9, longer, limit), AtLength(15, None, 0.5))
        changed = {**vars(report), "curve": curve, "agreement": alike}
        return type(report)(**changed)

    reports = (like(1, 1, 1, 1), like(1, 0.5, 0.2, 1), like(1, 0.5, 1, 0.3), like(0.5, 1, 1, 1))
    compared = LimitComparison(reports)
    counts = compared.counts()
    assert counts[RUNS[0]] == {OBJECTS[0]: 1, OBJECTS[1]: 0, OBJECTS[2]: 0}
    assert counts[RUNS[1]] == {OBJECTS[0]: 0, OBJECTS[1]: 1, OBJECTS[2]: 1}
    assert counts[RUNS[2]] == {OBJECTS[0]: 1, OBJECTS[1]: 0, OBJECTS[2]: 0}
    longer = [row["right, longer"] for row in compared.rows()]
    assert longer == sorted(longer, reverse=True)


def test_pictures_have_a_panel_for_every_head_and_run(report):
    assert len([axis for axis in draw_limit(report).axes if axis.get_title()]) == 4
    assert len(draw_compared(LimitComparison((report, report))).axes) == 4


def test_what_has_no_limit_object_is_refused(tmp_path, run):
    with pytest.raises(InputError, match="no learned position table"):
        limit_of_run(trained(tmp_path, position="nope"))
    with pytest.raises(InputError, match="--until 3"):
        limit_of_run(run, until=3)
