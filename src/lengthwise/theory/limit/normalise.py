"""First pass: a program becomes a circuit of letters, gates, thresholds, shifts and residues.

Sums are collected into linear forms, conditionals, ``min`` and ``max`` are split into cases, local
counts become Booleans of earlier positions, and negations disappear into signs. The normal form is
that of the literature (Boolean combinations of ``sum a * #P >= k``; Yang et al. 2026) with the
Booleans at the current position kept apart, because they need no attention.
"""

from dataclasses import dataclass

from lengthwise.core.errors import InputError
from lengthwise.crasp.program import Program
from lengthwise.crasp.simplify import simplify_expressions
from lengthwise.crasp.syntax import (
    Add,
    And,
    Bool,
    Compare,
    Constant,
    Expression,
    LocalCount,
    Maximum,
    Minimum,
    Not,
    Number,
    Or,
    PrefixCount,
    Residue,
    Scale,
    Subtract,
    Symbol,
    UnknownNodeError,
    Where,
    postorder,
    rebuild,
)
from lengthwise.theory.limit.circuit import Circuit, Gate, Literal
from lengthwise.theory.limit.logic import Builder, Value, negate

OTHER = '"'
"""Stands for letters that a program does not mention; a quote is no letter of any program."""

LARGEST_SPLIT = 1024
"""Most cases into which the conditionals of one count are split."""


@dataclass(frozen=True)
class Sum:
    """``sum of a * #P + sum of h * P(i) + constant``, keyed by nodes of the circuit."""

    counts: dict[int, int]
    here: dict[int, int]
    constant: int

    def plus(self, other: "Sum", factor: int) -> "Sum":
        """Return this sum plus a multiple of another."""
        return Sum(
            _merge(self.counts, other.counts, factor),
            _merge(self.here, other.here, factor),
            self.constant + factor * other.constant,
        )


Cases = list[tuple[Value, Sum]]
"""A count: where the condition holds (exactly one does) it is the sum beside it."""

ZERO = Sum({}, {}, 0)


def normalise(program: Program, *, accept: str = "last") -> Circuit:
    """Return the circuit of a program's outputs.

    Under ``accept="end"`` the program is first rewritten so that reading it at the last letter
    gives what the end marker would have seen.

    Example:
        >>> from lengthwise.crasp import Q, count
        >>> circuit = normalise(Program.of(count(Q["a"]) > count(Q["b"]), alphabet="ab"))
        >>> circuit.nodes[circuit.outputs["accept"].node]
        Threshold(form=((0, 1), (1, -1)), least=1)
    """
    if program.is_generator:
        roots: dict[str, Expression] = dict(program.next)
    else:
        roots = {"accept": program.accept}
    if accept == "end":
        roots = {name: at_last_letter(node) for name, node in roots.items()}
    simple = simplify_expressions(roots.values())
    lowering = _Lowering(Builder(Circuit(input_letters(program))))
    lowering.run([simple[node] for node in roots.values()])
    circuit = lowering.builder.circuit
    for name, node in roots.items():
        circuit.outputs[name] = _as_literal(lowering.booleans[simple[node]], circuit)
    return circuit.pruned()


def input_letters(program: Program) -> tuple[str, ...]:
    """Return the letters a compiled model reads: the alphabet, or those mentioned and ``OTHER``."""
    if program.alphabet is not None:
        return program.alphabet
    return (*dict.fromkeys((*program.letters(), *program.next)), OTHER)


def at_last_letter(root: Expression) -> Expression:
    """Return what reads at the last letter as ``root`` reads at an end marker after it.

    There no letter holds, a prefix count has its last value, ``i - d`` is one step nearer and the
    position is one more. (Our derivation; exact for non-empty words.)
    """
    new: dict[Expression, Expression] = {}
    for node in postorder([root]):
        match node:
            case Symbol():
                new[node] = Constant(False)
            case Residue(modulus, residue):
                new[node] = Residue(modulus, residue - 1)
            case PrefixCount():
                new[node] = node
            case LocalCount(distances, operand):
                nearer = [distance - 1 for distance in distances if distance]
                new[node] = LocalCount(nearer, operand) if nearer else Number(0)
            case _:
                new[node] = rebuild(node, [new[arg] for arg in node.args])
    return new[root]


class _Lowering:
    """Walks the expressions, operands first, and keeps what each has become."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.booleans: dict[Expression, Value] = {}
        self.counts: dict[Expression, Cases] = {}

    def run(self, roots: list[Expression]) -> None:
        """Lower everything below the roots."""
        for node in postorder(roots):
            if isinstance(node, Bool):
                self.booleans[node] = self._boolean(node)
            else:
                self.counts[node] = self._count(node)

    def _boolean(self, node: Bool) -> Value:
        builder = self.builder
        match node:
            case Symbol(name):
                return builder.token(name)
            case Constant(value):
                return value
            case Residue(modulus, residue):
                return builder.periodic(modulus, residue)
            case Not(operand):
                return negate(self.booleans[operand])
            case And():
                return builder.all_of([self.booleans[arg] for arg in node.args])
            case Or():
                return builder.any_of([self.booleans[arg] for arg in node.args])
            case Compare(sign, left, right):
                return self._compare(sign, self.counts[left], self.counts[right])
            case _:
                raise UnknownNodeError(node)

    def _count(self, node: Expression) -> Cases:
        known = self.counts
        match node:
            case Number(value):
                return [(True, Sum({}, {}, value))]
            case PrefixCount(operand):
                return [(True, self._counted(self.booleans[operand], None))]
            case LocalCount(distances, operand):
                return [(True, self._counted(self.booleans[operand], distances))]
            case Scale(factor, operand):
                return self._combine([(True, ZERO)], known[operand], factor)
            case Add(left, right):
                return self._combine(known[left], known[right], 1)
            case Subtract(left, right):
                return self._combine(known[left], known[right], -1)
            case Where(condition, then, otherwise):
                return self._choose(self.booleans[condition], known[then], known[otherwise])
            case Minimum(left, right) | Maximum(left, right):
                sign = "<=" if isinstance(node, Minimum) else ">="
                first = self._compare(sign, known[left], known[right])
                return self._choose(first, known[left], known[right])
            case _:
                raise UnknownNodeError(node)

    def _counted(self, operand: Value, distances: tuple[int, ...] | None) -> Sum:
        """Return ``#operand`` as a sum; a negated operand is all positions minus the others."""
        if operand is False:
            return ZERO
        builder = self.builder
        parts = []
        if operand is True or operand.negated:
            parts.append((builder.everywhere(), 1))
        if operand is not True:
            parts.append((operand.node, -1 if operand.negated else 1))
        if distances is None:
            return Sum(dict(parts), {}, 0)
        total = ZERO
        for distance in distances:
            for node, weight in parts:
                total = total.plus(Sum({}, {builder.near(node, distance): weight}, 0), 1)
        return total

    def _combine(self, left: Cases, right: Cases, factor: int) -> Cases:
        found: Cases = []
        for p, first in left:
            for q, second in right:
                both = self.builder.all_of([p, q])
                if both is not False:
                    found.append((both, first.plus(second, factor)))
        return _limited(found)

    def _choose(self, condition: Value, then: Cases, otherwise: Cases) -> Cases:
        """Split on the condition; a choice between two constants is a Boolean at i instead."""
        if isinstance(condition, bool):
            return then if condition else otherwise
        if len(then) == len(otherwise) == 1:
            high, low = then[0][1], otherwise[0][1]
            if not (high.counts or high.here or low.counts or low.here):
                step = high.constant - low.constant
                base = high.constant if condition.negated else low.constant
                weight = -step if condition.negated else step
                return [(True, Sum({}, {condition.node: weight}, base))]
        cases = [(self.builder.all_of([condition, p]), value) for p, value in then]
        cases += [(self.builder.all_of([~condition, p]), value) for p, value in otherwise]
        return _limited([case for case in cases if case[0] is not False])

    def _compare(self, sign: str, left: Cases, right: Cases) -> Value:
        branches = [
            self.builder.all_of([condition, self._holds(sign, difference)])
            for condition, difference in self._combine(left, right, -1)
        ]
        return self.builder.any_of(branches)

    def _holds(self, sign: str, difference: Sum) -> Value:
        def at_least(least: int) -> Value:
            return self.builder.at_least(
                difference.counts, difference.here, difference.constant - least
            )

        match sign:
            case ">=":
                return at_least(0)
            case ">":
                return at_least(1)
            case "<":
                return negate(at_least(0))
            case "<=":
                return negate(at_least(1))
            case _:
                equal = self.builder.all_of([at_least(0), negate(at_least(1))])
                return equal if sign == "==" else negate(equal)


def _merge(left: dict[int, int], right: dict[int, int], factor: int) -> dict[int, int]:
    merged = dict(left)
    for node, weight in right.items():
        merged[node] = merged.get(node, 0) + factor * weight
    return {node: weight for node, weight in merged.items() if weight}


def _limited(cases: Cases) -> Cases:
    if len(cases) > LARGEST_SPLIT:
        raise InputError(
            f"the conditionals of one count split into more than {LARGEST_SPLIT} cases; name "
            "parts of it as Booleans, or compare them one at a time."
        )
    return cases


def _as_literal(value: Value, circuit: Circuit) -> Literal:
    if isinstance(value, bool):
        return Literal(circuit.add(Gate((), 0 if value else 1)))
    return value
