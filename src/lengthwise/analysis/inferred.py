"""The idealised inference procedure with trained models; `theory.limit.inference` has programs."""

from collections.abc import Sequence
from pathlib import Path

from lengthwise.records.accuracy import pool
from lengthwise.records.spec import RunSpec
from lengthwise.runs.execute import execute
from lengthwise.runs.store import Store
from lengthwise.runs.trained import load_run
from lengthwise.theory.limit.inference import Chosen, checked
from lengthwise.training.positional import positional_penalty


def minimal_training(
    task: str,
    contexts: Sequence[int],
    *,
    coefficient: float = 1e-4,
    steps: int = 2000,
    width: int = 64,
    layers: int = 2,
    heads: int = 2,
    instances: int = 200,
    seed: int = 0,
    store: Path | None = None,
) -> list[Chosen]:
    """Train a decoder with learned positions and the penalty for each context n, to length n/2.

    Lengths up to 2n are tested, with about ``instances`` each; one wrong answer fails a length.
    ``size`` is the positional term of R after training.
    """
    where, rows = Store(store), []
    for context in checked(contexts):
        half = context // 2
        spec = RunSpec.create(
            task=task,
            position="ape",
            seed=seed,
            model={"layers": layers, "heads": heads, "width": width},
            training={"length": (1, half), "steps": steps, "regularize": coefficient},
            evaluation={
                "lengths": ((half + 1, 2 * context),),
                "instances": instances * (2 * context - half),
            },
        )
        result = execute(spec, where)
        model = load_run(where, spec.id).model
        found = pool(result.bins)
        failing = [n for n in found.lengths if found.correct[n] < found.total[n]]
        penalty = float(positional_penalty(model).detach())
        fails = min(failing, default=None)
        rows.append(Chosen(context, half, f"run {spec.id}", penalty, fails, 2 * context))
    return rows
