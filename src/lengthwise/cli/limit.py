"""``lengthwise lab infer``: what is simplest on short words, and how far it holds."""

from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, Seed, print_json, print_table

Many = Annotated[tuple[int, ...], Parameter(consume_multiple=False, negative="")]


def infer(
    target: str,
    *,
    context: Many = (4, 6, 8, 10, 12),
    method: Literal["programs", "training"] = "programs",
    horizon: Count = 64,
    alphabet: str | None = None,
    time_limit: float = 20.0,
    steps: Count = 2000,
    regularize: float = 1e-4,
    seed: Seed = 0,
    store: Path | None = None,
    as_json: Json = False,
) -> None:
    """Run the inference procedure: for each context, what is simplest to half of it, and how far.

    Example: lengthwise lab infer '(ab)*' --context 4 --context 8 --context 12

    Parameters
    ----------
    target
        A regular expression, a task about a language, an automaton (`x.json`), a program (`x.cr`)
        or FILE.py:function. With --method training a task, a regular expression or an automaton.
    context
        Context n; words to length n/2 are fitted. Give several to compare.
    method
        Smallest C-RASP programs, or decoders trained with the positional penalty.
    horizon
        Longest length on which programs are tried.
    alphabet
        The alphabet; default: the letters that the target names. A function needs it.
    time_limit
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
    from lengthwise.subjects import as_target, as_task, read_subject
    from lengthwise.theory.limit.inference import smallest_programs

    if method == "programs":
        from lengthwise.core.clock import Clock
        from lengthwise.crasp.learning import Budget

        limit = Clock(60 + 3 * time_limit * len(context))
        with closing(read_subject(target, limit, alphabet=alphabet)) as read:
            rows = smallest_programs(
                as_target(read),
                context,
                horizon=horizon,
                budget=Budget(seconds=time_limit),
                seed=seed,
            )
    else:
        rows = minimal_training(
            as_task(target), context, coefficient=regularize, steps=steps, seed=seed, store=store
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
