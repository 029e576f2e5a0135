"""Fooling sets: found where much must cross a cut, silent where little does, checked by calling."""

import hashlib
import re
from itertools import pairwise, product

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.languages.asked import Asked
from lengthwise.theory.communication.check_fooling import check_fooling
from lengthwise.theory.communication.fooling import (
    Family,
    certificate,
    find_family,
    hard_pairs,
    insert,
    thue_morse,
)


def copies(word):
    return word.count("#") == 1 and word.split("#")[0] == word.split("#")[1]


def halves(word):
    half = len(word) // 2
    return len(word) % 2 == 0 and word[:half] == word[half:]


def nested(word):
    stack = []
    for letter in word:
        if letter in "([":
            stack.append(letter)
        elif not stack or stack.pop() + letter not in ("()", "[]"):
            return False
    return not stack


def balanced(word, pair="()"):
    depth = 0
    for letter in word:
        depth += (letter == pair[0]) - (letter == pair[1])
        if depth < 0:
            return False
    return depth == 0


def adds(word):
    found = re.fullmatch(r"([01]+)\+([01]+)=([01]+)", word)
    return bool(found) and int(found[1], 2) + int(found[2], 2) == int(found[3], 2)


def parts(word, agree):
    return word.count("#") == 1 and agree(*word.split("#"))


def shuffled(word):
    return all(balanced([c for c in word if c in pair], pair) for pair in ("()", "[]"))


def pointed(word):
    """Whether as many letters before the last c's as there are of them stands an a."""
    before = word.rstrip("c")
    back = len(word) - len(before)
    return 0 < back <= len(before) and before[-back] == "a"


MUCH = {
    "the letter in the middle": ("ab", lambda w: len(w) % 2 == 1 and w[len(w) // 2] == "a"),
    "the letter pointed at": ("abc", pointed),
    "w#w": ("ab#", copies),
    "ww, three letters": ("abc", halves),
    "palindromes, three letters": ("abc", lambda w: w == w[::-1]),
    "Dyck-2": ("()[]", nested),
    "addition": ("01+=", adds),
    "w#w#w": ("ab#", lambda w: w.count("#") == 2 and len(set(w.split("#"))) == 1),
    "substring": ("ab#", lambda w: parts(w, lambda x, y: y in x)),
    "noise": ("ab", lambda w: hashlib.md5(w.encode()).digest()[0] % 2 == 0),
}


@pytest.mark.parametrize("name", MUCH)
def test_much_must_cross_and_the_certificate_says_what(name):
    letters, member = MUCH[name]
    asked = Asked(member, letters)
    asked.read_all(most=6_000)
    family = find_family(asked, seconds=60)
    assert family is not None
    found = certificate(asked, family)
    assert found is not None
    assert check_fooling(found, member) == [2, 4, 8, 16, 32, 64, 128]


def bigrams(x, y):
    return sorted(pairwise(x)) == sorted(pairwise(y))


def places(word):
    return sum(i for i, c in enumerate(word) if c == "a")


LITTLE = {
    "a*b*a*": ("ab", lambda w: bool(re.fullmatch("a*b*a*", w))),
    "as many b behind as a before": (
        "abc",
        lambda w: w.rstrip("b").count("a") == len(w) - len(w.rstrip("b")),
    ),
    "majority": ("ab", lambda w: w.count("a") > w.count("b")),
    "parity": ("ab", lambda w: w.count("a") % 2 == 0),
    "equal counts": ("abc", lambda w: w.count("a") == w.count("b") == w.count("c")),
    "counts in order": ("abc", lambda w: w == "".join(c * (len(w) // 3) for c in "abc")),
    "Dyck-1": ("()", balanced),
    "two Dyck-1 shuffled": ("()[]", shuffled),
    "palindromes to length 12": ("ab", lambda w: len(w) <= 12 and w == w[::-1]),
    "the first eight are the last eight": ("ab", lambda w: len(w) > 8 and w[:8] == w[-8:]),
    "equal counts of neighbours": ("ab#", lambda w: parts(w, bigrams)),
    "equal sums of places": ("ab#", lambda w: parts(w, lambda x, y: places(x) == places(y))),
    "one letter": ("a", lambda w: len(w) % 3 == 0),
}


@pytest.mark.parametrize("name", LITTLE)
def test_little_that_crosses_is_never_called_much(name):
    letters, member = LITTLE[name]
    asked = Asked(member, letters)
    asked.read_all(most=3_000)
    assert find_family(asked, seconds=6) is None


def test_a_certificate_is_refused_when_anything_in_it_is_wrong():
    asked = Asked(copies, "ab#")
    asked.read_all(most=3_000)
    family = find_family(asked)
    assert family is not None
    good = certificate(asked, family)
    assert good is not None

    def broken(change):
        sets = [{name: list(words) for name, words in item.items()} for item in good["sets"]]
        pairs = [list(pair) for pair in good["pairs"]]
        change(sets, pairs)
        return {**good, "sets": sets, "pairs": pairs}

    for change, message in (
        (lambda sets, pairs: sets[2]["prefixes"].__setitem__(0, "bbb"), "set 3: 'bbb' and 'bbb'"),
        (lambda sets, pairs: sets[1]["prefixes"].append("a"), "set 2: its prefixes have different"),
        (lambda sets, pairs: sets[1]["suffixes"].append("a" * 13), "set 2: its suffixes are much"),
        (lambda sets, pairs: sets[3].update(suffixes=["#aaaa"]), "set 4: .* are not told apart"),
        (lambda sets, pairs: sets.__delitem__(slice(0, 3)), "there are 4 sets"),
        (lambda sets, pairs: sets.insert(3, sets[2]), "no such growth"),
        (lambda sets, pairs: pairs[0].__setitem__(2, "#"), "are not told apart by '#'"),
        (lambda sets, pairs: pairs[0].__setitem__(0, "a"), "are not told apart by"),
        (lambda sets, pairs: pairs.__delitem__(slice(2, None)), "no pair has 100 letters"),
    ):
        with pytest.raises(InputError, match=message):
            check_fooling(broken(change), copies)
    with pytest.raises(InputError, match="not told apart"):
        check_fooling(good, lambda word: word.count("a") % 2 == 0)


def test_suffixes_follow_the_bits():
    family = Family("", ("a", "b"), "##", (-1, "<#"), ("a", "b"))
    for bits in product((0, 1), repeat=4):
        word = "".join("ab"[bit] for bit in bits)
        assert family.prefix(bits) + family.suffixes(bits)[0] == f"{word}#{word}#"[:-1] + "#" + word
    assert insert("", -3, "x") == "x"


def test_thue_morse_words_have_equal_moments():
    word = thue_morse(4)
    for power in range(4):
        sums = [sum(n**power for n, bit in enumerate(word) if bit == side) for side in (0, 1)]
        assert sums[0] == sums[1]


def test_hard_pairs_have_equal_lengths_and_differ():
    pairs = hard_pairs(np.random.default_rng(3))
    assert all(len(one) == len(two) and one != two for one, two in pairs)
    assert max(len(one) for one, _ in pairs) >= 100
    equal = [(one, two) for one, two in pairs if sum(one) == sum(two)]
    assert len(equal) >= 8
