"""A prediction as one self-contained HTML page."""

from pathlib import Path

from lengthwise._version import __version__
from lengthwise.theory.verdict.classes import TITLES
from lengthwise.theory.verdict.explain import CAVEAT, NO_REACH, conflicts, needs_of
from lengthwise.theory.verdict.types import STRENGTHS, Prediction


def render_page(prediction: Prediction) -> str:
    """Return the page; everything a user supplied is escaped.

    Example:
        >>> from lengthwise.theory.verdict import predict
        >>> "<script" in render_page(predict("(ab)*", encodings=["nope"]))
        False
    """
    from jinja2 import Environment, PackageLoader

    loader = PackageLoader("lengthwise.theory.verdict")
    template = Environment(loader=loader, autoescape=True).get_template("card.html")
    return template.render(
        p=prediction,
        titles=TITLES,
        conflicts=conflicts(prediction),
        needs=needs_of(prediction),
        no_reach=NO_REACH,
        caveat=CAVEAT,
        strengths=STRENGTHS,
        version=__version__,
    )


def save_page(prediction: Prediction, path: Path) -> None:
    """Write the page; problems are one line."""
    from lengthwise.theory.automata.verify import write_text

    write_text(path, render_page(prediction))
