"""``analyse regulariser``, ``products`` and ``positional``: models beside the theory of limits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lengthwise.api.shown import PICTURES, Rows, Shown, writes
from lengthwise.api.verb import several, verb
from lengthwise.core.bounds import Count
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.runs.trained import TrainedRun
    from lengthwise.theory.limit.logits_inside import PlacedRows
    from lengthwise.theory.limit.products import ProductReport
    from lengthwise.theory.limit.readout import Reading
    from lengthwise.theory.limit.regulariser import Explicit, Regulariser

Periodic = Literal["constrained", "short"]
MOST_IMAGES = 150
"""Most path products below a layer of a trained model; every pair of them is looked at."""


@dataclass(frozen=True)
class RegulariserTerms(Shown):
    """The regulariser of one or several models, term by term."""

    found: Mapping[str, "Regulariser"]

    def parts(self) -> Iterator[str | Rows]:
        """Yield one row per term."""
        plain = self.to_json()
        terms = next(iter(plain.values()))
        yield Rows(
            [
                {"term": term.replace("_", " ")}
                | {name: f"{row[term]:.6g}" for name, row in plain.items()}
                for term in terms
            ]
        )

    def to_json(self) -> dict[str, dict[str, float]]:
        """Return the terms and the total of every model."""
        return {name: {**asdict(r), "total": r.total} for name, r in self.found.items()}


@verb()
def regulariser(
    program: str | None = None,
    *,
    run: Sequence[str] = (),
    context: Sequence[Count] = (16, 64, 256, 1024),
    periodic: Periodic = "constrained",
    set_: str = "",
    store: Path | None = None,
    trust_code: bool = False,
) -> RegulariserTerms:
    """Show the regulariser R(T) term by term, for a program's finite models or trained runs.

    For a compiled program no term grows with the context: that is what makes it learnable in the
    theory of Huang et al. (2025). For a run the norms are folded into the matrices, and bits and
    rank are the least that keep every answer on sequences of trained lengths.

    Example: lengthwise analyse regulariser contains-ab --context 16 --context 64

    Args:
        program: A program (`x.cr`, or a name from `lengthwise list programs`), or a regular
            language with a program.
        run: A finished run instead, by its id or the beginning of it; give several to compare.
        context: Context n of a finite model; give several to compare.
        periodic: Construction of periodic predicates.
        set_: Values of the program's parameters, e.g. n=3.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        trust_code: Execute the Python file that the run names as its task, encoding or relation;
            only if it is the file that the run was made with.
    """
    from lengthwise.theory.limit.regulariser import explicit
    from lengthwise.theory.limit.regulariser import regulariser as measure

    if program is not None and not run:
        from lengthwise.subjects import as_program, read_subject
        from lengthwise.theory.limit.compiler import compile_program

        found = as_program(read_subject(program, parameters=set_, wanted="program"))
        limit = compile_program(found, periodic=periodic)
        return RegulariserTerms({f"n={n}": measure(explicit(limit, n)) for n in context})
    if not run or program is not None:
        raise InputError("regulariser: give either a program or --run.")
    from lengthwise.theory.limit.precision import measured_regulariser

    loaded = [_loaded(store, one, trust_code=trust_code) for one in several(run)]
    return RegulariserTerms(
        {
            f"{one.id} ({one.subject})": measured_regulariser(one.model, inputs)
            for one, inputs in loaded
        }
    )


def _loaded(
    store: Path | None, run: str, *, trust_code: bool
) -> "tuple[TrainedRun, list[PlacedRows]]":
    """Return a run and sequences of the lengths that it was trained on."""
    from lengthwise.analysis.limit_object import trained_inputs
    from lengthwise.runs.store import Store
    from lengthwise.runs.trained import load_run

    loaded = load_run(Store(store), run, trust_code=trust_code)
    return loaded, trained_inputs(loaded)


@dataclass(frozen=True)
class ProductCheck(Shown):
    """Whether positions are compared inside attention only."""

    program: str
    model: "Explicit"
    checked: "ProductReport"

    def parts(self) -> Iterator[str | Rows]:
        """Yield the count, the largest violations and the answer."""
        found = self.checked
        yield f"{found.products} path products, {len(found.violations)} violations"
        for one in sorted(found.violations, key=lambda v: -v.deviation)[:10]:
            yield f"  layer {one.layer}, {one.kind}: {one.path} varies by {one.deviation:g}"
        yield "in the hypothesis class" if found.holds else "not in the hypothesis class"

    def to_json(self) -> dict[str, Any]:
        """Return the answer and every violation."""
        return {"holds": self.checked.holds, **asdict(self.checked)}

    @writes(".html")
    def report(self, path: Path) -> None:
        """Write the products of every head that compares positions to this .html page."""
        from lengthwise.report.heat_pages import program_document
        from lengthwise.report.html import save

        save(program_document(self.program, self.model, self.checked), path)


@verb()
def products(
    program: str | None = None,
    *,
    run: str | None = None,
    context: Count = 24,
    periodic: Periodic = "constrained",
    set_: str = "",
    store: Path | None = None,
    trust_code: bool = False,
) -> ProductCheck:
    """Check the product constraint: position may only be compared inside attention.

    For a run the norms are folded into the matrices; what it breaks the constraint by is in logits
    and in inputs of hidden units.

    Example: lengthwise analyse products aa --periodic short

    Args:
        program: A program (`x.cr`, or a name from `lengthwise list programs`), or a regular
            language with a program.
        run: A finished run instead, by its id or the beginning of it.
        context: Positions to check; take more than twice the period and the largest distance.
        periodic: Construction of periodic predicates; the short one breaks the constraint.
        set_: Values of the program's parameters, e.g. n=3.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        trust_code: Execute the Python file that the run names as its task, encoding or relation;
            only if it is the file that the run was made with.
    """
    from lengthwise.theory.limit.products import check_products

    if (program is None) == (run is None):
        raise InputError("products: give either a program or --run.")
    if run is not None:
        from lengthwise.theory.limit.folding import folded, norm_scales

        loaded, inputs = _loaded(store, run, trust_code=trust_code)
        model = folded(loaded.model, norm_scales(loaded.model, inputs))
        name = f"{loaded.id} ({loaded.subject})"
        return ProductCheck(name, model, check_products(model, most=MOST_IMAGES))
    assert program is not None
    from lengthwise.subjects import as_program, read_subject
    from lengthwise.theory.limit.compiler import compile_program
    from lengthwise.theory.limit.regulariser import explicit

    found = as_program(read_subject(program, parameters=set_, wanted="program"))
    limit = compile_program(found, periodic=periodic)
    needed = max(2 * limit.period, limit.reach + 1)
    if context < needed:
        raise InputError(f"--context {context}: this program needs at least {needed}.")
    model = explicit(limit, context)
    return ProductCheck(program, model, check_products(model))


@dataclass(frozen=True)
class PositionProducts(Shown):
    """How periodic and how local the positions of a trained model are, head by head."""

    reading: "Reading"

    def parts(self) -> Iterator[str | Rows]:
        """Yield one row per head."""
        rows = [
            {
                name.replace("_", " "): f"{value:.4g}" if isinstance(value, float) else value
                for name, value in asdict(head).items()
            }
            for head in self.reading.heads
        ]
        yield Rows(rows, self.reading.subject)

    def to_json(self) -> dict[str, Any]:
        """Return the numbers of every head."""
        heads = [asdict(head) for head in self.reading.heads]
        return {"run": self.reading.subject, "heads": heads}

    @writes(*PICTURES)
    def plot(self, path: Path) -> None:
        """Draw p_j^T K^T Q p_i of every head to this .png, .svg or .pdf file."""
        from lengthwise.report.static import save_drawn
        from lengthwise.report.theory_figures import draw_reading

        save_drawn(draw_reading(self.reading), path)

    @writes(".html")
    def report(self, path: Path) -> None:
        """Write them with the table to this .html page."""
        from lengthwise.report.heat_pages import products_document
        from lengthwise.report.html import save

        save(products_document(self.reading), path)


@verb()
def positional(
    run: str, *, store: Path | None = None, trust_code: bool = False
) -> PositionProducts:
    """Measure how periodic and how local the positions of a trained model are, head by head.

    Sizes are in logits as the model computes them, norms included.

    Example: lengthwise analyse positional 3f2a --plot products.png

    Args:
        run: A finished run with learned absolute positions, by its id or the beginning of it.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        trust_code: Execute the Python file that the run names as its task, encoding or relation;
            only if it is the file that the run was made with.
    """
    from lengthwise.theory.limit.readout import read_positions

    loaded, inputs = _loaded(store, run, trust_code=trust_code)
    return PositionProducts(read_positions(loaded.model, inputs, f"{loaded.id} ({loaded.subject})"))
