"""Checking a no: a closed partition of states that no program can tell apart.

The certificate lists *anchors* (words that leave some states where they are), *arrows* (words from
the states of one anchor to those of another) and vertices (state, anchor). It must show that the
vertices reach each other by arrows, that chains of edges cancel for all vertices of one block,
and that two states of one block need different answers after one word. In the plain class the only
anchor is the empty word and arrows are letters; otherwise all anchors have one length t >= 1
and arrows have lengths divisible by t, which is what makes windows and positions blind.
"""

from collections.abc import Mapping
from typing import Any

from lengthwise.theory.decide.check_tools import FREE, Table, follow, reach, reject

Edges = dict[tuple[int, int], int]
"""(arrow, source vertex) -> target vertex."""


def check_refutation(
    table: Table, initial: int, outputs: list[int], refutation: Mapping[str, Any], kind: str
) -> int:
    """Check one refutation; return the number of edges and coefficients looked at."""
    anchors = [tuple(map(int, word)) for word in refutation["anchors"]]
    arrows = [(int(i), tuple(map(int, word)), int(j)) for i, word, j in refutation["arrows"]]
    vertices = [(int(q), int(i)) for q, i in refutation["vertices"]]
    blocks = list(refutation["blocks"])
    _check_words(anchors, arrows, kind, len(table[0]))
    _check_vertices(table, initial, anchors, vertices)
    edges = _edges(table, arrows, vertices)
    _check_connected(edges, len(vertices))
    _check_blocks(vertices, blocks, refutation["chains"])
    steps = sum(_check_chain(chain, edges, blocks) for chain in refutation["chains"])
    _check_pair(table, outputs, vertices, blocks, refutation)
    return steps + len(edges)


def _check_words(
    anchors: list[tuple[int, ...]],
    arrows: list[tuple[int, tuple[int, ...], int]],
    kind: str,
    letters: int,
) -> None:
    used = [a for word in anchors for a in word] + [a for _, word, _ in arrows for a in word]
    if any(not 0 <= a < letters for a in used):
        reject("a word uses a letter that does not exist")
    if any(not (0 <= i < len(anchors) and 0 <= j < len(anchors)) for i, _, j in arrows):
        reject("an arrow names an anchor that does not exist")
    if kind == "plain":
        if anchors != [()] or any(len(word) != 1 for _, word, _ in arrows):
            reject("a plain refutation has the empty anchor and single letters as arrows")
        return
    length = len(anchors[0])
    if length < 1 or any(len(word) != length for word in anchors):
        reject("anchors must be non-empty words of one length")
    if any(len(word) % length for _, word, _ in arrows):
        reject("the length of an arrow must be a multiple of the length of the anchors")


def _check_vertices(
    table: Table, initial: int, anchors: list[tuple[int, ...]], vertices: list[tuple[int, int]]
) -> None:
    reachable = reach([initial], lambda q: table[q])
    if len(set(vertices)) != len(vertices):
        reject("a vertex is listed twice")
    for q, i in vertices:
        if q not in reachable:
            reject(f"state {q} is not reachable")
        if follow(table, q, anchors[i]) != q:
            reject(f"anchor {i} moves state {q}")


def _edges(
    table: Table,
    arrows: list[tuple[int, tuple[int, ...], int]],
    vertices: list[tuple[int, int]],
) -> Edges:
    number = {vertex: place for place, vertex in enumerate(vertices)}
    edges: Edges = {}
    for arrow, (i, word, j) in enumerate(arrows):
        for place, (q, anchor) in enumerate(vertices):
            if anchor == i:
                target = number.get((follow(table, q, word), j))
                if target is not None:
                    edges[arrow, place] = target
    return edges


def _check_connected(edges: Edges, size: int) -> None:
    forward: list[list[int]] = [[] for _ in range(size)]
    backward: list[list[int]] = [[] for _ in range(size)]
    for (_, source), target in edges.items():
        forward[source].append(target)
        backward[target].append(source)
    for side in (forward, backward):
        if len(reach([0], lambda v, side=side: side[v])) != size:
            reject("the vertices do not all reach each other")


def _check_blocks(
    vertices: list[tuple[int, int]], blocks: list[int], chains: list[Mapping[str, Any]]
) -> None:
    """Vertices of one block share an anchor and are linked by chains."""
    if len(blocks) != len(vertices):
        reject("the blocks do not fit the vertices")
    linked: list[list[int]] = [[] for _ in vertices]
    for chain in chains:
        linked[chain["start"]].append(chain["end"])
        linked[chain["end"]].append(chain["start"])
    first: dict[int, int] = {}
    for place, block in enumerate(blocks):
        root = first.setdefault(block, place)
        if vertices[root][1] != vertices[place][1]:
            reject("a block joins vertices of different anchors")
    for root in first.values():
        wanted = {place for place, block in enumerate(blocks) if block == blocks[root]}
        if not wanted <= reach([root], lambda v: linked[v]):
            reject("no chain joins two vertices of one block")


def _check_chain(chain: Mapping[str, Any], edges: Edges, blocks: list[int]) -> int:
    """Boundary: a multiple of end - start. Totals: zero for every arrow and block."""
    start, end, multiple = int(chain["start"]), int(chain["end"]), int(chain["multiple"])
    if multiple == 0 or blocks[start] != blocks[end]:
        reject("a chain joins nothing")
    boundary: dict[int, int] = {}
    totals: dict[tuple[int, int], int] = {}
    for arrow, source, amount in chain["edges"]:
        if (arrow, source) not in edges:
            reject(f"a chain uses an edge that does not exist: arrow {arrow} at vertex {source}")
        target = edges[arrow, source]
        boundary[target] = boundary.get(target, 0) + int(amount)
        boundary[source] = boundary.get(source, 0) - int(amount)
        key = (arrow, blocks[source])
        totals[key] = totals.get(key, 0) + int(amount)
    boundary[end] = boundary.get(end, 0) - multiple
    boundary[start] = boundary.get(start, 0) + multiple
    if any(boundary.values()) or any(totals.values()):
        reject(f"the chain from vertex {start} to vertex {end} does not cancel")
    return len(chain["edges"])


def _check_pair(
    table: Table,
    outputs: list[int],
    vertices: list[tuple[int, int]],
    blocks: list[int],
    refutation: Mapping[str, Any],
) -> None:
    one, two = refutation["pair"]
    if blocks[one] != blocks[two]:
        reject("the two states are not in one block")
    ends = [follow(table, vertices[v][0], refutation["suffix"]) for v in (one, two)]
    answers = [outputs[end] for end in ends]
    if FREE in answers or answers[0] == answers[1]:
        reject("the suffix does not tell the two states apart")
