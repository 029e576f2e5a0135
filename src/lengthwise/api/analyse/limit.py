"""``analyse limit``: the limit object of a trained model, and how far it stands for it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.api.shown import PICTURES, Rows, Shown, rounded, writes
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Count, Length, Seed
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.analysis.limit_object import LimitComparison, LimitReport
    from lengthwise.runs.store import Store


@dataclass(frozen=True)
class LimitObject(Shown):
    """A run's limit object: its parts with residuals, and its accuracy beside the model's."""

    found: "LimitReport"

    def parts(self) -> Iterator[str | Rows]:
        """Yield what was extracted, the residuals and the two curves."""
        plain = self.to_json()
        yield self.sentence()
        yield Rows(rounded(plain["heads"]), "added to the logits: periodic and local, and the rest")
        values = [
            {"layer": row["layer"], "reader": row["reader"], "of positions": row["size"]}
            | {"not periodic": row["residual"]}
            for row in plain["values"]
        ]
        period = self.found.extracted.period
        yield Rows(rounded(values), f"what is read of positions, by period {period}")
        curve = [
            {
                "length": row.length,
                "model": "-" if row.model is None else row.model,
                "limit object": row.limit,
            }
            for row in self.found.curve
        ]
        yield Rows(rounded(curve), f"right, trained to {self.found.trained[1]}")

    def sentence(self) -> str:
        """Say what the object is and whether it stands for the model."""
        report, found = self.found, self.found.extracted
        periods = ", ".join(map(str, found.periods))
        near = "nothing local" if found.radius < 0 else f"local to distance {found.radius}"
        stands = "stands for the model" if report.faithful else "does not stand for the model"
        return (
            f"{report.subject}: periods {periods}, {near}; the limit object {stands} on trained "
            f"lengths ({report.agreement:.1%} of sequences answered alike)."
        )

    def to_json(self) -> dict[str, Any]:
        """Return every number."""
        from lengthwise.analysis.limit_object import plain

        return plain(self.found)

    @writes(*PICTURES)
    def plot(self, path: Path) -> None:
        """Draw the parts of every head and both curves to this .png, .svg or .pdf file."""
        from lengthwise.report.limit_figures import draw_limit
        from lengthwise.report.static import save_drawn

        save_drawn(draw_limit(self.found), path)


@dataclass(frozen=True)
class LimitObjects(Shown):
    """The limit objects of several runs side by side."""

    found: "LimitComparison"

    def parts(self) -> Iterator[str | Rows]:
        """Yield one row per run, and how generalizing goes with being periodic and local."""
        yield Rows(rounded(self.found.rows()), "runs and their limit objects")
        counts = self.found.counts()
        yield Rows(
            [{"run": name, **row} for name, row in counts.items()],
            "runs by what they do and by what their objects do (99% of answers)",
        )

    def to_json(self) -> dict[str, Any]:
        """Return the rows and the counts."""
        return {"rows": self.found.rows(), "counts": self.found.counts()}

    @writes(*PICTURES)
    def plot(self, path: Path) -> None:
        """Draw the curves of every run and its object to this .png, .svg or .pdf file."""
        from lengthwise.report.limit_figures import draw_compared
        from lengthwise.report.static import save_drawn

        save_drawn(draw_compared(self.found), path)


@verb()
def limit(
    *run: str,
    until: Length | None = None,
    instances: Count = 100,
    inputs: Count = 600,
    seed: Seed = 0,
    store: Path | None = None,
    trust_code: bool = False,
) -> LimitObject | LimitObjects:
    """Turn a trained model into a limit object, and run both by length.

    What values, MLPs and the output read of positions becomes periodic, what heads compare directly
    a periodic and a local function of the distance; both with residuals. The object runs at any
    length, beyond the model's context too.

    Example: lengthwise analyse limit 3f2a --plot limit.svg

    Args:
        run: Finished runs with learned absolute positions (ape), by their ids or the beginnings of
            them; several are compared, and without any all such runs of the store.
        until: Longest length to try; by default half as long again as the run's longest.
        instances: Instances of each length that is tried.
        inputs: Sequences of trained lengths on which the model is looked at.
        seed: Of all sequences.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        trust_code: Execute the Python file that the run names as its task, encoding or relation;
            only if it is the file that the run was made with.
    """
    from lengthwise.analysis.limit_object import LimitComparison, limit_of_run
    from lengthwise.runs.store import Store
    from lengthwise.runs.trained import load_run

    names = run or _with_positions(Store(store))
    found = [
        limit_of_run(
            load_run(Store(store), name, trust_code=trust_code),
            until=until,
            instances=instances,
            inputs=inputs,
            seed=seed,
        )
        for name in names
    ]
    return LimitObject(found[0]) if len(run) == 1 else LimitObjects(LimitComparison(tuple(found)))


def _with_positions(store: "Store") -> list[str]:
    """Return the finished runs with learned absolute positions."""
    records = [record for record in store.records() if record.result is not None]
    names = [r.id for r in records if r.spec is not None and r.spec.position.name == "ape"]
    if not names:
        raise InputError("limit: there is no finished run with ape; train one, or name a store.")
    return names
