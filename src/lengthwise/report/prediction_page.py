"""A prediction as one self-contained HTML page: the answer, why, what is needed, the evidence."""

import json
from collections.abc import Iterable
from pathlib import Path

from lengthwise.predict.card import CAVEAT, NO_REACH, conflicts, needs_of
from lengthwise.predict.classes import TITLES
from lengthwise.predict.types import STRENGTHS, Evidence, Prediction
from lengthwise.report.document import Document, Prose, Section, Table, TableCell, words
from lengthwise.report.html import render, save
from lengthwise.report.spelled import joined, spelled

TONES = {"yes": "good", "no": "bad", "undecided": "dim"}
LEADS = {
    "yes": "Predicted to work on longer inputs with {}.",
    "no": "Predicted to fail on longer inputs with {}.",
    "undecided": "Undecided with {}.",
}
MOST_TEXT = 20_000
"""Letters of a certificate that are shown; the JSON has all."""


def document(prediction: Prediction) -> Document:
    """Lay out a prediction."""
    sections = [
        Section("One answer per encoding", [_verdicts(prediction)]),
        *_listed("Conflicts", [f"{name}: {text}" for name, text in conflicts(prediction)]),
        *_listed("What a program needs", [", ".join(needs_of(prediction))]),
        *_listed("Try next", prediction.advice),
        *_shown_first(prediction.evidence),
        *_listed("Expected reach", _reach(prediction), folded=True),
        *map(_evidence, prediction.evidence),
        *_listed("Skipped", prediction.skipped),
        Section("What the strengths mean", [_strengths()], CAVEAT, folded=True),
    ]
    facts = [("kind", prediction.kind), ("question", prediction.question)]
    facts += [("read", prediction.read)] if prediction.read else []
    facts.append(("time", f"{prediction.seconds:.1f} s"))
    return Document(prediction.subject, _lead(prediction), facts, sections)


def _lead(prediction: Prediction) -> str:
    """Say the answers in a sentence or two."""
    by: dict[str, list[str]] = {}
    for verdict in prediction.verdicts:
        by.setdefault(verdict.answer, []).append(f"{verdict.encoding} ({verdict.label})")
    return " ".join(LEADS[answer].format(joined(names)) for answer, names in by.items())


def _verdicts(prediction: Prediction) -> Table:
    rows = [
        [
            TableCell(verdict.encoding, under=spelled(verdict.encoding)),
            TableCell(verdict.answer, tone=TONES[verdict.answer]),
            TableCell(verdict.label),
            TableCell(verdict.because, under=verdict.link or ""),
        ]
        for verdict in prediction.verdicts
    ]
    return Table("", ["encoding", "generalizes", "strength", "why"], rows, prose=True)


def _listed(title: str, texts: Iterable[str], *, folded: bool = False) -> list[Section]:
    found = [Prose(text) for text in texts if text]
    return [Section(title, found, folded=folded)] if found else []


def _reach(prediction: Prediction) -> list[str]:
    told = [
        f"{reach.encoding}: {reach.sentence()} ({', '.join(reach.subjects)})"
        for reach in prediction.reach
    ]
    return told or [NO_REACH]


def _shown_first(evidence: Iterable[Evidence]) -> list[Section]:
    """Return the program that solves it, where one was found."""
    for item in evidence:
        program = item.certificate.get("program") if isinstance(item.certificate, dict) else None
        if program:
            return [Section("A program that does it", [Prose(str(program), code=True)])]
    return []


def _evidence(item: Evidence) -> Section:
    """Return one piece of evidence, folded: what it claims, on what basis, what can be checked."""
    parts = [Prose(item.statement)]
    if item.claims:
        told = (f"{'in' if m else 'not in'} {TITLES[name]}" for name, m in item.claims.items())
        parts.append(Prose(f"Claims: {', '.join(told)}."))
    if item.basis:
        parts.append(Prose(f"Basis: {item.basis}"))
    if item.certificate:
        program = item.certificate.get("program") if isinstance(item.certificate, dict) else None
        text = str(program) if program else json.dumps(item.certificate, default=str)
        parts.append(Prose(text[:MOST_TEXT], code=True))
    return Section(f"Evidence, {item.label}: {item.provider}", parts, folded=True)


def _strengths() -> Table:
    rows = [[words(name), words(meaning)] for name, meaning in STRENGTHS.items()]
    return Table("", ["strength", "meaning"], rows, prose=True)


def render_page(prediction: Prediction) -> str:
    """Return the page; everything a user supplied is escaped.

    Example:
        >>> from lengthwise.predict import predict
        >>> "Predicted to work" in render_page(predict("(ab)*", encodings=["nope"]))
        True
    """
    return render(document(prediction))


def save_page(prediction: Prediction, path: Path) -> None:
    """Write the page; problems are one line."""
    save(document(prediction), path)
