"""Digit-by-digit tasks: worked examples, integer arithmetic, and the relation."""

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.tasks import load_task

NAMES = [
    "copy-steps",
    "shift-steps",
    "shift-steps:drop_first=true",
    "parity-steps",
    "addition-steps",
    "multiplication-steps",
    "division-steps",
    "select-first",
    "select-middle",
    "select-last",
]


def value(digits: str, low_first: bool) -> int:
    digits = digits.replace("_", "")
    return int(digits[::-1] if low_first else digits)


def expected(name: str, question: str, scale: int) -> str:
    """Return the answer (without the end mark) for the text in front of ``=``."""
    text = question.replace(" ", "")
    text = text.removeprefix("<")
    if "addition" in name:
        a, b = (value(side, True) for side in text.split("+"))
        return str(a + b).zfill(scale + 1)[::-1]
    if "multiplication" in name:
        b, a = text.split("*")
        return str(int(b) * value(a, True)).zfill(scale + 1)[::-1]
    if "division" in name:
        a, b = text.split("/")
        return str(value(a, False) // int(b)).zfill(scale)
    x = text.replace("_", "")
    if "parity" in name:
        return "".join(str(x[: t + 1].count("1") % 2) for t in range(len(x)))
    if "drop_first" in name:
        return x[1:]
    if "shift" in name:
        return x[1:] + x[0]
    if "first" in name:
        return x[0]
    if "middle" in name:
        return x[(len(x) + 1) // 2 - 1]
    return x[-1] if "last" in name else x


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layout", ["aligned", "unaligned"])
def test_answers_of_1000_instances(name, layout):
    if name.startswith("select"):
        text = name
    else:
        text = f"{name}{',' if ':' in name else ':'}layout={layout}"
    task = load_task(text)
    batch = task.draw(np.random.default_rng(0), 1, 20, 1000)
    for line, scale in zip(task.render(batch), batch.length, strict=True):
        question, answer = (part.strip() for part in line.split("->"))
        assert question.endswith("=")
        wanted = expected(name, question.removesuffix("="), int(scale))
        end = "" if name.startswith("select") else ">"
        assert answer.replace(" ", "") == wanted + end


@pytest.mark.parametrize("name", [n for n in NAMES if "select" not in n and "drop" not in n])
def test_zero_layout(name):
    task = load_task(f"{name}:layout=zero,reference=9")
    batch = task.draw(np.random.default_rng(0), 1, 9, 300)
    for line in task.render(batch):
        question, answer = (part.strip() for part in line.split("->"))
        if "shift" not in name:
            assert answer.replace(" ", "") == expected(name, question.removesuffix("="), 9)
        assert ">" not in answer
    assert len({int(s) for s in batch.size}) == 1


@pytest.mark.parametrize("name", NAMES)
def test_the_relation_shows_the_arguments(name):
    """Keys with a positive value suffice to compute the next token of each step."""
    task = load_task(name)
    scale = 4
    gates = task.circuit.gates(scale)
    for gate in gates:
        keys = np.arange(1, gate.query + 1)
        values = task.relation(gate.query, keys, scale)
        for slot, position in enumerate(gate.arguments, 1):
            if position is not None:
                assert values[position - 1] >= slot
    batch = task.sample(np.random.default_rng(0), np.full(5, scale))
    asked = np.flatnonzero(batch.supervised[0]) + 1
    assert asked.tolist() == [gate.query for gate in gates]


def test_lengths_stop_at_the_reference():
    task = load_task("addition-steps:reference=8")
    assert task.possible_lengths(1, 30).tolist() == list(range(1, 9))
    with pytest.raises(InputError, match="no instances"):
        task.draw(np.random.default_rng(0), 9, 12, 1)
    wide = load_task("addition-steps:layout=unaligned")
    assert wide.draw(np.random.default_rng(0), 30, 30, 2).length.tolist() == [30, 30]
    with pytest.raises(InputError, match="layout"):
        load_task("copy-steps:layout=sideways")
    with pytest.raises(InputError, match="reference"):
        load_task("copy-steps:reference=0")
