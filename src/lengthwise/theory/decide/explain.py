"""The argument in words, and the automaton as a table."""

from collections.abc import Iterable, Iterator
from typing import Any

from lengthwise.core.limits import Limits
from lengthwise.crasp.facts import analyse
from lengthwise.languages import convention
from lengthwise.languages.class_titles import CLASS_TITLES
from lengthwise.languages.dfa import DFA
from lengthwise.languages.machine import Machine, Part
from lengthwise.theory.decide.certificates import BASIS, joins_sentence
from lengthwise.theory.decide.decision import Answer, Decision
from lengthwise.theory.decide.questions import Outcome

TITLES = {
    "plain": f"plain {CLASS_TITLES['plain']} (no position encoding)",
    "periodic_local": f"{CLASS_TITLES['periodic_local']} (absolute position encoding)",
}


def explain(decision: Decision, limits: Limits | None = None) -> str:
    """Return the whole argument as text, with the automaton as a table.

    ``limits`` are for making the program smaller.

    Example:
        >>> from lengthwise.theory.decide.decision import decide
        >>> from lengthwise.languages.regex import compile_regex
        >>> print(explain(decide(compile_regex("(aa)*"), "end")))  # doctest: +ELLIPSIS
        The minimal automaton (answers are read at an extra end position; ...
    """
    learned = decision.about.get("learned")
    lines = [f"{learned}.", ""] if learned else []
    if decision.dfa is None:
        return "\n".join([*lines, f"Undecided: {decision.plain.tried}."])
    lines += [f"The minimal automaton (answers are {convention.TITLES[decision.accept]}):", ""]
    lines += automaton_table(decision.dfa)
    lines += ["", *_explain_answer(decision.plain, limits)]
    if decision.plain.is_in:
        lines += ["", f"{TITLES['periodic_local']}: IN, since plain C-RASP is part of it."]
    else:
        lines += ["", *_explain_answer(decision.periodic_local, limits)]
    warning = neutral_warning(decision)
    return "\n".join([*lines, "", warning] if warning else lines)


def neutral_warning(decision: Decision) -> str | None:
    """Warn when the answer rests on what a neutral (padding) symbol would destroy."""
    if decision.neutral_letter_safe is not False:
        return None
    return (
        "Warning: this yes rests on local, periodic or last-letter structure; an added symbol that "
        "changes nothing (padding) would make the language fall outside."
    )


def automaton_table(dfa: DFA) -> list[str]:
    """Return the transition table, one line per state; > marks the start, * accepting states."""
    shown = dfa.alphabet[:30]
    width = max(5, *(len(symbol) for symbol in shown))
    lines = ["  state " + " ".join(f"{symbol:>{width}}" for symbol in shown)]
    for q, row in enumerate(dfa.transitions[:200].tolist()):
        mark = (">" if q == dfa.initial else " ") + ("*" if dfa.accepting[q] else " ")
        lines.append(f"{mark} {q:>5} " + " ".join(f"{t:>{width}}" for t in row[:30]))
    if dfa.states > 200 or dfa.symbols > 30:
        lines.append(f"(the first 200 states and 30 symbols of {dfa.states} and {dfa.symbols})")
    return lines


def _explain_answer(answer: Answer, limits: Limits | None) -> Iterator[str]:
    yield f"{TITLES[answer.class_name]}: {answer.answer.upper()}"
    if answer.answer == "undecided":
        yield f"  What was tried: {answer.tried}."
        return
    for part, outcome in answer.answered:
        if outcome.answer == answer.answer and outcome.machine is not None:
            yield from _indent(_explain_part(answer.dfa, part, outcome, outcome.machine))
            if answer.answer == "out":
                break
    if answer.is_in and (program := answer.small_program(limits)) is not None:
        yield f"  Program (depth {analyse(program).depth}):"
        yield from _indent(_indent(str(program).splitlines()))
    yield f"  Basis: {BASIS[answer.strength]}"


def _indent(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _explain_part(dfa: DFA, part: Part, outcome: Outcome, machine: Machine) -> Iterator[str]:
    if part.letters is not None:
        yield "When the last letter is " + " or ".join(dfa.alphabet[a] for a in part.letters) + ":"
    if outcome.proof is not None:
        yield from _explain_proof(outcome, machine)
    elif outcome.refutation is not None:
        yield from _explain_refutation(machine, outcome.refutation)


def _explain_proof(outcome: Outcome, machine: Machine) -> Iterator[str]:
    proof = outcome.proof
    assert proof is not None
    if (proof.modulus, proof.window) != (1, 0):
        yield f"Visible besides counts: position mod {proof.modulus}, last {proof.window} letters."
    shown = [part for part in proof.components if len(part.component.states) > 1]
    if not shown:
        yield "Every strongly connected component is a single state: nothing has to be counted."
    for part in shown:
        states = ", ".join(map(str, part.component.states))
        yield f"Component {{{states}}}:"
        if not part.vertices:
            yield "  letters and positions in view already name the state."
        for number, potential in enumerate(part.separation.potentials, 1):
            pairs = zip(part.vertices, potential[1:].tolist(), strict=True)
            values = ", ".join(f"{_place(part, machine, v)}: {x}" for v, x in pairs)
            yield f"  counter {number} has one value per state: {values}"


def _place(part: Any, machine: Machine, vertex: tuple[int, tuple[int, ...], int]) -> str:
    state, word, residue = vertex
    text = str(part.component.states[state])
    if part.window:
        text += " after " + "".join(machine.alphabet[a] for a in word)
    return text + (f" at {residue} mod {part.modulus}" if part.modulus > 1 else "")


def _explain_refutation(machine: Machine, refutation: dict[str, Any]) -> Iterator[str]:
    """Say which two states cannot be told apart, over which blocks, and why that matters."""
    one, two = (refutation["vertices"][v][0] for v in refutation["pair"])
    spelled = machine.actions()  # letters that stand for several symbols
    suffix = spelled.decode(refutation["suffix"]) or "the empty word"
    if refutation["anchors"] != [[]]:
        anchors = ", ".join(spelled.decode(word) for word in refutation["anchors"])
        blocks = ", ".join(spelled.decode(word) for _, word, _ in refutation["arrows"])
        yield f"Pad with copies of {anchors}; write words as sequences of the blocks {blocks}."
        yield "Between long enough padding, windows and positions say nothing about the state."
    yield f"States {one} and {two} lie in one strongly connected component and need different"
    yield f"answers after {suffix}. Any bounded combination of counts gives them the same value:"
    if "joins" in refutation:
        yield f"  {joins_sentence(refutation['joins'])}."
        return
    for chain in refutation["chains"]:
        yield "  " + _chain_text(spelled, refutation, chain)
    if max(machine.transitions.shape) <= 200:
        yield "(edges are state-block->state; totals per block of states and letter cancel)"


def _chain_text(dfa: DFA, refutation: dict[str, Any], chain: dict[str, Any]) -> str:
    vertices = refutation["vertices"]
    terms = []
    for arrow, source, amount in chain["edges"]:
        word = dfa.decode(refutation["arrows"][arrow][1])
        terms.append(f"{amount:+d}·({vertices[source][0]} -{word}->)")
    start, end = vertices[chain["start"]][0], vertices[chain["end"]][0]
    scale = "" if chain["multiple"] == 1 else f"{chain['multiple']}·"
    return f"{scale}(state {end} - state {start}) = " + " ".join(terms)
