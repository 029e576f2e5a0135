"""What is measured besides training: chosen checkpoints, learned relations, theory by numbers."""

from dataclasses import asdict
from statistics import fmean
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lengthwise.analysis.run_relation import read_run
from lengthwise.models.decoder import Decoder
from lengthwise.records.record import load_result
from lengthwise.records.result import Evaluation
from lengthwise.relations.gates import CircuitFamily
from lengthwise.relations.library import circuit
from lengthwise.relations.relation import ideal_table
from lengthwise.runs.trained import load_run
from lengthwise.studies.chen2025.cells import task_of
from lengthwise.studies.chen2025.runs import ARITHMETIC, LONGEST, RPE, TASKS
from lengthwise.studies.evidence import StudyRun
from lengthwise.studies.study import Bench, Measure
from lengthwise.tasks import load_task
from lengthwise.tasks.base import Task
from lengthwise.theory.circuits.growth import growth
from lengthwise.theory.circuits.src import SrcVerdict
from lengthwise.theory.linear.comparison import study, theorem1_rows
from lengthwise.theory.linear.demonstrations import TARGETS
from lengthwise.theory.linear.position_only import cells
from lengthwise.theory.linear.theorems import exhaustive_check, theorem1_dimensions

TRAINED = 5
PARITY = "parity-steps"
RELATIONS = ("ape", "rpe", "nope", "ipe")
RANKS = 3
"""How many values of a learned relation are kept, the likeliest first, as in Figure 5."""


def measures(size: str) -> list[Measure]:
    """Return all of them; they are the same at every size."""
    del size
    return [
        Measure("checkpoints", checkpoints),
        Measure("learned-relations", learned_relations),
        Measure("plateau", plateau),
        Measure("complexity", complexity, from_runs=False),
        Measure("alignment", alignment, from_runs=False),
        Measure("linear", linear, from_runs=False),
        Measure("theorem-1", theorem_1, from_runs=False),
        Measure("theorem-2", theorem_2, from_runs=False),
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


# ---- why RPE stops on parity ----

NEAR, FAR, DRAWN = 2, range(16, 21), 20
"""Neighbours of a digit that stay, scales that are looked at, and instances of each."""


def plateau(bench: Bench) -> list[dict[str, Any]]:
    """Let RPE take the steps of parity while digits are hidden that training never showed there.

    At step t the digits x_1 .. x_n stand at distances that training, with five digits at most,
    showed as padding:

        training, step 3       < 1 0 1 1 0 _ _ _ ... = 1 1         digits to 2 left and right of x_t
        scale 16, step 12      < 1 0 1 1 0 1 1 0 1 1 0 1 1 0 1 1 _ ... = ...
        operands hidden        < _ _ _ _ _ _ _ _ _ 1 0 1 1 0 _ _ ... = ...

    ``both hidden`` writes padding over older outputs as well. The shares are of steps 6 and later,
    with the right outputs before them.
    """
    rows: list[dict[str, Any]] = []
    for record in bench.evidence.find("encodings", None, RPE):
        if task_of(record) == PARITY:
            run = load_run(bench.store, record.spec.id)
            task = load_task(PARITY)
            shares = [_steps_right(run.model, task, hidden) for hidden in (0, 1, 2)]
            names = ("as it is", "operands hidden", "both hidden")
            rows.append(
                {"run": record.spec.id, "seed": record.spec.seed}
                | {name: round(share, 4) for name, share in zip(names, shares, strict=True)}
            )
    return rows


@torch.inference_mode()
def _steps_right(model: Decoder, task: Task, hidden: int) -> float:
    """Return the share of steps that are right with so many kinds of digits hidden."""
    right: list[Tensor] = []
    padding = task.vocabulary.ids["_"]
    model.eval()
    for scale in FAR:
        batch = task.sample(np.random.default_rng(scale), np.full(DRAWN, scale))
        tokens = torch.from_numpy(batch.tokens)
        equals = int(np.argmax(batch.supervised[0]))  # the column of "=", which asks for step 1
        for step in range(TRAINED + 1, scale + 1):
            query = equals + step - 1
            seen = tokens[:, : query + 1].clone()
            if hidden > 0:
                seen[:, 1 : step - NEAR] = padding
                seen[:, step + NEAR + 1 : equals] = padding
            if hidden > 1:
                seen[:, equals + 1 : query - 1] = padding
            asked = torch.full((DRAWN, 1), query)
            said = model(seen, supervised=asked)[:, 0].argmax(dim=-1)
            right.append(said == tokens[:, query + 1])
    return float(torch.cat(right).float().mean())


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
        >>> from lengthwise.relations.library import circuit
        >>> conflicts(circuit("parity")), conflicts(circuit("parity", layout="unaligned"), 2)
        (0, 2)
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
