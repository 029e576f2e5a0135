"""What deciding costs, against a simple decider that lists cycles.

Every function returns rows as plain dictionaries. Ours and the peer are timed in turn, so that a
busy machine slows both; ``seconds`` are the best of several runs and ``spread`` is the slowest
divided by the best.
"""

import random
import time
from collections import Counter
from collections.abc import Callable
from math import log
from typing import Any

import numpy as np

from lengthwise.core.budget import Budget
from lengthwise.languages.dfa import DFA
from lengthwise.languages.machine import parts
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide.connected import Component, components
from lengthwise.theory.decide.decision import decide
from lengthwise.theory.decide.questions import decide_plain

Row = dict[str, Any]


def divisible(states: int, letters: int) -> DFA:
    """Return the automaton of "the length is divisible by n"."""
    ring = (np.arange(states) + 1) % states
    alphabet = [chr(97 + i) for i in range(letters)]
    return DFA(alphabet, np.repeat(ring[:, None], letters, axis=1), 0, np.arange(states) == 0)


def bounded_counter(states: int, largest_step: int = 1) -> DFA:
    """Return the automaton of a counter with steps ±1 ... ±k that stays in 0..n-1, ends at 0."""
    steps = [s for k in range(1, largest_step + 1) for s in (k, -k)]
    table = np.full((states + 1, len(steps)), states)
    for column, step in enumerate(steps):
        moved = np.arange(states) + step
        inside = (moved >= 0) & (moved < states)
        table[:states, column] = np.where(inside, moved, states)
    alphabet = [chr(97 + i) for i in range(len(steps))]
    return DFA(alphabet, table, 0, np.arange(states + 1) == 0)


def ours(dfa: DFA) -> bool:
    """Decide plain C-RASP (read at the end) by potentials, with the certificate's data."""
    return decide_plain(next(parts(dfa, "end")), Budget(seconds=None)).answer == "in"


def by_cycles(dfa: DFA) -> bool:
    """Decide the same by listing all simple cycles: the obvious reference, exponential.

    One equation per labelled simple cycle, unknown weights per (letter, block); a block splits
    where some solution gives two states different sums along a path.
    """
    return all(_component_by_cycles(part) for part in components(dfa.minimise().transitions))


def _component_by_cycles(part: Component) -> bool:
    from flint import fmpz_mat

    size, letters = part.table.shape
    edges = [(u, a, int(part.table[u, a])) for u in range(size) for a in range(letters)]
    edges = [edge for edge in edges if edge[2] >= 0]
    cycles = _labelled_cycles(edges)
    paths = _paths(edges, size)
    blocks = [0] * size
    while len(set(blocks)) < size:
        keys = {key: i for i, key in enumerate(dict.fromkeys((a, blocks[u]) for u, a, _ in edges))}

        rows = sorted({tuple(_counts(cycle, keys, blocks)) for cycle in cycles})
        kernel, dimension = fmpz_mat([list(row) for row in rows]).nullspace()
        basis = [[int(kernel[i, j]) for i in range(len(keys))] for j in range(int(dimension))]
        sums = [_counts(paths[q], keys, blocks) for q in range(size)]
        values = [tuple(int(np.dot(s, b)) for b in basis) for s in sums]
        refined = list(zip(blocks, values, strict=True))
        numbers = {key: i for i, key in enumerate(dict.fromkeys(refined))}
        following = [numbers[key] for key in refined]
        if len(set(following)) == len(set(blocks)):
            return False
        blocks = following
    return True


def _counts(
    walk: list[tuple[int, int, int]], keys: dict[tuple[int, int], int], blocks: list[int]
) -> list[int]:
    """Count the letters of a walk by the block they are read in."""
    row = [0] * len(keys)
    for u, a, _ in walk:
        row[keys[a, blocks[u]]] += 1
    return row


def _labelled_cycles(edges: list[tuple[int, int, int]]) -> list[list[tuple[int, int, int]]]:
    """List simple cycles with every choice among parallel edges."""
    import networkx as nx

    graph = nx.MultiDiGraph()
    labels: dict[tuple[int, int], list[int]] = {}
    for u, a, v in edges:
        labels.setdefault((u, v), []).append(a)
    graph.add_edges_from(labels)
    found: list[list[tuple[int, int, int]]] = []
    for nodes in nx.simple_cycles(nx.DiGraph(graph)):
        walks: list[list[tuple[int, int, int]]] = [[]]
        for u, v in zip(nodes, [*nodes[1:], nodes[0]], strict=True):
            walks = [[*walk, (u, a, v)] for walk in walks for a in labels[u, v]]
        found += walks
    return found


def _paths(edges: list[tuple[int, int, int]], size: int) -> list[list[tuple[int, int, int]]]:
    """Return one path from state 0 to every state of a strongly connected graph."""
    paths: dict[int, list[tuple[int, int, int]]] = {0: []}
    queue = [0]
    for u in queue:
        for edge in edges:
            if edge[0] == u and edge[2] not in paths:
                paths[edge[2]] = [*paths[u], edge]
                queue.append(edge[2])
    return [paths[q] for q in range(size)]


def timed(
    name: str, own: Callable[[], object], peer: Callable[[], object] | None, repeats: int = 3
) -> Row:
    """Time two functions in turn and return a row."""
    best: list[list[float]] = [[], []]
    for _ in range(repeats):
        for times, function in zip(best, (own, peer), strict=True):
            if function is not None:
                started = time.perf_counter()
                function()
                times.append(time.perf_counter() - started)
    mine, theirs = min(best[0]), min(best[1], default=None)
    return {
        "name": name,
        "seconds": mine,
        "peer_seconds": theirs,
        "ratio": None if theirs is None else theirs / mine,
        "spread": max(best[0]) / mine,
    }


def against_cycles(states: int = 12, letters: int = 3, repeats: int = 1) -> list[Row]:
    """Compare with cycle enumeration on "length divisible by n" (takes about a minute at 12, 3)."""
    dfa = divisible(states, letters)
    name = f"length divisible by {states}, {letters} letters"
    return [timed(name, lambda: ours(dfa), lambda: by_cycles(dfa), repeats)]


def growth(sizes: tuple[int, ...] = (25, 50, 100, 200), repeats: int = 3) -> list[Row]:
    """Time two families up to 200 states and fit seconds = constant * n ** exponent."""
    families: dict[str, Callable[[int], DFA]] = {
        "length divisible by n, 2 letters": lambda n: divisible(n, 2),
        "bounded counter, steps ±1 ±2": lambda n: bounded_counter(n, 2),
    }
    rows: list[Row] = []
    for name, family in families.items():
        made = {n: family(n) for n in sizes}
        times = {
            n: timed(f"{name}: {n}", lambda dfa=dfa: ours(dfa), None, repeats)
            for n, dfa in made.items()
        }
        exponent = fitted_exponent({n: row["seconds"] for n, row in times.items()})
        rows += [{**row, "exponent": exponent} for row in times.values()]
    return rows


def fitted_exponent(seconds: dict[int, float]) -> float:
    """Fit a straight line through (log n, log seconds) and return its slope."""
    sizes = [log(n) for n in seconds]
    return float(np.polyfit(sizes, [log(s) for s in seconds.values()], 1)[0])


def random_regex(rng: random.Random, depth: int = 5) -> str:
    """Draw a regular expression over a, b, c."""
    kind = rng.random()
    if depth == 0 or kind < 0.25:
        return rng.choice("abc")
    if kind < 0.55:
        return random_regex(rng, depth - 1) + random_regex(rng, depth - 1)
    if kind < 0.8:
        return f"({random_regex(rng, depth - 1)}|{random_regex(rng, depth - 1)})"
    return f"({random_regex(rng, depth - 1)})*"


def many_regexes(count: int = 1_000, repeats: int = 1) -> list[Row]:
    """Time regex to both answers, classes and program for many random expressions, one core."""
    rng = random.Random(0)
    patterns = [random_regex(rng) for _ in range(count)]

    def run() -> None:
        for pattern in patterns:
            decide(compile_regex(pattern, "abc"), "last", Budget(seconds=10), regex=pattern)

    return [timed(f"{count:,} random regexes, everything", run, None, repeats)]


def random_automaton(rng: np.random.Generator) -> DFA:
    """Draw a minimal automaton of 3 to 7 states over 2 or 3 letters.

    One third are uniform, one third partial injections with a sink, one third have many exits.
    """
    while True:
        n, k = int(rng.integers(3, 8)), int(rng.integers(2, 4))
        kind = int(rng.integers(3))
        table = rng.integers(0, n, (n, k))
        if kind == 1:
            columns = [rng.permutation(n - 1) for _ in range(k)]
            table[: n - 1] = np.where(
                rng.random((n - 1, k)) < 0.6, np.stack(columns, axis=1), n - 1
            )
        elif kind == 2:
            table = np.where(rng.random((n, k)) < 0.35, n - 1, table)
        if kind:
            table[n - 1] = n - 1
        dfa = DFA("abc"[:k], table, 0, rng.random(n) < 0.4).minimise()
        if 3 <= dfa.states <= 7:
            return dfa


def random_automata(count: int = 1_000, limit: float = 2.0, accept: str = "end") -> list[Row]:
    """Decide many random automata with a time limit each; say how many stayed undecided."""
    rng = np.random.default_rng(0)
    automata = [random_automaton(rng) for _ in range(count)]
    answers: Counter[str] = Counter()
    slowest, started = 0.0, time.perf_counter()
    for dfa in automata:
        found = decide(dfa, accept, Budget(seconds=limit))
        answers[f"plain {found.plain.answer}"] += 1
        answers[f"periodic_local {found.periodic_local.answer}"] += 1
        slowest = max(slowest, found.seconds)
    seconds = time.perf_counter() - started
    name = f"{count:,} random automata, at most {limit:g} s each"
    return [{"name": name, "seconds": seconds, "slowest": slowest, **dict(sorted(answers.items()))}]


def dyck(depth: int = 12, repeats: int = 5) -> list[Row]:
    """Time D_12: the plain decision alone, and everything `lengthwise decide` reports."""
    dfa = bounded_counter(depth + 1)
    return [
        timed(f"D_{depth}, plain decision", lambda: ours(dfa), lambda: by_cycles(dfa), repeats),
        timed(f"D_{depth}, everything", lambda: decide(dfa, "end"), None, repeats),
    ]
