"""Small machines with whole numbers as outputs, each known by one number if they behave alike.

A machine reads letters and has an output after each one (none before the first). As a *Boolean* the
output is 0 or 1; as a *count* it is what the last letter added, so that ``#P`` is P's own machine:

    word         a    b    b    a
    "b"          0    1    1    0      outputs of the machine, read as Booleans
    #"b"         0    1    2    2      the same outputs, added up

Machines are kept smallest and with states numbered in the order of words, so that two have the same
number exactly if they have the same outputs on every word: equal numbers are a proof.
"""

from collections.abc import Callable, Hashable, Sequence
from math import inf
from typing import Any, NamedTuple, TypeVar

State = TypeVar("State", bound=Hashable)

LARGEST = 2_000
"""Most states of a machine before it is made smallest."""
COUNTED = 200
"""Most configurations of a count that is followed until it is decided."""


class TooLargeError(Exception):
    """A machine would have more states than allowed."""


class NumberMachine(NamedTuple):
    """The state after each first letter, then each state's row of next states, and its output."""

    first: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    outputs: tuple[int, ...]


class Machines:
    """All machines over some letters, by number.

    Example:
        >>> machines = Machines(2)
        >>> a = machines.letter(0)
        >>> machines.join(lambda p, q: p | q, "or", a, machines.letter(1)) == machines.constant(1)
        True
    """

    def __init__(self, letters: int) -> None:
        self.letters = letters
        self._known: list[NumberMachine] = []
        self._numbers: dict[NumberMachine, int] = {}
        self._joined: dict[tuple[str, int, int], int] = {}

    def __getitem__(self, number: int) -> NumberMachine:
        return self._known[number]

    def constant(self, output: int) -> int:
        """Return the machine that always has one output."""
        return self.build([0] * self.letters, lambda s: [0] * self.letters, lambda s: output)

    def letter(self, letter: int) -> int:
        """Return the machine that is 1 after one letter."""
        every = list(range(self.letters))
        return self.build(every, lambda s: every, lambda s: int(s == letter))

    def residue(self, modulus: int, residue: int) -> int:
        """Return the machine that is 1 where the position has a residue."""
        first, n = 1 % modulus, self.letters
        return self.build([first] * n, lambda s: [(s + 1) % modulus] * n, lambda s: s == residue)

    def join(self, function: Callable[[int, int], int], name: str, one: int, two: int) -> int:
        """Return the machine whose outputs are a function, known by its name, of two others'."""
        key = name, one, two
        if key not in self._joined:
            left, right = self._known[one], self._known[two]
            self._joined[key] = self.build(
                list(zip(left.first, right.first, strict=True)),
                lambda s: list(zip(left.rows[s[0]], right.rows[s[1]], strict=True)),
                lambda s: function(left.outputs[s[0]], right.outputs[s[1]]),
            )
        return self._joined[key]

    def scaled(self, machine: int, factor: int) -> int:
        """Return the machine with every output multiplied."""
        return self.join(lambda x, y: factor * x, f"{factor} *", machine, machine)

    def seen(self, machine: int, distances: Sequence[int]) -> int:
        """Return, as a count, how many of some earlier outputs of a Boolean are 1."""
        past, depth = self._known[machine], max(distances) + 2

        def after(state: int, history: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
            return state, (past.outputs[state], *history)[:depth]

        return self.build(
            [after(state, (0,) * depth) for state in past.first],
            lambda s: [after(state, s[1]) for state in past.rows[s[0]]],
            lambda s: sum(s[1][d] - s[1][d + 1] for d in distances),
        )

    def reaches(self, machine: int, bound: int) -> int | None:
        """Return, as a Boolean, whether a count is at least a bound; None if it counts too far.

        A configuration is a state with the sum so far. It is closed as soon as nothing that follows
        can bring the sum below the bound again, or to it.
        """
        counted = self._known[machine]
        low, high = self.extremes(machine)

        def after(state: int, total: int) -> Any:
            total += counted.outputs[state]
            if total + low[state] >= bound:
                return True
            return False if total + high[state] < bound else (state, total)

        def step(place: Any) -> list[Any]:
            if isinstance(place, bool):
                return [place] * self.letters
            return [after(state, place[1]) for state in counted.rows[place[0]]]

        try:
            return self.build(
                [after(state, 0) for state in counted.first],
                step,
                lambda s: int(s if isinstance(s, bool) else s[1] >= bound),
                COUNTED,
            )
        except TooLargeError:
            return None

    def extremes(self, machine: int, low: int = 0, high: int = 0) -> tuple[list[float], ...]:
        """Return the least and the greatest sum that may still be added after each state.

        ``low`` and ``high`` are added to every output that follows.
        """
        found = self._known[machine]
        least = _least([out + low for out in found.outputs], found.rows)
        most = _least([-out - high for out in found.outputs], found.rows)
        return least, [-value for value in most]

    def build(
        self,
        first: Sequence[State],
        step: Callable[[State], Sequence[State]],
        output: Callable[[State], int],
        largest: int = LARGEST,
    ) -> int:
        """Follow states from the first ones, make the machine smallest and return its number."""
        index: dict[State, int] = {}
        queue: list[State] = []
        for state in first:
            if state not in index:
                index[state] = len(queue)
                queue.append(state)
        rows: list[tuple[int, ...]] = []
        for state in queue:
            row = []
            for after in step(state):
                if after not in index:
                    index[after] = len(queue)
                    queue.append(after)
                row.append(index[after])
            rows.append(tuple(row))
            if len(queue) > largest:
                raise TooLargeError
        outputs = [int(output(state)) for state in queue]
        machine = _smallest([index[state] for state in first], rows, outputs)
        if machine not in self._numbers:
            self._numbers[machine] = len(self._known)
            self._known.append(machine)
        return self._numbers[machine]


def _smallest(
    first: Sequence[int], rows: Sequence[tuple[int, ...]], outputs: Sequence[int]
) -> NumberMachine:
    """Join states that no word tells apart, and number what is left in the order of words."""
    names: dict[Any, int] = {}
    block = [names.setdefault(out, len(names)) for out in outputs]
    while True:
        count, names = len(names), {}
        keys = [(block[s], *[block[t] for t in row]) for s, row in enumerate(rows)]
        block = [names.setdefault(key, len(names)) for key in keys]
        if len(names) == count:
            break
    order: dict[int, int] = {}
    queue: list[int] = []
    for state in first:
        if block[state] not in order:
            order[block[state]] = len(queue)
            queue.append(state)
    for state in queue:
        for after in rows[state]:
            if block[after] not in order:
                order[block[after]] = len(queue)
                queue.append(after)
    return NumberMachine(
        tuple(order[block[state]] for state in first),
        tuple(tuple(order[block[t]] for t in rows[s]) for s in queue),
        tuple(outputs[s] for s in queue),
    )


def _least(outputs: Sequence[int], rows: Sequence[tuple[int, ...]]) -> list[float]:
    """Return the least sum of outputs along paths (empty ones too) that leave each state.

    Bellman and Ford: what still falls after as many rounds as there are states falls for ever.
    """
    value: list[float] = [0] * len(rows)
    for fall in (False, True):
        for _ in rows:
            for s, row in enumerate(rows):
                best = min(outputs[t] + value[t] for t in row)
                if best < value[s]:
                    value[s] = -inf if fall else best
    return value
