"""All small faults of one Python file, made on its syntax tree."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass, field

from lengthwise.bench.mutation.mutant import Mutant, unique

# An operator and what it is mistaken for: the neighbour (< for <=) and the opposite (< for >=).
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
TYPES = ("annotation", "returns", "type_comment")
"""Fields that say types: nothing is computed there."""
PROMISES = ("frozen",)
"""Keywords that only forbid: whatever passes with them passes without."""


def python_mutants(file: str, source: str) -> list[Mutant]:
    """Return all mutants of a Python source.

    Example:
        >>> [m.change for m in python_mutants("f.py", "x = a < 3")]
        ['a < 3 -> a <= 3', 'a < 3 -> a >= 3', '3 -> 2', '3 -> 4']
    """
    return unique(_File(file, source).mutants(ast.parse(source)))


@dataclass
class _Place:
    """A node with the way to it: where it hangs, the function around it, the text around it."""

    node: ast.AST
    parent: ast.AST
    field: str
    index: int | None
    where: str
    anchor: ast.AST | None  # the formatted string around it: positions inside are not reliable

    def put(self, node: ast.AST) -> None:
        """Hang another node here."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


@dataclass
class _File:
    file: str
    source: str
    starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lines = self.source.splitlines(keepends=True)
        total = 0
        for line in self.lines:
            self.starts.append(total)
            total += len(line)

    def mutants(self, tree: ast.AST) -> list[Mutant]:
        """Return all mutants, in the order of the walk."""
        return [
            self._mutant(place, changed) for place in _walk(tree) for changed in _changes(place)
        ]

    def _mutant(self, place: _Place, changed: ast.AST) -> Mutant:
        node = place.node
        before, after = ast.unparse(node), ast.unparse(changed)
        anchor, new = place.anchor or node, after
        if place.anchor is not None:
            place.put(changed)
            new = ast.unparse(anchor)
            place.put(node)
        if not isinstance(anchor, ast.stmt):
            new = f"({new})"  # so that it binds as what it replaces
        assert isinstance(anchor, ast.expr | ast.stmt)
        assert anchor.end_lineno is not None
        assert anchor.end_col_offset is not None
        start = self._offset(anchor.lineno, anchor.col_offset)
        end = self._offset(anchor.end_lineno, anchor.end_col_offset)
        line = self.lines[anchor.lineno - 1].strip()
        return Mutant(self.file, anchor.lineno, place.where, line, before, after, start, end, new)

    def _offset(self, line: int, column: int) -> int:
        """Return the place in characters; the tree counts bytes of a line."""
        text = self.lines[line - 1].encode()[:column].decode()
        return self.starts[line - 1] + len(text)


def _walk(tree: ast.AST) -> Iterator[_Place]:
    """Yield every node in which something is computed."""
    stack: list[tuple[ast.AST, str, ast.AST | None]] = [(tree, "", None)]
    while stack:
        parent, where, anchor = stack.pop()
        if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            where = f"{where}.{parent.name}".lstrip(".")
        if isinstance(parent, ast.JoinedStr) and anchor is None:
            anchor = parent
        for name, value in ast.iter_fields(parent):
            if name in TYPES or isinstance(parent, ast.Assert):
                continue
            if isinstance(parent, ast.keyword) and parent.arg in PROMISES:
                continue
            numbered = isinstance(value, list)
            for index, node in enumerate(value if numbered else [value]):
                if isinstance(node, ast.AST):
                    yield _Place(node, parent, name, index if numbered else None, where, anchor)
                    stack.append((node, where, anchor))


def _changes(place: _Place) -> Iterator[ast.AST]:
    """Yield what may stand in place of a node."""
    node, parent = place.node, place.parent
    if isinstance(parent, ast.FormattedValue) and place.field == "format_spec":
        return
    if isinstance(node, ast.Compare):
        yield from _comparisons(node)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right)
    elif isinstance(node, ast.AugAssign) and type(node.op) in ARITHMETIC:
        yield ast.AugAssign(node.target, ARITHMETIC[type(node.op)](), node.value)
    elif isinstance(node, ast.Name) and node.id in NAMES and isinstance(node.ctx, ast.Load):
        yield ast.Name(NAMES[node.id], ast.Load())
    elif isinstance(node, ast.Constant):
        yield from (ast.Constant(value) for value in _constants(node.value))
    yield from _conditions(place)


def _comparisons(node: ast.Compare) -> Iterator[ast.Compare]:
    for at, operator in enumerate(node.ops):
        for other in COMPARISONS[type(operator)]:
            changed = copy.copy(node)
            changed.ops = [*node.ops[:at], other(), *node.ops[at + 1 :]]
            yield changed


def _constants(value: object) -> Iterator[bool | int | float]:
    """Yield neighbours of a number, and the other truth value.

    Example:
        >>> list(_constants(1.5)), list(_constants(True))
        ([3.0, 0.75], [False])
    """
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value - 1, value + 1)
    elif isinstance(value, float):
        yield from (value * 2, value / 2) if value else (1.0,)


def _conditions(place: _Place) -> Iterator[ast.AST]:
    """Yield the negation of a condition, and for a statement one that never holds."""
    node, parent = place.node, place.parent
    test = place.field == "test" and isinstance(parent, ast.If | ast.While | ast.IfExp)
    filtered = place.field == "ifs" and isinstance(parent, ast.comprehension)
    if not (test or filtered) or not isinstance(node, ast.expr):
        return
    negated_already = isinstance(node, ast.Compare) and len(node.ops) == 1
    if not negated_already and not (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
        yield ast.UnaryOp(ast.Not(), node)
    if isinstance(parent, ast.If) and not isinstance(node, ast.Constant):
        yield ast.Constant(False)
