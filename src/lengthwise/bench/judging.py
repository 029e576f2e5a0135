"""How often ``predict`` is right: every case with a known truth, with the default time limit."""

import time
from collections.abc import Iterable, Iterator
from importlib import import_module
from pkgutil import iter_modules

from lengthwise.bench import cases
from lengthwise.bench.cases import Case
from lengthwise.bench.measure import Figure, Judged
from lengthwise.core.errors import InputError
from lengthwise.predict import predict
from lengthwise.predict.prediction import TIME_LIMIT

GROUP = "answers"
ENCODINGS = {"plain": "nope", "periodic_local": "ape"}
"""The encoding whose verdict says whether a subject is in a class."""
SPARE = 1.0
"""Seconds that a prediction may take beyond its limit."""
UNDECIDED = 15.0
"""Per cent of the cases that may stay undecided."""
_WORDS = {True: "yes", False: "no"}


def answers(rounds: int) -> Iterator[Judged | Figure]:
    """Judge every case once, then sum up."""
    del rounds  # a case takes seconds, and its answer is what counts
    yield from judged(all_cases())


def judged(chosen: Iterable[Case]) -> Iterator[Judged | Figure]:
    """Judge some cases, then say how many were wrong, undecided, and how long the slowest took."""
    found: list[Judged] = []
    for case in chosen:
        found.append(judge(case))
        yield found[-1]
    yield from summary(found)


def all_cases() -> list[Case]:
    """Return the cases of every module beside ``cases`` that has some."""
    modules = [import_module(f"{cases.__name__}.{m.name}") for m in iter_modules(cases.__path__)]
    return [case for module in modules for case in getattr(module, "CASES", ())]


def judge(case: Case, time_limit: float = TIME_LIMIT) -> Judged:
    """Predict one case and compare.

    A case is wrong if one class is; else undecided if one is. Classes that nobody knows about are
    not asked.

    Example:
        >>> judge(Case("(ab)*", {"plain": True, "periodic_local": True}, "one counter")).outcome
        'right'
    """
    known = {name: case.truth[name] for name in ENCODINGS if case.truth.get(name) is not None}
    assert known, f"{case.label}: nothing is known about it"
    wanted = [ENCODINGS[name] for name in known]
    began, said, strength, outcome = time.monotonic(), "refused", "", "wrong"
    try:
        found = predict(
            case.subject, encodings=wanted, alphabet=case.alphabet, time_limit=time_limit
        )
    except InputError as error:
        said = f"refused: {error}"
    else:
        verdicts = {v.encoding: v for v in found.verdicts}
        said = ", ".join(f"{name} {v.answer}" for name, v in verdicts.items())
        strength = ", ".join(dict.fromkeys(v.label for v in found.verdicts if v.strength))
        each = {_outcome(verdicts[ENCODINGS[name]].answer, t) for name, t in known.items()}
        outcome = next(kind for kind in ("wrong", "undecided", "right") if kind in each)
    truth = ", ".join(f"{ENCODINGS[name]} {_WORDS[bool(t)]}" for name, t in known.items())
    return Judged(
        group=GROUP,
        name=case.label,
        truth=truth,
        reason=case.reason,
        answer=said,
        strength=strength,
        seconds=time.monotonic() - began,
        outcome=outcome,
    )


def _outcome(answer: str, truth: bool | None) -> str:
    return (
        "undecided"
        if answer == "undecided"
        else "right"
        if answer == _WORDS[bool(truth)]
        else "wrong"
    )


def summary(found: list[Judged]) -> list[Figure]:
    """Return the three figures that must be kept."""
    outcomes = [row.outcome for row in found]
    share = 100 * outcomes.count("undecided") / max(1, len(found))
    slowest = max((row.seconds for row in found), default=0.0)
    wrong, limit = outcomes.count("wrong"), TIME_LIMIT + SPARE
    return [
        Figure(group=GROUP, name="cases", value=len(found), unit=""),
        Figure(group=GROUP, name="wrong answers", value=wrong, unit="", at_most=0),
        Figure(group=GROUP, name="undecided", value=share, unit="%", at_most=UNDECIDED),
        Figure(group=GROUP, name="slowest", value=slowest, unit="s", at_most=limit),
    ]
