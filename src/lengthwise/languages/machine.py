"""What is to be computed: an automaton with one output per state, and its three readings.

* ``end``: the answer is read at an extra end position; nothing but the state matters.
* ``last``: it is read at the last letter, which is visible. L is in this class iff for every
  letter a the right quotient {w : wa in L} is in the class ``end`` (our derivation; case split).
* ``predict``: after every prefix of L say which symbols may follow and whether the word may stop.
  The last letter is visible, and only prefixes of L are ever asked about: outputs elsewhere are
  free.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lengthwise.core.errors import unknown
from lengthwise.languages.convention import LANGUAGES
from lengthwise.languages.dfa import DFA
from lengthwise.languages.graphs import distinct, live, reachable, walk_back
from lengthwise.languages.partition import coarsest_congruence

FREE = -1
"""The output of a state about which nothing is asked."""
COMPARED_STATES = 300
"""States up to which all pairs are compared for what free answers allow to join: it is cubic."""


@dataclass(frozen=True)
class Machine:
    """A complete automaton with an integer output per state; ``FREE`` means any will do.

    Where symbols that act alike were joined, ``alphabet`` has one of each, ``alike`` all of them.
    """

    alphabet: tuple[str, ...]
    transitions: NDArray[np.int32]
    initial: int
    outputs: NDArray[np.int64]
    alike: tuple[tuple[str, ...], ...] | None = None

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.transitions)

    def actions(self) -> DFA:
        """Return the transitions as an automaton (its accepting states mean nothing)."""
        return DFA(self.alphabet, self.transitions, self.initial, self.outputs == 1)

    def join_letters(self) -> "Machine":
        """Join symbols that act alike: no program and no refutation needs to tell them apart.

        For a letter-to-letter map and its section, inverse images keep counts, windows and
        positions.
        """
        classes: dict[bytes, list[int]] = {}
        for letter, column in enumerate(np.ascontiguousarray(self.transitions.T)):
            classes.setdefault(column.tobytes(), []).append(letter)
        if len(classes) == len(self.alphabet):
            return self
        kept = [letters[0] for letters in classes.values()]
        alike = tuple(tuple(self.alphabet[a] for a in letters) for letters in classes.values())
        names = tuple(self.alphabet[a] for a in kept)
        return Machine(names, self.transitions[:, kept], self.initial, self.outputs, alike)

    def minimise(self) -> "Machine":
        """Join states with the same outputs after every word, counting ``FREE`` as an output."""
        keep = reachable(self.transitions, self.initial)
        new = np.cumsum(keep) - 1
        table = new[self.transitions[keep]].astype(np.int32)
        classes = coarsest_congruence(table, self.outputs[keep])
        _, first = np.unique(classes, return_index=True)
        start = int(classes[new[self.initial]])
        outputs = self.outputs[keep][first]
        return Machine(self.alphabet, classes[table[first]], start, outputs, self.alike)

    def distinguishing_word(self, one: int, two: int) -> tuple[int, ...] | None:
        """Return a shortest word after which two states must answer differently, if any."""
        parents: dict[tuple[int, int], tuple[tuple[int, int], int] | None] = {(one, two): None}
        queue = deque(parents)
        while queue:
            pair = queue.popleft()
            first, second = self.outputs[pair[0]], self.outputs[pair[1]]
            if first != second and FREE not in (first, second):
                return walk_back(parents, pair)
            rows = zip(
                self.transitions[pair[0]].tolist(), self.transitions[pair[1]].tolist(), strict=True
            )
            for letter, target in enumerate(rows):
                if target[0] != target[1] and target not in parents:
                    parents[target] = (pair, letter)
                    queue.append(target)
        return None


@dataclass(frozen=True)
class Part:
    """One question with the last letter fixed (``letters``; None: no letter is visible).

    A program may follow any of ``machines``; a refutation argues about ``original``. There is more
    than one machine only where outputs are free.
    """

    letters: tuple[int, ...] | None
    machines: tuple[Machine, ...]
    original: Machine


def parts(dfa: DFA, accept: str) -> Iterator[Part]:
    """Split a minimal automaton into the questions of an acceptance convention, one by one.

    Example:
        >>> ends_in_b = DFA("ab", [[0, 1], [0, 1]], 0, [False, True])
        >>> [part.machines[0].states for part in parts(ends_in_b, "last")]
        [1, 1]
    """
    if accept == "end":
        answers = dfa.accepting.astype(np.int64)
        whole = Machine(dfa.alphabet, dfa.transitions, dfa.initial, answers).join_letters()
        yield Part(None, (whole,), whole)
    elif accept == "last":
        yield from _shared(dfa, lambda column: dfa.accepting[column].astype(np.int64))
    elif accept == "predict":
        alive = dfa.live()
        answers = continuations(dfa)
        yield from _shared(dfa, lambda column: np.where(alive[column], answers[column], FREE))
    else:
        raise unknown("acceptance convention", accept, LANGUAGES)


def continuations(dfa: DFA) -> NDArray[np.int64]:
    """Number the sets of answers (which symbols may follow, may the word stop) state by state."""
    alive = dfa.live()
    answers = np.hstack([alive[dfa.transitions], dfa.accepting[:, None]])
    numbers: dict[bytes, int] = {}
    return np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in answers])


def _shared(
    dfa: DFA, outputs_after: Callable[[NDArray[np.int32]], NDArray[np.int64]]
) -> Iterator[Part]:
    """Build one part per last letter, joining letters that ask the same question."""
    groups: dict[bytes, tuple[list[int], NDArray[np.int64]]] = {}
    for letter in range(dfa.symbols):
        outputs = outputs_after(dfa.transitions[:, letter])
        groups.setdefault(outputs.tobytes(), ([], outputs))[0].append(letter)
    for letters, outputs in groups.values():
        original = Machine(dfa.alphabet, dfa.transitions, dfa.initial, outputs)
        if FREE in outputs:
            choices = [original.minimise()]
            if original.states <= COMPARED_STATES:
                choices.append(merge_free(original))
            small = tuple(choice.join_letters() for choice in choices)
            yield Part(tuple(letters), small, original.join_letters())
        else:
            one = original.minimise().join_letters()
            yield Part(tuple(letters), (one,), one)


def merge_free(machine: Machine) -> Machine:
    """Join states that never have to answer differently, when that is an equivalence.

    Free outputs make "may be joined" intransitive in general; then only states with equal outputs,
    free ones included, are joined. Either way the result gives every required answer.
    """
    free_sink = _free_sinks(machine)
    apart = _incompatible(machine)
    together = ~apart & ~free_sink[:, None] & ~free_sink[None, :]
    np.fill_diagonal(together, True)
    reached = together.astype(np.float32)  # counts of states: far below 2^24, exact
    if ((reached @ reached > 0) & ~together).any():
        return machine.minimise()
    owner = together.argmax(axis=1)
    members = [np.flatnonzero(owner == q) for q in range(machine.states)]
    table = np.empty_like(machine.transitions)
    outputs = np.full(machine.states, FREE, dtype=np.int64)
    kept = distinct(owner)
    for q in kept:
        outputs[q] = machine.outputs[members[q]].max()
        targets = machine.transitions[members[q]]  # (member, letter)
        dead = free_sink[targets]
        chosen = dead.argmin(axis=0)  # a member whose letter leads somewhere asked about
        table[q] = owner[targets[chosen, np.arange(targets.shape[1])]]
    new = np.searchsorted(kept, np.arange(machine.states))
    start = int(new[owner[machine.initial]])
    rows = new[table[kept]].astype(np.int32)
    return Machine(machine.alphabet, rows, start, outputs[kept], machine.alike).minimise()


def join_blocks(machine: Machine, blocks: NDArray[np.int64]) -> Machine | None:
    """Join states of equal block if their letters lead to one block wherever answers are asked.

    None when they do not, or when a block holds two different answers.
    """
    sink = _free_sinks(machine)
    size = int(blocks.max()) + 1
    table = np.full((size, machine.transitions.shape[1]), -1, dtype=np.int64)
    outputs = np.full(size, FREE, dtype=np.int64)
    for q in range(machine.states):
        block, output = int(blocks[q]), int(machine.outputs[q])
        if output != FREE:
            if outputs[block] not in (FREE, output):
                return None
            outputs[block] = output
        for letter, target in enumerate(machine.transitions[q].tolist()):
            if not sink[target]:
                if table[block, letter] not in (-1, blocks[target]):
                    return None
                table[block, letter] = blocks[target]
    rest = np.flatnonzero(sink)
    table = np.where(table < 0, blocks[rest[0]] if len(rest) else 0, table)
    start = int(blocks[machine.initial])
    joined = Machine(machine.alphabet, table.astype(np.int32), start, outputs, machine.alike)
    return joined.minimise()


def _free_sinks(machine: Machine) -> NDArray[np.bool_]:
    """Mark states from which no answer is ever asked for."""
    return ~live(machine.transitions, machine.outputs != FREE)


def _incompatible(machine: Machine) -> NDArray[np.bool_]:
    """Mark pairs of states that some word forces to answer differently."""
    outputs = machine.outputs
    asked = outputs != FREE
    apart = (outputs[:, None] != outputs[None, :]) & asked[:, None] & asked[None, :]
    while True:
        spread = apart.copy()
        for column in machine.transitions.T:
            spread |= apart[column[:, None], column[None, :]]
        if (spread == apart).all():
            return apart
        apart = spread
