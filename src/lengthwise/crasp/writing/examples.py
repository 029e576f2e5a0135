"""Texts and the token that is asked for at some of their positions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lengthwise.crasp.interpreter import evaluate_expressions
from lengthwise.crasp.syntax import Bool
from lengthwise.languages.words import Words

Text = tuple[str, ...]


@dataclass(frozen=True)
class AskedTexts:
    """Texts, and for each the positions that are asked about with the wanted token.

    Example:
        >>> found = AskedTexts([("a", "b", "<sep>", "b")], [{2: "b"}])
        >>> found.cells
        [(0, 2, 'b')]
    """

    texts: list[Text]
    asked: list[dict[int, str]]

    @cached_property
    def cells(self) -> list[tuple[int, int, str]]:
        """Every question: number of the text, position, wanted token; equal prefixes once."""
        found: dict[Text, tuple[int, int, str]] = {}
        for row, (text, asked) in enumerate(zip(self.texts, self.asked, strict=True)):
            for place, token in asked.items():
                found.setdefault(text[: place + 1], (row, place, token))
        return list(found.values())

    def contradiction(self) -> Text | None:
        """Return a prefix after which two different tokens are asked for."""
        known: dict[Text, str] = {}
        for text, asked in zip(self.texts, self.asked, strict=True):
            for place, token in asked.items():
                if known.setdefault(text[: place + 1], token) != token:
                    return text[: place + 1]
        return None

    def joined(self, other: "AskedTexts") -> "AskedTexts":
        """Return the examples of both."""
        return AskedTexts([*self.texts, *other.texts], [*self.asked, *other.asked])

    def chosen(self, rows: Iterable[int]) -> "AskedTexts":
        """Return some of the texts."""
        rows = list(rows)
        return AskedTexts([self.texts[row] for row in rows], [self.asked[row] for row in rows])


class QuestionTable:
    """Values of expressions at the questions of some examples."""

    def __init__(self, examples: AskedTexts, letters: Sequence[str], most: int) -> None:
        cells = examples.cells
        if len(cells) > most:  # spread over all texts
            keep = np.random.default_rng(0).permutation(len(cells))[:most]
            cells = [cells[int(k)] for k in np.sort(keep)]
        rows = sorted({row for row, _, _ in cells})
        number = {row: k for k, row in enumerate(rows)}
        ends: dict[int, int] = {}
        for row, place, _ in cells:
            ends[row] = max(ends.get(row, 0), place)
        self._words = Words.encode([examples.texts[r][: ends[r] + 1] for r in rows], letters)
        self._rows = np.array([number[row] for row, _, _ in cells])
        self._places = np.array([place for _, place, _ in cells])
        self.symbols = tuple(letters)
        self.wanted = np.array([self.symbols.index(token) for _, _, token in cells])
        self._known: dict[Bool, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.wanted)

    def holds(self, nodes: Sequence[Bool]) -> np.ndarray:
        """Return where each Boolean holds, (nodes, questions)."""
        values = evaluate_expressions(nodes, self._words)
        return np.stack([np.asarray(value)[self._rows, self._places] for value in values])

    def value(self, cases: dict[str, Bool]) -> np.ndarray:
        """Return which symbol a term names at each question, -1 where none or several."""
        names = np.array([self.symbols.index(name) for name in cases])
        holds = self.holds(list(cases.values()))
        return np.where(holds.sum(axis=0) == 1, names[holds.argmax(axis=0)], -1)
