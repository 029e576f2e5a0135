"""Families written as plain gate lists: those whose complexity grows, and one with two operators.

No position encoding can help where the set of operators itself grows with the scale (Chen, Liang
and Lin 2025, arXiv 2510.04130); three of these serve as negative controls, our choice.
``addition-carry`` writes every carry as a token, so two operators of arity three suffice at every
scale.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lengthwise.relations.gates import Gate, IntArray
from lengthwise.relations.symbols import BEGIN, END, EQUALS, PLUS, TIMES, VOCABULARY, ZERO


@dataclass(frozen=True)
class GateList:
    """A circuit family given by two functions: gates by scale, and sequences by scale.

    Example:
        Parity written as one answer needs a new operator at every scale.

        >>> [CONTROLS["parity-direct"].gates(n)[0].operator for n in (2, 3)]
        ['xor of 2', 'xor of 3']
    """

    name: str
    write_gates: Callable[[int], Sequence[Gate]] = field(repr=False)
    draw: Callable[[int, np.random.Generator, int], IntArray] = field(repr=False)
    symmetric: tuple[Sequence[int], ...] = ()
    vocabulary: tuple[str, ...] = field(default=VOCABULARY, repr=False)

    def gates(self, scale: int) -> Sequence[Gate]:
        """Return the gates of ``scale``."""
        return self.write_gates(scale)

    def sample(self, scale: int, rng: np.random.Generator, count: int) -> IntArray:
        """Draw ``count`` whole sequences as token codes ``(count, length)``."""
        return self.draw(scale, rng, count)


def _line(*parts: IntArray | int) -> IntArray:
    """Join single tokens and arrays of token codes, column by column."""
    count = next(len(part) for part in parts if isinstance(part, np.ndarray))
    columns = [p if isinstance(p, np.ndarray) else np.full((count, 1), p) for p in parts]
    return np.concatenate(columns, axis=1)


def _digits(value: IntArray, width: int) -> IntArray:
    """Return digits of Python integers, high digit first (values may exceed 64 bits)."""
    rows = [[int(c) for c in str(number).zfill(width)] for number in value.tolist()]
    return np.array(rows, dtype=np.int64)


def _numbers(digits: IntArray) -> IntArray:
    """Return high-digit-first digit rows as an array of Python integers."""
    values = [int("".join(map(str, row))) for row in digits.tolist()]
    return np.array(values, dtype=object)


def _parity_gates(scale: int) -> list[Gate]:
    return [Gate(scale + 2, f"xor of {scale}", tuple(range(2, scale + 2)))]


def _parity_draw(scale: int, rng: np.random.Generator, count: int) -> IntArray:
    bits = rng.integers(0, 2, (count, scale))
    parity = bits.sum(axis=1, keepdims=True) % 2
    return _line(BEGIN, bits + ZERO, EQUALS, parity + ZERO)


def _sum_gates(scale: int) -> list[Gate]:
    """Output digit ``k`` of ``< a + b =`` (high first) reads every lower column."""
    gates = []
    for step in range(scale + 1):
        columns = range(max(step, 1), scale + 1)
        arguments = [p for c in columns for p in (c + 1, scale + 2 + c)]
        kind = "carry" if step == 0 else "digit"
        gates.append(Gate(2 * scale + 3 + step, f"{kind} of {len(columns)}", tuple(arguments)))
    return gates


def _sum_draw(scale: int, rng: np.random.Generator, count: int) -> IntArray:
    a, b = rng.integers(0, 10, (2, count, scale))
    total = _digits(_numbers(a) + _numbers(b), scale + 1)
    return _line(BEGIN, a + ZERO, PLUS, b + ZERO, EQUALS, total + ZERO)


def _product_gates(scale: int) -> list[Gate]:
    """Output digit ``t`` of ``< a * b =`` (low first) reads the digits ``1 .. t`` of both."""
    gates = []
    for step in range(1, 2 * scale + 1):
        used = range(1, min(step, scale) + 1)
        arguments = [p for c in used for p in (c + 1, scale + 2 + c)]
        gates.append(Gate(2 * scale + 2 + step, f"digit {step} of {len(used)}", tuple(arguments)))
    return gates


def _product_draw(scale: int, rng: np.random.Generator, count: int) -> IntArray:
    a, b = rng.integers(0, 10, (2, count, scale))
    product = _numbers(a[:, ::-1]) * _numbers(b[:, ::-1])
    digits = _digits(product, 2 * scale)[:, ::-1]
    return _line(BEGIN, a + ZERO, TIMES, b + ZERO, EQUALS, digits + ZERO)


def _carry_gates(scale: int) -> list[Gate]:
    """``< a + b = c_1 k_1 c_2 k_2 .. >`` (low first): digit and carry from a_t, b_t, k_{t-1}."""
    equals = 2 * scale + 3
    gates = []
    for t in range(1, scale + 1):
        before = equals + 2 * (t - 1)
        operands = (1 + t, scale + 2 + t, before if t > 1 else None)
        gates += [Gate(before, "digit", operands), Gate(before + 1, "carry", operands)]
    return [*gates, Gate(equals + 2 * scale, "digit", (None, None, equals + 2 * scale))]


def _carry_draw(scale: int, rng: np.random.Generator, count: int) -> IntArray:
    a, b = rng.integers(0, 10, (2, count, scale))
    carry = np.zeros(count, dtype=np.int64)
    outputs = []
    for column in (a + b).T:
        carry, digit = np.divmod(column + carry, 10)
        outputs += [digit, carry]
    return _line(BEGIN, a + ZERO, PLUS, b + ZERO, EQUALS, np.stack(outputs, 1) + ZERO, END)


CONTROLS: Mapping[str, GateList] = {
    family.name: family
    for family in (
        GateList("parity-direct", _parity_gates, _parity_draw, (range(1, 100_001),)),
        GateList("addition-high-first", _sum_gates, _sum_draw),
        GateList("multiplication-square", _product_gates, _product_draw),
        GateList("addition-carry", _carry_gates, _carry_draw),
    )
}
"""Parity in one answer, addition high digit first, N*N multiplication; addition with carries."""
