"""Huang et al. (2024), A Formal Framework for Understanding Length Generalization."""

from collections.abc import Iterator

from lengthwise.records.thresholds import FITTED
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.frozen_file import frozen
from lengthwise.studies.huang2024.claims import claims
from lengthwise.studies.huang2024.problems import distance_copies, problems, regularised
from lengthwise.studies.huang2024.tables import figures, tables
from lengthwise.studies.study import Planned, Study, on_use
from lengthwise.studies.tuning import Problem, chosen

SUCCESSES, MOST_SEEDS = 5, 30


def plan(size: str, evidence: StudyEvidence) -> list[Planned]:
    """Return every problem's sweep so far, then what depends on which setting was chosen."""
    planned: list[Planned] = []
    for problem in [*problems(size), *distance_copies(size)]:
        planned += problem.runs(evidence)
        if size == "paper" and problem.finished(evidence):
            planned += _repeats(problem, evidence)
    by_group = {problem.group: problem for problem in problems(size)}
    for problem in regularised(size):
        source = by_group[problem.group.replace("regularised", "cell")]
        if source.finished(evidence):
            attempt = source.attempt(chosen(evidence.find(source.group)))
            planned.append(Planned(problem.group, problem.spec(attempt)))
    return planned


def _repeats(problem: Problem, evidence: StudyEvidence) -> Iterator[Planned]:
    """Repeat the chosen setting with further seeds until five runs fit (all count when large)."""
    sweep = [record for record in evidence.find(problem.group) if record.spec.seed == 0]
    best = chosen(sweep)
    attempt = problem.attempt(best)
    known = {record.spec.id: record for record in evidence.find(problem.group)}
    successes = 0
    for seed in range(MOST_SEEDS):
        spec = problem.spec(attempt, seed)
        yield Planned(problem.group, spec)
        record = known.get(spec.id)
        if record is None:
            return
        successes += record.accuracies[0] >= FITTED or attempt.layers == 12
        if successes >= SUCCESSES:
            return


STUDY = Study(
    name="huang2024",
    title="A Formal Framework for Understanding Length Generalization in Transformers",
    source="Huang et al. (2024), arXiv 2410.02140",
    frozen=frozen("huang2024"),
    plan=plan,
    claims=claims,
    measures=on_use("lengthwise.studies.huang2024.measures:measures"),
    tables=tables,
    figures=figures,
    notes={
        "smoke": "ten steps a run: exercises the machinery and decides nothing",
        "laptop": "training lengths to 20 (10 for long answers, 50 for zero-twos) and up to four "
        "settings for each problem; one seed, three where the outcome is close to the line",
        "paper": "the published sweep, sizes, lengths and seeds; needs GPUs",
    },
)
