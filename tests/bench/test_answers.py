"""Cases with known truth: well formed, and a few of them judged as the benchmark does."""

import pytest

from lengthwise.bench.cases import Case
from lengthwise.bench.cases.functions import CASES, FILE
from lengthwise.bench.judging import all_cases, judge, judged
from lengthwise.bench.measure import Figure, Judged
from lengthwise.core.registry import load_from_file
from lengthwise.predict.classes import CLASSES

FEW = ("in_order", "second_to_last", "copy", "square_length")


def test_cases_name_what_exists_and_classes_that_do():
    names = [case.label for case in all_cases()]
    assert len(names) == len(set(names))
    for case in all_cases():
        assert case.truth.keys() <= CLASSES.keys()
        assert case.reason
    for case in CASES:
        assert callable(load_from_file(case.subject, "function"))
        assert case.alphabet


def test_all_classes_are_met():
    kinds = {tuple(case.truth.values()) for case in CASES}
    assert kinds == {(True, True), (False, True), (False, False)}


@pytest.mark.parametrize("name", FEW)
def test_a_few_cases_are_judged_right(name):
    case = next(case for case in CASES if case.subject == f"{FILE}:{name}")
    found = judge(case, time_limit=200)  # on a busy machine, too
    assert found.outcome == "right", found


def test_wrong_undecided_and_refused_are_told_apart():
    wrong = judge(Case("(aa)*", {"plain": True}, "not so"))
    assert (wrong.outcome, wrong.answer) == ("wrong", "nope no")
    refused = judge(Case("nosuch.py:f", {"plain": True}, "there is none", "ab"))
    assert refused.outcome == "wrong"
    assert refused.answer.startswith("refused: ")
    with pytest.raises(AssertionError, match="nothing is known"):
        judge(Case("(aa)*", {"plain": None}, "nobody knows"))
    rows = list(judged([Case("(aa)*", {"plain": True}, "not so")]))
    assert isinstance(rows[0], Judged)
    figures = {row.name: row for row in rows if isinstance(row, Figure)}
    assert figures["wrong answers"].reached is False
    assert figures["undecided"].reached is True
