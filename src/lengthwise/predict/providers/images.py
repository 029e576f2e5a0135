"""A Python predicate: is something inside it, where letters stand for pieces, not in C-RASP?

C-RASP read behind the word is closed under inverse images and quotients (Yang, Veseli et al. 2026,
Proposition 41); with positions and windows it still is where all pieces have one length (our
derivation). On words start p^n q^t end all counts are Presburger functions of n and t (our
derivation, by counting quantifiers in Presburger arithmetic), so answers along powers become
periodic, and their last change grows at most linearly, by steps that become periodic.
"""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.languages.asked import Asked
from lengthwise.languages.automaton_learning import learn
from lengthwise.languages.class_titles import CLASS_TITLES
from lengthwise.languages.inverse_images import (
    Powers,
    all_powers,
    even_images,
    promising,
    restless,
    starts_and_ends,
)
from lengthwise.languages.unary import STEPS, convex, irregular, period_of, uneven
from lengthwise.predict.providers import Context
from lengthwise.predict.types import Evidence
from lengthwise.theory.decide.decision import decide

MOST_SECONDS, SHARE = 8.0, 0.6
STATES, WORDS = 8, 3_000
POWERS, LONGEST = 90, 1_100
"""Copies that are read of a piece, first and before anything is said."""
SLOPE = 400
"""Copies behind which one change each is followed."""
NAME = "images"
CLOSED = "Yang, Veseli et al. 2026, Proposition 41 (inverse images, quotients)"
OURS = "our derivation, unpublished: images by pieces of one length keep positions and windows"
PRESBURGER = "our derivation, unpublished: counts on powers are Presburger functions"


def images(context: Context) -> list[Evidence]:
    """Refute what is still open for a function; learned from questions, so never above sampled."""
    subject, function = context.subject, context.subject.function
    open_ = {name for name in ("plain", "periodic_local") if not context.settled(name)}
    if function is None or not open_ or function.constant or subject.accept == "predict":
        return []
    limits = context.clock.part(SHARE, MOST_SECONDS)
    return refuted_images(function, open_, limits, bare_end=subject.accept == "end")


def refuted_images(
    asked: Asked, open_: set[str], limits: Limits, *, bare_end: bool
) -> list[Evidence]:
    """Return what refutes the classes that are open; ``bare_end``: read behind the word."""
    search = _Search(asked, set(open_), bare_end, limits)
    with suppress(LimitReachedError), Limits(1.5 * limits.left()).alarm("images"):
        search.run()
    return search.found


@dataclass
class _Search:
    """Looks for images until nothing is open or the time is over."""

    asked: Asked
    open: set[str]
    bare_end: bool
    limits: Limits

    def __post_init__(self) -> None:
        self.found: list[Evidence] = []
        rng = np.random.default_rng(0)
        self._around = starts_and_ends(self.asked, rng, bare_end=self.bare_end)

    def run(self) -> None:
        self._powers()
        self._regular()
        self._last_changes()

    def _late(self) -> bool:
        return not self.open or self.limits.over

    def _claim(self, name: str, statement: str, basis: str) -> None:
        self.open -= {"plain"} if name == "plain" else {"plain", "periodic_local"}
        text = f"{statement}: not in {CLASS_TITLES[name]}"
        self.found.append(Evidence(NAME, text, "sampled", {name: False}, basis=basis))

    def _powers(self) -> None:
        """Read powers of pieces: periodic answers refute plain, irregular ones everything."""
        limits = self.limits.part(1 / 3)
        for powers in all_powers(self.asked, self._around):
            if self._late() or limits.over:
                return
            if not restless(self.asked, powers):
                continue
            period = period_of(self.asked.ask([powers.word(n) for n in range(POWERS)]))
            if period is not None and (period[0] == 1 or "plain" not in self.open):
                continue
            answers = self.asked.ask([powers.word(n) for n in range(LONGEST)])
            shown = f"{_shown(powers)} for n below {LONGEST:,}"
            if period is not None and period_of(answers) == period:
                self._claim("plain", f"answers to {shown} have the period {period[0]}", CLOSED)
            elif period is None and irregular(answers) and "periodic_local" in self.open:
                self._claim("periodic_local", f"answers to {shown} have no period", PRESBURGER)

    def _regular(self) -> None:
        """Learn images that look regular, and decide them."""
        limits = self.limits.part(2 / 3)
        for image in even_images(self.asked, self._around):
            if self._late() or limits.over:
                return
            if not promising(image):
                continue
            left = max(0.2, limits.left() / 4)
            learned = learn(image, max_states=STATES, most_words=WORDS, seconds=left)
            if learned.doubt or learned.dfa is None:
                continue
            decided = decide(learned.dfa, "end", Limits(left))
            what = f"{image.shape} make a regular language of {learned.dfa.states} states, learned"
            if decided.periodic_local.answer == "out" and image.even:
                if "periodic_local" in self.open:
                    self._claim("periodic_local", what, OURS)
            elif decided.plain.answer == "out" and "plain" in self.open:
                self._claim("plain", what, CLOSED)

    def _last_changes(self) -> None:
        """Follow the last change along q^t behind p^n: in C-RASP it grows at most linearly."""
        letters = self.asked.letters[:4]
        pieces = [*letters, *(a + b for a in letters for b in letters if a != b)]
        for start, end in self._around[: 2 * len(letters)]:
            for piece in pieces:
                for last in letters:
                    if self._late() or "periodic_local" not in self.open:
                        return
                    words = f"{start}({piece})^n {last}^t {end}"
                    found = self._growth(start, piece, last, end)
                    if found is not None:
                        shown = ", ".join(map(str, found))
                        text = f"{words} changes last at t = {shown}: more than linear"
                        self._claim("periodic_local", text, PRESBURGER)
                    elif self._steps_are_uneven(start, piece, last, end):
                        text = f"t at which {words} changes grows by steps without a period"
                        self._claim("periodic_local", f"{text}, n below {SLOPE}", PRESBURGER)

    def _growth(self, start: str, piece: str, last: str, end: str) -> list[int] | None:
        """Return where the answer changes last for n = 0, 1, ..., if that is convex."""
        found: list[int] = []
        for number in range(STEPS + 2):
            most = 40 if number < 5 else 4 * max(10, found[-1]) + 40
            powers = Powers(start + piece * number, last, end)
            answers = self.asked.ask([powers.word(t) for t in range(most)])
            changes = np.flatnonzero(np.diff(np.array(answers, dtype=np.int8)))
            found.append(int(changes[-1]) + 1 if len(changes) else 0)
            if number > 3 and found[number] - found[number - 1] <= found[2] - found[1]:
                return None
            if found[-1] > 4_000:
                break
        return found if (len(found) == STEPS + 2 and convex(found[1:])) or convex(found) else None

    def _steps_are_uneven(self, start: str, piece: str, last: str, end: str) -> bool:
        """Whether the answer changes once along q^t behind each p^n, at an irrational slope."""
        every = [Powers(start + piece * n, last, end) for n in range(SLOPE)]
        seen = [self._only_change(every[n], 8 * len(piece) * n + 40) for n in (10, 20, 40)]
        if not 0 <= seen[0] < seen[1] < seen[2]:
            return False
        most = [seen[2] * n // 20 + 40 for n in range(SLOPE)]
        found = self._changes(every, most)
        return uneven(found) and all(
            self._only_change(every[n], most[n]) == found[n] for n in (SLOPE // 2, SLOPE - 1)
        )

    def _only_change(self, powers: Powers, most: int) -> int:
        """Return the last t before the answer changes for good, -1 unless it changes once."""
        answers = self.asked.ask([powers.word(t) for t in range(most)])
        changes = np.flatnonzero(np.diff(np.array(answers, dtype=np.int8)))
        return int(changes[0]) if len(changes) == 1 else -1

    def _changes(self, every: list[Powers], most: list[int]) -> list[int]:
        """Halve the way to a change of all powers at once; nothing if there was no time."""
        low, high = np.zeros(len(every), dtype=int), np.array(most)
        first = self.asked.ask([powers.word(0) for powers in every])
        while (high - low).max() > 1:
            if self._late():
                return []
            middle = (low + high) // 2
            words = [powers.word(int(t)) for powers, t in zip(every, middle, strict=True)]
            same = np.array(self.asked.ask(words)) == np.array(first)
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        return low.tolist()


def _shown(powers: Powers) -> str:
    return f"{powers.start!r} + {powers.piece!r}^n + {powers.end!r}"
