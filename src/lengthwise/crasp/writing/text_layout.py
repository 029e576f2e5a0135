"""What the texts of a task look like: the tokens that stand once in each, and the parts between.

    a b + c <sep> d <eos>        marks +, <sep>;  parts "before +", "between + and <sep>", output

Only tokens are used that stand exactly once in every text up to the first question; the mark at the
first question, if there is one, begins the output.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from lengthwise.crasp.embedding import Q, count, exists, never, true
from lengthwise.crasp.syntax import Bool, Count
from lengthwise.crasp.writing.examples import AskedTexts, Text


@dataclass(frozen=True)
class TextLayout:
    """Letters in the task's order, marks in the order of the text, and the parts they make.

    ``parts`` are Booleans that hold inside a part; ``written`` counts the tokens written so far,
    where a mark says where the output begins.
    """

    letters: tuple[str, ...]
    marks: tuple[str, ...]
    parts: dict[str, Bool]
    written: Count | None
    outputs: tuple[str, ...] = field(default=())

    @property
    def few(self) -> bool:
        """Whether features may name single letters."""
        return len(self.letters) <= 6


def read_layout(examples: AskedTexts, order: Sequence[str]) -> TextLayout:
    """Find marks, parts and letters.

    Example:
        >>> texts = [("a", "b", "<sep>", "b"), ("b", "<sep>", "b")]
        >>> layout = read_layout(AskedTexts(texts, [{2: "b"}, {1: "b"}]), ("a", "b", "<sep>"))
        >>> layout.marks, list(layout.parts), layout.letters
        (('<sep>',), ['prompt'], ('a', 'b'))
    """
    prompts = [
        text[: min(asked) + 1]
        for text, asked in zip(examples.texts, examples.asked, strict=True)
        if asked
    ]
    outputs = {token for asked in examples.asked for token in asked.values()}
    marks = _marks(prompts, outputs)
    ends = {prompt[-1] for prompt in prompts}
    if not (len(ends) == 1 and marks and marks[-1] in ends and _once(marks[-1], examples)):
        marks = ()
    seen = {token for text in examples.texts for token in text}
    letters = tuple(token for token in order if token in seen and token not in marks)
    inside = {token for prompt in prompts for token in prompt}
    letters = tuple(token for token in letters if token in inside or not token.startswith("<"))
    written = None
    if marks:
        written = count(exists(Q[marks[-1]]) & ~Q[marks[-1]])
    asked = tuple(token for token in order if token in outputs)
    return TextLayout(letters, marks, _parts(marks), written, asked)


def _once(mark: str, examples: AskedTexts) -> bool:
    return all(text.count(mark) == 1 for text in examples.texts)


def _marks(prompts: Sequence[Text], outputs: Container[str]) -> tuple[str, ...]:
    """Return the tokens that stand once in each prompt, in one order, and are never asked for."""
    first = prompts[0]
    once = [t for t in first if t not in outputs and all(p.count(t) == 1 for p in prompts)]
    places = [[prompt.index(token) for token in once] for prompt in prompts]
    if len(once) > 3 or any(row != sorted(row) for row in places):
        return (first[-1],) if first[-1] in once else ()
    return tuple(once)


def _parts(marks: Sequence[str]) -> dict[str, Bool]:
    if not marks:
        return {"text": true}
    found: dict[str, Bool] = {"prompt": never(Q[marks[-1]])}
    if len(marks) > 1:
        found[f"before {marks[0]}"] = never(Q[marks[0]])
        for one, two in pairwise(marks):
            found[f"between {one} and {two}"] = exists(Q[one]) & never(Q[two]) & ~Q[one]
    return found
