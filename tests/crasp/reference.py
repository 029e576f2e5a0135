"""Random programs, and the slow, obvious meaning of every operation to compare with."""

import operator

from hypothesis import strategies as st

from lengthwise.crasp import Program, syntax

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
    args = [] if node.op == "count" else [value(arg, word, i) for arg in node.args]
    match node.op:
        case "symbol":
            return i <= n and word[i - 1] == node.value
        case "constant" | "number":
            return node.value
        case "position":
            return i % node.value[0] == node.value[1]
        case "not":
            return not args[0]
        case "and":
            return args[0] and args[1]
        case "or":
            return args[0] or args[1]
        case "compare":
            return COMPARE[node.value](*args)
        case "add":
            return args[0] + args[1]
        case "subtract":
            return args[0] - args[1]
        case "scale":
            return node.value * args[0]
        case "min":
            return min(args)
        case "max":
            return max(args)
        case "where":
            return args[1] if args[0] else args[2]
    places = range(1, min(i, n) + 1)
    seen = (j for j in places if node.value is None or i - j in node.value)
    return sum(value(node.args[0], word, j) for j in seen)


def accepted(program, word, accept="last"):
    if accept == "last" and not word:
        if program.empty is not None:
            return program.empty
        return value(program.accept, word, 1)
    return value(program.accept, word, len(word) + (accept == "end"))


LETTERS = "abc"
leaves = st.one_of(
    st.sampled_from([syntax.symbol(letter) for letter in LETTERS]),
    st.booleans().map(syntax.constant),
    st.builds(syntax.position, st.integers(1, 4), st.integers(0, 3)),
)
numbers = st.integers(-3, 4).map(syntax.number)
windows = st.one_of(st.none(), st.sets(st.integers(0, 9), min_size=1, max_size=6))


@st.composite
def expressions(draw, size=12):
    """A random Boolean, built by a straight-line program of ``size`` random operations."""
    bools = [draw(leaves) for _ in range(3)]
    counts = [draw(numbers), syntax.count(bools[0])]
    for _ in range(draw(st.integers(0, size))):
        kind = draw(st.sampled_from(sorted(syntax.BUILDERS)))
        p, q = draw(st.sampled_from(bools)), draw(st.sampled_from(bools))
        x, y = draw(st.sampled_from(counts)), draw(st.sampled_from(counts))
        match kind:
            case "not":
                bools.append(~p)
            case "and":
                bools.append(p & q)
            case "or":
                bools.append(p | q)
            case "compare":
                bools.append(syntax.compare(draw(st.sampled_from(sorted(COMPARE))), x, y))
            case "count":
                counts.append(syntax.count(p, draw(windows)))
            case "add":
                counts.append(x + y)
            case "subtract":
                counts.append(x - y)
            case "scale":
                counts.append(draw(st.integers(-2, 3)) * x)
            case "min":
                counts.append(syntax.minimum(x, y))
            case "max":
                counts.append(syntax.maximum(x, y))
            case "where":
                counts.append(syntax.where(p, x, y))
            case "number":
                counts.append(draw(numbers))
            case _:
                bools.append(draw(leaves))
    last = syntax.compare(draw(st.sampled_from(sorted(COMPARE))), counts[-1], counts[-2])
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
