"""Whole programs: the parts of a yes put together under an acceptance convention."""

from lengthwise.crasp.program import Program
from lengthwise.crasp.simplify import simplify, simplify_expressions
from lengthwise.crasp.syntax import Bool, Expression, Symbol
from lengthwise.languages.dfa import DFA
from lengthwise.languages.machine import Machine, Part
from lengthwise.theory.decide.conditions import FALSE, TRUE, Names, both, either, negation
from lengthwise.theory.decide.search import Constructive
from lengthwise.theory.decide.synthesis import output_conditions


def write_program(
    dfa: DFA, accept: str, answered: list[tuple[Part, Machine, Constructive]]
) -> Program:
    """Return one simplified program for all parts.

    Under ``end`` and ``last`` its last definition accepts; under ``predict`` there is one
    definition ``may_1``, ``may_2``, ... per symbol of the alphabet, in order, and ``may_stop``.
    """
    names = Names()
    conditions = [
        (part, output_conditions(machine, proof, names)) for part, machine, proof in answered
    ]
    if accept == "predict":
        return _predictor(dfa, conditions, names)
    cases = [both(_last_letter(dfa, part), found.get(1, FALSE)) for part, found in conditions]
    defined: list[tuple[str, Expression]] = [(n, node) for node, n in names.definitions.items()]
    final = bool(dfa.accepting[dfa.initial])
    program = Program([*defined, ("accept", either(cases))], alphabet=dfa.alphabet, empty=final)
    return simplify(program)


def _last_letter(dfa: DFA, part: Part) -> Bool:
    if part.letters is None or len(part.letters) == dfa.symbols:
        return TRUE
    return either(Symbol(dfa.alphabet[letter]) for letter in part.letters)


def _predictor(dfa: DFA, conditions: list[tuple[Part, dict[int, Bool]]], names: Names) -> Program:
    """One Boolean per possible continuation; output numbers stand for sets of continuations."""
    alive = dfa.live()
    sets = [
        (*map(bool, alive[row]), bool(dfa.accepting[q])) for q, row in enumerate(dfa.transitions)
    ]
    numbers: dict[tuple[bool, ...], int] = {}
    for choice in sets:
        numbers.setdefault(choice, len(numbers))
    labels = [f"may_{i + 1}" for i in range(dfa.symbols)] + ["may_stop"]
    cases: dict[str, list[Bool]] = {label: [] for label in labels}
    for part, found in conditions:
        here = _last_letter(dfa, part)
        claimed = either(found.values())
        for choice, number in numbers.items():
            holds = negation(claimed) if number == 0 else found.get(number, FALSE)
            for label, allowed in zip(labels, choice, strict=True):
                if allowed:
                    cases[label].append(both(here, holds))
    outputs = {label: either(options) for label, options in cases.items()}
    defined = {name: node for node, name in names.definitions.items()}
    small = simplify_expressions([*defined.values(), *outputs.values()])
    rows = [(label, small[node]) for label, node in outputs.items()]
    return Program(rows, alphabet=dfa.alphabet)
