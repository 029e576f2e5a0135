"""Programs as written in the literature, with the sizes of a compiler that merges nothing."""

from lengthwise.crasp import Program, Q, count, false, total, where
from lengthwise.crasp.syntax import Residue


def _count(letter):
    return count(Q[letter])


def _bounded(a, b, depth):
    ca, cb = _count(a), _count(b)
    return (count((ca < cb) | (ca > cb + depth)) == 0) & (ca == cb)


def _subsequence(letters):
    found = Q[letters[0]]
    for letter in letters[1:]:
        found = Q[letter] & (count(found) - where(found, 1, 0) >= 1)
    return count(found) >= 1


def _blocks(letters):
    bad = false
    for place, letter in enumerate(letters[:-1]):
        later = total(_count(other) for other in letters[place + 1 :])
        bad = bad | (Q[letter] & (later >= 1))
    found = count(bad) == 0
    for letter in letters:
        found = found & (_count(letter) >= 1)
    return found


def _equal_blocks():
    a, b, c = map(_count, "abc")
    first = count(Q["a"] & (b + c == 0)) == a
    return first & (count(Q["b"] & (c == 0)) == b) & (a == b) & (b == c)


def _no_000():
    before = count(Q["0"], (1,)) >= 1
    return count(Q["0"] & before & (count(Q["0"], (2,)) >= 1)) == 0


def _abab():
    bad = (Q["a"] & Residue(2, 0)) | (Q["b"] & Residue(2, 1))
    return (count(bad) == 0) & Residue(4, 0)


def _a_d_c():
    d = _count("d")
    return (count((Q["a"] & (d >= 1)) | (Q["c"] & (d == 0))) == 0) & (d == 1)


CASES = {
    # name: (program, layers and width of the unmerged compiler, bits of P1 at N = 8, 16, 32)
    "majority": (Program.of(_count("b") <= _count("a"), alphabet="ab"), (6, 11), (12, 15, 18)),
    "dyck-1": (
        Program.of(
            (count(_count("a") < _count("b")) == 0) & (_count("a") == _count("b")), alphabet="ab"
        ),
        (13, 20),
        (16, 20, 24),
    ),
    "anbncn": (Program.of(_equal_blocks(), alphabet="abc"), (26, 38), (24, 30, 36)),
    "contains-ab": (
        Program.of(count(Q["b"] & (count(Q["a"], (1,)) >= 1)) >= 1, alphabet="ab"),
        (10, 16),
        (9, 11, 13),
    ),
    "(aa)*": (
        Program.of((count(~Q["a"]) == 0) & Residue(2, 0), alphabet="ab"),
        (10, 20),
        (8, 10, 12),
    ),
    "(abab)*": (Program.of(_abab(), alphabet="ab"), (15, 31), (8, 10, 12)),
    "tomita-2": (Program.of(_bounded("1", "0", 1), alphabet="01"), (17, 24), (16, 20, 24)),
    "no-000": (Program.of(_no_000(), alphabet="01"), (15, 23), (11, 13, 15)),
    "tomita-7": (Program.of(~_subsequence("1010"), alphabet="01"), (24, 29), (20, 25, 30)),
    "d-4": (Program.of(_bounded("a", "b", 4), alphabet="ab"), (17, 24), (16, 20, 24)),
    "abcde": (Program.of(_blocks("abcde"), alphabet="abcde"), (37, 46), (28, 35, 42)),
    "ab-d-bc": (Program.of(_a_d_c(), alphabet="abcd"), (20, 29), (12, 15, 18)),
}
PERIODIC = ("(aa)*", "(abab)*")


def program(name):
    return CASES[name][0]
