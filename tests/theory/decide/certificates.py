"""Certificates for the tests: genuine ones of every kind, and the documented forgeries."""

import copy
from functools import cache

import numpy as np

from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
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
)


@cache
def _genuine():
    found = []
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
