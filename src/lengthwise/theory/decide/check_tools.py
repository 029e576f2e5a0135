"""Small walks for the checker, written without the code they are to check."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NoReturn, TypeVar

from lengthwise.core.errors import InputError

Table = list[list[int]]
FREE = -1
Node = TypeVar("Node", bound=Hashable)


def reject(reason: str) -> NoReturn:
    """Refuse the certificate with one line."""
    raise InputError(f"certificate: {reason}.")


def rows_of(rows: Any, width: int) -> Table:
    """Read a transition table and check that every entry is a state."""
    table = [[int(target) for target in row] for row in rows]
    for state, row in enumerate(table):
        if len(row) != width or any(not 0 <= target < len(table) for target in row):
            reject(f"transitions of state {state} do not fit {len(table)} states, {width} letters")
    return table


def reach(starts: Iterable[Node], following: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """Return everything reachable from ``starts``."""
    seen = set(starts)
    stack = list(seen)
    while stack:
        for node in following(stack.pop()):
            if node not in seen:
                seen.add(node)
                stack.append(node)
    return seen


def classes_of_mutual_reach(table: Table, initial: int) -> list[list[int]]:
    """Return the strongly connected parts of what is reachable (Kosaraju: two walks)."""
    order: list[int] = []
    seen = {initial}
    stack = [(initial, iter(table[initial]))]
    while stack:
        node, targets = stack[-1]
        for target in targets:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(table[target])))
                break
        else:
            order.append(node)
            stack.pop()
    sources: dict[int, list[int]] = {q: [] for q in seen}
    for q in seen:
        for target in table[q]:
            sources[target].append(q)
    left = set(seen)
    parts: list[list[int]] = []
    for root in reversed(order):
        if root in left:
            part = reach([root], lambda q, left=left: [p for p in sources[q] if p in left])
            left -= part
            parts.append(sorted(part))
    return parts


def follow(table: Table, state: int, word: Iterable[int]) -> int:
    """Return the state reached by a word."""
    for letter in word:
        state = table[state][letter]
    return state
