"""``lengthwise lab infer``: what is simplest on short words, and how far it holds."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, Seed, print_json, print_table

Set = Annotated[str, Parameter(name="--set")]
Many = Annotated[tuple[int, ...], Parameter(consume_multiple=True, negative="")]


def infer(
    target: str,
    *,
    contexts: Many = (4, 6, 8, 10, 12),
    method: Literal["programs", "training"] = "programs",
    horizon: Count = 64,
    letters: str = "ab",
    seconds: float = 20.0,
    steps: Count = 2000,
    regularize: float = 1e-4,
    seed: Seed = 0,
    store: Path | None = None,
    as_json: Json = False,
) -> None:
    """Run the inference procedure: for each context, what is simplest to half of it, and how far.

    Example: lengthwise infer '(ab)*' --contexts 4 8 12

    Parameters
    ----------
    target
        A regular expression, FILE.py:function, FILE.cr or a task about a language; for
        --method training a task.
    contexts
        Contexts n; words to length n/2 are fitted.
    method
        Smallest C-RASP programs, or decoders trained with the positional penalty.
    horizon
        Longest length on which programs are tried.
    letters
        The alphabet, where the target does not say.
    seconds
        Time to search for each program.
    steps
        Training steps for each context.
    regularize
        Weight of the positional penalty in training.
    seed
        Of sampled words, or of training.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    as_json
        Print JSON instead of a table.
    """
    from lengthwise.analysis.inferred import minimal_training
    from lengthwise.theory.limit.inference import smallest_programs

    if method == "programs":
        from lengthwise.crasp.learning import Budget
        from lengthwise.crasp.targets import read_target

        rows = smallest_programs(
            read_target(target, tuple(letters)),
            contexts,
            horizon=horizon,
            budget=Budget(seconds=seconds),
            seed=seed,
        )
    else:
        rows = minimal_training(
            target, contexts, coefficient=regularize, steps=steps, seed=seed, store=store
        )
    if as_json:
        print_json([{**asdict(row), "holds": row.holds} for row in rows])
        return
    print_table(
        [
            {
                "context n": row.context,
                "fitted to": row.train_length,
                "size" if method == "programs" else "positional penalty": row.size,
                "fails at": row.fails_at or f"not to {row.horizon}",
                "right to n": "yes" if row.holds else "no",
                "chosen": row.chosen,
            }
            for row in rows
        ]
    )
