"""A prediction as one self-contained HTML page: the answer, why, what is needed, the evidence."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.crasp import parse, trace
from lengthwise.languages.convention import Accept
from lengthwise.languages.dfa import DFA
from lengthwise.predict.card import CAVEAT, NO_REACH, conflicts, needs_of, what_now
from lengthwise.predict.classes import TITLES
from lengthwise.predict.types import STRENGTHS, Evidence, Prediction
from lengthwise.report.certificate_steps import question_steps, steps
from lengthwise.report.document import (
    Document,
    Part,
    ProgramListing,
    Prose,
    Section,
    ShapeDrawing,
    Table,
    TableCell,
    words,
)
from lengthwise.report.drawing import draw_automaton
from lengthwise.report.html import render, save
from lengthwise.report.spelled import joined, spelled
from lengthwise.report.trace_page import trace_table

TONES = {"yes": "good", "no": "bad", "undecided": "dim"}
LEADS = {
    "yes": "Predicted to work on longer inputs with {}.",
    "no": "Predicted to fail on longer inputs with {}.",
    "undecided": "Undecided with {}.",
}
ABOUT = (
    "C-RASP is a language of programs that count earlier positions and compare counts, as "
    "attention can at every length; periodic programs also see positions modulo a number, "
    "local ones the last few symbols."
)
MOST_TEXT, MOST_LINES, MOST_PREFIXES = 20_000, 24, 4
"""Letters of a certificate, lines of a program and beginnings that are shown; the JSON has all."""


def document(prediction: Prediction) -> Document:
    """Lay out a prediction: answers, the automaton with a program, what stands in the way."""
    sections = [
        Section("", [_verdicts(prediction)]),
        *_solution(prediction),
        *_refutations(prediction),
        *_listed("Conflicts", [f"{name}: {text}" for name, text in conflicts(prediction)]),
        *_listed("Try next", [*prediction.advice, *what_now(prediction)]),
        *_listed("Expected reach", _reach(prediction), folded=True),
        *map(_evidence, prediction.evidence),
        *_listed("Skipped", prediction.skipped, folded=True),
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
        strength = f" ({verdict.label})" if verdict.label.strip("-") else ""
        by.setdefault(verdict.answer, []).append(f"{verdict.encoding}{strength}")
    return " ".join(LEADS[answer].format(joined(names)) for answer, names in by.items())


def _verdicts(prediction: Prediction) -> Table:
    rows = [
        [
            TableCell(verdict.encoding, under=spelled(verdict.encoding)),
            TableCell(verdict.answer, tone=TONES[verdict.answer]),
            TableCell(verdict.label),
            TableCell(verdict.because.partition(": ")[0], under=verdict.link or ""),
        ]
        for verdict in prediction.verdicts
    ]
    return Table("", ["encoding", "generalizes", "strength", "why"], rows, ABOUT, prose=True)


def _listed(title: str, texts: Iterable[str], *, folded: bool = False) -> list[Section]:
    found = [Prose(f"{text[0].upper()}{text[1:]}") for text in texts if text]
    return [Section(title, found, folded=folded)] if found else []


def _reach(prediction: Prediction) -> list[str]:
    told = [
        f"{reach.encoding}: {reach.sentence()} ({', '.join(reach.subjects)})"
        for reach in prediction.reach
    ]
    return told or [NO_REACH]


def _solution(prediction: Prediction) -> list[Section]:
    """Return the automaton, a program that does it, and its run on a word, where there are some."""
    parts: list[Part] = []
    known = [_data(item) for item in prediction.evidence]
    shown = next((given for given in known if given.get("program")), {})
    drawn = next((given for given in known if "dfa" in given), None)
    dfa = None if drawn is None else DFA(drawn["alphabet"], **drawn["dfa"])
    if dfa is not None:
        picture, note = draw_automaton(dfa)
        parts += (
            [Prose(note)] if picture is None else [ShapeDrawing("The automaton", picture, note)]
        )
    if shown:
        text, cut = str(shown["program"]).rstrip(), ""
        if text.count("\n") >= MOST_LINES:
            cut = f"The first {MOST_LINES} of {text.count(chr(10)) + 1:,} lines; --json has all."
            text = "\n".join(text.splitlines()[:MOST_LINES])
        parts.append(ProgramListing("A program that does it", text, cut))
    if dfa is not None and shown and shown.get("accept") in ("end", "last"):
        parts += _run(dfa, str(shown["program"]), shown["accept"])
    needs = ", ".join(needs_of(prediction))
    note = f"Needs: {needs}." if needs else ""
    title = "A program for it" if dfa is None else "The language and a program for it"
    return [Section(title if shown else "The language", parts, note)] if parts else []


def _run(dfa: DFA, text: str, accept: Accept) -> list[Part]:
    """Return the program's run on a word of the language."""
    length = next((n for n in (*range(6, 0, -1), *range(7, 20)) if dfa.count_words(n)), None)
    program = parse(text)
    if length is None or len(program.definitions) > MOST_LINES:
        return []
    (word,) = dfa.sample(np.random.default_rng(0), [length])
    symbols = [dfa.alphabet[a] for a in word]
    return [trace_table(trace(program, symbols, accept=accept), f"Its run on {dfa.decode(word)}")]


def _refutations(prediction: Prediction) -> list[Section]:
    """Return what stands in the way, for the encodings that are a no."""
    found = []
    for item in prediction.evidence:
        failing = [
            v.encoding for v in prediction.verdicts if v.answer == "no" and item in v.evidence
        ]
        told = _argument(_data(item)) if failing else []
        if told:
            found.append(Section(f"Why it fails with {joined(failing)}", told))
    return found


def _data(item: Evidence) -> dict[str, Any]:
    return item.certificate if isinstance(item.certificate, dict) else {}


def _argument(given: dict[str, Any]) -> list[Part]:
    """Return the steps of a certificate or of a refuted question; nothing for other data."""
    if given.get("format") == "lengthwise-certificate":
        told = steps(given)
    elif "refutation" in given:
        told = question_steps(given)
    elif "sets" in given:
        return [_fooling(given)]
    else:
        return []
    parts: list[Part] = []
    for step in told:
        if step.picture is not None:
            parts.append(ShapeDrawing(step.title, step.picture, step.text))
        elif "\n" in step.text:
            head, *lines = step.text.splitlines()
            parts += [Prose(head, head=step.title), Prose("\n".join(lines), code=True)]
        else:
            parts.append(Prose(step.text, head=step.title))
    return parts


def _fooling(given: dict[str, Any]) -> Table:
    """Return the prompts that one end must tell apart, by the length of their first parts."""
    rows = [
        [
            words(length),
            words(len(one["prefixes"])),
            words(", ".join(one["prefixes"][:MOST_PREFIXES])),
            words(one["end"]),
        ]
        for length, one in zip(given["lengths"], given["sets"], strict=True)
    ]
    columns = ["length of the first part", "first parts to tell apart", "such as", "then comes"]
    return Table("", columns, rows, "All have different answers although they end alike.")


def _evidence(item: Evidence) -> Section:
    """Return one piece of evidence, folded: what it claims, on what basis, what can be checked."""
    parts: list[Part] = [Prose(item.statement)]
    if item.claims:
        told = (f"{'in' if m else 'not in'} {TITLES[name]}" for name, m in item.claims.items())
        parts.append(Prose(f"Claims: {', '.join(told)}."))
    if item.basis:
        parts.append(Prose(f"Basis: {item.basis}"))
    given = _data(item)
    if given.get("answer") == "in":
        parts += _argument(given)
    elif item.certificate and not _argument(given) and not given.get("program"):
        parts.append(Prose(json.dumps(item.certificate, default=str)[:MOST_TEXT], code=True))
    about = f" on {joined([TITLES[name] for name in item.claims])}" if item.claims else ""
    return Section(f"Evidence: {item.provider}{about} ({item.label})", parts, folded=True)


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
