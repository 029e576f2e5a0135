"""Turning a program into an automaton, exactly, when it has finitely many configurations.

A configuration is what a program remembers of a prefix: the running value of each linear form it
compares, the recent history that local counts see, and the position modulo the periods. Forms
whose coefficients have one sign only grow, so they are followed only until their comparison is
decided for good; and whatever can no longer influence the output is forgotten. For ``#"b" == 0``:

    prefix           (empty)     a           b              ba
    running sum      #"b" = 0    #"b" = 0    #"b" = 1 >= 1: decided, false for ever
    configuration    {sum: 0}    {sum: 0}    {output: false}     -> two states

If what remains is finite (as for the bounded potentials of programs written from automata), the
program *is* an automaton and can be compared with another one by a finite, complete check.
Otherwise the search stops at its limit and the caller must say "bounded".

That these configurations determine all later outputs is our own argument: the value of a form at i
is its value before i plus terms known at i, and a decided or irrelevant form changes no output.

    form(i) = sum of k * #P(i - 1)      remembered (the coefficients of ``after`` and ``before``)
            + sum of k * P(i)           for ``after`` and ``here``, known once the letter is
            + local counts              from the history
            + constant
"""

from collections.abc import Sequence
from math import lcm
from typing import Any, NamedTuple

from lengthwise.core.limits import Limits
from lengthwise.crasp.constraints import Form, TooManyCasesError, linearise
from lengthwise.crasp.interpreter import accepts_empty
from lengthwise.crasp.program import Program
from lengthwise.crasp.simplify import simplify_expressions
from lengthwise.crasp.syntax import (
    COMPARISONS,
    And,
    Bool,
    Compare,
    Constant,
    Expression,
    Not,
    Or,
    Residue,
    Symbol,
    UnknownNodeError,
    postorder,
)
from lengthwise.languages.convention import Accept
from lengthwise.languages.dfa import DFA


class State(NamedTuple):
    """A configuration: what matters for later outputs, and nothing else."""

    residue: int
    decided: tuple[tuple[Expression, bool], ...]
    sums: tuple[tuple[Compare, int], ...]
    histories: tuple[tuple[Expression, tuple[bool, ...]], ...]
    bit: bool


def to_automaton(
    program: Program,
    letters: Sequence[str],
    *,
    accept: Accept = "last",
    limit: int = 20_000,
    seconds: float = 10.0,
) -> DFA | None:
    """Return the minimal automaton of a program's language, or None beyond the bounds.

    Example:
        >>> from lengthwise.crasp.embedding import Q, never
        >>> to_automaton(Program.of(never(Q["b"])), "ab").states
        2
    """
    try:
        machine = CountingMachine(program.accept, letters, at_end=accept == "end")
    except TooManyCasesError:
        return None
    limits = Limits(seconds)
    first = machine.start(accepts_empty(program))
    index = {first: 0}
    table: list[list[int]] = []
    queue = [first]
    for state in queue:
        row: list[int] = []
        for following in machine.successors(state):
            if following not in index:
                index[following] = len(queue)
                queue.append(following)
            row.append(index[following])
        table.append(row)
        if len(queue) > limit or limits.over:
            return None
    return DFA(letters, table, 0, [machine.output(state) for state in queue]).minimise()


class CountingMachine:
    """The transition function on configurations of one accepting Boolean."""

    def __init__(self, output: Bool, letters: Sequence[str], *, at_end: bool) -> None:
        simple = simplify_expressions([output])[output]
        self._root, self._forms = linearise(simple)
        self._letters = tuple(letters)
        self._at_end = at_end
        self._order = list(postorder([self._root], self._children))
        self._forms = {n: self._forms[n] for n in self._order if isinstance(n, Compare)}
        self._period = lcm(*(n.modulus for n in self._order if isinstance(n, Residue)), 1)
        self._far: dict[Expression, int] = {}
        for form in self._forms.values():
            for operand, distances, _ in form.near:
                self._far[operand] = max(self._far.get(operand, 0), distances[-1])
        self._limits = {n: _limit(form, n.sign, at_end) for n, form in self._forms.items()}

    def _children(self, node: Expression) -> Sequence[Expression]:
        return _operands(self._forms[node]) if isinstance(node, Compare) else node.args

    def start(self, empty: bool) -> State:
        """Return the configuration before the first letter."""
        sums = dict.fromkeys(self._forms, 0)
        histories = {node: (False,) * far for node, far in self._far.items()}
        return self._pack(0, {}, sums, histories, empty)

    def output(self, state: State) -> bool:
        """Whether the word read so far is accepted."""
        return bool(self._values(state, None)[self._root]) if self._at_end else state.bit

    def successors(self, state: State) -> list[State]:
        """Return the configuration after each letter, in order."""
        return [self._after(state, letter) for letter in self._letters]

    def _after(self, state: State, letter: str) -> State:
        values = self._values(state, letter)
        sums: dict[Compare, int] = {}
        for node, total in state.sums:
            form = self._forms[node]
            sums[node] = total + sum(k * values[p] for p, k in (*form.after, *form.before))
        histories = {p: (values[p], *past)[: self._far[p]] for p, past in state.histories}
        bit = bool(values[self._root]) and not self._at_end
        place = (state.residue + 1) % self._period
        return self._pack(place, dict(state.decided), sums, histories, bit)

    def _values(self, state: State, letter: str | None) -> dict[Expression, Any]:
        """Return the relevant Booleans at the next position; letter None is an end marker."""
        sums, histories = dict(state.sums), dict(state.histories)
        values: dict[Expression, Any] = self._decide(dict(state.decided), sums)
        for node in self._relevant(values):
            match node:
                case Compare(sign):
                    total = self._total(node, sums[node], values, histories, letter is None)
                    values[node] = COMPARISONS[sign](total, 0)
                case Symbol(name):
                    values[node] = name == letter
                case Residue(modulus, residue):
                    values[node] = (state.residue + 1) % modulus == residue
                case _:
                    values[node] = _logic(node, [values[arg] for arg in node.args])
        return values

    def _total(self, node: Compare, total: int, values: Any, histories: Any, at_end: bool) -> int:
        """Return the form's value; an end marker sees all counts but is not counted itself."""
        form = self._forms[node]
        total += form.constant + sum(k * values[p] for p, k in form.here)
        if at_end:
            total -= sum(k * values[p] for p, k in form.before)
        else:
            total += sum(k * values[p] for p, k in form.after)
        for operand, distances, factor in form.near:
            past = histories[operand]
            seen = sum(past[d - 1] for d in distances if d)
            total += factor * (seen + (0 in distances and not at_end and values[operand]))
        return total

    def _decide(self, decided: dict[Expression, bool], sums: dict[Compare, int]) -> Any:
        """Extend the Booleans that keep one value from here on, whatever follows."""
        for node in self._order:
            if node in decided:
                continue
            match node:
                case Compare():
                    value = self._settled(node, sums, decided)
                case Symbol() | Residue():
                    value = None
                case _:
                    value = _logic(node, [decided.get(arg) for arg in node.args])
            if value is not None:
                decided[node] = value
        return decided

    def _settled(self, node: Compare, sums: dict[Compare, int], decided: Any) -> bool | None:
        if node not in sums:
            return None
        sign, limit, settled = self._limits[node]
        if sign and sign * sums[node] >= limit:
            return settled
        form = self._forms[node]
        if not form.near and all(decided.get(operand) is False for operand in _operands(form)):
            return COMPARISONS[node.sign](sums[node] + form.constant, 0)
        return None

    def _relevant(self, decided: dict[Expression, Any]) -> list[Expression]:
        """Return the undecided nodes on which the output still depends, operands first."""
        wanted: set[Expression] = set()
        stack: list[Expression] = [self._root]
        while stack:
            node = stack.pop()
            if node not in wanted and node not in decided:
                wanted.add(node)
                stack.extend(self._children(node))
        return [node for node in self._order if node in wanted]

    def _pack(self, residue: int, decided: Any, sums: Any, histories: Any, bit: bool) -> State:
        """Forget what no longer matters and stop counting where a comparison is decided."""
        decided = self._decide(decided, sums)
        if self._root in decided:
            return State(0, ((self._root, decided[self._root]),), (), (), bit)
        wanted = set(self._relevant(decided))
        kept = tuple((node, total) for node, total in sums.items() if node in wanted)
        needed = {p for node, _ in kept for p, _, _ in self._forms[node].near}
        settled = tuple((node, decided[node]) for node in self._forms if node in decided)
        past = tuple((p, seen) for p, seen in histories.items() if p in needed)
        return State(residue, settled, kept, past, bit)


def _operands(form: Form) -> Sequence[Expression]:
    pairs = (*form.after, *form.before, *form.here)
    return [operand for operand, _ in pairs] + [operand for operand, _, _ in form.near]


def _limit(form: Form, comparison: str, at_end: bool) -> tuple[int, int, bool]:
    """Return the sign in which the sum grows (0: both), where that decides it, and the decision.

    Reaching 0 decides ``<`` and ``>=`` for growing sums (``>`` and ``<=`` for falling ones); the
    other comparisons are decided one step beyond. The sum alone never falls back, but the terms
    known only at i may pull the form back by as much as the slack:

        sign * form(i) >= sign * sum + slack >= goal,    so compare sign * sum with goal - slack
    """
    factors = [factor for _, factor in (*form.after, *form.before)]
    sign = 1 if all(k >= 0 for k in factors) else -1 if all(k <= 0 for k in factors) else 0
    goal = 0 if comparison in (("<", ">=") if sign > 0 else (">", "<=")) else 1
    slack = form.constant * sign
    slack += sum(min(0, sign * k) for _, k in form.here)
    slack -= sum(abs(k) for _, k in form.before) if at_end else 0
    slack += sum(min(0, sign * k * len(d)) for _, d, k in form.near)
    return sign, goal - slack, COMPARISONS[comparison](sign * goal, 0)


def _logic(node: Expression, args: list[Any]) -> bool | None:
    """Three-valued constants, not, and, or; None where unknown."""
    match node:
        case Constant(value):
            return value
        case Not():
            return None if args[0] is None else not args[0]
        case And() | Or():
            absorbing = isinstance(node, Or)
            if absorbing in args:
                return absorbing
            return None if None in args else not absorbing
        case _:
            raise UnknownNodeError(node)
