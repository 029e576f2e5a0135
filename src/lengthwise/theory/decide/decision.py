"""Is a regular language in C-RASP? The driver: one call per step of the argument."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING, Any

from lengthwise.core.errors import InputError, unknown
from lengthwise.core.later import Later
from lengthwise.core.limits import Limits
from lengthwise.crasp.facts import analyse
from lengthwise.crasp.program import Program
from lengthwise.languages.convention import DEFAULT, LANGUAGES
from lengthwise.languages.dfa import DFA
from lengthwise.languages.machine import Part, parts
from lengthwise.theory.decide.certificates import build_certificate, strength
from lengthwise.theory.decide.classical import Classes, classify
from lengthwise.theory.decide.conditions import ProgramTooLargeError
from lengthwise.theory.decide.questions import Outcome, decide_periodic_local, decide_plain
from lengthwise.theory.decide.whole import write_program

if TYPE_CHECKING:
    import lengthwise.theory.decide.shrink as smaller
else:  # a first answer shows no program
    smaller = Later("lengthwise.theory.decide.shrink")


@dataclass(frozen=True)
class Answer:
    """One class, one answer: ``in``, ``out`` or ``undecided``, with everything that backs it."""

    class_name: str
    dfa: DFA
    accept: str
    answered: list[tuple[Part, Outcome]]
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def answer(self) -> str:
        """``out`` if one part is refuted, ``in`` if all have proofs, else ``undecided``."""
        found = {outcome.answer for _, outcome in self.answered}
        return "out" if "out" in found else "undecided" if "undecided" in found else "in"

    @property
    def _outcomes(self) -> list[Outcome]:
        return [outcome for _, outcome in self.answered]

    @property
    def modulus(self) -> int | None:
        """Common modulus of the program's periodic predicates (``in`` only)."""
        return lcm(*(o.proof.modulus for o in self._outcomes if o.proof)) if self.is_in else None

    @property
    def window(self) -> int | None:
        """Number of letters the program looks back (``in`` only)."""
        return max(o.proof.window for o in self._outcomes if o.proof) if self.is_in else None

    @property
    def rounds(self) -> int | None:
        """Counters that build on one another in the worst component (``in`` only)."""
        return max(o.proof.rounds for o in self._outcomes if o.proof) if self.is_in else None

    @property
    def is_in(self) -> bool:
        """Whether the answer is ``in``."""
        return self.answer == "in"

    @cached_property
    def program(self) -> Program | None:
        """The program of a yes; None for other answers or when it cannot be written.

        It can be too large, and programs have no symbols with quotes or newlines.
        """
        if not self.is_in:
            return None
        try:
            proofs = [
                (part, o.machine, o.proof) for part, o in self.answered if o.proof and o.machine
            ]
            return write_program(self.dfa, self.accept, proofs)
        except (ProgramTooLargeError, InputError):
            return None

    def small_program(self, limits: Limits | None = None) -> Program | None:
        """Return the program as people read and compile it: smaller, and proved to be the same.

        It takes a second or two, so it is made only where a program is shown, kept or compiled;
        when the time is over it is what was found by then.
        """
        if self.program is None or self.accept == "predict":
            return self.program
        accept = "end" if self.accept == "end" else "last"
        return smaller.shrink(self.program, self.dfa, accept, limits)

    @property
    def depth(self) -> int | None:
        """Counting depth of the emitted program: an upper bound on the least depth."""
        return None if self.program is None else analyse(self.program).depth

    @property
    def kind(self) -> str:
        """Which kind of certificate backs the answer."""
        decisive = [o for o in self._outcomes if o.answer == self.answer]
        return decisive[0].kind

    @property
    def strength(self) -> str:
        """How well the argument is established; see ``certificates.BASIS``."""
        decisive = [o for o in self._outcomes if o.answer == self.answer]
        return strength(self.class_name, self.accept, decisive, self.about)

    @property
    def tried(self) -> str:
        """For ``undecided``: what was tried."""
        return "; ".join(o.tried for o in self._outcomes if o.tried)

    def certificate(self, program: bool = True) -> dict[str, Any] | None:
        """Return the certificate, or None for ``undecided``; with the program, if one is asked."""
        if self.answer == "undecided":
            return None
        chosen = [pair for pair in self.answered if pair[1].answer == self.answer]
        about = dict(self.about)
        if program and self.program is not None:
            about["program"] = str(self.program)
        used = chosen if self.is_in else chosen[:1]
        return build_certificate(self.dfa, self.accept, self.class_name, used, about)

    def to_json(self) -> dict[str, Any]:
        """Return the public summary."""
        found = {
            "answer": self.answer,
            "modulus": self.modulus,
            "window": self.window,
            "rounds": self.rounds,
            "depth": self.depth,
            "kind": self.kind,
            "strength": self.strength,
        }
        return {**found, "tried": self.tried} if self.answer == "undecided" else found


@dataclass(frozen=True)
class Decision:
    """Everything found out about one language; ``to_json`` is the public contract.

    ``dfa`` is None where no automaton could be learned from a function; then nothing is decided.
    """

    dfa: DFA | None
    accept: str
    plain: Answer
    periodic_local: Answer
    classes: Classes
    monoid: int | None
    neutral_letter_safe: bool | None
    seconds: float
    about: dict[str, Any]

    @property
    def live_states(self) -> int | None:
        """States of the minimal automaton from which acceptance is possible (no dead state)."""
        return None if self.dfa is None else int(self.dfa.live().sum())

    def written_program(self, limits: Limits | None = None) -> Program:
        """Return the program of the weakest class that has one, or say why there is none."""
        answer = self.plain if self.plain.is_in else self.periodic_local
        if not answer.is_in:
            raise InputError(
                f"there is no program: the answer is {answer.answer!r}; "
                "`lengthwise decide --explain` says why, `lengthwise improve` proposes changes."
            )
        program = answer.small_program(limits)
        if program is None:
            raise InputError(
                "no program is written: it would be too large, or a symbol has a quote or a "
                "newline; the certificate stands."
            )
        return program

    def to_json(self) -> dict[str, Any]:
        """Return the documented JSON object (see ``docs/deciding.md``)."""
        return {
            "regex": self.about.get("regex"),
            **{key: value for key, value in self.about.items() if key != "regex"},
            "alphabet": list(self.plain.dfa.alphabet),
            "accept": self.accept,
            "states": self.live_states,
            "monoid": self.monoid,
            "plain": self.plain.to_json(),
            "periodic_local": self.periodic_local.to_json(),
            "classes": self.classes.to_json(),
            "neutral_letter_safe": self.neutral_letter_safe,
            "seconds": round(self.seconds, 4),
        }


def decide(dfa: DFA, accept: str = DEFAULT, budget: Limits | None = None, **about: Any) -> Decision:
    """Decide plain C-RASP and C-RASP[periodic, local] for the language of an automaton.

    Args:
        dfa: any automaton of the language.
        accept: where the answer is read: ``end``, ``last`` (default) or ``predict``.
        budget: limits; beyond them answers are ``undecided`` and say what was tried.
        **about: where the automaton came from, e.g. ``regex="(ab)*"``; kept in the results.

    Example:
        >>> from lengthwise.languages.regex import compile_regex
        >>> found = decide(compile_regex("(aa)*"), accept="end")
        >>> found.plain.answer, found.periodic_local.answer, found.periodic_local.modulus
        ('out', 'in', 2)
    """
    if accept not in LANGUAGES:
        raise unknown("acceptance convention", accept, LANGUAGES)
    started = time.perf_counter()
    limits = budget or Limits()
    small = dfa.minimise()
    plain, general = _decide_parts(small, accept, limits, about)
    classes, monoid = classify(small, limits)
    safe = _neutral_letter_safe(small, accept, plain, general, limits)
    general.program  # noqa: B018 - written now, so that `seconds` includes it
    return Decision(
        small,
        accept,
        plain,
        general,
        classes,
        None if monoid is None else monoid.size,
        safe,
        time.perf_counter() - started,
        about,
    )


def answers(dfa: DFA, accept: str, budget: Limits) -> dict[str, str]:
    """Return the answers for both classes alone, without programs and certificates.

    Example:
        >>> from lengthwise.languages.regex import compile_regex
        >>> answers(compile_regex("(aa)*"), "end", Limits(seconds=5))
        {'plain': 'out', 'periodic_local': 'in'}
    """
    found = _decide_parts(dfa.minimise(), accept, budget, {})
    return {answer.class_name: answer.answer for answer in found}


def answers_of(dfa: DFA, accept: str, limits: Limits) -> tuple[Answer, Answer]:
    """Return the answers of a minimal automaton for both classes, with their certificates.

    Example:
        >>> from lengthwise.languages.regex import compile_regex
        >>> [answer.answer for answer in answers_of(compile_regex("(aa)*"), "end", Limits())]
        ['out', 'in']
    """
    return _decide_parts(dfa, accept, limits, {})


def undecided(letters: Iterable[str], accept: str, reason: str, **about: Any) -> Decision:
    """Return the decision where no automaton is known: both answers are open, for a reason.

    Example:
        >>> undecided("ab", "end", "the function is slow").plain.answer
        'undecided'
    """
    symbols = tuple(letters)
    nothing = DFA(symbols, [[0] * len(symbols)], 0, [False])
    open_parts = [(part, Outcome("undecided", tried=reason)) for part in parts(nothing, "end")]
    plain, general = (
        Answer(name, nothing, accept, open_parts, about) for name in ("plain", "periodic_local")
    )
    unknown_classes = Classes(None, None, None, None, None, None, None)
    return Decision(None, accept, plain, general, unknown_classes, None, None, 0.0, about)


def _decide_parts(
    dfa: DFA, accept: str, budget: Limits, about: dict[str, Any]
) -> tuple[Answer, Answer]:
    plain: list[tuple[Part, Outcome]] = []
    general: list[tuple[Part, Outcome]] = []
    refuted = False
    for part in parts(dfa, accept):
        if refuted and any(outcome.answer == "out" for _, outcome in plain):
            break  # both answers are settled
        if budget.over:  # the parts that are left stay open, whatever the others say
            late = Outcome("undecided", tried=f"time limit of {budget.seconds:g} s reached")
            plain.append((part, late))
            general.append((part, late))
            break
        first = decide_plain(part, budget)
        plain.append((part, first))
        if not refuted:  # one refuted part settles the larger class
            second = decide_periodic_local(part, first, budget)
            general.append((part, second))
            refuted = second.answer == "out"
    return (
        Answer("plain", dfa, accept, plain, about),
        Answer("periodic_local", dfa, accept, general, about),
    )


def _neutral_letter_safe(
    dfa: DFA, accept: str, plain: Answer, general: Answer, budget: Limits
) -> bool | None:
    """Tell whether an added symbol that changes nothing (padding) would keep the answers.

    With such a symbol windows, positions and the last letter say nothing, and membership in either
    class means plain C-RASP read at the end (our derivation; Yang, Veseli et al. 2026 show that the
    plain class read at the end is closed under adding one).
    """
    if "undecided" in (plain.answer, general.answer):
        return None
    if general.answer == "out":
        return True
    bare = plain if accept == "end" else _decide_parts_plain(dfa, budget)
    return None if bare.answer == "undecided" else bare.answer == "in"


def _decide_parts_plain(dfa: DFA, budget: Limits) -> Answer:
    found = [(part, decide_plain(part, budget)) for part in parts(dfa, "end")]
    return Answer("plain", dfa, "end", found)
