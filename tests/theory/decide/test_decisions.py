"""Whole decisions: certificates, programs and metamorphic properties on random automata."""

import copy

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits
from lengthwise.crasp.finite import to_automaton
from lengthwise.crasp.interpreter import accepts, evaluate
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide.check_certificate import Refused, check_certificate
from lengthwise.theory.decide.decision import decide
from tests.languages.helpers import member, random_dfa, words


def decided(dfa, accept="end", seconds=None):
    return decide(dfa, accept, Limits(seconds=seconds, monoid=5_000))


def program_agrees(found, rng, longest=7):
    """Compare the program with the automaton on all short and some long words."""
    dfa, program = found.dfa, found.periodic_local.program
    tried = [w for w in words(dfa.symbols, longest) if w]
    tried += [tuple(rng.integers(0, dfa.symbols, 60).tolist()) for _ in range(10)]
    tried += [tuple(dfa.sample(rng, [n])[0]) for n in (20, 45, 200) if dfa.count_words(n)]
    texts = [dfa.decode(w) for w in tried]
    if found.accept != "predict":
        got = np.asarray(accepts(program, texts, accept=found.accept))
        return bool((got == [member(dfa, w) for w in tried]).all())
    return _predicts(dfa, evaluate(program, texts), tried)


def _predicts(dfa, values, tried):
    alive = dfa.live()
    for row, word in enumerate(tried):
        q = dfa.step(dfa.initial, word)
        if alive[q]:
            wanted = [*alive[dfa.transitions[q]], dfa.accepting[q]]
            labels = [*(f"may_{i + 1}" for i in range(dfa.symbols)), "may_stop"]
            got = [bool(values[label][row][len(word) - 1]) for label in labels]
            if got != list(map(bool, wanted)):
                return False
    return True


@pytest.mark.parametrize("accept", ["end", "last", "predict"])
def test_certificates_are_accepted_and_programs_are_right(accept):
    rng = np.random.default_rng(0)
    answers = set()
    for _ in range(40):
        found = decided(random_dfa(rng), accept)
        for answer in (found.plain, found.periodic_local):
            answers.add(answer.answer)
            if answer.answer != "undecided":
                assert check_certificate(answer.certificate()).answer == answer.answer
        if found.periodic_local.program is not None:
            assert program_agrees(found, rng)
    assert {"in", "out"} <= answers


@pytest.mark.parametrize("accept", ["end", "last"])
def test_programs_equal_their_automata_exactly(accept):
    # a program with finitely many configurations is an automaton: a complete comparison
    rng = np.random.default_rng(1)
    compared = 0
    for _ in range(25):
        found = decided(random_dfa(rng, most=5, letters=(2, 2)), accept)
        if found.plain.program is not None:
            made = to_automaton(found.plain.program, found.dfa.alphabet, accept=accept, seconds=2)
            if made is not None:
                compared += 1
                assert made.equivalent(found.dfa)
    assert compared > 5


def test_metamorphic_properties_of_the_plain_answer():
    rng = np.random.default_rng(2)
    for _ in range(40):
        dfa = random_dfa(rng, most=6)
        answer = decided(dfa).plain.answer
        n = dfa.states
        renamed = DFA("zyx"[: dfa.symbols], dfa.transitions, dfa.initial, dfa.accepting)
        neutral = np.hstack([dfa.transitions, np.arange(n)[:, None]])
        dead = np.vstack(
            [np.hstack([dfa.transitions, np.full((n, 1), n)]), np.full(dfa.symbols + 1, n)]
        )
        order = rng.permutation(n)
        shuffled = np.empty_like(dfa.transitions)
        shuffled[order] = order[dfa.transitions]
        final = np.empty(n, dtype=bool)
        final[order] = dfa.accepting
        variants = [
            dfa.complement(),
            renamed,
            DFA((*dfa.alphabet, "e"), neutral, dfa.initial, dfa.accepting),
            DFA((*dfa.alphabet, "e"), dead, dfa.initial, [*dfa.accepting, False]),
            DFA(dfa.alphabet, shuffled, int(order[dfa.initial]), final),
        ]
        assert [decided(v).plain.answer for v in variants] == [answer] * len(variants)


def test_neutral_letters_collapse_the_classes():
    rng = np.random.default_rng(3)
    unsafe = 0
    for _ in range(40):
        dfa = random_dfa(rng, most=5)
        before = decided(dfa)
        table = np.hstack([dfa.transitions, np.arange(dfa.states)[:, None]])
        after = decided(DFA((*dfa.alphabet, "e"), table, dfa.initial, dfa.accepting))
        assert after.plain.answer == after.periodic_local.answer
        same = after.periodic_local.answer == before.periodic_local.answer
        assert before.neutral_letter_safe == same
        unsafe += not same
    assert unsafe


@pytest.mark.parametrize("accept", ["end", "last", "predict"])
def test_known_inclusions(accept):
    rng = np.random.default_rng(4)
    for _ in range(60):
        found = decided(random_dfa(rng), accept)
        plain, classes = found.plain.answer, found.classes
        if accept == "end":
            assert not (classes.r_trivial and plain != "in")
            assert not (plain == "in" and classes.r_infinity is False)
            assert not (plain == "in" and classes.star_free is False)
        assert not (plain == "in" and found.periodic_local.answer != "in")
        assert not (found.periodic_local.answer == "out" and plain != "out")


def test_visible_letters_only_help():
    rng = np.random.default_rng(5)
    for _ in range(40):
        dfa = random_dfa(rng, most=6)
        answers = [decided(dfa, accept).plain.answer for accept in ("end", "last", "predict")]
        assert answers == sorted(answers, key=["out", "undecided", "in"].index)


def mutations(certificate):
    """Certificates that claim more than they show."""
    flipped = copy.deepcopy(certificate)
    flipped["answer"] = "out" if certificate["answer"] == "in" else "in"
    yield flipped
    other = copy.deepcopy(certificate)
    other["dfa"]["accepting"] = [not x for x in certificate["dfa"]["accepting"]]
    yield other
    fewer = copy.deepcopy(certificate)
    fewer["parts"] = []
    yield fewer
    part = certificate["parts"][0]
    if "refutation" in part:
        for key, value in (("suffix", []), ("chains", []), ("pair", [0, 0]), ("arrows", [])):
            changed = copy.deepcopy(certificate)
            changed["parts"][0]["refutation"][key] = value
            if changed != certificate:
                yield changed
        moved = copy.deepcopy(certificate)
        moved["parts"][0]["refutation"]["chains"][0]["multiple"] += 1
        yield moved
    else:
        for number, component in enumerate(part["proof"]["components"]):
            changed = copy.deepcopy(certificate)
            changed["parts"][0]["proof"]["components"].pop(number)
            yield changed
            if component["potentials"]:
                flat = copy.deepcopy(certificate)
                body = flat["parts"][0]["proof"]["components"][number]
                body["potentials"] = [[0] * len(body["vertices"])]
                yield flat


@pytest.mark.parametrize(
    "pattern", ["(ab)*", "(ab|bbaa)*", "[012]*02*", "(b*ab*ab*)*", "(ab|aabb)*", "(abab)*"]
)
def test_false_certificates_are_refused(pattern):
    found = decided(compile_regex(pattern))
    for answer in (found.plain, found.periodic_local):
        certificate = answer.certificate()
        check_certificate(certificate)
        for wrong in mutations(certificate):
            with pytest.raises(Refused):
                check_certificate(wrong)


def test_the_suffix_must_tell_states_apart():
    certificate = decided(compile_regex("(ab|aabb)*")).plain.certificate()
    certificate["parts"][0]["refutation"]["suffix"] = [0, 0, 0, 0]
    with pytest.raises(Refused, match="suffix"):
        check_certificate(certificate)


def test_small_budgets_answer_undecided_and_say_what_was_tried():
    dfa = compile_regex("(ab|bba|aabb)*")
    found = decide(dfa, "end", Limits(seconds=None, monoid=3, window=0, vertices=2))
    assert found.plain.answer == "undecided"
    assert "limit" in found.plain.tried
    assert found.plain.to_json()["strength"] == "none"
    assert found.plain.certificate() is None
    assert decide(dfa, "end", Limits(seconds=1e-9)).periodic_local.answer == "undecided"


def test_unknown_conventions_are_refused():
    with pytest.raises(InputError, match="Did you mean 'last'"):
        decide(compile_regex("a"), "lst")


@pytest.mark.slow
def test_a_thousand_random_automata_are_decided():
    rng = np.random.default_rng(0)
    undecided = 0
    for _ in range(1000):
        found = decide(random_dfa(rng), "end", Limits(seconds=2))
        assert found.plain.answer != "undecided"
        undecided += found.periodic_local.answer == "undecided"
        for answer in (found.plain, found.periodic_local):
            if answer.answer != "undecided":
                check_certificate(answer.certificate())
    assert undecided <= 10
