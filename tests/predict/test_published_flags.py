"""The 25 problems of Huang et al. (2024), figure 1: our predictions beside their flags.

Their flags say whether they found a program, without positions (NoPE) and with periodic and local
predicates (APE). One flag we contradict, with a program: unique copy without positions.
"""

import itertools

import pytest

from lengthwise.crasp import analyse, generate
from lengthwise.crasp.families import rank_copy
from lengthwise.predict import predict
from lengthwise.records.published import reported
from lengthwise.studies.suites import huang2024

YES, NO = "yes", "no"
FLAGS = {  # (NoPE, APE)
    "binary-majority": (YES, YES),
    "majority": (YES, YES),
    "interleaved-majority": (NO, YES),
    "sort": (YES, YES),
    "unique-copy": (NO, YES),
    "repeat-copy": (NO, NO),
    "parity": (NO, NO),
    "addition": (NO, NO),
    "aa-star": (NO, YES),
    "aaaa-star": (NO, YES),
    "abab-star": (NO, YES),
    "tomita-3": (NO, NO),
    "tomita-5": (NO, NO),
    "tomita-6": (NO, NO),
    "d-2": (YES, YES),
    "d-3": (YES, YES),
    "d-4": (YES, YES),
    "d-12": (YES, YES),
    "tomita-1": (YES, YES),
    "tomita-2": (YES, YES),
    "tomita-4": (NO, YES),
    "tomita-7": (YES, YES),
    "abcde": (YES, YES),
    "ab-d-bc": (YES, YES),
    "zero-twos": (NO, NO),
}
CONTRADICTED = {("unique-copy", "nope")}


def test_the_suite_has_these_problems_and_the_paper_reports_them():
    assert [task.partition(":")[0] for task in huang2024()] == list(FLAGS)
    assert all(len(reported(name)) >= 2 for name in FLAGS)


@pytest.mark.parametrize("name", FLAGS)
def test_predictions_equal_the_published_flags(name):
    found = predict(name, encodings=["nope", "ape"])
    assert not found.skipped
    for encoding, flag in zip(("nope", "ape"), FLAGS[name], strict=True):
        verdict = found.verdict(encoding)
        agrees = verdict.answer == flag
        assert agrees != ((name, encoding) in CONTRADICTED), verdict
        assert verdict.evidence  # never an answer without evidence
        if verdict.answer == "yes":
            assert any(item.facts.get("depth") is not None for item in verdict.evidence)


def test_copying_distinct_symbols_needs_no_positions():
    """All inputs over five symbols: the program that contradicts the published flag is right."""
    symbols = "abcde"
    program = rank_copy(symbols)
    assert (analyse(program).fragment, analyse(program).depth) == ("plain", 2)
    for size in range(1, len(symbols) + 1):
        inputs = list(itertools.permutations(symbols, size))
        written = generate(program, [(*word, "<sep>") for word in inputs], stop="<eos>")
        assert written == [(*word, "<eos>") for word in inputs]


def test_the_contradicted_flag_is_shown_as_a_conflict_with_the_measurement():
    verdict = predict("unique-copy", encodings=["nope"]).verdicts[0]
    assert verdict.answer == "yes"
    assert verdict.strength == "sampled"
    assert any("100 / 18 / 0" in text for text in verdict.conflicts)
