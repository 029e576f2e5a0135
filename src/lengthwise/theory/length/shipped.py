"""The languages of the kept table: the library's recognisers, and the 17 of Huang et al. (2025)."""

from dataclasses import dataclass, replace

from lengthwise.crasp import library
from lengthwise.crasp.event_paths import Side
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide.named_languages import suite
from lengthwise.theory.length.kept import key_of

NESTED = ("d-3", "d-4", "d-12")
"""Other values of the library's parametrised recogniser."""
PUBLISHED = 17
"""The first languages of the published list are those of Huang et al. (2025)."""


@dataclass(frozen=True)
class ShippedLanguage:
    """A language under all its names, with what it is known by in the kept table."""

    names: tuple[str, ...]
    target: Side
    letters: tuple[str, ...]
    key: str
    order: tuple[str, ...]


def shipped_languages() -> list[ShippedLanguage]:
    """Return each language once, those with few letters first.

    Example:
        >>> found = {name for language in shipped_languages() for name in language.names}
        >>> {"majority", "Tomita 2", "D_12"} <= found
        True
    """
    found: dict[str, ShippedLanguage] = {}
    listed: list[tuple[str, Side, tuple[str, ...]]] = []
    for name in (*library.names(), *NESTED):
        program = library.load(name)
        if not program.is_generator:
            listed.append((name, program, program.letters()))
    for entry in suite("published").entries[:PUBLISHED]:
        dfa = compile_regex(entry.regex, entry.alphabet)
        listed.append((entry.name, dfa, dfa.alphabet))
    for name, target, letters in listed:
        language = _language(name, target, letters)
        known = found.get(language.key)
        names = language.names if known is None else (*known.names, *language.names)
        found[language.key] = replace(known or language, names=names)
    return sorted(found.values(), key=lambda language: len(language.letters))


def _language(name: str, target: Side, letters: tuple[str, ...]) -> ShippedLanguage:
    known = key_of(target, letters)
    assert known is not None, f"{name} has too many letters"
    return ShippedLanguage((name,), target, letters, *known)
