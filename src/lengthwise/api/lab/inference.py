"""``lab infer``: the inference procedure of the main theorem, over programs or by training."""

from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lengthwise.api.shown import Rows, Shown, writes
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Count, Penalty, Seconds, Seed
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.core.limits import Limits
    from lengthwise.crasp.program import Program
    from lengthwise.subjects.subject import Subject
    from lengthwise.theory.limit.inference import Chosen

Method = Literal["programs", "training"]


@dataclass(frozen=True)
class InferredByContext(Shown):
    """For each context T_n, what it costs, whether it is in U_n, and where it is wrong."""

    found: Sequence["Chosen"]
    method: Method
    settled: int | None

    def parts(self) -> Iterator[str | Rows]:
        """Yield the table and where the choice settles."""
        yield Rows([_row(row) for row in self.found])
        yield self.sentence()

    def sentence(self) -> str:
        """Say from which context on the choice stays, or that it does not."""
        last = self.found[-1].context
        if self.method == "training":
            short = [row for row in self.found if row.right is not None]
            right = [row for row in short if row.right]
            return (
                f"right on all words to n/2 at every offset: {len(short)} of {len(self.found)} "
                f"contexts; of these right up to n: {len(right)}."
            )
        if self.settled is None:
            return f"the choice has not settled by n = {last}."
        tested = "on words of every length (proved)"
        if self.found[-1].tested != "proof":
            tested = "on everything tested"
        return f"from n = {self.settled} on (n to {last}) the choice stays and is right {tested}."

    def to_json(self) -> dict[str, Any]:
        """Return one row per context."""
        rows = [
            {**asdict(row), "inside": row.inside, "right": row.right, "total": row.total}
            for row in self.found
        ]
        return {"method": self.method, "settled": self.settled, "rows": rows}

    @writes(".csv", option="table")
    def save(self, path: Path) -> None:
        """Write the table with every term of R to this .csv file."""
        import csv
        from io import StringIO

        from lengthwise.core.outputs import save_text

        terms = list(next((asdict(r.terms) for r in self.found if r.terms), {}))
        out = StringIO()
        table = csv.writer(out, lineterminator="\n")
        table.writerow(["context", "in U_n", "right to n", "fails at", "R", *terms, "chosen"])
        for row in self.found:
            values = asdict(row.terms) if row.terms else dict.fromkeys(terms, "")
            seen = [row.context, row.inside, row.right, row.fails_at, row.total]
            table.writerow([*seen, *values.values(), row.chosen])
        save_text(path, out.getvalue())


def _row(row: "Chosen") -> dict[str, object]:
    right = {True: "yes", False: "no", None: "-"}[row.right]
    fails = "-" if row.right is None else row.fails_at or "none seen"
    return {
        "n": row.context,
        "words to": row.train_length,
        "in U_n": _inside(row),
        "R(T_n)": "-" if row.total is None else f"{row.total:.2f}",
        "wrong at": fails,
        "right to n": right,
        "T_n": row.chosen + (f" ({row.note})" if row.note else ""),
    }


def _inside(row: "Chosen") -> str:
    if row.member is None:
        return "nothing found"
    if row.inside:
        return "yes"
    if row.member.wrong:
        return f"no: {row.member.wrong} of {row.member.tried} wrong"
    return f"right to n/2, but products vary by {row.member.varies:.2g}"


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
    regularize: Penalty = 1e-3,
    seed: Seed = 0,
) -> InferredByContext:
    """Run the inference procedure: for each context n the simplest model that is right to n/2.

    U_n holds the models that are right on all words to n/2 at every offset and compare positions
    inside attention only; T_n is the one of least R that was found.

    Example: lengthwise lab infer '(ab)*' --context 4 --context 8 --context 12

    Args:
        target: A regular expression, a task about a language, an automaton (`x.json`), a program
            (`x.cr`) or FILE.py:function.
        context: Context n in letters; words to length n/2 are fitted. Give several to compare.
        method: Compiled C-RASP programs by R, or decoders trained with R as a penalty.
        horizon: Longest length on which the choice is tried.
        alphabet: The alphabet; by default the letters that the target names. A function needs it.
        time_limit: Seconds for each context.
        steps: Training steps for each context, at most.
        regularize: Weight of R in training.
        seed: Of training.
    """
    from lengthwise.core.limits import GRACE, Limits
    from lengthwise.subjects import as_target, read_subject
    from lengthwise.theory.limit.inference import settled, simplest_programs

    limits = Limits(time_limit * len(context))
    with limits.alarm("the reading"):
        read = read_subject(target, limits, alphabet=alphabet)
    with closing(read), limits.alarm("the search", GRACE):
        language = as_target(read)
        if method == "programs":
            own = _own(read, limits)
            rows = simplest_programs(language, context, horizon=horizon, limits=limits, own=own)
            return InferredByContext(rows, method, settled(rows))
        from lengthwise.analysis.inferred import trained_models

        rows = trained_models(
            language,
            context,
            horizon=horizon,
            limits=limits,
            steps=steps,
            weight=regularize,
            seed=seed,
        )
        return InferredByContext(rows, method, None)


def _own(read: "Subject", limits: "Limits") -> "Program | None":
    """Return the subject's own program, or the one that the decision of its language writes."""
    from lengthwise.core.limits import LimitReachedError
    from lengthwise.subjects import as_program

    with suppress(InputError, LimitReachedError):
        own = as_program(read, clock=limits.part(1 / 4))
        return None if own.is_generator else own
    return None
