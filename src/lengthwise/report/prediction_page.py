"""A prediction as one self-contained HTML page."""

from pathlib import Path

from jinja2 import Environment, PackageLoader

from lengthwise._version import __version__
from lengthwise.core.outputs import save_bytes
from lengthwise.predict.card import CAVEAT, NO_REACH, conflicts, needs_of
from lengthwise.predict.classes import TITLES
from lengthwise.predict.types import STRENGTHS, Prediction


def render_page(prediction: Prediction) -> str:
    """Return the page; everything a user supplied is escaped.

    Example:
        >>> from lengthwise.predict import predict
        >>> "<script" in render_page(predict("(ab)*", encodings=["nope"]))
        False
    """
    loader = PackageLoader("lengthwise.predict")
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
    save_bytes(path, render_page(prediction).encode())
