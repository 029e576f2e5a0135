"""Protocol P1: the second half of a word from a few counts about the first.

Alice holds the first half, Bob the second. For a C-RASP[periodic, local] program she sends the last
value of every prefix count, the last few values of what local counts look at, and where Bob starts;
Bob then evaluates every operation at every position of his half. The cost is logarithmic, which is
why C-RASP programs obey the bound of Huang et al. 2025, Theorem 12. (The protocol for programs is
our derivation; the same summary argument appears in follow-up work. It is exact.)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.crasp.arrays import NumpyArrays
from lengthwise.crasp.interpreter import evaluate_expressions, pointwise
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import (
    Bool,
    Expression,
    LocalCount,
    PrefixCount,
    Residue,
    Symbol,
    postorder,
)
from lengthwise.languages.words import Words
from lengthwise.theory.communication.message import BitReader, BitWriter, width_of


@dataclass(frozen=True)
class ProgramMessage:
    """What Alice sends, and how many of its bits carry something."""

    content: bytes
    bits: int


def message_bits(program: Program, half: int) -> int:
    """Return the size of Alice's message for halves of this length.

    Example:
        >>> from lengthwise.crasp.library import load
        >>> [message_bits(load("dyck-1"), half) for half in (8, 16, 32)]
        [16, 20, 24]
    """
    wide, local = _counts(program)
    near = sum(node.distances[-1] for node in local)
    return (len(wide) + 1) * width_of(half) + near


def alice(program: Program, word: Sequence[str]) -> ProgramMessage:
    """Evaluate the first half and say what Bob needs to know of it."""
    half = len(word)
    wide, local = _counts(program)
    nodes = [*wide, *(node.operand for node in local)]
    words = Words.encode([word], program.letters())
    values = [np.asarray(value)[0] for value in evaluate_expressions(nodes, words)] if half else []
    writer = BitWriter()
    for index in range(len(wide)):
        writer.number(int(values[index][-1]) if half else 0, width_of(half))
    for index, node in enumerate(local, start=len(wide)):
        reach = node.distances[-1]
        known = values[index][max(0, half - reach) :] if half else np.zeros(0, bool)
        writer.flags([False] * (reach - len(known)) + [bool(bit) for bit in known])
    writer.number(half, width_of(half))
    return ProgramMessage(writer.to_bytes(), writer.bits)


def bob(
    program: Program, message: bytes, word: Sequence[str], half: int
) -> dict[Expression, np.ndarray]:
    """Return every operation's values at the positions of the second half.

    ``half`` is the agreed length of Alice's half; all else comes from the message.
    """
    wide, local = _counts(program)
    reader = BitReader(message)
    starts = {node: reader.number(width_of(half)) for node in wide}
    tails = {node: reader.flags(node.distances[-1]) for node in local}
    first = reader.number(width_of(half)) + 1
    letters = np.array(list(word), dtype=object)
    arrays = NumpyArrays(wide=True)
    values: dict[Expression, np.ndarray] = {}
    for node in postorder(program.roots):
        args = [values[arg] for arg in node.args]
        match node:
            case PrefixCount():
                values[node] = starts[node] + np.cumsum(args[0])
            case LocalCount(distances):
                values[node] = _window(tails[node], args[0], distances)
            case Symbol(name):
                values[node] = letters == name
            case Residue(modulus, residue):
                values[node] = (first + np.arange(len(word))) % modulus == residue
            case _:
                values[node] = pointwise(
                    node, args, lambda value: arrays.constant(value, len(word)), arrays
                )
    return values


def _counts(program: Program) -> tuple[list[PrefixCount], list[LocalCount]]:
    """Return the prefix counts and the local counts that look back, in a fixed order."""
    nodes = list(postorder(program.roots))
    wide = [node for node in nodes if isinstance(node, PrefixCount)]
    return wide, [node for node in nodes if isinstance(node, LocalCount)]


def _window(tail: list[bool], here: np.ndarray, distances: tuple[int, ...]) -> np.ndarray:
    both = np.concatenate([np.array(tail, dtype=bool), here.astype(bool)])
    ends = np.arange(len(tail), len(both))
    return sum((both[ends - d].astype(np.int64) for d in distances), np.zeros(len(here), np.int64))


def run_protocol(program: Program, first: Sequence[str], second: Sequence[str]) -> ProgramMessage:
    """Run the protocol and check that Bob is right about every operation; return the message.

    Example:
        >>> from lengthwise.crasp.library import load
        >>> run_protocol(load("dyck-1"), "(()(", "))()").bits
        12
    """
    message = alice(program, first)
    values = bob(program, message.content, second, len(first))
    nodes = list(postorder(program.roots))
    words = Words.encode([[*first, *second]], program.letters())
    for node, value in zip(nodes, evaluate_expressions(nodes, words), strict=True):
        expected = np.asarray(value)[0, len(first) :]
        same = expected.astype(bool) if isinstance(node, Bool) else expected
        if not np.array_equal(same, values[node]):
            raise InputError(f"protocol: Bob is wrong about {node!r}.")
    return message
