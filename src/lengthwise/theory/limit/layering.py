"""Second pass: every node gets the block in which it is computed, as early as possible.

A block is attention followed by an MLP. A threshold needs its operands before the attention of its
block, a gate before the MLP, so a level of counting costs one block and a gate one more. With
``clean``, what a steep threshold made is passed through a gate before it is counted: in finite
precision a steep threshold is a difference of large numbers and its 0 and 1 are slightly off.
"""

from dataclasses import dataclass

from lengthwise.theory.limit.circuit import (
    Circuit,
    CircuitGate,
    Literal,
    Near,
    Node,
    Periodic,
    Threshold,
    TokenInput,
    averaged,
    operands,
    renumbered,
)


@dataclass(frozen=True)
class Schedule:
    """A circuit with the block of every node; 0 is the embedding."""

    circuit: Circuit
    block: tuple[int, ...]
    depth: int

    def at(self, block: int) -> list[int]:
        """Return the nodes computed in a block."""
        return [number for number, when in enumerate(self.block) if when == block]


def schedule(circuit: Circuit, *, clean: bool) -> Schedule:
    """Return the circuit's schedule.

    Example:
        >>> from lengthwise.crasp import Program, Q, count
        >>> from lengthwise.theory.limit.normalise import normalise
        >>> below = count(Q["a"]) < count(Q["b"])
        >>> dyck = Program.of((count(below) == 0) & (count(Q["a"]) == count(Q["b"])), alphabet="ab")
        >>> [schedule(normalise(dyck), clean=clean).depth for clean in (False, True)]
        [3, 4]
    """
    if clean:
        circuit = cleaned(circuit)
    blocks: list[int] = []
    for node in circuit.nodes:
        ready = max((blocks[operand] for operand in operands(node)), default=0)
        blocks.append(_block(node, ready))
    return Schedule(circuit, tuple(blocks), max([1, *blocks]))


def _block(node: Node, ready: int) -> int:
    if isinstance(node, TokenInput):
        return 0
    if isinstance(node, Periodic):
        return 2
    return ready + 1


def cleaned(circuit: Circuit) -> Circuit:
    """Return the circuit with a gate between every steep threshold and attention."""
    counted = averaged(circuit.nodes)
    new, numbers, clean = Circuit(circuit.letters), dict[int, int](), dict[int, int]()
    for number, node in enumerate(circuit.nodes):
        through = clean if isinstance(node, Threshold | Near) else numbers
        numbers[number] = clean[number] = new.add(renumbered(node, through))
        if number in counted and isinstance(node, Threshold | Periodic):
            clean[number] = new.add(CircuitGate(((numbers[number], 1),), 1))
    new.outputs = {
        name: Literal(numbers[literal.node], literal.negated)
        for name, literal in circuit.outputs.items()
    }
    return new
