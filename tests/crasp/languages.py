"""What each program of the library should accept, written without C-RASP, and how far to check."""

import re
from itertools import product

from lengthwise.crasp.library import load


def regex(pattern):
    compiled = re.compile(pattern)
    return lambda word: compiled.fullmatch(word) is not None


def balanced(word, opening="(", closing=")", deepest=None):
    depth = 0
    for letter in word:
        depth += (letter == opening) - (letter == closing)
        if depth < 0 or (deepest is not None and depth > deepest):
            return False
    return depth == 0


def equal_blocks(letters):
    def member(word):
        n, rest = divmod(len(word), len(letters))
        return rest == 0 and word == "".join(letter * n for letter in letters)

    return member


def subsequence(pattern):
    def member(word):
        rest = iter(word)
        return all(letter in rest for letter in pattern)

    return member


# name -> (member, length to which all words are compared)
RECOGNISERS = {
    "majority": (lambda w: w.count("a") > w.count("b"), 12),
    "majority-weak": (lambda w: w.count("a") >= w.count("b"), 12),
    "dyck-1": (balanced, 12),
    "d-1": (lambda w: balanced(w, "a", "b", 1), 12),
    "d-2": (lambda w: balanced(w, "a", "b", 2), 12),
    "d-3": (lambda w: balanced(w, "a", "b", 3), 12),
    "d-4": (lambda w: balanced(w, "a", "b", 4), 12),
    "bounded-dyck": (lambda w: balanced(w, "a", "b", 2), 12),
    "an-bn": (equal_blocks("ab"), 12),
    "an-bn-cn": (equal_blocks("abc"), 9),
    "an-bn-cn-dn": (equal_blocks("abcd"), 8),
    "contains-ab": (regex("[abc]*ab[abc]*"), 9),
    "aa": (regex("(aa)*"), 12),
    "aaaa": (regex("(aaaa)*"), 12),
    "abab": (regex("(abab)*"), 12),
    "aa-or-b": (regex("(aa|b)*"), 12),
    "ab-or-bbaa": (regex("(ab|bbaa)*"), 14),
    "tomita-1": (regex("1*"), 12),
    "tomita-2": (regex("(10)*"), 12),
    "tomita-4": (lambda w: "000" not in w, 12),
    "tomita-7": (regex("0*1*0*1*"), 12),
    "subsequence-aba": (subsequence("aba"), 12),
    "abcde": (regex("aa*bb*cc*dd*ee*"), 7),
    "ab-d-bc": (regex("[ab]*d[bc]*"), 7),
    "copy-4": (lambda w: len(w) == 8 and w[:4] == w[4:], 12),
}


def all_strings(letters, longest):
    for length in range(longest + 1):
        yield from map("".join, product(letters, repeat=length))


def program(name):
    return load(name)
