"""What the papers report about a task: cited beside a verdict, never part of it."""

from lengthwise.predict.providers import Context
from lengthwise.predict.types import Evidence
from lengthwise.records.outcomes import cell_outcome
from lengthwise.records.published import reported

NAMES = {"learned": "ape", "rotary": "rope", "t5-bias": "t5"}


def citations(context: Context) -> list[Evidence]:
    """Quote published accuracies; those of Huang et al. have three bins, the last far out."""
    if context.subject.task is None:
        return []

    found: list[Evidence] = []
    for line in reported(context.subject.task.name):
        encoding = NAMES.get(line.encoding, line.encoding)
        shown = " / ".join(f"{value:g}" for value in line.accuracy)
        facts = {"encoding": encoding}
        if len(line.accuracy) == 3 and not line.note:
            facts |= {"outcome": cell_outcome([[value / 100 for value in line.accuracy]])}
        note = f" ({line.note})" if line.note else ""
        found.append(
            Evidence(
                "citations",
                f"{line.paper}: {shown} percent exact match with {encoding}{note}",
                "measured",
                basis="published values",
                facts=facts,
            )
        )
    return found
