"""``lengthwise lab communication``: what the first half of a word must tell the second."""

from dataclasses import asdict
from typing import Annotated, Any

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, console, print_json, print_table

Set = Annotated[str, Parameter(name="--set")]
MEANING = {
    "silent": "constant bits: the communication bound excludes nothing",
    "log": "logarithmic bits so far: the communication bound excludes nothing",
    "linear": "linear bits so far; if it goes on, excluded for every PERIODIC and LOCAL limit "
    "transformer",
}


def communication(
    subject: str,
    *,
    longest: Count = 6,
    alphabet: str | None = None,
    parameters: Set = "",
    as_json: Json = False,
) -> None:
    """Count the one-way communication of a task or program, and run the protocols for a program.

    Rows of the communication matrix bound the message from below; the protocols bound it from
    above. Verdict: silent (constant), log or linear bits, from the lengths counted.

    Example: lengthwise lab communication dyck-1

    Parameters
    ----------
    subject
        A program (`x.cr` or a name from ``list programs``), a regular expression, an automaton
        (`x.json`), a task about a regular language, a Python predicate on words (`file.py:name`,
        with --alphabet), or one of: square, palindrome, parity, repeat-copy, addition,
        binary-majority, mode, sort.
    longest
        Longest half whose matrix is counted.
    alphabet
        The letters of a regular expression or a function.
    parameters
        Values of the program's parameters, e.g. n=3.
    as_json
        Print JSON instead of tables.
    """
    from lengthwise.subjects.messages import communication as count

    found = count(subject, longest, alphabet=alphabet, parameters=parameters)
    if as_json:
        print_json({**asdict(found), "verdict": found.verdict})
        return
    _print(found)


def _print(found: Any) -> None:
    if found.growth is not None:
        pairs = zip(found.growth.halves, found.growth.rows, found.growth.bits, strict=True)
        print_table(
            [{"half N": n, "rows": r, "bits at least": f"{bits:.2f}"} for n, r, bits in pairs],
            title=f"{found.subject}: rows of the communication matrix",
        )
    if found.messages:
        print_table(
            [
                {"half N": m.half, "program (P1)": m.program_bits, "transformer (P2)": m.model_bits}
                for m in found.messages
            ],
            title="bits that Alice sends; Bob was right about everything",
        )
    console().print(f"verdict: {found.verdict} ({MEANING[found.verdict]})", highlight=False)
