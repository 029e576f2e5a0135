"""A run so small that tests can repeat it."""

import pytest

from lengthwise.records.spec import RunSpec


@pytest.fixture
def tiny():
    def build(position="ape", task="parity", **training):
        return RunSpec.create(
            task=task,
            position=position,
            model={"layers": 1, "heads": 1, "width": 8, "dropout": 0.1},
            training={"length": (1, 6), "steps": 24, "batch": 8, "evaluate_every": 7, **training},
            evaluation={"lengths": ((7, 10),), "instances": 40},
            seed=3,
        )

    return build
