"""Sweeps: in order, until enough; the last resort only where nothing fitted."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lengthwise.records.outcomes import FITTED, LINE
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.tuning import Attempt, Problem, chosen
from tests.studies.synthetic import record

ATTEMPTS = tuple(
    Attempt(layers=n, heads=1, width=16, rate=1e-3, steps=10, last_resort=n == 3) for n in (1, 2, 3)
)
PROBLEM = Problem(
    group="g",
    task="parity",
    encoding="nope",
    trained=(1, 8),
    tests=((9, 16), (17, 24)),
    instances=20,
    attempts=ATTEMPTS,
)


def swept(*outcomes: tuple[float, float]) -> list[int]:
    """Play a sweep: outcome n is what attempt n reaches; return the layers that were tried."""
    evidence = StudyEvidence("smoke")
    while True:
        planned = PROBLEM.sweep(evidence)
        new = [p for p in planned if p.spec.id not in {r.spec.id for r in evidence.records}]
        if not new:
            assert PROBLEM.finished(evidence)
            return [r.spec.model.layers for r in evidence.records]
        assert not PROBLEM.finished(evidence)
        fitted, further = outcomes[len(evidence.records)]
        made = record("g", new[0].spec, fitted, further, 0.0)
        evidence = replace(evidence, records=(*evidence.records, made))


def test_a_sweep_ends_with_the_first_that_is_enough():
    assert swept((1.0, 1.0)) == [1]
    assert swept((1.0, 0.98), (1.0, 1.0)) == [1, 2]


def test_a_setting_that_falls_short_with_other_seeds_is_followed_by_the_next():
    problem = PROBLEM
    runs = [problem.spec(ATTEMPTS[0], seed) for seed in range(3)]
    close = record("g", runs[0], 1.0, 1.0, LINE)
    short = [record("g", run, 1.0, 0.0, 0.0) for run in runs[1:]]
    evidence = StudyEvidence("smoke", (close, *short))
    assert not problem.finished(evidence)
    assert [p.spec.model.layers for p in problem.sweep(evidence)] == [1, 2]
    second = record("g", problem.spec(ATTEMPTS[1]), 1.0, 1.0, 1.0)
    evidence = replace(evidence, records=(*evidence.records, second))
    assert problem.finished(evidence)
    assert problem.attempt(chosen(evidence.records)) == ATTEMPTS[1]
    assert chosen((close, *short)).seeds == 3


def test_the_last_resort_is_for_problems_that_nothing_fitted():
    assert swept((1.0, 0.2), (0.5, 0.3)) == [1, 2]
    assert swept((0.5, 0.2), (0.5, 0.3), (1.0, 0.0)) == [1, 2, 3]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=3))
def test_the_choice_matches_the_rule_said_slowly(pairs):
    records = [
        record("g", PROBLEM.spec(attempt), *pair, 0.0)
        for attempt, pair in zip(ATTEMPTS, pairs, strict=False)
    ]
    best = chosen(records)
    fits = [r for r in records if r.accuracies[0] >= FITTED]
    if fits:
        top = max(r.accuracies[1] for r in fits)
        assert best == next(r for r in fits if r.accuracies[1] == top)
    else:
        top = max(r.accuracies[0] for r in records)
        assert best == next(r for r in records if r.accuracies[0] == top)
