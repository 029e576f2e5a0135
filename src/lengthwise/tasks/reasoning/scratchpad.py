"""Intermediate steps in words: rendering, parsing and scoring (Kazemnejad et al. 2023, section 6).

Each step has up to five parts: input ``I``, computation ``C``, output ``O``, variables ``V`` and
remaining input ``R``. ``i1_c1_o1_v1_r1`` writes them all; ``i0_c1_o1_v0_r0`` is the minimal pad.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Bool

from lengthwise.errors import InputError
from lengthwise.tasks.reasoning import _blocks as blocks
from lengthwise.tasks.reasoning._blocks import Block

PARTS = "icovr"
MARKERS = {"i": "in", "c": "comp", "o": "out", "v": "[", "r": "re"}
OPENING, CLOSING, BETWEEN = "Thinking step by step:", ". Thus,", "#"
PAD_WORDS = (*OPENING.split(), ".", "Thus", ",", BETWEEN, *MARKERS.values(), "]")
_NAMES = {"full": "i1_c1_o1_v1_r1", "minimal": "i0_c1_o1_v0_r0"}
_FLAGS = re.compile(r"i([01])_c([01])_o([01])_v([01])_r([01])")


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

    @classmethod
    def parse(cls, text: str) -> Self | None:
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
        return cls("".join(part for part, flag in chosen if flag == "1"))

    def write(self, words: Callable[[str], Block], steps: Steps) -> Block:
        """Write the whole pad: opening, steps separated by ``#``, closing."""
        number = np.arange(steps.present.shape[1])
        pieces = [blocks.keep(number > 0, words(BETWEEN))]
        for part in self.parts:
            content = getattr(steps, part)
            if content is None:
                continue
            pieces += [words(MARKERS[part]), content]
            if part == "v":
                pieces.append(words("]"))
        step = blocks.keep(steps.present, blocks.join(*pieces))
        return blocks.join(words(OPENING), blocks.in_line(step), words(CLOSING))


def parse_pad(text: str, split: Callable[[str], list[str]]) -> list[dict[str, str]]:
    """Read a pad back into its steps: for each step, the words of each part that was written.

    ``split`` is the tokenizer. A text without a pad has no steps.

    Example:
        >>> parse_pad("Thinking step by step: comp 1 ** 0 out 1 . Thus, The end.", str.split)
        [{'c': '1 ** 0', 'o': '1'}]
    """
    inside = re.search(rf"{OPENING}(.*?)\.\s+Thus\s?,", text, re.DOTALL)
    if not inside:
        return []
    steps: list[list[str]] = [[]]
    for token in split(inside.group(1)):
        if token == BETWEEN:
            steps.append([])
        else:
            steps[-1].append(token)
    return [_parse_step(step) for step in steps]


def _parse_step(tokens: list[str]) -> dict[str, str]:
    """Cut a step at its markers; a bracket opens ``V`` only before ``re``."""
    part_of = {marker: part for part, marker in MARKERS.items()}
    parts: dict[str, list[str]] = {}
    current = ""
    for token in tokens:
        part = part_of.get(token)
        opens = part is not None and PARTS.index(part) > (PARTS.index(current) if current else -1)
        if opens and part is not None:
            current = part
            parts[current] = []
        elif current and not (current == "v" and token == "]"):
            parts[current].append(token)
    return {part: " ".join(words) for part, words in parts.items()}


def score_pad(generated: str, target: str, split: Callable[[str], list[str]]) -> dict[str, float]:
    """Return for each part the fraction of steps in which it is right.

    All are zero if the number of steps differs, as in the authors' code.
    """
    ours, gold = parse_pad(generated, split), parse_pad(target, split)
    parts = [part for part in PARTS if any(part in step for step in gold)]
    if len(ours) != len(gold):
        return dict.fromkeys(parts, 0.0)
    pairs = list(zip(ours, gold, strict=True))
    return {
        part: sum(mine.get(part) == step.get(part) for mine, step in pairs) / len(pairs)
        for part in parts
    }
