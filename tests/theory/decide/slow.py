"""An obvious, slow decision for one modulus and window, which shares no code with the library.

The product of the automaton with the last letters and the position is written out, its strongly
connected components are found by reachability, and potentials by elimination with fractions.
"""

from tests.theory.decide.forging import reduce_rows, strong_components


def minimal(table, initial, outputs):
    """Moore's refinement over reachable states; return table, initial, outputs."""
    reachable = [initial]
    for q in reachable:
        reachable += [t for t in dict.fromkeys(table[q]) if t not in reachable]
    block = {q: outputs[q] for q in reachable}
    while True:
        keys = {q: (block[q], *(block[t] for t in table[q])) for q in reachable}
        numbers = {key: i for i, key in enumerate(dict.fromkeys(keys.values()))}
        finer = {q: numbers[keys[q]] for q in reachable}
        if len(set(finer.values())) == len(set(block.values())):
            break
        block = finer
    first = {}
    for q in reachable:
        first.setdefault(finer[q], q)
    rows = [[finer[t] for t in table[first[b]]] for b in range(len(first))]
    return rows, finer[initial], [outputs[first[b]] for b in range(len(first))]


def separated(table, initial, modulus=1, window=0):
    """Whether counts name the state, given the last letters and the position."""
    start = (initial, (), 0)
    places, rows = {start: 0}, []
    for q, word, residue in (queue := [start]):
        row = []
        for a, target in enumerate(table[q]):
            last = (*word, a)[-window:] if window else ()
            there = (target, last, (residue + 1) % modulus)
            if there not in places:
                places[there] = len(places)
                queue.append(there)
            row.append(places[there])
        rows.append(row)
    names = list(places)
    return all(
        _component_separated(rows, sorted(part), names)
        for part in strong_components(rows, 0)
        if len(part) > 1
    )


def _component_separated(rows, part, names):
    place = {v: i for i, v in enumerate(part)}
    edges = [(place[v], a, place[t]) for v in part for a, t in enumerate(rows[v]) if t in place]
    known = [names[v][1:] for v in part]
    while True:
        finer = _refined(edges, known, len(part))
        if len(set(finer)) == len(set(known)):
            break
        known = finer
    return len(set(zip(known, (names[v][0] for v in part), strict=True))) == len(set(known))


def _refined(edges, known, size):
    """Tell vertices apart that some solution tells apart, beside what is known."""
    groups = list(dict.fromkeys((a, known[source]) for source, a, _ in edges))
    equations = []
    for source, a, target in edges:  # potential(target) - potential(source) = h(group)
        row = [0] * (len(groups) + size)
        row[groups.index((a, known[source]))] = 1
        row[len(groups) + target] -= 1
        row[len(groups) + source] += 1
        equations.append(row)
    pivots = reduce_rows(equations)
    width = len(groups) + size
    free = [column for column in range(width) if column not in pivots]
    values = []
    for vertex in range(len(groups), width):
        if vertex in pivots:
            row = equations[pivots.index(vertex)]
            values.append(tuple(-row[column] for column in free))
        else:
            values.append(tuple(int(column == vertex) for column in free))
    return list(zip(known, values, strict=True))


def questions(value):
    """The ``end`` questions about a certificate's automaton: (table, initial, outputs) each."""
    dfa = value["dfa"]
    table, finals = dfa["transitions"], [int(x) for x in dfa["accepting"]]
    if value["accept"] == "end":
        return [minimal(table, dfa["initial"], finals)]
    assert value["accept"] == "last"
    return [
        minimal(table, dfa["initial"], [finals[row[a]] for row in table])
        for a in range(len(value["alphabet"]))
    ]
