"""Intermediate steps in words: rendering, parsing and scoring (Kazemnejad et al. 2023, section 6).

Each step has up to five parts: input ``I``, computation ``C``, output ``O``, variables ``V`` and
remaining input ``R``. ``i1_c1_o1_v1_r1`` writes them all; ``i0_c1_o1_v0_r0`` is the minimal pad.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from jaxtyping import Bool

from lengthwise.core.errors import InputError
from lengthwise.tasks.reasoning import _blocks as blocks
from lengthwise.tasks.reasoning._blocks import Block

PARTS = "icovr"
OPENING, CLOSING = "Thinking step by step:", ". Thus,"
_NAMES = {"full": "i1_c1_o1_v1_r1", "minimal": "i0_c1_o1_v0_r0"}
_FLAGS = re.compile(r"i([01])_c([01])_o([01])_v([01])_r([01])")


@dataclass(frozen=True)
class Markers:
    """What stands before each part, behind the variables, and between two steps.

    The published runs use the short ones; the long ones are the defaults of the authors' code.
    """

    i: str = "in"
    c: str = "comp"
    o: str = "out"
    v: str = "["
    end: str = "]"
    r: str = "re"
    between: str = "#"

    @classmethod
    def wordy(cls, about: str, *, out: str = "==", rest: str = "So, the rest is:") -> Self:
        """Return the long markers of a task; ``about`` says what a step looks at."""
        return cls(about, "We have:", out, ". and currently,", ".", rest, "; Next,")

    def words(self) -> str:
        """Return all words of a pad."""
        parts = (self.i, self.c, self.o, self.v, self.r, self.end)
        return " ".join((OPENING, CLOSING, self.between, *parts))


SHORT = Markers()
Style = Literal["short", "wordy"]


@dataclass(frozen=True)
class Steps:
    """The parts of every step of every row as blocks (rows, steps, words), and which steps exist.

    A task without intermediate variables leaves ``v`` out.
    """

    present: Bool[np.ndarray, "b s"]
    i: Block
    c: Block
    o: Block
    r: Block
    v: Block | None = None


@dataclass(frozen=True)
class Scratchpad:
    """Which parts of a step are written.

    Example:
        >>> Scratchpad.parse("minimal").parts
        'co'
    """

    parts: str
    markers: Markers = SHORT

    @classmethod
    def parse(cls, text: str, markers: Markers = SHORT) -> Self | None:
        """Read ``none``, ``full``, ``minimal`` or five flags such as ``i1_c1_o1_v0_r1``."""
        if text == "none":
            return None
        match = _FLAGS.fullmatch(_NAMES.get(text, text))
        if not match:
            raise InputError(
                f"option scratchpad: {text!r} is not valid; use none, full, minimal "
                "or flags such as i1_c1_o1_v0_r1."
            )
        chosen = zip(PARTS, match.groups(), strict=True)
        return cls("".join(part for part, flag in chosen if flag == "1"), markers)

    def write(self, words: Callable[[str], Block], steps: Steps) -> Block:
        """Write the whole pad: opening, steps with a mark between them, closing."""
        number = np.arange(steps.present.shape[1])
        pieces = [blocks.keep(number > 0, words(self.markers.between))]
        for part in self.parts:
            content = getattr(steps, part)
            if content is None:
                continue
            pieces += [words(getattr(self.markers, part)), content]
            if part == "v":
                pieces.append(words(self.markers.end))
        step = blocks.keep(steps.present, blocks.join(*pieces))
        return blocks.join(words(OPENING), blocks.in_line(step), words(CLOSING))


def parse_pad(
    text: str, split: Callable[[str], list[str]], markers: Markers = SHORT
) -> list[dict[str, str]]:
    """Read a pad back into its steps: for each step, the words of each part that was written.

    ``split`` is the tokenizer. A text without a pad has no steps.

    Example:
        >>> parse_pad("Thinking step by step: comp 1 ** 0 out 1 . Thus, The end.", str.split)
        [{'c': '1 ** 0', 'o': '1'}]
    """
    inside = re.search(rf"{OPENING}(.*?)\.\s+Thus\s?,", text, re.DOTALL)
    if not inside:
        return []
    steps, rest, between = [], split(inside.group(1)), split(markers.between)
    while (cut := _find(rest, between)) is not None:
        steps.append(rest[:cut])
        rest = rest[cut + len(between) :]
    return [_parse_step(step, split, markers) for step in (*steps, rest)]


def _find(tokens: list[str], wanted: list[str], start: int = 0) -> int | None:
    """Return where some words stand in others, or None."""
    for place in range(start, len(tokens) - len(wanted) + 1):
        if tokens[place : place + len(wanted)] == wanted:
            return place
    return None


def _parse_step(
    tokens: list[str], split: Callable[[str], list[str]], markers: Markers
) -> dict[str, str]:
    """Cut a step at its markers, which come in the order of the parts."""
    found: list[tuple[str, int, int]] = []  # part, where its marker begins, where its words begin
    start = 0
    for part in PARTS:
        marker = split(getattr(markers, part))
        place = _find(tokens, marker, start)
        if place is not None and not (part == "v" and _in_rest(tokens, split, markers, place)):
            start = place + len(marker)
            found.append((part, place, start))
    ends = [*(place for _, place, _ in found[1:]), len(tokens)]
    parts = {part: tokens[begin:end] for (part, _, begin), end in zip(found, ends, strict=True)}
    closing = split(markers.end)
    if "v" in parts and parts["v"][-len(closing) :] == closing:
        parts["v"] = parts["v"][: -len(closing)]
    return {part: " ".join(words) for part, words in parts.items()}


def _in_rest(
    tokens: list[str], split: Callable[[str], list[str]], markers: Markers, place: int
) -> bool:
    """Say whether a bracket belongs to the rest of the input: then ``re`` stands before it."""
    rest = _find(tokens, split(markers.r))
    return rest is not None and rest < place


def score_pad(
    generated: str,
    target: str,
    split: Callable[[str], list[str]],
    markers: Markers = SHORT,
) -> dict[str, float]:
    """Return for each part the fraction of steps in which it is right.

    All are zero if the number of steps differs, as in the authors' code.
    """
    ours, gold = (parse_pad(text, split, markers) for text in (generated, target))
    parts = [part for part in PARTS if any(part in step for step in gold)]
    if len(ours) != len(gold):
        return dict.fromkeys(parts, 0.0)
    pairs = list(zip(ours, gold, strict=True))
    return {
        part: sum(mine.get(part) == step.get(part) for mine, step in pairs) / len(pairs)
        for part in parts
    }
