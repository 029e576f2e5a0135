"""Certificates that one guard of a checker stands between: without it they would be accepted."""

from copy import deepcopy

from tests.theory.decide.certificates import certificate, changed
from tests.theory.decide.texts import SMALL

REFUTATION = "parts.0.refutation"


def _part(value, **changes):
    return {**deepcopy(value["parts"][0]), **changes}


def _predicted():
    """The smallest certificate of next symbols: one state, all words."""
    outputs = {**SMALL["parts"][0]["machine"], "outputs": [0]}
    return {**SMALL, "accept": "predict", "parts": [_part(SMALL, last=["a"], machine=outputs)]}


def _refuted(table, accepting, refutation, about):
    """A no about an automaton that is its own machine."""
    outputs = [int(final) for final in accepting]
    machine = {"transitions": table, "initial": 0, "outputs": outputs}
    return {
        **{name: SMALL[name] for name in ("format", "version", "accept")},
        "class": about,
        "answer": "out",
        "alphabet": list("abc"[: len(table[0])]),
        "dfa": {"transitions": table, "initial": 0, "accepting": accepting},
        "parts": [{"last": None, "machine": machine, "refutation": refutation}],
    }


def two_anchors():
    """Parity of a, beside b and c that change nothing: b before an a, c behind it."""
    refutation = {
        "anchors": [[1], [2]],
        "arrows": [[0, [0], 1], [1, [1], 0]],
        "vertices": [[0, 0], [1, 0], [0, 1], [1, 1]],
        "blocks": [0, 0, 1, 1],
        "chains": [
            {
                "start": 0,
                "end": 1,
                "multiple": 2,
                "edges": [[0, 0, 1], [0, 1, -1], [1, 2, -1], [1, 3, 1]],
            },
            {
                "start": 2,
                "end": 3,
                "multiple": 2,
                "edges": [[0, 0, 1], [0, 1, -1], [1, 2, 1], [1, 3, -1]],
            },
        ],
        "pair": [0, 1],
        "suffix": [],
    }
    return _refuted([[1, 0, 0], [0, 1, 1]], [True, False], refutation, "periodic_local")


def unreachable():
    """Even length, refuted where no word ever comes; the language itself holds all words."""
    refutation = deepcopy(certificate("(aa)*")["parts"][0]["refutation"])
    refutation["vertices"] = [[q + 1, i] for q, i in refutation["vertices"]]
    return _refuted([[0], [2], [1]], [True, True, False], refutation, "plain")


def invented():
    """(ab)* refuted by an arrow that is not there: what it would add at two vertices cancels."""
    refutation = {
        "anchors": [[]],
        "arrows": [[0, [0], 0], [0, [1], 0]],
        "vertices": [[0, 0], [1, 0]],
        "blocks": [0, 0],
        "chains": [{"start": 0, "end": 1, "multiple": 1, "edges": [[5, 0, 1], [5, 1, -1]]}],
        "pair": [0, 1],
        "suffix": [],
    }
    return _refuted([[1, 2], [2, 0], [2, 2]], [True, False, False], refutation, "plain")


def accepted():
    """Small certificates at the edge of what is allowed."""
    return {
        "all words": SMALL,
        "next symbols of all words": _predicted(),
        "two anchors": two_anchors(),
        "two letters on an arrow": changed(two_anchors(), f"{REFUTATION}.arrows.0.1", [0, 1]),
        "an arrow that is empty": changed(two_anchors(), f"{REFUTATION}.arrows.1.1", []),
        "an anchor of the first letter": certificate("(a*ba*b)*a*", "end", "periodic_local"),
    }


def refused():
    """Name -> (certificate, what the refusal in Python says)."""
    found = {}
    general = {**SMALL, "class": "periodic_local"}
    found["modulus 0"] = changed(general, "parts.0.proof.modulus", 0), "modulus is 0"
    found["window -1"] = changed(general, "parts.0.proof.window", -1), "window is -1"
    letterless = changed(changed(SMALL, "alphabet", []), "dfa.transitions", [[]])
    letterless = changed(letterless, "parts.0.machine.transitions", [[]])
    found["no letters"] = letterless, "alphabet is empty"
    twice = changed(changed(SMALL, "alphabet", ["a", "a"]), "dfa.transitions", [[0, 0]])
    twice = changed(twice, "parts.0.machine.transitions", [[0, 0]])
    found["one letter twice"] = twice, "a symbol stands twice"
    even = certificate("(aa)*")
    unknown = {**even, "accept": "last", "parts": [_part(even, last=["z"])]}
    found["a last letter that there is not"] = unknown, "does not exist"
    found["a last letter that is a number"] = changed(unknown, "parts.0.last", [0]), "letter is 0"
    named = {**SMALL, "parts": [_part(SMALL, last=["a"])]}
    found["a last letter at the end"] = named, "exactly when"
    last = certificate("(ab)*", "last")
    found["no last letter where one shows"] = changed(last, "parts.0.last", None), "exactly when"
    empty = {**deepcopy(last), "parts": [*deepcopy(last["parts"]), _part(last, last=[])]}
    found["a part that names no letter"] = empty, "names no last letter"
    double = {**deepcopy(last), "parts": [*deepcopy(last["parts"]), *deepcopy(last["parts"])]}
    found["every part twice"] = double, "answered twice"
    found["no parts"] = {**SMALL, "parts": []}, "no parts"
    fewer = {**deepcopy(last), "parts": deepcopy(last["parts"])[:-1]}
    fewer["parts"][0]["last"] = fewer["parts"][0]["last"][:1]
    if len(last["parts"]) == 1:
        fewer["parts"] = [_part(last, last=last["parts"][0]["last"][:1])]
    found["a yes without one letter"] = fewer, "no part for words that end"
    found["an arrow that is not there"] = invented(), "edge that does not exist"
    nowhere = changed(invented(), f"{REFUTATION}.chains.0.edges", [[0, 5, 1], [0, 6, -1]])
    found["a vertex that is not there"] = nowhere, "edge that does not exist"
    nothing = {"anchors": [], "arrows": [], "vertices": [], "blocks": [], "chains": []}
    nothing |= {"pair": [], "suffix": []}
    one = {**nothing, "anchors": [[]], "vertices": [[0, 0]], "blocks": [0], "pair": [0, 0]}
    single = _refuted([[0]], [True], one, "plain")
    found["a refutation of one state"] = single, "does not tell"
    loose = changed(invented(), f"{REFUTATION}.chains.0.edges", [[0, 0, 1], [1, 1, 0]])
    found["a total that does not vanish beside one that does"] = loose, "does not cancel"
    torn = changed(invented(), f"{REFUTATION}.chains.0.edges", [[0, 0, 1], [0, 0, -1]])
    found["a boundary that does not vanish"] = torn, "does not cancel"
    found["states that no word reaches"] = unreachable(), "is not reachable"
    two = two_anchors()
    for path, to, reason in [
        ("arrows.0", [1, [0], 0], "do not all reach"),
        ("arrows.0", [0, [0], -1], "an anchor of an arrow is -1"),
        ("arrows.1.1", [0], "do not all reach"),
        ("arrows.1.1", [-1], "a letter of an arrow is -1"),
        ("anchors.1", [-1], "a letter of an anchor is -1"),
        ("vertices.3", [-1, 1], "the state of a vertex is -1"),
        ("vertices.3", [1, -1], "the anchor of a vertex is -1"),
        ("chains.1.end", -1, "end of a chain is -1"),
        ("pair", [2, -1], "a vertex is -1"),
        ("suffix", [-1], "a letter of the suffix is -1"),
        ("anchors.1", [0], "moves state"),
        ("anchors.1", [2, 2], "one length"),
        ("anchors", [[], []], "non-empty"),
        ("blocks", [0, 0, 0, 0], "different anchors"),
        ("chains.0.multiple", 1, "does not cancel"),
        ("chains.0.multiple", -2, "does not cancel"),
        ("chains.0.multiple", 0, "joins nothing"),
        ("chains.0.end", 0, "does not cancel"),
        ("pair", [0, 0], "does not tell"),
        ("pair", [0, 3], "not in one block"),
    ]:
        name = f"two anchors, {path} {to}"
        found[name] = changed(two, f"{REFUTATION}.{path}", to), reason
    longer = changed(
        changed(two, f"{REFUTATION}.anchors", [[1, 1], [2, 2]]), f"{REFUTATION}.arrows.1.1", [1, 1]
    )
    found["an arrow half as long as the anchors"] = longer, "multiple of the length"
    triple = changed(even, f"{REFUTATION}.arrows.0.1", [0, 0, 0])
    found["three letters on a plain arrow"] = triple, "single letters"
    arrows = even["parts"][0]["refutation"]["arrows"]
    more = changed(even, f"{REFUTATION}.arrows", [*arrows, [0, [0, 0, 0], 0]])
    found["one plain arrow of three letters"] = more, "single letters"
    found["an empty anchor that should hide windows"] = {**even, "class": "periodic_local"}, "empty"
    anchored = changed(two, "class", "plain")
    found["anchors in a plain refutation"] = anchored, "empty anchor"
    found["nothing at all"] = changed(two, REFUTATION, nothing), "pair has 0 entries"
    found["no anchors"] = changed(two, f"{REFUTATION}.anchors", []), "an anchor of an arrow"
    bare = changed(two, REFUTATION, {**nothing, "pair": [0, 0]})
    found["no vertices"] = bare, "a vertex is 0"
    free = changed(two, "parts.0.machine.outputs", [1, -1])
    found["an answer that may be anything"] = free, "answers where nothing is asked"
    return found
