"""Meaning of parsed text: each grammar rule checks types and builds the tree at once.

Running inside the parser keeps parsing iterative, so deep nesting costs no recursion; names resolve
to what was defined above them, so cycles and use before definition cannot arise.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from lengthwise.core.bounds import OFFSET, PERIOD
from lengthwise.core.errors import InputError, nearest
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import (
    Add,
    And,
    Bool,
    Compare,
    Constant,
    Count,
    Counting,
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
    Where,
    rebuild,
)

if TYPE_CHECKING:
    from lark import Token


class Term(NamedTuple):
    """A parsed expression with where it starts, and two unfinished readings.

    ``negations`` counts ``!`` standing before an arithmetic operand: ``!C == 0`` can only mean
    ``!(C == 0)``. ``open_count`` marks an unbracketed ``#P``: ``#P && Q`` can only mean
    ``#(P && Q)``. The released interpreter reads both so.
    """

    node: Expression
    at: "Token"
    negations: int = 0
    open_count: bool = False


class ReadError(Exception):
    """A mistake at a token, turned into a message with a caret by the parser."""

    def __init__(self, message: str, at: "Token") -> None:
        super().__init__(message)
        self.message = message
        self.at = at


def _fail(message: str, at: "Token") -> NoReturn:
    raise ReadError(message, at)


class Reader:
    """One parse: collects definitions and resolves names as statements are completed."""

    def __init__(self, parameters: Mapping[str, int]) -> None:
        self.names: dict[str, Expression] = {}
        self.windows: dict[str, tuple[int, ...]] = {}
        self.definitions: list[tuple[str, Expression]] = []
        self.outputs: dict[str, Bool] = {}
        self.letters: list[str] | None = None
        self.accepts_empty: bool | None = None
        self.given = dict(parameters)
        self.parameters: dict[str, int] = {}

    # --- statements ---

    def start(self, _: list[Any]) -> Program:
        unused = sorted(set(self.given) - set(self.parameters))
        if unused:
            known = ", ".join(self.parameters) or "none"
            hint = nearest(unused[0], self.parameters)
            raise InputError(f"no parameter {unused[0]!r} in this program (it has {known}).{hint}")
        return Program(
            self.definitions,
            alphabet=self.letters,
            next=self.outputs,
            empty=self.accepts_empty,
            parameters=self.parameters,
        )

    def define(self, items: list[Any]) -> None:
        name, term = items
        node = self._finished(term).node
        self.names[str(name)] = node
        self.definitions.append((str(name), node))

    def use(self, items: list[Any]) -> None:
        name = str(items[1])
        far = re.fullmatch(r"pred([1-9][0-9]{0,8})?", name)
        if far:
            self.windows[name] = (int(far[1] or 1),)
        elif name in ("pos_even", "pos_odd"):
            # The released interpreter counts positions from 0, we count from 1.
            self.names[name] = Residue(2, 1 if name == "pos_even" else 0)
        else:
            _fail(
                f"unknown predicate {name!r}. Known: pred, pred2, pred3, ... (j == i-k), pos_even, "
                "pos_odd. Other predicates must be local or periodic: write #[i-3..i-1] P "
                "or pos % 3 == 1.",
                items[1],
            )

    def alphabet(self, items: list[Any]) -> None:
        if self.letters is not None:
            _fail("the alphabet is declared twice.", items[0])
        self.letters = [_unquote(item) for item in items[1:]]

    def empty(self, items: list[Any]) -> None:
        self.accepts_empty = items[1] == "accept"

    def parameter(self, items: list[Any]) -> None:
        name = str(items[1])
        default = self._size(items[2])
        self.parameters[name] = self.given.get(name, default)
        self.names[name] = Number(self.parameters[name])

    def output(self, items: list[Any]) -> None:
        name = _unquote(items[1])
        if name in self.outputs:
            _fail(f'next "{name}" is defined twice.', items[1])
        self.outputs[name] = self._bool(items[2])

    # --- operands of the right type ---

    def _finished(self, term: Term) -> Term:
        if term.negations:
            _fail("`!` needs a Boolean, but its operand is a count.", term.at)
        return term

    def _bool(self, term: Term) -> Bool:
        node = self._finished(term).node
        if isinstance(node, Bool):
            return node
        hint = " To compare first, use brackets: #(C == 0)." if term.at.type == "NAME" else ""
        _fail(f"expected a Boolean here, but this is a count.{hint}", term.at)

    def _count(self, term: Term) -> Count:
        if isinstance(term.node, Count):
            return term.node
        _fail("expected a count here, but this is a Boolean (count it with #).", term.at)

    def _size(self, term: Term) -> int:
        if isinstance(term.node, Number):
            return term.node.value
        _fail("expected an integer constant.", term.at)

    # --- Booleans ---

    def letter(self, items: list[Any]) -> Term:
        name = _unquote(items[0])
        if self.letters is not None and name not in self.letters:
            known = " ".join(self.letters)
            _fail(f"symbol {name!r} is not in the alphabet ({known}).", items[0])
        return Term(Symbol(name), items[0])

    def truth(self, items: list[Any]) -> Term:
        return Term(Constant(True), items[0])

    def falsity(self, items: list[Any]) -> Term:
        return Term(Constant(False), items[0])

    def residue(self, items: list[Any]) -> Term:
        at, _, modulus, sign, residue = items
        size, rest = self._size(modulus), self._size(residue)
        if size < 1:
            _fail("the period must be at least 1.", modulus.at)
        if size > PERIOD.high:
            _fail(f"the period {size:,} is too large; it may be {PERIOD.high:,}.", modulus.at)
        if not 0 <= rest < size:
            _fail(f"a residue modulo {size} lies between 0 and {size - 1}.", residue.at)
        node = Residue(size, rest)
        return Term(node if sign == "==" else ~node, at)

    def complement(self, items: list[Any]) -> Term:
        at, term = items
        if isinstance(term.node, Count):
            return Term(term.node, at, term.negations + 1)
        return Term(Not(self._bool(term)), at)

    def conjunction(self, items: list[Any]) -> Term:
        return self._connective(items[0], And, items[2])

    def disjunction(self, items: list[Any]) -> Term:
        return self._connective(items[0], Or, items[2])

    def _connective(self, left: Term, join: Any, right: Term) -> Term:
        if left.open_count and isinstance(left.node, Counting):
            joined = join(left.node.operand, self._bool(right))
            return Term(rebuild(left.node, [joined]), left.at, open_count=True)
        return Term(join(self._bool(left), self._bool(right)), left.at)

    def compare(self, items: list[Any]) -> Term:
        left, sign, right = items
        node = Compare(str(sign), self._count(left), self._count(self._finished(right)))
        for _ in range(left.negations):
            node = ~node
        return Term(node, left.at)

    # --- counts ---

    def integer(self, items: list[Any]) -> Term:
        if len(items[0]) > 30:
            _fail("this integer has more than 30 digits.", items[0])
        return Term(Number(int(items[0])), items[0])

    def negative_integer(self, items: list[Any]) -> Term:
        return Term(Number(-self._size(self.integer(items[1:]))), items[0])

    def count(self, items: list[Any]) -> Term:
        return Term(PrefixCount(self._bool(items[1])), items[0], open_count=True)

    def local_count(self, items: list[Any]) -> Term:
        at, _, window, _, operand = items
        if max(window, default=0) > OFFSET.high:
            _fail(f"local counts look back at most {OFFSET.high:,} positions.", at)
        return Term(LocalCount(window, self._bool(operand)), at, open_count=True)

    def addition(self, items: list[Any]) -> Term:
        return self._arithmetic(items[0], Add, items[2])

    def subtraction(self, items: list[Any]) -> Term:
        return self._arithmetic(items[0], Subtract, items[2])

    def _arithmetic(self, left: Term, join: Any, right: Term) -> Term:
        node = join(self._count(left), self._count(self._finished(right)))
        return Term(node, left.at, left.negations)

    def negation(self, items: list[Any]) -> Term:
        at, term = items
        operand = self._count(self._finished(term))
        match operand:
            case Number(value):
                return Term(Number(-value), at)
            case Scale(factor, scaled) if factor > 0:
                return Term(Scale(-factor, scaled), at)
            case _:
                return Term(Scale(-1, operand), at)

    def multiplication(self, items: list[Any]) -> Term:
        left, _, right = items
        x, y = self._count(left), self._count(self._finished(right))
        if isinstance(x, Number):
            return Term(Scale(x.value, y), left.at, left.negations)
        if isinstance(y, Number):
            return Term(Scale(y.value, x), left.at, left.negations)
        _fail("a count can only be multiplied by an integer constant.", right.at)

    def extremum(self, items: list[Any]) -> Term:
        at, _, left, _, right, _ = items
        build = Minimum if at.type == "MIN" else Maximum
        return Term(
            build(self._count(self._finished(left)), self._count(self._finished(right))), at
        )

    def conditional(self, items: list[Any]) -> Term:
        then, _, condition, _, otherwise = items
        x, y = self._count(self._finished(then)), self._count(self._finished(otherwise))
        return Term(Where(self._bool(condition), x, y), then.at)

    def group(self, items: list[Any]) -> Term:
        return Term(self._finished(items[1]).node, items[0])

    def variable(self, items: list[Any]) -> Term:
        name = str(items[0])
        if name in self.names:
            return Term(self.names[name], items[0])
        if name in self.windows:
            _fail(f"{name} relates two positions; use it as #[{name}] P.", items[0])
        hint = nearest(name, self.names)
        _fail(f"{name!r} is not defined above this line.{hint}", items[0])

    # --- windows of local counts ---

    def window(self, items: list[Any]) -> tuple[int, ...]:
        return tuple(sorted({distance for item in items[::2] for distance in item}))

    def single(self, items: list[Any]) -> tuple[int, ...]:
        return items[0]

    def interval(self, items: list[Any]) -> tuple[int, ...]:
        (far,), dots, (near,) = items
        if far < near:
            _fail(f"the window i-{far}..i-{near} is empty: the earlier position comes first.", dots)
        if far > OFFSET.high:  # before it is written out
            _fail(f"local counts look back at most {OFFSET.high:,} positions.", dots)
        return tuple(range(near, far + 1))

    def here(self, items: list[Any]) -> tuple[int, ...]:
        name = str(items[0])
        if name in self.windows:
            return self.windows[name]
        if name != "i":
            known = ", ".join(["i", "i-1", "i-3..i-1", *self.windows])
            _fail(f"{name!r} is not a local predicate. Known here: {known}.", items[0])
        return (0,)

    def behind(self, items: list[Any]) -> tuple[int, ...]:
        name, _, size = items
        if name != "i":
            _fail("offsets are written from i, as in #[i-1] P.", name)
        distance = self._size(size)
        if distance < 0:
            _fail("counts see only positions up to i.", size.at)
        return (distance,)


def _unquote(token: "Token") -> str:
    if len(token) < 3:
        _fail("a symbol needs at least one character.", token)
    return str(token)[1:-1]
