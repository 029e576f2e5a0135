"""What every node is at the begin token, where a program has no position.

Averages run over the begin token too, so whatever attention reads must be false there; the rest may
be what it is. What a recogniser says of the empty word is read there as well.
"""

from dataclasses import replace

from lengthwise.theory.limit.circuit import (
    Circuit,
    CircuitGate,
    Literal,
    Near,
    Periodic,
    Threshold,
    TokenInput,
    averaged,
)


def begin_values(circuit: Circuit) -> list[bool]:
    """Return every node's value at the begin token, as the emitted weights will have it.

    Example:
        >>> from lengthwise.theory.limit.circuit import TokenInput
        >>> circuit = Circuit(("a",))
        >>> _ = circuit.add(CircuitGate(((circuit.add(TokenInput(frozenset("a"))), -1),), 0))
        >>> begin_values(circuit)
        [False, True]
    """
    counted = averaged(circuit.nodes)
    values: list[bool] = []
    for number, node in enumerate(circuit.nodes):
        values.append(number not in counted and _value(node, values))
    return values


def _value(node: object, values: list[bool]) -> bool:
    match node:
        case CircuitGate(terms, least, begin):
            natural = sum(weight for number, weight in terms if values[number]) >= least
            return natural if begin is None else begin
        case Threshold(_, least):
            return least <= 0
        case TokenInput() | Near() | Periodic():
            return False
        case _:
            raise AssertionError(node)


def settle_outputs(circuit: Circuit, empty: bool | None) -> Circuit:
    """Make every output a value written by an MLP, and right at the begin token.

    ``empty`` is what a recogniser says of the empty word; None leaves the begin token open.
    """
    values = begin_values(circuit)
    for name, literal in circuit.outputs.items():
        node = circuit.nodes[literal.node]
        right = empty is None or (values[literal.node] != literal.negated) == empty
        if right and not isinstance(node, TokenInput):
            continue
        if isinstance(node, CircuitGate):
            begin = empty != literal.negated
            circuit.outputs[name] = replace(literal, node=circuit.add(replace(node, begin=begin)))
        else:
            weight, least = (-1, 0) if literal.negated else (1, 1)
            gate = CircuitGate(((literal.node, weight),), least, begin=empty)
            circuit.outputs[name] = Literal(circuit.add(gate))
    return circuit.pruned()
