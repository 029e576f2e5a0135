"""The language view: a regular expression to its automaton, verdicts, certificate and program."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.playground import commands, limits
from lengthwise.playground.drawing import draw, shown
from lengthwise.playground.steps import steps

if TYPE_CHECKING:
    from lengthwise.languages.dfa import DFA
    from lengthwise.theory.decide.decision import Answer, Decision

READINGS = ("last", "end", "predict")
BUDGET, DECIDED, PREDICTED = 0.25, 0.35, 0.8
"""Parts of the time limit: the decision's own budget, when it is cut off, and the prediction."""


def language(request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer for a regular expression.

    Example:
        >>> found = language({"regex": "(aa)*", "accept": "end"})
        >>> [(row["encoding"], row["generalizes"]) for row in found["verdicts"]][:2]
        [('nope', 'no'), ('ape', 'yes')]
    """
    from lengthwise.languages.regex import compile_regex

    limits.refuse_others(request, ("regex", "alphabet", "accept", "store", "seconds"))
    pattern = limits.read_text(request, "regex", limits.REGEX, needed=True)
    alphabet = limits.read_text(request, "alphabet", limits.SMALL_TEXT)
    accept = limits.read_choice(request, "accept", READINGS)
    seconds = float(request.get("seconds", limits.SECONDS))
    store = Path(request.get("store", "runs"))
    started = time.monotonic()
    dfa = compile_regex(pattern, alphabet or None, max_states=limits.STATES)
    decision = _decide(dfa, accept, seconds, pattern)
    program = _program(decision)
    left = max(1.0, PREDICTED * seconds - (time.monotonic() - started))
    return {
        **_automaton(dfa),
        **_verdicts(pattern, dfa, accept, left, store),
        "answers": _answers(decision, DECIDED * seconds),
        "padding": None if decision is None else decision.neutral_letter_safe,
        "program": program,
        "reading": accept if accept == "end" else "last",
        "commands": commands.language(pattern, alphabet, accept, store, program is not None),
        "elapsed": round(time.monotonic() - started, 2),
    }


def _decide(dfa: "DFA", accept: str, seconds: float, pattern: str) -> "Decision | None":
    """Decide; None when a step that does not look at the clock takes too long."""
    from lengthwise.core.budget import Budget
    from lengthwise.core.clock import OutOfTimeError, alarm
    from lengthwise.theory.decide.decision import decide

    try:
        with alarm(DECIDED * seconds):
            return decide(dfa, accept, Budget(seconds=BUDGET * seconds), regex=pattern)
    except OutOfTimeError:
        return None


def _automaton(dfa: "DFA") -> dict[str, Any]:
    """Return the picture, what it leaves out, and the table of transitions."""
    alive = dfa.live()
    dead = [q for q in range(dfa.states) if not alive[q] and q != dfa.initial]
    drawn = dfa.states - len(dead)
    found: dict[str, Any] = {"states": dfa.states, "picture": None, "note": ""}
    table = dfa.transitions.tolist()
    final = [q for q in range(dfa.states) if dfa.accepting[q]]
    if drawn > limits.DRAWN_STATES:
        found["note"] = (
            f"{drawn:,} states are too many to draw (the limit is {limits.DRAWN_STATES}); "
            "the table below lists them."
        )
    else:
        found["picture"] = draw(dfa.alphabet, table, dfa.initial, final, hidden=dead).to_json()
        if dead:
            found["note"] = f"The dead state {dead[0]} and the arrows into it are left out."
    kept = table[: limits.LISTED_STATES]
    rows = [[_name(dfa, q), *map(str, row[:30])] for q, row in enumerate(kept)]
    head = ["state", *(shown(symbol) for symbol in dfa.alphabet[:30])]
    found["table"] = {"head": head, "rows": rows, "cut": len(kept) < dfa.states or dfa.symbols > 30}
    return found


def _name(dfa: "DFA", state: int) -> str:
    marks = ["start"] if state == dfa.initial else []
    marks += ["accepting"] if dfa.accepting[state] else []
    return f"{state} ({', '.join(marks)})" if marks else str(state)


def _verdicts(pattern: str, dfa: "DFA", accept: str, seconds: float, store: Path) -> dict[str, Any]:
    """Predict per encoding; the subject is built here, so that no text is taken for a file."""
    from lengthwise.core.clock import Clock
    from lengthwise.predict import Subject, predict_subject
    from lengthwise.predict.card import card, rows
    from lengthwise.studies.known_results import known_measurements

    _, suite = known_measurements(store, commands.plain_regex(pattern), None)
    subject = Subject(pattern, "regex", accept, dfa=dfa, about={"regex": pattern})
    found = predict_subject(subject, Clock(seconds), suite=suite)
    return {"question": found.question, "verdicts": rows(found), "card": card(found)}


def _answers(decision: "Decision | None", seconds: float) -> list[dict[str, Any]]:
    """Return both classes; a yes for the smaller one is the argument for the larger."""
    if decision is None:
        text = f"The decision was not finished within {seconds:.1f} s."
        told = [{"title": "Tried", "text": text, "picture": None}]
        known = {"answer": "undecided", "strength": "none", "steps": told}
        return [{"title": "C-RASP, plain and with positions and windows", **known}]
    plain, general = _answer(decision.plain), _answer(decision.periodic_local)
    if decision.plain.is_in:
        text = "Plain C-RASP is part of this class, so the argument above holds here too."
        general["steps"] = [{"title": "Included", "text": text, "picture": None}]
    return [plain, general]


def _answer(answer: "Answer") -> dict[str, Any]:
    from lengthwise.theory.decide.explain import TITLES

    certificate = answer.certificate()
    if certificate is None:
        told = [{"title": "Tried", "text": answer.tried, "picture": None}]
    else:
        told = steps(certificate)
    return {
        "title": TITLES[answer.class_name],
        "answer": answer.answer,
        "strength": answer.strength,
        "steps": told,
    }


def _program(decision: "Decision | None") -> str | None:
    if decision is None:
        return None
    answer = decision.plain if decision.plain.is_in else decision.periodic_local
    return None if answer.program is None else str(answer.program)
