"""Making programs smaller without changing any value.

Common subexpressions are shared by construction. :func:`simplify` folds constants, removes what
cancels or repeats, decides comparisons that no word can change, and drops definitions that the
outputs do not need. Every rule keeps the value at every position of every word, and at an end
marker, so both acceptance conventions are preserved.
"""

from collections.abc import Iterable
from typing import Any

from lengthwise.crasp._rules import Rules
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Constant, Expression, Number, Symbol, postorder, rebuild


def simplify(program: Program) -> Program:
    """Return a program with the same outputs and no superfluous operations.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> a, b = count(Q["a"]), count(Q["b"])
        >>> noisy = Program({"unused": b, "C": a + 0, "D": ~~(a - 1 > 0) & (b >= 0)})
        >>> print(simplify(noisy), end="")
        C = #"a"
        D = C > 1
    """
    new = simplify_expressions(program.roots)
    outputs = {letter: new[node] for letter, node in program.next.items()}
    targets = [new[node] for node in program.outputs]
    definitions = _kept(program, new, targets)
    if not program.is_generator:
        definitions.append((program.definitions[-1][0], targets[0]))
    return program.replace(definitions=definitions, next=outputs)


def _kept(
    program: Program, new: dict[Expression, Any], targets: list[Expression]
) -> list[tuple[str, Expression]]:
    """Return the definitions still needed, in order, without the last one of a recogniser."""
    needed = set(postorder(targets))
    if not program.is_generator:
        needed -= set(targets)
    last = program.definitions if program.is_generator else program.definitions[:-1]
    kept: dict[Expression, str] = {}
    for name, node in last:
        value = new[node]
        if value in needed and not isinstance(value, Constant | Number | Symbol):
            kept.setdefault(value, name)
    return [(name, node) for node, name in kept.items()]


def simplify_expressions(roots: Iterable[Expression]) -> dict[Expression, Any]:
    """Return the simplified form of every node below ``roots``."""
    rules = Rules()
    new: dict[Expression, Any] = {}
    for node in postorder(roots):
        new[node] = rules.rewrite(rebuild(node, [new[arg] for arg in node.args]))
    return new
