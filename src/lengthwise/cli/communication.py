"""``lengthwise lab communication``: what the first part of a word must tell the second."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, console, print_json, print_table

if TYPE_CHECKING:
    from lengthwise.theory.communication.summary import Report

Set = Annotated[str, Parameter(name="--set")]
MEANING = {
    "silent": "constant bits: the communication bound excludes nothing",
    "log": "logarithmic bits so far: the communication bound excludes nothing",
    "linear": "linear bits so far; if it goes on, excluded for every PERIODIC and LOCAL limit "
    "transformer",
    "unknown": "nothing could be counted",
}


def communication(
    subject: str,
    *,
    alphabet: str | None = None,
    longest: Count = 6,
    parameters: Set = "",
    time_limit: float = 60.0,
    as_json: Json = False,
) -> None:
    """Count what must cross a cut of a function, task, program or language.

    Rows of the communication matrix, and prefixes that must be told apart, bound the message from
    below; for a program the protocols that bound it from above are run. Verdict: silent (constant),
    log or linear bits, from the lengths counted.

    Example: lengthwise lab communication dyck-1

    Parameters
    ----------
    subject
        A program (`x.cr` or a name from ``list programs``), a task, a regular expression, an
        automaton (`x.json`) or a Python predicate on words (`file.py:name`, with --alphabet).
    alphabet
        The letters of a regular expression or a function.
    longest
        Longest half whose matrix is counted.
    parameters
        Values of the program's parameters, e.g. n=3.
    time_limit
        Seconds for reading a function and looking for prefixes.
    as_json
        Print JSON instead of tables, with everything that must be told apart.
    """
    from lengthwise.predict.crossing import crossing

    found = crossing(
        subject, longest=longest, parameters=parameters, alphabet=alphabet, time_limit=time_limit
    )
    if as_json:
        print_json({**asdict(found), "verdict": found.verdict})
        return
    _print(found)


def _print(found: "Report") -> None:
    if found.growth is not None:
        pairs = zip(found.growth.halves, found.growth.rows, found.growth.bits, strict=True)
        kind = "rows of the communication matrix" if found.fooling is None else "told apart"
        print_table(
            [{"length": n, "rows": r, "bits at least": f"{bits:.2f}"} for n, r, bits in pairs],
            title=f"{found.subject}: {kind}",
        )
    console().print(f"split: {found.split}", markup=False, highlight=False)
    if found.fooling is not None:
        _print_fooling(found.fooling)
    if found.messages:
        print_table(
            [
                {"half N": m.half, "program (P1)": m.program_bits, "transformer (P2)": m.model_bits}
                for m in found.messages
            ],
            title="bits that Alice sends; Bob was right about everything",
        )
    console().print(f"verdict: {found.verdict} ({MEANING[found.verdict]})", highlight=False)


def _print_fooling(fooling: dict[str, Any]) -> None:
    """Show one small set, and where there are some a long pair."""
    sets = fooling["sets"]
    shown = next((item for item in sets if len(item["prefixes"]) >= 4), sets[-1])
    behind = shown.get("suffixes") or shown["answers"]
    name = "suffixes" if "suffixes" in shown else "answers"
    out = console()
    words = ", ".join(map(repr, shown["prefixes"][:8]))
    out.print(f"told apart: {words}", markup=False, highlight=False)
    words = ", ".join(map(repr, behind[:8]))
    out.print(f"by the {name}: {words}", markup=False, highlight=False)
    for one, two, suffix in fooling.get("pairs", ())[-1:]:
        text = f"and {one!r} from {two!r} by {suffix!r}"
        out.print(text, markup=False, highlight=False)
