"""A program that is the subject itself: it is in its own fragment, by definition."""

from typing import TYPE_CHECKING

from lengthwise.crasp.finite import to_automaton
from lengthwise.predict.classes import of_fragment
from lengthwise.predict.program_facts import program_facts
from lengthwise.predict.providers import Context
from lengthwise.predict.providers.decision import decide_language
from lengthwise.predict.types import Evidence

if TYPE_CHECKING:
    from lengthwise.crasp.program import Program


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


def _as_language(program: "Program", context: Context) -> list[Evidence]:
    if program.is_generator:
        return []
    dfa = to_automaton(program, program.all_letters(), seconds=min(5.0, context.clock.left() / 4))
    if dfa is None:
        return []
    note = "the program's own automaton"
    return decide_language(dfa.minimise(), "last", context.clock.left() / 2, note, {})
