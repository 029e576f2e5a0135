"""What to try next, from what was found."""

from collections.abc import Sequence

from lengthwise.predict.types import Evidence, Verdict


def advise(verdicts: Sequence[Verdict], evidence: Sequence[Evidence]) -> list[str]:
    """Return short suggestions; each follows from a verdict or a piece of evidence."""
    answers = {verdict.encoding: verdict.answer for verdict in verdicts}
    found: list[str] = []
    better = [name for name, answer in answers.items() if answer == "yes"]
    worse = [name for name, answer in answers.items() if answer == "no"]
    if better and worse:
        found.append(f"use {' or '.join(better)} rather than {' or '.join(worse)}.")
    if any(item.facts.get("padding_safe") is False for item in evidence):
        found.append(
            "keep the format free of padding: the yes rests on neighbours, positions or the last "
            "letter, which a symbol that changes nothing would hide."
        )
    if any(item.claims.get("limit") is False for item in evidence):
        found.append(
            "too much must cross a cut: give the model hints or steps (for example an index beside "
            "every symbol), so that each output needs a bounded part of the input."
        )
    elif worse and not better:
        found.append(
            "add steps: let the model write intermediate states, so that each step is a local rule "
            "(`lengthwise improve` writes them out)."
        )
    if any(verdict.conflicts for verdict in verdicts):
        found.append("something disagrees (see conflicts): measure before you rely on this.")
    if all(answer == "undecided" for answer in answers.values()):
        found.append(
            "nothing was decided: raise --time-limit, give a regex or a program, or measure with "
            "`lengthwise train`."
        )
    return found
