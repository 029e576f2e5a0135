"""Programs that write, learned from a task's instances: next tokens by rules over counts and terms.

Short instances are fitted, others of the same lengths refute and are fitted too; what is left must
answer every held-back instance, up to more than three times as long, drawn as the task draws and
drawn to be rare (:mod:`lengthwise.predict.skewed`). Nothing is known beyond what was drawn.
"""

from dataclasses import dataclass
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits
from lengthwise.crasp.program import Program
from lengthwise.crasp.writing.examples import AskedTexts
from lengthwise.crasp.writing.program_search import LARGEST, Written, write_program
from lengthwise.predict.classes import inside, of_fragment
from lengthwise.predict.instances import draw_examples
from lengthwise.predict.program_facts import program_facts
from lengthwise.predict.providers import Context
from lengthwise.predict.providers.known import small_alphabet
from lengthwise.predict.types import Evidence
from lengthwise.tasks.following import mistakes

MOST_SECONDS, LATE_SECONDS = 13.0, 5.0
"""Time for the search, where nothing is known and where a program is."""
SHORT, ROUNDS = 8, 6
LONG, FAR = 60, 240
CLASSES = {
    "plain": {"local": False, "periodic": False},
    "local": {"local": True, "periodic": False},
    "periodic": {"local": False, "periodic": True},
    "periodic_local": {"local": True, "periodic": True},
}
"""Which conditions a program of a class may use."""


@dataclass(frozen=True)
class Lengths:
    """Lengths that are fitted, and those that are held back."""

    first: int
    fitted: int
    longest: int


def written(context: Context) -> list[Evidence]:
    """Return one piece of evidence for each class in which a program was learned."""
    task = context.subject.task
    if task is None or task.answers is not None or all(map(context.settled, CLASSES)):
        return []
    task, note = small_alphabet(task)
    if len(task.vocabulary.symbols) > LARGEST:
        return []
    most = LATE_SECONDS if context.settled("periodic_local") else MOST_SECONDS
    search = WriterSearch(task, context.clock.part(1 / 2, most))
    found: list[Evidence] = []
    for name, allowed in CLASSES.items():
        if context.settled(name) or any(name in inside(group) for group in _groups(found)):
            continue
        program = search.run(**allowed)
        if program is not None:
            found.append(_evidence(program, search, note))
    return found


def learn_writer(
    task: Any, limits: Limits, *, local: bool = True, periodic: bool = True
) -> "tuple[Written | None, WriterSearch]":
    """Learn a program that writes what a task asks for, in the smallest class that is allowed.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> found, search = learn_writer(load_task("binary-majority"), Limits(20.0))
        >>> found.rules[-1], search.lengths.longest
        ('write <eos>', 60)
    """
    search = WriterSearch(task, limits)
    for allowed in CLASSES.values():
        if (allowed["local"] and not local) or (allowed["periodic"] and not periodic):
            continue
        found = search.run(**allowed)
        if found is not None:
            return found, search
    return None, search


def _groups(found: list[Evidence]) -> list[str]:
    return [group for item in found for group in item.claims]


class WriterSearch:
    """The instances of one task, and the programs that fit them."""

    def __init__(self, task: Any, clock: Limits) -> None:
        self._task, self._clock = task, clock
        self._order = (*task.vocabulary.symbols, "<sep>", "<eos>")
        self._held: AskedTexts | None = None
        self.lengths = plan(task)
        self.fitted = self._draw(self.lengths.first, self.lengths.fitted, 300, 1)
        self.unique = self.fitted.contradiction() is None
        self.tried = 0

    def _draw(self, low: int, high: int, count: int, seed: int) -> AskedTexts:
        return draw_examples(self._task, low, high, count, seed)

    def held_back(self) -> AskedTexts:
        """Return the long instances, drawn once."""
        if self._held is None:
            first, long = self.lengths.fitted + 1, self.lengths.longest
            if first > long:
                return AskedTexts([], [])
            self._held = self._draw(first, long, 300, 2)
            if self._task.longest is None:
                self._held = self._held.joined(self._draw(long + 1, FAR, 28, 4))
        return self._held

    def sentence(self) -> str:
        """Say what was fitted and what was held back."""
        lengths = self.lengths
        longest = lengths.longest if self._task.longest is not None else FAR
        return (
            f"learned from {len(self.fitted.texts)} instances of length {lengths.first} to "
            f"{lengths.fitted} writes the answers of all {len(self.held_back().texts)} others to "
            f"length {longest}, rare ones among them"
        )

    def run(self, *, local: bool, periodic: bool) -> Written | None:
        """Learn a program of one class that answers the held-back instances."""
        if not self.unique:
            return None
        for round_ in range(ROUNDS):
            if self._clock.over:
                return None
            found = write_program(
                self.fitted,
                self._order,
                local=local,
                periodic=periodic,
                limits=self._clock.part(1 / 3),
            )
            if found is None:
                return None
            fresh = self._draw(self.lengths.first, self.lengths.fitted, 200, 10 + round_)
            wrong = failed(found.program, fresh)
            if wrong:
                self.fitted = self.fitted.joined(fresh.chosen(wrong[:60]))
            elif not failed(found.program, self.held_back()):
                return found
            elif not self._extend():
                return None
        return None

    def _extend(self) -> bool:
        """Fit longer instances too, once; what is held back stays three times as long."""
        lengths = self.lengths
        if lengths.fitted >= lengths.longest // 3:
            return False
        self.lengths = Lengths(lengths.first, lengths.longest // 3, lengths.longest)
        more = self._draw(lengths.fitted + 1, self.lengths.fitted, 300, 3)
        self.fitted, self._held = self.fitted.joined(more), None
        self.unique = self.fitted.contradiction() is None
        return self.unique


def failed(program: Program, examples: AskedTexts) -> list[int]:
    """Return the texts that a program gets wrong; all, if it does not know their symbols."""
    if not examples.texts:
        return []
    return mistakes(program, examples)


def plan(task: Any) -> Lengths:
    """Choose what is fitted and what is held back: at least three times as long."""
    possible = task.possible_lengths(task.min_length, FAR).tolist()
    if not possible:
        raise InputError(f"task {task.name!r} has no instances of length {task.min_length}:{FAR}.")
    longest = min(possible[-1], LONG)
    short = max(possible[min(2, len(possible) - 1)], min(SHORT, longest // 3))
    return Lengths(possible[0], short, longest)


def _evidence(found: Written, search: WriterSearch, note: str) -> Evidence:
    facts = program_facts(found.program)
    rules = "; else ".join(found.rules)
    shown = str(found.program)
    return Evidence(
        "written program",
        f"a {facts['fragment']} program of depth {facts['depth']} ({rules[:400]}) "
        f"{search.sentence()}{note}; nothing is known beyond",
        "sampled",
        {of_fragment(facts["fragment"]): True},
        basis="rules found by search; checked on drawn instances, not proved",
        facts=facts,
        certificate={"program": shown if len(shown) < 20_000 else shown[:20_000] + "\n..."},
    )
