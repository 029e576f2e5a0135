"""Tasks whose answers are a regular function of what was read: the declared answers decided.

The published per-position tasks show a letter and ask for a label that depends on the state behind
it. So the question is, for each last letter (visible): can a program tell the labels apart, on
prefixes of words of the language? Elsewhere the label is free. That is the convention ``predict``
with the task's own labels in place of the sets of continuations. Other tasks ask once, behind the
word, where no letter is visible. What a task declares is first held against its instances.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits
from lengthwise.crasp.program import Program
from lengthwise.crasp.simplify import simplify_expressions
from lengthwise.crasp.syntax import Bool, Symbol
from lengthwise.languages.class_titles import CLASS_TITLES
from lengthwise.languages.machine import FREE, Machine, Part, merge_free
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.predict.program_facts import program_facts
from lengthwise.predict.providers import Context
from lengthwise.predict.providers.decision import answer_facts, narrow, strength_of
from lengthwise.predict.types import Evidence
from lengthwise.tasks.following import check_answers, check_task
from lengthwise.theory.decide.check_certificate import check_refutation
from lengthwise.theory.decide.conditions import (
    FALSE,
    Names,
    ProgramTooLargeError,
    both,
    either,
    negation,
)
from lengthwise.theory.decide.decision import Answer
from lengthwise.theory.decide.questions import decide_periodic_local, decide_plain
from lengthwise.theory.decide.synthesis import output_conditions

if TYPE_CHECKING:
    from lengthwise.crasp.program import Program
    from lengthwise.languages.machine import Machine, Part
    from lengthwise.theory.decide.decision import Answer


def labels(context: Context) -> list[Evidence]:
    """Decide both classes for the answers of a task; check the program of a yes on instances."""
    task = context.subject.task
    if task is None or task.answers is None or context.settled("plain"):
        return []
    answers, name = task.answers, context.subject.name
    mistake = check_answers(answers, task)
    if mistake is not None:
        raise InputError(f"{name}: the answers that the task declares are not those of {mistake}.")
    budget = context.clock.part(0.6)
    if context.settled("periodic_local"):
        return _without_positions(task, answers, budget)
    plain, general = decide_questions(answers.automaton, answers.parts(), budget, _reading(answers))
    found = _evidence(task, plain, {"plain": plain.is_in})
    if not plain.is_in:
        claims = narrow(general) if general.is_in else {"periodic_local": False}
        found += _evidence(task, general, claims)
    return found


def _without_positions(task: Any, answers: RegularAnswers, budget: Limits) -> list[Evidence]:
    """Decide plain C-RASP alone: with windows the task was decided before."""
    found: list[tuple[Part, Any]] = []
    for part in answers.parts():
        if (part.original.outputs == FREE).all():
            continue
        found.append((part, decide_plain(part, budget)))
        if found[-1][1].answer == "out":
            break
    plain = Answer("plain", answers.automaton, _reading(answers), found)
    return _evidence(task, plain, {"plain": plain.is_in})


def _reading(answers: RegularAnswers) -> str:
    """Name the convention: read behind every word, the published theorem says it as it stands."""
    return "answer" if answers.read == "answer" and answers.everywhere else "labels"


def decide_questions(
    dfa: Any, parts: "Iterable[Part]", budget: "Limits", accept: str = "labels"
) -> "tuple[Answer, Answer]":
    """Decide plain C-RASP and C-RASP[periodic, local] for given questions about one automaton."""
    plain = [(part, decide_plain(part, budget)) for part in parts]
    general = [(part, decide_periodic_local(part, first, budget)) for part, first in plain]
    return Answer("plain", dfa, accept, plain), Answer("periodic_local", dfa, accept, general)


def _evidence(task: Any, answer: "Answer", claims: dict[str, bool]) -> list[Evidence]:
    title = CLASS_TITLES[answer.class_name]
    what = f"the {'labels' if task.answers.read == 'labels' else 'answers'} of {task.name}"
    if answer.answer == "undecided":
        return [Evidence("labels", f"{what}: {title} not decided ({answer.tried})", "conjecture")]
    facts = answer_facts(answer)
    certificate: dict[str, Any] = {}
    if answer.is_in:
        program, checked = checked_program(task, answer)
        text = f"a program of {title} gives {what}{checked}"
        if program is not None:
            certificate = {"program": str(program)}
            facts = program_facts(program) | facts
        facts["padding_safe"] = padding_safe(task)
    else:
        text = f"no program of {title} gives {what}: {refuted(answer)}"
        certificate = refutation_of(answer)
    basis = "potentials / closed partitions (Yang, Veseli et al. 2026, Theorem 89"
    if answer.accept != "answer" or answer.class_name != "plain":
        basis += "; the visible last letter, free labels, windows and positions are our derivation"
    basis += ")"
    return [
        Evidence(
            "labels",
            text,
            strength_of(answer.strength),
            claims,
            basis=basis,
            facts=facts,
            certificate=certificate,
        )
    ]


def padding_safe(task: Any) -> bool | None:
    """Whether labels that depend on the state alone survive a symbol that changes nothing.

    With such a symbol the last letter, windows and positions say nothing, so plain C-RASP must do
    without them (our derivation). None where the label depends on the letter, or undecided.
    """
    dfa, table = task.answers.automaton, task.answers.table
    if (table != table[:, :1]).any():
        return None
    outputs = task.answers.by_state
    machine = Machine(dfa.alphabet, dfa.transitions, dfa.initial, outputs)
    small = machine.minimise()
    free = Part(None, (small, merge_free(machine)), machine)
    part = free if FREE in outputs else Part(None, (small,), small)
    answer = decide_plain(part, Limits(seconds=5)).answer
    return None if answer == "undecided" else answer == "in"


def refuted(answer: "Answer") -> str:
    """Say which two states cannot be told apart, after an independent check of the argument."""
    part, outcome = next(pair for pair in answer.answered if pair[1].answer == "out")
    machine, argument = outcome.machine, outcome.refutation
    assert machine is not None
    assert argument is not None
    given = refutation_of(answer)
    check_refutation(given["machine"], argument, answer.class_name, len(machine.alphabet))
    one, two = (argument["vertices"][v][0] for v in argument["pair"])
    seen = "" if part.letters is None else f" with {machine.alphabet[part.letters[0]]!r} in view"
    return f"states {one} and {two} count alike but need different answers{seen} (checked)"


def refutation_of(answer: "Answer") -> dict[str, Any]:
    """Return the refuted question as plain data."""
    part, outcome = next(pair for pair in answer.answered if pair[1].answer == "out")
    machine: Machine | None = outcome.machine
    assert machine is not None
    return {
        "class": answer.class_name,
        "last": None if part.letters is None else [machine.alphabet[a] for a in part.letters],
        "alphabet": list(machine.alphabet),
        "machine": {
            "transitions": machine.transitions.tolist(),
            "initial": machine.initial,
            "outputs": machine.outputs.tolist(),
        },
        "refutation": outcome.refutation,
    }


def checked_program(task: Any, answer: "Answer") -> "tuple[Program | None, str]":
    """Write the program of a yes and hold it against drawn instances."""
    if task.answers.read == "answer":
        return None, ""
    try:
        program = label_program(task, answer)
        report = check_task(program, task, instances=100, longest=40)
    except ProgramTooLargeError:
        return None, " (too large to write out)"
    except InputError as error:
        return None, f" (not tried on instances: {error})"
    assert report.mistake is None, f"a proved program fails on {report.mistake}"
    return program, f"; it solves {report.instances} drawn instances to length {report.longest}"


def label_program(task: Any, answer: "Answer") -> "Program":
    """Write one Boolean per label from the separated machines."""
    names, dfa, labels = Names(), task.answers.automaton, task.answers.names
    cases: dict[int, list[Bool]] = {index: [] for index in range(len(labels))}
    for part, outcome in answer.answered:
        assert outcome.machine is not None
        assert outcome.proof is not None
        assert part.letters is not None
        found = output_conditions(outcome.machine, outcome.proof, names)
        here = Symbol(dfa.alphabet[part.letters[0]])
        asked = {int(x) for x in part.original.outputs if x >= 0}
        for label in asked:
            holds = found.get(label, FALSE) if label else negation(either(found.values()))
            cases[label].append(both(here, holds))
    outputs = {label: either(options) for label, options in cases.items()}
    small = simplify_expressions(list(outputs.values()))
    chosen = {labels[label]: small[node] for label, node in outputs.items()}
    return Program([], alphabet=tuple(dict.fromkeys((*dfa.alphabet, *labels))), next=chosen)
