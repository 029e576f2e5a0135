"""``lrc``, ``theorem``, ``src``, ``relation``, ``nope``, ``probe``: the lab on the command line."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, Seed, Whole, print_json, print_table, say
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Many = Parameter(consume_multiple=False, negative="")


def lrc(
    *,
    target: str = "decay",
    n0: Whole = 4,
    n: Whole = 10,
    pe: Annotated[tuple[str, ...], Many] = ("ape,rpe,nope,rope,ideal",),
    trainer: Literal["closed", "gradient"] = "closed",
    inputs: Literal["gaussian", "signs"] = "gaussian",
    seed: Seed = 0,
    plot: Path | None = None,
    as_json: Json = False,
) -> None:
    """Show which encodings extrapolate a position-only linear target, and why (LRC).

    Example: lengthwise lrc --target decay --n0 4 --n 10 --plot decay.svg

    Parameters
    ----------
    target
        banded, sum, select-first, select-middle, mean, decay, uniform, reuse, or an
        upper-triangular matrix in a .npy file (row = key, column = query).
    n0
        Largest scale in training.
    n
        Largest scale in testing.
    pe
        Encodings: ape, rpe, nope, rope, ideal; separated by commas or given several times.
    trainer
        Minimum-norm least squares, or gradient descent from 0.
    inputs
        Gaussian inputs, or signs as in the variant with advice.
    seed
        Of the training inputs and of the random targets.
    plot
        Write the figure to this .png, .svg or .pdf file.
    as_json
        Print everything as JSON.
    """
    from lengthwise.theory.linear.comparison import study

    _check_plot(plot)
    found = study(
        target,
        n0=n0,
        n=n,
        encodings=_split(pe, "--pe"),
        trainer=trainer,
        inputs=inputs,
        seed=seed,
    )
    if plot is not None:
        from lengthwise.report.theory_figures import draw_study

        _save(draw_study(found), plot)
    if as_json:
        print_json(found.plain())
        return
    print_table(found.scale_rows(), title=f"{target}: complexity and largest error by scale")
    print_table(found.encoding_rows())
    answer = "does not grow: some encoding" if found.predicted else "grows: no encoding"
    say(f"LRC_0 {answer} generalizes from {n0} to {n} (Theorem 2, reconstructed).")


def theorem(
    number: Literal[1, 2],
    *,
    n0: Whole = 2,
    n: Whole = 3,
    levels: Count = 4,
    plot: Path | None = None,
    as_json: Json = False,
) -> None:
    """Check a theorem on position-only linear attention by counting every case.

    1: the share of concepts that any encoding can extrapolate from one short block.
    2: some encoding extrapolates a target if and only if its complexity does not grow.

    Example: lengthwise theorem 2

    Parameters
    ----------
    number
        1 or 2.
    n0
        Largest scale in training.
    n
        Largest scale in testing; at most 3 for theorem 1.
    levels
        Theorem 2: entries take this many values. Theorem 1 uses 4, 8, 16 and 32.
    plot
        Write the figure of theorem 1 to this .png, .svg or .pdf file.
    as_json
        Print everything as JSON.
    """
    from lengthwise.theory.linear import exhaustive_check
    from lengthwise.theory.linear.comparison import theorem1_rows

    _check_plot(plot)
    if number == 1:
        rows = theorem1_rows(n0, n)
        if plot is not None:
            from lengthwise.report.theory_figures import draw_theorem1

            _save(draw_theorem1(rows, n0, n), plot)
    else:
        if plot is not None:
            raise InputError("--plot: theorem 2 is a count without a figure; see `lengthwise lrc`.")
        names = {0: "stay at 0", None: "count as failures"}
        checked = {init: exhaustive_check(n0, n, levels, init=init) for init in names}
        rows = [
            {"untrained classes": names[init], "targets": total, "mismatches": wrong}
            for init, (wrong, total) in checked.items()
        ]
    if as_json:
        print_json(rows)
    else:
        print_table(rows)


def src(
    *task: str,
    pe: Annotated[tuple[str, ...], Many] = ("ape,rpe,ipe",),
    n0: Whole = 5,
    n: Whole = 20,
    layout: Literal["aligned", "zero", "unaligned"] = "aligned",
    merge: Annotated[bool, Parameter(negative="")] = False,
    plot: Path | None = None,
    as_json: Json = False,
) -> None:
    """Show how many operators a task needs at each scale under an encoding, and the conjecture.

    The conjecture (Chen, Liang and Lin 2025): length generalization is possible if and only if
    this number, the sequential representation complexity, does not grow. It is not a theorem.

    Example: lengthwise src parity addition --pe ape,rpe,ipe

    Parameters
    ----------
    task
        Tasks by name (without any: all of them), or your own gates as file.py:Name.
    pe
        Relations: ape, rpe, nope, ipe (ideal), or your own phi(query, key, scale) as file.py:name;
        separated by commas or given several times.
    n0
        Largest scale in training.
    n
        Largest scale in testing.
    layout
        How operands are written: padded to one width, filled with zeros, or at natural length.
    merge
        Also merge operators whose truth tables never disagree, at scales up to n0.
    plot
        Write the figure to this .png, .svg or .pdf file.
    as_json
        Print everything as JSON.
    """
    from lengthwise.relations.library import NAMES, circuit
    from lengthwise.theory.circuits.growth import growth, verdict_row
    from lengthwise.theory.circuits.merging import merged_src

    _check_plot(plot)
    relations = _split(pe, "--pe")
    families = [circuit(name, layout=layout, reference=n) for name in task or NAMES]
    verdicts = [v for f in families for v in growth(f, relations, train_scale=n0, scale=n)]
    merged = {f.name: merged_src(f, n0).tolist() for f in families} if merge else {}
    if plot is not None:
        from lengthwise.report.theory_figures import draw_src

        _save(draw_src(verdicts), plot)
    rows = [verdict_row(v, sorted({n0, (n0 + n) // 2, n})) for v in verdicts]
    if as_json:
        curves = [{**row, "src": v.src.tolist()} for row, v in zip(rows, verdicts, strict=True)]
        print_json({"rows": curves, "merged": merged, "kind": "conjecture"})
        return
    print_table(rows, title=f"SRC, trained to scale {n0}, {layout} layout")
    for name, counts in merged.items():
        say(f"{name}: operators after merging, scales 1..{n0}: {counts}")


def relation(
    task: str,
    *,
    scale: Count = 3,
    layout: Literal["aligned", "zero", "unaligned"] = "unaligned",
    reference: Count = 20,
    output: Path | None = None,
    plot: Path | None = None,
    as_json: Json = False,
) -> None:
    """Print the ideal position relation of a task, read off its gates.

    Example: lengthwise relation addition --scale 2

    Parameters
    ----------
    task
        A task by name, or your own gates as file.py:Name.
    scale
        The scale at which the table is shown.
    layout
        How operands are written: padded to one width, filled with zeros, or at natural length.
    reference
        Largest scale of the aligned and zero layouts, and of the tables in --output.
    output
        Write the relation to this .npz file, for `--pe ipe:relation=FILE.npz` (or ipe-sh, if the
        relation needs the scale).
    plot
        Write the map to this .png, .svg or .pdf file.
    as_json
        Print formulas and table as JSON.
    """
    from lengthwise.relations.library import circuit
    from lengthwise.theory.circuits.growth import (
        check_function,
        relation_report,
        relation_tables,
    )

    _check_plot(plot)
    if output is not None and output.suffix != ".npz":
        raise InputError(f"--output {str(output)!r}: use a name that ends in .npz.")
    family = circuit(task, layout=layout, reference=reference)
    checked = check_function(family, scale)
    found = relation_report(family, scale)
    encoding = "ipe-sh" if found.uses_scale else "ipe"
    if output is not None:
        from lengthwise.relations.tables import save_table

        save_table(output, *relation_tables(family, reference))
    if plot is not None:
        from lengthwise.report.theory_figures import draw_relation

        labels = [f"slot {k}: {f}" if f else f"slot {k}" for k, f in enumerate(found.formulas, 1)]
        _save(draw_relation(found.table, f"{found.task}, scale {scale}", labels), plot)
    if as_json:
        print_json({**found.plain(), "encoding": encoding, "truth_tables_checked": checked})
        return
    for line in [*found.lines(), "phi(i, j) = 0  otherwise", "", *_grid(found.table.tolist())]:
        say(line)
    hint = "needs the scale n as a hint" if found.uses_scale else "does not need the scale"
    say(f"\nThe relation {hint}. Absent arguments point to position 1.")
    if output is not None:
        say(f"For training: --pe {encoding}:relation={output}")


def nope(
    *,
    positions: Annotated[tuple[str, ...], Many] = ("8,64,512",),
    norm: Literal["none", "rms", "layer"] = "none",
    bypass: float = 1e9,
    heads: Count = 2,
    seed: Seed = 0,
    plot: Path | None = None,
    as_json: Json = False,
) -> None:
    """Build NoPE decoders that hold positions and attend by distance, and verify them.

    Example: lengthwise nope --positions 8,64,512,2048 --norm rms

    Parameters
    ----------
    positions
        Longest sequences, separated by commas; the largest is drawn.
    norm
        The decoder's norm; other than none it is bypassed by a large constant.
    bypass
        The size of that constant.
    heads
        Attention heads; the second block has the slopes of ALiBi.
    seed
        Of the arbitrary content weights and tokens.
    plot
        Write the figure to this .png, .svg or .pdf file.
    as_json
        Print the deviations as JSON.
    """
    from lengthwise.theory.nope import position_decoder, verify

    _check_plot(plot)
    sizes = [_whole(part, "--positions") for part in _split(positions, "--positions")]
    built = [position_decoder(n, norm=norm, bypass=bypass, heads=heads, seed=seed) for n in sizes]
    found = [vars(verify(one, seed=seed)) for one in built]
    if plot is not None:
        from lengthwise.report.theory_figures import draw_construction

        _save(draw_construction(max(built, key=lambda one: one.positions)), plot)
    if as_json:
        print_json(found)
        return
    print_table(
        [{k: f"{v:.1e}" if isinstance(v, float) else v for k, v in row.items()} for row in found],
        title="largest deviations; the last two columns are ablations",
    )


def probe(
    run: str,
    *,
    store: Path | None = None,
    instances: Count = 200,
    seed: Seed = 0,
    plot: Path | None = None,
    as_json: Json = False,
) -> None:
    """Show how well each layer of a trained model tells the position, by a linear probe.

    Beside it: the same model before training, and the construction that holds positions exactly.

    Example: lengthwise probe 3f2a --plot probe.svg

    Parameters
    ----------
    run
        A finished run, by its id or the beginning of it (see `lengthwise runs`).
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    instances
        Sequences for fitting the probe, and for each range of lengths in its test.
    seed
        Of these sequences.
    plot
        Write the figure to this .png, .svg or .pdf file.
    as_json
        Print the probes as JSON.
    """
    from lengthwise.analysis.probes import probe_run
    from lengthwise.runs.store import Store

    _check_plot(plot)
    found = probe_run(Store(store), run, instances=instances, seed=seed)
    if plot is not None:
        from lengthwise.report.model_figures import draw_probes

        _save(draw_probes(found), plot)
    if as_json:
        print_json(found.plain())
        return
    print_table(found.rows(), title=f"{found.subject}: position read linearly from each layer")


def _split(values: Sequence[str], option: str) -> list[str]:
    parts = [part.strip() for value in values for part in value.split(",") if part.strip()]
    if not parts:
        raise InputError(f"{option}: name at least one.")
    return parts


def _whole(text: str, option: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{option} {text!r}: use whole numbers, as 8,64,512.") from None


def _grid(table: Sequence[Sequence[int]]) -> list[str]:
    lines = ["table, query i downwards, key j across:"]
    for query, row in enumerate(table, 1):
        lines.append(f"{query:4d} | " + " ".join(str(v) if v else "." for v in row[:query]))
    return lines


def _check_plot(path: Path | None) -> None:
    from lengthwise.report.output import check_format

    if path is not None:
        check_format(path)


def _save(figure: "Figure", path: Path) -> None:
    from lengthwise.report.static import save_drawn

    save_drawn(figure, path)
