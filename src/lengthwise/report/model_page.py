"""One model as a page: its curve beside the prediction for its encoding, and how it was asked."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from lengthwise.report.curve_parts import accuracy_tables, encodings_of, panels
from lengthwise.report.curves import Curve
from lengthwise.report.document import Document, Panels, Prose, Section
from lengthwise.report.html import save

INTERVALS = "Bands: 95% Wilson intervals over test instances."


def save_model_page(
    curve: Curve,
    path: Path,
    title: str,
    *,
    prompt: str | None = None,
    verdict: Mapping[str, str] | None = None,
) -> None:
    """Write the page; ``prompt`` is one text that a pretrained model was given, with its answer."""
    save(model_document(curve, title, prompt=prompt, verdict=verdict), path)


def model_document(
    curve: Curve,
    title: str,
    *,
    prompt: str | None = None,
    verdict: Mapping[str, str] | None = None,
) -> Document:
    """Lay out the page."""
    found = {curve.task: {curve.encoding: dict(verdict)}} if verdict else {}
    seen = "the examples in the prompt" if prompt is not None else "training"
    low, high = curve.trained
    drawn = [replace(p, note=f"lengths {low} to {high} in {seen}") for p in panels([curve], found)]
    note = f"Exact match against length. Shaded: lengths seen in {seen}. {INTERVALS}"
    sections = [
        Section("Accuracy against length", [Panels(drawn)], note),
        Section("Accuracy by range of lengths", accuracy_tables([curve])),
    ]
    if prompt is not None:
        about = "The shortest instance that was measured, with the answer that counts as right."
        sections.append(Section("How it was asked", [Prose(prompt, code=True)], about))
    return Document(
        title=title,
        subtitle=said(curve, verdict, seen),
        facts=[("task", curve.task), ("encoding", curve.encoding)],
        sections=sections,
        encodings=encodings_of([curve]),
    )


def said(curve: Curve, verdict: Mapping[str, str] | None, seen: str) -> str:
    """Say first what was predicted and what was measured, and if one tests the other."""
    sentences: list[str] = []
    if verdict:
        answer, strength = verdict["answer"], verdict["strength"].strip("-")
        sentences.append(
            f"Predicted for {curve.encoding.partition(':')[0]}, if trained on the task: {answer} "
            f"({strength})."
        )
    near, far = curve.bins[0], curve.bins[-1]
    sentences.append(
        f"Measured: {near.accuracy:.1%} at lengths {near.name}, {far.accuracy:.1%} at {far.name}."
    )
    if verdict and not curve.fitted:
        sentences.append(f"The lengths of {seen} are not mastered, so this tests no prediction.")
    return " ".join(sentences)
