"""Functions of positions as users give them: an expression, or ``file.py:name``.

Positions count from 1, as in the papers: i is the query, j <= i the key, n the instance's length.
"""

import ast
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.core.bounds import EXPRESSION
from lengthwise.core.errors import InputError
from lengthwise.core.registry import load_from_file

MOST_BITS = 4_096
"""Of a whole number in an expression."""
PairFunction = Callable[..., Any]
"""f(i, j) or f(i, j, n); plain Python or vectorised."""

_CALLS: dict[str, Any] = {
    "abs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "log": np.log,
    "log2": np.log2,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "cos": np.cos,
    "sin": np.sin,
}
_NODES = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.BoolOp,
    ast.IfExp,
    ast.Call,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.boolop,
)


def read_function(text: str, what: str) -> PairFunction:
    """Return the function that an expression in i, j, n or ``file.py:name`` gives.

    Example:
        >>> read_function("2 * (j == i) + (j == i - n)", "relation")(5, 2, 3)
        1
    """
    if ".py:" in text:
        function = load_from_file(text, what)
        if not callable(function):
            raise InputError(f"{what} {text!r} is not a function.")
        return function
    return _expression(text, what)


def _expression(text: str, what: str) -> PairFunction:
    if len(text) > EXPRESSION:
        raise InputError(f"{what} {text!r}: an expression has at most {EXPRESSION:,} characters.")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, RecursionError, MemoryError) as error:  # the last two: nested too deeply
        problem = error.msg if isinstance(error, SyntaxError) else "it is nested too deeply"
        raise InputError(f"{what} {text!r} is not an expression in i, j, n: {problem}.") from error
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            raise InputError(f"{what} {text!r}: {type(node).__name__} is not allowed in it.")
        if isinstance(node, ast.Call):
            _check_call(node, f"{what} {text!r}")
        if isinstance(node, ast.Name) and node.id not in {"i", "j", "n", *_CALLS}:
            raise InputError(
                f"{what} {text!r}: unknown name {node.id!r}; use i (query), j (key), "
                f"n (length) and {', '.join(_CALLS)}."
            )
    tree = ast.fix_missing_locations(_Bounded().visit(tree))
    code = compile(tree, "<expression>", "eval")
    calls = {**_CALLS, **_BOUNDED}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}

    def with_scale(i: Any, j: Any, n: Any) -> Any:
        return eval(code, {"__builtins__": {}, **calls, "i": i, "j": j, "n": n})

    def without_scale(i: Any, j: Any) -> Any:
        return eval(code, {"__builtins__": {}, **calls, "i": i, "j": j})

    return with_scale if "n" in names else without_scale


def _check_call(node: ast.Call, where: str) -> None:
    """Each function here takes one number; a second argument would be numpy's output."""
    if not isinstance(node.func, ast.Name) or node.func.id not in _CALLS:
        raise InputError(f"{where}: only {', '.join(_CALLS)} can be called in it.")
    if len(node.args) != 1 or node.keywords:
        raise InputError(f"{where}: {node.func.id} takes one number.")


class _Bounded(ast.NodeTransformer):
    """Replace the operations that can make numbers of millions of digits by bounded ones."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Replace ``x ** y`` and ``x << y``."""
        self.generic_visit(node)
        name = next((n for n, kind in _GROWING.items() if isinstance(node.op, kind)), None)
        if name is None:
            return node
        return ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], [])


_GROWING = {"_power": ast.Pow, "_shift": ast.LShift}


def _power(base: Any, exponent: Any) -> Any:
    """Return a power; of whole numbers only while it has at most some thousand bits."""
    whole = isinstance(base, int) and isinstance(exponent, int)
    if whole and base.bit_length() * exponent > MOST_BITS:
        raise InputError(f"{base} ** {exponent!r} is too large a number.")
    return base**exponent


def _shift(number: Any, by: Any) -> Any:
    if isinstance(by, int) and by > MOST_BITS:
        raise InputError(f"a shift by {by!r} makes too large a number.")
    return number << by


_BOUNDED: dict[str, Any] = {"_power": _power, "_shift": _shift}


def takes_scale(function: PairFunction) -> bool:
    """Say whether a function has a third required parameter."""
    return len([p for p in _parameters(function) if p.default is p.empty]) >= 3


def accepts_scale(function: PairFunction) -> bool:
    """Say whether a function can be called with a third argument."""
    return len(_parameters(function)) >= 3


def _parameters(function: PairFunction) -> list[inspect.Parameter]:
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some built-in functions do not tell
        return []
    return [parameter for parameter in parameters if parameter.kind in plain]


def evaluate_pairs(
    function: PairFunction, size: int, extra: tuple[Any, ...], what: str
) -> npt.NDArray[np.float64]:
    """Evaluate f at all pairs j <= i <= size; pairs with j > i get 0.

    The function is called once with arrays if that gives what single calls give, else pair by pair.
    """
    table = np.zeros((size, size))
    query, key = np.tril_indices(size)
    with np.errstate(all="ignore"):  # what is not finite is refused by those who ask
        values = _vectorised(function, query + 1, key + 1, extra)
        if values is None:
            pairs = zip((query + 1).tolist(), (key + 1).tolist(), strict=True)
            values = [_single(function, i, j, extra, what) for i, j in pairs]
    table[query, key] = values
    return table


def _single(function: PairFunction, i: int, j: int, extra: tuple[Any, ...], what: str) -> float:
    try:
        return float(function(i, j, *extra))
    except InputError:
        raise
    except Exception as error:
        given = ", ".join(f"{x}" for x in (i, j, *extra))
        raise InputError(f"{what}: f({given}) raised {type(error).__name__}: {error}") from error


def _vectorised(
    function: PairFunction,
    query: npt.NDArray[np.int64],
    key: npt.NDArray[np.int64],
    extra: tuple[Any, ...],
) -> npt.NDArray[np.float64] | None:
    """Return f of arrays, or None unless it agrees with single calls at pairs spread over all."""
    try:
        values = np.broadcast_to(np.asarray(function(query, key, *extra), float), query.shape)
        chosen = np.unique(np.linspace(0, len(query) - 1, 64).astype(int))
        single = [float(function(int(query[c]), int(key[c]), *extra)) for c in chosen]
    except InputError:
        raise
    except Exception:  # a plain Python function: any error here says only that it is not vectorised
        return None
    return values if np.array_equal(values[chosen], single, equal_nan=True) else None
