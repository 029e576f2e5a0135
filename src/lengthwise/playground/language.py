"""The language view: a regular expression to its automaton, verdicts, certificate and program."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.languages.convention import LANGUAGES
from lengthwise.playground import commands, requests
from lengthwise.predict import predict_subject
from lengthwise.predict.card import details, rows
from lengthwise.report.certificate_steps import steps
from lengthwise.report.drawing import diagram, shown
from lengthwise.studies.known_results import known_suite
from lengthwise.subjects import as_language, read_subject
from lengthwise.theory.decide.decision import decide
from lengthwise.theory.decide.explain import TITLES

if TYPE_CHECKING:
    from lengthwise.languages.dfa import DFA
    from lengthwise.subjects import Subject
    from lengthwise.theory.decide.decision import Answer, Decision

BUDGET, DECIDED, SHORTENED, PREDICTED = 0.25, 0.35, 0.1, 0.8
"""Parts of the time limit: the decision's own budget, when it is cut off, the program, the rest."""


EXAMPLE_LENGTHS = (6, 5, 7, 4, 8, 3, 9, 10, 2, 1)
"""Lengths of the word that is tried first, the best first."""


def language(request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer for a regular expression, or for a task or program that has a regular language.

    Example:
        >>> found = language({"regex": "(aa)*", "accept": "end"})
        >>> [(row["encoding"], row["generalizes"]) for row in found["verdicts"]][:2]
        [('nope', 'no'), ('ape', 'yes')]
    """
    requests.refuse_others(request, ("regex", "alphabet", "accept", "store", "seconds"))
    pattern = requests.read_text(request, "regex", requests.REGEX, needed=True)
    alphabet = requests.read_text(request, "alphabet", requests.SMALL_TEXT)
    accept = requests.read_choice(request, "accept", LANGUAGES)
    seconds = float(request.get("seconds", requests.SECONDS))
    store = Path(request.get("store", "runs"))
    started = time.monotonic()
    read = read_subject(pattern, alphabet=alphabet or None, files=False, max_states=requests.STATES)
    subject = as_language(read, accept, Limits(BUDGET * seconds))
    dfa = subject.dfa
    assert dfa is not None
    decision = _decide(subject, dfa, seconds)
    program, own = _program(decision, SHORTENED * seconds), read.kind in ("task", "program")
    left = max(1.0, PREDICTED * seconds - (time.monotonic() - started))
    return {
        **_automaton(dfa),
        **_verdicts(subject, left, store),
        "answers": _answers(decision, DECIDED * seconds),
        "padding": None if decision is None else decision.neutral_letter_safe,
        "program": program,
        "word": _example(dfa),
        "reading": accept if accept == "end" else "last",
        "commands": commands.language(
            pattern, alphabet, accept, store, written=program is not None, own=own
        ),
        "elapsed": round(time.monotonic() - started, 2),
    }


def _decide(subject: "Subject", dfa: "DFA", seconds: float) -> "Decision | None":
    """Decide; None when a step that does not look at the clock takes too long."""
    try:
        with Limits(DECIDED * seconds).alarm("the decision"):
            budget = Limits(BUDGET * seconds)
            return decide(dfa, subject.accept, budget, **subject.about)
    except LimitReachedError:
        return None


def _automaton(dfa: "DFA") -> dict[str, Any]:
    """Return the automaton, what its picture leaves out, and the table of transitions."""
    found, note = diagram(dfa)
    kept = dfa.transitions.tolist()[: requests.LISTED_STATES]
    rows = [[_name(dfa, q), *map(str, row[:30])] for q, row in enumerate(kept)]
    head = ["state", *(shown(symbol) for symbol in dfa.alphabet[:30])]
    cut = len(kept) < dfa.states or dfa.symbols > 30
    table = {"head": head, "rows": rows, "cut": cut}
    return {
        "states": dfa.states,
        "automaton": None if found is None else found.to_json(),
        "note": note if found is not None else f"{note}; the table below lists them.",
        "table": table,
    }


def _example(dfa: "DFA") -> str:
    """Return a short word of the language; an empty language has any word."""
    lengths = [n for n in EXAMPLE_LENGTHS if dfa.count_words(n)]
    word = (
        [dfa.alphabet[a] for a in dfa.sample(np.random.default_rng(0), lengths[:1])[0]]
        if lengths
        else list(dfa.alphabet[:1])
    )
    return ("" if all(len(letter) == 1 for letter in dfa.alphabet) else " ").join(word)


def _name(dfa: "DFA", state: int) -> str:
    marks = ["start"] if state == dfa.initial else []
    marks += ["accepting"] if dfa.accepting[state] else []
    return f"{state} ({', '.join(marks)})" if marks else str(state)


def _verdicts(subject: "Subject", seconds: float, store: Path) -> dict[str, Any]:
    """Predict per encoding."""
    found = predict_subject(subject, Limits(seconds), suite=known_suite(store))
    return {"question": found.question, "verdicts": rows(found), "card": details(found)}


def _answers(decision: "Decision | None", seconds: float) -> list[dict[str, Any]]:
    """Return both classes; a yes for the smaller one is the argument for the larger."""
    if decision is None:
        text = f"The decision was not finished within {seconds:.1f} s."
        told = [{"title": "Tried", "text": text, "automaton": None}]
        known = {"answer": "undecided", "strength": "none", "steps": told, "certificate": None}
        return [{"title": "C-RASP, plain and with positions and windows", **known}]
    plain, general = _answer(decision.plain), _answer(decision.periodic_local)
    if decision.plain.is_in:
        text = "Plain C-RASP is part of this class, so the argument above holds here too."
        general["steps"] = [{"title": "Included", "text": text, "automaton": None}]
    return [plain, general]


def _answer(answer: "Answer") -> dict[str, Any]:
    certificate = answer.certificate()
    if certificate is None:
        told = [{"title": "Tried", "text": answer.tried, "automaton": None}]
    else:
        told = [step.to_json() for step in steps(certificate)]
    return {
        "title": TITLES[answer.class_name],
        "answer": answer.answer,
        "strength": answer.strength,
        "steps": told,
        "certificate": None if certificate is None else json.dumps(certificate),
    }


def _program(decision: "Decision | None", seconds: float) -> str | None:
    if decision is None:
        return None
    answer = decision.plain if decision.plain.is_in else decision.periodic_local
    program = answer.small_program(Limits(seconds))
    return None if program is None else str(program)
