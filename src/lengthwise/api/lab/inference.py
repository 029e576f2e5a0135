"""``lab infer``: what is simplest on short words, and how far it holds."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lengthwise.api.shown import Rows, Shown
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Count, Penalty, Seconds, Seed

GRACE = 1.0
"""Seconds beyond the limit after which a search is cut off that does not look at the clock."""

if TYPE_CHECKING:
    from lengthwise.theory.limit.inference import Chosen

Method = Literal["programs", "training"]


@dataclass(frozen=True)
class InferredByContext(Shown):
    """For each context what was simplest to half of it, and where that fails."""

    found: Sequence["Chosen"]
    method: Method

    def parts(self) -> Iterator[str | Rows]:
        """Yield the table."""
        size = "size" if self.method == "programs" else "positional penalty"
        yield Rows(
            [
                {
                    "context n": row.context,
                    "fitted to": row.train_length,
                    size: row.size,
                    "fails at": row.fails_at or f"not to {row.horizon}",
                    "right to n": "yes" if row.holds else "no",
                    "chosen": row.chosen,
                }
                for row in self.found
            ]
        )

    def to_json(self) -> list[dict[str, Any]]:
        """Return one row per context."""
        return [{**asdict(row), "holds": row.holds} for row in self.found]


@verb()
def infer(
    target: str,
    *,
    context: Sequence[int] = (4, 6, 8, 10, 12),
    method: Method = "programs",
    horizon: Count = 64,
    alphabet: str | None = None,
    time_limit: Seconds = 20.0,
    steps: Count = 2000,
    regularize: Penalty = 1e-4,
    seed: Seed = 0,
    store: Path | None = None,
) -> InferredByContext:
    """Run the inference procedure: for each context, what is simplest to half of it, and how far.

    Example: lengthwise lab infer '(ab)*' --context 4 --context 8 --context 12

    Args:
        target: A regular expression, a task about a language, an automaton (`x.json`), a program
            (`x.cr`) or FILE.py:function. With --method training a task, a regular expression or an
            automaton.
        context: Context n; words to length n/2 are fitted. Give several to compare.
        method: Smallest C-RASP programs, or decoders trained with the positional penalty.
        horizon: Longest length on which programs are tried.
        alphabet: The alphabet; by default the letters that the target names. A function needs it.
        time_limit: Seconds to search for each program.
        steps: Training steps for each context.
        regularize: Weight of the positional penalty in training.
        seed: Of sampled words, or of training.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    """
    from lengthwise.subjects import as_target, as_task, read_subject

    if method == "training":
        from lengthwise.analysis.inferred import minimal_training

        rows = minimal_training(
            as_task(target), context, coefficient=regularize, steps=steps, seed=seed, store=store
        )
        return InferredByContext(rows, method)
    from lengthwise.core.limits import Limits
    from lengthwise.theory.limit.inference import smallest_programs

    limits = Limits(time_limit * len(context))
    with limits.alarm("the reading"):
        read = read_subject(target, limits, alphabet=alphabet)
    with closing(read), limits.alarm("the search", GRACE * len(context)):
        rows = smallest_programs(
            as_target(read), context, horizon=horizon, seconds=time_limit, seed=seed
        )
    return InferredByContext(rows, method)
