"""Tasks with one answer behind a prompt: is the answer a regular function of the prompt?

All prompts up to a length are collected by drawing until every one was seen. If their answers have
few residuals (Myhill and Nerode), the automaton is built, tried on longer instances, and decided.
That the task follows the automaton is known up to that length only.
"""

from itertools import product
from typing import Any

import numpy as np

from lengthwise.core.budget import Budget
from lengthwise.languages.class_titles import CLASS_TITLES
from lengthwise.languages.machine import Machine, Part
from lengthwise.predict.instances import Text, draw
from lengthwise.predict.providers import Context
from lengthwise.predict.providers.decision import narrow
from lengthwise.predict.providers.labels import (
    decide_questions,
    refutation_of,
    refuted,
)
from lengthwise.predict.types import Evidence, weakest

MOST_PROMPTS, LONGEST, MOST_STATES = 600, 8, 12
DRAWS_PER_PROMPT = 40


def table(context: Context) -> list[Evidence]:
    """Decide the regular function that a task computes on short prompts, if it is one."""
    task = context.subject.task
    if task is None or task.answers is not None or task.longest is not None:
        return []
    answers = short_answers(task)
    if answers is None:
        return []
    machine = residual_machine(*answers)
    if machine is None or not agrees(machine, task, answers[0]):
        return []
    return _decide(context, machine, answers[2], task)


def short_answers(task: Any) -> tuple[Text, dict[Text, Text], int] | None:
    """Return the symbols of prompts, the answer of every prompt, and the length reached.

    None unless every word over the symbols is a prompt, with one token as its answer.
    """
    low, known, symbols, reached = task.min_length, {}, (), 0
    if low > 1 or not np.array_equal(task.possible_lengths(low, LONGEST), range(low, LONGEST + 1)):
        return None
    for length in range(low, LONGEST + 1):
        if length and len(symbols) ** length > MOST_PROMPTS:
            break
        count = DRAWS_PER_PROMPT * max(1, len(symbols)) ** length + 50
        rows = draw(task, length, length, count, seed=length).table()
        if rows is None or any(len(answer) > 2 for answer in rows.values()):
            return None
        symbols = symbols or tuple(sorted({s for prompt in rows for s in prompt}))
        if any(word not in rows for word in product(symbols, repeat=length)):
            return None
        known |= rows
        reached = length
    return (symbols, known, reached) if reached >= 4 else None


def residual_machine(symbols: Text, known: dict[Text, Text], reached: int) -> Any | None:
    """Build the machine whose states are the distinct residuals of short prefixes, if it closes."""
    half = reached // 2
    suffixes = [s for n in range(reached - half) for s in product(symbols, repeat=n)]
    if () not in known:  # the task has no empty prompt
        suffixes = suffixes[1:]

    def row(prefix: Text) -> tuple[Text, ...]:
        return tuple(known[prefix + suffix] for suffix in suffixes)

    access: list[Text] = [()]
    numbers = {row(()): 0}
    transitions: list[list[int]] = []
    for prefix in access:  # grows while it is read
        line: list[int] = []
        for letter in symbols:
            after = (*prefix, letter)
            if len(after) > half or len(access) > MOST_STATES:
                return None
            if row(after) not in numbers:
                numbers[row(after)] = len(access)
                access.append(after)
            line.append(numbers[row(after)])
        transitions.append(line)
    outputs = sorted(set(known.values()))
    shown = [outputs.index(known[p]) if p in known else -1 for p in access]
    return Machine(symbols, np.array(transitions, dtype=np.int32), 0, np.array(shown)), outputs


def agrees(built: Any, task: Any, symbols: Text, instances: int = 400) -> bool:
    """Run the machine on longer instances and compare the answers."""
    machine, outputs = built
    found = draw(task, LONGEST + 1, 50, instances, seed=99)
    for prompt, answer in zip(found.prompts, found.answers, strict=True):
        state = machine.initial
        for letter in prompt:
            state = int(machine.transitions[state, symbols.index(letter)])
        if outputs[machine.outputs[state]] != answer:
            return False
    return True


def _decide(context: Context, built: Any, reached: int, task: Any) -> list[Evidence]:
    machine = built[0].minimise()
    budget = Budget(seconds=context.clock.left() / 2)
    part = Part(None, (machine,), machine)
    found: list[Evidence] = []
    for answer in decide_questions(machine.actions(), [part], budget):
        if answer.answer == "undecided":
            continue
        is_plain = answer.class_name == "plain"
        claims = {answer.class_name: False}
        if answer.is_in:
            claims = {"plain": True} if is_plain else narrow(answer)
        title = CLASS_TITLES[answer.class_name]
        how = "is in" if answer.is_in else f"is not in {title}: {refuted(answer)}; it"
        found.append(
            Evidence(
                "short instances",
                f"the answer of {task.name} is a regular function of the prompt ({machine.states} "
                f"states) on all prompts to length {reached} and on longer drawn ones; "
                + (f"it {how} {title}" if answer.is_in else f"it {how.removesuffix('; it')}"),
                weakest(["derivation", "exhaustive"]),
                claims,
                basis="residuals of all short prompts, then the decision for regular languages",
                reached=reached,
                certificate=None if answer.is_in else refutation_of(answer),
            )
        )
    return found
