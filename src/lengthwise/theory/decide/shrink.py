"""Smaller programs for a language that is known exactly: replace, compare, keep what is proved.

A program that was written from an automaton follows its components one by one and says much that
no word needs. Here parts of it are replaced by smaller ones, as long as the language stays:

    at2 = t1 == 1 && #leave1 - (1 if leave1 else 0) < 1
                     \\_____ replaced by #leave1 _____/       smaller; the same language?

A change is tried on sample words first, which refuses nearly all of them, and kept only if the
changed program has finitely many configurations and its automaton is the given one: an exact
comparison (`crasp/finite.py`). Where that cannot be computed the program stays as it is.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.crasp.finite import to_automaton
from lengthwise.crasp.interpreter import evaluate_expressions, read_at
from lengthwise.crasp.program import Program
from lengthwise.crasp.simplify import simplify_expressions
from lengthwise.crasp.syntax import (
    Arithmetic,
    Bool,
    Compare,
    Constant,
    Count,
    Expression,
    LocalCount,
    Number,
    PrefixCount,
    Subtract,
    Symbol,
    postorder,
    rebuild,
)
from lengthwise.languages.convention import Accept
from lengthwise.languages.dfa import DFA
from lengthwise.languages.words import Words
from lengthwise.theory.decide.conditions import Names
from lengthwise.theory.decide.inclusive import inclusive
from lengthwise.theory.limit.normalise import at_last_letter

MOST_TRIED = 6_000
"""Most changes that are tried for one program: a second or two."""
MOST_NODES = 120
"""Larger programs stay as they are."""
SECONDS = 10.0
"""For one program, where no limits are given; few programs take more than two."""
CHECK_SECONDS = 10.0
"""Most time for one exact comparison; that of a small program takes milliseconds."""
MOST_STATES = 400
"""Most configurations of a candidate."""
WIDE = 4
"""Comparisons of one count whose constants are moved together, at the most."""


def shrink(program: Program, dfa: DFA, accept: Accept, limits: Limits | None = None) -> Program:
    """Return a program of the automaton's language that is not larger: the best within the time.

    Example:
        >>> from lengthwise.crasp.parser import parse
        >>> from lengthwise.languages.regex import compile_regex
        >>> long = parse('alphabet "a" "b"\\naccept = #"b" - (1 if "b" else 0) >= 1 || "b"')
        >>> print(shrink(long, compile_regex("a*b(a|b)*"), "last").accept)
        #"b" > 0
    """
    clock = limits or Limits(SECONDS)
    search = _Search(program, dfa.minimise(), accept, clock)
    with suppress(LimitReachedError), clock.alarm("the search for a smaller program"):
        search.run()
    return search.best


@dataclass
class _Search:
    program: Program
    dfa: DFA
    accept: Accept
    limits: Limits
    seen: set[Expression] = field(default_factory=set)
    tried: int = 0

    def __post_init__(self) -> None:
        self.best = self.program

    def run(self) -> None:
        """Go through all changes until none is left that helps."""
        first: Bool = simplify_expressions([self.program.accept])[self.program.accept]
        if size(first) > MOST_NODES or not self._right(first):
            return
        self.few, self.many = samples(self.dfa)
        other = inclusive(first, self.dfa.alphabet, self.accept)
        starts = [first, other] if self._keeps(other) else [first]
        roots: list[Bool] = []
        for start in starts:
            roots.append(self._shrunk(start))
            self.best = self._named(min(roots, key=size))

    def _shrunk(self, root: Bool) -> Bool:
        """Change as long as that helps."""
        self.tried = 0
        changed = True
        while changed:
            changed = False
            for candidate in self._changes(root):
                if self.limits.over or self.tried >= MOST_TRIED:
                    return root
                if self._keeps(candidate):
                    root, changed = candidate, True
                    break
        return root

    def _named(self, root: Bool) -> Program:
        """Return the program with names for sums of counts and for events that are counted."""
        names = Names()
        for node in postorder([root]):
            if isinstance(node, Compare) and isinstance(node.left, Arithmetic):
                names.give("t", node.left)
            elif isinstance(node, PrefixCount) and not isinstance(node.operand, Symbol):
                names.give("event", node.operand)
        defined = [(name, node) for node, name in names.definitions.items()]
        last = self.program.definitions[-1][0]
        return self.program.replace(definitions=[*defined, (last, root)])

    def _keeps(self, root: Bool) -> bool:
        self.tried += 1
        shown = self._read(root)
        return self.few.agree(shown) and self.many.agree(shown) and self._right(root)

    def _right(self, root: Bool) -> bool:
        """Whether the program with this output has exactly the automaton's language."""
        read = Program.of(
            self._read(root),
            alphabet=self.program.alphabet,
            empty=bool(self.dfa.accepting[self.dfa.initial]),
        )
        found = to_automaton(
            read,
            self.dfa.alphabet,
            accept="last",
            limit=MOST_STATES,
            seconds=min(CHECK_SECONDS, max(0.01, self.limits.left())),
        )
        return found is not None and same(found, self.dfa) and self._empty_is_right(root)

    def _empty_is_right(self, root: Bool) -> bool:
        """Under ``end`` the empty word is read at the end marker; else the program declares it."""
        if self.accept == "last":
            return True
        (value,) = read_at([root], Words.encode([""], self.dfa.alphabet), "end")
        return bool(value[0]) == bool(self.dfa.accepting[self.dfa.initial])

    def _read(self, root: Bool) -> Bool:
        """The output as it is read at the last letter."""
        if self.accept == "last":
            return root
        moved = at_last_letter(root)
        return simplify_expressions([moved])[moved]

    # ---- changes -------------------------------------------------------------------------

    def _changes(self, root: Bool) -> Iterator[Bool]:
        """Yield smaller outputs, the boldest changes first."""
        nodes = list(postorder([root]))
        below = {node: set(postorder([node])) for node in nodes}
        bound = size(root)
        for node in sorted(nodes, key=lambda n: -len(below[n])):
            for other in self._instead(node, nodes):
                if node not in below.get(other, ()):
                    for new in self._replaced(root, nodes, node, other):
                        if new not in self.seen and size(new) < bound:
                            self.seen.add(new)
                            yield new

    def _instead(self, node: Expression, nodes: list[Expression]) -> Iterator[Expression]:
        letters = [Symbol(name) for name in self.dfa.alphabet]
        if isinstance(node, Bool):
            yield Constant(False)
            yield Constant(True)
            yield from (other for other in nodes if isinstance(other, Bool) and other is not node)
            yield from letters
            match node:
                case Compare(_, Subtract(x, y), Number()):
                    yield from (Compare(sign, x, y) for sign in ("<", "==", ">"))
                case Compare("==", x, Number(value)):
                    yield from (x >= value, x <= value, x < value + 1)
                case Compare(">", x, Number(value)):
                    yield x >= value + 1
                case Compare("<", x, Number(1)):
                    yield x == 0
            if any(isinstance(n, LocalCount) for n in nodes):
                yield from (LocalCount((1,), letter) >= 1 for letter in letters)
                yield from (LocalCount((2,), letter) >= 1 for letter in letters)
        elif not isinstance(node, Number):
            yield from (other for other in nodes if isinstance(other, Count) and other is not node)
            yield from (PrefixCount(letter) for letter in letters)

    def _replaced(
        self, root: Bool, nodes: list[Expression], node: Expression, other: Expression
    ) -> Iterator[Bool]:
        yield _rebuilt(root, nodes, {node: other})
        uses = [
            (n, n.right.value)
            for n in nodes
            if isinstance(n, Compare) and n.left is node and isinstance(n.right, Number)
        ]
        if not isinstance(other, Count) or isinstance(other, Number) or len(uses) > WIDE:
            return
        for steps in product((-1, 0, 1), repeat=len(uses)):
            if any(steps):
                moved = {
                    use: Compare(use.sign, other, value + step)
                    for (use, value), step in zip(uses, steps, strict=True)
                }
                yield _rebuilt(root, nodes, {**moved, node: other})


def _rebuilt(root: Bool, nodes: list[Expression], instead: dict[Expression, Expression]) -> Bool:
    new: dict[Expression, Any] = {}
    for node in nodes:
        new[node] = instead.get(node)
        if new[node] is None:
            same_args = all(new[arg] is arg for arg in node.args)
            new[node] = node if same_args else rebuild(node, [new[arg] for arg in node.args])
    return simplify_expressions([new[root]])[new[root]]


def size(root: Expression) -> int:
    """Return the number of different operations."""
    return sum(1 for _ in postorder([root]))


def same(one: DFA, other: DFA) -> bool:
    """Whether two minimal automata have one language: they are equal up to names of states."""
    if one.states != other.states:
        return False
    pairs = {one.initial: other.initial}
    queue = [one.initial]
    for state in queue:
        if one.accepting[state] != other.accepting[pairs[state]]:
            return False
        for here, there in zip(
            one.transitions[state].tolist(), other.transitions[pairs[state]].tolist(), strict=True
        ):
            if here not in pairs:
                pairs[here] = there
                queue.append(here)
            elif pairs[here] != there:
                return False
    return True


@dataclass
class Samples:
    """Words with the right answer after each of their letters."""

    words: Words
    right: np.ndarray

    def agree(self, root: Bool) -> bool:
        """Whether an output is right at every position."""
        (value,) = evaluate_expressions([root], self.words)
        return bool(np.array_equal(value, self.right))


def samples(dfa: DFA, length: int = 14, count: int = 256) -> tuple[Samples, Samples]:
    """Return few and many words: random ones, most of which stay where acceptance is possible."""
    rng = np.random.default_rng(0)
    alive = dfa.live()
    rows = []
    for number in range(count):
        state, word = dfa.initial, []
        for _ in range(length):
            good = [a for a in range(dfa.symbols) if alive[dfa.transitions[state, a]]]
            wild = rng.random() < (0.15 if number % 2 else 0.02) or not good
            letter = int(rng.integers(dfa.symbols)) if wild else good[int(rng.integers(len(good)))]
            word.append(letter)
            state = int(dfa.transitions[state, letter])
        rows.append(word)
    tokens = np.array(rows)
    states = np.full(len(tokens), dfa.initial)
    right = np.zeros(tokens.shape, dtype=bool)
    for place in range(length):
        states = dfa.transitions[states, tokens[:, place]]
        right[:, place] = dfa.accepting[states]
    made = [
        Samples(Words(part, np.full(len(part), length), dfa.alphabet), answer)
        for part, answer in ((tokens[:24], right[:24]), (tokens, right))
    ]
    return made[0], made[1]
