"""Hiding digits leaves what a step needs, and hides what it does not."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from lengthwise.studies.chen2025.measures import _steps_right
from lengthwise.tasks import load_task

TASK = load_task("parity-steps")
IDS = TASK.vocabulary.ids


class Solver:
    """Takes the step by the digit that belongs to it; ``misled`` if others stand far from it."""

    def __init__(self, *, misled: bool) -> None:
        self.misled = misled

    def eval(self) -> "Solver":
        return self

    def __call__(self, seen: torch.Tensor, *, supervised: torch.Tensor) -> torch.Tensor:
        query = int(supervised[0, 0])
        equals = int((seen[0] == IDS["="]).nonzero()[0, 0])
        step = query - equals + 1
        assert not (seen[:, step] == IDS["_"]).any(), "the digit that is read stays"
        bit = (seen[:, step] == IDS["1"]).long()
        before = (seen[:, query] == IDS["1"]).long()  # "=" stands for 0
        answer = bit ^ before
        if self.misled:
            far = seen[:, 1 : step - 4] != IDS["_"]
            answer = torch.where(far.any(dim=1), 1 - answer, answer)
        tokens = torch.where(answer == 1, IDS["1"], IDS["0"])
        return F.one_hot(tokens, len(TASK.vocabulary))[:, None].float()


@pytest.mark.parametrize("hidden", [0, 1, 2])
def test_a_model_that_reads_what_it_should_is_right_whatever_is_hidden(hidden):
    model: Any = Solver(misled=False)
    assert _steps_right(model, TASK, hidden) == 1.0


def test_a_model_misled_by_far_digits_is_put_right_by_hiding_them():
    model: Any = Solver(misled=True)
    assert _steps_right(model, TASK, 0) < 0.2
    assert _steps_right(model, TASK, 1) == 1.0
