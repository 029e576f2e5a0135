"""The few array operations the interpreter needs, for numpy and for torch."""

from typing import Any, Protocol

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.languages.words import Words

MANY = 8
"""So many words per position make adding columns faster than ``cumsum``."""


class Arrays(Protocol):
    """What differs between array libraries. Values have shape (positions,) or (batch, positions);
    at one place of every word they have shape (1,) or (batch,)."""

    def constant(self, value: Any, size: int) -> Any:
        """Return ``size`` copies of a Boolean or an integer."""
        ...

    def positions(self, size: int) -> Any:
        """Return 1, 2, ..., size."""
        ...

    def running(self, value: Any) -> Any:
        """Return the running number of true entries along positions."""
        ...

    def total(self, value: Any) -> Any:
        """Return the number of true entries of each row."""
        ...

    def zeros_like_count(self, value: Any) -> Any:
        """Return integer zeros of the shape of a Boolean value."""
        ...

    def where(self, condition: Any, then: Any, otherwise: Any) -> Any:
        """Choose pointwise."""
        ...

    def minimum(self, left: Any, right: Any) -> Any:
        """Return the smaller of two counts, pointwise."""
        ...

    def maximum(self, left: Any, right: Any) -> Any:
        """Return the larger of two counts, pointwise."""
        ...

    def pick(self, value: Any, index: Any) -> Any:
        """Return the value at one position of each word; outside it is zero or False."""
        ...


class NumpyArrays:
    """Numpy, with 32-bit counts unless the program's values may need 64."""

    def __init__(self, wide: bool) -> None:
        self.integer = np.int64 if wide else np.int32

    def constant(self, value: Any, size: int) -> Any:
        """Return ``size`` copies of a Boolean or an integer."""
        return np.full(size, value, dtype=bool if isinstance(value, bool) else self.integer)

    def positions(self, size: int) -> Any:
        """Return 1, 2, ..., size."""
        return np.arange(1, size + 1)

    def running(self, value: Any) -> Any:
        """Return the running number of true entries along positions.

        Many short words are added up column by column, all words at once, because ``cumsum`` pays
        a price for every row:

            word 1   1 0 1 1      1 1 2 3
            word 2   0 1 0 1  ->  0 1 1 2      column i = column i-1 + value i
        """
        if value.ndim == 1 or value.shape[0] < MANY * value.shape[1]:
            return np.cumsum(value, axis=-1, dtype=self.integer)
        sums = np.zeros(value.shape[::-1], dtype=self.integer)
        for place, column in enumerate(value.T):
            np.add(sums[place - 1], column, out=sums[place])  # the last row is still zero at first
        return sums.T

    def total(self, value: Any) -> Any:
        """Return the number of true entries of each row."""
        return np.atleast_1d(np.count_nonzero(value, axis=-1)).astype(self.integer)

    def zeros_like_count(self, value: Any) -> Any:
        """Return integer zeros of the shape of a Boolean value."""
        return np.zeros_like(value, dtype=self.integer)

    def where(self, condition: Any, then: Any, otherwise: Any) -> Any:
        """Choose pointwise."""
        return np.where(condition, then, otherwise)

    def minimum(self, left: Any, right: Any) -> Any:
        """Return the smaller of two counts, pointwise."""
        return np.minimum(left, right)

    def maximum(self, left: Any, right: Any) -> Any:
        """Return the larger of two counts, pointwise."""
        return np.maximum(left, right)

    def pick(self, value: Any, index: Any) -> Any:
        """Return the value at one position of each word; outside it is zero or False."""
        if value.shape[-1] == 0:
            return np.zeros(len(index), dtype=value.dtype)
        inside = np.maximum(index, 0)
        rows = (inside,) if value.ndim == 1 else (np.arange(len(index)), inside)
        return value[rows] * (index >= 0)


class TorchArrays:
    """Torch tensors on whatever device the tokens live, with 64-bit counts.

    Only methods of tensors are used, so that programs run on numpy without loading torch.
    """

    def __init__(self, tokens: Any) -> None:
        self._integers = tokens.new_empty(0).long()  # of the right device and dtype

    def constant(self, value: Any, size: int) -> Any:
        """Return ``size`` copies of a Boolean or an integer."""
        full = self._integers.new_full((size,), value)
        return full.bool() if isinstance(value, bool) else full

    def positions(self, size: int) -> Any:
        """Return 1, 2, ..., size."""
        return self.constant(1, size).cumsum(0)

    def running(self, value: Any) -> Any:
        """Return the running number of true entries along positions."""
        return value.cumsum(-1)

    def total(self, value: Any) -> Any:
        """Return the number of true entries of each row."""
        return value.sum(-1).reshape(-1)

    def zeros_like_count(self, value: Any) -> Any:
        """Return integer zeros of the shape of a Boolean value."""
        return self._integers.new_zeros(value.shape)

    def where(self, condition: Any, then: Any, otherwise: Any) -> Any:
        """Choose pointwise."""
        return then.where(condition, otherwise)

    def minimum(self, left: Any, right: Any) -> Any:
        """Return the smaller of two counts, pointwise."""
        return left.minimum(right)

    def maximum(self, left: Any, right: Any) -> Any:
        """Return the larger of two counts, pointwise."""
        return left.maximum(right)

    def pick(self, value: Any, index: Any) -> Any:
        """Return the value at one position of each word; outside it is zero or False."""
        if value.shape[-1] == 0:
            return value.new_zeros(len(index))
        rows, inside = self.positions(len(index)) - 1, index.clamp(min=0)
        return (value[inside] if value.ndim == 1 else value[rows, inside]) * (index >= 0)


def arrays_for(words: Words, largest: float) -> Arrays:
    """Choose the library by the type of the tokens, and the width by the largest count."""
    if largest >= 2**62:
        raise InputError(f"counts can reach {largest:.3g} on these words, more than 64 bits hold.")
    if isinstance(words.tokens, np.ndarray):
        return NumpyArrays(wide=largest >= 2**31 - 1)
    return TorchArrays(words.tokens)
