"""Writing failures as refutations that the checker can read."""

from collections.abc import Callable
from typing import Any

from lengthwise.languages.machine import Machine
from lengthwise.theory.decide.blocks import BlockFailure
from lengthwise.theory.decide.chains import ClosedPartition
from lengthwise.theory.decide.connected import Component
from lengthwise.theory.decide.potentials import System

Word = tuple[int, ...]


def plain_refutation(
    machine: Machine, component: Component, system: System, partition: ClosedPartition
) -> dict[str, Any]:
    """Refute plain C-RASP: the anchor is the empty word, the arrows are letters."""
    arrows = [(0, (letter,), 0) for letter in range(len(machine.alphabet))]
    vertices = [(state, 0) for state in component.states]
    return _refutation(machine, [()], arrows, vertices, system, partition)


def block_refutation(
    machine: Machine, failure: BlockFailure, anchors: list[Word], words: dict[int, Word]
) -> dict[str, Any]:
    """Refute every modulus and window; ``words`` spells the elements used as arrows.

    Only the arrows in chains and those that connect the vertices are kept. When a single pair
    is joined, the vertices that neither touches are dropped as well.
    """
    kept_edges = _needed_edges(failure)
    used = sorted({int(failure.system.labels[edge]) for edge in kept_edges})
    arrows = []
    for label in used:
        arrow = failure.arrows[label]
        arrows.append((arrow.source, words[arrow.element] + anchors[arrow.target], arrow.target))
    keep = _touched(failure, kept_edges)
    return _refutation(
        machine,
        anchors,
        arrows,
        failure.vertices,
        failure.system,
        failure.partition,
        keep=keep,
        arrow_number={label: place for place, label in enumerate(used)},
    )


def _needed_edges(failure: BlockFailure) -> set[int]:
    """Edges of the chains, and of shortest ways from the first of their vertices and back."""
    needed = {edge for chain in failure.partition.chains for edge in chain.edges}
    joins = failure.partition.joins
    if joins is not None:
        needed |= {*joins.tree, *(pivot for pivot, _ in joins.cycles)}
        needed |= {edge for _, amounts in joins.cycles for edge in amounts}
    sources, targets = failure.system.sources.tolist(), failure.system.targets.tolist()
    if len(set(failure.partition.blocks.tolist())) == failure.system.vertices - 1:
        wanted = {v for edge in needed for v in (sources[edge], targets[edge])}
        wanted |= set(failure.partition.pair)
    else:
        wanted = set(range(failure.system.vertices))
    root = min(wanted)
    needed |= _ways(root, wanted, sources, targets)
    needed |= _ways(root, wanted, targets, sources)
    return needed


def _ways(root: int, wanted: set[int], sources: list[int], targets: list[int]) -> set[int]:
    """Return the edges of shortest ways from ``root`` to every wanted vertex."""
    leaving: dict[int, list[int]] = {}
    for edge, source in enumerate(sources):
        leaving.setdefault(source, []).append(edge)
    reached: dict[int, int | None] = {root: None}
    queue = [root]
    for vertex in queue:
        for edge in leaving.get(vertex, ()):
            if targets[edge] not in reached:
                reached[targets[edge]] = edge
                queue.append(targets[edge])
    needed: set[int] = set()
    for vertex in wanted:
        while (edge := reached[vertex]) is not None:
            needed.add(edge)
            vertex = sources[edge]
    return needed


def _touched(failure: BlockFailure, edges: set[int]) -> list[int]:
    system = failure.system
    touched = {int(v) for edge in edges for v in (system.sources[edge], system.targets[edge])}
    return sorted(touched | set(failure.partition.pair))


def _refutation(
    machine: Machine,
    anchors: list[Word],
    arrows: list[tuple[int, Word, int]],
    vertices: list[tuple[int, int]],
    system: System,
    partition: ClosedPartition,
    keep: list[int] | None = None,
    arrow_number: dict[int, int] | None = None,
) -> dict[str, Any]:
    kept = list(range(len(vertices))) if keep is None else keep
    place = {vertex: number for number, vertex in enumerate(kept)}
    labels, sources = system.labels.tolist(), system.sources.tolist()

    def edge(number: int) -> list[int]:
        label = labels[number] if arrow_number is None else arrow_number[labels[number]]
        return [label, place[sources[number]]]

    one, two = partition.pair
    suffix = machine.distinguishing_word(vertices[one][0], vertices[two][0])
    assert suffix is not None, "refuted pairs need different answers"
    return {
        "anchors": [list(word) for word in anchors],
        "arrows": [[i, list(word), j] for i, word, j in arrows],
        "vertices": [list(vertices[v]) for v in kept],
        "blocks": [int(partition.blocks[v]) for v in kept],
        **_reasons(partition, edge, place),
        "pair": [place[one], place[two]],
        "suffix": list(suffix),
    }


def _reasons(
    partition: ClosedPartition, edge: Callable[[int], list[int]], place: dict[int, int]
) -> dict[str, Any]:
    """Write the chains of a closed partition, or what joins its blocks."""
    joins = partition.joins
    if joins is None:
        chains = [
            {
                "start": place[chain.start],
                "end": place[chain.end],
                "multiple": chain.multiple,
                "edges": [[*edge(number), amount] for number, amount in chain.edges.items()],
            }
            for chain in partition.chains
        ]
        return {"chains": chains}
    numbers = {vertex: int(block) for vertex, block in enumerate(partition.blocks)}
    back = {here: vertex for vertex, here in place.items()}
    cycles: list[dict[str, Any]] = []
    for pivot, amounts in joins.cycles:
        arrow, source = edge(pivot)
        listed = [[*edge(number), amount] for number, amount in amounts.items()]
        cycles.append({"pivot": [arrow, numbers[back[source]]], "edges": listed})
    tree = [edge(number) for number in joins.tree]
    return {"joins": {"tree": tree, "multiple": joins.multiple, "cycles": cycles}}
