import pytest

from lengthwise.core.errors import InputError
from lengthwise.languages.words import Words
from lengthwise.subjects.targets import read_target


def test_targets_from_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def even(word):\n    return len(word) % 2 == 0\n")
    (tmp_path / "p.cr").write_text("x = pos % 2 == 0\n")
    words = Words.encode(["", "a", "aa"], "a")
    assert read_target("mine.py:even", "a").decide(words).tolist() == [True, False, True]
    assert read_target("p.cr", "a").decide(words).tolist() == [False, False, True]
    assert read_target("(aa)*", "a").decide(words).tolist() == [True, False, True]
    assert read_target("aa-star", "a").automaton is not None
    assert read_target("tomita-1", "").letters == ("0", "1")
    majority = read_target("program:majority", "ab")
    assert majority.decide(Words.encode(["aab", "ab"], "ab")).tolist() == [True, False]
    for bad in ("mine.py:none", "other.py:f", "gone.cr", "mine.py", "(a"):
        with pytest.raises(InputError):
            read_target(bad, "a")
    with pytest.raises(InputError, match="not about a language"):
        read_target("sort", "")
