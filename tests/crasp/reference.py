"""Random programs, and the slow, obvious meaning of every operation to compare with."""

import operator

from hypothesis import strategies as st

from lengthwise.crasp import Program
from lengthwise.crasp.syntax import (
    Add,
    And,
    Compare,
    Constant,
    Counting,
    LocalCount,
    Maximum,
    Minimum,
    Not,
    Number,
    Or,
    PrefixCount,
    Residue,
    Scale,
    Subtract,
    Symbol,
    Where,
    count,
)

COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}


def value(node, word, i):
    """Value at position i (from 1); i = len(word) + 1 is an end marker, which is not counted."""
    n = len(word)
    args = [] if isinstance(node, Counting) else [value(arg, word, i) for arg in node.args]
    places = range(1, min(i, n) + 1)
    match node:
        case Symbol(name):
            return i <= n and word[i - 1] == name
        case Constant(fixed) | Number(fixed):
            return fixed
        case Residue(modulus, residue):
            return i % modulus == residue
        case Not():
            return not args[0]
        case And():
            return args[0] and args[1]
        case Or():
            return args[0] or args[1]
        case Compare(sign):
            return COMPARE[sign](*args)
        case PrefixCount(operand):
            return sum(value(operand, word, j) for j in places)
        case LocalCount(distances, operand):
            return sum(value(operand, word, j) for j in places if i - j in distances)
        case Add():
            return args[0] + args[1]
        case Subtract():
            return args[0] - args[1]
        case Scale(factor):
            return factor * args[0]
        case Minimum():
            return min(args)
        case Maximum():
            return max(args)
        case Where():
            return args[1] if args[0] else args[2]
    raise TypeError(node)


def accepted(program, word, accept="last"):
    if accept == "last" and not word:
        if program.empty is not None:
            return program.empty
        return value(program.accept, word, 1)
    return value(program.accept, word, len(word) + (accept == "end"))


LETTERS = "abc"
leaves = st.one_of(
    st.sampled_from([Symbol(letter) for letter in LETTERS]),
    st.booleans().map(Constant),
    st.builds(Residue, st.integers(1, 4), st.integers(0, 3)),
)
numbers = st.integers(-3, 4).map(Number)
windows = st.one_of(st.none(), st.sets(st.integers(0, 9), min_size=1, max_size=6))


KINDS = ["leaf", "number", "count", "not", "compare", "scale", "where"]
KINDS += [And, Or, Add, Subtract, Minimum, Maximum]


@st.composite
def expressions(draw, size=12):
    """A random Boolean, built by a straight-line program of ``size`` random operations."""
    bools = [draw(leaves) for _ in range(3)]
    counts = [draw(numbers), count(bools[0])]
    for _ in range(draw(st.integers(0, size))):
        p, q = draw(st.sampled_from(bools)), draw(st.sampled_from(bools))
        x, y = draw(st.sampled_from(counts)), draw(st.sampled_from(counts))
        match draw(st.sampled_from(KINDS)):
            case "leaf":
                bools.append(draw(leaves))
            case "number":
                counts.append(draw(numbers))
            case "count":
                counts.append(count(p, draw(windows)))
            case "not":
                bools.append(Not(p))
            case "compare":
                bools.append(Compare(draw(st.sampled_from(sorted(COMPARE))), x, y))
            case "scale":
                counts.append(Scale(draw(st.integers(-2, 3)), x))
            case "where":
                counts.append(Where(p, x, y))
            case connective if connective in (And, Or):
                bools.append(connective(p, q))
            case arithmetic:
                counts.append(arithmetic(x, y))
    last = Compare(draw(st.sampled_from(sorted(COMPARE))), counts[-1], counts[-2])
    return draw(st.sampled_from([bools[-1], last, last & bools[-1], ~last | bools[-1]]))


@st.composite
def programs(draw):
    """A random program with a few definitions, possibly an alphabet and outputs."""
    nodes = draw(st.lists(expressions(), min_size=1, max_size=3))
    inner = [arg for node in nodes for arg in node.args]
    definitions = [(f"d{k}", node) for k, node in enumerate([*inner, *nodes])]
    alphabet = draw(st.sampled_from([None, tuple(LETTERS), ("c", "b", "a", "other one")]))
    outputs = draw(st.sampled_from([{}, {"a": nodes[0], "<eos>": ~nodes[-1]}]))
    empty = draw(st.sampled_from([None, True, False]))
    return Program(definitions, alphabet=alphabet, next=outputs, empty=empty)


words = st.lists(st.text(LETTERS, max_size=12), min_size=1, max_size=5)
