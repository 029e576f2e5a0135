"""One language under all three conventions: where they disagree, every answer must say so."""

from collections.abc import Mapping

from lengthwise.core.limits import Limits
from lengthwise.languages.convention import LANGUAGES
from lengthwise.theory.decide.decision import Decision, answers

MOST_STATES = 40
"""Larger automata are read under the chosen convention only."""
SECONDS = 3.0
"""Most time for the two other conventions together."""

Readings = Mapping[str, Mapping[str, str]]
"""Convention -> class -> answer."""


def readings(decision: Decision, seconds: float = SECONDS) -> Readings | None:
    """Return the answers under every convention, None when that would take too long.

    Example:
        >>> from lengthwise.theory.decide.decision import decide
        >>> from lengthwise.languages.regex import compile_regex
        >>> found = readings(decide(compile_regex("(ab|a)*"), "last"))
        >>> [found[name]["plain"] for name in ("last", "end", "predict")]
        ['out', 'out', 'in']
    """
    dfa = decision.dfa
    if dfa is None or dfa.states > MOST_STATES:
        return None
    budget = Limits(seconds=min(seconds, SECONDS))
    own = {"plain": decision.plain.answer, "periodic_local": decision.periodic_local.answer}
    found: dict[str, dict[str, str]] = {}
    for name in LANGUAGES:
        found[name] = own if name == decision.accept else answers(dfa, name, budget)
        if "undecided" in found[name].values():
            return None
    return found


def disagreements(
    found: Readings | None, classes: Mapping[str, str], words: Mapping[str, str]
) -> list[str]:
    """Say for each class on which conventions disagree what each of them answers.

    ``classes`` and ``words`` translate classes and answers into the reader's terms.

    Example:
        >>> some = {"end": {"plain": "out"}, "last": {"plain": "in"}, "predict": {"plain": "in"}}
        >>> disagreements(some, {"plain": "nope"}, {"in": "yes", "out": "no"})
        ['nope: end no, last yes, predict yes']
    """
    lines: list[str] = []
    for name, title in classes.items() if found else ():
        told = {convention: answer[name] for convention, answer in (found or {}).items()}
        if len(set(told.values())) > 1:
            pairs = (f"{convention} {words[answer]}" for convention, answer in told.items())
            lines.append(f"{title}: {', '.join(pairs)}")
    return lines
