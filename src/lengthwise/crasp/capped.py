"""Proving that no word satisfies a Boolean, with counts that are followed only near their bounds.

Each sum of a form (:mod:`.meanings`) is compared with a few bounds. Beyond all of them it is known
only as "high" or "low", and where it comes back from there, it may come back as far as its step
goes: more can happen than really does. If the Boolean is false wherever one can get like that, it
is false for every word. With cap 2, after #"a" - #"b" has become high:

    sum        ... 1    2 or more    one step down: 1, or still 2 or more

That proves what has infinitely many configurations, and two layers too: that ``#V == 0`` excludes V
here, for example. Where it fails, nothing is said.
"""

from collections.abc import Callable, Iterator

from lengthwise.crasp.machines import TooLargeError
from lengthwise.crasp.meanings import Boolean, Meanings, Sum

MOST = 4_000
"""Configurations that are followed at most."""

Configuration = tuple[tuple[int, ...], tuple[int, ...]]
"""The state of each machine (-1 before the first letter), and each sum as far as it is known."""


def never_holds(root: Boolean, meanings: Meanings, check: Callable[[], None]) -> bool:
    """Whether a Boolean is proved false on every word that is not empty.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> meanings, more = Meanings("ab"), count(Q["a"]) > count(Q["b"])
        >>> never_holds(meanings.of((count(more) == 0) & more), meanings, lambda: None)
        True
        >>> never_holds(meanings.of((count(more) == 1) & more), meanings, lambda: None)
        False
    """
    walk = _Walk(root, meanings)
    first: Configuration = (-1,) * len(walk.machines), (0,) * len(walk.sums)
    seen, queue = {first}, [first]
    for place in queue:
        check()
        for letter in range(len(meanings.letters)):
            for after, holds in walk.steps(place, letter):
                if holds:
                    return False
                if after not in seen:
                    seen.add(after)
                    queue.append(after)
        if len(queue) > MOST:
            return False
    return True


class _Walk:
    """All sums, machines and Booleans on which one Boolean depends, operands first."""

    def __init__(self, root: Boolean, meanings: Meanings) -> None:
        self.meanings, self.root = meanings, root
        self.sums: dict[Sum, int] = {}
        self.machines: dict[int, int] = {}
        self.caps: list[int] = []
        self._order: list[Sum] = []
        self._visit(root)

    def _visit(self, boolean: Boolean) -> None:
        for asked, bound in boolean[0]:
            if asked not in self.sums:
                for (distance, number), _ in asked[1]:
                    if distance >= 0:
                        raise TooLargeError  # a far window is not remembered
                    self._visit(self.meanings.boolean(number))
                self.sums[asked] = len(self._order)
                self._order.append(asked)
                self.caps.append(1)
                self.machines.setdefault(asked[0], len(self.machines))
            place = self.sums[asked]
            self.caps[place] = max(self.caps[place], abs(bound) + 1)
        for machine in boolean[1]:
            self.machines.setdefault(machine, len(self.machines))

    def steps(self, place: Configuration, letter: int) -> Iterator[tuple[Configuration, bool]]:
        """Yield every configuration that may follow, and whether the Boolean holds there."""
        states = tuple(
            self.meanings.machines[machine].first[letter]
            if state < 0
            else self.meanings.machines[machine].rows[state][letter]
            for machine, state in zip(self.machines, place[0], strict=True)
        )
        for values in self._values(place[1], states, ()):
            yield (states, values), self._holds(self.root, values, states)

    def _values(
        self, before: tuple[int, ...], states: tuple[int, ...], known: tuple[int, ...]
    ) -> Iterator[tuple[int, ...]]:
        """Yield what the sums may be, one after the other: those that a sum counts come first."""
        place = len(known)
        if place == len(self._order):
            yield known
            return
        asked = self._order[place]
        added = self._output(asked[0], states)
        for (_, number), factor in asked[1]:
            added += factor * self._holds(self.meanings.boolean(number), known, states)
        for value in _after(before[place], added, self.caps[place]):
            yield from self._values(before, states, (*known, value))

    def _output(self, machine: int, states: tuple[int, ...]) -> int:
        return self.meanings.machines[machine].outputs[states[self.machines[machine]]]

    def _holds(self, boolean: Boolean, values: tuple[int, ...], states: tuple[int, ...]) -> bool:
        yeses = sum(
            (values[self.sums[asked]] >= bound) << k for k, (asked, bound) in enumerate(boolean[0])
        )
        return bool(self._output(boolean[1][yeses], states))


def _after(value: int, added: int, cap: int) -> list[int]:
    """Return what a capped sum may be after a step.

    Example:
        >>> _after(2, -1, 2), _after(1, 5, 2), _after(-2, 1, 2)
        ([1, 2], [2], [-2, -1])
    """
    low, high = value + added, value + added
    if value == cap:
        high = cap
    if value == -cap:
        low = -cap
    return sorted({max(-cap, min(cap, v)) for v in range(min(low, high), max(low, high) + 1)})
