"""The kept table: found by the language, whole, and every rival in it is one."""

from itertools import product

import pytest

from lengthwise.crasp.facts import size
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.library import load
from lengthwise.crasp.parser import parse
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.length.kept import digest, key_of, look_up, table
from lengthwise.theory.length.shipped import shipped_languages

LANGUAGES = {language.key: language for language in shipped_languages()}
WORDS = 1_500


def test_the_table_is_that_of_what_ships_and_has_its_hash():
    assert digest(table()["entries"]) == table()["digest"]
    assert {entry["key"] for entry in table()["entries"]} == set(LANGUAGES)
    names = {name for language in LANGUAGES.values() for name in language.names}
    assert names == {name for entry in table()["entries"] for name in entry["names"]}


def program(text):
    """A program of the table; one without names is its accepting expression."""
    lines = text.split("; ")
    return parse("\n".join(lines) if "=" in lines[0].split()[1:2] else f"accept = {text}")


def short_words(letters, longest):
    words = [()]
    for n in range(1, longest + 1):
        if len(words) + len(letters) ** n > WORDS:
            break
        words += product(letters, repeat=n)
    return words[1:]


def answers(target, words):
    if isinstance(target, DFA):
        return [target.accepts(word) for word in words]
    return [bool(answer) for answer in accepts(target, words)]


@pytest.mark.parametrize("entry", table()["entries"], ids=lambda entry: entry["names"][0])
def test_every_kept_rival_agrees_and_then_differs(entry):
    target = LANGUAGES[entry["key"]].target
    for item in entry["programs"].values():
        if "outside" in item:
            continue
        if item["program"]:
            own = program(item["program"])
            words = short_words(entry["letters"], 99)
            assert size([own.accept]) == item["size"]
            assert answers(own, words) == answers(target, words)
        rival = item["rival"]
        other = program(rival["program"])
        assert size([other.accept]) == rival["size"] <= (item["size"] or rival["size"])
        words = short_words(entry["letters"], rival["agrees"])
        assert answers(other, words) == answers(target, words)
        word = [tuple(rival["word"])]
        assert answers(other, word) != answers(target, word)
        assert item["low"] == rival["agrees"] + 1
        if item["exact"]:
            assert item["minimal"]
            assert len(rival["word"]) == item["low"]
            assert not item["unresolved_count"]


def test_a_language_is_found_under_any_name_in_its_own_letters():
    known = look_up(compile_regex("(xy)*"), ("x", "y"))
    assert "Tomita 2" in known["names"]
    item = known["programs"]["plain"]
    assert set(item["rival"]["word"]) == {"x", "y"}
    own = program(item["program"])
    words = [tuple(word) for word in ("xy", "xyxy", "yx", "x", "xx")]
    assert answers(own, words) == [True, True, False, False, False]
    assert look_up(compile_regex("(xyx)*"), ("x", "y")) is None
    assert look_up(compile_regex("[a-h]*"), tuple("abcdefgh")) is None


def test_programs_are_known_by_their_automaton_or_by_themselves():
    assert key_of(load("tomita-2"), ("0", "1")) == key_of(compile_regex("(10)*"), ("0", "1"))
    assert look_up(load("majority"), ("a", "b"))["names"] == ["majority"]
