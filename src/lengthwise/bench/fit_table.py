"""Figures of merit: time to fit, share of seeds that fit, time to settle, spread over seeds."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lengthwise.bench.fit_cells import FitCell
from lengthwise.bench.measure import Figure, Row

LONG = 10.0
"""Processor seconds to fit from which a problem counts as one that takes long."""


@dataclass(frozen=True)
class Merit:
    """What the seeds of one problem with one recipe say together."""

    seeds: int
    fitted: int
    fit_seconds: float
    """The mean over seeds; one that does not fit counts with the cap."""
    seconds: float
    spread: float
    """The standard deviation over seeds at the longest lengths; of at least two."""
    furthest: float
    """The mean accuracy there."""


def merit(cells: Sequence[FitCell]) -> Merit:
    """Sum up the cells of one problem and one recipe.

    Example:
        >>> cell = FitCell(
        ...     study="", task="t", encoding="nope", recipe="r", seed=0, fitted=True,
        ...     fit_seconds=2, fit_steps=9, seconds=4, steps=9, rung=0, accuracies=(1, 0.5, 0.2),
        ... )
        >>> other = cell.model_copy(update={"seed": 1, "accuracies": (1, 0.5, 0.6)})
        >>> merit([cell, other]).spread
        0.2
    """
    last = [cell.accuracies[-1] for cell in cells]
    return Merit(
        seeds=len(cells),
        fitted=sum(cell.fitted for cell in cells),
        fit_seconds=statistics.fmean(cell.fit_seconds for cell in cells),
        seconds=statistics.fmean(cell.seconds for cell in cells),
        spread=round(statistics.pstdev(last), 6),
        furthest=statistics.fmean(last),
    )


def merits(cells: Iterable[FitCell]) -> dict[tuple[str, str], dict[str, Merit]]:
    """Return the figures by problem, then by recipe, in the order of the cells."""

    together: dict[tuple[str, str], dict[str, list[FitCell]]] = {}
    for cell in cells:
        by = together.setdefault((cell.task, cell.encoding), {})
        by.setdefault(cell.recipe, []).append(cell)
    return {
        problem: {recipe: merit(members) for recipe, members in by.items()}
        for problem, by in together.items()
    }


def fit_rows(cells: Iterable[FitCell], ours: str, before: str) -> list[Row | Figure]:
    """Return the summary over problems that were measured with both recipes."""
    both = [by for by in merits(cells).values() if {ours, before} <= by.keys()]
    rows: list[Row | Figure] = []
    slow = [by for by in both if by[before].fit_seconds > LONG]
    for name, chosen in (("all problems", both), (f"those over {LONG:g} s before", slow)):
        if chosen:
            rows.append(_ratio(f"time to fit, geometric mean over {name}", chosen, ours, before))
    for recipe in (ours, before):
        if both:
            rows += _figures(recipe, [by[recipe] for by in both])
    return rows


def _ratio(name: str, chosen: Sequence[dict[str, Merit]], ours: str, before: str) -> Row:
    ratios = [by[before].fit_seconds / by[ours].fit_seconds for by in chosen]
    means = [_geometric([by[recipe].fit_seconds for by in chosen]) for recipe in (ours, before)]
    return Row(
        group="fitting",
        name=f"{name} ({len(chosen)})",
        peer=before,
        ours=means[0],
        theirs=means[1],
        ratio=means[1] / means[0],
        low=min(ratios),
        high=max(ratios),
    )


def _figures(recipe: str, found: Sequence[Merit]) -> list[Figure]:
    fitted = 100 * sum(m.fitted for m in found) / sum(m.seeds for m in found)
    spread = statistics.fmean(m.spread for m in found)
    return [
        Figure(group="fitting", name=f"{recipe}: seeds that fit", value=fitted, unit="%"),
        Figure(
            group="fitting", name=f"{recipe}: spread at the longest lengths", value=spread, unit=""
        ),
    ]


def _geometric(values: Sequence[float]) -> float:
    return math.exp(statistics.fmean(math.log(value) for value in values))


def fit_table(cells: Iterable[FitCell], ours: str) -> list[dict[str, Any]]:
    """Return one line for each problem and recipe, as people read it."""
    lines = []
    for (task, encoding), by in merits(cells).items():
        mine = by.get(ours)
        for recipe, m in by.items():
            lines.append(
                {
                    "problem": task,
                    "encoding": encoding,
                    "recipe": recipe,
                    "fitted": f"{m.fitted} of {m.seeds}",
                    "to fit": f"{m.fit_seconds:.3g} s",
                    "ratio": f"{m.fit_seconds / mine.fit_seconds:.2g}x" if mine else "",
                    "to the end": f"{m.seconds:.3g} s",
                    "longest lengths": _at_the_end(m),
                }
            )
    return lines


def _at_the_end(m: Merit) -> str:
    """Say the accuracy at the longest lengths; one seed has no spread."""
    mean = f"{100 * m.furthest:.0f}"
    return f"{mean} ± {100 * m.spread:.0f}%" if m.seeds > 1 else f"{mean}%"
