"""``analyse relation``: the position relation that a model has learned."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.api.shown import PICTURES, Rows, Shown, writes
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Count

if TYPE_CHECKING:
    from lengthwise.analysis.run_relation import RunRelation


@dataclass(frozen=True)
class LearnedValues(Shown):
    """The values that a run gives to pairs of positions, beside the ideal ones."""

    found: "RunRelation"

    def parts(self) -> Iterator[str | Rows]:
        """Yield the values of every query that is asked, and the comparison."""
        yield from self.found.lines()

    def to_json(self) -> dict[str, Any]:
        """Return the values and the comparison."""
        return self.found.plain()

    @writes(".npz", option="output", aliases=("-o",))
    def save(self, path: Path) -> None:
        """Write the relation to this .npz file, for `--encoding ipe:relation=FILE.npz`."""
        self.found.readout.save(path)

    @writes(*PICTURES)
    def plot(self, path: Path) -> None:
        """Draw the three likeliest values of every pair to this .png, .svg or .pdf file."""
        from lengthwise.report.model_figures import draw_readout
        from lengthwise.report.static import save_drawn

        save_drawn(draw_readout(self.found.readout, title=self.found.subject), path)

    @writes(".html")
    def report(self, path: Path) -> None:
        """Write them with the comparison to this .html page."""
        from lengthwise.report.heat_pages import relation_document
        from lengthwise.report.html import save

        save(relation_document(self.found), path)


@verb()
def relation(
    run: str,
    *,
    length: Count | None = None,
    scale: Count | None = None,
    against: str | None = None,
    store: Path | None = None,
    trust_code: bool = False,
) -> LearnedValues:
    """Read the relation that a run with lbpe or lbpe-sh has learned.

    Prints the value of every key at the queries that are asked, how many values are used, and
    whether the relation equals the task's ideal one up to renaming.

    Example: lengthwise analyse relation 3f2a --plot relation.png -o relation.npz

    Args:
        run: A finished run, by its id or the beginning of it (see `lengthwise runs`).
        length: Positions to read; by default as many as the run's longest input.
        scale: The instance's length, for lbpe-sh.
        against: Compare with this relation: a circuit's name, `file.py:phi`, a table .npz or an
            expression; by default the task's own.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        trust_code: Execute the Python file that the run names as its task, encoding or relation;
            only if it is the file that the run was made with.
    """
    from lengthwise.analysis.run_relation import read_run
    from lengthwise.runs.store import Store

    return LearnedValues(
        read_run(
            Store(store), run, length=length, scale=scale, against=against, trust_code=trust_code
        )
    )
