"""What each encoding costs: the time of a training step against that of NoPE."""

from collections.abc import Iterator

from lengthwise.analysis.cost import step_costs
from lengthwise.bench.measure import Figure
from lengthwise.positions import POSITIONS, example

CEILINGS = {"alibi": 1.35, "t5": 1.35, "rope": 1.35}
"""Largest accepted ratio to NoPE."""


def encodings(rounds: int) -> Iterator[Figure]:
    """Time a step of every encoding in turn; the unit is a step of NoPE."""
    seconds = step_costs([example(name) for name in POSITIONS], rounds=rounds)
    for name, value in seconds.items():
        yield Figure(
            group="encodings",
            name=f"{name}, 4x256, length 150",
            value=value / seconds["nope"],
            unit="NoPE steps",
            at_most=CEILINGS.get(name),
        )
