"""Named lists of languages that ship with the package."""

from dataclasses import dataclass
from importlib.resources import files

from lengthwise.core.errors import unknown
from lengthwise.languages.convention import LanguageConvention, language_convention

SUITES = {"published": "published.tsv"}


@dataclass(frozen=True)
class Suite:
    """A list of languages and the convention that it was published with."""

    accept: LanguageConvention
    entries: "tuple[NamedLanguage, ...]"


@dataclass(frozen=True)
class NamedLanguage:
    """A language with the verdicts that Huang et al. 2025 published for it, where they did."""

    name: str
    regex: str
    alphabet: str
    plain: str | None
    periodic_local: str | None


def suite(name: str) -> Suite:
    """Return a suite; its file names the convention in a line ``# accept: end``.

    Example:
        >>> found = suite("published")
        >>> found.accept, found.entries[1].regex
        ('end', '(10)*')
    """
    if name not in SUITES:
        raise unknown("suite", name, SUITES)
    text = files("lengthwise.theory.decide").joinpath(SUITES[name]).read_text(encoding="utf-8")
    lines = text.splitlines()
    stated = next(line for line in lines if line.startswith("# accept: "))
    accept = language_convention(stated.removeprefix("# accept: "))
    assert accept is not None
    rows = [line.split("\t") for line in lines if line and not line.startswith("# ")]
    found = (NamedLanguage(n, r, a, plain or None, local or None) for n, r, a, plain, local in rows)
    return Suite(accept, tuple(found))
