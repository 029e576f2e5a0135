"""Prefixes that must be told apart: lower bounds on what has to cross a cut, for any predicate.

Two prefixes of one length need different messages if some suffix makes one word a member and the
other not. A *family* names, for every string of bits, a prefix (one of two blocks per bit) and a
suffix (the same string, written by inserting a piece per bit at a fixed place), for example

    bits 0 1 1      prefix a b b      suffix # a b b      for the language w#w

so that all 2^n prefixes of n blocks can be held against each other, and single pairs at any length.
Families are found by trying: cuts of short members, pairs of blocks, places and pieces; powers of a
letter, whose number may point at a place of the prefix; and where no suffix is to be constructed,
random ones.

Exponentially many prefixes for short lengths are not enough: a window of seven letters makes 2^7
rows and then no more, and counts make more rows at first than they can keep up. So pairs at large
lengths must be told apart as well, chosen such that what counts, windows and their products see is
the same: one block changed anywhere, two exchanged, Thue-Morse words against their complements,
with every block in the same surroundings.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

from lengthwise.core.limits import Limits
from lengthwise.languages.asked import Asked

Bits = tuple[int, ...]
Pair = tuple[Bits, Bits]

FORMAT = "lengthwise-fooling-sets"
SIZES = range(1, 8)
"""Numbers of blocks for which all prefixes are held against each other."""
LONG, FAR = 60, 160
"""Numbers of blocks of the pairs that must be told apart."""
MOST = 30_000
"""Candidates that are tried in one round."""
RANDOM = 48
"""Random suffixes, where none are constructed."""


@dataclass(frozen=True)
class Family:
    """A prefix and suffixes for every string of bits.

    ``places`` are where pieces are inserted into ``base``: counted from the left (0, 1, ...), from
    the right (-1 is the end), behind (``>#``) or before (``<#``) the last of a letter. Without
    places suffixes are powers of ``power`` before the base, or random. As many copies of ``lead``
    as there are bits stand before the blocks.
    """

    start: str
    blocks: tuple[str, str]
    base: str = ""
    places: tuple[int | str, ...] = ()
    pieces: tuple[str, str] = ("", "")
    letters: tuple[str, ...] = field(default=(), repr=False)
    power: str = ""
    lead: str = ""

    def prefix(self, bits: Bits) -> str:
        """Return the prefix that the bits name."""
        return self.start + self.lead * len(bits) + "".join(self.blocks[bit] for bit in bits)

    def suffixes(self, bits: Bits) -> list[str]:
        """Return the suffixes that may tell this prefix from another one of its length."""
        size = len(bits) * len(self.blocks[0])
        if self.power:
            return [self.power * times + self.base for times in range(2 * size + 3)]
        if not self.places:
            return random_suffixes(self.letters, size)
        word = self.base
        for bit in bits:
            for place in self.places:
                word = insert(word, place, self.pieces[bit])
        return [word]


def insert(word: str, place: int | str, piece: str) -> str:
    """Insert a piece at a place of a word.

    Example:
        >>> insert("a#b", 1, "x"), insert("a#b", -1, "x"), insert("a#b", ">#", "x")
        ('ax#b', 'a#bx', 'a#xb')
    """
    if isinstance(place, str):
        index = word.rfind(place[1:]) + (place[0] == ">")
    else:
        index = place if place >= 0 else max(0, len(word) + 1 + place)
    return word[:index] + piece + word[index:]


def random_suffixes(letters: Sequence[str], length: int) -> list[str]:
    """Return the same random words of a length each time."""
    rng = np.random.default_rng(length)
    codes = rng.integers(len(letters), size=(RANDOM, length + 1))
    return ["".join(letters[int(c)] for c in row) for row in codes]


def find_family(asked: Asked, seconds: float = 10.0, seed: int = 0) -> Family | None:
    """Return a family whose prefixes are told apart at every length that was tried, or None.

    Example:
        >>> asked = Asked(lambda word: word == word[::-1], "abc")
        >>> asked.read_all(most=200)
        >>> find_family(asked).blocks
        ('a', 'b')
    """
    limits, rng = Limits(seconds), np.random.default_rng(seed)
    for candidates in _rounds(asked, rng):
        if limits.over:
            return None
        alive = list(candidates)
        if len(alive) > MOST:
            alive = [alive[int(i)] for i in sorted(rng.permutation(len(alive))[:MOST])]
        for pair in _easy_pairs():
            alive = _still(asked, alive, pair, limits)
        for family in alive[:20]:
            if all(_apart(asked, family, pair) for pair in hard_pairs(rng)):
                return family
            if limits.over:
                return None
    return None


def _rounds(asked: Asked, rng: np.random.Generator) -> Iterator[Iterator[Family]]:
    """Yield candidates: one place, two places, powers, longer blocks, random suffixes."""
    letters = asked.letters
    starts = list(dict.fromkeys(_starts(asked, rng)))
    pairs = list(combinations(letters, 2))
    pairs = [pairs[int(i)] for i in rng.permutation(len(pairs))[:15]] if len(pairs) > 15 else pairs
    yield (f for s in starts for pair in pairs for f in _one_place(s, pair, letters))
    yield (f for s in starts for pair in pairs for f in _two_places(s, pair))
    few = [(*s, pair) for s in starts[: 1 + len(letters)][:6] for pair in pairs]
    turns = [(power, lead) for power in letters[:8] for lead in ("", *letters[:2])]
    yield (
        Family(start, pair, end, power=power, lead=lead)
        for start, end, pair in few
        for power, lead in turns
    )
    if len(letters) <= 3:
        longer = list(combinations(["".join(p) for p in product(letters, repeat=2)], 2))
        yield (f for s in starts for pair in longer for f in _one_place(s, pair, letters))
    yield (Family(start, pair, letters=letters) for start, _ in starts[:8] for pair in pairs)


def _starts(asked: Asked, rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    """Yield prefixes and suffixes to begin with: nothing, letters, cuts of short members."""
    yield "", ""
    yield from (("", letter) for letter in asked.letters)
    few = 0
    for length in range(1, asked.complete + 1):
        members = np.flatnonzero(asked.tables[length])
        for index in rng.permutation(members)[:3]:
            word = asked.word(length, int(index))
            yield from ((word[:cut], word[cut:]) for cut in range(length + 1))
            few += 1
        if few >= 9:
            return


def _places(base: str, pair: Sequence[str]) -> list[int | str]:
    marks = sorted(set(base) - set("".join(pair)))
    near: list[int | str] = [place for place in (0, 1, 2) if place <= len(base)]
    behind = [place for place in (-1, -2, -3) if -place <= len(base) + 1]
    return [*near, *behind, *(side + mark for mark in marks for side in "<>")]


def _one_place(
    start: tuple[str, str], pair: tuple[str, str], letters: Sequence[str]
) -> Iterator[Family]:
    pieces = [pair, (pair[1], pair[0])]
    size = len(pair[0])
    others = ["".join(p) for p in product(letters[:8], repeat=size)]
    pieces += [p for p in permutations(others, 2) if p not in pieces]
    for place in _places(start[1], pair):
        for piece in pieces:
            yield Family(start[0], pair, start[1], (place,), piece)


def _two_places(start: tuple[str, str], pair: tuple[str, str]) -> Iterator[Family]:
    for places in combinations(_places(start[1], pair), 2):
        yield Family(start[0], pair, start[1], places, pair)


def _easy_pairs() -> list[Pair]:
    """Three pairs that most wrong candidates do not tell apart."""
    return [
        ((0, 1, 1, 0, 1, 0), (1, 1, 1, 0, 1, 0)),
        ((1, 0, 0, 1, 0, 1), (1, 0, 1, 0, 0, 1)),
        ((0, 1, 1, 0, 1, 0, 0, 1, 1), (0, 1, 1, 0, 1, 0, 0, 1, 0)),
    ]


def hard_pairs(rng: np.random.Generator) -> list[Pair]:
    """Return pairs of long strings that agree in what counts, windows and moments see.

    Example:
        >>> one, two = hard_pairs(np.random.default_rng(0))[-1]
        >>> sum(one) == sum(two), one == two
        (True, False)
    """
    found: list[Pair] = []
    for length, number in ((12, 12), (LONG, 10), (FAR, 4)):
        for place in np.linspace(0, length - 1, number).astype(int).tolist():
            bits = _random_bits(length, rng)
            found.append((bits, _with(bits, place, (1 - bits[place],))))
    for _ in range(4):  # two blocks exchanged
        bits = _random_bits(LONG, rng)
        zero, one = (rng.permutation(np.flatnonzero(np.array(bits) == b))[:1] for b in (0, 1))
        if len(zero) and len(one):
            other = _with(_with(bits, int(zero[0]), (1,)), int(one[0]), (0,))
            found.append((bits, other))
    morse = thue_morse(5)
    for word in (morse, thue_morse(4), thue_morse(3)):  # equal moments
        bits = _random_bits(LONG, rng)
        place = int(rng.integers(LONG - len(word)))
        mirrored = tuple(1 - bit for bit in word)
        found.append((_with(bits, place, word), _with(bits, place, mirrored)))
    for _ in range(3):  # the same with every part in the same surroundings
        around, (zero, one) = _random_bits(3, rng), _two_words(3, rng)
        ends = _random_bits(4, rng)
        first, second = (
            (*ends, *(b for bit in thue_morse(3) for b in (*around, *choice[bit])), *around, *ends)
            for choice in ((zero, one), (one, zero))
        )
        found.append((first, second))
    return found


def thue_morse(order: int) -> Bits:
    """Return the Thue-Morse word of length 2^order: equal power sums with its complement."""
    return tuple(n.bit_count() % 2 for n in range(1 << order))


def _random_bits(length: int, rng: np.random.Generator) -> Bits:
    return tuple(rng.integers(2, size=length).tolist())


def _two_words(length: int, rng: np.random.Generator) -> tuple[Bits, Bits]:
    one = _random_bits(length, rng)
    place = int(rng.integers(length))
    return one, _with(one, place, (1 - one[place],))


def _with(bits: Bits, place: int, part: Bits) -> Bits:
    return (*bits[:place], *part, *bits[place + len(part) :])


def _still(asked: Asked, families: Sequence[Family], pair: Pair, limits: Limits) -> list[Family]:
    """Return the families that tell a pair apart, asking for many of them at once."""
    kept: list[Family] = []
    for begin in range(0, len(families), 500):
        if limits.over:
            break
        part = families[begin : begin + 500]
        asked.ask([word for family in part for word in _words(family, pair)])
        kept += [family for family in part if _apart(asked, family, pair)]
    return kept


def _words(family: Family, pair: Pair) -> Iterator[str]:
    ends = dict.fromkeys([*family.suffixes(pair[0]), *family.suffixes(pair[1])])
    for bits in pair:
        prefix = family.prefix(bits)
        yield from (prefix + end for end in ends)


def _apart(asked: Asked, family: Family, pair: Pair) -> bool:
    return telling_suffix(asked, family, pair) is not None


def telling_suffix(asked: Asked, family: Family, pair: Pair) -> str | None:
    """Return a suffix that makes one prefix of a pair a member and the other not."""
    ends = list(dict.fromkeys([*family.suffixes(pair[0]), *family.suffixes(pair[1])]))
    answers = asked.ask([family.prefix(bits) + end for bits in pair for end in ends])
    half = len(ends)
    for end, one, two in zip(ends, answers[:half], answers[half:], strict=True):
        if one != two:
            return end
    return None


def certificate(asked: Asked, family: Family, seed: int = 1) -> dict[str, Any] | None:
    """Return what must be told apart, to be checked by calling the predicate; None if it fails.

    All prefixes of one to seven blocks with suffixes under which their rows differ, and long pairs
    with the suffix that tells them apart.
    """
    sets: list[dict[str, list[str]]] = []
    for size in SIZES:
        names = list(product((0, 1), repeat=size))
        prefixes = [family.prefix(bits) for bits in names]
        ends = list(dict.fromkeys(end for bits in names for end in family.suffixes(bits)))
        rows = _rows(asked, prefixes, ends)
        if len(set(rows)) < len(rows):
            return None
        sets.append({"prefixes": prefixes, "suffixes": ends})
    pairs: list[list[str]] = []
    for pair in hard_pairs(np.random.default_rng(seed)):
        end = telling_suffix(asked, family, pair)
        if end is None:
            return None
        pairs.append([family.prefix(pair[0]), family.prefix(pair[1]), end])
    return {
        "format": FORMAT,
        "version": 1,
        "alphabet": list(asked.letters),
        "sets": sets,
        "pairs": pairs,
    }


def _rows(asked: Asked, prefixes: Sequence[str], ends: Sequence[str]) -> list[tuple[bool, ...]]:
    answers = asked.ask([prefix + end for prefix in prefixes for end in ends])
    size = len(ends)
    return [tuple(answers[k * size : (k + 1) * size]) for k in range(len(prefixes))]
