"""A study's problem that is trained by the recipes: seeds climb on their own, by the fit alone."""

from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.recipes import recipes
from lengthwise.studies.climbing import Climb
from lengthwise.studies.evidence import StudyEvidence, StudyRun

PROBLEM = Climb(
    group="here", task="parity", encoding="nope", trained=(1, 5), tests=((6, 10),), seeds=2
)


def made(spec, trained, beyond=0.0):
    bins = (
        AccuracyByLength(low=1, high=5, correct={5: round(100 * trained)}, total={5: 100}),
        AccuracyByLength(low=6, high=10, correct={6: round(100 * beyond)}, total={6: 100}),
    )
    return StudyRun("here", spec, bins, 10, 1.0)


def rungs(evidence):
    return [(p.spec.seed, p.spec.recipe.split(" (")[0][-6:]) for p in PROBLEM.runs(evidence)]


def test_seeds_climb_by_the_fit_alone():
    first, other = PROBLEM.ladder(0), PROBLEM.ladder(1)
    assert len(first) == len(recipes().rungs)
    evidence = StudyEvidence("laptop")
    assert rungs(evidence) == [(0, "rung 1"), (1, "rung 1")]
    evidence = StudyEvidence("laptop", (made(first[0], 0.98, 1.0), made(other[0], 0.99, 0.0)))
    assert rungs(evidence) == [(0, "rung 1"), (0, "rung 2"), (1, "rung 1")]
    assert [record.spec.seed for record in PROBLEM.reached(evidence)] == [1]
    assert not PROBLEM.finished(evidence)


def test_a_problem_that_fits_nowhere_ends_with_its_last_rung():
    records = [made(spec, 0.5) for seed in (0, 1) for spec in PROBLEM.ladder(seed)]
    evidence = StudyEvidence("laptop", tuple(records))
    assert PROBLEM.finished(evidence)
    assert [r.spec for r in PROBLEM.reached(evidence)] == [PROBLEM.ladder(s)[-1] for s in (0, 1)]


def test_runs_of_another_edition_do_not_count():
    spec = PROBLEM.ladder(0)[0].model_copy(update={"recipe": "0, rung 1 (of old)"})
    assert rungs(StudyEvidence("laptop", (made(spec, 1.0),))) == [(0, "rung 1"), (1, "rung 1")]
