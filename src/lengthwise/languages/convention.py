"""Conventions: where an answer is read, which is part of every question.

``.*b`` read at the last letter, which is visible, needs no counting at all; read behind the word it
is outside C-RASP. One default, ``last``, holds for languages and functions in every command: it is
the standard definition of acceptance by a C-RASP program. Tasks and programs say themselves.
"""

from typing import Literal, get_args

Convention = Literal["last", "end", "predict", "labels", "answer", "program"]
"""Every way to read an answer."""
LanguageConvention = Literal["last", "end", "predict"]
"""Those a language can be decided under, which users choose from."""
Accept = Literal["last", "end"]
"""Those a program's own answer can be read under."""

LANGUAGES: tuple[LanguageConvention, ...] = get_args(LanguageConvention)
DEFAULT: LanguageConvention = "last"

TITLES: dict[str, str] = {
    "last": "read at the last letter, which is visible",
    "end": "read at an extra end position; the last letter is not visible",
    "predict": "read at every letter: which symbols may follow, and may the word stop",
    "labels": "the task's own label at every letter, on prefixes of words of the language",
    "answer": "scored on the answer after the separator",
    "program": "what the program itself computes",
}
"""Each convention in words."""


def language_convention(name: str) -> LanguageConvention | None:
    """Return the name as a convention of languages; None if it is none.

    Example:
        >>> language_convention("end"), language_convention("labels")
        ('end', None)
    """
    return next((known for known in LANGUAGES if known == name), None)
