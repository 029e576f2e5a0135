"""A task restricted to a regular family of prompts: what fails there fails on the whole task.

A restriction is a machine that answers on its prompts and leaves all others free. A program for the
task would be a program for the restriction, so a refutation of the restriction refutes the task.
The refutation is the published pumping argument (Yang, Veseli et al. 2026, Appendix J) with a
suffix after which both words are prompts of the family: our derivation, unpublished.

The families are the same for every task: prompts of two symbols in which neither leads by more than
one at any time, counted at every position, or at each residue of positions modulo 2 or 3. On such
prompts counts are bounded, so majorities become regular. Whether the first token of the answer
depends on the machine's state alone is seen from drawn prompts.
"""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.languages.machine import FREE, Machine, Part, merge_free
from lengthwise.predict.instances import Text, distinct_rows, read_batch
from lengthwise.predict.providers import Context
from lengthwise.predict.providers.labels import decide_questions, refutation_of, refuted
from lengthwise.predict.types import Evidence

CHECKED_TO, DRAWS, BATCHES = 9, 4_000, 4
FAR = 40
LEAST = 12
"""Prompts of a family that must have been drawn."""
PERIODS = (1, 2, 3)
Prompts = dict[Text, str]


def restriction(context: Context) -> list[Evidence]:
    """Refute plain C-RASP for a task through one of its restrictions."""
    task = context.subject.task
    if task is None or context.subject.accept != "answer" or task.longest is not None:
        return []
    if context.settled("plain"):
        return []
    prompts = short_prompts(task)
    if not still_varies(task, prompts):
        return []
    for machine, text in families(prompts):
        answered, drawn, existing = with_answers(machine, prompts, task)
        if answered is None:
            continue
        found = _refute(context, answered, text, drawn, existing)
        if found:
            return found
    return []


def _refute(
    context: Context, machine: Machine, text: str, drawn: int, existing: int
) -> list[Evidence]:
    part = Part(None, (machine.minimise(), merge_free(machine)), machine)
    plain, _ = decide_questions(machine.actions(), [part], context.clock.part(1 / 3, most=3.0))
    if plain.answer != "out":
        return []
    return [
        Evidence(
            "restriction",
            f"{Path(context.subject.name).name} restricted to {text} needs more than C-RASP: "
            f"{refuted(plain)}; "
            f"the restriction gives the answers of {drawn} of its {existing} prompts to length "
            f"{CHECKED_TO}",
            "sampled",
            {"plain": False},
            basis="our derivation, unpublished: the published argument on a family of prompts",
            reached=CHECKED_TO,
            certificate=refutation_of(plain),
        )
    ]


def short_prompts(task: Any) -> Prompts:
    """Draw short prompts and the first token of their answers; none where answers are ambiguous."""
    found: Prompts = {}
    for length in task.possible_lengths(task.min_length, CHECKED_TO).tolist():
        for batch in range(BATCHES):
            rng = np.random.default_rng(100 * length + batch)
            lengths = np.full(DRAWS // 2, length)
            drawn = read_batch(task, distinct_rows(task.sample(rng, lengths))[0]).table()
            if drawn is None:
                return {}
            fresh = {prompt: answer[0] for prompt, answer in drawn.items() if prompt not in found}
            if any(found.get(prompt, answer[0]) != answer[0] for prompt, answer in drawn.items()):
                return {}
            found |= fresh
            if not fresh or len(fresh) > DRAWS // 4:
                break  # all were seen, or too many to see
    return found


def still_varies(task: Any, prompts: Prompts) -> bool:
    """Whether long prompts have every answer that short ones have: else the rule has changed."""
    possible = task.possible_lengths(task.min_length, FAR).tolist()
    if not prompts or possible[-1] <= CHECKED_TO:
        return False
    lengths = np.full(DRAWS // 10, possible[-1])
    drawn = read_batch(task, task.sample(np.random.default_rng(3), lengths))
    return {answer[0] for answer in drawn.answers} >= set(prompts.values())


def families(prompts: Prompts) -> Iterator[tuple[Machine, str]]:
    """Yield machines of balanced prompts over two of the symbols, without answers."""
    symbols = sorted({symbol for prompt in prompts for symbol in prompt})
    if not 2 <= len(symbols) <= 4:
        return
    for pair in combinations(symbols, 2):
        for period in PERIODS:
            where = "" if period == 1 else f" among the positions of each residue modulo {period}"
            text = f"prompts of {pair[0]} and {pair[1]} in which neither leads by more than one"
            yield balanced(pair, period), text + where


def balanced(pair: tuple[str, str], period: int) -> Machine:
    """Words over two symbols in which no stream of positions ever leads by more than one.

    All outputs are free but for those of balanced words, which have the number of their state.
    """
    start: tuple[int, ...] | None = (0,) * (period + 1)  # place in the period, then each lead
    numbers: dict[tuple[int, ...] | None, int] = {start: 0}
    table: list[list[int]] = []
    order: list[tuple[int, ...] | None] = [start]
    for state in order:  # grows while it is read
        row: list[int] = []
        for step in (-1, 1):
            target = None if state is None else _advance(state, step, period)
            if target not in numbers:
                numbers[target] = len(order)
                order.append(target)
            row.append(numbers[target])
        table.append(row)
    outputs = [FREE if state is None else numbers[state] for state in order]
    return Machine(pair, np.array(table, dtype=np.int32), 0, np.array(outputs))


def with_answers(machine: Machine, prompts: Prompts, task: Any) -> tuple[Machine | None, int, int]:
    """Give a family the answers of its drawn prompts, if they depend on the state alone.

    Return also how many of its prompts were drawn, and how many words there are of the states and
    lengths that were asked about. If some were not drawn, the family is not one of prompts.
    """
    answers: dict[int, str] = {}
    asked: dict[tuple[int, int], int] = {}
    for prompt, answer in prompts.items():
        state = _run(machine, prompt)
        if state is None or machine.outputs[state] == FREE:
            continue
        if answers.setdefault(state, answer) != answer:
            return None, 0, 0
        asked[state, len(prompt)] = asked.get((state, len(prompt)), 0) + 1
    names = sorted(set(answers.values()))
    lengths = task.possible_lengths(task.min_length, CHECKED_TO).tolist()
    existing = sum(_words(machine, length)[state] for length in lengths for state in answers)
    drawn = sum(asked.values())
    if len(names) < 2 or drawn < LEAST or drawn < existing:
        return None, drawn, existing
    outputs = np.full(machine.states, FREE, dtype=np.int64)
    for state, answer in answers.items():
        outputs[state] = names.index(answer)
    return Machine(machine.alphabet, machine.transitions, machine.initial, outputs), drawn, existing


def _run(machine: Machine, prompt: Text) -> int | None:
    """Return the state behind a prompt; None where it has other symbols."""
    state = machine.initial
    for letter in prompt:
        if letter not in machine.alphabet:
            return None
        state = int(machine.transitions[state, machine.alphabet.index(letter)])
    return state


def _words(machine: Machine, length: int) -> np.ndarray:
    """Count the words of a length that lead to each state."""
    ways = np.zeros(machine.states, dtype=np.int64)
    ways[machine.initial] = 1
    for _ in range(length):
        after = np.zeros_like(ways)
        for column in machine.transitions.T:
            np.add.at(after, column, ways)
        ways = after
    return ways


def _advance(state: tuple[int, ...], step: int, period: int) -> tuple[int, ...] | None:
    place, leads = state[0], list(state[1:])
    leads[place] += step
    if abs(leads[place]) > 1:
        return None
    return ((place + 1) % period, *leads)
