"""Certificates put together from pieces of others are refused."""

from copy import deepcopy

import pytest

from lengthwise.errors import InputError
from lengthwise.theory.automata.checker import check_certificate
from lengthwise.theory.automata.decide import decide
from lengthwise.theory.automata.dfa import DFA
from lengthwise.theory.automata.regex import compile_regex

PARITY = "(b*ab*a)*b*"


@pytest.mark.parametrize("accept", ["last", "predict"])
@pytest.mark.parametrize("about", ["plain", "periodic_local"])
def test_a_refutation_of_another_language_that_names_no_letter(accept, about):
    def certificate(regex: str):
        return getattr(decide(compile_regex(regex, "ab"), accept), about).certificate()

    forged = deepcopy(certificate(PARITY))
    forged["dfa"], forged["regex"] = certificate("(ab)*")["dfa"], "(ab)*"
    forged["parts"][0]["last"] = []
    with pytest.raises(InputError, match="names no last letter"):
        check_certificate(forged)


def test_a_symbol_that_stands_for_two_edges():
    dfa = DFA("xy", [[2, 1], [2, 1], [0, 3], [0, 3]], 0, [False, True, False, False])
    found = decide(dfa, "last")
    assert found.plain.answer == "out"
    refuted = found.plain.certificate()
    assert refuted is not None
    assert check_certificate(refuted).answer == "out"
    with pytest.raises(InputError, match="twice in the alphabet"):
        check_certificate({**refuted, "alphabet": ["x", "x"]})


def test_a_machine_that_starts_nowhere():
    forged = decide(compile_regex("(ab)*"), "last").plain.certificate()
    assert forged is not None
    forged = deepcopy(forged)
    forged["parts"][0]["machine"]["initial"] = -1
    with pytest.raises(InputError, match="initial state do not fit"):
        check_certificate(forged)
