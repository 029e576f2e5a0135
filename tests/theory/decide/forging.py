"""Structured forgeries: genuine certificates changed where it might pay.

Every kind takes a random generator, a certificate (changed in place) and another genuine one to
take pieces from. Some changes are harmless, such as renaming states, and some make another
certificate that is right; so what counts is whether an accepted mutant is true.
"""

import copy
import random
from contextlib import suppress
from fractions import Fraction
from math import lcm

from tests.theory.decide.certificates import genuine

KINDS = {}


def kind(change):
    """Register a kind of forgery."""
    KINDS[change.__name__] = change
    return change


def mutants(seed, count):
    """Yield (names of the changes, mutant): one to three changes, seeded, every kind in turn."""
    rng = random.Random(seed)
    pool = genuine()
    names = list(KINDS)
    for number in range(count):
        first = names[number % len(names)]
        base, value = None, None
        for _ in range(30):  # until this kind finds something to change
            base = rng.choice(pool)
            value = copy.deepcopy(base)
            _change(rng, first, value, pool)
            if value != base:
                break
        more = rng.choices(names, k=rng.choice([0, 0, 1, 2]))
        for name in more:
            _change(rng, name, value, pool)
        yield [first, *more], value


def _change(rng, name, value, pool):
    # a kind may find nothing to change, or what an earlier one broke
    with suppress(IndexError, KeyError, TypeError, ValueError, AttributeError):
        KINDS[name](rng, value, copy.deepcopy(rng.choice(pool)))


def _part(rng, value):
    return rng.choice(value["parts"])


def _component(rng, value):
    return rng.choice(_part(rng, value)["proof"]["components"])


def _refutation(rng, value):
    return _part(rng, value)["refutation"]


def _step(rng):
    return rng.choice([-3, -2, -1, 1, 2, 3])


# ---- the claim ---------------------------------------------------------------------------------


@kind
def answer(rng, value, other):
    value["answer"] = "out" if value["answer"] == "in" else "in"


@kind
def class_name(rng, value, other):
    value["class"] = "plain" if value["class"] == "periodic_local" else "periodic_local"


@kind
def convention(rng, value, other):
    value["accept"] = rng.choice(["end", "last", "predict"])
    if value["accept"] == "end":
        value["parts"] = [{**part, "last": None} for part in value["parts"][:1]]
    elif value["parts"][0]["last"] is None:
        value["parts"][0]["last"] = list(value["alphabet"])


@kind
def automaton_of_another(rng, value, other):
    value["dfa"], value["alphabet"] = other["dfa"], other["alphabet"]


@kind
def parts_of_another(rng, value, other):
    value["parts"], value["answer"] = other["parts"], other["answer"]


@kind
def argument_of_another(rng, value, other):
    part, theirs = _part(rng, value), _part(rng, other)
    for name in ("proof", "refutation"):
        if name in part and name in theirs:
            part[name] = theirs[name]


# ---- automaton and machines --------------------------------------------------------------------


@kind
def transition(rng, value, other):
    rng.choice(value["dfa"]["transitions"])[rng.randrange(len(value["alphabet"]))] = rng.randrange(
        len(value["dfa"]["transitions"])
    )


@kind
def accepting(rng, value, other):
    finals = value["dfa"]["accepting"]
    q = rng.randrange(len(finals))
    finals[q] = not finals[q]


@kind
def initial(rng, value, other):
    value["dfa"]["initial"] = rng.randrange(len(value["dfa"]["transitions"]))


@kind
def machine_transition(rng, value, other):
    table = _part(rng, value)["machine"]["transitions"]
    rng.choice(table)[rng.randrange(len(value["alphabet"]))] = rng.randrange(len(table))


@kind
def machine_output(rng, value, other):
    outputs = _part(rng, value)["machine"]["outputs"]
    outputs[rng.randrange(len(outputs))] = rng.choice([-1, 0, 1, 2])


@kind
def machine_initial(rng, value, other):
    machine = _part(rng, value)["machine"]
    machine["initial"] = rng.randrange(len(machine["transitions"]))


@kind
def machine_is_the_automaton(rng, value, other):
    """Another language whose machine fits; the argument stays."""
    dfa = copy.deepcopy(value["dfa"])
    for part in value["parts"]:
        letters = [value["alphabet"].index(a) for a in part["last"] or []]
        outputs = [int(x) for x in dfa["accepting"]]
        if letters and value["accept"] == "last":
            outputs = [int(dfa["accepting"][row[letters[0]]]) for row in dfa["transitions"]]
        part["machine"] = {
            "transitions": copy.deepcopy(dfa["transitions"]),
            "initial": dfa["initial"],
            "outputs": outputs,
        }


@kind
def both_transitions(rng, value, other):
    """The same change of the automaton and of its machine, so that they still fit."""
    q, a = rng.randrange(len(value["dfa"]["transitions"])), rng.randrange(len(value["alphabet"]))
    target = rng.randrange(len(value["dfa"]["transitions"]))
    for part in value["parts"]:
        part["machine"]["transitions"][q][a] = target
    value["dfa"]["transitions"][q][a] = target


@kind
def both_answers(rng, value, other):
    q = rng.randrange(len(value["dfa"]["accepting"]))
    value["dfa"]["accepting"][q] = not value["dfa"]["accepting"][q]
    for part in value["parts"]:
        part["machine"]["outputs"][q] = 1 - part["machine"]["outputs"][q]


@kind
def rename_states(rng, value, other):
    order = list(range(len(value["dfa"]["transitions"])))
    rng.shuffle(order)
    dfa = value["dfa"]
    table = [[] for _ in order]
    finals = [False for _ in order]
    for q, row in enumerate(dfa["transitions"]):
        table[order[q]] = [order[t] for t in row]
        finals[order[q]] = dfa["accepting"][q]
    value["dfa"] = {"transitions": table, "initial": order[dfa["initial"]], "accepting": finals}


@kind
def neutral_letter(rng, value, other):
    """A new letter that changes nothing, everywhere."""
    value["alphabet"].append("neutral")
    for q, row in enumerate(value["dfa"]["transitions"]):
        row.append(q)
    for part in value["parts"]:
        for q, row in enumerate(part["machine"]["transitions"]):
            row.append(q)
        if part["last"] is not None:
            part["last"].append("neutral")


@kind
def dead_letter(rng, value, other):
    """A new letter after which nothing is accepted, everywhere."""
    value["alphabet"].append("dead")
    n = len(value["dfa"]["transitions"])
    for row in value["dfa"]["transitions"]:
        row.append(n)
    value["dfa"]["transitions"].append([n] * len(value["alphabet"]))
    value["dfa"]["accepting"].append(False)
    for part in value["parts"]:
        table = part["machine"]["transitions"]
        size = len(table)
        for row in table:
            row.append(size)
        table.append([size] * len(value["alphabet"]))
        part["machine"]["outputs"].append(0)
        if part["last"] is not None:
            part["last"].append("dead")


@kind
def rename_letters(rng, value, other):
    rng.shuffle(value["alphabet"])


# ---- the parts ---------------------------------------------------------------------------------


@kind
def drop_part(rng, value, other):
    value["parts"].pop(rng.randrange(len(value["parts"])))


@kind
def double_part(rng, value, other):
    value["parts"].append(copy.deepcopy(_part(rng, value)))


@kind
def letters_of_a_part(rng, value, other):
    part = _part(rng, value)
    part["last"] = rng.choice([None, [], rng.sample(value["alphabet"], 1), value["alphabet"][:]])


@kind
def one_part_for_all(rng, value, other):
    value["parts"] = [{**_part(rng, value), "last": value["alphabet"][:]}]


# ---- proofs ------------------------------------------------------------------------------------


@kind
def potential(rng, value, other):
    values = rng.choice(_component(rng, value)["potentials"])
    values[rng.randrange(len(values))] += _step(rng)


@kind
def equal_potentials(rng, value, other):
    rounds = _component(rng, value)["potentials"]
    rounds[rng.randrange(len(rounds))] = [0] * len(rounds[0])


@kind
def different_potentials(rng, value, other):
    component = _component(rng, value)
    component["potentials"] = [list(range(len(component["vertices"])))]


@kind
def rounds(rng, value, other):
    found = _component(rng, value)["potentials"]
    rng.choice([found.pop, found.reverse, lambda: found.append(found[0])])()


@kind
def drop_place(rng, value, other):
    component = _component(rng, value)
    at = rng.randrange(len(component["vertices"]))
    component["vertices"].pop(at)
    for values in component["potentials"]:
        values.pop(at)


@kind
def drop_word(rng, value, other):
    """All places with one word, or one residue, as if it left nothing open."""
    component = _component(rng, value)
    _, word, residue = rng.choice(component["vertices"])
    keep = [
        at
        for at, (_, u, r) in enumerate(component["vertices"])
        if (u, r) != (word, residue) and (u != word or rng.random() < 0.5)
    ]
    component["vertices"] = [component["vertices"][at] for at in keep]
    component["potentials"] = [[row[at] for at in keep] for row in component["potentials"]]


@kind
def no_places(rng, value, other):
    component = _component(rng, value)
    component["vertices"], component["potentials"] = [], []


@kind
def place(rng, value, other):
    vertex = rng.choice(_component(rng, value)["vertices"])
    if rng.random() < 0.4 and vertex[1]:
        vertex[1][rng.randrange(len(vertex[1]))] = rng.randrange(len(value["alphabet"]))
    elif rng.random() < 0.5:
        vertex[0] += _step(rng)
    else:
        vertex[2] += _step(rng)


@kind
def modulus(rng, value, other):
    proof = _part(rng, value)["proof"]
    proof["modulus"] = rng.choice([1, 2, 3, proof["modulus"] * 2, proof["modulus"] + 1])


@kind
def window(rng, value, other):
    proof = _part(rng, value)["proof"]
    proof["window"] = rng.choice([0, 1, proof["window"] + 1, max(0, proof["window"] - 1)])


@kind
def drop_component(rng, value, other):
    components = _part(rng, value)["proof"]["components"]
    components.pop(rng.randrange(len(components)))


@kind
def component_states(rng, value, other):
    states = _component(rng, value)["states"]
    rng.choice([states.pop, lambda: states.append(0), states.reverse])()


# ---- refutations -------------------------------------------------------------------------------


@kind
def merge_blocks(rng, value, other):
    blocks = _refutation(rng, value)["blocks"]
    blocks[rng.randrange(len(blocks))] = rng.choice(blocks)


@kind
def one_block(rng, value, other):
    refutation = _refutation(rng, value)
    refutation["blocks"] = [0] * len(refutation["blocks"])


@kind
def split_block(rng, value, other):
    blocks = _refutation(rng, value)["blocks"]
    blocks[rng.randrange(len(blocks))] = 10 ** rng.randrange(1, 20)


@kind
def chain_number(rng, value, other):
    chain = rng.choice(_refutation(rng, value)["chains"])
    if rng.random() < 0.5:
        rng.choice(chain["edges"])[rng.randrange(3)] += _step(rng)
    else:
        chain[rng.choice(["start", "end", "multiple"])] += _step(rng)


@kind
def scaled_chain(rng, value, other):
    chain = rng.choice(_refutation(rng, value)["chains"])
    factor = rng.choice([0, -1, 3, 10**30])
    chain["multiple"] *= factor
    chain["edges"] = [[arrow, source, factor * x] for arrow, source, x in chain["edges"]]


@kind
def chain_edges(rng, value, other):
    edges = rng.choice(_refutation(rng, value)["chains"])["edges"]
    rng.choice([edges.pop, edges.clear, edges.reverse, lambda: edges.append(edges[0])])()


@kind
def drop_chain(rng, value, other):
    chains = _refutation(rng, value)["chains"]
    chains.pop(rng.randrange(len(chains)))


@kind
def loop_chain(rng, value, other):
    chain = rng.choice(_refutation(rng, value)["chains"])
    chain["end"] = chain["start"]


@kind
def anchors(rng, value, other):
    refutation = _refutation(rng, value)
    found = refutation["anchors"]
    choice = rng.randrange(5)
    if choice == 0:
        refutation["anchors"] = [[]]
    elif choice == 1:
        found[0] = found[0] * 2
    elif choice == 2:
        found.append([rng.randrange(len(value["alphabet"]))])
    elif choice == 3:
        found[rng.randrange(len(found))] = [rng.randrange(len(value["alphabet"]))]
    else:
        found.clear()


@kind
def arrows(rng, value, other):
    found = _refutation(rng, value)["arrows"]
    arrow = rng.choice(found)
    choice = rng.randrange(5)
    if choice == 0:
        arrow[1].append(rng.randrange(len(value["alphabet"])))
    elif choice == 1:
        arrow[1].pop()
    elif choice == 2:
        arrow[1][rng.randrange(len(arrow[1]))] = rng.randrange(len(value["alphabet"]))
    elif choice == 3:
        arrow[rng.choice([0, 2])] += _step(rng)
    else:
        found.remove(arrow)


@kind
def vertices(rng, value, other):
    refutation = _refutation(rng, value)
    at = rng.randrange(len(refutation["vertices"]))
    if rng.random() < 0.5:
        refutation["vertices"][at][rng.randrange(2)] += _step(rng)
    else:
        refutation["vertices"].pop(at)
        refutation["blocks"].pop(at)


@kind
def pair(rng, value, other):
    refutation = _refutation(rng, value)
    refutation["pair"] = [rng.randrange(len(refutation["vertices"])) for _ in range(2)]


@kind
def suffix(rng, value, other):
    word = _refutation(rng, value)["suffix"]
    rng.choice([word.clear, lambda: word.append(rng.randrange(len(value["alphabet"])))])()


@kind
def free_outputs(rng, value, other):
    """Outputs that differ only because they may be anything."""
    outputs = _part(rng, value)["machine"]["outputs"]
    for q in rng.sample(range(len(outputs)), rng.randrange(1, len(outputs) + 1)):
        outputs[q] = -1


@kind
def solved_refutation(rng, value, other):
    """A refutation of the automaton itself for random blocks, with a chain for its pair alone.

    The chain is right; what may be missing are the chains of the other blocks. Half of the time the
    states outside the pair are in blocks of their own, and then it is a refutation, if it cancels.
    """
    dfa = value["dfa"]
    table, finals = dfa["transitions"], [int(x) for x in dfa["accepting"]]
    inside = sorted(rng.choice([c for c in strong_components(table, dfa["initial"]) if len(c) > 1]))
    one, two = sorted(rng.sample(range(len(inside)), 2))
    groups = [rng.randrange(3) + 1 if rng.random() < 0.5 else 9 + v for v in range(len(inside))]
    groups[one] = groups[two] = 0
    found = _chain(table, inside, groups, one, two)
    word = _difference(table, finals, inside[one], inside[two])
    if found is None or word is None:
        return
    multiple, edges = found
    neutral = [a for a in range(len(value["alphabet"])) if all(table[q][a] == q for q in inside)]
    plain = not neutral or rng.random() < 0.5
    refutation = {
        "anchors": [[]] if plain else [[neutral[0]]],
        "arrows": [[0, [a], 0] for a in range(len(value["alphabet"]))],
        "vertices": [[q, 0] for q in inside],
        "blocks": groups,
        "chains": [{"start": one, "end": two, "multiple": multiple, "edges": edges}],
        "pair": [one, two],
        "suffix": word,
    }
    machine = {"transitions": copy.deepcopy(table), "initial": dfa["initial"], "outputs": finals}
    value["parts"] = [{"last": None, "machine": machine, "refutation": refutation}]
    value["class"], value["answer"] = "plain" if plain else "periodic_local", "out"
    value["accept"] = "end"


def strong_components(table, initial):
    """Strongly connected components of what is reachable, the obvious way."""

    def after(q):
        found, stack = {q}, [q]
        while stack:
            for target in table[stack.pop()]:
                if target not in found:
                    found.add(target)
                    stack.append(target)
        return found

    reach = {q: after(q) for q in after(initial)}
    return {frozenset(p for p in reach[q] if q in reach[p]) for q in reach}


def _chain(table, inside, groups, one, two):
    """Solve multiple * (two - one) = sum of edges whose totals vanish; None: no solution."""
    place = {q: v for v, q in enumerate(inside)}
    edges = [
        (a, v, place[t]) for v, q in enumerate(inside) for a, t in enumerate(table[q]) if t in place
    ]
    totals = sorted({(a, groups[v]) for a, v, _ in edges})
    rows = [[0] * (len(edges) + 1) for _ in range(len(inside) + len(totals))]
    for column, (a, source, target) in enumerate(edges):
        rows[target][column] += 1
        rows[source][column] -= 1
        rows[len(inside) + totals.index((a, groups[source]))][column] += 1
    rows[two][-1], rows[one][-1] = 1, -1
    pivots = reduce_rows(rows)
    if len(edges) in pivots:
        return None
    solution = {column: row[-1] for column, row in zip(pivots, rows, strict=False) if row[-1]}
    multiple = lcm(*(x.denominator for x in solution.values()), 1)
    return multiple, [
        [edges[column][0], edges[column][1], int(x * multiple)] for column, x in solution.items()
    ]


def reduce_rows(rows):
    """Bring rows of fractions into reduced echelon form; return the pivot columns."""
    rows[:] = [[Fraction(x) for x in row] for row in rows]
    pivots = []
    for column in range(len(rows[0]) if rows else 0):
        at = len(pivots)
        chosen = next((i for i in range(at, len(rows)) if rows[i][column]), None)
        if chosen is None:
            continue
        rows[at], rows[chosen] = rows[chosen], rows[at]
        rows[at] = [x / rows[at][column] for x in rows[at]]
        for i, row in enumerate(rows):
            if i != at and row[column]:
                factor = row[column]
                rows[i] = [x - factor * y for x, y in zip(row, rows[at], strict=True)]
        pivots.append(column)
    return pivots


def _difference(table, outputs, one, two):
    """A shortest word after which two states answer differently."""
    seen, queue = {(one, two)}, [((one, two), [])]
    for (p, q), word in queue:
        if outputs[p] != outputs[q]:
            return word
        for a, following in enumerate(zip(table[p], table[q], strict=True)):
            if following not in seen:
                seen.add(following)
                queue.append((following, [*word, a]))
    return None


# ---- what only version 2 has -------------------------------------------------------------------


def _joins(rng, value):
    return rng.choice([p for p in value["parts"] if "joins" in p["refutation"]])["refutation"]


def _cycle(rng, value):
    return rng.choice(_joins(rng, value)["joins"]["cycles"])


@kind
def version(rng, value, other):
    value["version"] = 3 - value["version"]


@kind
def joins_of_another(rng, value, other):
    _joins(rng, value)["joins"] = _joins(rng, other)["joins"]


@kind
def joins_and_chains(rng, value, other):
    _joins(rng, value)["chains"] = []


@kind
def chains_for_joins(rng, value, other):
    refutation = _joins(rng, value)
    del refutation["joins"]
    refutation["chains"] = []


@kind
def joins_for_chains(rng, value, other):
    refutation = _refutation(rng, value)
    del refutation["chains"]
    refutation["joins"] = _joins(rng, other)["joins"]
    value["version"] = 2


@kind
def drop_tree_edge(rng, value, other):
    tree = _joins(rng, value)["joins"]["tree"]
    tree.pop(rng.randrange(len(tree)))


@kind
def more_tree(rng, value, other):
    """An edge more in a tree: it closes a cycle, or joins another vertex."""
    refutation = _joins(rng, value)
    edge = [rng.randrange(len(refutation["arrows"])), rng.randrange(len(refutation["vertices"]))]
    refutation["joins"]["tree"].insert(rng.randrange(len(refutation["joins"]["tree"]) + 1), edge)


@kind
def another_tree(rng, value, other):
    """Other edges in another order, which may well be a tree."""
    refutation = _joins(rng, value)
    arrows, size = len(refutation["arrows"]), len(refutation["vertices"])
    edges = [[a, v] for a in range(arrows) for v in range(size)]
    refutation["joins"]["tree"] = rng.sample(edges, min(len(edges), size - 1))


@kind
def shuffled_tree(rng, value, other):
    rng.shuffle(_joins(rng, value)["joins"]["tree"])


@kind
def tree_number(rng, value, other):
    rng.choice(_joins(rng, value)["joins"]["tree"])[rng.randrange(2)] += _step(rng)


@kind
def no_tree(rng, value, other):
    _joins(rng, value)["joins"]["tree"] = []


@kind
def joins_multiple(rng, value, other):
    joins = _joins(rng, value)["joins"]
    joins["multiple"] = rng.choice([0, 1, -1, 2, joins["multiple"] + 1, -joins["multiple"]])


@kind
def scaled_cycles(rng, value, other):
    joins = _joins(rng, value)["joins"]
    factor = rng.choice([0, -1, 2, 7, 10**30])
    joins["multiple"] *= factor
    for cycle in joins["cycles"]:
        cycle["edges"] = [[a, v, factor * x] for a, v, x in cycle["edges"]]


@kind
def drop_cycle(rng, value, other):
    cycles = _joins(rng, value)["joins"]["cycles"]
    cycles.pop(rng.randrange(len(cycles)))


@kind
def double_cycle(rng, value, other):
    cycles = _joins(rng, value)["joins"]["cycles"]
    cycles.append(copy.deepcopy(rng.choice(cycles)))


@kind
def no_cycles(rng, value, other):
    _joins(rng, value)["joins"]["cycles"] = []


@kind
def pivot(rng, value, other):
    _cycle(rng, value)["pivot"][rng.randrange(2)] += _step(rng)


@kind
def swap_pivots(rng, value, other):
    one, two = rng.sample(_joins(rng, value)["joins"]["cycles"], 2)
    one["pivot"], two["pivot"] = two["pivot"], one["pivot"]


@kind
def cycle_number(rng, value, other):
    rng.choice(_cycle(rng, value)["edges"])[rng.randrange(3)] += _step(rng)


@kind
def cycle_edges(rng, value, other):
    edges = _cycle(rng, value)["edges"]
    rng.choice([edges.pop, edges.clear, edges.reverse, lambda: edges.append(edges[0])])()


@kind
def forged_cycle(rng, value, other):
    """A cycle for a group that has none, as if its steps counted nothing."""
    refutation = _joins(rng, value)
    at = rng.randrange(len(refutation["vertices"]))
    arrow, joins = rng.randrange(len(refutation["arrows"])), refutation["joins"]
    edge = [arrow, at, joins["multiple"]]
    joins["cycles"].append({"pivot": [arrow, refutation["blocks"][at]], "edges": [edge]})


@kind
def joined_blocks(rng, value, other):
    """Two blocks made one, in the blocks and in the pivots."""
    refutation = _joins(rng, value)
    one, two = rng.choice(refutation["blocks"]), rng.choice(refutation["blocks"])
    refutation["blocks"] = [one if block == two else block for block in refutation["blocks"]]
    for cycle in refutation["joins"]["cycles"]:
        if cycle["pivot"][1] == two:
            cycle["pivot"][1] = one


@kind
def joined_pair(rng, value, other):
    """A pair of different blocks, put into one."""
    refutation = _joins(rng, value)
    refutation["pair"] = rng.sample(range(len(refutation["vertices"])), 2)
    one, two = refutation["pair"]
    refutation["blocks"][two] = refutation["blocks"][one]


@kind
def drop_joined_vertex(rng, value, other):
    refutation = _joins(rng, value)
    refutation["vertices"].pop()
    refutation["blocks"].pop()
    size = len(refutation["vertices"])
    tree = refutation["joins"]["tree"]
    refutation["joins"]["tree"] = [edge for edge in tree if edge[1] < size]


@kind
def letters_of_the_machine(rng, value, other):
    part = _part(rng, value)
    size = len(part["machine"]["transitions"][0])
    part["letters"] = [rng.randrange(size) for _ in value["alphabet"]]
    value["version"] = 2


@kind
def one_letter(rng, value, other):
    """All symbols read as one letter, the first."""
    part = _part(rng, value)
    part["letters"] = [0] * len(value["alphabet"])
    part["machine"]["transitions"] = [row[:1] for row in part["machine"]["transitions"]]
    value["version"] = 2


@kind
def no_letters(rng, value, other):
    _part(rng, value).pop("letters")


@kind
def swap_letters(rng, value, other):
    letters = rng.choice([p for p in value["parts"] if "letters" in p])["letters"]
    one, two = rng.sample(range(len(letters)), 2)
    letters[one], letters[two] = letters[two], letters[one]


@kind
def left_out_places(rng, value, other):
    del _component(rng, value)["vertices"]
    value["version"] = 2


@kind
def reordered_states(rng, value, other):
    rng.shuffle(_component(rng, value)["states"])


# ---- anything ----------------------------------------------------------------------------------


def _slots(value):
    """All (container, key) of a value made of objects and lists."""
    pairs = list(value.items() if isinstance(value, dict) else enumerate(value))
    for key, inner in pairs:
        yield value, key
        if isinstance(inner, dict | list):
            yield from _slots(inner)


@kind
def any_number(rng, value, other):
    slots = [(box, key) for box, key in _slots(value) if type(box[key]) is int]
    box, key = rng.choice(slots)
    box[key] += _step(rng)


@kind
def swap_numbers(rng, value, other):
    slots = [(box, key) for box, key in _slots(value) if type(box[key]) is int]
    (one, i), (two, j) = rng.choice(slots), rng.choice(slots)
    one[i], two[j] = two[j], one[i]


@kind
def any_list(rng, value, other):
    found = rng.choice([box[key] for box, key in _slots(value) if isinstance(box[key], list)])
    rng.choice([found.pop, lambda: found.append(copy.deepcopy(found[0])), found.reverse])()


@kind
def any_type(rng, value, other):
    box, key = rng.choice(list(_slots(value)))
    box[key] = rng.choice([None, True, 1.0, float("nan"), "0", [], {}, -1, 10**20])
