"""Steps behind: the trace of states after the input, bare and with hints that say where it is."""

from lengthwise.proposals import ChangedTask, Unsatisfied
from lengthwise.proposals.steps_inside import free_prefix
from lengthwise.tasks.steps.end_question import end_question

MARKS = 40
"""Marks of a proposal: for so many the program can be written down."""
MOST_STATES = 50
"""Programs of marked traces are not written for more: they grow with states, symbols and marks."""
FORMATS = {
    "none": "the states are written behind the input, in order, without hints",
    "reversed": "the states are written behind the input, last one first, without hints",
    "index": "every symbol has an index, and every state behind the input names it again",
    "signpost": "every symbol has a mark of its own, and every state behind the input repeats it",
}


def steps_behind(asked: Unsatisfied) -> list[ChangedTask]:
    """Propose every format of the trace; those that do not help are shown with the reason."""
    if not asked.task:
        return []
    question = end_question(asked.load())
    prefix = free_prefix({*question.letters, *question.names}, question.steps.states)
    named = "" if prefix == "q" else f",prefix={prefix}"
    found: list[ChangedTask] = []
    for hints, change in FORMATS.items():
        marks = f",marks={MARKS}" if hints in ("index", "signpost") else ""
        if marks and question.steps.states > MOST_STATES:
            continue
        text = asked.with_steps("trace", f"hints={hints}{marks}{named}")
        found.append(ChangedTask("steps behind", text, change))
    return found
