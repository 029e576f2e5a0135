"""Graph walks: reachability, the way back of a search, strongly connected components."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def distinct(values: NDArray[Any], axis: int | None = None) -> NDArray[Any]:
    """Return each value (or row) once, in order.

    ``np.unique`` without an index asks ``numpy.ma``, whose import a first answer need not pay for.
    """
    return np.unique(values, axis=axis, return_index=True)[0]


def reachable(transitions: NDArray[np.int32], initial: int) -> NDArray[np.bool_]:
    """Mark the states reachable from ``initial``.

    Example:
        >>> reachable(np.array([[1], [1], [0]], dtype=np.int32), 0).tolist()
        [True, True, False]
    """
    seen = np.zeros(len(transitions), dtype=bool)
    seen[initial] = True
    frontier = np.array([initial])
    while frontier.size:
        following = distinct(transitions[frontier])
        frontier = following[~seen[following]]
        seen[frontier] = True
    return seen


def walk_back(parents: Mapping[Any, tuple[Any, int] | None], node: Any) -> tuple[int, ...]:
    """Return the letters on the way that a search took to a node; its start has no parent."""
    word: list[int] = []
    while (step := parents[node]) is not None:
        node, letter = step
        word.append(letter)
    return tuple(reversed(word))


def live(transitions: NDArray[np.int32], goals: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the states from which some state of ``goals`` is reachable."""
    sources: list[list[int]] = [[] for _ in range(len(transitions))]
    for state, row in enumerate(transitions.tolist()):
        for target in set(row):
            sources[target].append(state)
    seen = goals.copy()
    stack = np.flatnonzero(goals).tolist()
    while stack:
        for source in sources[stack.pop()]:
            if not seen[source]:
                seen[source] = True
                stack.append(source)
    return seen


def strong_components(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the strongly connected components, sinks first (Tarjan 1972, without recursion).

    Example:
        >>> strong_components([[1], [0, 2], []])
        [[2], [0, 1]]
    """
    index: list[int] = [-1] * len(successors)
    low = [0] * len(successors)
    on_stack = [False] * len(successors)
    stack: list[int] = []
    components: list[list[int]] = []
    counter = 0
    for root in range(len(successors)):
        if index[root] >= 0:
            continue
        work = [(root, 0)]
        while work:
            node, edge = work.pop()
            if edge == 0:
                index[node] = low[node] = counter
                counter += 1
                stack.append(node)
                on_stack[node] = True
            else:
                low[node] = min(low[node], low[successors[node][edge - 1]])
            for position in range(edge, len(successors[node])):
                child = successors[node][position]
                if index[child] < 0:
                    work.append((node, position + 1))
                    work.append((child, 0))
                    break
                if on_stack[child]:
                    low[node] = min(low[node], index[child])
            else:
                if low[node] == index[node]:
                    components.append(_pop_component(stack, on_stack, node))
    return components


def _pop_component(stack: list[int], on_stack: list[bool], root: int) -> list[int]:
    component: list[int] = []
    while not component or component[-1] != root:
        component.append(stack.pop())
        on_stack[component[-1]] = False
    return sorted(component)
