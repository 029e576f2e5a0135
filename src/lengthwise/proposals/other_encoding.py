"""Another encoding: the same task where its class of programs is what another encoding computes."""

from lengthwise.proposals import ChangedTask, Unsatisfied


def other_encoding(asked: Unsatisfied) -> list[ChangedTask]:
    """Name the encodings with a yes, if some have none; the ideal relation is a kind of its own."""
    known = [v for v in asked.before.verdicts if v.encoding != "ipe"]
    yes = [v.encoding for v in known if v.answer == "yes"]
    no = [v.encoding for v in known if v.answer != "yes"]
    if not yes or not no:
        return []
    change = f"the same task with {' or '.join(yes)} rather than {' or '.join(no)}"
    return [ChangedTask("encoding", asked.before.subject, change, tuple(yes))]
