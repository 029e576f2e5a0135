"""Longer words on which a learned automaton or program is tried: made on purpose, not only drawn.

Random words hardly ever meet the members of a sparse language. So known members are pumped and
put together in many ways until they are long, words are made of parts that repeat, mirror or count
each other, and the user may draw members himself. Edits of all these are near misses.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, permutations, product

import numpy as np

from lengthwise.languages.asked import Asked
from lengthwise.languages.dfa import DFA

LONGEST = 64
"""Most words are at most this long."""
FAR = (100, 200, 400)
"""Some have these lengths."""
POWERS = 120
"""Powers of short pieces are tried up to this length."""
PIECES, EDITS, ROUNDS, BRED = 40, 300, 14, 160


def _pick(items: Sequence[str], rng: "np.random.Generator") -> str:
    return items[int(rng.integers(len(items)))]


def _drawn(letters: Sequence[str], length: int, rng: "np.random.Generator") -> str:
    return "".join(letters[int(i)] for i in rng.integers(len(letters), size=length))


def _mixed(items: Sequence[str], rng: "np.random.Generator") -> list[str]:
    return [items[int(i)] for i in rng.permutation(len(items))]


def tests_of(dfa: DFA, asked: Asked, rng: "np.random.Generator") -> Iterator[list[str]]:
    """Yield batches of words on which to try an automaton: its own, and those for everything."""
    yield list(pumped_words(dfa, rng))
    yield list(words_of(dfa, asked.complete, rng))
    yield from longer_tests(asked, rng)


def longer_tests(asked: Asked, rng: "np.random.Generator") -> Iterator[list[str]]:
    """Yield batches of words, most of them longer than those read completely.

    Members that turn up are bred on, so the caller asks each batch before it takes the next.
    """
    yield list(powers(asked.letters, rng))
    yield list(uniform_words(asked, rng))
    yield list(woven_words(asked.letters, rng))
    yield members_and_edits(asked.drawn_members(drawn_lengths(asked, rng)), asked, rng)
    yield from bred_words(asked, rng)
    longer = [word for word, member in asked.others.items() if member]
    yield edits(longer, asked.letters, EDITS, rng)


def powers(letters: Sequence[str], rng: "np.random.Generator") -> Iterator[str]:
    """Yield every power, up to a length, of pieces of at most three letters."""
    for piece in _pieces(letters, rng):
        yield from (piece * count for count in range(1, POWERS // len(piece) + 1))


def _pieces(letters: Sequence[str], rng: "np.random.Generator") -> list[str]:
    single = list(letters)
    longer = ["".join(p) for n in (2, 3) for p in product(letters[:12], repeat=n)]
    if len(longer) > PIECES:
        longer = _mixed(longer, rng)[:PIECES]
    return [*single, *longer]


def uniform_words(asked: Asked, rng: "np.random.Generator") -> Iterator[str]:
    """Yield words of independent letters, some of them with very uneven shares."""
    low = asked.complete + 1
    lengths = rng.integers(low, max(LONGEST, low + 1), 600).tolist()
    size = len(asked.letters)
    far = [n for n in (*FAR, 2 * low) if n > low for _ in range(20)]
    for number, length in enumerate([*lengths, *far]):
        share = np.full(size, 1 / size) if number % 2 else rng.dirichlet(np.full(size, 0.4))
        yield "".join(asked.letters[c] for c in rng.choice(size, size=length, p=share).tolist())


def pumped_words(dfa: DFA, rng: "np.random.Generator", count: int = 400) -> Iterator[str]:
    """Yield words in which one to three short pieces are repeated more often than there are states.

    Repetitions differ by little, so that counters that should cancel, or nearly, are met.
    """
    states, pieces = min(dfa.states, LONGEST // 2), _pieces(dfa.alphabet, rng)
    for _ in range(count):
        base = int(rng.integers(states + 1, 2 * states + 3))
        counts = base + rng.integers(-1, 2, size=int(rng.integers(2, 4)))
        yield "".join(_pick(pieces, rng) * int(n) for n in counts)


def words_of(dfa: DFA, above: int, rng: "np.random.Generator") -> Iterator[str]:
    """Yield long words that the automaton accepts, such as it rejects, and edits of both."""
    for machine in (dfa, dfa.complement()):
        lengths = [n for n in (*range(above + 1, LONGEST + 1), *FAR) if machine.count_words(n)]
        if lengths:
            chosen = rng.choice(lengths, 200)
            rows = machine.sample(rng, chosen)
            words = [dfa.decode(row[:n]) for row, n in zip(rows, chosen, strict=True)]
            yield from words
            yield from edits(words, dfa.alphabet, 200, rng)


def woven_words(
    letters: Sequence[str], rng: "np.random.Generator", count: int = 900
) -> Iterator[str]:
    """Yield words of two or three parts that depend on each other, perhaps letters between.

    Parts are the first one again, mirrored, sorted, renamed or of the same length.
    """
    for number in range(count):
        used = _some(letters, rng)
        length = 1 + number * (LONGEST // 3) // count
        first = _drawn(used, length, rng)
        parts = [first, *(_kin(first, used, rng) for _ in range(int(rng.integers(1, 3))))]
        between = [""] * (len(parts) - 1)
        if rng.random() < 0.7:
            between = [_pick(letters, rng) for _ in between]
        yield first + "".join(x + y for x, y in zip(between, parts[1:], strict=True))


def _some(letters: Sequence[str], rng: "np.random.Generator") -> list[str]:
    """Choose some of the letters: a language may use the others as marks."""
    size = int(rng.integers(1, len(letters) + 1))
    return _mixed(letters, rng)[:size]


def _kin(word: str, letters: Sequence[str], rng: "np.random.Generator") -> str:
    kind = rng.integers(6)
    if kind <= 1:
        return word
    if kind == 2:
        return word[::-1]
    if kind == 3:
        return "".join(sorted(word, reverse=bool(rng.integers(2))))
    if kind == 4:
        other = dict(zip(letters, _mixed(letters, rng), strict=True))
        return "".join(other[letter] for letter in word)
    return _pick(letters, rng) * len(word)


def bred_words(asked: Asked, rng: "np.random.Generator") -> Iterator[list[str]]:
    """Yield longer and longer words made from known members; those that are members go on.

    Before the first and after every batch the pool is read from what was asked.
    """
    pool = [w for n in range(asked.complete + 1) for w in _few(asked, n, rng)]
    yield [w for word in pool[-6:] for w in stretched(word)]
    for _ in range(ROUNDS):
        longer = [word for word, member in asked.others.items() if member and len(word) <= LONGEST]
        parents = [word for word in pool[-60:] + _mixed(longer, rng)[:60] if word]
        if not parents:
            return
        made = (_breed(parents, asked.letters, rng) for _ in range(3 * BRED))
        yield [word for word in made if asked.complete < len(word) <= 2 * LONGEST][:BRED]
    members = [word for word, member in asked.others.items() if member]
    yield [(first + second)[: 2 * LONGEST] for first, second in _pairs(members, 60, rng)]


def _few(asked: Asked, length: int, rng: "np.random.Generator", most: int = 12) -> list[str]:
    found = np.flatnonzero(asked.tables[length])
    chosen = found if len(found) <= most else rng.choice(found, most, replace=False)
    return [asked.word(length, int(index)) for index in chosen]


def _pairs(
    words: Sequence[str], count: int, rng: "np.random.Generator"
) -> Iterator[tuple[str, str]]:
    if words:
        yield from ((_pick(words, rng), _pick(words, rng)) for _ in range(count))


def stretched(word: str, most: int = 3) -> Iterator[str]:
    """Yield a word with up to three of its letters doubled, in all ways.

    Example:
        >>> list(stretched("ab", 1))
        ['aab', 'abb']
    """
    places = range(min(len(word), 12))
    for number in range(1, most + 1):
        for chosen in combinations(places, number):
            yield "".join(c * (1 + (i in chosen)) for i, c in enumerate(word))


def _breed(parents: Sequence[str], letters: Sequence[str], rng: "np.random.Generator") -> str:
    """Make one word, mostly a longer one, from members."""
    one, two = _pick(parents, rng), _pick(parents, rng)
    kind = int(rng.integers(7))
    if kind == 0:
        return one + two
    if kind == 1:  # a half or a third of one, the rest of the other
        share = (1 / 2, 1 / 3, 2 / 3)[int(rng.integers(3))]
        return one[: round(len(one) * share)] + two[round(len(two) * share) :]
    if kind == 2:  # the middle third of another
        a, b, c, d = len(one) // 3, 2 * len(one) // 3, len(two) // 3, 2 * len(two) // 3
        return one[:a] + two[c:d] + one[b:]
    if kind == 3:  # one inside the other
        place = int(rng.integers(len(one) + 1))
        return one[:place] + two + one[place:]
    if kind == 4:  # every letter a word of its own
        image = {c: _image(c, letters, rng) for c in letters}
        return "".join(image[c] for c in one)
    return _pump(one, rng)


def _image(letter: str, letters: Sequence[str], rng: "np.random.Generator") -> str:
    kind = rng.integers(4)
    if kind == 0:
        return letter
    if kind == 1:
        return letter * int(rng.integers(2, 4))
    return _drawn(letters, int(rng.integers(1, 3)), rng)


def _pump(word: str, rng: "np.random.Generator") -> str:
    """Repeat one to three factors equally often."""
    number, times = int(rng.integers(1, 4)), int(rng.integers(2, 5))
    size = int(rng.integers(1, 1 + max(1, len(word) // 3)))
    places = sorted({int(i) for i in rng.integers(0, len(word), size=number)}, reverse=True)
    for place in places:
        factor = word[place : place + size]
        word = word[:place] + factor * times + word[place + size :]
    return word


def edits(
    words: Sequence[str], letters: Sequence[str], count: int, rng: "np.random.Generator"
) -> list[str]:
    """Return words with one letter changed, removed or added, or two neighbours exchanged."""
    if not words:
        return []
    return [_edit(_pick(words, rng), letters, int(rng.integers(4)), rng) for _ in range(count)]


def _edit(word: str, letters: Sequence[str], kind: int, rng: "np.random.Generator") -> str:
    place = int(rng.integers(max(len(word), 1)))
    if kind == 3:
        pair = word[place : place + 2]
        return word[:place] + pair[::-1] + word[place + 2 :]
    middle = "" if kind == 0 else _pick(letters, rng)
    return word[:place] + middle + word[place + (kind < 2) :]


def drawn_lengths(asked: Asked, rng: "np.random.Generator", count: int = 200) -> list[int]:
    """Return lengths for the user's sampler: short ones, long ones and a few far ones."""
    low = asked.complete + 1
    lengths = rng.integers(low, max(LONGEST, low + 1), count).tolist()
    return [*lengths, *(n for n in FAR if n > low for _ in range(4))]


def members_and_edits(
    members: Iterable[str], asked: Asked, rng: "np.random.Generator"
) -> list[str]:
    """Return drawn members that are longer than what was read completely, and their edits."""
    longer = [word for word in members if len(word) > asked.complete]
    return [*longer, *edits(longer, asked.letters, len(longer), rng)]


GROWN, STEPS = 60, 10


def grown_words(
    asked: Asked, accepted: Callable[[Sequence[str]], np.ndarray], rng: "np.random.Generator"
) -> Iterator[list[str]]:
    """Yield words of few blocks, then members as a guess sees them, grown longer and longer.

    ``accepted`` is the guess that is tried: what it accepts is bred on, so that its own members and
    near misses are met at any length, be they members or not.
    """
    yield block_words(asked.letters, rng)
    pool = [w for n in range(1, asked.complete + 1) for w in _few(asked, n, rng)]
    for step in range(STEPS):
        goal = asked.complete + (step + 1) * 2 * LONGEST // STEPS
        parents = pool[-3 * GROWN :]
        if not parents:
            return
        made = [_breed(parents, asked.letters, rng) for _ in range(6 * GROWN)]
        made += [word * int(rng.integers(2, 4)) for word in parents[-10:]]
        made += ["".join(c * 2 for c in word) for word in parents[-10:]]
        made = [w for w in dict.fromkeys(made) if asked.complete // 2 < len(w) <= goal]
        if not made:
            continue
        kept = [word for word, keep in zip(made, accepted(made), strict=True) if keep]
        kept = sorted(_mixed(kept, rng)[: 2 * GROWN], key=len)
        pool += kept[-GROWN:]
        yield [*kept[-GROWN:], *edits(kept[-GROWN:], asked.letters, 2 * GROWN, rng)]
    last = [word for word in pool[-20:] if word]
    far = [_stretch(word, goal) for word in last for goal in FAR]
    yield [*far, *edits(far, asked.letters, 2 * len(far), rng)]


def _stretch(word: str, goal: int) -> str:
    times = max(1, goal // len(word))
    return word * times if goal % 3 == 0 else "".join(c * times for c in word)


def block_words(letters: Sequence[str], rng: "np.random.Generator", most: int = 1_600) -> list[str]:
    """Return words of a few blocks of one letter each: all small sizes, and some large ones.

    The counts of their letters are all vectors of a box, so that sparse counts are met.
    """
    orders = list(permutations(letters)) if len(letters) <= 4 else [tuple(letters)]
    orders = [orders[0], *(orders[int(i)] for i in rng.permutation(len(orders))[:4])]
    found = [word for order in orders for word in _equal_blocks(order)]
    side = max(2, round(most ** (1 / min(len(letters), 4))))
    for order in orders[:2]:
        boxes = product(range(side), repeat=min(len(order), 4))
        found += [_blocks(order, box) for box in boxes]
    for _ in range(most // 4):
        order = orders[int(rng.integers(len(orders)))]
        base = int(rng.integers(1, 60))
        found.append(_blocks(order, [_near(base, rng) for _ in range(int(rng.integers(2, 5)))]))
    return found


def _blocks(order: Sequence[str], sizes: Sequence[int]) -> str:
    return "".join(order[k % len(order)] * n for k, n in enumerate(sizes))


def _equal_blocks(order: Sequence[str], most: int = 12) -> Iterator[str]:
    """Yield all letters equally often, in order, and with one more of one of them."""
    for size in range(1, most + 1):
        yield _blocks(order, [size] * len(order))
        yield from (
            _blocks(order, [size + (k == j) for k in range(len(order))])
            for j in (0, -1 % len(order))
        )


def _near(base: int, rng: "np.random.Generator") -> int:
    """Return a size that has something to do with another: equal, off by one, a multiple."""
    kind = int(rng.integers(6))
    if kind == 0:
        return int(rng.integers(60))
    factor = (1, 1, 1, 2, 3)[kind - 1]
    return min(120, factor * base + int(rng.integers(-1, 2)) * (kind == 2))
