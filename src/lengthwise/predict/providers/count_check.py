"""Programs that count letters, held against a regular question completely.

A comparison of counts is a linear form in the letters read so far, and what the program says
depends on the values of these forms and on the letter in view alone. Every word that can be asked
about is followed through the question's automaton together with these values. If there are finitely
many such pairs, one word for each, read by the interpreter, is every word.

    1 q0>q1 0 q= 1 q1>q0       #"q0>q1" - #"q1>q0" is 0 in the even states and 1 in the odd ones
"""

from collections import deque

import numpy as np
from jaxtyping import Int

from lengthwise.crasp.interpreter import evaluate_expressions
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import (
    Add,
    Bool,
    Compare,
    Constant,
    Expression,
    LocalCount,
    Maximum,
    Minimum,
    Number,
    PrefixCount,
    Residue,
    Scale,
    Subtract,
    Where,
    postorder,
)
from lengthwise.crasp.writers import predictions
from lengthwise.languages.machine import FREE
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.languages.window_answers import useful_moves
from lengthwise.languages.words import Words
from lengthwise.predict.program_facts import program_facts
from lengthwise.predict.providers import Context
from lengthwise.predict.types import Evidence
from lengthwise.tasks.following import check_answers

Form = dict[Bool, int]
"""Coefficients of the counts of Booleans that depend on the letter alone."""
Word = tuple[int, ...]
MOST_CASES = 20_000
"""Pairs of a state and values that are followed; with more, nothing is said here."""


def counts(context: Context) -> list[Evidence]:
    """Check the attached program of a task whose answers are declared, if it counts letters."""
    task = context.subject.task
    if task is None or task.answers is None or task.answers.read != "labels":
        return []
    program = task.program
    if program is None or context.settled("plain"):
        return []
    cases = solved_cases(program, task.answers)
    if cases is None or check_answers(task.answers, task) is not None:
        return []
    shown = str(program)
    return [
        Evidence(
            "counts",
            f"the program of {task.name} counts symbols and writes every token that is asked for: "
            f"what it compares takes finitely many values, and in all {cases:,} cases of a state, "
            "values and a symbol it says what is due",
            "proof",
            {"plain": True},
            basis=f"complete check: all {cases:,} cases were followed and tried",
            facts=program_facts(program),
            certificate={"program": shown if len(shown) < 20_000 else shown[:20_000] + "\n..."},
        )
    ]


def solved_cases(program: Program, answers: RegularAnswers) -> int | None:
    """Return how many cases are asked about if the program answers all of them, else None.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> task = load_task("steps:parity;write=change")
        >>> solved_cases(task.program, task.answers)
        8
    """
    forms = linear_forms(program)
    if forms is None or not set(answers.automaton.alphabet) <= set(program.all_letters()):
        return None
    words = _every_case(answers, _increments(forms, answers))
    if words is None:
        return None
    spelled = [[answers.automaton.alphabet[a] for a in word] for word, _ in words]
    ends = np.array([len(word) - 1 for word in spelled])
    said = predictions(program, spelled)[np.arange(len(ends)), ends].tolist()
    names = list(program.next)
    wrong = any(
        k < 0 or names[k] != answers.names[asked] for k, (_, asked) in zip(said, words, strict=True)
    )
    return None if wrong else len(words)


def linear_forms(program: Program) -> list[Form] | None:
    """Return the linear form of every comparison; None if a program does more than count letters.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count, prev
        >>> linear_forms(Program([], next={"x": count(Q["a"]) >= 2 * count(Q["b"])}))
        [{"a": 1, "b": -2}]
        >>> linear_forms(Program([], next={"x": prev(Q["a"])})) is None
        True
    """
    if not program.is_generator:
        return None
    form: dict[Expression, Form] = {}
    found: dict[tuple[tuple[Bool, int], ...], Form] = {}
    for node in postorder(program.outputs):
        match node:
            case LocalCount() | Residue() | Minimum() | Maximum() | Where():
                return None
            case PrefixCount(operand):
                if any(isinstance(below, Compare) for below in postorder([operand])):
                    return None
                form[node] = {operand: 1}
            case Number():
                form[node] = {}
            case Add(left, right):
                form[node] = _sum(form[left], form[right], 1)
            case Subtract(left, right):
                form[node] = _sum(form[left], form[right], -1)
            case Scale(factor, operand):
                form[node] = {key: factor * value for key, value in form[operand].items()}
            case Compare(_, left, right):
                made = _sum(form[left], form[right], -1)
                found[tuple(made.items())] = made
            case _:
                pass
    return list(found.values())


def _sum(one: Form, two: Form, sign: int) -> Form:
    total = {key: one.get(key, 0) + sign * two.get(key, 0) for key in (one | two)}
    return {key: value for key, value in total.items() if value}


def _increments(forms: list[Form], answers: RegularAnswers) -> Int[np.ndarray, "f a"]:
    """Return what every letter adds to every form."""
    letters = answers.automaton.alphabet
    operands = list(dict.fromkeys(operand for form in forms for operand in form))
    if not operands:
        return np.zeros((len(forms), len(letters)), dtype=np.int64)
    words = Words.encode([(letter,) for letter in letters], letters)
    values = evaluate_expressions([*operands, Constant(True)], words)[:-1]
    holds = np.stack([np.asarray(value)[:, 0] for value in values]).astype(np.int64)
    row = {operand: k for k, operand in enumerate(operands)}
    weights = np.zeros((len(forms), len(operands)), dtype=np.int64)
    for k, form in enumerate(forms):
        for operand, factor in form.items():
            weights[k, row[operand]] = factor
    return weights @ holds


def _every_case(
    answers: RegularAnswers, increments: Int[np.ndarray, "f a"]
) -> list[tuple[Word, int]] | None:
    """Return a shortest word for every state, values and last letter that is asked about."""
    moves = useful_moves(answers)
    start = answers.automaton.initial, (0,) * len(increments)
    words: dict[tuple[int, tuple[int, ...]], Word] = {start: ()}
    queue = deque(words)
    asked: dict[tuple[int, tuple[int, ...], int], tuple[Word, int]] = {}
    while queue:
        state, values = here = queue.popleft()
        for letter, target in moves[state]:
            word = (*words[here], letter)
            there = target, tuple((np.array(values) + increments[:, letter]).tolist())
            number = int(answers.table[target, letter])
            if number != FREE:
                asked.setdefault((*there, letter), (word, number))
            if there not in words:
                if len(words) >= MOST_CASES:
                    return None
                words[there] = word
                queue.append(there)
    return list(asked.values())
