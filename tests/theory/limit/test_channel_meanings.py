"""What channels are said to hold is what they hold."""

import numpy as np
import pytest

from lengthwise.crasp import library
from lengthwise.theory.limit.channel_meanings import channel_meanings
from lengthwise.theory.limit.compiler import compile_program

NAMES = ["majority", "dyck-1", "contains-ab", "aa", "generate-majority", "induction-head"]


@pytest.mark.parametrize("clean", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_channels_hold_what_is_said(name, clean):
    program = library.load(name)
    model = compile_program(program, clean=clean)
    stages = channel_meanings(program, model)
    letters = len(model.tokens) - 1
    words = np.random.default_rng(0).integers(1, letters + 1, size=(8, 12))
    tokens = np.concatenate([np.zeros((8, 1), dtype=words.dtype), words], axis=1)
    states = model.activations(tokens)
    assert len(stages) == len(states)
    for names, state in zip(stages, states, strict=True):
        for channel, said in enumerate(names):
            values = state[..., channel].numpy()
            if said == "":
                assert not values.any(), (name, channel)
            if said.startswith("("):  # a Boolean
                assert np.isin(values, [0, 1]).all(), (name, said)
            if said.startswith(("accept", "next", "not ")):
                assert np.isin(values, [-0.5, 0.5]).all(), (name, said)


def test_counts_are_named_by_what_is_counted():
    program = library.load("majority")
    names = channel_meanings(program, compile_program(program))[-1]
    assert any(name.startswith("mean of #") for name in names)
