"""Running a program one position at a time, many words at once: what generation needs."""

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from lengthwise.crasp.arrays import NumpyArrays
from lengthwise.crasp.interpreter import pointwise
from lengthwise.crasp.syntax import (
    Expression,
    LocalCount,
    PrefixCount,
    Residue,
    Symbol,
    postorder,
)


class Stepper:
    """The state of a program on a batch of words; each step reads one letter of every word.

    Counters and short histories are the only memory, so a step costs O(operations).

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> run = Stepper([count(Q["a"])], letters="ab", batch=2)
        >>> [run.step(np.array(codes))[0].tolist() for codes in ([0, 1], [0, 0])]
        [[1, 0], [2, 1]]
    """

    def __init__(
        self, outputs: Sequence[Expression], *, letters: Sequence[str], batch: int
    ) -> None:
        self._outputs = list(outputs)
        self._order = list(postorder(outputs))
        self._codes = {letter: code for code, letter in enumerate(letters)}
        self._arrays = NumpyArrays(wide=True)
        self._batch = batch
        self._position = 0
        self._counters: dict[Expression, Any] = {}
        self._history: dict[Expression, deque[Any]] = {}
        for node in self._order:
            if isinstance(node, PrefixCount):
                self._counters[node] = np.zeros(batch, dtype=np.int64)
            elif isinstance(node, LocalCount):
                self._history[node] = deque(maxlen=node.distances[-1] + 1)

    def step(self, codes: np.ndarray) -> list[Any]:
        """Read one letter of each word; return the outputs at this position, shape (batch,)."""
        self._position += 1
        values: dict[Expression, Any] = {}
        for node in self._order:
            values[node] = self._value(node, [values[arg] for arg in node.args], codes)
        return [np.broadcast_to(values[output], (self._batch,)) for output in self._outputs]

    def _value(self, node: Expression, args: list[Any], codes: np.ndarray) -> Any:
        match node:
            case Symbol(name):
                return codes == self._codes.get(name, -1)
            case Residue(modulus, residue):
                return np.array([self._position % modulus == residue])
            case PrefixCount():
                self._counters[node] = self._counters[node] + args[0]
                return self._counters[node]
            case LocalCount():
                return self._window(node, args[0])
            case _:
                return pointwise(node, args, lambda value: np.array([value]), self._arrays)

    def _window(self, node: LocalCount, value: Any) -> Any:
        history = self._history[node]
        history.appendleft(value)
        seen = [history[distance] for distance in node.distances if distance < len(history)]
        return sum(seen, start=np.zeros(1, dtype=np.int64))
