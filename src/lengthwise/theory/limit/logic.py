"""Building circuits from literals: wide conjunctions, comparisons and shifts, folded on the way."""

from collections.abc import Iterable, Mapping
from math import gcd

from lengthwise.core.errors import InputError
from lengthwise.theory.limit.circuit import (
    Circuit,
    CircuitGate,
    Literal,
    Near,
    Periodic,
    Threshold,
    TokenInput,
)

Value = Literal | bool
"""A Boolean while building: a literal, or a constant that has been found out."""

WIDEST_GATE = 64
"""Gates are merged into larger ones up to this many inputs."""

LARGEST_WEIGHT = 32
"""Largest weight that merging gates may produce."""

LARGEST_RANGE = 4096
"""Most values that the Booleans at one position may add to a count before a comparison."""


class Builder:
    """Adds Booleans to a circuit and returns them as literals or constants.

    Example:
        >>> builder = Builder(Circuit(("a", "b", "c")))
        >>> either = builder.all_of([~builder.token("a"), ~builder.token("b")])
        >>> builder.circuit.nodes[either.node]
        TokenInput(letters=frozenset({'c'}))
    """

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self._all = frozenset(circuit.letters)

    def token(self, *letters: str) -> Value:
        """The letter here is one of ``letters``."""
        return self._tokens(frozenset(letters) & self._all)

    def periodic(self, modulus: int, residue: int) -> Value:
        """The position modulo ``modulus`` is ``residue``."""
        if modulus == 1:
            return True
        if modulus == 2:
            return Literal(self.circuit.add(Periodic(2, 0)), negated=residue == 1)
        return Literal(self.circuit.add(Periodic(modulus, residue)))

    def any_of(self, values: Iterable[Value]) -> Value:
        """Disjunction."""
        return negate(self.all_of([negate(value) for value in values]))

    def all_of(self, values: Iterable[Value]) -> Value:
        """Conjunction of any number of Booleans, as one gate; letters are folded into one set."""
        literals: dict[Literal, None] = {}
        letters = self._all
        for value in values:
            if isinstance(value, bool):
                if not value:
                    return False
                continue
            for literal in self._conjuncts(value):
                node = self.circuit.nodes[literal.node]
                if isinstance(node, TokenInput):
                    letters &= self._all - node.letters if literal.negated else node.letters
                else:
                    literals[literal] = None
        token = self._tokens(letters)
        if token is False or any(~literal in literals for literal in literals):
            return False
        if token is not True:
            literals[token] = None
        return self._conjunction(list(literals))

    def at_least(self, counts: Mapping[int, int], here: Mapping[int, int], constant: int) -> Value:
        """``sum of a * #P + sum of h * P(i) + constant >= 0``; keys are nodes.

        With Booleans at i beside the counts, one threshold for each value v that they can add up
        to tells whether the counts reach ``-constant - v``. As many of these hold as the counts
        are short of the largest v, so a single gate compares them with the Booleans.
        """
        counts = {node: a for node, a in counts.items() if a}
        here = {node: h for node, h in here.items() if h}
        if not counts:
            return self.gate(here, -constant)
        low = sum(min(h, 0) for h in here.values())
        high = sum(max(h, 0) for h in here.values())
        if high - low > LARGEST_RANGE:
            raise InputError(
                f"a comparison adds Booleans worth {low} to {high} to its counts; the compiler "
                f"takes a range of at most {LARGEST_RANGE}."
            )
        terms, least = dict(here), high + 1
        for value in range(low, high + 1):
            reached = self.threshold(counts, -constant - value)
            if isinstance(reached, bool):
                least -= reached
            else:
                least -= reached.negated
                weight = -1 if reached.negated else 1
                terms[reached.node] = terms.get(reached.node, 0) + weight
        return self.gate(terms, least)

    def threshold(self, counts: Mapping[int, int], least: int) -> Value:
        """``sum of a * #P >= least``, with a canonical sign so that equal forms are shared."""
        form = tuple(sorted(counts.items()))
        low, high = self._steps(form)
        if low >= 0 and least <= 0:
            return True
        if high <= 0 and least > 0:
            return False
        divisor = gcd(*(a for _, a in form))
        least = -(-least // divisor)
        form = tuple((node, a // divisor) for node, a in form)
        if form[0][1] < 0:
            flipped = tuple((node, -a) for node, a in form)
            return Literal(self.circuit.add(Threshold(flipped, 1 - least)), negated=True)
        return Literal(self.circuit.add(Threshold(form, least)))

    def gate(self, terms: Mapping[int, int], least: int) -> Value:
        """``sum of weight * Boolean >= least``."""
        kept = tuple(sorted((node, weight) for node, weight in terms.items() if weight))
        if sum(min(weight, 0) for _, weight in kept) >= least:
            return True
        if sum(max(weight, 0) for _, weight in kept) < least:
            return False
        if len(kept) == 1:
            return Literal(kept[0][0], negated=kept[0][1] < 0)
        return Literal(self.circuit.add(CircuitGate(kept, least)))

    def near(self, node: int, distance: int) -> int:
        """Return the node of a Boolean some positions ago; shifts of shifts are one shift."""
        found = self.circuit.nodes[node]
        if isinstance(found, Near):
            return self.near(found.operand, found.distance + distance)
        return self.circuit.add(Near(node, distance)) if distance else node

    def everywhere(self) -> int:
        """Return the node that holds at every letter (but not at the begin token)."""
        return self.circuit.add(TokenInput(self._all))

    def _steps(self, form: Iterable[tuple[int, int]]) -> tuple[int, int]:
        """Return bounds on what one position adds to a form; exactly one letter holds there."""
        letters = dict.fromkeys(self._all, 0)
        low = high = 0
        for number, a in form:
            node = self.circuit.nodes[number]
            if isinstance(node, TokenInput):
                for letter in node.letters:
                    letters[letter] += a
            else:
                low, high = low + min(a, 0), high + max(a, 0)
        return low + min(letters.values()), high + max(letters.values())

    def _tokens(self, letters: frozenset[str]) -> Value:
        if not letters or letters == self._all:
            return bool(letters)
        return Literal(self.circuit.add(TokenInput(letters)))

    def _conjuncts(self, literal: Literal) -> list[Literal]:
        """Return what a literal is a conjunction of: itself, or the inputs of its gate."""
        node = self.circuit.nodes[literal.node]
        if not isinstance(node, CircuitGate) or len(node.terms) > WIDEST_GATE:
            return [literal]
        if any(abs(weight) != 1 for _, weight in node.terms):
            return [literal]
        positive = sum(weight == 1 for _, weight in node.terms)
        is_and = not literal.negated and node.least == positive
        is_nor = literal.negated and node.least == 1 - (len(node.terms) - positive)
        if is_and or is_nor:
            return [Literal(number, (weight < 0) != is_nor) for number, weight in node.terms]
        return [literal]

    def _conjunction(self, literals: list[Literal]) -> Value:
        if len(literals) <= 1:
            return literals[0] if literals else True
        gates = [one for one in literals if isinstance(self.circuit.nodes[one.node], CircuitGate)]
        if len(gates) == 1:
            guarded = self._guarded(gates[0], [one for one in literals if one is not gates[0]])
            if guarded is not None:
                return guarded
        terms = {literal.node: -1 if literal.negated else 1 for literal in literals}
        return self.gate(terms, sum(not literal.negated for literal in literals))

    def _guarded(self, literal: Literal, guards: list[Literal]) -> Value | None:
        """Conjunction of one gate and other literals as one gate: each guard outweighs it.

        None when that would take large weights.
        """
        gate = self.circuit.nodes[literal.node]
        assert isinstance(gate, CircuitGate)
        sign = -1 if literal.negated else 1
        least = 1 - gate.least if literal.negated else gate.least
        terms = {number: sign * weight for number, weight in gate.terms}
        heavy = sum(max(weight, 0) for weight in terms.values()) - least + 1
        if heavy > LARGEST_WEIGHT or len(terms) + len(guards) > WIDEST_GATE:
            return None
        for guard in guards:
            weight = -heavy if guard.negated else heavy
            terms[guard.node] = terms.get(guard.node, 0) + weight
        return self.gate(terms, least + heavy * sum(not guard.negated for guard in guards))


def negate(value: Value) -> Value:
    """Return the negation of a literal or constant."""
    return not value if isinstance(value, bool) else ~value
