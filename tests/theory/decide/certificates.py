"""Certificates for the tests: genuine ones of every kind, attacks, and the files around them."""

import copy
import json
import math
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np

from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide import certificates, chains, potentials
from lengthwise.theory.decide.decision import decide

PATTERNS = (
    "(ab)*",
    "(aa)*",
    "(ab|bbaa)*",
    "(ab|aabb)*",
    "(ab|bba)*",
    "(abab)*",
    "(b*ab*a)*b*",
    "[ab]*b",
    "[ab]*a[ab]",
    "a*b*c*",
    "[abc]*ab[abc]*",
    "c*bc(ac*bc)*",
    "([abc]{2})*c",
    "(ab)*c(a|ba|bba)*(b|bb)?",
    "[012]*02*",
    "(aab|bbb|baa)*(aa|bb)",
)


LONGER = ("(aaa)*", "(ab|ba|aab)*", "(aab|abb)*", "([abc]{3})*", "(ab|aabb|c)*", "(ab)*c(aaa|b)*")
"""More languages whose refutations need several states in a block."""


@contextmanager
def as_if_large():
    """Write certificates as for large automata: groups, joins and no places."""
    with ExitStack() as stack:
        for module in (potentials, chains, certificates):
            stack.enter_context(patch.object(module, "SMALL", 0))
        stack.enter_context(patch.object(chains, "_attempts", lambda system: 0))
        yield


@cache
def _shorter():
    """Certificates of version 2: each has joins, letters, or leaves places out."""
    found = []
    with as_if_large():
        for pattern in (*PATTERNS, *LONGER):
            for accept in ("end", "last"):
                decision = decide(compile_regex(pattern), accept, regex=pattern)
                for answer in (decision.plain, decision.periodic_local):
                    value = answer.certificate()
                    if value is not None and value["version"] == 2:
                        found.append(value)
    return found


def shorter(name):
    """Version 2 certificates that have one of the new fields: joins, letters or places."""
    wanted = {
        "joins": lambda part: "joins" in part.get("refutation", {}),
        "letters": lambda part: "letters" in part,
        "places": lambda part: any(
            "vertices" not in x for x in part.get("proof", {}).get("components", [])
        ),
    }[name]
    return copy.deepcopy([x for x in _shorter() if any(map(wanted, x["parts"]))])


@cache
def _genuine():
    found = [*_shorter()]
    for pattern in PATTERNS:
        for accept in ("end", "last", "predict"):
            decision = decide(compile_regex(pattern), accept, regex=pattern)
            for answer in (decision.plain, decision.periodic_local):
                if (certificate := answer.certificate()) is not None:
                    found.append(certificate)
    return found


def genuine():
    """Genuine certificates of both classes, both answers and all conventions, as fresh copies."""
    return copy.deepcopy(_genuine())


def certificate(pattern, accept="end", about="plain", alphabet=None):
    """The certificate of one regular expression, a fresh copy."""
    decision = decide(compile_regex(pattern, alphabet), accept, regex=pattern)
    return copy.deepcopy(getattr(decision, about).certificate())


IN = "(babab|ababb)*"
"""In plain C-RASP, with two rounds of potentials; the forgeries below say it is not."""


def forged(about, block):
    """A refutation of a language that is in: one block of states that no chain joins.

    States 4 and 5 could not be told apart if 0, 1 and 2 could not, but they can. For NaN as their
    block no chain used to be demanded, while their totals were still added up.
    """
    dfa = compile_regex(IN, "ab")
    table = dfa.transitions
    if about == "periodic_local":  # a letter that changes nothing makes windows blind
        table = np.hstack([table, np.arange(len(table))[:, None]])
        dfa = DFA("abe", table, 0, dfa.accepting)
    inside = [0, 1, 2, 4, 5, 6, 7, 8]
    chain = {"start": 3, "end": 4, "multiple": 1, "edges": [[0, 0, -1], [1, 0, 1], [1, 1, -1]]}
    chain["edges"].append([0, 2, 1])
    refutation = {
        "anchors": [[]] if about == "plain" else [[2]],
        "arrows": [[0, [0], 0], [0, [1], 0]],
        "vertices": [[q, 0] for q in inside],
        "blocks": [block, block, block, 0, 0, 2, 3, 4],
        "chains": [chain],
        "pair": [3, 4],
        "suffix": list(compile_suffix(dfa, 4, 5)),
    }
    machine = {
        "transitions": table.tolist(),
        "initial": 0,
        "outputs": dfa.accepting.astype(int).tolist(),
    }
    return {
        "format": "lengthwise-certificate",
        "version": 1,
        "class": about,
        "accept": "end",
        "answer": "out",
        "alphabet": list(dfa.alphabet),
        "dfa": {
            "transitions": table.tolist(),
            "initial": 0,
            "accepting": dfa.accepting.tolist(),
        },
        "parts": [{"last": None, "machine": machine, "refutation": refutation}],
    }


def changed(value, path, to):
    """A copy in which the entry at a path such as ``parts.0.last`` is another; ``...`` removes."""
    found = copy.deepcopy(value)
    *way, last = [int(x) if x.isdigit() else x for x in path.split(".")]
    inner = found
    for step in way:
        inner = inner[step]
    if to is ...:
        del inner[last]
    else:
        inner[last] = to
    return found


def paths(value, before=""):
    """All paths of a value made of objects and lists, with what is there."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in pairs:
        yield f"{before}{key}", inner
        if isinstance(inner, dict | list):
            yield from paths(inner, f"{before}{key}.")


def endless(window, modulus):
    """A yes for parity that lists no place, with a window or a modulus that is never walked."""
    value = certificate("(b*ab*a)*b*")
    machine = value["parts"][0]["machine"]
    component = {"states": [0, 1], "vertices": [], "potentials": []}
    proof = {"modulus": modulus, "window": window, "components": [component]}
    part = {"last": None, "machine": machine, "proof": proof}
    return {**value, "class": "periodic_local", "answer": "in", "parts": [part]}


def empty_rounds(about):
    """A yes with 300,000 rounds of potentials that say nothing."""
    value = certificate("(ab)*") if about == "plain" else certificate("(aa)*", "end", about)
    return changed(value, "parts.0.proof.components.0.potentials", [[]] * 300_000)


def every_subset(n=40):
    """A yes whose words would have to be read from every set of states."""
    letters = [[(q + 1) % n for q in range(n)], [(q if q else 1) for q in range(n)]]
    letters.append([1, 0, *range(2, n)])
    table = [list(row) for row in zip(*letters, strict=True)]
    machine = {"transitions": table, "initial": 0, "outputs": [1] + [0] * (n - 1)}
    component = {"states": list(range(n)), "vertices": [], "potentials": []}
    proof = {"modulus": 1, "window": 60, "components": [component]}
    return {
        "format": "lengthwise-certificate",
        "version": 1,
        "class": "periodic_local",
        "accept": "end",
        "answer": "in",
        "alphabet": ["a", "b", "c"],
        "dfa": {"transitions": table, "initial": 0, "accepting": [q == 0 for q in range(n)]},
        "parts": [{"last": None, "machine": machine, "proof": proof}],
    }


def many_arrows(n=3_000):
    """A no with as many arrows as vertices, so that edges grow with the square of its size."""
    table = [[(q + 1) % n] for q in range(n)]
    value = certificate("(aa)*")
    value["dfa"] = {"transitions": table, "initial": 0, "accepting": [q % 2 == 1 for q in range(n)]}
    part = value["parts"][0]
    part["machine"] = {"transitions": table, "initial": 0, "outputs": [q % 2 for q in range(n)]}
    part["refutation"]["vertices"] = [[q, 0] for q in range(n)]
    part["refutation"]["blocks"] = [0] * n
    part["refutation"]["arrows"] = [[0, [0], 0]] * n
    return value


@cache
def attacks():
    """Documented attacks, with what the refusal says."""
    found = {}
    for about in ("plain", "periodic_local"):
        found[f"NaN as a block, {about}"] = forged(about, math.nan), "a block is a float"
        found[f"an unjoined block, {about}"] = forged(about, 1), "no chain joins two vertices"
        found[f"true as a block, {about}"] = forged(about, True), "a block is True"
        rounds = empty_rounds(about)
        found[f"empty rounds, {about}"] = rounds, "more rounds of potentials than places"
    for window in (0, 40, 10**9, 10**30):
        for modulus in (1, 10**9):
            said = "no places for the open" if window == 0 else "not listed"
            found[f"window {window}, modulus {modulus}"] = endless(window, modulus), said
    positive, negative = certificate("(aa)*", "end", "periodic_local"), certificate("(aa)*")
    for number in (math.inf, -math.inf, 1.0, True, "1", None):
        for name in ("modulus", "window"):
            value = changed(positive, f"parts.0.proof.{name}", number)
            found[f"{number!r} as {name}"] = value, f"{name} is "
        value = changed(positive, "parts.0.machine.outputs.0", number)
        found[f"{number!r} as an output"] = value, "an output is "
        value = changed(negative, "parts.0.refutation.chains.0.multiple", number)
        found[f"{number!r} as a multiple"] = value, "the multiple of a chain is "
        value = changed(negative, "dfa.initial", number)
        found[f"{number!r} as a state"] = value, "the initial state is "
    found["a regex that is a number"] = {**negative, "regex": 5}, "regex is 5"
    found["every subset"] = every_subset(), None
    found["many arrows"] = many_arrows(), "steps that its size allows"
    return found


TEXTS = {
    "NaN": "NaN is not a whole number",
    "[Infinity]": "Infinity is not",
    "[-Infinity]": "-Infinity is not",
    "[1.0]": "1.0 is not",
    "[1e3]": "1e3 is not",
    "[1E3]": "1E3 is not",
    '{"a": 1, "b": 2, "a": 1}': "given twice",
    '{"a": 1, "\\u0061": 1}': "given twice",
    '[{"a": {"b": 1, "b": 1}}]': "given twice",
    "[" * 200_000 + "]" * 200_000: "nested",
    '{"a":' * 200_000 + "1" + "}" * 200_000: "nested",
    "9" * 5_000: "digits",
    "-" + "9" * 5_000: "digits",
    "9" * 4_001: "digits",
    "": "not JSON",
    "{": "not JSON",
    "[1, 2": "not JSON",
    '{"a" 1}': "not JSON",
    '{"a": 1 "b": 2}': "not JSON",
    "{1: 2}": "not JSON",
    "[1,]": "not JSON",
    '{"a": 1,}': "not JSON",
    "[1] [2]": "not JSON",
    "[01]": "not JSON",
    "[+1]": "not JSON",
    "[-]": "not JSON",
    "[.5]": "not JSON",
    "[nul]": "not JSON",
    "['a']": "not JSON",
    '["\n"]': "not JSON",
    '["\\x41"]': "not JSON",
    '["\\u00g1"]': "not JSON",
    '["a': "not JSON",
    "[1]\f": "not JSON",
    "\ufeff[]": "not JSON",
    '{"format": "lengthwise-certificates"}': "no field version",
    '{"format": "lengthwise-certificates", "version": 1, "certificates": []}': "holds no",
    '{"format": "lengthwise-certificates", "version": 1, "certificates": 5}': "expected a list",
    '{"format": "lengthwise-certificates", "version": 2, "certificates": [1]}': "version",
    '{"format": "lengthwise-certificates", "version": true, "certificates": [1]}': "version",
    '{"format": "lengthwise-certificates", "version": 1, "certificates": [], "x": 1}': "unknown",
}
"""Files that are not strict JSON, or no bundle, with what the refusal says."""

STRANGE = [None, True, False, 1.0, math.nan, math.inf, -1, 0, 1, 2, 10**3_999, -(10**3_999)]
STRANGE += ["", "a", "\ud800", [], {}, [[]], [[[]]], [0], [None]]


def sample():
    """Certificates of three kinds, small enough to change each of their entries."""
    return {
        "plain": certificate("(ab|aabb)*", "last"),
        "in": certificate("(ab|aabb)*", "predict", "periodic_local"),
        "blocks": certificate("(b*ab*a)*b*", "end", "periodic_local"),
        **{name: shorter(name)[0] for name in ("joins", "letters", "places")},
    }


def encoded(value):
    """Write a certificate as JSON that may hold NaN."""
    return json.dumps(value).encode()


DATA = Path(__file__).parent / "data"
"""Certificates that earlier versions wrote."""


def compile_suffix(dfa, one, two):
    """A word after which exactly one of two states accepts."""
    return next(
        word
        for length in range(6)
        for word in np.ndindex(*(2,) * length)
        if dfa.accepting[dfa.step(one, word)] != dfa.accepting[dfa.step(two, word)]
    )


def truth(value):
    """What the decision says about the automaton that a certificate holds."""
    dfa = value["dfa"]
    automaton = DFA(value["alphabet"], dfa["transitions"], dfa["initial"], dfa["accepting"])
    return getattr(decide(automaton, value["accept"]), value["class"]).answer


def widened(value, modulus, window):
    """A yes of plain C-RASP as one that looks at the last letters and the position as well.

    What counts tell apart they tell apart beside anything else, so the potentials stay as they
    are, and the places that are open are found by reading every word from every state.
    """
    found = copy.deepcopy(value)
    found["class"] = "periodic_local"
    for part in found["parts"]:
        table = part["machine"]["transitions"]
        for component in part["proof"]["components"]:
            height = {q: i for i, (q, *_) in enumerate(component["vertices"])}
            places = _open_places(table, set(component["states"]), modulus, window)
            rows = component["potentials"]
            component["potentials"] = [[row[height[q]] for q, _, _ in places] for row in rows]
            component["vertices"] = places
            if not places:
                component["potentials"] = []
        part["proof"] |= {"modulus": modulus, "window": window}
    return found


def _open_places(table, states, modulus, window):
    steps = [(q, t) for q in states for t in table[q] if t in states]
    level = {min(states): 0}
    while len(level) < len(states):
        level |= {t: level[q] + 1 for q, t in steps if q in level and t not in level}
    cycle = math.gcd(modulus, *(level[q] + 1 - level[t] for q, t in steps))
    found = []
    for word in np.ndindex(*(len(table[0]),) * window):
        left = {q: q for q in states}
        for a in word:
            left = {q: table[t][a] for q, t in left.items() if table[t][a] in states}
        for residue in range(modulus):
            group = {t for t in left.values() if (level[t] - residue) % cycle == 0}
            if len(group) > 1:
                found += [[q, list(word), residue] for q in sorted(group)]
    return found


def wide():
    """Yes certificates with every small modulus and window."""
    patterns = (IN, "(ab|bbaa)*", "(abc|acb)*", "(a(a(ab)*b)*b)*")
    for pattern in patterns:
        for accept in ("end", "last"):
            value = certificate(pattern, accept)
            if value is not None and value["answer"] == "in":
                for modulus in (1, 2, 3, 6):
                    for window in range(4 if modulus < 3 else 2):
                        yield widened(value, modulus, window)
