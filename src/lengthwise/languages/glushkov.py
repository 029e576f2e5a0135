"""From the tree of a regular expression to an automaton, by positions (Glushkov 1961)."""

from typing import NamedTuple

from lengthwise.languages.dfa import DFA, determinise


class Symbols(NamedTuple):
    """One symbol out of some; a single letter is a class of one."""

    members: tuple[str, ...]


class Join(NamedTuple):
    """Parts one after another (``.``), or a choice of them (``|``); no part is the empty word."""

    sign: str
    parts: "tuple[Tree, ...]"


class Repeat(NamedTuple):
    """A part ``low`` to ``high`` times; any number from ``low`` on if ``high`` is None."""

    part: "Tree"
    low: int
    high: int | None


Tree = Symbols | Join | Repeat
EMPTY = Join(".", ())


class _Part(NamedTuple):
    """Part of an expression as sets of positions (bit masks): where its words begin and end."""

    nullable: bool
    first: int
    last: int


class Positions:
    """Every symbol of an expression is a position; ``follow[p]`` are those that may come next.

    For ``(ab)*a`` with positions 1, 2, 3::

        start -> {1, 3}    1(a) -> {2}    2(b) -> {1, 3}    3(a) -> {}    last: {3}

    Position 0 is the start. A repetition is written out, one copy of its positions each time.
    """

    def __init__(self, symbols: tuple[str, ...]) -> None:
        self.symbols = symbols
        self.follow = [0]
        self.having = dict.fromkeys(symbols, 0)  # symbol -> the positions that match it

    def to_dfa(self, tree: Tree, max_states: int) -> DFA:
        """Return a complete automaton, not minimal."""
        whole = self.build(tree)
        self.follow[0] = whole.first
        moves = [[after & self.having[s] for after in self.follow] for s in self.symbols]
        table, masks = determinise(1, moves, max_states)
        final = whole.last | whole.nullable  # the start, bit 0, is final if () matches
        return DFA(self.symbols, table, 0, [bool(mask & final) for mask in masks])

    def build(self, tree: Tree) -> _Part:
        """Add the positions of a tree."""
        if isinstance(tree, Symbols):
            return self.position(tree.members)
        if isinstance(tree, Repeat):
            return self.repeat(tree)
        if tree.sign == "|":
            parts = [self.build(part) for part in tree.parts]
            first = last = 0
            for part in parts:
                first, last = first | part.first, last | part.last
            return _Part(any(part.nullable for part in parts), first, last)
        whole = _Part(True, 0, 0)
        for part in tree.parts:
            whole = self.join(whole, self.build(part))
        return whole

    def position(self, members: tuple[str, ...]) -> _Part:
        """Add one position that matches some symbols."""
        bit = 1 << len(self.follow)
        self.follow.append(0)
        for symbol in members:
            self.having[symbol] |= bit
        return _Part(False, bit, bit)

    def join(self, one: _Part, two: _Part) -> _Part:
        """Put two parts one after the other."""
        self.link(one.last, two.first)
        return _Part(
            one.nullable and two.nullable,
            one.first | (two.first if one.nullable else 0),
            two.last | (one.last if two.nullable else 0),
        )

    def link(self, before: int, after: int) -> None:
        """Let every position of one set be followed by those of another."""
        while before:
            lowest = before & -before
            self.follow[lowest.bit_length() - 1] |= after
            before ^= lowest

    def repeat(self, tree: Repeat) -> _Part:
        """Write ``x{2,4}`` as ``xx(x(x)?)?``, from the right, and ``x{2,}`` as ``xxx*``."""
        tail = _Part(True, 0, 0)
        if tree.high is None:
            once = self.build(tree.part)
            self.link(once.last, once.first)
            tail = once._replace(nullable=True)
        for _ in range((tree.high or tree.low) - tree.low):
            tail = self.join(self.build(tree.part), tail)._replace(nullable=True)
        for _ in range(tree.low):
            tail = self.join(self.build(tree.part), tail)
        return tail
