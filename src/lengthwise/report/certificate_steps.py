"""A certificate as a sequence of steps to read one by one.

Everything is taken from the certificate's plain data, so what is shown is what the independent
checker accepted; the checker's own sentence is the last step. A refuted question of a task
(``predict/providers/labels.py``) is shown by the same steps.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lengthwise.report.drawing import DRAWN_STATES, Diagram
from lengthwise.report.shapes import Picture
from lengthwise.theory.decide.certificates import joins_sentence
from lengthwise.theory.decide.check_certificate import check_certificate

SHOWN_PARTS, SHOWN_COUNTERS, SHOWN_CHAINS, SHOWN_VALUES = 6, 6, 8, 40


@dataclass(frozen=True)
class Step:
    """A part of an argument, some with an automaton."""

    title: str
    text: str
    diagram: Diagram | None = None

    @cached_property
    def picture(self) -> Picture | None:
        """The automaton drawn."""
        return None if self.diagram is None else self.diagram.draw()

    def to_json(self) -> dict[str, Any]:
        """Return plain data for the playground."""
        automaton = None if self.diagram is None else self.diagram.to_json()
        return {"title": self.title, "text": self.text, "automaton": automaton}


def steps(certificate: Mapping[str, Any]) -> list[Step]:
    """Return the argument of a certificate: texts, some with a picture.

    Example:
        >>> from lengthwise.theory.decide.decision import decide
        >>> from lengthwise.languages.regex import compile_regex
        >>> found = decide(compile_regex("(aa)*"), "end").plain.certificate()
        >>> [step.title for step in steps(found)]
        ['Question', 'Two states', 'Why no count separates them', 'Basis', 'Checked']
    """
    checked = check_certificate(certificate)
    found: list[Step] = []
    parts = certificate["parts"]
    for part in parts[:SHOWN_PARTS]:
        found += _part(certificate, part)
    if len(parts) > SHOWN_PARTS:
        rest = len(parts) - SHOWN_PARTS
        found.append(Step("More", f"{rest} further questions are answered in the same way."))
    found.append(Step("Basis", f"{checked.basis[0].upper()}{checked.basis[1:]}."))
    text = "An independent checker that shares no code with the search accepted the certificate"
    found.append(Step("Checked", f"{text} ({checked.steps:,} steps): {checked.statement}."))
    return found


def question_steps(asked: Mapping[str, Any]) -> list[Step]:
    """Return the argument about one question of a task, whose labels have no certificate's form."""
    return list(_part(asked, asked))


def _part(certificate: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[Step]:
    letters = part["last"]
    if letters is None:
        question = "The answer is read behind the word; only the state reached matters."
    else:
        names = " or ".join(letters)
        question = f"The last letter is visible; here it is {names}. What is the answer then?"
    if "letters" in part:  # a letter of the machine stands for symbols that act alike
        first = [part["letters"].index(number) for number in range(max(part["letters"]) + 1)]
        certificate = {**certificate, "alphabet": [certificate["alphabet"][a] for a in first]}
    picture = _machine(certificate, part)
    yield Step("Question", f"{question} The automaton of this question:", picture)
    if "proof" in part:
        yield from _proof(certificate, part["proof"])
    else:
        yield from _refutation(certificate, part["machine"], part["refutation"])


def _machine(certificate: Mapping[str, Any], part: Mapping[str, Any]) -> Diagram | None:
    """Draw the automaton of one question, the states that no count tells apart marked.

    Where there are more answers than yes and no, states carry their numbers.
    """
    machine = part["machine"]
    outputs = machine["outputs"]
    if len(outputs) > DRAWN_STATES:
        return None
    sets = certificate.get("accept") not in ("end", "last")
    notes = ["free" if x < 0 else f"answer {x}" for x in outputs] if sets else []
    final = [] if sets else [q for q, x in enumerate(outputs) if x == 1]
    pair = _pair(part["refutation"]) if "refutation" in part else ()
    table, start = machine["transitions"], machine["initial"]
    return Diagram(certificate["alphabet"], table, start, final, notes=notes, marked=pair)


def _pair(refutation: Mapping[str, Any]) -> tuple[int, int]:
    one, two = (refutation["vertices"][v][0] for v in refutation["pair"])
    return one, two


def _proof(certificate: Mapping[str, Any], proof: Mapping[str, Any]) -> Iterator[Step]:
    if (proof["modulus"], proof["window"]) != (1, 0):
        modulus, window = proof["modulus"], proof["window"]
        seen = [f"the position mod {modulus}"] if modulus > 1 else []
        letters = "the last letter" if window == 1 else f"the last {window} letters"
        seen += [letters] if window else []
        yield Step("In view", f"Besides counts the program sees {' and '.join(seen)}.")
    if not proof["components"]:
        text = "Every strongly connected component is a single state: nothing has to be counted."
        yield Step("Components", text)
    for component in proof["components"]:
        names = ", ".join(map(str, component["states"]))
        if component.get("vertices") == []:
            text = "What is in view already names the state; no counter is needed."
        else:
            text = "\n".join(_counters(certificate, proof, component))
        yield Step(f"Component {{{names}}}", text)


def _counters(
    certificate: Mapping[str, Any], proof: Mapping[str, Any], component: Mapping[str, Any]
) -> Iterator[str]:
    yield "Counters with one fixed value per state, so that counting tells the states apart:"
    listed = component.get("vertices") or [[q, [], 0] for q in component["states"]]
    places = [_place(certificate, proof, vertex) for vertex in listed]
    for number, values in enumerate(component["potentials"][:SHOWN_COUNTERS], 1):
        pairs = [f"{place} has {value}" for place, value in zip(places, values, strict=True)]
        more = f", … ({len(pairs)} in all)" if len(pairs) > SHOWN_VALUES else ""
        yield f"counter {number}: {', '.join(pairs[:SHOWN_VALUES])}{more}"
    if len(component["potentials"]) > SHOWN_COUNTERS:
        yield f"… {len(component['potentials'])} counters in all"


def _place(certificate: Mapping[str, Any], proof: Mapping[str, Any], vertex: Any) -> str:
    state, word, residue = vertex
    text = f"state {state}"
    if word:
        text += " after " + "".join(certificate["alphabet"][a] for a in word)
    return text + (f" at {residue} mod {proof['modulus']}" if proof["modulus"] > 1 else "")


def _refutation(
    certificate: Mapping[str, Any], machine: Mapping[str, Any], refutation: Mapping[str, Any]
) -> Iterator[Step]:
    def read(word: Any) -> str:
        return "".join(certificate["alphabet"][a] for a in word) or "the empty word"

    if refutation["anchors"] != [[]]:
        anchors = ", ".join(read(word) for word in refutation["anchors"])
        blocks = ", ".join(read(word) for _, word, _ in refutation["arrows"][:SHOWN_VALUES])
        yield Step(
            "Padding",
            f"Pad with copies of {anchors} and write words as sequences of the blocks {blocks}. "
            "Between long enough padding, windows and positions say nothing about the state.",
        )
    one, two = _pair(refutation)
    reached = _access(machine)
    suffix = refutation["suffix"]
    later = f" when {read(suffix)} follows" if suffix else ""
    yield Step(
        "Two states",
        f"States {one} and {two} (reached by {read(reached[one])} and {read(reached[two])}) lie in "
        f"one strongly connected component and need different answers{later}.",
    )
    if "joins" in refutation:
        why = joins_sentence(refutation["joins"])
        why = f"Any bounded combination of counts gives both the same value: {why}."
        yield Step("Why no count separates them", why)
        return
    chains = refutation["chains"]
    lines = [_chain(refutation, chain, read) for chain in chains[:SHOWN_CHAINS]]
    if len(chains) > SHOWN_CHAINS:
        lines.append(f"… {len(chains)} such equations in all")
    yield Step(
        "Why no count separates them",
        "Any bounded combination of counts gives both the same value, because the steps below "
        "cancel (state -block-> is one step, its total per block of states and letter is zero):\n"
        + "\n".join(lines),
    )


def _access(machine: Mapping[str, Any]) -> dict[int, list[int]]:
    """Return a shortest word to every state that can be reached."""
    words: dict[int, list[int]] = {machine["initial"]: []}
    for state in (queue := [machine["initial"]]):
        for letter, target in enumerate(machine["transitions"][state]):
            if target not in words:
                words[target] = [*words[state], letter]
                queue.append(target)
    return words


def _chain(refutation: Mapping[str, Any], chain: Mapping[str, Any], read: Any) -> str:
    vertices = refutation["vertices"]
    terms = [
        f"{amount:+d}·({vertices[source][0]} -{read(refutation['arrows'][arrow][1])}->)"
        for arrow, source, amount in chain["edges"][:SHOWN_VALUES]
    ]
    start, end = vertices[chain["start"]][0], vertices[chain["end"]][0]
    scale = "" if chain["multiple"] == 1 else f"{chain['multiple']}·"
    return f"{scale}(state {end} - state {start}) = " + " ".join(terms)
