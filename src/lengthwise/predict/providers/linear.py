"""Selection tasks as position-only linear attention: linear representation complexity (LRC)."""

from lengthwise.predict.providers import Context
from lengthwise.predict.types import Evidence
from lengthwise.theory.linear.demonstrations import TARGETS, target
from lengthwise.theory.linear.lrc import lrc_by_scale

TRAIN, TEST = 5, 20


def linear(context: Context) -> list[Evidence]:
    """Say what the theorem about linear attention gives; it is not about transformers."""
    task = context.subject.task
    if task is None or task.name not in TARGETS:
        return []
    by_scale = lrc_by_scale(target(task.name, TEST))
    first, last = int(by_scale[TRAIN - 1]), int(by_scale[TEST - 1])
    what = "some encoding generalizes" if first == last else "no encoding generalizes"
    return [
        Evidence(
            "linear attention",
            f"LRC of {task.name} is {first} at scale {TRAIN} and {last} at scale {TEST}: with "
            f"position-only linear attention {what} (says nothing about transformers)",
            "proof",
            basis="Chen, Liang and Lin 2025, Theorem 2",
            facts={"lrc": [first, last]},
        )
    ]
