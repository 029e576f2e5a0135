"""What is measured besides training: chosen checkpoints, learned relations, theory by numbers."""

from dataclasses import asdict
from statistics import fmean
from typing import Any

from lengthwise.analysis.run_relation import read_run
from lengthwise.records.record import load_result
from lengthwise.records.result import Evaluation
from lengthwise.relations.gates import CircuitFamily
from lengthwise.relations.library import circuit
from lengthwise.relations.relation import ideal_table
from lengthwise.studies.chen2025.runs import ARITHMETIC, LONGEST, TASKS
from lengthwise.studies.evidence import StudyRun
from lengthwise.studies.study import Bench, Measure
from lengthwise.theory.circuits.growth import growth
from lengthwise.theory.circuits.src import SrcVerdict
from lengthwise.theory.linear import TARGETS, cells, exhaustive_check, theorem1_dimensions
from lengthwise.theory.linear.comparison import study, theorem1_rows

TRAINED = 5
RELATIONS = ("ape", "rpe", "nope", "ipe")
RANKS = 3
"""How many values of a learned relation are kept, the likeliest first, as in Figure 5."""


def measures(size: str) -> list[Measure]:
    """Return all of them; they are the same at every size."""
    del size
    return [
        Measure("checkpoints", checkpoints),
        Measure("learned-relations", learned_relations),
        Measure("complexity", complexity),
        Measure("alignment", alignment),
        Measure("linear", linear),
        Measure("theorem-1", theorem_1),
        Measure("theorem-2", theorem_2),
    ]


def checkpoints(bench: Bench) -> dict[str, Any]:
    """Choose each run's checkpoint as the paper does: the best average over all scales.

    The rule looks at test scales, so the last checkpoint is reported beside it. Returns by run
    the step and [scale, correct, all] for every scale.
    """
    return {record.spec.id: _chosen(bench, record) for record in bench.evidence.records}


def _chosen(bench: Bench, record: StudyRun) -> dict[str, Any]:

    history = load_result(bench.store.record(bench.store.folder(record.spec))).history
    best = max(history, key=average)
    return {"step": best.step, "counts": _counts(best)}


def _counts(found: Evaluation) -> list[list[int]]:
    return [[n, b.correct[n], b.total[n]] for b in found.bins for n in sorted(b.total)]


def average(found: Evaluation) -> float:
    """Return the mean over scales of the exact match at each."""
    return fmean(correct / total for _, correct, total in _counts(found))


def learned_relations(bench: Bench) -> list[dict[str, Any]]:
    """Read the relation that every LBPE run has learned, beside the task's ideal one.

    ``ranks[r][i - 1]`` writes the value with the (r+1)-th largest weight at keys 1..i of query i.
    """

    rows = []
    for record in bench.evidence.find("relations"):
        found = read_run(bench.store, record.spec.id, length=LONGEST + 1)
        ranks = [found.readout.ranked(rank) for rank in range(1, RANKS + 1)]
        rows.append(
            {
                "run": record.spec.id,
                "ranks": [
                    ["".join(map(str, row[: i + 1])) for i, row in enumerate(table.tolist())]
                    for table in ranks
                ],
                "trained": None if found.trained is None else asdict(found.trained),
                "beyond": None if found.beyond is None else asdict(found.beyond),
            }
        )
    return rows


def complexity(bench: Bench) -> list[dict[str, Any]]:
    """Count SRC of every task's circuit under every encoding's relation (no runs needed)."""
    del bench

    rows = []
    for task in TASKS:
        for layout in ("aligned", "unaligned"):
            family = circuit(task.removesuffix("-steps"), layout=layout)
            rows += [_src(task, layout, v) for v in growth(family, RELATIONS)]
    control = growth(circuit("parity-direct"), RELATIONS)
    return [*rows, *(_src("parity", "one answer", verdict) for verdict in control)]


def _src(task: str, layout: str, verdict: SrcVerdict) -> dict[str, Any]:
    return {
        "task": task,
        "layout": layout,
        "relation": verdict.relation,
        "src": [int(verdict.src[n - 1]) for n in (TRAINED, 10, LONGEST)],
        "invariant": verdict.invariant,
        "answer": verdict.answer,
    }


def alignment(bench: Bench) -> list[dict[str, Any]]:
    """Count pairs of positions whose ideal value differs between scales, by task and layout.

    Where there are any, no relation phi(i, j) without the scale serves all scales.
    """
    del bench

    return [
        {"task": task, "layout": layout, "conflicts": conflicts(circuit(name, layout=layout))}
        for task in ARITHMETIC
        for name in [task.removesuffix("-steps")]
        for layout in ("aligned", "unaligned")
    ]


def conflicts(family: CircuitFamily, largest: int = LONGEST) -> int:
    """Count pairs (query, key) to which two scales give different ideal values.

    Only queries that compute a step at both scales are compared.

    Example:
        >>> from lengthwise.theory.circuits import circuit
        >>> conflicts(circuit("parity")), conflicts(circuit("parity", layout="unaligned"), 2)
        (0, 4)
    """

    values: dict[tuple[int, int], set[int]] = {}
    for scale in range(1, largest + 1):
        table = ideal_table(family, scale).tolist()
        for query in {gate.query for gate in family.gates(scale)}:
            for key, value in enumerate(table[query - 1][:query], 1):
                values.setdefault((query, key), set()).add(value)
    return sum(len(found) > 1 for found in values.values())


def linear(bench: Bench) -> list[dict[str, Any]]:
    """Train position-only linear attention on every built-in target to scale 4, test to 10."""
    del bench

    rows = []
    for target in TARGETS:
        found = study(target, n0=4, n=10)
        rows.append(
            {
                "target": target,
                "lrc": [int(found.lrc[3]), int(found.lrc[9])],
                "predicted": found.predicted,
                "fits": {
                    name: {"residual": fit.residual, "error": fit.error, "right": fit.generalizes()}
                    for name, fit in found.fits.items()
                },
            }
        )
    return rows


def theorem_1(bench: Bench) -> dict[str, Any]:
    """Count the concepts that some encoding extrapolates, and give the dimensions for 5 and 20."""
    del bench

    return {
        "codimension": cells(3) - cells(2),
        "rows": theorem1_rows(2, 3),
        "dimensions": asdict(theorem1_dimensions(TRAINED, LONGEST)),
    }


def theorem_2(bench: Bench) -> dict[str, list[int]]:
    """Check "some encoding extrapolates iff LRC does not grow" on every target of scale 3."""
    del bench

    return {
        "stay at 0": list(exhaustive_check(init=0)),
        "count as failures": list(exhaustive_check(init=None)),
    }
