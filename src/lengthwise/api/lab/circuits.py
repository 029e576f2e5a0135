"""``lab src`` and ``lab relation``: tasks as circuits, and the position relations they need."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lengthwise.api.shown import PICTURES, Rows, Shown, writes
from lengthwise.api.verb import several, verb
from lengthwise.core.bounds import Count, Length

if TYPE_CHECKING:
    from lengthwise.relations.gates import CircuitFamily
    from lengthwise.theory.circuits.growth import RelationReport
    from lengthwise.theory.circuits.src import SrcVerdict

Layout = Literal["aligned", "zero", "unaligned"]


@dataclass(frozen=True)
class OperatorGrowth(Shown):
    """How many operators tasks need at each scale, under each relation."""

    verdicts: Sequence["SrcVerdict"]
    train_length: int
    length: int
    layout: Layout
    merged: dict[str, list[int]] = field(default_factory=dict)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per task and relation."""
        from lengthwise.theory.circuits.growth import verdict_row

        first, last = self.train_length, self.length
        return [verdict_row(v, sorted({first, (first + last) // 2, last})) for v in self.verdicts]

    def parts(self) -> Iterator[str | Rows]:
        """Yield the table, and the operators that are left after merging."""
        title = f"SRC, trained to scale {self.train_length}, {self.layout} layout"
        yield Rows(self.rows(), title)
        for name, counts in self.merged.items():
            yield f"{name}: operators after merging, scales 1..{self.train_length}: {counts}"

    def to_json(self) -> dict[str, Any]:
        """Return the rows with the number of operators at every scale."""
        pairs = zip(self.rows(), self.verdicts, strict=True)
        curves = [{**row, "src": verdict.src.tolist()} for row, verdict in pairs]
        return {"rows": curves, "merged": self.merged, "kind": "conjecture"}

    @writes(*PICTURES)
    def plot(self, path: Path) -> None:
        """Draw operators against scale to this .png, .svg or .pdf file."""
        from lengthwise.report.static import save_drawn
        from lengthwise.report.theory_figures import draw_src

        save_drawn(draw_src(self.verdicts), path)


@verb()
def src(
    *task: str,
    encoding: Sequence[str] = ("ape", "rpe", "ipe"),
    train_length: Length = 5,
    length: Length = 20,
    layout: Layout = "aligned",
    merge: bool = False,
) -> OperatorGrowth:
    """Show how many operators a task needs at each scale under an encoding, and the conjecture.

    The conjecture (Chen, Liang and Lin 2025): length generalization is possible if and only if
    this number, the sequential representation complexity, does not grow. It is not a theorem.

    Example: lengthwise lab src parity addition --encoding ape --encoding rpe --encoding ipe

    Args:
        task: Tasks by name (without any: all of them), or your own gates as `file.py:Name`.
        encoding: A relation: ape, rpe, nope, ipe (ideal), or your own phi(query, key, scale) as
            `file.py:name`; give several to compare.
        train_length: Largest scale in training, N0 in the paper.
        length: Largest scale in testing, N in the paper.
        layout: How operands are written: padded to one width, filled with zeros, or at natural
            length.
        merge: Also merge operators whose truth tables never disagree, at scales seen in training.
    """
    from lengthwise.relations.library import NAMES, circuit
    from lengthwise.theory.circuits.growth import growth
    from lengthwise.theory.circuits.merging import merged_src

    relations = several(encoding)
    families = [circuit(name, layout=layout, reference=length) for name in task or NAMES]
    verdicts = [
        verdict
        for family in families
        for verdict in growth(family, relations, train_scale=train_length, scale=length)
    ]
    merged = {f.name: merged_src(f, train_length).tolist() for f in families} if merge else {}
    return OperatorGrowth(verdicts, train_length, length, layout, merged)


@dataclass(frozen=True)
class GateRelation(Shown):
    """The position relation that a task's gates ask for."""

    family: "CircuitFamily"
    found: "RelationReport"
    checked: bool
    reference: int

    @property
    def encoding(self) -> str:
        """The encoding that is trained with this relation."""
        return "ipe-sh" if self.found.uses_scale else "ipe"

    def parts(self) -> Iterator[str | Rows]:
        """Yield the formulas and the table."""
        yield from self.found.lines()
        yield "phi(i, j) = 0  otherwise"
        yield ""
        yield from _grid(self.found.table.tolist())
        hint = "needs the scale n as a hint" if self.found.uses_scale else "does not need the scale"
        yield f"\nThe relation {hint}. Absent arguments point to position 1."
        yield (
            "To train with it: save it by --output FILE.npz and use "
            f"--encoding {self.encoding}:relation=FILE.npz"
        )

    def to_json(self) -> dict[str, Any]:
        """Return formulas and table."""
        known = {"encoding": self.encoding, "truth_tables_checked": self.checked}
        return {**self.found.plain(), **known}

    @writes(".npz", option="output", aliases=("-o",))
    def save(self, path: Path) -> None:
        """Write the relation to this .npz file, for `--encoding ipe:relation=FILE.npz`."""
        from lengthwise.relations.tables import save_table
        from lengthwise.theory.circuits.growth import relation_tables

        save_table(path, *relation_tables(self.family, self.reference))

    @writes(*PICTURES)
    def plot(self, path: Path) -> None:
        """Draw the map of queries and keys to this .png, .svg or .pdf file."""
        from lengthwise.report.static import save_drawn
        from lengthwise.report.theory_figures import draw_relation

        found = self.found
        labels = [f"slot {k}: {f}" if f else f"slot {k}" for k, f in enumerate(found.formulas, 1)]
        title = f"{found.task}, scale {found.scale}"
        save_drawn(draw_relation(found.table, title, labels), path)


@verb()
def relation(
    task: str,
    *,
    scale: Count = 3,
    layout: Layout = "unaligned",
    reference: Count = 20,
) -> GateRelation:
    """Print the ideal position relation of a task, read off its gates.

    Example: lengthwise lab relation addition --scale 2

    Args:
        task: A task by name, or your own gates as `file.py:Name`.
        scale: The scale at which the table is shown.
        layout: How operands are written: padded to one width, filled with zeros, or at natural
            length.
        reference: Largest scale of the aligned and zero layouts, and of the tables in --output.
    """
    from lengthwise.relations.library import circuit
    from lengthwise.theory.circuits.growth import check_function, relation_report

    family = circuit(task, layout=layout, reference=reference)
    checked = check_function(family, scale)
    return GateRelation(family, relation_report(family, scale), checked, reference)


def _grid(table: Sequence[Sequence[int]]) -> Iterator[str]:
    yield "table, query i downwards, key j across:"
    for query, row in enumerate(table, 1):
        yield f"{query:4d} | " + " ".join(str(v) if v else "." for v in row[:query])
