"""Positions of the task itself: the ideal relation, read off the gates of a circuit."""

from lengthwise.proposals import ChangedTask, Unsatisfied


def ideal_positions(asked: Unsatisfied) -> list[ChangedTask]:
    """Propose the encoding ``ipe`` where the task says by which gates it is computed."""
    if not asked.task or asked.load().circuit is None:
        return []
    change = "the same task with the ideal relation of its gates as encoding (ipe)"
    return [ChangedTask("positions", asked.task, change, ("ipe",))]
