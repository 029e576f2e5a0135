"""Running programs on whole batches of words: prefix sums for counts, shifts for local counts.

An operation's values are one array over words and positions. With S(i) the prefix sum of P,

    #P at i            = S(i)                          P            0 1 1 0 1
    #[i-d] P at i      = P(i - d), false before 1      #P           0 1 2 2 3
    #[i-f..i-n] P at i = S(i - n) - S(i - f - 1)       #[i-2..i] P  0 1 2 2 2

The work is O(operations x positions), all of it inside numpy or torch; there is no Python loop over
words. Acceptance reads one place per word, so operations outside every count are only evaluated
there: in ``#(#"a" < #"b") == 0`` the inner comparison is an array, the outer one number per word.

The *end* convention reads the program at an extra position n + 1 that carries no letter and is not
itself counted: every letter is false there, ``#P`` is its value at n, ``#[i-1] P`` is P at n, and
``pos`` is n + 1. The *last* convention reads at position n, where the last letter is visible.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.crasp.arrays import Arrays, arrays_for
from lengthwise.crasp.facts import ranges
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import (
    COMPARISONS,
    Add,
    And,
    Bool,
    Compare,
    Constant,
    Counting,
    Expression,
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
    UnknownNodeError,
    Where,
    postorder,
)
from lengthwise.languages.convention import Accept
from lengthwise.languages.words import Word, Words


def as_words(program: Program, words: "Words | Iterable[Word]") -> Words:
    """Encode plain words over the program's letters; a declared alphabet is enforced."""
    if isinstance(words, Words):
        return words
    return Words.encode(words, program.letters(), strict=program.alphabet is not None)


def evaluate(program: Program, words: "Words | Iterable[Word]") -> dict[str, Any]:
    """Return every definition's (and every ``next``'s) value at every position of every word.

    Arrays have shape (batch, positions); entries beyond a word's length are meaningless. ``next``
    Booleans have keys such as ``next "a"``.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> program = Program({"C": count(Q["a"]), "P": count(Q["a"]) > 1})
        >>> {name: value.tolist() for name, value in evaluate(program, ["aba"]).items()}
        {'C': [[1, 1, 2]], 'P': [[False, False, True]]}
    """
    batch = as_words(program, words)
    values = evaluate_expressions(program.roots, batch)
    names = [name for name, _ in program.definitions] + [f'next "{name}"' for name in program.next]
    return dict(zip(names, values, strict=True))


def evaluate_expressions(roots: Sequence[Expression], words: Words) -> list[Any]:
    """Return the value of each expression at every position, shape (batch, positions)."""
    arrays = arrays_for(words, largest_value(roots, words.longest))
    values = _full(roots, words, arrays)
    shape = (words.count, words.longest)
    if isinstance(words.tokens, np.ndarray):
        return [np.broadcast_to(values[root], shape) for root in roots]
    return [values[root].expand(shape) for root in roots]


def accepts(program: Program, words: "Words | Iterable[Word]", *, accept: Accept = "last") -> Any:
    """Return which words are accepted, shape (batch,).

    ``accept="last"`` reads the last symbol's position, ``"end"`` an end marker after it. Under
    ``"last"`` the empty word gets the program's declared ``empty``, or failing that the value at an
    end marker.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> accepts(Program.of(count(Q["a"]) > count(Q["b"])), ["aab", "ab"]).tolist()
        [True, False]
    """
    if accept not in ("last", "end"):
        raise InputError(f"accept={accept!r}: use 'last' or 'end'.")
    batch = as_words(program, words)
    pieces = [read_at([program.accept], part, accept)[0] for part in _parts(batch)]
    result = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
    if accept == "last" and bool((batch.lengths == 0).any()):
        result = result | False
        result[batch.lengths == 0] = accepts_empty(program)
    return result


CELLS = 1 << 17
"""About how many cells of a numpy batch are computed at once, so that values stay in cache."""


def _parts(words: Words) -> list[Words]:
    """Cut a large numpy batch into rows that fit the cache."""
    rows = max(1, CELLS // max(1, words.longest))
    if not isinstance(words.tokens, np.ndarray) or words.count <= 2 * rows:
        return [words]
    return [
        Words(words.tokens[k : k + rows], words.lengths[k : k + rows], words.letters)
        for k in range(0, words.count, rows)
    ]


def accepts_empty(program: Program) -> bool:
    """Whether the empty word is accepted: as declared, or the value at a bare end marker."""
    if program.empty is not None:
        return program.empty
    return bool(read_at([program.accept], Words.encode([""], program.letters()), "end")[0][0])


def largest_value(roots: Iterable[Expression], length: int) -> float:
    """Return a bound on the absolute value of any count on words up to ``length``."""
    bounds = ranges(postorder(roots), length).values()
    return max((max(-low, high) for low, high in bounds), default=0)


def read_at(outputs: Sequence[Expression], words: Words, accept: Accept) -> list[Any]:
    """Return each output's value where it is read in each word, shape (batch,).

    Words of length 0 have no last place; what is read there under ``"last"`` means nothing (see
    :func:`accepts`).
    """
    arrays = arrays_for(words, largest_value(outputs, words.longest + 1))
    # What the outermost counts count is needed at all positions, the rest only where it is read:
    #
    #     #(#"a" < #"b") == 0            outer: #(...), 0, ==      at one place of each word
    #       \___ inner ___/              inner: "a", #"a", ..., <  at every position
    outer = outside_counts(outputs)
    inner = [node.operand for node in outer if isinstance(node, Counting)]
    wanted = set(postorder(inner))  # an outer node may be an inner one too: keep its array
    kept = [*inner, *(node for node in outer if node in wanted)]
    full = _full(kept, words, arrays)
    place = _Place(words, arrays, full, accept)
    values: dict[Expression, Any] = {}
    for node in outer:
        if isinstance(node, Counting):
            values[node] = place.count(node)
        else:
            values[node] = place.apply(node, [values[arg] for arg in node.args])
    everywhere = arrays.constant(0, 1) * words.lengths  # zeros, to give constants a batch axis
    return [
        values[output] | (everywhere > 0)
        if isinstance(output, Bool)
        else values[output] + everywhere
        for output in outputs
    ]


def outside_counts(roots: Iterable[Expression]) -> list[Expression]:
    """Return the nodes needed at the place of reading, operands first: stop below counts."""
    return list(postorder(roots, lambda node: () if isinstance(node, Counting) else node.args))


def _full(roots: Iterable[Expression], words: Words, arrays: Arrays) -> dict[Expression, Any]:
    """Return the values of ``roots`` at all positions; others are freed after their last use."""
    roots = list(roots)
    order = list(postorder(roots))
    last_use = {arg: node for node in order for arg in node.args}
    kept = set(roots)
    values: dict[Expression, Any] = {}
    codes = {letter: code for code, letter in enumerate(words.letters)}
    for node in order:
        values[node] = _value(node, [values[arg] for arg in node.args], words, codes, arrays)
        for arg in node.args:
            if last_use[arg] is node and arg not in kept:
                values.pop(arg, None)
    return values


def _value(
    node: Expression, args: list[Any], words: Words, codes: dict[str, int], arrays: Arrays
) -> Any:
    match node:
        case Symbol(name):
            code = codes.get(name)
            return words.tokens == code if code is not None else _never(words, arrays)
        case Residue(modulus, residue):
            return arrays.positions(words.longest) % modulus == residue
        case PrefixCount():
            return arrays.running(args[0])
        case LocalCount(distances):
            return _local(args[0], distances, arrays)
        case _:
            return pointwise(
                node, args, lambda value: arrays.constant(value, words.longest), arrays
            )


def _never(words: Words, arrays: Arrays) -> Any:
    return arrays.constant(False, words.longest)


def _local(value: Any, distances: Sequence[int], arrays: Arrays) -> Any:
    """Add up shifted copies; a run of distances is one difference of prefix sums.

    For the distances 1 to 4 (near 1, far 4) of a word of 7 letters, with prefix sums S:

        position      1     2     3     4     5     6          7
        result        0     S1    S2    S3    S4    S5 - S1    S6 - S2

    that is ``S`` moved right by near, minus ``S`` moved right by far + 1. Up to four distances are
    cheaper one by one.
    """
    result = arrays.zeros_like_count(value)
    size = value.shape[-1]
    sums = None
    for near, far in _runs(distances):
        if near >= size:
            break
        if far - near < 4:
            for distance in range(near, min(far + 1, size)):
                result[..., distance:] += value[..., : size - distance]
        else:
            sums = arrays.running(value) if sums is None else sums
            result[..., near:] += sums[..., : size - near]
            if far + 1 < size:
                result[..., far + 1 :] -= sums[..., : size - far - 1]
    return result


def _runs(distances: Sequence[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for distance in distances:
        if runs and runs[-1][1] == distance - 1:
            runs[-1] = runs[-1][0], distance
        else:
            runs.append((distance, distance))
    return runs


def pointwise(
    node: Expression, args: list[Any], constant: Callable[[Any], Any], arrays: Arrays
) -> Any:
    """Apply an operation that looks at one position only; ``constant`` makes arrays of a value."""
    match node:
        case Constant(value) | Number(value):
            return constant(value)
        case Not():
            return ~args[0]
        case And():
            return args[0] & args[1]
        case Or():
            return args[0] | args[1]
        case Compare(sign):
            return COMPARISONS[sign](args[0], args[1])
        case Add():
            return args[0] + args[1]
        case Subtract():
            return args[0] - args[1]
        case Scale(factor):
            return args[0] * factor
        case Minimum():
            return arrays.minimum(args[0], args[1])
        case Maximum():
            return arrays.maximum(args[0], args[1])
        case Where():
            return arrays.where(args[0], args[1], args[2])
        case _:
            raise UnknownNodeError(node)


class _Place:
    """Values at one place of each word: its last symbol, or an end marker after it."""

    def __init__(
        self, words: Words, arrays: Arrays, full: dict[Expression, Any], accept: Accept
    ) -> None:
        self._words = words
        self._arrays = arrays
        self._full = full
        self._at_end = accept == "end"
        self._codes = {letter: code for code, letter in enumerate(words.letters)}

    def apply(self, node: Expression, args: list[Any]) -> Any:
        """Return the value of an operation other than a count."""
        if isinstance(node, Symbol):
            code = self._codes.get(node.name)
            if self._at_end or code is None:
                return self._arrays.constant(False, 1)
            return self._arrays.pick(self._words.tokens == code, self._words.lengths - 1)
        if isinstance(node, Residue):
            return (self._words.lengths + self._at_end) % node.modulus == node.residue
        return pointwise(node, args, lambda value: self._arrays.constant(value, 1), self._arrays)

    def count(self, node: Counting) -> Any:
        """Return the value of a count; its operand is known at all positions."""
        operand = self._full[node.operand]
        match node:
            case LocalCount(distances):
                return self._window(operand, distances)
            case PrefixCount():
                return self._prefix(node, operand)
            case _:
                raise UnknownNodeError(node)

    def _prefix(self, node: PrefixCount, operand: Any) -> Any:
        last = self._words.lengths - 1
        if node in self._full:
            return self._arrays.pick(self._full[node], last)
        if self._words.uniform:
            return self._arrays.total(operand)
        return self._arrays.pick(self._arrays.running(operand), last)

    def _window(self, operand: Any, distances: Sequence[int]) -> Any:
        here = self._words.lengths - 1 + self._at_end
        result = self._arrays.constant(0, 1)
        for distance in distances:
            if distance > self._words.longest:
                break  # sorted: the others are before the word as well
            if distance or not self._at_end:  # the end marker itself carries no letter
                result = result + self._arrays.pick(operand, here - distance)
        return result
