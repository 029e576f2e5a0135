"""The transition monoid: what words do to all states at once, with a shortest word for each."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.languages.dfa import DFA
from lengthwise.languages.graphs import strong_components

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Monoid:
    """All actions of words on the states of an automaton.

    Element 0 is the empty word. ``elements[x, q]`` is the state reached from q by x,
    ``cayley[x, a]`` the element "x then letter a"; elements appear in order of shortest words.
    """

    elements: NDArray[np.int32]
    cayley: NDArray[np.int32]
    parents: Ints
    letters: Ints

    @property
    def size(self) -> int:
        """Number of elements."""
        return len(self.elements)

    @property
    def complete(self) -> bool:
        """Whether all elements are there (see ``transition_monoid``)."""
        return bool((self.cayley >= 0).all())

    def word(self, element: int) -> tuple[int, ...]:
        """Return the shortest word of an element, first in dictionary order among those."""
        word: list[int] = []
        while element:
            word.append(int(self.letters[element]))
            element = int(self.parents[element])
        return tuple(reversed(word))

    @cached_property
    def identity_word(self) -> tuple[int, ...] | None:
        """The shortest non-empty word that moves no state, if there is one."""
        sources, letters = np.nonzero(self.cayley == 0)
        if not len(sources):
            return None
        return (*self.word(int(sources[0])), int(letters[0]))

    @cached_property
    def idempotents(self) -> Ints:
        """Elements that equal their square."""
        squares = np.take_along_axis(self.elements, self.elements, axis=1)
        return np.flatnonzero((squares == self.elements).all(axis=1))

    @cached_property
    def aperiodic(self) -> bool:
        """Whether no power of an element cycles: the language is star-free (Schützenberger)."""
        power = self.elements
        for _ in range(int(self.elements.shape[1]).bit_length()):
            power = np.take_along_axis(power, power, axis=1)
        return bool((np.take_along_axis(self.elements, power, axis=1) == power).all())

    @cached_property
    def r_classes(self) -> list[list[int]]:
        """Green's R-classes: strongly connected parts of the right Cayley graph."""
        return strong_components([sorted(set(row)) for row in self.cayley.tolist()])

    @cached_property
    def one_idempotent_per_r_class(self) -> bool:
        """Whether no R-class holds two idempotents (Stiffler: R-trivial by groups)."""
        idempotent = np.zeros(self.size, dtype=bool)
        idempotent[self.idempotents] = True
        return all(idempotent[part].sum() <= 1 for part in self.r_classes)


def transition_monoid(dfa: DFA, budget: Limits, *, at_most: int | None = None) -> Monoid:
    """Build the monoid layer by layer; more than ``budget.monoid`` elements are refused.

    With ``at_most`` the construction stops there instead: the elements of the shortest words, with
    -1 in ``cayley`` where it was not followed.

    Example:
        >>> flip = DFA("ab", [[1, 0], [0, 1]], 0, [True, False])
        >>> transition_monoid(flip, Limits()).size
        2
    """
    identity = np.arange(dfa.states, dtype=np.int32)
    found = {identity.tobytes(): 0}
    rows, parents, letters, cayley = [identity], [0], [0], []
    done = 0
    most = budget.monoid if at_most is None else at_most
    most = min(most, budget.actions // dfa.states)
    while done < len(rows) and (at_most is None or len(rows) < most):
        budget.check("the construction of the monoid")
        layer = rows[done:]
        for offset, row in enumerate(layer):
            images = np.ascontiguousarray(dfa.transitions[row].T)  # (letter, state)
            line: list[int] = []
            for letter, image in enumerate(images):
                key = image.tobytes()
                number = found.get(key)
                if number is None:
                    number = found[key] = len(rows)
                    rows.append(image)
                    parents.append(done + offset)
                    letters.append(letter)
                line.append(number)
            cayley.append(line)
            if at_most is None and len(rows) > most:
                raise LimitReachedError(f"the transition monoid has more than {most:,} elements")
            if at_most is not None and len(rows) >= most:
                break
        done = len(cayley)
    table = np.full((len(rows), dfa.symbols), -1, dtype=np.int32)
    table[: len(cayley)] = cayley
    return Monoid(np.stack(rows), table, np.array(parents), np.array(letters))


@dataclass(frozen=True)
class Stable:
    """The stable semigroup: actions of words of length ``index``, the same for every multiple."""

    index: int
    members: Ints
    levels: tuple[Ints, ...]

    def word(self, monoid: Monoid, element: int) -> tuple[int, ...]:
        """Return a word of length exactly ``index`` with the given action."""
        word: list[int] = []
        for level in reversed(self.levels[: self.index]):
            sources, letters = np.nonzero(monoid.cayley[level] == element)
            word.append(int(letters[0]))
            element = int(level[sources[0]])
        return tuple(reversed(word))


def stable_semigroup(monoid: Monoid, budget: Limits) -> Stable:
    """Find the stability index s, the least s >= 1 with η(Σ^s) = η(Σ^2s), and that set.

    Example:
        >>> flip = DFA("a", [[1], [0]], 0, [True, False])
        >>> stable_semigroup(transition_monoid(flip, Limits()), Limits()).index
        2
    """
    levels = [np.array([0])]
    seen: dict[bytes, int] = {}
    while True:
        budget.check("the stability index")
        budget.require(len(levels) * max(1, monoid.size // 200), "monoid", "the stability index")
        following = np.unique(monoid.cayley[levels[-1]]).astype(np.int64)
        first = seen.setdefault(following.tobytes(), len(levels))
        if first < len(levels):
            period = len(levels) - first
            index = period * -(-first // period)
            # levels are known up to first + period - 1 >= index
            return Stable(index, levels[index], tuple(levels))
        levels.append(following)
