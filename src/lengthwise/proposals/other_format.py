"""Another format of the same problem: hints beside symbols, low digits first, one digit a step.

A format is known for what a task asks, not for its name: each is tried on the task's own instances,
and kept if the answers can be read off it.
"""

from lengthwise.proposals import ChangedTask, Unsatisfied
from lengthwise.proposals.steps_behind import MARKS
from lengthwise.tasks.steps.hinted_formats import FORMATS, same_problem


def other_format(asked: Unsatisfied) -> list[ChangedTask]:
    """Propose the formats whose problem is that of the task, on drawn instances."""
    if not asked.task:
        return []
    task = asked.load()
    found = ((form, same_problem(form, task)) for form in FORMATS)
    return [
        ChangedTask("format", f"{name}{',' if ':' in name else ':'}marks={MARKS}", form.change)
        for form, name in found
        if name is not None
    ]
