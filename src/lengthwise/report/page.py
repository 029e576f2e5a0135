"""A self-contained HTML page of results."""

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader

from lengthwise._version import __version__
from lengthwise.report.curves import curves
from lengthwise.report.figure import figure_bytes
from lengthwise.runs.files import write_bytes
from lengthwise.runs.result import RunResult


def save_page(results: Sequence[RunResult], path: Path, title: str) -> None:
    """Write one file with the figure, the table and every run's specification."""
    drawn = curves(results)
    svg = figure_bytes(drawn, "svg").decode()
    templates = Environment(loader=PackageLoader("lengthwise.report"), autoescape=True)
    html = templates.get_template("page.html").render(
        title=title,
        svg=svg[svg.index("<svg") :],
        curves=drawn,
        results=results,
        version=__version__,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, html.encode())
