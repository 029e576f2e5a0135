"""Claims of Huang et al. (2024) can hold and can fail, and say so."""

from dataclasses import replace
from itertools import pairwise

import pytest

from lengthwise.records.recipes import recipes
from lengthwise.runs.experiment import check
from lengthwise.studies.evidence import StudyEvidence, StudyRun
from lengthwise.studies.huang2024 import STUDY, expected
from lengthwise.studies.huang2024.problems import (
    ENCODINGS,
    FORMAL,
    PROBLEMS,
    distance_copies,
    problems,
)
from lengthwise.studies.huang2024.trained_cells import (
    FILE,
    cells,
    found,
    in_order,
    published,
    published_bins,
    published_last,
)
from tests.studies.synthetic import record


def evidence(far, near=lambda name, seed: 1.0) -> StudyEvidence:
    """Runs of every cell with five seeds: ``far(problem, encoding)`` beyond the trained lengths."""
    records: list[StudyRun] = []
    for one in cells("laptop"):
        _, name, encoding = one.group.split("/")
        for seed in range(one.seeds):
            spec = one.ladder(seed)[0]
            values = [far(name, encoding)] * len(spec.evaluation.lengths)
            records.append(record(one.group, spec, near(name, seed), *values))
    answers = {
        name: {
            "encodings": {
                encoding: {
                    "answer": "yes" if published(name, encoding)[-1] >= 70 else "no",
                    "strength": "proof",
                }
                for encoding in ENCODINGS
            },
            "facts": {},
        }
        for name in PROBLEMS
    }
    return StudyEvidence("laptop", tuple(records), {"predictions": answers})


def as_published(name: str, encoding: str) -> float:
    if name.startswith("distance"):
        return 0.98 if encoding == "ape" else 0.02
    return published(name, encoding)[-1] / 100


def statuses(found: StudyEvidence) -> dict[str, str]:
    return {claim.name: claim.check(found).status for claim in STUDY.claims}


MEASURED = ("narrow-periodic", "wide-local", "messages", "parity-ones")
LEFT_OUT = {
    *("distance-3-ape", "distance-3-nope"),
    *(f"{p}-regularised" for p in PROBLEMS if p not in FILE.of_size("laptop")["regularised"]),
}


def test_every_claim_holds_where_runs_behave_as_published():
    found = statuses(evidence(as_published))
    assert {name for name, status in found.items() if status == "not run"} == {
        *MEASURED,
        *LEFT_OUT,
    }
    assert set(found.values()) == {"held", "not run"}


def test_every_claim_fails_where_runs_do_the_opposite():
    def opposite(name: str, encoding: str) -> float:
        return 0.1 if as_published(name, encoding) >= 0.7 else 0.95

    found = statuses(evidence(opposite))
    tested = {name: status for name, status in found.items() if name not in MEASURED}
    # Both worlds have some that hold and some that fail, and a regulariser that changes nothing.
    allowed = {"star-free", "circuits", "regulariser"}
    assert {name for name, status in tested.items() if status == "held"} <= allowed


def test_models_that_did_not_fit_decide_nothing():
    unfitted = statuses(evidence(as_published, near=lambda name, seed: 0.9))
    assert "held" not in unfitted.values()
    assert "not held" not in unfitted.values()
    some = statuses(evidence(as_published, near=lambda name, seed: 0.9 if name == "parity" else 1))
    assert some["parity-ape"] == "inconclusive"
    assert some["predicted"] == "held"


def test_seeds_that_differ_count_against_and_missing_ones_leave_it_open():
    whole = evidence(as_published)
    group = "cell/sort/ape"

    def changed(run: StudyRun) -> StudyRun:
        if run.group != group or run.spec.seed:
            return run
        return record(group, run.spec, 1.0, 0.1, 0.1)

    mixed = replace(whole, records=tuple(map(changed, whole.records)))
    assert statuses(mixed)["sort-ape"] == "not held"
    fewer = [r for r in whole.records if r.group != group or r.spec.seed < 4]
    part = statuses(replace(whole, records=tuple(fewer)))
    assert (part["sort-ape"], part["predicted"]) == ("inconclusive", "inconclusive")


def test_the_published_ratio_and_three_times_are_judged_apart():
    def falls_late(n: int) -> float:
        return 1.0 if n <= 33 else 0.0

    (one,) = [c for c in cells("laptop") if c.group == "words/aaaa-star/ape"]
    assert one.tests == published_bins("aaaa-star", 24)
    records = []
    for seed in range(5):
        spec = one.ladder(seed)[0]
        records.append(record(one.group, spec, 1.0, *([falls_late] * 4)))
    both = StudyEvidence("laptop", tuple(records))
    assert statuses(both)["aaaa-star-ape-words"] == "held"
    whole = found(both, one.group)
    assert whole is not None
    assert whole.outcome == "fails"


@pytest.mark.parametrize("name", FORMAL)
def test_published_bins_are_disjoint_and_end_at_three_times(name):
    bins = published_bins(name, 20)
    assert bins[0][0] == 21
    assert bins[-1] == (41, 60)
    assert all(high + 1 == low for (_, high), (low, _) in pairwise(bins))
    assert 1 <= published_last(name, 20) <= len(bins)


def test_every_beginning_of_the_order_is_mixed():
    kinds = [tuple(published(n, e)[-1] >= 70 for e in ENCODINGS) for n in in_order()]
    assert set(kinds[:3]) == set(kinds)
    assert sorted(in_order()) == sorted(PROBLEMS)


def test_without_runs_nothing_is_decided():
    assert set(statuses(StudyEvidence("laptop")).values()) == {"not run"}


def test_measures_decide_their_claims_both_ways():
    def fit(relation: str, width: int, error: float) -> dict:
        return {"relation": relation, "width": width, "error": [0, error, 0], "baseline": [1, 1, 1]}

    def by_ones(seed: int, many: int) -> dict:
        counts = {"few": [900, 1000], "many": [many + seed, 1000]}
        return {"encoding": "ape", "seed": seed, "fitted": True, **counts}

    def sides(found: dict) -> list[str]:
        known = statuses(StudyEvidence("laptop", (), found))
        return [
            known[name] for name in ("narrow-periodic", "wide-local", "messages", "parity-ones")
        ]

    good = {
        "positional": [fit("j=i-1", 8, 5.0), fit("mod3=0", 8, 0.1), fit("j=i-1", 128, 0.5)],
        "messages": [
            {"subject": name, "verdict": verdict}
            for name, verdict in (
                *(("binary-majority", "log"), ("dyck-1", "log")),
                *(("repeat-copy", "linear"), ("addition", "linear")),
            )
        ],
        "parity-ones": [by_ones(seed, 500) for seed in range(5)],
    }
    assert sides(good) == ["held"] * 4
    bad = {
        "positional": [fit("j=i-1", 8, 0.1), fit("mod3=0", 8, 5.0), fit("j=i-1", 128, 5.0)],
        "messages": [{**row, "verdict": "log"} for row in good["messages"]],
        "parity-ones": [by_ones(seed, 900) for seed in range(5)],
    }
    assert sides(bad) == ["not held"] * 4


@pytest.mark.parametrize("size", ["smoke", "laptop", "paper"])
def test_the_plan_begins_with_every_cell_and_can_be_run(size):
    planned = STUDY.plan(size, StudyEvidence(size))
    wanted = {"smoke": 50 + 34 + 1 + 6, "laptop": 50 + 34 + 10 + 4, "paper": 50 + 6}
    assert len({p.group for p in planned}) == wanted[size]
    seen = {(p.group, p.spec.position.name): p.spec for p in planned}
    for spec in list(seen.values())[:6] if size == "paper" else seen.values():
        check(spec)


def test_cells_are_complete_before_the_next_ones_begin():
    planned = STUDY.plan("laptop", StudyEvidence("laptop"))
    groups = [p.group for p in planned]
    assert groups == sorted(groups, key=groups.index)
    assert {p.spec.recipe.partition(",")[0] for p in planned} == {str(recipes().edition)}


def test_the_published_sweep_is_whole():
    by_group = {problem.group: problem for problem in problems()}
    parity = by_group["cell/parity/ape"]
    assert len([a for a in parity.attempts if not a.last_resort]) == 54
    assert [a.width for a in parity.attempts if a.last_resort] == [768, 768]
    assert parity.attempts[0].steps == 30_000
    assert {a.decayed for a in parity.attempts} == {"weights"}
    abab = by_group["cell/abab-star/nope"]
    assert {(a.layers, a.heads, a.batch) for a in abab.attempts} == {
        (layers, heads, 4) for layers in (4, 6) for heads in (2, 4)
    }
    assert abab.task == "fixed:abab-star:distribution=published;size=125"
    far = {problem.group: problem for problem in distance_copies()}
    assert {a.dropout for a in far["distance-copy/distance-1/nope"].attempts} == {0.0, 0.1}
    assert sum(len(problem.attempts) for problem in far.values()) == 3 * (12 + 144)
    hours = expected("paper")
    assert hours is not None
    assert hours > 3600 * 1000


def test_at_paper_size_seeds_follow_success_and_failures_are_counted_not_pooled():
    problem = next(p for p in problems() if p.group == "cell/parity/ape")
    best = problem.attempts[0]
    fits = [True, False, True, True, False, True, True]
    records = [
        record(problem.group, problem.spec(best, seed), 1.0 if fit else 0.5, 0.9, float(fit))
        for seed, fit in enumerate(fits)
    ]
    cell = found(StudyEvidence("paper", tuple(records)), problem.group)
    assert cell is not None
    assert ([run.spec.seed for run in cell.runs], cell.tried) == ([0, 2, 3, 5, 6], 7)
    assert cell.accuracies[-1] == 1.0
    few = StudyEvidence("paper", tuple(records[:2]))
    first = [replace(r, bins=record(r.group, r.spec, 1.0, 1.0, 1.0).bins) for r in few.records[:1]]
    planned = STUDY.plan("paper", StudyEvidence("paper", tuple(first)))
    seeds = sorted({p.spec.seed for p in planned if p.group == "cell/parity/ape"})
    assert seeds == [0, 1]
