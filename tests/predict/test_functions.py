"""Python predicates: learned, guarded against everything they may do, never called proved."""

import pytest

from lengthwise.core.clock import Clock, OutOfTimeError, alarm
from lengthwise.core.errors import InputError
from lengthwise.core.guard import GuardedFunction
from lengthwise.predict import predict

SOURCE = """
import os, sys

def even(word): return word.count("a") % 2 == 0
def more(word): return word.count("a") > word.count("b")
def palindrome(word): return word == word[::-1]
def loops(word):
    while len(word) > 2: pass
    return True
def raises(word): return word[3] == "a"
def crashes(word): os._exit(3)
def chatty(word):
    print("hello", word); sys.stdin.read()
    return len(word) < 2
number = 3
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    return path


def test_a_regular_function_is_learned_and_decided_as_sampled(file):
    found = predict(f"{file}:even", alphabet="ab", encodings=["nope", "ape"], time_limit=30)
    assert [verdict.answer for verdict in found.verdicts] == ["no", "no"]
    assert {item.strength for item in found.evidence if item.claims} == {"sampled"}
    assert "not proved equal" in found.evidence[0].statement


def test_a_counter_is_not_mistaken_for_the_automaton_that_fits_short_words(file):
    found = predict(f"{file}:more", alphabet="ab", encodings=["nope"], time_limit=60)
    assert "fits short words but not" in found.evidence[0].statement
    assert found.evidence[0].claims == {}
    assert found.verdicts[0].answer == "yes"
    assert found.verdicts[0].strength == "sampled"


def test_palindromes_are_out_by_their_rows(file):
    found = predict(f"{file}:palindrome", alphabet="ab", encodings=["ape"], time_limit=60)
    assert found.verdicts[0].answer == "no"
    rows = next(item for item in found.evidence if item.provider == "communication")
    assert rows.certificate is not None
    assert rows.certificate["rows"] == [2**n for n in range(1, 7)]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("loops", "gave no answer within .* on the word 'aaa'"),
        ("raises", "failed on the word '': IndexError"),
        ("crashes", "its process ended on the word ''"),
        ("number", "not a function"),
        ("absent", "unknown name"),
    ],
)
def test_what_functions_do_wrong_is_one_line(file, name, message):
    with pytest.raises(InputError, match=message) as caught:
        predict(f"{file}:{name}", alphabet="ab", time_limit=8)
    assert "\n" not in str(caught.value)


def test_a_function_may_print_and_read_without_harm(file):
    function = GuardedFunction(f"{file}:chatty", Clock(20))
    assert [function(word) for word in ("", "a", "ab")] == [True, True, False]
    function.close()


def test_a_file_that_hangs_when_loaded_is_refused(tmp_path):
    (tmp_path / "hang.py").write_text("while True: pass")
    with pytest.raises(InputError, match="while its file was loaded"):
        predict(f"{tmp_path / 'hang.py'}:f", alphabet="ab", time_limit=4)


def test_a_function_needs_an_alphabet_and_a_file(file):
    with pytest.raises(InputError, match="--alphabet"):
        predict(f"{file}:even")
    with pytest.raises(InputError, match="no such file"):
        predict("absent.py:even", alphabet="ab")


def test_a_task_class_in_a_file_is_a_task(tmp_path):
    (tmp_path / "own.py").write_text(
        "from lengthwise.tasks.algorithmic.parity import Parity\nclass Mine(Parity): pass\n"
    )
    found = predict(f"{tmp_path / 'own.py'}:Mine", encodings=["nope"])
    assert (found.kind, found.verdicts[0].answer) == ("task", "no")


def spin() -> None:
    while True:
        pass


def two_alarms() -> None:
    with alarm(0.2):
        with alarm(30):
            pass
        with alarm(30):
            spin()


def test_an_inner_alarm_keeps_the_outer_one():
    with pytest.raises(OutOfTimeError):
        two_alarms()
