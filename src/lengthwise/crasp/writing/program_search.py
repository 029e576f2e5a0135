"""The driver: from examples to a program that writes, in the smallest class that suffices."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lengthwise.core.limits import Limits
from lengthwise.crasp.embedding import Q, any_of, count, false
from lengthwise.crasp.program import Program
from lengthwise.crasp.simplify import simplify
from lengthwise.crasp.syntax import Bool, Constant, Expression
from lengthwise.crasp.writing.examples import AskedTexts, QuestionTable
from lengthwise.crasp.writing.guards import guards
from lengthwise.crasp.writing.rules import Rule, RuleSearch
from lengthwise.crasp.writing.symbol_terms import terms
from lengthwise.crasp.writing.text_layout import TextLayout, read_layout

MOST_QUESTIONS = 2_500
LARGEST = 40
"""No program is looked for over more letters."""


@dataclass(frozen=True)
class Written:
    """A program that writes, and its rules in words."""

    program: Program
    rules: tuple[str, ...]


def write_program(
    examples: AskedTexts,
    order: Sequence[str],
    *,
    local: bool = False,
    periodic: bool = False,
    limits: Limits | None = None,
) -> Written | None:
    """Return a program that answers every question of the examples, or None.

    Args:
        examples: texts with the tokens asked for.
        order: all tokens, letters in the order in which the task sorts them, if it does.
        local: whether windows may be used.
        periodic: whether positions may be used.
        limits: time for the search; default: ten seconds.

    Example:
        >>> texts = [tuple(w) for w in ("ab#b", "ba#a", "aab#b", "bba#a", "bab#b", "a#a", "b#b")]
        >>> asked = [{text.index("#"): text[-1]} for text in texts]
        >>> write_program(AskedTexts(texts, asked), "ab#", local=True).rules
        ('the symbol 1 before',)
    """
    layout = read_layout(examples, order)
    if not layout.letters or len(layout.letters) > LARGEST or not examples.cells:
        return None
    limits = limits or Limits(10.0)
    table = QuestionTable(examples, tuple(order), MOST_QUESTIONS)
    named = list(terms(layout, local=local, periodic=periodic))
    tests = list(guards(layout, named, local=local, periodic=periodic))
    rules = RuleSearch(table, named, tests, limits).run()
    return None if rules is None else Written(_program(rules, order, layout), tuple(_shown(rules)))


def _shown(rules: Sequence[Rule]) -> list[str]:
    return [
        rule.action.name
        if isinstance(rule.guard, Constant)
        else f"if {rule.guard}: {rule.action.name}"
        for rule in rules
    ]


def _program(rules: Sequence[Rule], order: Sequence[str], layout: TextLayout) -> Program:
    """Write ``next`` for every token: the first rule whose guard holds speaks."""
    definitions = list(_names(layout))
    cases: dict[str, list[Bool]] = {}
    before: Bool = false
    for number, rule in enumerate(rules, 1):
        turn = rule.guard & ~before if number > 1 else rule.guard
        before = before | rule.guard if number > 1 else rule.guard
        if not isinstance(turn, Constant):
            definitions.append((f"RULE{number}", turn))
        for token, node in rule.action.cases.items():
            cases.setdefault(token, []).append(turn & node)
    chosen = {token: any_of(cases[token]) for token in order if token in cases}
    return simplify(Program(definitions, alphabet=tuple(order), next=chosen))


def _names(layout: TextLayout) -> Iterator[tuple[str, Expression]]:
    """Name what rules often speak of; ``simplify`` drops what they do not."""
    for number, part in enumerate(layout.parts.values(), 1):
        yield "PROMPT" if number == 1 else f"PART{number}", part
        for index, letter in enumerate(layout.letters, 1):
            yield f"COUNT{number}_{index}", count(Q[letter] & part)
    if layout.written is not None:
        yield "WRITTEN", layout.written
