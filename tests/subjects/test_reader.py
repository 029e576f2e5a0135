"""What a text names: the same in every command, and never a regular expression by accident."""

from contextlib import closing

import pytest

from lengthwise.core.errors import InputError
from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.crasp import library
from lengthwise.crasp.checking import check
from lengthwise.languages.formats import to_json
from lengthwise.languages.regex import compile_regex
from lengthwise.languages.words import Words
from lengthwise.subjects import (
    as_language,
    as_program,
    as_target,
    as_task,
    name_subject,
    read_subject,
)
from lengthwise.subjects.naming import Wanted
from lengthwise.tasks import TASKS, load_task

PYTHON = """
from lengthwise.tasks.algorithmic.parity import Parity
class Mine(Parity): pass
def even(word): return len(word) % 2 == 0
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with one file of each kind."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ab.json").write_text(to_json(compile_regex("(ab)*")))
    (tmp_path / "even.att").write_text("0 1 a\n1 0 a\n0\n")
    (tmp_path / "first.cr").write_text('alphabet "a" "b"\naccept = #"b" == 0\n')
    (tmp_path / "mine.py").write_text(PYTHON)
    (tmp_path / "notes").write_text("(ab)*\n")


NAMED = {
    "(ab)*": "regex",
    "^(ab)*$": "regex",
    "abc": "regex",
    "a|b": "regex",
    "regex:parity": "regex",
    "regex:x.json": "regex",
    "regex:aa": "regex",
    "ab.json": "automaton",
    "even.att": "automaton",
    "automaton:ab.json": "automaton",
    "first.cr": "program",
    "program:first.cr": "program",
    "dyck-1.cr": "program",
    "program:dyck-1": "program",
    "program:aa": "program",
    "contains-ab": "program",
    "bounded-dyck(n=3)": "program",
    "d-5": "program",  # a program for every depth, a task only for some
    "parity": "task",
    "dyck-1": "task",
    "majority:letters=3": "task",
    "task:d-2:supervision=next": "task",
    "dfa:ab.json": "task",
    "task:regex:(ab)*": "task",
    "regex:(ab)*;supervision=state": "task",
    "mine.py:Mine": "task",
    "task:mine.py:Mine": "task",
    "mine.py:even": "function",
}


@pytest.mark.parametrize("text", NAMED)
def test_a_text_is_what_the_rules_say(text):
    alphabet = "ab" if NAMED[text] == "function" else None
    subject = read_subject(text, Limits(30), alphabet=alphabet)
    subject.close()
    assert subject.kind == NAMED[text]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "nothing is named"),
        ("  ", "nothing is named"),
        ("regex:", "names nothing"),
        ("nosuch.json", "nosuch.json: there is no such file; .* regex:nosuch.json"),
        ("nosuch.att", "nosuch.att: there is no such file"),
        ("nosuch.py:f", "nosuch.py: there is no such file; .* regex:nosuch.py:f"),
        ("nosuch.cr", "nosuch.cr: there is no such file, nor such a program"),
        ("dyck1.cr", "Did you mean 'dyck-1'"),
        ("mine.py", "as mine.py:name"),
        ("mine.py:absent", "absent"),
        ("mine.py:even", "--alphabet"),
        ("mine.py:even:size=3", "no options"),
        ("notes", "not a program"),
        ("data.txt", "regex:data.txt"),
        ("runs/abc", "regex:runs/abc"),
        ("paritty", "Did you mean 'parity'.*regex:paritty"),
        ("dyck", "Did you mean 'dyck-1'"),
        ("dyck:n=2", "unknown name 'dyck'.*Did you mean 'dyck-1'"),
        ("zzzz:n=2", "unknown name 'zzzz'"),
        ("parity:size=3", "size"),
        ("aa", "program:aa or regex:aa"),
        ("task:nosuch", "unknown task 'nosuch'"),
        ("program:nosuch", "unknown program 'nosuch'"),
        ("contains-a", "Did you mean 'contains-ab'"),
        ("automaton:(ab)*", "no such file"),
        ("(ab", "column 1"),
    ],
)
def test_what_is_no_subject_is_one_line_that_says_what_to_write(text, message):
    with pytest.raises(InputError, match=message) as caught:
        read_subject(text, Limits(30))
    assert "\n" not in str(caught.value)


def kind_of(name: str, wanted: Wanted) -> str:
    try:
        return name_subject(name, wanted).kind
    except InputError as error:
        return str(error)


def test_no_name_is_ever_an_expression():
    for name in (*TASKS, *library.names()):
        assert kind_of(name, "program") in ("task", "program")
        assert kind_of(name, "task") in ("task", "program")
        told = kind_of(name, "subject")  # a name that is also a word is refused, not guessed
        assert told in ("task", "program") or f"write program:{name} or regex:{name}" in told


@pytest.mark.parametrize("wanted", ["program", "task"])
def test_a_bare_word_is_a_name_where_programs_or_tasks_are_wanted(wanted):
    assert kind_of("abc", "subject") == "regex"
    assert kind_of("abc", wanted).startswith(f"unknown {wanted} 'abc'.")
    assert kind_of("regex:abc", wanted) == kind_of("(abc)", wanted) == "regex"


def test_a_bare_name_is_a_program_where_programs_are_wanted():
    assert kind_of("dyck-1", "program") == "program"
    assert kind_of("dyck-1", "subject") == kind_of("dyck-1", "task") == "task"
    assert kind_of("aa", "program") == "program"
    assert kind_of("parity", "program") == kind_of("task:dyck-1", "program") == "task"
    assert "Did you mean 'dyck-1'" in kind_of("dyck1", "program")


def test_letters_are_used_where_nothing_else_names_them():
    assert read_subject("a*", letters="ab").dfa.alphabet == ("a", "b")
    assert read_subject("a*", letters="ab", alphabet="abc").dfa.alphabet == ("a", "b", "c")
    assert read_subject("ab.json", letters="xyz").dfa.alphabet == ("a", "b")
    with read_function("even", letters="xy") as subject:
        assert subject.letters == ("x", "y")


def read_function(name: str, **options):
    return closing(read_subject(f"mine.py:{name}", Limits(30), **options))


def test_options_that_do_not_apply_are_refused():
    with pytest.raises(InputError, match="parameters"):
        read_subject("(ab)*", parameters="n=3")
    for text in ("ab.json", "first.cr", "parity", "mine.py:Mine"):
        with pytest.raises(InputError, match="leave out --alphabet"):
            read_subject(text, Limits(30), alphabet="ab")
    with pytest.raises(InputError, match="leave out --accept"):
        read_subject("parity", accept="end")


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("d-2", "(a(ab)*b)*"),
        ("first.cr", "a*"),
        ("ab.json", "(ab)*"),
        ("regex:(ab)*;supervision=state", "(ab)*"),
    ],
)
def test_a_subject_as_a_language_has_its_automaton(text, pattern):
    language = as_language(read_subject(text))
    assert language.dfa is not None
    assert language.dfa.equivalent(compile_regex(pattern, language.dfa.alphabet))
    assert language.accept == "last"
    assert as_language(read_subject(text), "end").accept == "end"


def test_a_function_as_a_language_is_marked_as_learned():
    with read_function("even", alphabet="ab") as read:
        language = as_language(read)
    assert language.dfa is not None
    assert language.dfa.states == 2
    assert "learned" in language.about


def test_a_subject_as_a_program_and_a_target():
    for text in ("(ab)*", "ab.json", "d-2", "first.cr"):
        read = read_subject(text)
        program, target = as_program(read), as_target(read)
        assert check(program, target).agrees
    with read_function("even", alphabet="ab") as read:
        target = as_target(read)
        assert target.decide(Words.encode(["ab", "a"], target.letters)).tolist() == [True, False]
    with pytest.raises(InputError, match="there is no program: the answer is 'out'"):
        as_program(read_subject("b*(ab*ab*)*"))
    with pytest.raises(InputError, match="writes"):
        as_target(read_subject("generate-sort"))


def test_a_function_that_takes_too_long_is_one_line(monkeypatch):
    def late(words: list[str]) -> list[bool]:
        raise LimitReachedError("late")

    with read_function("even", alphabet="ab") as read:
        monkeypatch.setattr(read.function, "ask", late)
        with pytest.raises(LimitReachedError, match="late"):
            as_target(read).decide(Words.encode(["ab"], "ab"))


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("parity", "parity"),
        ("task:parity", "parity"),
        ("(ab)*", "regex:(ab)*"),
        ("regex:parity", "regex:parity"),
        ("regex:(ab)*;supervision=state", "regex:(ab)*;supervision=state"),
        ("ab.json", "dfa:ab.json"),
        ("automaton:ab.json", "dfa:ab.json"),
        ("mine.py:Mine", "mine.py:Mine"),
    ],
)
def test_a_text_as_a_task(text, task):
    assert as_task(text) == task
    assert load_task(task).name


def test_what_is_no_task_is_refused():
    for text, message in (("first.cr", "no task"), ("contains-ab", "no task"), ("abba", "unknown")):
        with pytest.raises(InputError, match=message):
            as_task(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("parity-steps", "not about a regular language; `lengthwise predict parity-steps`"),
        ("dyck-1.cr", "counts without bound or is large; `lengthwise predict dyck-1.cr`"),
        ("generate-sort", "writes, .* `lengthwise predict program:generate-sort`"),
    ],
)
def test_what_has_no_regular_language_says_who_judges_it(text, message):
    with pytest.raises(InputError, match=message):
        as_language(read_subject(text), clock=Limits(1))
