"""Proposals as one page: what was tried, what it costs, what it looks like, how it trained."""

from collections.abc import Sequence
from pathlib import Path

from lengthwise.proposals.improvement import Improvement, Proposal
from lengthwise.records.result import RunResult
from lengthwise.report.curve_parts import encodings_of, runs_section
from lengthwise.report.curves import pool_runs
from lengthwise.report.document import Document, Prose, Section, Table, TableCell, words
from lengthwise.report.html import save
from lengthwise.report.measured import from_result
from lengthwise.report.run_page import curve_sections
from lengthwise.report.spelled import joined

LONGEST_PROGRAM = 4_000
VERDICT_COLUMNS = ["encoding", "generalizes", "strength", "because"]


def improvement_document(found: Improvement, results: Sequence[RunResult] = ()) -> Document:
    """Lay out proposals, and runs before and after if there are some."""
    runs = [from_result(result) for result in results]
    drawn = pool_runs(runs)
    sections = [_overview(found)] if found.proposals else []
    opened: list[dict[str, object]] = []
    if runs:
        listed, opened = runs_section(runs)
        sections += [*curve_sections(drawn, {}), listed]
    sections += [_section(number, one) for number, one in enumerate(found.proposals, 1)]
    if found.notes:
        sections.append(Section("What is missing", [Prose(note) for note in found.notes]))
    return Document(
        title=f"From no to yes: {found.before.subject}",
        subtitle=_lead(found),
        facts=[("proposals", str(len(found.proposals)))],
        sections=sections,
        encodings=encodings_of(drawn),
        runs=opened,
    )


def save_page(found: Improvement, results: Sequence[RunResult], path: Path) -> None:
    """Write the page, whole or not at all."""
    save(improvement_document(found, results), path)


def _lead(found: Improvement) -> str:
    if found.satisfied:
        return "A yes for every encoding already: nothing has to change."
    if found.best is None:
        return "No change that is known here makes it a yes."
    best, helped = found.best, sum(bool(one.yes) for one in found.proposals)
    told = joined([f"{verdict.encoding} ({verdict.label})" for verdict in best.yes])
    others = f" {helped} of {len(found.proposals)} changes that were tried help." if helped else ""
    return f"It becomes a yes with {told} if {best.change}: {best.task}.{others}"


def _overview(found: Improvement) -> Section:
    columns = [
        "change",
        "kind",
        "task",
        "yes with",
        "no with",
        "tokens per symbol",
        "to length",
        "layers",
    ]
    rows: list[list[TableCell]] = []
    for number, one in enumerate(found.proposals, 1):
        yes = ", ".join(f"{v.encoding} ({v.label})" for v in one.yes)
        no = ", ".join(v.encoding for v in one.prediction.verdicts if v.answer == "no")
        layers = None if one.weights is None else one.weights.layers
        length = "any" if one.longest is None else one.longest
        values = [number, one.kind, one.task, yes, no, one.tokens, length, layers]
        rows.append([words(value) for value in values])
    return Section("Changes that were tried", [Table("", columns, rows, prose=True)])


def _section(number: int, one: Proposal) -> Section:
    parts: list[Table | Prose] = [Prose(f"{one.kind}: {one.change}.")]
    if one.examples:
        parts.append(Prose("\n".join(one.examples), code=True))
    told = [
        [words(v.encoding), words(v.answer), words(v.label), words(v.because)]
        for v in one.prediction.verdicts
    ]
    parts.append(Table("Verdicts", VERDICT_COLUMNS, told, prose=True))
    if one.weights is not None:
        parts.append(Prose(f"weights: {one.weights.sentence()}."))
    if one.program is not None:
        more = "\n..." if len(one.program) > LONGEST_PROGRAM else ""
        parts.append(Prose(one.program[:LONGEST_PROGRAM] + more, code=True))
    first = one.yes[0].encoding if one.yes else "ape"
    command = f"lengthwise train '{one.task}' --encoding {first} --metric answer"
    parts.append(Prose(command, code=True))
    return Section(f"{number}. {one.task}", parts, folded=number > 1)
