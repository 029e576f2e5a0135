"""An obvious, slow decision for one modulus and window, which shares no code with the library.

The product of the automaton with the last letters and the position is written out, its strongly
connected components are found by reachability, and potentials by elimination with fractions.
"""

from tests.theory.decide.forging import reduce_rows, strong_components

FREE = -1
"""The answer where nothing is asked."""


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
    return all(
        len({(name, state) for name, state in zip(known, states, strict=True)}) == len(set(known))
        for known, states in _told_apart(table, initial, modulus, window)
    )


def confused(table, initial, outputs, modulus=1, window=0):
    """Whether two states that counts cannot tell apart need different answers after some word.

    Nothing is asked where the output is FREE, so no difference shows there.
    """
    for known, states in _told_apart(table, initial, modulus, window):
        groups = {}
        for name, state in zip(known, states, strict=True):
            groups.setdefault(name, set()).add(state)
        for group in groups.values():
            if any(differ(table, outputs, p, q) for p in group for q in group if p < q):
                return True
    return False


def differ(table, outputs, one, two):
    """Whether some word leads two states to different answers that are both asked for."""
    seen = {(one, two)}
    for p, q in (queue := [(one, two)]):
        if FREE not in (outputs[p], outputs[q]) and outputs[p] != outputs[q]:
            return True
        for following in zip(table[p], table[q], strict=True):
            if following not in seen:
                seen.add(following)
                queue.append(following)
    return False


def _told_apart(table, initial, modulus, window):
    """Yield per component what counts, letters and position tell of each place, and its state."""
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
    for part in strong_components(rows, 0):
        if len(part) > 1:
            yield _component(rows, sorted(part), names)


def _component(rows, part, names):
    place = {v: i for i, v in enumerate(part)}
    edges = [(place[v], a, place[t]) for v in part for a, t in enumerate(rows[v]) if t in place]
    known = [names[v][1:] for v in part]
    while True:
        finer = _refined(edges, known, len(part))
        if len(set(finer)) == len(set(known)):
            break
        known = finer
    return known, [names[v][0] for v in part]


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
    answers = finals if value["accept"] == "last" else next_symbols(table, finals)
    asked = [[answers[row[a]] for row in table] for a in range(len(value["alphabet"]))]
    return [minimal(table, dfa["initial"], outputs) for outputs in asked]


def next_symbols(table, finals):
    """Number what may follow each state, the end included; FREE where no word can be completed."""
    alive = {q for q, final in enumerate(finals) if final}
    while more := {q for q, row in enumerate(table) if alive & set(row)} - alive:
        alive |= more
    sets = [(finals[q], *(t in alive for t in row)) for q, row in enumerate(table)]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(sets))}
    return [numbers[key] if q in alive else FREE for q, key in enumerate(sets)]


def answered(value):
    """Whether the machines of a yes give every answer that is asked for, on all words."""
    dfa, alphabet = value["dfa"], value["alphabet"]
    table, finals = dfa["transitions"], [int(x) for x in dfa["accepting"]]
    answers = next_symbols(table, finals) if value["accept"] == "predict" else finals
    named = []
    for part in value["parts"]:
        machine = part["machine"]
        letters = [None] if part["last"] is None else [alphabet.index(a) for a in part["last"]]
        named += letters
        meaning = [{} for _ in letters]
        start = (dfa["initial"], machine["initial"])
        seen = {start}
        for q, x in (queue := [start]):
            for letter, means in zip(letters, meaning, strict=True):
                wanted = answers[q if letter is None else table[q][letter]]
                said = machine["outputs"][x]
                if wanted != FREE and means.setdefault(said, wanted) != wanted:
                    return False
            reads = part.get("letters") or range(len(alphabet))  # symbols that act alike share one
            taken = [machine["transitions"][x][letter] for letter in reads]
            for following in zip(table[q], taken, strict=True):
                if following not in seen:
                    seen.add(following)
                    queue.append(following)
    return sorted(named) == list(range(len(alphabet))) if None not in named else named == [None]
