"""Steps inside: the state after every symbol, after every few, as much as suffices, or changes."""

from itertools import combinations

from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits
from lengthwise.languages.window_answers import window_answers
from lengthwise.proposals import ChangedTask, Unsatisfied
from lengthwise.tasks import load_task
from lengthwise.tasks.steps.end_question import EndQuestion, end_question
from lengthwise.tasks.steps.interleaved_steps import StepsInside

EVERY = (1, 2, 3)
MOST_RULES = 4_000
"""A program with more is not written; steps must come more often then."""
MOST_JOINED = 12
"""States of automata for which as little as suffices is looked for."""
JOIN_SECONDS = 3.0


def steps_inside(asked: Unsatisfied) -> list[ChangedTask]:
    """Propose steps where an automaton is known; what fails to be a task raises ``InputError``."""
    if not asked.task:
        return []
    question = end_question(asked.load())
    states, letters = question.steps.states, len(question.letters)
    prefix = free_prefix({*question.letters, *question.names}, states)
    named = "" if prefix == "q" else f",prefix={prefix}"
    found: list[ChangedTask] = []
    for every in EVERY:
        if states * letters**every > MOST_RULES and every > 1:
            break
        often = "every symbol" if every == 1 else f"every {every} symbols"
        text = asked.with_steps("steps", f"every={every}{named}")
        found.append(ChangedTask("steps inside", text, f"the state is written after {often}"))
    text = asked.with_steps("steps", f"every=1,write=change{named}")
    change = "after every symbol it is written how the state changed: counts of changes say it"
    found.append(ChangedTask("steps inside", text, f"{change}, without positions too"))
    joined = least_states(asked.with_steps("steps", f"every=1{named}"), states)
    if joined is not None:
        text, kept = joined
        change = f"as much of the state as suffices, {kept} symbols instead of {states}"
        found.append(ChangedTask("steps inside", text, f"{change}, is written after every symbol"))
    return found + _without_neutral(asked, question, named)


def _without_neutral(asked: Unsatisfied, question: EndQuestion, named: str) -> list[ChangedTask]:
    """Leave out symbols that change no state: the bare question, and one with steps."""
    letters = question.neutral
    if not letters or len(letters) == len(question.letters) or set("".join(letters)) & set(" ,;="):
        return []
    drop = ("" if all(len(letter) == 1 for letter in letters) else " ").join(letters)
    change = f"{' '.join(letters)} changes nothing and is left out of the input"
    steps = f"{change}; the state is written after every other symbol"
    return [
        ChangedTask("format", asked.with_steps("steps", f"every=0,drop={drop}"), change),
        ChangedTask("format", asked.with_steps("steps", f"every=1,drop={drop}{named}"), steps),
    ]


def free_prefix(taken: set[str], states: int) -> str:
    """Return a name of states that clashes with no symbol.

    Example:
        >>> free_prefix({"q0", "a"}, 2)
        'state'
    """
    for prefix in ("q", "state", "s-", "state-of-"):
        if not taken & {f"{prefix}{state}" for state in range(states)}:
            return prefix
    raise InputError("steps: every name for states is a symbol of the task; use prefix=... .")


def least_states(text: str, states: int) -> tuple[str, int] | None:
    """Join states, pair by pair, as long as the last symbols still give every step away."""
    if not 2 < states <= MOST_JOINED:
        return None
    clock = Limits(JOIN_SECONDS)
    groups = [[state] for state in range(states)]
    for one, two in combinations(range(states), 2):
        if clock.over:
            break
        first, second = (next(g for g in groups if s in g) for s in (one, two))
        if first is second:
            continue
        tried = [g for g in groups if g is not first and g is not second] + [[*first, *second]]
        if _suffices(_named(text, tried)):
            groups = tried
    return (_named(text, groups), len(groups)) if len(groups) < states else None


def _named(text: str, groups: list[list[int]]) -> str:
    several = sorted(sorted(group) for group in groups if len(group) > 1)
    return f"{text},joined={'-'.join('.'.join(map(str, group)) for group in several)}"


def _suffices(text: str) -> bool:
    task = load_task(text)
    assert isinstance(task, StepsInside)
    return window_answers(task.answers, widest=2 * task.every + 1) is not None
