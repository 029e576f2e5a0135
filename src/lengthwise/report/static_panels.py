"""What static figures show: curves of runs, a study's figures, a scoreboard."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from lengthwise.core.errors import InputError, unknown
from lengthwise.core.outputs import save_bytes
from lengthwise.records.outcomes import LINE
from lengthwise.report.colours import COLOURS
from lengthwise.report.curve_parts import (
    MOST_SEEDS,
    SEED_POINTS,
    WORTH,
    by_panel,
    encodings_of,
)
from lengthwise.report.curves import Curve, best, points_of, pool_runs
from lengthwise.report.guessing import with_chance
from lengthwise.report.output import check_format
from lengthwise.report.run_sources import BOARD, Source
from lengthwise.report.static import (
    Draw,
    Look,
    Plot,
    line_styles,
    plots_bytes,
)
from lengthwise.report.study_figures import HEAT, Drawing, read_figure
from lengthwise.report.study_page import study_runs

CURVES = "curves"
"""The name of the figure that every study has: its runs' accuracy against length."""


def source_plots(
    source: Source, look: Look, *, figure: str | None = None, only_best: bool = False
) -> list[Plot]:
    """Return the panels of what the command line names: curves, a scoreboard, a study's figure."""
    if source.file is None:
        _no_choice(figure, "runs")
        return curve_plots(_curves(pool_runs(list(source.runs)), only_best), look)
    if source.file["format"] == BOARD:
        _no_choice(figure, "a scoreboard")
        return [board_plot(source.file.get("cells") or [], float(source.file.get("line", LINE)))]
    return _study(source.file, look, figure, only_best)


def _curves(drawn: list[Curve], only_best: bool) -> list[Curve]:
    return best(drawn) if only_best else drawn


def _no_choice(figure: str | None, what: str) -> None:
    if figure is not None:
        raise InputError(f"--figure {figure!r}: {what} gives one figure; leave the option out.")


def _study(data: Mapping[str, Any], look: Look, figure: str | None, only_best: bool) -> list[Plot]:
    drawings = [read_figure(one) for one in data.get("figures") or []]
    runs = study_runs(data)
    if figure is None and not runs and drawings:
        return [drawing_plot(drawing, look) for drawing in drawings]
    if figure in (None, CURVES):
        return curve_plots(_curves(pool_runs(runs), only_best), look)
    found = [drawing for drawing in drawings if drawing.title == figure]
    if not found:
        raise unknown("--figure", str(figure), [CURVES, *(d.title for d in drawings)])
    return [drawing_plot(drawing, look) for drawing in found]


def save_figure(curves: Sequence[Curve], path: Path, look: Look | None = None) -> None:
    """Draw the curves, one panel per task, into a file."""
    suffix = check_format(path)
    save_bytes(path, figure_bytes(curves, suffix, look))


def figure_bytes(curves: Sequence[Curve], suffix: str, look: Look | None = None) -> bytes:
    """Return the figure of some curves in one of the formats."""
    chosen = look or Look()
    return plots_bytes(curve_plots(curves, chosen), suffix, chosen)


def curve_plots(curves: Sequence[Curve], look: Look) -> list[Plot]:
    """Return one panel per task and training range."""
    curves = with_chance(curves)
    looks = line_styles(encodings_of(curves))
    groups = by_panel(curves)
    if not groups:
        raise InputError("figure: there are no curves to draw.")
    several = len({task for _, task, _ in groups}) < len(groups)
    return [
        Plot(
            _curve_panel(members, looks, look, _title(members[0], several)),
            series=tuple(curve.encoding for curve in members),
        )
        for members in groups.values()
    ]


def _title(curve: Curve, several: bool) -> str:
    if not several:
        return curve.task
    group = f"{curve.group}: " if curve.group else ""
    return f"{group}{curve.task}, trained to {curve.trained_to}"


def _curve_panel(
    members: Sequence[Curve], looks: Mapping[str, Any], look: Look, title: str
) -> Draw:
    def draw(axis: Axes) -> None:
        low, high = members[0].trained
        axis.axvspan(max(low, 1) if look.log else low, high, color="#888888", alpha=0.15, lw=0)
        _chance(axis, members[0])
        for curve in members:
            kind = looks[curve.encoding]
            _seeds(axis, curve, kind["color"], look)
            points = [p for p in curve.points if p.middle > 0 or not look.log]
            x = [p.middle for p in points]
            ends = [p.interval[0] for p in points], [p.interval[1] for p in points]
            axis.fill_between(x, *ends, color=kind["color"], alpha=0.18, lw=0)
            axis.plot(x, [p.accuracy for p in points], label=_escaped(curve.encoding), **kind)
        axis.set_title(_escaped(title), loc="left")
        axis.set(xlabel="length", ylabel="exact match", ylim=(-0.03, 1.03))
        axis.margins(x=0)
        axis.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        if look.log:
            axis.set_xscale("log")

    return draw


def _chance(axis: Axes, curve: Curve) -> None:
    """Draw what guessing gives, range by range, and say so once."""
    worth = [guess for guess in curve.chance if guess.accuracy >= WORTH]
    for guess in worth:
        ends = max(guess.low, 1), guess.high
        axis.plot(ends, [guess.accuracy] * 2, color="#777777", ls=(0, (1, 2)), lw=1)
    if worth:
        last = worth[-1]
        at = last.high, last.accuracy
        axis.annotate(
            "chance",
            at,
            (0, -2),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize="x-small",
            color="#777777",
        )


def _seeds(axis: Axes, curve: Curve, colour: str, look: Look) -> None:
    """Draw single seeds as thin lines."""
    for bins in curve.by_seed[:MOST_SEEDS] if len(curve.by_seed) > 1 else ():
        points = [p for p in points_of(bins, SEED_POINTS) if p.middle > 0 or not look.log]
        x = [p.middle for p in points]
        axis.plot(x, [p.accuracy for p in points], color=colour, lw=0.4, alpha=0.55)


def _escaped(text: str) -> str:
    """Show dollars as they are instead of reading mathematics between them."""
    return text.replace("$", r"\$")


def drawing_plot(drawing: Drawing, look: Look) -> Plot:
    """Return the panel of one figure of a study."""
    if drawing.kind in HEAT:
        return Plot(_heat(drawing) if drawing.kind == "heatmap" else _names(drawing))
    make = {"line": _lines, "bars": _bars}[drawing.kind]

    def draw(axis: Axes) -> None:
        make(axis, drawing)
        axis.set_title(drawing.title, loc="left", wrap=True)
        axis.set(xlabel=drawing.x, ylabel=drawing.y)
        if look.log and drawing.kind == "line":
            axis.set_xscale("log")

    return Plot(draw)


def _series(drawing: Drawing) -> dict[str, list[Mapping[str, Any]]]:
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in drawing.rows:
        groups.setdefault(str(row["s"]), []).append(row)
    return groups


def _lines(axis: Axes, drawing: Drawing) -> None:
    groups = _series(drawing)
    looks = line_styles(list(groups))
    for name, rows in groups.items():
        kind = looks[name]
        known = sorted((r for r in rows if r["y"] is not None), key=lambda row: row["x"])
        x = [row["x"] for row in known]
        if known and all("l" in row for row in known):
            ends = [row["l"] for row in known], [row["h"] for row in known]
            axis.fill_between(x, *ends, color=kind["color"], alpha=0.18, lw=0)
        axis.plot(x, [r["y"] for r in known], label=name, marker="o", markersize=2.2, **kind)


def _bars(axis: Axes, drawing: Drawing) -> None:
    groups = _series(drawing)
    places = {str(name): i for i, name in enumerate(dict.fromkeys(r["x"] for r in drawing.rows))}
    width = 0.8 / max(1, len(groups))
    looks = line_styles(list(groups))
    for number, (name, rows) in enumerate(groups.items()):
        x = [places[str(row["x"])] - 0.4 + width * (number + 0.5) for row in rows]
        y = [row["y"] or 0 for row in rows]
        axis.bar(x, y, width * 0.92, color=looks[name]["color"], label=name)
        for at, row in zip(x, rows, strict=True):
            if "l" in row:
                axis.plot([at, at], [row["l"], row["h"]], color="#333333", lw=0.8)
    tilted = sum(map(len, places)) > 24
    axis.set_xticks(list(places.values()), list(places), rotation=35 if tilted else 0)
    if tilted:
        for label in axis.get_xticklabels():
            label.set_horizontalalignment("right")


def _heat(drawing: Drawing) -> Draw:
    columns = list(dict.fromkeys(row["x"] for row in drawing.rows))
    lines = list(dict.fromkeys(row["y"] for row in drawing.rows))
    values = np.full((len(lines), len(columns)), np.nan)
    for row in drawing.rows:
        if row["v"] is not None:
            values[lines.index(row["y"]), columns.index(row["x"])] = row["v"]

    def draw(axis: Axes) -> None:
        image = axis.imshow(values, cmap="cividis", aspect="auto", interpolation="nearest")
        axis.grid(False)
        axis.set_title(drawing.title, loc="left", wrap=True)
        axis.set(xlabel=drawing.x, ylabel=drawing.y)
        axis.set_xticks(*_ticks(columns))
        axis.set_yticks(*_ticks(lines))
        colours = axis.figure.colorbar(image, ax=axis, shrink=0.8)
        colours.set_label(drawing.value)

    return draw


def _names(drawing: Drawing) -> Draw:
    """Draw a map whose values are names, with a legend instead of a scale."""
    columns = list(dict.fromkeys(row["x"] for row in drawing.rows))
    lines = list(dict.fromkeys(row["y"] for row in drawing.rows))
    names = sorted({str(row["v"]) for row in drawing.rows})
    palette = [COLOURS[number % len(COLOURS)] for number in range(len(names))]
    values = np.full((len(lines), len(columns)), np.nan)
    for row in drawing.rows:
        values[lines.index(row["y"]), columns.index(row["x"])] = names.index(str(row["v"]))

    def draw(axis: Axes) -> None:
        ends: dict[str, Any] = {"vmin": -0.5, "vmax": len(names) - 0.5}
        axis.imshow(
            values, cmap=ListedColormap(palette), aspect="auto", interpolation="nearest", **ends
        )
        axis.grid(False)
        axis.set_title(drawing.title, loc="left", wrap=True)
        axis.set(xlabel=drawing.x, ylabel=drawing.y)
        axis.set_xticks(*_ticks(columns))
        axis.set_yticks(*_ticks(lines))
        handles = [Patch(color=c, label=name) for c, name in zip(palette, names, strict=True)]
        axis.legend(handles=handles, title=drawing.value, fontsize=7, loc="upper right")

    return draw


def _ticks(names: Sequence[Any], most: int = 12) -> tuple[list[int], list[str]]:
    """Label every name, or every few of many."""
    step = -(-len(names) // most) or 1
    return list(range(0, len(names), step)), [str(name) for name in names[::step]]


def board_plot(cells: Sequence[Mapping[str, Any]], line: float) -> Plot:
    """Return a scoreboard as dots: filled where the prediction is yes, ringed where it is no."""
    if not cells:
        raise InputError("figure: the scoreboard has no cells.")
    problems = list(dict.fromkeys(str(cell["subject"]) for cell in cells))
    encodings = list(dict.fromkeys(str(cell["encoding"]) for cell in cells))
    looks = line_styles(encodings)

    def draw(axis: Axes) -> None:
        axis.axvline(line, color="#888888", lw=0.8, ls="--")
        for number, encoding in enumerate(encodings):
            colour = looks[encoding]["color"]
            shift = 0.5 * ((number + 0.5) / len(encodings) - 0.5)
            for answer, fill in (("yes", colour), ("no", "white"), ("undecided", "#cccccc")):
                found = [c for c in cells if (c["encoding"], c["predicted"]) == (encoding, answer)]
                axis.plot(
                    [c["accuracy"][-1] for c in found],
                    [problems.index(str(c["subject"])) + shift for c in found],
                    marker="o",
                    ls="",
                    ms=4,
                    mec=colour,
                    mfc=fill,
                    mew=1,
                    label=f"{encoding}, predicted {answer}" if found else "_",
                )
        axis.set_yticks(range(len(problems)), problems)
        axis.invert_yaxis()
        axis.set(xlabel="exact match on the last range of lengths", xlim=(-0.03, 1.03))

    return Plot(draw, height=max(0.35, 0.16 * len(problems) / 6.8 + 0.12))
