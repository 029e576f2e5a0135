"""Commands around limit transformers: norms, products, trained positions, inference."""

import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, Seed, print_json, print_table, say
from lengthwise.core.errors import InputError

Set = Annotated[str, Parameter(name="--set")]
Many = Annotated[tuple[int, ...], Parameter(consume_multiple=True, negative="")]


def regulariser(
    program: str | None = None,
    *,
    run: str | None = None,
    contexts: Many = (16, 64, 256, 1024),
    periodic: Literal["constrained", "short"] = "constrained",
    parameters: Set = "",
    store: Path | None = None,
    as_json: Json = False,
) -> None:
    """Show the regulariser R(T) term by term, for a program's finite models or a trained run.

    For a compiled program no term grows with the context: that is what makes it learnable in the
    theory of Huang et al. (2025).

    Example: lengthwise regulariser contains-ab --contexts 16 32 64

    Parameters
    ----------
    program
        A program (`x.cr`, or a name from ``list programs``), or a regular language with a program.
    run
        A finished run instead, by its id or the beginning of it.
    contexts
        Contexts n of the finite models.
    periodic
        Construction of periodic predicates.
    parameters
        Values of the program's parameters, e.g. n=3.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    as_json
        Print JSON instead of a table.
    """
    from lengthwise.theory.limit.regulariser import Regulariser, explicit, explicit_decoder
    from lengthwise.theory.limit.regulariser import regulariser as measure

    if (program is None) == (run is None):
        raise InputError("give either a program or --run.")
    found: dict[str, Regulariser] = {}
    if program is not None:
        from lengthwise.subjects import as_program, read_subject
        from lengthwise.theory.limit.compiler import compile_program

        read = read_subject(program, parameters=parameters, wanted="program")
        limit = compile_program(as_program(read), periodic=periodic)
        found = {f"n={n}": measure(explicit(limit, n)) for n in contexts}
    else:
        from lengthwise.runs.store import Store
        from lengthwise.runs.trained import load_run

        assert run is not None
        loaded = load_run(Store(store), run)
        found = {f"{loaded.id} ({loaded.subject})": measure(explicit_decoder(loaded.model))}
    plain = {name: {**asdict(r), "total": r.total} for name, r in found.items()}
    if as_json:
        print_json(plain)
        return
    terms = next(iter(plain.values()))
    print_table(
        [
            {"term": term.replace("_", " ")} | {n: f"{row[term]:.6g}" for n, row in plain.items()}
            for term in terms
        ]
    )


def products(
    program: str,
    *,
    context: Count = 24,
    periodic: Literal["constrained", "short"] = "constrained",
    parameters: Set = "",
    html: Path | None = None,
    as_json: Json = False,
) -> None:
    """Check the product constraint: position may only be compared inside attention.

    Example: lengthwise products aa --periodic short

    Parameters
    ----------
    program
        A program (`x.cr`, or a name from ``list programs``), or a regular language with a program.
    context
        Positions to check; take more than twice the period and the largest distance.
    periodic
        Construction of periodic predicates; the short one breaks the constraint.
    parameters
        Values of the program's parameters, e.g. n=3.
    html
        Draw the products of positions of every head that compares them to this .html page.
    as_json
        Print JSON instead of text.
    """
    from lengthwise.subjects import as_program, read_subject
    from lengthwise.theory.limit.compiler import compile_program
    from lengthwise.theory.limit.products import check_products
    from lengthwise.theory.limit.regulariser import explicit

    read = read_subject(program, parameters=parameters, wanted="program")
    limit = compile_program(as_program(read), periodic=periodic)
    if context < 2 * limit.period or context <= limit.reach:
        needed = max(2 * limit.period, limit.reach + 1)
        raise InputError(f"--context {context}: this program needs at least {needed}.")
    model = explicit(limit, context)
    report = check_products(model)
    if html is not None:
        from lengthwise.report.heat_pages import program_document
        from lengthwise.report.html import save

        save(program_document(program, model, report), html)
        sys.stderr.write(f"page: {html}\n")
    if as_json:
        print_json({"holds": report.holds, **asdict(report)})
        return
    say(f"{report.products} path products, {len(report.violations)} violations")
    for one in report.violations[:10]:
        say(f"  layer {one.layer}, {one.kind}: {one.path} varies by {one.deviation:g}")
    say("in the hypothesis class" if report.holds else "not in the hypothesis class")


def positional(
    run: str,
    *,
    plot: Path | None = None,
    html: Path | None = None,
    store: Path | None = None,
    as_json: Json = False,
) -> None:
    """Measure how periodic and how local the positions of a trained model are, head by head.

    Example: lengthwise positional 3f2a --plot products.png

    Parameters
    ----------
    run
        A finished run with learned absolute positions, by its id or the beginning of it.
    plot
        Draw p_j^T K^T Q p_i of every head to this .png, .svg or .pdf file.
    html
        Draw them with the table to this .html page.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    as_json
        Print JSON instead of a table.
    """
    from lengthwise.report.output import check_format
    from lengthwise.runs.store import Store
    from lengthwise.runs.trained import load_run
    from lengthwise.theory.limit.readout import read_positions

    if plot is not None:
        check_format(plot)
    loaded = load_run(Store(store), run)
    reading = read_positions(loaded.model, f"{loaded.id} ({loaded.subject})")
    if plot is not None:
        from lengthwise.report.static import save_drawn
        from lengthwise.report.theory_figures import draw_reading

        save_drawn(draw_reading(reading), plot)
        sys.stderr.write(f"figure: {plot}\n")
    if html is not None:
        from lengthwise.report.heat_pages import products_document
        from lengthwise.report.html import save

        save(products_document(reading), html)
        sys.stderr.write(f"page: {html}\n")
    rows = [asdict(head) for head in reading.heads]
    if as_json:
        print_json({"run": reading.subject, "heads": rows})
        return
    print_table([_rounded(row) for row in rows], title=reading.subject)


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name.replace("_", " "): f"{value:.4g}" if isinstance(value, float) else value
        for name, value in row.items()
    }


def positional_fit(
    *relations: str,
    widths: Many = (32, 256),
    size: Literal["small", "paper"] = "small",
    steps: Count | None = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Fit positional relations by products of learned vectors and test them on longer windows.

    Low rank favours periodic relations, wide tables local ones (Huang et al. 2025, appendix).

    Example: lengthwise positional-fit mod3=0 j=i-1 --widths 8 128

    Parameters
    ----------
    relations
        Relations by name; default: j=i-1, mod3=0, j<i and prime.
    widths
        Widths of the position vectors.
    size
        Small (80 positions, windows of 20) or as in the paper (200 positions, windows of 50).
    steps
        Training steps, instead of the size's own.
    seed
        Of the initial weights and the windows.
    as_json
        Print JSON instead of a table.
    """
    from dataclasses import replace

    from lengthwise.theory.limit.positional_fit import RELATIONS, FitSettings, fit_relation

    for name in relations:
        if name not in RELATIONS:
            raise InputError(f"unknown relation {name!r}. Known: {', '.join(RELATIONS)}.")
    settings = replace(FitSettings.paper() if size == "paper" else FitSettings(), seed=seed)
    if steps is not None:
        settings = replace(settings, steps=steps)
    chosen = relations or ("j=i-1", "mod3=0", "j<i", "prime")
    fits = [fit_relation(name, width, settings) for name in chosen for width in widths]
    if as_json:
        print_json([asdict(fit) for fit in fits])
        return
    rows = []
    for fit in fits:
        row: dict[str, Any] = {"relation": fit.relation, "width": fit.width}
        pairs = zip(fit.lengths, fit.error, fit.baseline, strict=True)
        row |= {f"error at {n} (constant)": f"{e:.3g} ({b:.3g})" for n, e, b in pairs}
        rows.append(row)
    print_table(rows)


def infer(
    target: str,
    *,
    contexts: Many = (4, 6, 8, 10, 12),
    method: Literal["programs", "training"] = "programs",
    horizon: Count = 64,
    letters: str | None = None,
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
        A regular expression, a task about a language, an automaton (`x.json`), a program (`x.cr`)
        or FILE.py:function. With --method training a task, a regular expression or an automaton.
    contexts
        Contexts n; words to length n/2 are fitted.
    method
        Smallest C-RASP programs, or decoders trained with the positional penalty.
    horizon
        Longest length on which programs are tried.
    letters
        The alphabet; default: the letters that the target names. A function needs it.
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
    from lengthwise.subjects import as_target, as_task, read_subject
    from lengthwise.theory.limit.inference import smallest_programs

    if method == "programs":
        from lengthwise.core.clock import Clock
        from lengthwise.crasp.learning import Budget

        limit = Clock(60 + 3 * seconds * len(contexts))
        with closing(read_subject(target, limit, alphabet=letters)) as read:
            rows = smallest_programs(
                as_target(read),
                contexts,
                horizon=horizon,
                budget=Budget(seconds=seconds),
                seed=seed,
            )
    else:
        rows = minimal_training(
            as_task(target), contexts, coefficient=regularize, steps=steps, seed=seed, store=store
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
