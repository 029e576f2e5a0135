"""The seventeen languages and their labels, supervisions, lengths and refusals."""

import json
import re

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.languages.formats import to_json
from lengthwise.tasks import load_task
from lengthwise.tasks.batch import IGNORE
from lengthwise.tasks.formal.lengths import (
    LANGUAGES,
    length_ranges,
    published_windows,
    windows,
)
from tests.tasks.chi import is_uniform


def odd_run_then_odd_run(word: str) -> bool:
    """Tomita-3's complement, by looking at every pair of maximal runs."""
    runs = re.findall(r"0+|1+", word)
    return any(
        runs[i][0] == "1" and len(runs[i]) % 2 and runs[j][0] == "0" and len(runs[j]) % 2
        for i in range(len(runs))
        for j in range(i + 1, len(runs))
    )


def in_tomita3(word: str) -> bool:
    """The authors' automaton, run by hand: a new odd run of 1s opens the question again."""
    table = {0: (0, 1), 1: (3, 0), 2: (3, 1), 3: (2, 4), 4: (4, 4)}
    state = 0
    for symbol in word:
        state = table[state][int(symbol)]
    return state in (0, 1, 2)


def depth(word: str) -> int:
    return word.count("a") - word.count("b")


def allowed(member_prefix):
    """One letter per symbol 0, 1: may it follow, given a test of prefixes."""
    return lambda u: "".join("y" if member_prefix(u + s) else "n" for s in "01")


def bounded(n):
    def label(u: str) -> str:
        return "10" if depth(u) == 0 else "01" if depth(u) == n else "11"

    return label


def last_other(u: str) -> str:
    return "e" if u.endswith("2") and u.rstrip("2").endswith("0") else "c"


LABELS = {
    # name: (pattern of members, label of a prefix)
    "aa-star": ("(aa)*", lambda u: "1" if len(u) % 2 == 0 else "0"),
    "aaaa-star": ("(aaaa)*", lambda u: "1" if len(u) % 4 == 0 else "0"),
    "abab-star": ("(abab)*", lambda u: "1" if re.fullmatch("(abab)*", u) else "0"),
    "tomita-1": ("1*", lambda u: "ny"),
    "tomita-2": ("(10)*", lambda u: "yn" if u.endswith("1") else "ny"),
    "tomita-3": (None, allowed(in_tomita3)),
    "tomita-4": ("(?!.*000)[01]*", allowed(lambda u: "000" not in u)),
    "tomita-5": (
        None,
        lambda u: "y" if u.count("0") % 2 == 0 and u.count("1") % 2 == 0 else "n",
    ),
    "tomita-6": (None, lambda u: "y" if (u.count("0") - u.count("1")) % 3 == 0 else "n"),
    "tomita-7": ("0*1*0*1*", allowed(lambda u: re.fullmatch("0*1*0*1*", u) is not None)),
    "d-2": (None, bounded(2)),
    "d-3": (None, bounded(3)),
    "d-4": (None, bounded(4)),
    "d-12": (None, bounded(12)),
    "abcde": ("a+b+c+d+e+", lambda u: "BCDET"["abcde".index(u[-1])]),
    "ab-d-bc": ("[ab]*d[bc]*", lambda u: "0110" if "d" in u else "1101"),
    "zero-twos": ("[012]*02*", last_other),
}
CLASSES = {"tomita-1": 1, "tomita-3": 3, "abcde": 5, "d-2": 3, "d-3": 3, "d-4": 3, "d-12": 3}


def words_and_labels(task, batch):
    symbols = task.vocabulary.text
    for tokens, targets, length in zip(batch.tokens, batch.targets, batch.length, strict=True):
        word = "".join(symbols(t) for t in tokens[1 : length + 1])
        yield word, [symbols(t) for t in targets[1 : length + 1]]


def test_every_language_has_a_reference():
    assert set(LABELS) == set(LANGUAGES)
    assert len(LANGUAGES) == 17


@pytest.mark.parametrize("name", LANGUAGES)
def test_words_and_labels_of_1000_instances(name):
    task = load_task(name)
    low, high = windows(name).train
    batch = task.draw(np.random.default_rng(0), low, min(high, 60), 1000)
    pattern, label = LABELS[name]
    assert (batch.targets[:, 0] == IGNORE).all()
    for word, labels in words_and_labels(task, batch):
        if pattern:
            assert re.fullmatch(pattern, word)
        assert task.automaton.accepts(word)
        assert labels == [label(word[: t + 1]) for t in range(len(word))]


@pytest.mark.parametrize("name", LANGUAGES)
def test_number_of_classes_is_that_of_the_table(name):
    assert len(load_task(name).labels[0]) == CLASSES.get(name, 2)


@pytest.mark.parametrize("name", ["d-2", "d-3", "d-4", "d-12"])
def test_bounded_brackets(name):
    task = load_task(name)
    limit = int(name[2:])
    batch = task.draw(np.random.default_rng(0), 2, 80, 300)
    reached = 0
    for word, _ in words_and_labels(task, batch):
        depths = [depth(word[:t]) for t in range(len(word) + 1)]
        assert min(depths) == depths[-1] == 0
        assert max(depths) <= limit
        reached = max(reached, *depths)
    assert reached == limit


def test_tomita_3_differs_from_the_naive_reading_only_as_the_automaton_says():
    """Words without an odd run of 1s before an odd run of 0s are all accepted."""
    task = load_task("tomita-3")
    for number in range(2**11):
        word = f"{number:011b}"
        assert task.automaton.accepts(word) == in_tomita3(word)
        if not odd_run_then_odd_run(word):
            assert in_tomita3(word)


def test_a_file_is_the_same_language_as_its_expression(tmp_path):
    task = load_task("regex:(ab|ba)*")
    file = tmp_path / "same.json"
    file.write_text(to_json(task.automaton))
    other = load_task(f"dfa:{file}")
    assert other.automaton.equivalent(task.automaton)
    drawn = [t.draw(np.random.default_rng(0), 2, 20, 30).tokens for t in (task, other)]
    assert np.array_equal(*drawn)


def test_labels_are_one_global_map():
    """The token of a label does not depend on which labels occur in a word."""
    task = load_task("tomita-7")
    short = task.sample(np.random.default_rng(0), np.array([1, 2, 3]))
    names = {task.vocabulary.text(t) for t in short.targets[short.targets != IGNORE]}
    assert names <= {"yy", "ny"}
    assert task.vocabulary.symbols == ("0", "1", "yy", "ny")


def test_uniform_suffix_of_zero_twos():
    task = load_task("zero-twos")
    batch = task.sample(np.random.default_rng(0), np.full(8000, 20))
    runs = [len(word) - len(word.rstrip("2")) for word, _ in words_and_labels(task, batch)]
    assert is_uniform(runs, range(20))
    uniform = load_task("zero-twos:long_suffix=false")
    batch = uniform.sample(np.random.default_rng(0), np.full(2000, 20))
    runs = [len(word) - len(word.rstrip("2")) for word, _ in words_and_labels(uniform, batch)]
    assert abs(np.mean(runs) - 0.5) < 0.1


# ---- supervisions ------------------------------------------------------------------------


def brute_next(pattern: str, alphabet: str, prefix: str, reach: int = 6) -> str:
    """List what may follow by trying all continuations up to a few symbols."""
    level, found = [prefix], set()
    for _ in range(reach):
        level = [w + s for w in level for s in alphabet]
        found |= {w[len(prefix)] for w in level if re.fullmatch(pattern, w)}
    ends = ["$"] if re.fullmatch(pattern, prefix) else []
    return "{" + ",".join(sorted(found) + ends) + "}"


@pytest.mark.parametrize("pattern", ["(ab)*", "a(ba|b)*b", "(aab|b)*"])
def test_next_symbols(pattern):
    task = load_task(f"regex:{pattern}")
    batch = task.draw(np.random.default_rng(0), 1, 9, 60)
    for word, labels in words_and_labels(task, batch):
        assert labels == [brute_next(pattern, "ab", word[: t + 1]) for t in range(len(word))]


def test_member_and_state_on_all_words():
    pattern = "(ab|bba)*"
    member = load_task(f"regex:{pattern};supervision=member,words=all")
    batch = member.draw(np.random.default_rng(0), 1, 12, 200)
    for word, labels in words_and_labels(member, batch):
        for t, label in enumerate(labels):
            assert (label == "in") == bool(re.fullmatch(pattern, word[: t + 1]))
    state = load_task(f"regex:{pattern};supervision=state,words=all")
    batch = state.draw(np.random.default_rng(0), 1, 12, 200)
    for word, labels in words_and_labels(state, batch):
        here = state.automaton.initial
        for symbol, label in zip(word, labels, strict=True):
            here = state.automaton.step(here, state.automaton.encode(symbol))
            assert label == f"q{here}"


@pytest.mark.parametrize("pattern", ["(ab|ba)*", "a*b", "(a|b)*", "(aa)*"])
def test_recognition(pattern):
    task = load_task(f"regex:{pattern};supervision=recognition")
    batch = task.draw(np.random.default_rng(0), 0, 14, 1000)
    seen = {"accept": 0, "reject": 0}
    for line, length in zip(task.render(batch), batch.length, strict=True):
        word, answer = line.removeprefix("<bos>").split("<sep>")
        word = word.replace(" ", "")
        assert len(word) == length
        verdict = answer.split()[1]
        assert (verdict == "accept") == bool(re.fullmatch(pattern, word))
        seen[verdict] += 1
    if pattern == "(ab|ba)*":
        both = batch.length % 2 == 0
        accepted = (batch.targets == task.vocabulary.ids["accept"]).any(axis=1)
        assert 0.42 < accepted[both & (batch.length > 0)].mean() < 0.58
    assert seen["accept"] > 100


def test_half_of_the_rejected_words_are_near_misses():
    task = load_task("regex:(ab)*;supervision=recognition")
    batch = task.sample(np.random.default_rng(0), np.full(4000, 20))
    rejected = (batch.targets == task.vocabulary.ids["reject"]).any(axis=1)
    words = batch.tokens[rejected, 1:21]
    off = (words != np.tile([0, 1], 10)).sum(axis=1)
    assert 0.4 < (off <= 2).mean() < 0.6


def test_supervisions_share_their_words():
    """Any regular language takes every supervision."""
    for name in ("tomita-4", "d-3", "depth-hierarchy", "regex:(ab)*"):
        for kind in ("next", "member", "state", "recognition"):
            joint = ";" if ":" in name else ":"
            task = load_task(f"{name}{joint}supervision={kind}")
            batch = task.draw(np.random.default_rng(0), 4, 12, 20)
            assert batch.supervised.any(axis=1).all()


def test_depth_hierarchy():
    task = load_task("depth-hierarchy:blocks=4")
    batch = task.draw(np.random.default_rng(0), 4, 40, 200)
    for word, labels in words_and_labels(task, batch):
        assert re.fullmatch("a+b+a+b+", word)
        assert labels == [
            "1" if re.fullmatch("a+b+a+b+", word[: t + 1]) else "0" for t in range(len(word))
        ]
    with pytest.raises(InputError, match="lengths that exist: 4, 5"):
        task.draw(np.random.default_rng(0), 1, 3, 1)


# ---- windows -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", LANGUAGES)
def test_windows(name):
    ranges = windows(name)
    edges = [edge for window in ranges.bins for edge in window]
    assert edges == sorted(set(edges))
    assert ranges.train == ranges.bins[0]
    for low, high in (ranges.train, *windows(name, faithful=True).bins):
        assert len(load_task(name).possible_lengths(low, high))


def test_faithful_windows_overlap_as_published():
    assert windows("tomita-4", faithful=True).bins[1] == windows("tomita-4", faithful=True).bins[2]
    assert windows("ab-d-bc", faithful=True).bins[2] == (5, 149)
    with pytest.raises(InputError, match="Did you mean"):
        windows("tomita-8")


# ---- refusals ----------------------------------------------------------------------------


def test_lengths_without_words():
    task = load_task("regex:(ab)*")
    with pytest.raises(InputError, match="no words of length 3:3; lengths that exist: 2, 4, 6"):
        task.draw(np.random.default_rng(0), 3, 3, 1)
    with pytest.raises(InputError, match="no words of length 5"):
        task.sample(np.random.default_rng(0), np.array([4, 5]))
    with pytest.raises(InputError, match="lengths that exist: 4"):
        load_task("regex:abab").draw(np.random.default_rng(0), 50, 60, 1)


def test_bad_languages(tmp_path):
    for text in ("regex:", "regex", "regex:(ab", "dfa:nowhere.json", "dfa"):
        with pytest.raises(InputError):
            load_task(text)
    file = tmp_path / "empty.json"
    data = {
        "alphabet": ["a", "b"],
        "transitions": {"0": {"a": 0, "b": 0}},
        "initial": 0,
        "accepting": [],
    }
    file.write_text(json.dumps(data))
    with pytest.raises(InputError, match="the language is empty"):
        load_task(f"dfa:{file}")
    file.write_text("{")
    with pytest.raises(InputError, match="JSON"):
        load_task(f"dfa:{file}")


def test_alphabet_clash(tmp_path):
    file = tmp_path / "clash.json"
    data = {
        "alphabet": ["q0", "b"],
        "transitions": {"0": {"q0": 0, "b": 0}},
        "initial": 0,
        "accepting": [0],
    }
    file.write_text(json.dumps(data))
    with pytest.raises(InputError, match="'q0' is also the name of a label"):
        load_task(f"dfa:{file};supervision=state")
    task = load_task(f"dfa:{file};supervision=next")
    assert task.draw(np.random.default_rng(0), 3, 3, 2).length.tolist() == [3, 3]
    with pytest.raises(InputError, match="not in the alphabet"):
        load_task("regex:(ab)*;alphabet=a")


def test_published_labels_only_where_there_are_some():
    with pytest.raises(InputError, match="supervision=published"):
        load_task("regex:(ab)*;supervision=published")
    with pytest.raises(InputError, match="words=all"):
        load_task("tomita-4:words=all")
    with pytest.raises(InputError, match="depth=0"):
        load_task("bounded-dyck:depth=0")


def test_published_windows_by_the_name_of_a_task():
    assert published_windows("d-2:supervision=next") == windows("d-2", faithful=True)
    with pytest.raises(InputError, match="no published windows"):
        published_windows("majority")


def test_ranges_of_lengths_as_text():
    rows = length_ranges(load_task("d-4"))
    assert [row["for"] for row in rows] == ["train", "bin 1", "bin 2", "bin 3"]
    assert rows[2] == {"for": "bin 2", "disjoint": "101:200", "published": "98:200"}
    split = length_ranges(load_task("lego-text"))
    assert split == [{"for": "train", "lengths": "4:8"}, {"for": "test", "lengths": "9:16"}]
    assert length_ranges(load_task("parity")) == []
