"""What each step-by-step task computes: whole answers, and the one operator behind every step.

``*_answer`` maps operand digits to output digits by ordinary arithmetic; ``*_step`` maps the slot
symbols of one gate to the next token without seeing anything else. That the second, iterated,
gives the first is what makes the circuit right, and is tested. Formats are our reconstruction of
the tasks named by Chen, Liang and Lin (2025, arXiv 2510.04130).
"""

from collections.abc import Mapping

import numpy as np

from lengthwise.relations.gates import IntArray
from lengthwise.relations.symbols import END, ZERO, is_digit

Operands = Mapping[str, IntArray]
"""Digit arrays ``(count, width)`` by field name."""


def copy_answer(operands: Operands) -> IntArray:
    """Return ``y_t = x_t``."""
    return operands["x"]


def copy_step(slots: IntArray) -> IntArray:
    """Return slot 1 if it is a digit, else the end token."""
    return np.where(is_digit(slots[:, 0]), slots[:, 0], END)


def shift_answer(operands: Operands) -> IntArray:
    """Return the cyclic left shift by one, ``y_t = x_{t+1}`` and ``y_n = x_1``."""
    return np.roll(operands["x"], -1, axis=1)


def shift_step(slots: IntArray) -> IntArray:
    """Return slot 1 if it is a digit, else slot 3 if slot 2 is a digit, else the end token."""
    following, here, first = slots.T
    return np.where(is_digit(following), following, np.where(is_digit(here), first, END))


def drop_first_answer(operands: Operands) -> IntArray:
    """Return ``x_2 .. x_n``."""
    return operands["x"][:, 1:]


def parity_answer(operands: Operands) -> IntArray:
    """Return all running parities ``s_t = x_t XOR s_{t-1}``."""
    return np.cumsum(operands["x"], axis=1) % 2


def parity_step(slots: IntArray) -> IntArray:
    """Return ``x_t XOR s_{t-1}``, where any token but ``1`` stands for 0."""
    bit, current = slots.T
    flipped = ZERO + ((bit - ZERO) ^ (current == ZERO + 1))
    return np.where(is_digit(bit), flipped, END)


def _carried(columns: IntArray) -> IntArray:
    """Turn the values of the places, lowest first, into digits and a last carry."""
    carry = np.zeros(len(columns), dtype=np.int64)
    digits = []
    for column in columns.T:
        carry, digit = np.divmod(column + carry, 10)
        digits.append(digit)
    return np.stack([*digits, carry], axis=1)


def addition_answer(operands: Operands) -> IntArray:
    """Return the ``n + 1`` digits of ``a + b``, low digit first."""
    return _carried(operands["a"] + operands["b"])


def addition_step(slots: IntArray) -> IntArray:
    """Return the next digit of a sum from the digits at ``t`` and ``t - 1`` and the last output.

    The carry into step ``t - 1`` is ``(c - a - b) mod 10`` of that step, so no carry token is
    needed.
    """
    a, b, before_a, before_b, current = np.where(is_digit(slots), slots - ZERO, 0).T
    started = is_digit(slots[:, 2])
    incoming = (current - before_a - before_b) % 10
    carry = np.where(started, before_a + before_b + incoming >= 10, 0)
    ended = ~is_digit(slots[:, 0]) & ~started
    return np.where(ended, END, ZERO + (a + b + carry) % 10)


def multiplication_answer(operands: Operands) -> IntArray:
    """Return the ``n + 1`` digits of ``b * a`` for one digit ``b``, low digit first."""
    return _carried(operands["a"] * operands["b"])


def multiplication_step(slots: IntArray) -> IntArray:
    """Return the next digit of ``b * a``; the carry is recovered from the last output."""
    a, b, before, current = np.where(is_digit(slots), slots - ZERO, 0).T
    started = is_digit(slots[:, 2])
    incoming = (current - b * before) % 10
    carry = np.where(started, (b * before + incoming - current) // 10, 0)
    ended = ~is_digit(slots[:, 0]) & ~started
    return np.where(ended, END, ZERO + (b * a + carry) % 10)


def division_answer(operands: Operands) -> IntArray:
    """Return the ``n`` digits of ``a // b`` for one digit ``b``, high digit first."""
    divisor = operands["b"][:, 0]
    remainder = np.zeros(len(divisor), dtype=np.int64)
    digits = []
    for column in operands["a"].T:
        digit, remainder = np.divmod(10 * remainder + column, divisor)
        digits.append(digit)
    return np.stack(digits, axis=1)


def division_step(slots: IntArray) -> IntArray:
    """Return the next quotient digit; the remainder is recovered from the last quotient digit.

    ``b q <= 10 r + a < b (q + 1)`` is an interval shorter than 10, so the old remainder ``r`` is
    unique: the least one that satisfies the left inequality.
    """
    a, b, before, current = np.where(is_digit(slots), slots - ZERO, 0).T
    divisor = np.maximum(b, 1)
    older = np.maximum(-((before - divisor * current) // 10), 0)
    remainder = np.where(is_digit(slots[:, 2]), 10 * older + before - divisor * current, 0)
    digit = (10 * remainder + a) // divisor
    return np.where(is_digit(slots[:, 0]), ZERO + digit, END)
