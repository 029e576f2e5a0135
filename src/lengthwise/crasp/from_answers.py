"""A counting program from the answers of a predicate, by fitting and trying in turns.

1. A bank of words is chosen among those that were asked: all short ones, longer members, words
   that hardly miss them.
2. A decision list over thresholds of counts is fitted to it (:mod:`.decision_list`), with few
   kinds of terms first (:mod:`.terms`).
3. The program is compared with every answer that is known, then with longer words made for it:
   members pumped and put together as long as the program accepts them, their near misses, and
   words at the edge of its inequalities. Words that it gets wrong join the bank.

A program that survives is *sampled*: it agrees with everything that was read, and nothing is known
beyond.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from lengthwise.core.limits import Limits
from lengthwise.crasp.bank import Bank
from lengthwise.crasp.decision_list import ListFit
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.learning import name_parts
from lengthwise.crasp.program import Program
from lengthwise.crasp.simplify import simplify
from lengthwise.crasp.syntax import Bool
from lengthwise.crasp.terms import Terms
from lengthwise.languages.asked import Asked
from lengthwise.languages.convention import Accept
from lengthwise.languages.longer import block_words, grown_words, longer_tests
from lengthwise.languages.words import Words, words_of_length

SHORT, MEMBERS, LONGER, LONGEST = 1_200, 160, 70, 48
"""Words of the first bank: how many short ones, table members, longer ones, and how long."""
ROUNDS = 6
"""Attempts per tier, each with the words that the last one got wrong."""
WRONG = 16
"""Wrong words that join the bank at once."""
LEAST_LONG = 30
"""Longer members, and longer words outside, on which a program must have been right."""
CHUNK = 8_192

TIERS: dict[str, tuple[str, ...]] = {
    "letters": (),
    "order": ("order",),
    "factors": ("factors",),
    "neighbours": ("neighbours",),
    "places": ("places",),
    "cases": ("order", "factors"),
    "everything": ("order", "neighbours", "places"),
}
"""Tiers -> kinds of terms beside letters."""
MANY = ("cases", "everything")
"""Tiers in which more cases are told apart."""
FEW_TESTS, MORE_TESTS = 5, 10
SCHEDULE = [
    *((tier, FEW_TESTS) for tier in ("letters", "order", "factors", "neighbours", "places")),
    *((tier, MORE_TESTS) for tier in ("letters", "order", "cases")),
    *((tier, MORE_TESTS) for tier in ("neighbours", "places", "everything")),
]
"""What is tried in turn: few conditions first, then more, and plain programs before others."""


@dataclass(frozen=True)
class Fitted:
    """A program that agrees with all answers, or why there is none."""

    program: Program | None
    doubt: str = ""
    longer: int = 0
    """How many longer members the program was right on."""
    longest: int = 0


def program_from_answers(
    asked: Asked, accept: Accept = "last", *, seconds: float = 15.0, seed: int = 0
) -> Fitted:
    """Return a program that agrees with everything asked, and with longer words made for it.

    Example:
        >>> asked = Asked(lambda word: 2 * word.count("a") == 3 * word.count("b"), "ab")
        >>> asked.read_all(most=3000)
        >>> program_from_answers(asked).program.accept
        2 * #"a" == 3 * #"b"
    """
    limits, rng = Limits(seconds), np.random.default_rng(seed)
    asked.ask(block_words(asked.letters, rng))
    if asked.constant:
        return Fitted(None, "all words that were read have the same answer")
    words = _first_words(asked, rng)
    doubt = "no program of a few conditions on counts fits"
    for turn, (tier, most) in enumerate(SCHEDULE):
        share = limits.part(1 / (len(SCHEDULE) - turn))
        for attempt in range(ROUNDS):
            if share.over:
                break
            program = _fit(tier, most, asked, words, accept, share)
            if program is None:
                break
            wrong = contradictions(program, asked, accept, WRONG)
            if not wrong:
                wrong, seen = _try_longer(program, asked, accept, limits, seed + attempt)
                if not wrong:
                    return seen
            doubt = f"a program that fits short words fails on {wrong[0][:60]!r}"
            words += wrong
    return Fitted(None, doubt)


def _first_words(asked: Asked, rng: np.random.Generator) -> list[str]:
    """Choose what to fit: all short words, members and others of all lengths that were read."""
    size, chosen, short = len(asked.letters), [], 0
    while short < asked.complete and sum(size**n for n in range(short + 2)) <= SHORT:
        short += 1
    chosen += [asked.word(short, index) for index in range(size**short)]
    for label in (True, False):
        for length in range(short + 1, asked.complete + 1):
            rows = np.flatnonzero(asked.tables[length] == label)
            share = max(4, MEMBERS // max(1, asked.complete - short))
            chosen += [asked.word(length, int(i)) for i in rng.permutation(rows)[:share]]
        longer = [w for w, answer in asked.others.items() if answer == label and len(w) <= LONGEST]
        chosen += [longer[int(i)] for i in rng.permutation(len(longer))[:LONGER]]
    return [word for word in chosen if word]


def _fit(
    tier: str, most: int, asked: Asked, words: Sequence[str], accept: Accept, limits: Limits
) -> Program | None:
    """ListFit a decision list over the terms up to a tier."""
    codes = {letter: code for code, letter in enumerate(asked.letters)}
    bank = Bank.build(asked.letters, (tuple(codes[c] for c in word) for word in words))
    texts = ["".join(asked.letters[c] for c in word) for word in bank.words]
    labels = np.array(asked.ask(texts))
    terms = Terms(bank, sees_last=accept == "last")
    terms.letters()
    for kind in TIERS[tier]:
        getattr(terms, kind)()
    masks = terms.masks(many=tier in MANY)
    found = ListFit(terms.quantities, labels, [mask for _, mask in masks], limits).run(most)
    if found is None:
        return None
    return _program(found.written(terms.quantities, [where for where, _ in masks]), asked)


def _program(root: Bool, asked: Asked) -> Program:
    program = name_parts(simplify(Program.of(root)).accept)
    return program.replace(alphabet=asked.letters, empty=asked(""))


def contradictions(
    program: Program, asked: Asked, accept: Accept = "last", most: int = 1
) -> list[str]:
    """Return words that were asked and that the program gets wrong, at most so many."""
    found: list[str] = []
    longer = sorted(asked.others, key=len)
    for words, answers in _known(asked, longer):
        wrong = np.flatnonzero(np.asarray(accepts(program, words, accept=accept)) != answers)
        found += ["".join(words.word(int(i))) for i in wrong[: most - len(found)]]
        if len(found) >= most:
            break
    return found


def _known(asked: Asked, longer: Sequence[str]) -> Iterator[tuple[Words, np.ndarray]]:
    """Yield what was asked, in batches: short words, some longer ones, then all of the tables."""
    for start in range(0, len(longer), 500):
        part = longer[start : start + 500]
        answers = np.array([asked.others[word] for word in part], dtype=bool)
        yield Words.encode(part, asked.letters), answers
    for length in range(1, asked.complete + 1):
        start = 0
        for words in words_of_length(asked.letters, length, CHUNK):
            yield words, asked.tables[length][start : start + words.count]
            start += words.count


def _try_longer(
    program: Program, asked: Asked, accept: Accept, limits: Limits, seed: int
) -> tuple[list[str], Fitted]:
    """Ask longer words made for a program; return those that it gets wrong, or what it passed."""
    rng = np.random.default_rng(seed + 1_000)

    def judged(words: Sequence[str]) -> np.ndarray:
        return np.asarray(accepts(program, Words.encode(words, asked.letters), accept=accept))

    members: list[str] = []
    outside = 0
    for batch in chain(grown_words(asked, judged, rng), longer_tests(asked, rng)):
        if limits.over:
            return [], Fitted(None, "there was no time to try a program on longer words")
        words = [word for word in dict.fromkeys(batch) if word]
        if not words:
            continue
        answers, own = np.array(asked.ask(words)), judged(words)
        wrong = np.flatnonzero(answers != own)
        if len(wrong):
            return [words[int(i)] for i in wrong[:WRONG]], Fitted(None)
        far = [w for w, a in zip(words, answers, strict=True) if a and len(w) > asked.complete]
        members += far
        outside += sum(len(w) > asked.complete for w in words) - len(far)
    if min(len(members), outside) < LEAST_LONG:
        kind = "members" if len(members) < outside else "words outside"
        return [], Fitted(None, f"a program fits, but hardly any longer {kind} are known")
    return [], Fitted(program, "", len(members), max(map(len, members)))
