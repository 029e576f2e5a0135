"""The bare trace of an automaton behind its input: how much Bob must be told, exactly.

Where two cycles of states meet, p -> r -> ... -> p and p -> s -> ... -> p, both of their orders are
blocks of one length with different states. Inputs w {u, v}^m then have 2^m different traces: Alice
holds the input, Bob what is written, and the first symbol in which two traces differ is asked for
after the same text. So m bits cross the cut, and m grows with the length; limit transformers that
are periodic and local send only logarithmically many (Huang et al. 2025, Theorem 12). Where only
some words are asked about, the cycles are those of an automaton of these, and a word from p to
an end of one stands behind them.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np

from lengthwise.languages.machine import FREE, Machine
from lengthwise.predict.providers import Context
from lengthwise.predict.types import Evidence
from lengthwise.tasks.steps.end_question import EndQuestion
from lengthwise.tasks.steps.state_trace import StateTrace

Path = list[int]
"""Letters."""


@dataclass(frozen=True)
class TwoLoops:
    """A word to a state, two of equal length back to it past other states, and one to an end."""

    to: Path
    loops: tuple[Path, Path]
    end: Path


def trace_rows(context: Context) -> list[Evidence]:
    """Exclude a trace without marks whose automaton has two cycles that meet."""
    task = context.subject.task
    if not isinstance(task, StateTrace) or task.hinted:
        return []
    found = two_loops(*asked_words(task.question))
    if found is None:
        return []
    letters = task.question.letters
    to, one, two, end = (
        " ".join(letters[a] for a in path) for path in (found.to, *found.loops, found.end)
    )
    begin, rest = f"{to} " if to else "", f" {end}" if end else ""
    return [
        Evidence(
            "trace rows",
            f"the 2^m inputs {begin}{{{one}, {two}}}^m{rest} have different traces, so m bits must "
            "cross the cut behind the input: linear communication",
            "derivation",
            {"limit": False},
            basis="Huang et al. 2025, Theorem 12; the inputs that must be told apart are ours",
            certificate={"prefix": to, "blocks": [one, two], "suffix": end},
        )
    ]


def asked_words(question: EndQuestion) -> tuple[Machine, np.ndarray]:
    """Follow words and their states together; return also which state is written in each pair."""
    read, steps = question.read, question.steps
    start = read.initial, steps.initial
    pairs = {start: 0}
    queue = deque([start])
    rows: list[list[int]] = []
    while queue:
        one, two = queue.popleft()
        row: list[int] = []
        for letter in range(read.symbols):
            pair = int(read.transitions[one, letter]), int(steps.transitions[two, letter])
            if pair not in pairs:
                pairs[pair] = len(pairs)
                queue.append(pair)
            row.append(pairs[pair])
        rows.append(row)
    outputs = np.array([question.asked[one] for one, _ in pairs])
    machine = Machine(read.alphabet, np.array(rows), 0, outputs)
    return machine, np.array([two for _, two in pairs])


def two_loops(machine: Machine, written: np.ndarray) -> TwoLoops | None:
    """Return two loops of equal length at one state with different traces, if there are any.

    Example:
        >>> even = Machine(("0", "1"), np.array([[0, 1], [1, 0]]), 0, np.array([0, 1]))
        >>> two_loops(even, np.arange(2)).loops
        ([0, 1, 1], [1, 1, 0])
    """
    start = _paths(machine, machine.initial)
    for state in sorted(start, key=lambda q: len(start[q])):
        ways = _paths(machine, state)
        ends = [ways[q] for q in ways if machine.outputs[q] != FREE]
        back: dict[int, Path] = {}  # by what is written next: a shortest way from there and back
        for letter, target in enumerate(machine.transitions[state].tolist()):
            if int(written[target]) in back or not ends:
                continue
            home = _paths(machine, target).get(state)
            if home is not None:
                back[int(written[target])] = [letter, *home]
            if len(back) == 2:
                one, two = back.values()
                return TwoLoops(start[state], ([*one, *two], [*two, *one]), min(ends, key=len))
    return None


def _paths(machine: Machine, source: int) -> dict[int, Path]:
    """Return a shortest word to every state that can be reached."""
    found: dict[int, Path] = {source: []}
    queue = deque([source])
    while queue:
        state = queue.popleft()
        for letter, target in enumerate(machine.transitions[state].tolist()):
            if target not in found:
                found[target] = [*found[state], letter]
                queue.append(target)
    return found


def traces(machine: Machine, words: list[Path]) -> np.ndarray:
    """Return the states on words of equal length."""
    return machine.actions().run(np.array(words))[:, 1:]
