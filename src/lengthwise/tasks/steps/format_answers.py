"""The format of steps inside as an automaton: what is asked behind every symbol of it.

read(q, j)   behind j letters since the last step    nothing is asked
due(q, k)    behind the last letter of a block       the step k, and only it may follow
sep(x)       behind <sep>, where the answer is x     the answer
end          behind the answer                       <eos>
"""

from collections import deque
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from lengthwise.languages.dfa import DFA
from lengthwise.languages.machine import FREE
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.tasks.steps.end_question import EndQuestion
from lengthwise.tasks.vocabulary import EOS, SEP

Node = tuple[str, int, int, int]
"""Kind, state of the words that occur, state that is spelled, and letters since the last step;
where a step is due, its number."""
END: Node = ("end", 0, 0, 0)
DEAD: Node = ("dead", 0, 0, 0)


@dataclass(frozen=True)
class StepNames:
    """What is written for a step: ``names[table[before, now]]``, by the states around it."""

    names: tuple[str, ...]
    table: Int[np.ndarray, "q q"]


def format_answers(question: EndQuestion, steps: StepNames, every: int) -> RegularAnswers:
    """Return what the format asks; FREE wherever the model is asked nothing.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> from lengthwise.tasks.steps.end_question import end_question
        >>> states = StepNames(("q0", "q1"), np.array([[0, 1], [0, 1]]))
        >>> asked = format_answers(end_question(load_task("parity")), states, 1)
        >>> asked.answer(["1"]), asked.answer(["1", "q1"]), asked.answer(["1", "q1", "<sep>"])
        ('q1', None, 'o')
    """
    alphabet = tuple(dict.fromkeys((*question.letters, *steps.names, *question.names, SEP)))
    number = {symbol: k for k, symbol in enumerate(alphabet)}
    names = tuple(dict.fromkeys((*steps.names, *question.names, EOS)))
    start: Node = ("read", question.read.initial, question.steps.initial, 0)
    nodes: dict[Node, int] = {start: 0}
    queue: deque[Node] = deque([start])
    rows: list[list[int]] = []
    while queue:
        node = queue.popleft()
        row: list[Node] = [DEAD] * len(alphabet)
        for symbol, target in _moves(question, steps, every, node):
            row[number[symbol]] = target
        for target in row:
            if target not in nodes:
                nodes[target] = len(nodes)
                queue.append(target)
        rows.append([nodes[target] for target in row])
    asked = [_asked(question, steps, names, node) for node in nodes]
    dfa = DFA(alphabet, np.array(rows), 0, np.array([node == END for node in nodes]))
    table = np.broadcast_to(np.array(asked)[:, None], dfa.transitions.shape)
    return RegularAnswers(dfa, names, table, "labels")


def _moves(
    question: EndQuestion, steps: StepNames, every: int, node: Node
) -> list[tuple[str, Node]]:
    kind, read, step, since = node
    if kind == "due":
        return [(steps.names[since], ("read", read, step, 0))]
    if kind == "sep":
        return [(question.names[read], END)]
    if kind != "read":
        return []
    found: list[tuple[str, Node]] = []
    for letter, symbol in enumerate(question.letters):
        target = int(question.read.transitions[read, letter])
        state = int(question.steps.transitions[step, letter])
        if every and since + 1 == every:
            found.append((symbol, ("due", target, state, int(steps.table[step, state]))))
        else:
            found.append((symbol, ("read", target, state, since + 1 if every else 0)))
    if question.asked[read] != FREE:
        found.append((SEP, ("sep", int(question.asked[read]), 0, 0)))
    return found


def _asked(question: EndQuestion, steps: StepNames, names: tuple[str, ...], node: Node) -> int:
    kind, read, _, number = node
    if kind == "due":
        return names.index(steps.names[number])
    if kind == "sep":
        return names.index(question.names[read])
    return names.index(EOS) if kind == "end" else FREE
