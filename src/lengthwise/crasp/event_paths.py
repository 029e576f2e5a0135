"""Programs of one layer of unbounded counting, as paths through a finite automaton.

Where every Boolean that is counted is finite-state (letters, windows, residues, counts that are
decided by a constant), a word is a path through one automaton whose states know all of these
Booleans, and a comparison of counts is a linear constraint on how often each edge is taken:

    #"a" > 2 * #"b"          edges   -> A  (an a was read)   -> B  (a b was read)
                             sum     1 * (edges into A) - 2 * (edges into B) > 0

So whether some word satisfies a Boolean combination of such comparisons is a question about whole
numbers: edge counts that form a path (what enters a state leaves it, and all is connected to the
start) and satisfy the rows (Parikh images of paths; reversal-bounded counters in the literature).
:mod:`lengthwise.core.integer_rows` answers it, with a proof where there is no such word.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from lengthwise.core.integer_rows import Branches, Cases, LinearRow
from lengthwise.crasp.constraints import Form, TooManyCasesError, linearise
from lengthwise.crasp.finite import to_automaton
from lengthwise.crasp.program import Program
from lengthwise.crasp.simplify import simplify_expressions
from lengthwise.crasp.syntax import And, Bool, Compare, Constant, LocalCount, Not, Or
from lengthwise.languages.convention import Accept
from lengthwise.languages.dfa import DFA

EVENT_STATES = 60
"""Largest automaton of a Boolean that is counted."""
LEAF_STATES = 8
"""Largest automaton of a comparison that states know; larger ones are rows, as ``#"b" < 30``."""
PATH_STATES = 60
"""Largest automaton of all of them together."""

Side = Program | DFA
"""One language of a comparison."""


class NotOneLayerError(Exception):
    """A count counts something that is not finite-state, or the automaton is too large."""


@dataclass(frozen=True)
class PathSum:
    """A linear form along a path: ``weights[v]`` for each visit to v, ``offsets[v]`` at its end."""

    weights: tuple[int, ...]
    offsets: tuple[int, ...]


@dataclass(frozen=True)
class EventPaths:
    """The automaton, and each side's formula at each state where a word may end.

    ``table[v][letter]`` is the next state; the start is 0. ``formulas[side][v]`` is what remains of
    a side's formula there: its leaves are comparisons, whose sums are ``sums``.
    """

    letters: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    formulas: tuple[tuple[Bool, ...], ...]
    sums: Mapping[Compare, PathSum]

    @classmethod
    def build(cls, sides: Sequence[Side], letters: Sequence[str], accept: Accept) -> "EventPaths":
        """Build the automaton of some languages; ``NotOneLayerError`` where there is none."""
        return _Builder(tuple(letters), accept).build(sides)

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Pairs of states with a letter between them: the variables of the rows."""
        return tuple(sorted({(u, v) for u, row in enumerate(self.table) for v in row}))

    def rows(self, end: int, demands: Sequence[tuple[Compare, str]]) -> list[LinearRow]:
        """Return the rows of a non-empty path from the start to ``end`` with signs of sums.

        A demand is a comparison and ``<``, ``=`` or ``>``: the sign of its sum.
        """
        flows: list[dict[int, int]] = [{} for _ in self.table]
        for k, (u, v) in enumerate(self.edges):
            flows[v][k] = flows[v].get(k, 0) + 1
            flows[u][k] = flows[u].get(k, 0) - 1
        rows = [
            LinearRow.of(flow, (v == end) - (v == 0), equal=True)
            for v, flow in enumerate(flows)
            if flow or v in (0, end)
        ]
        rows.append(LinearRow.of(dict.fromkeys(range(len(self.edges)), 1), 1))
        return rows + [self.demand(leaf, sign, end) for leaf, sign in demands]

    def at_most(self, length: int) -> LinearRow:
        """Return the row that bounds the length of the path."""
        return LinearRow(tuple((k, -1) for k in range(len(self.edges))), -length)

    def demand(self, leaf: Compare, sign: str, end: int) -> LinearRow:
        """Return the row that says which sign a sum has at the end of the path."""
        form = self.sums[leaf]
        terms = {k: form.weights[v] for k, (_, v) in enumerate(self.edges)}
        offset = form.offsets[end]
        if sign == "=":
            return LinearRow.of(terms, -offset, equal=True)
        if sign == ">":
            return LinearRow.of(terms, 1 - offset)
        return LinearRow.of({k: -a for k, a in terms.items()}, 1 + offset)

    def disconnected(self, flow: Sequence[int]) -> Branches | None:
        """Turn down a flow with a cycle that no path from the start reaches.

        Every path either never enters the states of that cycle or enters them from outside.
        """
        used = {edge for edge, times in zip(self.edges, flow, strict=True) if times}
        reached = _reached({0}, used)
        apart = {v for edge in used for v in edge} - reached
        return self.split(frozenset(_reached({min(apart)}, used))) if apart else None

    def split(self, island: frozenset[int]) -> Branches:
        """Return the two branches of a split at a set of states without the start."""
        inside = {k: -1 for k, (_, v) in enumerate(self.edges) if v in island}
        entering = {k: 1 for k, (u, v) in enumerate(self.edges) if v in island and u not in island}
        return ("island", island), (
            (LinearRow(tuple(sorted(inside.items())), 0),),
            (LinearRow.of(entering, 1),),
        )

    def valid(self, node: Cases) -> bool:
        """Check the reason of a split in a proof."""
        kind, island = node.reason if isinstance(node.reason, tuple) else (None, frozenset())
        if kind != "island" or not island or 0 in island:
            return False
        return tuple(added for added, _ in node.branches) == self.split(island)[1]

    def word(self, flow: Sequence[int], end: int) -> tuple[str, ...]:
        """Return a word whose path takes each edge as often as the flow says (Hierholzer)."""
        left: dict[int, list[int]] = {v: [] for v in range(len(self.table))}
        for (u, v), times in zip(self.edges, flow, strict=True):
            left[u] += [v] * times
        trail, stack = [], [0]
        while stack:
            if left[stack[-1]]:
                stack.append(left[stack[-1]].pop())
            else:
                trail.append(stack.pop())
        trail.reverse()
        assert (trail[-1], len(trail)) == (end, sum(flow) + 1), "the flow is no path"
        return tuple(self.letters[self.table[u].index(v)] for u, v in pairwise(trail))


def demands(formula: Bool) -> Iterator[tuple[tuple[Compare, str], ...]]:
    """Yield ways in which comparisons can make a formula true; together they are all ways.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> [sign for ((_, sign),) in demands(count(Q["a"]) != count(Q["b"]))]
        ['<', '>']
    """
    yield from _demands(formula, ())


def _demands(
    formula: Bool, chosen: tuple[tuple[Compare, str], ...]
) -> Iterator[tuple[tuple[Compare, str], ...]]:
    if isinstance(formula, Constant):
        if formula.value:
            yield chosen
        return
    leaf = _first_leaf(formula)
    for sign in "<=>":
        holds = (
            sign in {"<": "<", "<=": "<=", "==": "=", "!=": "<>", ">=": "=>", ">": ">"}[leaf.sign]
        )
        yield from _demands(decided(formula, {leaf: holds}), (*chosen, (leaf, sign)))


def _first_leaf(formula: Bool) -> Compare:
    while not isinstance(formula, Compare):
        formula = formula.args[0]
    return formula


def decided(formula: Bool, known: Mapping[Bool, bool]) -> Bool:
    """Put truth values for leaves into a formula and fold it."""
    if formula in known:
        return Constant(known[formula])
    match formula:
        case Not(operand):
            inner = decided(operand, known)
            return Constant(not inner.value) if isinstance(inner, Constant) else Not(inner)
        case And(left, right) | Or(left, right):
            absorbing = isinstance(formula, Or)
            parts = [decided(left, known), decided(right, known)]
            kept = [p for p in parts if not isinstance(p, Constant)]
            if any(isinstance(p, Constant) and p.value is absorbing for p in parts):
                return Constant(absorbing)
            if len(kept) < 2:
                return kept[0] if kept else Constant(not absorbing)
            return type(formula)(*kept)
        case _:
            return formula


def leaves(formula: Bool) -> Iterator[Bool]:
    """Yield the comparisons and atoms of a formula."""
    stack, seen = [formula], set[Bool]()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, Not | And | Or):
            stack += node.args
        else:
            yield node


def _reached(found: set[int], edges: set[tuple[int, int]]) -> set[int]:
    found = set(found)
    while more := {v for u, v in edges if u in found} - found:
        found |= more
    return found


class _Builder:
    """Finds out which Booleans a state must know, and multiplies their automata."""

    def __init__(self, letters: tuple[str, ...], accept: Accept) -> None:
        self.letters = letters
        self.accept: Accept = accept
        self.events: dict[tuple[Bool | int, Accept], int] = {}
        self.automata: list[DFA] = []

    def build(self, sides: Sequence[Side]) -> EventPaths:
        formulas: list[Bool | int] = []
        forms: dict[Compare, Form] = {}
        for number, side in enumerate(sides):
            if isinstance(side, DFA):
                formulas.append(self._event(number, side))
                continue
            try:
                root, known = linearise(simplify_expressions([side.accept])[side.accept])
            except TooManyCasesError:
                raise NotOneLayerError from None
            formulas.append(root)
            for leaf in leaves(root):
                if isinstance(leaf, Constant) or self._finite(leaf, self.accept, LEAF_STATES):
                    continue
                if not isinstance(leaf, Compare):
                    raise NotOneLayerError
                forms[leaf] = known[leaf]
        for form in forms.values():
            self._watch(form)
        table, places = self._product()
        return EventPaths(
            self.letters,
            table,
            tuple(tuple(self._at(f, place) for place in places) for f in formulas),
            {leaf: self._sum(form, places) for leaf, form in forms.items()},
        )

    def _event(self, number: int, automaton: DFA) -> int:
        """Take in a language given as an automaton; return the number of its event."""
        self.events[number, self.accept] = len(self.automata)
        self.automata.append(automaton)
        return len(self.automata) - 1

    def _finite(self, event: Bool, accept: Accept, limit: int = EVENT_STATES) -> bool:
        """Take in a Boolean if it has a small automaton."""
        if (event, accept) in self.events:
            return True
        automaton = to_automaton(
            Program.of(event), self.letters, accept=accept, limit=limit, seconds=2.0
        )
        if automaton is not None:
            self.events[event, accept] = len(self.automata)
            self.automata.append(automaton)
        return automaton is not None

    def _watch(self, form: Form) -> None:
        counted = [p for p, _ in (*form.after, *form.before)]
        here = [p for p, _ in (*form.here, *form.before)]
        near = [_earlier(p, d) for p, ds, _ in form.near for d in ds]
        known = [self._finite(p, "last") for p in counted]
        if not all(known + [self._finite(p, self.accept) for p in (*here, *near)]):
            raise NotOneLayerError

    def _product(self) -> tuple[tuple[tuple[int, ...], ...], list[tuple[int, ...]]]:
        first = tuple(automaton.initial for automaton in self.automata)
        index, queue = {first: 0}, [first]
        table: list[tuple[int, ...]] = []
        for place in queue:
            row = []
            for letter in range(len(self.letters)):
                after = tuple(
                    int(automaton.transitions[state, letter])
                    for automaton, state in zip(self.automata, place, strict=True)
                )
                if after not in index:
                    index[after] = len(queue)
                    queue.append(after)
                row.append(index[after])
            table.append(tuple(row))
            if len(queue) > PATH_STATES:
                raise NotOneLayerError
        return tuple(table), queue

    def _knows(self, event: Bool, accept: Accept, place: tuple[int, ...]) -> bool:
        number = self.events[event, accept]
        return bool(self.automata[number].accepting[place[number]])

    def _at(self, formula: Bool | int, place: tuple[int, ...]) -> Bool:
        if isinstance(formula, int):
            return Constant(bool(self.automata[formula].accepting[place[formula]]))
        known = {
            leaf: self._knows(leaf, self.accept, place)
            for leaf in leaves(formula)
            if (leaf, self.accept) in self.events
        }
        return decided(formula, known)

    def _sum(self, form: Form, places: list[tuple[int, ...]]) -> PathSum:
        weights = tuple(
            sum(k * self._knows(p, "last", place) for p, k in (*form.after, *form.before))
            for place in places
        )
        return PathSum(weights, tuple(self._offset(form, place) for place in places))

    def _offset(self, form: Form, place: tuple[int, ...]) -> int:
        """What the form adds where it is read; ``before`` does not count the place itself."""
        total = form.constant
        total += sum(k * self._knows(p, self.accept, place) for p, k in form.here)
        total -= sum(k * self._knows(p, self.accept, place) for p, k in form.before)
        for p, distances, k in form.near:
            total += k * sum(self._knows(_earlier(p, d), self.accept, place) for d in distances)
        return total


def _earlier(event: Bool, distance: int) -> Bool:
    """The Boolean that held ``distance`` places ago."""
    return LocalCount((distance,), event) >= 1
