"""A Python predicate: a counting program fitted to its answers and tried on longer words."""

from typing import TYPE_CHECKING

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.crasp.from_answers import program_from_answers
from lengthwise.predict.classes import of_fragment
from lengthwise.predict.program_facts import program_facts
from lengthwise.predict.providers import Context
from lengthwise.predict.types import Evidence

if TYPE_CHECKING:
    from lengthwise.languages.convention import Accept

SHARE = 0.45
"""Of the time that is left."""
NAME = "counting program"


def counting_program(context: Context) -> list[Evidence]:
    """Fit a program where no automaton has decided; what is doubtful claims nothing."""
    subject, function = context.subject, context.subject.function
    if function is None or context.settled("periodic_local"):
        return []
    if subject.accept not in ("last", "end"):
        return [_nothing("programs are learned for answers read at the last letter or behind it")]
    if function.one_sided:
        return [_nothing("no program was looked for: all long words have the same answer")]
    accept: Accept = "end" if subject.accept == "end" else "last"
    seconds = SHARE * context.clock.left()
    try:
        # leaves time to ask the function again
        with Limits(1.5 * seconds).alarm("the search for a program"):
            found = program_from_answers(function, accept, seconds=seconds)
    except LimitReachedError:
        return [_nothing("no program found in time")]
    if found.program is None:
        return [_nothing(found.doubt)]
    facts = program_facts(found.program)
    statement = (
        f"a {facts['fragment']} program of depth {facts['depth']}, learned, agrees with all that "
        f"was read, among it {found.longer:,} longer members to length {found.longest}"
    )
    return [
        Evidence(
            NAME,
            statement,
            "sampled",
            {of_fragment(facts["fragment"]): True},
            basis="fitted to short words, tried on longer ones made for it; not proved equal",
            facts=facts,
            certificate={"program": str(found.program)},
        )
    ]


def _nothing(text: str) -> Evidence:
    return Evidence(NAME, text, "sampled")
