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
from lengthwise.crasp.interpreter import evaluate_expressions
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Bool, Expression, postorder
from lengthwise.languages.words import Words
from lengthwise.theory.communication.message import Reader, Writer, width_of

COMPARE = {
    "<": np.less,
    "<=": np.less_equal,
    "==": np.equal,
    "!=": np.not_equal,
    ">=": np.greater_equal,
    ">": np.greater,
}


@dataclass(frozen=True)
class Message:
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
    near = sum(node.value[-1] for node in local)
    return (len(wide) + 1) * width_of(half) + near


def alice(program: Program, word: Sequence[str]) -> Message:
    """Evaluate the first half and say what Bob needs to know of it."""
    half = len(word)
    wide, local = _counts(program)
    nodes = [*wide, *(node.args[0] for node in local)]
    words = Words.encode([word], program.letters())
    values = [np.asarray(value)[0] for value in evaluate_expressions(nodes, words)] if half else []
    writer = Writer()
    for index in range(len(wide)):
        writer.number(int(values[index][-1]) if half else 0, width_of(half))
    for index, node in enumerate(local, start=len(wide)):
        reach = node.value[-1]
        known = values[index][max(0, half - reach) :] if half else np.zeros(0, bool)
        writer.flags([False] * (reach - len(known)) + [bool(bit) for bit in known])
    writer.number(half, width_of(half))
    return Message(writer.to_bytes(), writer.bits)


def bob(
    program: Program, message: bytes, word: Sequence[str], half: int
) -> dict[Expression, np.ndarray]:
    """Return every operation's values at the positions of the second half.

    ``half`` is the agreed length of Alice's half; all else comes from the message.
    """
    wide, local = _counts(program)
    reader = Reader(message)
    starts = {node: reader.number(width_of(half)) for node in wide}
    tails = {node: reader.flags(node.value[-1]) for node in local}
    first = reader.number(width_of(half)) + 1
    letters = np.array(list(word), dtype=object)
    values: dict[Expression, np.ndarray] = {}
    for node in postorder(program.roots):
        args = [values[arg] for arg in node.args]
        if node.op == "count" and node.value is None:
            values[node] = starts[node] + np.cumsum(args[0])
        elif node.op == "count":
            values[node] = _window(tails[node], args[0], node.value)
        else:
            values[node] = _pointwise(node, args, letters, first)
    return values


def _counts(program: Program) -> tuple[list[Expression], list[Expression]]:
    """Return the prefix counts and the local counts that look back, in a fixed order."""
    nodes = [node for node in postorder(program.roots) if node.op == "count"]
    return [n for n in nodes if n.value is None], [n for n in nodes if n.value is not None]


def _window(tail: list[bool], here: np.ndarray, distances: tuple[int, ...]) -> np.ndarray:
    both = np.concatenate([np.array(tail, dtype=bool), here.astype(bool)])
    ends = np.arange(len(tail), len(both))
    return sum((both[ends - d].astype(np.int64) for d in distances), np.zeros(len(here), np.int64))


def _pointwise(
    node: Expression, args: list[np.ndarray], letters: np.ndarray, first: int
) -> np.ndarray:
    size = len(letters)
    match node.op:
        case "symbol":
            return letters == node.value
        case "position":
            return (first + np.arange(size)) % node.value[0] == node.value[1]
        case "constant" | "number":
            return np.full(size, node.value)
        case "not":
            return ~args[0]
        case "and":
            return args[0] & args[1]
        case "or":
            return args[0] | args[1]
        case "compare":
            return COMPARE[node.value](args[0], args[1])
        case "add":
            return args[0] + args[1]
        case "subtract":
            return args[0] - args[1]
        case "scale":
            return args[0] * node.value
        case "min":
            return np.minimum(args[0], args[1])
        case "max":
            return np.maximum(args[0], args[1])
        case _:
            return np.where(args[0], args[1], args[2])


def run_protocol(program: Program, first: Sequence[str], second: Sequence[str]) -> Message:
    """Run the protocol and check that Bob is right about every operation; return the message.

    Example:
        >>> from lengthwise.crasp.library import load
        >>> run_protocol(load("dyck-1"), "(()(", "))()").bits
        12
    """
    message = alice(program, first)
    found = bob(program, message.content, second, len(first))
    nodes = list(postorder(program.roots))
    words = Words.encode([[*first, *second]], program.letters())
    for node, value in zip(nodes, evaluate_expressions(nodes, words), strict=True):
        expected = np.asarray(value)[0, len(first) :]
        same = expected.astype(bool) if isinstance(node, Bool) else expected
        if not np.array_equal(same, found[node]):
            raise InputError(f"protocol: Bob is wrong about {node!r}.")
    return message
