"""Named lists of languages that ship with the package."""

from dataclasses import dataclass
from importlib.resources import files

from lengthwise.core.errors import unknown

SUITES = {"published": "published.tsv"}


@dataclass(frozen=True)
class Entry:
    """A language with the verdicts that Huang et al. 2025 published for it, where they did."""

    name: str
    regex: str
    alphabet: str
    plain: str | None
    periodic_local: str | None


def suite(name: str) -> list[Entry]:
    """Return the languages of a suite.

    Example:
        >>> suite("published")[1].regex
        '(10)*'
    """
    if name not in SUITES:
        raise unknown("suite", name, SUITES)
    text = files("lengthwise.theory.decide").joinpath(SUITES[name]).read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("# ")]
    return [Entry(n, r, a, plain or None, local or None) for n, r, a, plain, local in rows]
