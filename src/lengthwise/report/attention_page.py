"""Attention as pictures: a grid of heads for papers, and a page with tables and maps."""

from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from lengthwise.analysis.distances import CENTRES
from lengthwise.analysis.heads import AttentionReport, Seen
from lengthwise.core.outputs import save_bytes
from lengthwise.report.document import Chart, Document, Prose, Section, Table, TableCell, words
from lengthwise.report.html import save
from lengthwise.report.output import check_format
from lengthwise.report.static import Draw, Look, Plot, plots_bytes
from lengthwise.report.vega import heat_map, line_chart
from lengthwise.tasks.inputs import symbols

MOST_HEADS = 24
"""Heads that are drawn; the tables have all."""
MOST_TOKENS = 64
"""Tokens of the first sequence that are drawn."""
TINTED = ("near", "middle", "far")


def save_figure(report: AttentionReport, path: Path) -> None:
    """Draw every head's attention on the first sequence, one row of panels per layer."""
    suffix = check_format(path)
    heads = report.first.attention.heads
    plots = [Plot(_draw(*each), height=1.0) for each in _maps(report.first, report)]
    save_bytes(path, plots_bytes(plots, suffix, Look(columns=min(heads, 6))))


def save_page(report: AttentionReport, path: Path) -> None:
    """Write one page: how far heads look, how alike two runs are, and the maps themselves."""
    save(document(report), path)


def document(report: AttentionReport) -> Document:
    """Lay out the page."""
    runs = [seen for seen in (report.first, report.second) if seen is not None]
    sections = [
        Section("How far heads look", [_histogram(runs), *map(_heads, runs)], _NOTE),
        *(
            [Section("How alike the two runs are", [_layers(report)], _ALIKE)]
            if report.alike
            else []
        ),
        *(Section(f"Attention of {seen.run.subject}", _charts(seen, report)) for seen in runs),
    ]
    facts = [
        ("sequences", str(len(report.batch.size))),
        ("queries", report.queries),
        *((f"run {number}", seen.run.id) for number, seen in enumerate(runs, 1)),
    ]
    title = f"Attention of {report.first.run.subject}"
    return Document(title, _lead(runs), facts=facts, sections=sections)


def _lead(runs: list[Seen]) -> str:
    """Say which head looks nearest and which farthest."""
    told = []
    for seen in runs:
        rows = seen.rows()
        near, far = max(rows, key=lambda row: row["near"]), max(rows, key=lambda row: row["far"])
        told.append(
            f"With {seen.run.spec.position}, layer {near['layer']}, head {near['head']} looks "
            f"nearest ({near['near']:.0%} of its queries near); layer {far['layer']}, head "
            f"{far['head']} farthest ({far['far']:.0%} far)."
        )
    return " ".join(told)


_NOTE = (
    "A query at position t (from 0) looks at the key with its largest logit, at distance d; d / (t "
    "+ 1) is near up to 0.1, far from 0.85. Expected: the mean distance under the attention."
)
_ALIKE = (
    "Mean over queries of the divergence between two heads, the smallest over pairs of heads, mean "
    "over sequences; 0 is equal, and 0.693 the most for Jensen-Shannon. The published formula has "
    "both divergences the other way round and pairs head i with heads j > i only."
)


def _histogram(runs: list[Seen]) -> Chart:
    rows = [
        {"x": centre, "y": float(share), "s": f"{seen.run.spec.position}, {seen.run.id}"}
        for seen in runs
        for centre, share in zip(CENTRES, seen.distances.histogram(), strict=True)
    ]
    spec = line_chart(rows, "attended distance as a share of the keys in sight", "share of queries")
    return Chart("All heads together", spec, wide=True)


def _heads(seen: Seen) -> Table:
    rows = seen.rows()
    cells = [[_cell(name, value) for name, value in row.items()] for row in rows]
    return Table(seen.run.subject, list(rows[0]), cells)


def _layers(report: AttentionReport) -> Table:
    rows = report.layers()
    title = f"{report.first.run.id} and {report.second.run.id if report.second else ''}"
    cells = [[_cell(name, value) for name, value in row.items()] for row in rows]
    return Table(title, list(rows[0]), cells)


def _cell(name: str, value: Any) -> TableCell:
    if name not in TINTED:
        return words(value if not isinstance(value, float) or isfinite(value) else "infinite")
    return TableCell(f"{value:.0%}", value, share=value)


def _maps(seen: Seen, report: AttentionReport) -> list[tuple[str, Any, list[str]]]:
    """Return name, probabilities and tokens of the heads that are drawn."""
    shown = seen.attention.row(0)[:, :, :MOST_TOKENS, :MOST_TOKENS].numpy()
    tokens = symbols(report.task, report.batch)[:MOST_TOKENS]
    every = (
        (f"layer {layer + 1}, head {head + 1}", shown[layer, head], tokens)
        for layer in range(seen.attention.layers)
        for head in range(seen.attention.heads)
    )
    return list(islice(every, MOST_HEADS))


def _charts(seen: Seen, report: AttentionReport) -> list[Chart | Prose]:
    cut = f", its first {MOST_TOKENS} tokens" if report.batch.size[0] > MOST_TOKENS else ""
    parts: list[Chart | Prose] = [Prose(f"First sequence{cut}: queries downwards, keys across.")]
    for title, values, tokens in _maps(seen, report):
        names = [f"{place} {token}" for place, token in enumerate(tokens)]
        rows = [
            {"x": names[key], "y": names[query], "v": round(float(values[query, key]), 4)}
            for query in range(len(names))
            for key in range(query + 1)
        ]
        spec = heat_map(rows, "key", "query", "attention", ends=(0, 1), height=260)
        parts.append(Chart(title, spec))
    return parts


def _draw(title: str, values: Any, tokens: list[str]) -> Draw:
    def draw(axis: Axes) -> None:
        axis.imshow(values, cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
        axis.set_title(title, fontsize="small")
        if len(tokens) <= 24:
            shown = [token.replace("$", r"\$") for token in tokens]
            axis.set_xticks(range(len(tokens)), shown, rotation=90, fontsize="xx-small")
            axis.set_yticks(range(len(tokens)), shown, fontsize="xx-small")
        axis.grid(visible=False)

    return draw
