"""What deciding costs, against a simple decider that lists cycles."""

import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from math import exp, log

import networkx as nx
import numpy as np
from flint import fmpz_mat

from lengthwise.bench.measure import Figure, Row, compare, seconds
from lengthwise.core.limits import Limits
from lengthwise.crasp.program import Program
from lengthwise.languages.convention import Accept
from lengthwise.languages.dfa import DFA
from lengthwise.languages.machine import parts
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide.connected import Component, components
from lengthwise.theory.decide.decision import answers_of, decide
from lengthwise.theory.decide.named_languages import suite
from lengthwise.theory.decide.questions import decide_plain
from lengthwise.theory.decide.shrink import size
from lengthwise.theory.limit.compiler import compile_program


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
    return decide_plain(next(parts(dfa, "end")), Limits(seconds=None)).answer == "in"


def by_cycles(dfa: DFA) -> bool:
    """Decide the same by listing all simple cycles: the obvious reference, exponential.

    One equation per labelled simple cycle, unknown weights per (letter, block); a block splits
    where some solution gives two states different sums along a path.
    """
    return all(_component_by_cycles(part) for part in components(dfa.minimise().transitions))


def _component_by_cycles(part: Component) -> bool:
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


def deciding(rounds: int) -> Iterator[Row | Figure]:
    """Deciding regular languages: against cycle enumeration, growth, and many at once."""
    yield against_cycles("length divisible by 12, 3 letters", divisible(12, 3), 1, 50.0)
    yield from growth(rounds)
    yield from large()
    yield many_random()
    yield many_regexes()
    dyck = bounded_counter(13)
    yield against_cycles("D_12, plain decision", dyck, rounds)
    yield _figure("D_12, everything", _best(partial(decide, dyck, "end"), rounds))
    yield from program_sizes()


def program_sizes() -> Iterator[Figure]:
    """Compare programs as they are shown with those first written from the automata.

    Both conventions of the published suite; geometric means. Programs of one operation cannot be
    smaller and are left out.
    """
    pairs: list[tuple[Program, Program, Accept]] = []
    for entry, accept in product(suite("published").entries, ("last", "end")):
        found = decide(compile_regex(entry.regex, entry.alphabet), accept, Limits(seconds=10))
        answer = found.plain if found.plain.is_in else found.periodic_local
        first, shown = answer.program, answer.small_program()
        if first is not None and shown is not None and size(first.accept) > 1:
            pairs.append((first, shown, accept))
    sizes = [log(size(shown.accept) / size(first.accept)) for first, shown, _ in pairs]
    layers = [
        log(_layers(shown, accept) / _layers(first, accept)) for first, shown, accept in pairs
    ]
    for name, logs in (("operations", sizes), ("layers when compiled", layers)):
        title = f"{len(pairs)} programs of the published suite: {name}, of what was first written"
        yield Figure(group="deciding", name=title, value=exp(sum(logs) / len(logs)), unit="x")
        worst = f"the worst of them: {name}"
        yield Figure(group="deciding", name=worst, value=exp(max(logs)), unit="x", at_most=1.0)


def _layers(program: Program, accept: Accept) -> int:
    return len(compile_program(program, accept=accept).layers)


def against_cycles(name: str, dfa: DFA, rounds: int, at_least: float | None = None) -> Row:
    """Compare with cycle enumeration, which takes seconds at 12 states and 3 letters."""
    return compare(
        "deciding", name, partial(ours, dfa), "cycle enumeration", partial(by_cycles, dfa),
        rounds=rounds, at_least=at_least,
    )  # fmt: skip


FAMILIES: dict[str, Callable[[int], DFA]] = {
    "length divisible by n, 2 letters": lambda n: divisible(n, 2),
    "bounded counter, steps ±1 ±2": lambda n: bounded_counter(n, 2),
}


def growth(rounds: int, sizes: tuple[int, ...] = (25, 50, 100, 200)) -> Iterator[Figure]:
    """Time two families up to 200 states and fit seconds = constant * n ** exponent."""
    for name, family in FAMILIES.items():
        times = {n: _best(partial(ours, family(n)), rounds) for n in sizes}
        exponent = fitted_exponent(times)
        for n, value in times.items():
            yield _figure(f"{name}: {n} states (n^{exponent:.1f})", value)


LARGE: dict[str, tuple[Callable[[int], DFA], tuple[int, ...]]] = {
    "D_n": (lambda n: bounded_counter(n + 1), (1_000, 10_000, 100_000)),
    "length divisible by n, 2 letters": (lambda n: divisible(n, 2), (1_000, 3_000, 10_000)),
    "bounded counter, steps ±1 ±2": (lambda n: bounded_counter(n, 2), (1_000, 3_000, 10_000)),
}


def large(scale: float = 1.0) -> Iterator[Figure]:
    """Time both answers with their certificates, no program, for large automata read at the end."""
    for name, (family, sizes) in LARGE.items():
        chosen = [max(2, int(n * scale)) for n in sizes]
        times = {n: _best(partial(certified, family(n)), 1) for n in chosen}
        exponent = fitted_exponent(times)
        for n, value in times.items():
            title = f"{name}: both answers, certificates, n = {n:,} (n^{exponent:.1f})"
            yield _figure(title, value, 10.0)


def certified(dfa: DFA, limits: Limits | None = None) -> bool:
    """Decide both classes and write both certificates; whether both are decided."""
    answers = answers_of(dfa.minimise(), "end", limits or Limits(seconds=None))
    return all(answer.certificate(program=False) is not None for answer in answers)


def many_random(count: int = 100, states: int = 200) -> Figure:
    """Time random automata over two letters, 10 s each at most; the title says how many ended."""
    rng = np.random.default_rng(0)
    automata = [
        DFA("ab", rng.integers(0, states, (states, 2)), 0, rng.random(states) < 0.5)
        for _ in range(count)
    ]
    decided = 0

    def run() -> None:
        nonlocal decided
        decided = sum(certified(dfa, Limits(seconds=10)) for dfa in automata)

    value = _best(run, 1)
    title = f"{count} random automata, {states} states, 2 letters: {decided} decided"
    return _figure(title, value, 10.0 * count)


def _best(work: Callable[[], object], rounds: int) -> float:
    return min(seconds(work) for _ in range(rounds))


def _figure(name: str, value: float, at_most: float | None = None) -> Figure:
    return Figure(group="deciding", name=name, value=value, unit="s", at_most=at_most)


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


def many_regexes(count: int = 1_000) -> Figure:
    """Time regex to both answers, classes and program for many random expressions, one core."""
    rng = random.Random(0)
    patterns = [random_regex(rng) for _ in range(count)]

    def run() -> None:
        for pattern in patterns:
            decide(compile_regex(pattern, "abc"), "last", Limits(seconds=10), regex=pattern)

    return _figure(f"{count:,} random regexes, everything", _best(run, 1), 20.0)
