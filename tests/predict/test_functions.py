"""Python predicates: learned, guarded against everything they may do, never called proved."""

import pytest

from lengthwise.core.errors import InputError
from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.languages.asked import Asked
from lengthwise.predict import predict
from lengthwise.predict.card import explain
from lengthwise.predict.providers import Context
from lengthwise.predict.providers.communication import told_apart
from lengthwise.predict.providers.images import images
from lengthwise.subjects import as_language, read_subject
from lengthwise.subjects.guard import GuardedFunction
from lengthwise.theory.communication.check_fooling import check_fooling

SOURCE = """
import os, sys

def even(word): return word.count("a") % 2 == 0
def more(word): return word.count("a") > word.count("b")
def palindrome(word): return word == word[::-1]
def late(word): return len(word) <= 300 or word.count("a") % 2 == 0
def below_root_two(word): return word.count("b") ** 2 <= 2 * word.count("a") ** 2
def below_seventeen_twelfths(word): return 12 * word.count("b") <= 17 * word.count("a")
def positions(word):
    places = [sum(n for n, c in enumerate(word, 1) if c == letter) for letter in "ab"]
    return places[0] > places[1]
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
    assert "not proved equal" in found.evidence[0].certificate["learned"]
    assert found.evidence[0].certificate["strength"] == "sampled"
    assert found.read.startswith("all words to length ")


def test_a_function_that_changes_late_is_only_known_as_far_as_it_was_read(file):
    """Parity beyond length 300: long words are read too, and it is said how far."""
    found = predict(f"{file}:late", alphabet="ab", encodings=["ape"], time_limit=30)
    assert found.verdicts[0].strength in (None, "sampled")
    assert found.read.endswith("nothing is known beyond")
    assert found.read in explain(found)


def test_a_counter_is_not_mistaken_for_the_automaton_that_fits_short_words(file):
    found = predict(f"{file}:more", alphabet="ab", encodings=["nope"], time_limit=60)
    assert "fits all words to length 8 but not" in found.evidence[0].statement
    assert found.evidence[0].claims == {}
    assert found.verdicts[0].answer == "yes"
    assert found.verdicts[0].strength == "sampled"


def test_palindromes_are_out_by_what_must_be_told_apart(file):
    found = predict(f"{file}:palindrome", alphabet="ab", encodings=["ape"], time_limit=60)
    assert found.verdicts[0].answer == "no"
    rows = next(item for item in found.evidence if item.provider == "communication")
    assert rows.certificate is not None
    sizes = check_fooling(rows.certificate, lambda word: word == word[::-1])
    assert sizes == [2**n for n in range(1, 8)]
    assert found.verdicts[0].label == "sampled"
    assert "told apart, all pairs of: 'aaa', 'aab'" in explain(found)


@pytest.mark.parametrize(
    ("member", "claim"),
    [
        (lambda word: word == word[::-1], "limit"),
        (lambda word: len(word) % 2 == 1 and word[len(word) // 2] == "a", "periodic_local"),
    ],
    ids=["palindromes", "the letter in the middle"],
)
def test_suffixes_of_several_lengths_bound_programs_alone(member, claim):
    """A limit transformer scales its logits by the total length, which such suffixes change."""
    asked = Asked(member, "ab")
    asked.read_all()
    assert [item.claims for item in told_apart(asked, 60)] == [{claim: False}]


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
    function = GuardedFunction(f"{file}:chatty", Limits(20))
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
    with Limits(0.2).alarm("a test"):
        with Limits(30).alarm("a test"):
            pass
        with Limits(30).alarm("a test"):
            spin()


def test_an_inner_alarm_keeps_the_outer_one():
    with pytest.raises(LimitReachedError):
        two_alarms()


WILD = """
import random, re, sys
import numpy as np

calls = 0
def parity(word): return word.count("a") % 2 == 0
def numpys(word): return np.bool_(parity(word))
def numbers(word): return int(parity(word))
def coin(word): return random.random() < 0.5
def slips(word): return parity(word) if random.random() < 0.99 else not parity(word)
def remembers(word):
    global calls
    calls += 1
    return calls % 500 > 0
def by_process(word): return hash(word) % 2 == 0
def match(word): return re.match("a", word)
def two(word): return 2
def array(word): return np.array([True, False])
def exits(word):
    if len(word) == 3: sys.exit()
    return True
def eats(word):
    if len(word) == 3: "a" * (10 << 30)
    return True
def raises_later(word):
    if len(word) > 2: raise KeyError("two\\nlines")
    return True
"""


@pytest.fixture
def wild(tmp_path):
    path = tmp_path / "wild.py"
    path.write_text(WILD)
    return path


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("coin", "changes its mind: '.*' was"),
        ("slips", "changes its mind: '.*' was"),
        ("remembers", "changes its mind: '.*' was"),
        ("by_process", "changes its mind: '.*' was"),
        ("match", "on the word '': it returned None .NoneType.; return True or False"),
        ("two", "on the word '': it returned 2 .int."),
        ("array", "on the word '': it returned array"),
        ("exits", "on the word 'aaa': it ends the program"),
        ("eats", "on the word 'aaa': MemoryError"),
        ("raises_later", r"on the word 'aaa': KeyError: 'two\\nlines'"),
    ],
)
def test_wild_functions_are_refused_with_the_word_by_both_commands(wild, name, message):
    with pytest.raises(InputError, match=message) as caught:
        predict(f"{wild}:{name}", alphabet="ab", time_limit=30)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match=message):
        learned_language(f"{wild}:{name}", "ab", 30)


def test_numbers_and_numpy_are_truth_values(wild):
    for name in ("numpys", "numbers"):
        function = GuardedFunction(f"{wild}:{name}", Limits(20), "ab")
        assert function.ask(["", "a", "aba"]) == [True, False, True]
        function.close()


def test_a_looping_function_does_not_hold_up_decide(file):
    with pytest.raises(InputError, match=r"gave no answer within .* on the word 'aaa'"):
        learned_language(f"{file}:loops", "ab", 6)


def test_an_interrupted_answer_is_never_taken_for_another_one(tmp_path):
    """An alarm that rings while a word is answered must not shift the answers that follow."""
    path = tmp_path / "slow.py"
    path.write_text(
        "import time\ndef f(w):\n    time.sleep(0.3 if w == 'a' else 0)\n    return w == 'a'"
    )
    function = GuardedFunction(f"{path}:f", Limits(20), "ab")

    def interrupted():
        with Limits(0.1).alarm("a test"):
            function("a")

    for _ in range(3):
        with pytest.raises(LimitReachedError):
            interrupted()
        assert function.ask(["b", "bb"]) == [False, False]
    assert function("a") is True
    function.close()


SPARSE = """
import re

def copies(word): return word.count("#") == 1 and word.split("#")[0] == word.split("#")[1]
def long_copies(word): return not word or (copies(word) and len(word) > 13)
def long_copies_members(rng, length):
    half = "".join(rng.choice(["a", "b"], size=max(7, length // 2)))
    return half + "#" + half
def addition(word):
    found = re.fullmatch("([01]+)[+]([01]+)=([01]+)", word)
    return bool(found) and int(found[1], 2) + int(found[2], 2) == int(found[3], 2)
def short_palindromes(word): return len(word) <= 12 and word == word[::-1]
def wrong(word): return word == word[::-1]
def wrong_members(rng, length): return "a" * length + "b"
def strange(word): return word == word[::-1]
def strange_members(rng, length): return "x"
"""


def learned_language(reference, letters, seconds):
    """Read a function as `decide` does."""
    return as_language(read_subject(reference, Limits(seconds), alphabet=letters))


@pytest.mark.parametrize(
    ("name", "refuted"),
    [("below_root_two", True), ("positions", True), ("below_seventeen_twelfths", False)],
)
def test_a_line_of_irrational_slope_needs_more_than_counts(file, name, refuted):
    subject = read_subject(f"{file}:{name}", Limits(120), alphabet="ab")
    subject.function.read_all(most=200)
    found = images(Context(subject, subject.function.clock))
    subject.close()
    assert [item.claims for item in found] == [{"periodic_local": False}] * refuted


@pytest.fixture
def sparse(tmp_path):
    path = tmp_path / "sparse.py"
    path.write_text(SPARSE)
    return path


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("copies", "ab#"),
        ("addition", "01+="),
        ("long_copies", "ab#"),
        ("short_palindromes", "ab"),
    ],
)
def test_no_finite_automaton_speaks_for_a_sparse_language(sparse, name, letters):
    language = learned_language(f"{sparse}:{name}", letters, 20)
    assert language.dfa is None
    assert language.doubt
    found = predict(f"{sparse}:{name}", alphabet=letters, encodings=["nope", "ape"], time_limit=12)
    assert all(verdict.answer != "yes" for verdict in found.verdicts)
    assert all(verdict.label in ("-", "sampled", "conjecture") for verdict in found.verdicts)


def test_the_users_own_members_are_asked_and_checked(sparse):
    function = GuardedFunction(f"{sparse}:long_copies", Limits(20), "ab#")
    assert function.has_sampler
    assert len(function.drawn_members([20, 30])[0]) == 21
    function.close()
    for name, message in (
        ("wrong", "wrong_members drew 'aaab', which is no member"),
        ("strange", "strange_members drew 'x' with 'x', which is not in the alphabet"),
    ):
        function = GuardedFunction(f"{sparse}:{name}", Limits(20), "ab")
        with pytest.raises(InputError, match=message):
            function.drawn_members([3])


def test_finite_languages_are_never_out_above_sampled(sparse):
    found = predict(
        f"{sparse}:short_palindromes", alphabet="ab", encodings=["nope", "ape"], time_limit=20
    )
    assert all(v.answer != "no" or v.strength in ("sampled", "conjecture") for v in found.verdicts)
