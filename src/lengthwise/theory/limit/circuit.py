"""What the compiler compiles: a circuit of Booleans, each the output of a few kinds of unit.

A transformer computes sums behind a threshold, so everything in a program becomes one of five:

=========  ==========================================================================
Token      the letter at i is in a set
Gate       a weighted sum of other Booleans at i is at least an integer
Threshold  a linear form over prefix counts, ``sum a * #P``, is at least an integer
Near       another Boolean at position i - distance; false when there is no such position
Periodic   i mod modulus is the residue (positions count from 1)
=========  ==========================================================================

Nodes are rows of a table and refer to earlier rows by number; equal nodes are stored once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class TokenInput:
    """The letter here is one of these."""

    letters: frozenset[str]


@dataclass(frozen=True)
class CircuitGate:
    """``sum of weight * Boolean >= least``, all at the same position.

    ``begin`` says what it must be at the begin token, where no word has a position.
    """

    terms: tuple[tuple[int, int], ...]
    least: int
    begin: bool | None = None


@dataclass(frozen=True)
class Threshold:
    """``sum of coefficient * #Boolean >= least`` over the positions up to here."""

    form: tuple[tuple[int, int], ...]
    least: int


@dataclass(frozen=True)
class Near:
    """The Boolean ``distance`` positions ago."""

    operand: int
    distance: int


@dataclass(frozen=True)
class Periodic:
    """The position modulo ``modulus`` is ``residue``."""

    modulus: int
    residue: int


Node = TokenInput | CircuitGate | Threshold | Near | Periodic


@dataclass(frozen=True, order=True)
class Literal:
    """A node or its negation."""

    node: int
    negated: bool = False

    def __invert__(self) -> "Literal":
        return Literal(self.node, not self.negated)


@dataclass
class Circuit:
    """A table of nodes over an alphabet, and the literals that are asked for.

    Example:
        >>> circuit = Circuit(("a", "b"))
        >>> circuit.add(TokenInput(frozenset("a"))) == circuit.add(TokenInput(frozenset("a")))
        True
    """

    letters: tuple[str, ...]
    nodes: list[Node] = field(default_factory=list)
    outputs: dict[str, Literal] = field(default_factory=dict)
    _numbers: dict[Node, int] = field(default_factory=dict, repr=False)

    def add(self, node: Node) -> int:
        """Return the number of a node, storing it when it is new."""
        number = self._numbers.setdefault(node, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
        return number

    def pruned(self) -> "Circuit":
        """Return the circuit with only what the outputs need."""
        wanted: set[int] = set()
        stack = [literal.node for literal in self.outputs.values()]
        while stack:
            number = stack.pop()
            if number not in wanted:
                wanted.add(number)
                stack.extend(operands(self.nodes[number]))
        new, numbers = Circuit(self.letters), dict[int, int]()
        for number in sorted(wanted):
            numbers[number] = new.add(renumbered(self.nodes[number], numbers))
        new.outputs = {
            name: Literal(numbers[literal.node], literal.negated)
            for name, literal in self.outputs.items()
        }
        return new


def operands(node: Node) -> tuple[int, ...]:
    """Return the nodes that a node reads."""
    match node:
        case CircuitGate():
            return tuple(number for number, _ in node.terms)
        case Threshold():
            return tuple(number for number, _ in node.form)
        case Near():
            return (node.operand,)
        case _:
            return ()


def averaged(nodes: Iterable[Node]) -> set[int]:
    """Return the nodes that attention reads; they must be false at the begin token."""
    found: set[int] = set()
    for node in nodes:
        if isinstance(node, Threshold | Near):
            found.update(operands(node))
    return found


def renumbered(node: Node, numbers: Mapping[int, int]) -> Node:
    """Return the node with other numbers for its operands."""
    match node:
        case CircuitGate():
            return replace(node, terms=tuple((numbers[n], w) for n, w in node.terms))
        case Threshold():
            return replace(node, form=tuple((numbers[n], a) for n, a in node.form))
        case Near():
            return replace(node, operand=numbers[node.operand])
        case _:
            return node
