"""A prediction in words: the short card and the whole argument."""

import shlex
from collections.abc import Iterator
from typing import Any

from lengthwise.predict.types import STRENGTHS, Evidence, Prediction
from lengthwise.theory.decide.readings import disagreements

CAVEAT = (
    "Verdicts and training lengths are about an idealised learner that fits short inputs exactly "
    "and stays simple; they say nothing certain about SGD (Huang et al. 2025)."
)
NO_REACH = (
    "expected reach: too few similar tasks were trained for an estimate; `lengthwise lab "
    "scoreboard` trains a suite."
)
MORE = "--explain"
_NEEDS = {
    "depth": "counting depth {} (layers of counting)",
    "modulus": "positions mod {}",
    "window": "window of {} letters",
}


def rows(prediction: Prediction) -> list[dict[str, Any]]:
    """Return one row per encoding: the answer, its strength, and the class that decides it."""
    return [
        {
            "encoding": verdict.encoding,
            "generalizes": verdict.answer,
            "strength": verdict.label,
            "why": verdict.because.partition(": ")[0],
        }
        for verdict in prediction.verdicts
    ]


def card(prediction: Prediction) -> list[str]:
    """Return the lines below the table: what is needed, and what a reader must not miss.

    Everything else is in :func:`details`.
    """
    needs = needs_of(prediction)
    lines = [f"needs: {', '.join(needs)}"] if needs else []
    lines += [*read_elsewhere(prediction), *what_now(prediction)]
    told = [f"{encoding}: {text.partition(': ')[0]}" for encoding, text in conflicts(prediction)]
    if told:
        lines.append(f"conflicts ({MORE}): {'; '.join(dict.fromkeys(told))}")
    if tried(prediction):
        lines.append(f"undecided: {MORE} says what was tried")
    if prediction.skipped:
        lines.append(f"skipped: {'; '.join(prediction.skipped)}")
    return lines


def details(prediction: Prediction) -> list[str]:
    """Return what follows from the verdicts: needs, conflicts, reach, what to try next."""
    needs = needs_of(prediction)
    lines = [f"needs: {', '.join(needs)}"] if needs else []
    lines += read_elsewhere(prediction)
    lines += [f"tried: {text}" for text in tried(prediction)]
    lines += [f"conflict ({encoding}): {text}" for encoding, text in conflicts(prediction)]
    lines += [f"expected reach, {reach.encoding}: {reach.sentence()}" for reach in prediction.reach]
    if not prediction.reach:
        lines.append(NO_REACH)
    lines += [f"try next: {text}" for text in prediction.advice]
    lines += [f"skipped: {text}" for text in prediction.skipped]
    return [*lines, CAVEAT]


def needs_of(prediction: Prediction) -> list[str]:
    """Return what a program for it needs, where one is known."""
    if all(verdict.answer != "yes" for verdict in prediction.verdicts):
        return []
    facts = prediction.facts
    found = [
        text.format(facts[name])
        for name, text in _NEEDS.items()
        if name in facts and (name, facts[name]) not in (("modulus", 1), ("window", 0))
    ]
    if "padding_safe" in facts:
        found.append(f"robust to padding: {'yes' if facts['padding_safe'] else 'no'}")
    return found


def read_elsewhere(prediction: Prediction) -> list[str]:
    """Return one line if a language's answers depend on where it is read."""
    classes = {"plain": "nope", "periodic_local": "ape"}
    found = disagreements(prediction.readings, classes, {"in": "yes", "out": "no"})
    return [f"depends on where it is read (--accept): {'; '.join(found)}"] if found else []


def what_now(prediction: Prediction) -> list[str]:
    """Return one line that leads on, where no encoding is a yes and something can be changed."""
    answers = [verdict.answer for verdict in prediction.verdicts]
    if "yes" in answers or "no" not in answers or prediction.kind in ("function", "program"):
        return []
    return [f"what now: `lengthwise improve {shlex.quote(prediction.subject)}` proposes changes"]


def tried(prediction: Prediction) -> list[str]:
    """Return what was tried without an answer, where something stayed undecided."""
    if all(verdict.answer != "undecided" for verdict in prediction.verdicts):
        return []
    kinds = ("decision", "labels", "learned automaton", "counting program", "written program")
    return [e.statement for e in prediction.evidence if not e.claims and e.provider in kinds]


def conflicts(prediction: Prediction) -> list[tuple[str, str]]:
    """Return every conflict with its encoding."""
    return [(v.encoding, text) for v in prediction.verdicts for text in v.conflicts]


def explain(prediction: Prediction) -> str:
    """Return the whole argument as text.

    Example:
        >>> from lengthwise.predict import predict
        >>> print(explain(predict("(ab)*", encodings=["nope"])).splitlines()[0])
        (ab)*: regex, read at the last letter, which is visible
    """
    lines = [f"{prediction.subject}: {prediction.kind}, {prediction.question}", ""]
    if prediction.read:
        lines[1:1] = [f"read: {prediction.read}"]
    for verdict in prediction.verdicts:
        lines.append(f"{verdict.encoding}: {verdict.answer} ({verdict.label})")
        lines.append(f"  because: {verdict.because}")
        if verdict.link:
            lines.append(f"  link to training: {verdict.link}")
        lines += [f"  conflict: {text}" for text in verdict.conflicts]
    lines += ["", "Evidence:"]
    for number, item in enumerate(prediction.evidence, 1):
        lines += _evidence(number, item)
    lines += ["", *details(prediction), "", "Strengths, strongest first:"]
    lines += [f"  {name}: {meaning}" for name, meaning in STRENGTHS.items()]
    return "\n".join(lines)


def _evidence(number: int, item: Evidence) -> Iterator[str]:
    yield f"{number}. [{item.label}] {item.provider}: {item.statement}"
    if item.claims:
        claims = ", ".join(f"{'in' if m else 'not in'} {name}" for name, m in item.claims.items())
        yield f"   claims: {claims}"
    if item.basis:
        yield f"   basis: {item.basis}"
    certificate = item.certificate if isinstance(item.certificate, dict) else {}
    if certificate.get("program"):
        yield "   program:"
        yield from (f"     {line}" for line in str(certificate["program"]).splitlines()[:60])
    if certificate.get("sets"):
        yield from _fooling(certificate)
    if certificate.get("refutation"):
        yield from _refutation(certificate)


def _fooling(certificate: dict[str, Any]) -> Iterator[str]:
    first = certificate["sets"][min(2, len(certificate["sets"]) - 1)]
    yield f"   told apart, all pairs of: {', '.join(map(repr, first['prefixes'][:16]))}"
    yield f"   by some of the suffixes: {', '.join(map(repr, first['suffixes'][:16]))}"
    for one, two, suffix in certificate["pairs"][:3]:
        yield f"   and {one!r} from {two!r} by {suffix!r}"


def _refutation(certificate: dict[str, Any]) -> Iterator[str]:
    argument, letters = certificate["refutation"], certificate["alphabet"]
    one, two = (argument["vertices"][v][0] for v in argument["pair"])
    suffix = "".join(letters[a] for a in argument["suffix"]) or "the empty word"
    yield f"   states {one} and {two} have the same value under every bounded combination of"
    reason = f"{len(argument['chains'])} cancelling chains" if "chains" in argument else "joined"
    yield f"   counts ({reason}) but differ after {suffix}"
