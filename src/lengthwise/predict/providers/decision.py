"""Regular languages: decide, with a certificate that an independent checker accepts."""

from typing import TYPE_CHECKING, Any

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.languages.class_titles import CLASS_TITLES
from lengthwise.predict.program_facts import program_facts
from lengthwise.predict.providers import Context
from lengthwise.predict.types import Evidence, Strength
from lengthwise.theory.decide.certificates import PUBLISHED, SAMPLED
from lengthwise.theory.decide.check_certificate import check_certificate
from lengthwise.theory.decide.connected import components
from lengthwise.theory.decide.decision import decide
from lengthwise.theory.decide.readings import readings
from lengthwise.theory.decide.search import fixed

if TYPE_CHECKING:
    from lengthwise.languages.dfa import DFA
    from lengthwise.theory.decide.decision import Answer, Decision

MOST_WINDOW, MOST_MODULUS = 3, 12
"""How far a program with windows only, or positions only, is looked for."""


def decision(context: Context) -> list[Evidence]:
    """Decide the language of a regex or an automaton under its reading."""
    subject = context.subject
    if subject.dfa is None or subject.accept not in ("end", "last", "predict"):
        return []

    budget = context.clock.part(0.7)
    found = decide(subject.dfa, subject.accept, budget, **subject.about)
    return [*_both(found, "the language"), *_elsewhere(found, context.clock.left() / 4)]


def _elsewhere(found: "Decision", seconds: float) -> list[Evidence]:
    """Read the language under the other conventions too, where that is cheap; it claims nothing."""
    known = readings(found, seconds)
    if known is None:
        return []
    texts = (f"{name} {', '.join(answer.values())}" for name, answer in known.items())
    text = f"plain and periodic, local under each convention: {'; '.join(texts)}"
    return [Evidence("readings", text, "derivation", facts={"readings": known})]


def decide_language(
    dfa: "DFA", accept: str, seconds: float, name: str, about: dict[str, Any]
) -> list[Evidence]:
    """Return what the decision says about plain C-RASP and C-RASP[periodic, local].

    Example:
        >>> from lengthwise.languages.regex import compile_regex
        >>> found = decide_language(compile_regex("(aa)*"), "end", 5, "(aa)*", {})
        >>> [dict(item.claims) for item in found]
        [{'plain': False}, {'periodic': True}]
    """
    found = decide(dfa, accept, Limits(seconds=seconds), **about)
    return _both(found, name)


def _both(found: "Decision", name: str) -> list[Evidence]:
    plain = _evidence(found, found.plain, name, {"plain": found.plain.is_in})
    if found.plain.answer == "in":
        return plain
    claims = narrow(found.periodic_local) if found.periodic_local.is_in else {}
    return plain + _evidence(found, found.periodic_local, name, claims or {"periodic_local": False})


def _evidence(
    found: "Decision", answer: "Answer", name: str, claims: dict[str, bool]
) -> list[Evidence]:
    if answer.answer == "undecided":
        text = f"{name}: {answer.class_name} not decided ({answer.tried})"
        return [Evidence("decision", text, "conjecture")]
    certificate = answer.certificate()
    assert certificate is not None
    checked = check_certificate(certificate)
    facts = answer_facts(answer) | {"padding_safe": found.neutral_letter_safe}
    return [
        Evidence(
            "decision",
            f"{name} {_verb(answer)} (convention {found.accept}; {answer.kind}; checked)",
            strength_of(answer.strength),
            claims,
            basis=checked.basis,
            facts=facts,
            certificate=certificate,
        )
    ]


def _verb(answer: "Answer") -> str:
    title = CLASS_TITLES[answer.class_name]
    return f"{'is' if answer.is_in else 'is not'} in {title}"


def strength_of(degree: str) -> Strength:
    """Translate the decision's own words: only the published theorem alone is a proof."""
    known: dict[str, Strength] = {PUBLISHED: "proof", SAMPLED: "sampled"}
    return known.get(degree, "derivation")


def answer_facts(answer: "Answer") -> dict[str, Any]:
    """Return what goes with a yes: depth, size, modulus, window, rounds, range of counters."""
    if not answer.is_in:
        return {}
    facts: dict[str, Any] = {
        "modulus": answer.modulus,
        "window": answer.window,
        "rounds": answer.rounds,
        "counter_range": f"bounded: at most {counter_range(answer)}",
    }
    if answer.accept in ("end", "last", "predict") and answer.program is not None:
        facts |= {k: v for k, v in program_facts(answer.program).items() if k not in facts}
    return facts


def counter_range(answer: "Answer") -> int:
    """Return the largest value that a counter of the proof takes."""
    values = [
        int(abs(value))
        for _, outcome in answer.answered
        if outcome.proof is not None
        for part in outcome.proof.components
        for potential in part.separation.potentials
        for value in potential[1:]
    ]
    return max(values, default=0)


def narrow(answer: "Answer") -> dict[str, bool]:
    """Name the smallest classes that a yes for C-RASP[periodic, local] was shown to be in.

    The search prefers small windows; here programs with windows only and with positions only are
    tried as well, so that encodings that give one of the two can be judged.
    """
    window, modulus = answer.window or 0, answer.modulus or 1
    if (modulus, window) == (1, 0):
        return {"plain": True}
    claims: dict[str, bool] = {}
    if window == 0 or _works(answer, [(m, 0) for m in range(2, MOST_MODULUS + 1)]):
        claims["periodic"] = True
    if modulus == 1 or _works(answer, [(1, c) for c in range(1, MOST_WINDOW + 1)]):
        claims["local"] = True
    return claims or {"periodic_local": True}


def _works(answer: "Answer", choices: list[tuple[int, int]]) -> bool:
    """Whether some (modulus, window) separates every part; a search that gives up is a no."""
    budget = Limits(seconds=1.0, vertices=300)
    machines = [outcome.machine for _, outcome in answer.answered if outcome.machine is not None]
    try:
        return any(
            all(fixed(components(m.transitions), *choice, budget) for m in machines)
            for choice in choices
        )
    except LimitReachedError:
        return False
