"""A task restricted to a regular family of prompts: what fails there fails on the whole task.

A restriction is a machine that answers on its prompts and leaves all others free. A program for the
task would be a program for the restriction, so a refutation of the restriction refutes the task.
The refutation is the published pumping argument (Yang, Veseli et al. 2026, Appendix J) with a
suffix after which both words are prompts of the family: our derivation, unpublished.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from lengthwise.core.budget import Budget
from lengthwise.languages.machine import FREE, Machine, Part
from lengthwise.predict.instances import Text, draw
from lengthwise.predict.providers import Context
from lengthwise.predict.providers.labels import decide_questions, refutation_of, refuted
from lengthwise.predict.types import Evidence

CHECKED_TO, DRAWS, BATCHES = 9, 4_000, 10


def restriction(context: Context) -> list[Evidence]:
    """Refute plain C-RASP for a task through one of its restrictions."""
    task = context.subject.task
    if task is None or context.subject.accept != "answer":
        return []
    build = RESTRICTIONS.get(task.name)
    if build is None or context.settled("plain"):
        return []
    return _refute(context, task, *build(task))


def _refute(context: Context, task: Any, machine: Any, text: str) -> list[Evidence]:
    checked, existing = compare(task, machine)
    if not checked:
        return []
    part = Part(None, (machine.minimise(),), machine)
    budget = Budget(seconds=context.clock.left() / 3)
    plain, _ = decide_questions(machine.actions(), [part], budget)
    if plain.answer != "out":
        return []
    return [
        Evidence(
            "restriction",
            f"{task.name} restricted to {text} needs more than C-RASP: {refuted(plain)}; the "
            f"restriction gives the answers of {checked} of its {existing} prompts to length "
            f"{CHECKED_TO}",
            "exhaustive" if checked == existing else "sampled",
            {"plain": False},
            basis="our derivation, unpublished: the published argument on a family of prompts",
            reached=CHECKED_TO,
            certificate=refutation_of(plain),
        )
    ]


def compare(task: Any, machine: Any) -> tuple[int, int]:
    """Hold a restriction against short instances until all its prompts were drawn, or long enough.

    Return how many of its prompts were seen and how many there are; a single disagreement gives
    (0, 0): the restriction is then not used.
    """
    seen = 0
    lengths = task.possible_lengths(task.min_length, CHECKED_TO).tolist()
    wanted = {length: _asked(machine, length) for length in lengths}
    for length in lengths:
        drawn: dict[Text, Text] = {}
        for batch in range(BATCHES):
            rows = draw(task, length, length, DRAWS, seed=100 * length + batch).table() or {}
            drawn |= {
                prompt: a for prompt, a in rows.items() if _output(machine, prompt) is not None
            }
            if len(drawn) == wanted[length]:
                break
        if any(_output(machine, prompt) != answer[0] for prompt, answer in drawn.items()):
            return 0, 0
        seen += len(drawn)
    return seen, sum(wanted.values())


def _output(machine: Any, prompt: Text) -> str | None:
    """Return the machine's answer to a prompt; None where it leaves it free."""
    state = machine.initial
    for letter in prompt:
        state = int(machine.transitions[state, machine.alphabet.index(letter)])
    output = int(machine.outputs[state])
    return machine.alphabet[output] if output >= 0 else None


def _asked(machine: Any, length: int) -> int:
    """Count the words of a length that the machine answers."""
    ways = np.zeros(len(machine.transitions), dtype=np.int64)
    ways[machine.initial] = 1
    for _ in range(length):
        after = np.zeros_like(ways)
        for column in machine.transitions.T:
            np.add.at(after, column, ways)
        ways = after
    return int(ways[machine.outputs >= 0].sum())


def balanced_streams(task: Any) -> tuple[Any, str]:
    """Interleaved bits in which no stream ever leads by more than one: a finite machine.

    The answer is the first stream's majority; prompts with a tie, or of a length that is not a
    multiple of the period, are free.
    """
    period = task.period
    start: tuple[int, ...] | None = (0,) * (period + 1)  # place in the period, then each lead
    numbers: dict[tuple[int, ...] | None, int] = {start: 0}
    table: list[list[int]] = []
    outputs: list[int] = []
    order = [start]
    for state in order:  # grows while it is read
        row: list[int] = []
        for step in (-1, 1):
            target = None if state is None else _advance(state, step, period)
            if target not in numbers:
                numbers[target] = len(order)
                order.append(target)
            row.append(numbers[target])
        table.append(row)
        asked = state is not None and state[0] == 0 and all(state[1:])
        outputs.append(int(state[1] > 0) if asked and state is not None else FREE)
    machine = Machine(("0", "1"), np.array(table, dtype=np.int32), 0, np.array(outputs))
    return machine, "prompts in which no stream leads by more than one bit"


def _advance(state: tuple[int, ...], step: int, period: int) -> tuple[int, ...] | None:
    place, leads = state[0], list(state[1:])
    leads[place] += step
    if abs(leads[place]) > 1:
        return None
    return ((place + 1) % period, *leads)


RESTRICTIONS: dict[str, Callable[[Any], tuple[Any, str]]] = {
    "interleaved-majority": balanced_streams
}
"""Task name -> restriction: a machine with free answers, and its description."""
