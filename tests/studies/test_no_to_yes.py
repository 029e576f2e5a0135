"""The study of changes: what is planned is what was chosen, and nothing is typed by hand."""

import pytest

from lengthwise.core.errors import InputError
from lengthwise.studies import climbing, no_to_yes
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.huang2024.problems import PROBLEMS
from lengthwise.studies.no_to_yes.chosen_formats import choose
from lengthwise.tasks import load_task


def test_problems_are_those_of_the_paper_and_every_change_is_a_task():
    found = no_to_yes.formats()
    assert {one["problem"] for one in found} <= set(PROBLEMS)
    for one in found:
        assert one["without positions"]["answer"] != "yes"
        for side in no_to_yes.SIDES:
            task = load_task(one[side]["task"])
            assert len(task.check_range(25, 36))


def test_both_sides_have_the_same_budget():
    for size in ("smoke", "laptop"):
        by_group = {cell.group: cell for cell in no_to_yes.cells(size)}
        for one in no_to_yes.formats()[:3]:
            before, after = (by_group[no_to_yes.group(one["problem"], s)] for s in no_to_yes.SIDES)
            if one["kind"] == "encoding":
                continue  # a recipe may depend on the encoding
            for first, second in zip(before.ladder(0), after.ladder(0), strict=True):
                assert first.training == second.training
                assert first.model == second.model
                assert first.evaluation == second.evaluation


def test_nothing_is_claimed_without_runs():
    empty = StudyEvidence("laptop")
    assert {claim.check(empty).status for claim in no_to_yes.STUDY.claims} == {"not run"}
    assert no_to_yes.STUDY.plan("laptop", empty)
    assert len(no_to_yes.tables(empty)[0].rows) == len(no_to_yes.formats())


def test_an_edited_file_is_refused(monkeypatch):
    no_to_yes.formats.cache_clear()
    monkeypatch.setattr(climbing, "digest", lambda rows: "other")
    with pytest.raises(InputError, match="not what was frozen"):
        no_to_yes.formats()
    no_to_yes.formats.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize("problem", ["parity", "repeat-copy", "aa-star"])
def test_the_choice_is_computed(problem):
    kept = next(one for one in no_to_yes.formats() if one["problem"] == problem)
    made = choose(problem)
    for side in no_to_yes.SIDES:
        for key in ("task", "encoding", "answer", "strength"):
            assert made[side][key] == kept[side][key]
