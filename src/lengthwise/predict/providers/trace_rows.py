"""The bare trace of an automaton behind its input: how much Bob must be told, exactly.

Where two cycles of states meet, p -> r -> ... -> p and p -> s -> ... -> p, both of their orders are
blocks of one length with different states. Inputs w {u, v}^m then have 2^m different traces: Alice
holds the input, Bob what is written, and the first symbol in which two traces differ is asked for
after the same text. So m bits cross the cut, and m grows with the length; limit transformers that
are periodic and local send only logarithmically many (Huang et al. 2025, Theorem 12).
"""

from collections import deque
from dataclasses import dataclass

import numpy as np

from lengthwise.languages.machine import FREE, Machine
from lengthwise.predict.providers import Context
from lengthwise.predict.types import Evidence
from lengthwise.tasks.steps.state_trace import StateTrace

Path = list[int]
"""Letters."""


@dataclass(frozen=True)
class TwoLoops:
    """A word to a state, and two words of equal length that lead back to it past other states."""

    to: Path
    loops: tuple[Path, Path]


def trace_rows(context: Context) -> list[Evidence]:
    """Exclude a trace without marks whose automaton has two cycles that meet."""
    task = context.subject.task
    if not isinstance(task, StateTrace) or task.hinted or (task.question.asked == FREE).any():
        return []  # where some words never occur, those of the family might not
    found = two_loops(task.question.steps)
    if found is None:
        return []
    letters = task.question.letters
    to, one, two = (" ".join(letters[a] for a in path) for path in (found.to, *found.loops))
    begin = f"{to} " if to else ""
    return [
        Evidence(
            "trace rows",
            f"the 2^m inputs {begin}{{{one}, {two}}}^m have different traces, so m bits must cross "
            "the cut behind the input: linear communication",
            "derivation",
            {"limit": False},
            basis="Huang et al. 2025, Theorem 12; the inputs that must be told apart are ours",
            certificate={"prefix": to, "blocks": [one, two]},
        )
    ]


def two_loops(machine: Machine) -> TwoLoops | None:
    """Return two loops of equal length at one state with different states on the way, if any.

    Example:
        >>> even = Machine(("0", "1"), np.array([[0, 1], [1, 0]]), 0, np.array([0, 1]))
        >>> two_loops(even).loops
        ([0, 1, 1], [1, 1, 0])
    """
    start = _paths(machine, machine.initial)
    for state in sorted(start, key=lambda q: len(start[q])):
        back: dict[int, Path] = {}  # by the next state: a shortest way from there and back
        for letter, target in enumerate(machine.transitions[state].tolist()):
            if target in back:
                continue
            home = _paths(machine, target).get(state)
            if home is not None:
                back[target] = [letter, *home]
            if len(back) == 2:
                one, two = back.values()
                return TwoLoops(start[state], ([*one, *two], [*two, *one]))
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
