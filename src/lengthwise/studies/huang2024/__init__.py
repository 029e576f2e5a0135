"""Huang et al. (2024), A Formal Framework for Understanding Length Generalization."""

from collections.abc import Iterator

from lengthwise.runs.estimate import cost
from lengthwise.studies.evidence import StudyEvidence, StudyRun
from lengthwise.studies.huang2024.claims import RULES, board
from lengthwise.studies.huang2024.problems import distance_copies, problems, regularised
from lengthwise.studies.huang2024.tables import figures, tables
from lengthwise.studies.huang2024.trained_cells import CELLS, FILE, SUCCESSES
from lengthwise.studies.study import Planned, Study, on_use
from lengthwise.studies.tuning import Attempt, Problem, chosen

MOST_SEEDS = 30


def plan(size: str, evidence: StudyEvidence) -> list[Planned]:
    """Return every cell's runs so far; at paper size sweeps, then repeats of what was chosen."""
    if size != "paper":
        return CELLS.plan(size, evidence)
    planned: list[Planned] = []
    for problem in [*problems(), *distance_copies()]:
        planned += problem.sweep(evidence)
        if problem.finished(evidence):
            planned += _repeats(problem, evidence)
    by_group = {problem.group: problem for problem in problems()}
    for problem in regularised():
        source = by_group[problem.group.replace("regularised", "cell")]
        if source.finished(evidence):
            attempt = source.attempt(chosen(_sweep(source, evidence)))
            planned += _seeds(problem, attempt, evidence)
    return planned


def _sweep(problem: Problem, evidence: StudyEvidence) -> list[StudyRun]:
    return [record for record in evidence.find(problem.group) if record.spec.seed == 0]


def _repeats(problem: Problem, evidence: StudyEvidence) -> Iterator[Planned]:
    """Repeat the chosen setting with further seeds until five runs fit (all count when large)."""
    attempt = problem.attempt(chosen(_sweep(problem, evidence)))
    return _seeds(problem, attempt, evidence)


def _seeds(problem: Problem, attempt: Attempt, evidence: StudyEvidence) -> Iterator[Planned]:
    known = {record.spec.id: record for record in evidence.find(problem.group)}
    successes = 0
    for seed in range(MOST_SEEDS):
        spec = problem.spec(attempt, seed)
        yield Planned(problem.group, spec)
        record = known.get(spec.id)
        if record is None:
            return
        successes += record.accuracies[0] >= 1.0 or attempt.layers == 12
        if successes >= SUCCESSES:
            return


def expected(size: str) -> float | None:
    """Return the planned seconds of one core; at paper size by the arithmetic of all settings.

    At paper size every setting of the sweep is counted to its last step and five repeats of the
    middle one, at the speed of one core (see ``speed`` in the file).
    """
    if size == "paper":
        every = [*problems(), *distance_copies()]
        sweeps = sum(cost(p.spec(a)) for p in every for a in p.attempts)
        again = [p for p in every if p.encoding == "ape"]  # with the regulariser
        repeats = sum(5 * cost(p.spec(p.attempts[len(p.attempts) // 2])) for p in [*every, *again])
        return (sweeps + repeats) / FILE.of_size(size)["speed"]
    return CELLS.expected(size)


STUDY = Study(
    name="huang2024",
    title="A Formal Framework for Understanding Length Generalization in Transformers",
    source="Huang et al. (2024), arXiv 2410.02140",
    frozen=FILE,
    plan=plan,
    rules=RULES,
    measures=on_use("lengthwise.studies.huang2024.measures:measures"),
    tables=tables,
    figures=figures,
    board=board,
    expected=expected,
    notes={
        "smoke": "ten steps a run: exercises the machinery and decides nothing",
        "laptop": "training lengths to 20 (10 for long answers), uniform words and the authors', "
        "five seeds by the frozen recipe",
        "paper": "the published sweep, sizes, lengths and seeds; needs GPUs",
    },
)
