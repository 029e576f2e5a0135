"""``lab communication``: what the first part of a word must tell the second."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from lengthwise.api.shown import Rows, Shown
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Count, Seconds

if TYPE_CHECKING:
    from lengthwise.theory.communication.summary import CommunicationReport

MEANING = {
    "silent": "constant bits: the communication bound excludes nothing",
    "log": "logarithmic bits so far: the communication bound excludes nothing",
    "linear": "linear bits so far; if it goes on, excluded for every PERIODIC and LOCAL limit "
    "transformer",
    "unknown": "no counts, or rows that multiply so far and were not seen to go on in long words",
}


@dataclass(frozen=True)
class Crossed(Shown):
    """What must cross a cut, from below and, for a program, from above."""

    found: "CommunicationReport"

    def parts(self) -> Iterator[str | Rows]:
        """Yield the counts, what is told apart, the messages and the verdict."""
        found = self.found
        if found.growth is not None:
            pairs = zip(found.growth.halves, found.growth.rows, found.growth.bits, strict=True)
            kind = "rows of the communication matrix" if found.fooling is None else "told apart"
            yield Rows(
                [{"length": n, "rows": r, "bits at least": f"{bits:.2f}"} for n, r, bits in pairs],
                f"{found.subject}: {kind}",
            )
        yield f"split: {found.split}"
        if found.fooling is not None:
            yield from _told_apart(found.fooling)
        if found.messages:
            rows = [
                {"half N": m.half, "program (P1)": m.program_bits, "transformer (P2)": m.model_bits}
                for m in found.messages
            ]
            yield Rows(rows, "bits that Alice sends; Bob was right about everything")
        yield f"verdict: {found.verdict} ({MEANING[found.verdict]})"

    def to_json(self) -> dict[str, Any]:
        """Return the counts with everything that must be told apart."""
        return {**asdict(self.found), "verdict": self.found.verdict}


@verb()
def communication(
    subject: str,
    *,
    alphabet: str | None = None,
    longest: Count = 6,
    set_: str = "",
    time_limit: Seconds = 60.0,
) -> Crossed:
    """Count what must cross a cut of a function, task, program or language.

    Rows of the communication matrix, and prefixes that must be told apart, bound the message from
    below; for a program the protocols that bound it from above are run. Verdict: silent (constant),
    log or linear bits, from the lengths counted.

    Example: lengthwise lab communication dyck-1

    Args:
        subject: A program (`x.cr` or a name from `list programs`), a task, a regular expression, an
            automaton (`x.json`) or a Python predicate on words (`file.py:name`, with --alphabet).
        alphabet: The letters of a regular expression or a function.
        longest: Longest half whose matrix is counted.
        set_: Values of the program's parameters, e.g. n=3.
        time_limit: Seconds for reading a function and looking for prefixes.
    """
    from lengthwise.predict.crossing import crossing

    found = crossing(
        subject, longest=longest, parameters=set_, alphabet=alphabet, time_limit=time_limit
    )
    return Crossed(found)


def _told_apart(fooling: dict[str, Any]) -> Iterator[str]:
    """Show one small set, and where there are some a long pair."""
    sets = fooling["sets"]
    shown = next((item for item in sets if len(item["prefixes"]) >= 4), sets[-1])
    behind = shown.get("suffixes") or shown["answers"]
    name = "suffixes" if "suffixes" in shown else "answers"
    yield f"told apart: {', '.join(map(repr, shown['prefixes'][:8]))}"
    yield f"by the {name}: {', '.join(map(repr, behind[:8]))}"
    for one, two, suffix in fooling.get("pairs", ())[-1:]:
        yield f"and {one!r} from {two!r} by {suffix!r}"
