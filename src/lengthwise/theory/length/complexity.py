"""The length complexity of a language: among automata by states, and among programs by size."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.crasp.comparing import compare
from lengthwise.crasp.constraints import TooManyCasesError
from lengthwise.crasp.event_paths import Side
from lengthwise.crasp.every_program import EveryProgram
from lengthwise.crasp.finite import to_automaton
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Bool, Symbol, postorder, rebuild
from lengthwise.crasp.unsugared import unsugared
from lengthwise.languages.dfa import DFA
from lengthwise.theory.decide.decision import Answer, answers_of
from lengthwise.theory.length.automata import AutomatonLength, by_states
from lengthwise.theory.length.by_size import ProgramLength, Rival, Say, by_size, is_plain

PLAIN, GENERAL = "plain", "periodic, local"
EFFORT = 12.0
"""Work for one language, counted in seconds of an idle core: the same on every machine."""
CONFIGURATIONS = 5_000
"""Of a program that is turned into an automaton."""
CLASSES = {PLAIN: "plain", GENERAL: "with positions and windows"}
"""Classes of programs, and how they are called in sentences."""


@dataclass(frozen=True)
class ClassLength:
    """What is known in one class of programs; ``outside`` says why there is no N at all."""

    found: ProgramLength | None
    outside: str = ""


@dataclass(frozen=True)
class Complexity:
    """What is known of the length complexity of one language.

    ``automaton`` is None where the language is not known to be regular; ``cut`` says that the time
    was over before the work was done, so that an idle machine may prove more.
    """

    letters: tuple[str, ...]
    automaton: AutomatonLength | None
    classes: Mapping[str, ClassLength]
    seconds: float
    cut: bool


@dataclass
class Enumerations:
    """Programs that were enumerated already, by number of letters and class.

    Letters are numbered, so that languages over other letters share them.
    """

    known: dict[tuple[int, bool], EveryProgram] = field(default_factory=dict)

    def of(self, letters: int, *, positions: bool) -> EveryProgram:
        """Return the enumeration over so many letters."""
        key = letters, positions
        if key not in self.known:
            self.known[key] = EveryProgram([f"{k}" for k in range(letters)], positions=positions)
        return self.known[key]


def complexity(
    target: Side,
    letters: tuple[str, ...],
    limits: Limits | None = None,
    *,
    enumerations: Enumerations | None = None,
    say: Say = lambda text: None,
) -> Complexity:
    """Find the length complexity of a language with a fixed amount of work.

    The time is a second bound.

    Example:
        >>> from lengthwise.crasp.library import load
        >>> found = complexity(load("majority"), ("a", "b"))
        >>> plain = found.classes["plain"].found
        >>> plain.exact, plain.low, plain.best().word
        (True, 3, ('a', 'a', 'b'))
    """
    limits = limits or Limits(20)
    run = _Run(target, letters, limits, enumerations or Enumerations(), say)
    work = run.work
    automaton = None if run.dfa is None else run.in_letters(by_states(run.dfa, work.part(0.15)))
    plain, general = run.answers()
    first = run.search(PLAIN, plain, 0.45)
    second = run.search(GENERAL, general, 1.0, first)
    classes = {PLAIN: first, GENERAL: second}
    return Complexity(letters, automaton, classes, limits.spent(), limits.over)


class _Run:
    def __init__(
        self,
        target: Side,
        letters: tuple[str, ...],
        limits: Limits,
        enumerations: Enumerations,
        say: Say,
    ) -> None:
        self.letters, self.limits, self.say = letters, limits, say
        self.work = Limits.counted(min(EFFORT, limits.left()), limits)
        self.enumerations = enumerations
        self.names = {letter: f"{k}" for k, letter in enumerate(letters)}
        self.back = {name: letter for letter, name in self.names.items()}
        self.own: list[Bool] = []
        if isinstance(target, DFA):
            self.dfa: DFA | None = _numbered(target, letters)
            self.target: Side = self.dfa
        else:
            program = _renamed_program(target, self.names)
            self.dfa = to_automaton(
                program, tuple(self.back), limit=CONFIGURATIONS, seconds=limits.left() / 2
            )
            self.target = program if self.dfa is None else self.dfa
            self._know(program)

    def _know(self, program: Program | None) -> None:
        """Take a program for the language, written without abbreviations."""
        if program is None:
            return
        try:
            self.own.append(unsugared(program.accept))
        except TooManyCasesError:
            return

    def _know_written(self, answer: Answer) -> None:
        """Take the program that comes with a yes, if it is proved to be right."""
        limits = self.limits.part(0.3)
        with suppress(LimitReachedError), limits.alarm("the writing of the program"):
            program = answer.program
            if program is None:
                return
            over = tuple(self.back)
            if compare(program, self.target, over, limits=self.work.part(0.1)).agreed == inf:
                self._know(program)

    def answers(self) -> tuple[Answer | None, Answer | None]:
        """Decide whether there are programs at all; each yes comes with one."""
        if self.dfa is None:
            return None, None
        try:
            limits = self.limits.part(0.5)
            with limits.alarm("the decision"):
                return answers_of(self.dfa, "last", limits)
        except LimitReachedError:
            return None, None

    def search(
        self, name: str, answer: Answer | None, share: float, before: ClassLength | None = None
    ) -> ClassLength:
        """Search one class; what was found in the smaller class counts in the larger one."""
        if answer is not None and answer.answer == "out":
            return ClassLength(None, "no program of this class accepts it, so no length suffices")
        if answer is not None and answer.answer == "in":
            self._know_written(answer)
        positions = name == GENERAL
        known = [p for p in self.own if positions or is_plain(p)]
        rivals: list[Rival] = []
        if before is not None and before.found is not None:
            known += [self._number(p) for p in [before.found.program] if p is not None]
            rivals = [self._numbered_rival(r) for r in before.found.rivals.values()]
        every = self.enumerations.of(len(self.letters), positions=positions)
        limits = self.work.part(share)
        say = lambda text: self.say(f"{CLASSES[name]}: {text}")  # noqa: E731
        found = by_size(self.target, every, known, rivals=rivals, limits=limits, say=say)
        return ClassLength(self._in_letters(found))

    def _number(self, program: Bool) -> Bool:
        return _renamed(program, self.names)

    def _numbered_rival(self, rival: Rival) -> Rival:
        word = None if rival.word is None else tuple(self.names[a] for a in rival.word)
        return Rival(self._number(rival.expression), rival.size, rival.agreed, word)

    def in_letters(self, found: AutomatonLength) -> AutomatonLength:
        """Return what was found of automata with the language's own letters."""
        other = found.rival
        rival = DFA(self.letters, other.transitions.tolist(), other.initial, other.accepting)
        return replace(found, rival=rival, word=tuple(self.back[a] for a in found.word))

    def _in_letters(self, found: ProgramLength) -> ProgramLength:
        """Return what was found with the language's own letters."""

        def own(rival: Rival) -> Rival:
            word = None if rival.word is None else tuple(self.back[a] for a in rival.word)
            return Rival(_renamed(rival.expression, self.back), rival.size, rival.agreed, word)

        return ProgramLength(
            self.letters,
            None if found.program is None else _renamed(found.program, self.back),
            found.looked,
            {size: own(rival) for size, rival in found.rivals.items()},
            [own(rival) for rival in found.open],
        )


def _renamed(root: Bool, names: Mapping[str, str]) -> Any:
    """Return an expression with other letters; letters that have no name never occur."""
    new: dict[Any, Any] = {}
    for node in postorder([root]):
        if isinstance(node, Symbol):
            new[node] = Symbol(names.get(node.name, f"never {node.name}"))
        else:
            new[node] = rebuild(node, [new[arg] for arg in node.args])
    return new[root]


def _renamed_program(program: Program, names: Mapping[str, str]) -> Program:
    return Program.of(_renamed(program.accept, names), alphabet=names.values(), empty=program.empty)


def _numbered(dfa: DFA, letters: tuple[str, ...]) -> DFA:
    columns = [dfa.alphabet.index(letter) for letter in letters]
    table = dfa.transitions[:, columns]
    numbers = [f"{k}" for k in range(len(letters))]
    return DFA(numbers, table.tolist(), dfa.initial, dfa.accepting.tolist()).minimise()
