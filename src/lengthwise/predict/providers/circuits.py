"""Tasks written as circuits: does their sequential representation complexity grow?"""

from lengthwise.predict.providers import Context
from lengthwise.predict.types import Evidence
from lengthwise.theory.circuits.growth import growth

TRAIN, TEST = 5, 20


def circuits(context: Context) -> list[Evidence]:
    """Return the conjecture's answer for every relation that an encoding can express."""
    task = context.subject.task
    family = None if task is None else task.circuit
    if family is None:
        return []

    found: list[Evidence] = []
    for verdict in growth(family, ["nope", "ape", "rpe", "ipe"], train_scale=TRAIN, scale=TEST):
        first, last = int(verdict.src[TRAIN - 1]), int(verdict.src[TEST - 1])
        grows = "does not grow" if verdict.invariant else f"grows from {first} to {last}"
        apart = "" if verdict.answer != "undecided" else ", but arguments are not told apart"
        claims = {f"src:{verdict.relation}": verdict.answer == "yes"}
        found.append(
            Evidence(
                "circuits",
                f"SRC of {verdict.task} under {verdict.relation} {grows} between scales {TRAIN} "
                f"and {TEST}{apart}",
                "conjecture",
                {} if verdict.answer == "undecided" else claims,
                basis="Chen, Liang and Lin 2025 (conjecture); computable form reconstructed",
                reached=TEST,
                facts={f"src_{verdict.relation}": [first, last]},
            )
        )
    return found
