"""A program that is the subject itself: it is in its own fragment, by definition."""

from typing import TYPE_CHECKING, Any

from lengthwise.predict.classes import of_fragment
from lengthwise.predict.providers import Context
from lengthwise.predict.types import Evidence

if TYPE_CHECKING:
    from lengthwise.crasp.program import Program

LENGTH = 100
"""Counter ranges are given for words of this length."""


def own_program(context: Context) -> list[Evidence]:
    """Read the fragment off the program; a finite one is decided as a language as well."""
    program = context.subject.program
    if program is None:
        return []
    facts = program_facts(program)
    statement = f"the program uses {facts['fragment']} predicates only (depth {facts['depth']})"
    own = Evidence(
        "program",
        statement,
        "proof",
        {of_fragment(facts["fragment"]): True},
        basis="by definition of the fragment",
        facts=facts,
        certificate={"program": str(program)},
    )
    return [own, *_as_language(program, context)]


def program_facts(program: "Program") -> dict[str, Any]:
    """Return depth, size, layers, fragment and the largest count on words of length 100.

    Example:
        >>> from lengthwise.crasp.library import load
        >>> program_facts(load("dyck-1"))["depth"]
        2
    """
    from lengthwise.crasp.facts import analyse, ranges
    from lengthwise.crasp.syntax import postorder

    summary = analyse(program)
    found = ranges(postorder(program.roots), LENGTH).values()
    largest = max((max(abs(low), abs(high)) for low, high in found), default=0)
    return {
        "depth": summary.depth,
        "size": summary.size,
        "layers": len(summary.layers),
        "fragment": summary.fragment,
        "modulus": max(summary.periods, default=1),
        "window": max(summary.offsets, default=0),
        "counter_range": f"at most {largest} on words of length {LENGTH}",
    }


def _as_language(program: "Program", context: Context) -> list[Evidence]:
    from lengthwise.crasp.finite import to_automaton
    from lengthwise.predict.providers.decision import decide_language

    if program.is_generator:
        return []
    dfa = to_automaton(program, program.all_letters(), seconds=min(5.0, context.clock.left() / 4))
    if dfa is None:
        return []
    note = "the program's own automaton"
    return decide_language(dfa.minimise(), "last", context.clock.left() / 2, note, {})
