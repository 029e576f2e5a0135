"""Certificates put together from pieces of others are refused."""

import json
from copy import deepcopy

import pytest

from lengthwise.core.errors import InputError
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide.certificate_files import verify_file
from lengthwise.theory.decide.check_certificate import Refused, check_certificate
from lengthwise.theory.decide.decision import decide

PARITY = "(b*ab*a)*b*"


@pytest.mark.parametrize("accept", ["last", "predict"])
@pytest.mark.parametrize("about", ["plain", "periodic_local"])
def test_a_refutation_of_another_language_that_names_no_letter(accept, about):
    def certificate(regex: str):
        return getattr(decide(compile_regex(regex, "ab"), accept), about).certificate()

    forged = deepcopy(certificate(PARITY))
    forged["dfa"], forged["regex"] = certificate("(ab)*")["dfa"], "(ab)*"
    forged["parts"][0]["last"] = []
    with pytest.raises(Refused, match="names no last letter"):
        check_certificate(forged)


def test_a_symbol_that_stands_for_two_edges():
    dfa = DFA("xy", [[2, 1], [2, 1], [0, 3], [0, 3]], 0, [False, True, False, False])
    found = decide(dfa, "last")
    assert found.plain.answer == "out"
    refuted = found.plain.certificate()
    assert refuted is not None
    assert check_certificate(refuted).answer == "out"
    with pytest.raises(Refused, match="a symbol stands twice"):
        check_certificate({**refuted, "alphabet": ["x", "x"]})


def test_a_machine_that_starts_nowhere():
    forged = decide(compile_regex("(ab)*"), "last").plain.certificate()
    assert forged is not None
    forged = deepcopy(forged)
    forged["parts"][0]["machine"]["initial"] = -1
    with pytest.raises(Refused, match="initial state is -1"):
        check_certificate(forged)


@pytest.mark.parametrize("accept", ["last", "end"])
def test_a_program_of_another_language_is_refused(tmp_path, accept):
    def certificate(regex: str):
        return decide(compile_regex(regex, "ab"), accept).plain.certificate()

    path, true = tmp_path / "c.json", certificate("a*")
    path.write_text(json.dumps(true))
    assert "words of every length" in verify_file(path)[0]["program"]
    path.write_text(json.dumps({**true, "program": certificate("b*")["program"]}))
    with pytest.raises(InputError, match="program, against the automaton, differs"):
        verify_file(path)
    path.write_text(json.dumps({**true, "program": "accept = "}))
    with pytest.raises(InputError, match="certificate 1"):
        verify_file(path)


def test_a_certificate_need_not_hold_a_program(tmp_path):
    found = decide(compile_regex(PARITY, "ab")).plain.certificate()
    (tmp_path / "c.json").write_text(json.dumps(found))
    assert verify_file(tmp_path / "c.json")[0]["program"] == "none"
