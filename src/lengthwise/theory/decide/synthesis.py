"""From a separated automaton to a C-RASP program: the constructive half of the decision.

A run passes through the strongly connected components in order and never returns. For each one the
program knows when it was entered, counts labelled letters since then, compares the counters with
the potentials of the states, and notices the first letter that leaves. ``before[q]`` holds at a
position iff the automaton is in state q before that position's letter is read; at the end position
this is the final state. (Yang, Veseli et al. 2026, Appendix J, for plain C-RASP; windows and
positions are our derivation, unpublished.)
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from lengthwise.crasp.syntax import Bool
from lengthwise.languages.graphs import live
from lengthwise.languages.machine import FREE, Machine
from lengthwise.theory.decide.conditions import (
    Names,
    both,
    either,
    letter_conditions,
    negation,
    strictly_before,
)
from lengthwise.theory.decide.passage import Passage
from lengthwise.theory.decide.search import Constructive


@dataclass
class Emitter:
    """Builds ``before[q]`` for every state of a machine that matters."""

    machine: Machine
    proof: Constructive
    names: Names = field(default_factory=Names)
    before: dict[int, Bool] = field(default_factory=dict)

    def run(self) -> dict[int, Bool]:
        """Walk the components from the start downwards."""
        self.names.terms = 0  # the limit is per machine, names are shared by all of a program
        self.names.spend(self.machine.states)
        self.useful = self._useful()
        self.letters = letter_conditions(self.machine)
        parts = [part.component.states for part in self.proof.components]
        self.alone = {states[0] for states in parts if len(states) == 1}
        self.entries: dict[int, list[Bool]] = {}
        self.doubts: dict[int, list[Bool]] = {}
        for part in reversed(self.proof.components):
            states = part.component.states
            starts = self.machine.initial in states
            coming = {q: either(self.entries[q]) for q in states if q in self.entries}
            if (starts or coming) and any(self.useful[q] for q in states):
                for event in coming.values():
                    self.names.give("enter", event)
                self._pass(Passage(self.machine, self.names, part, coming, starts))
        return self.before

    def _pass(self, passage: Passage) -> None:
        """Follow one component; hand the run over to the next ones."""
        states = passage.component.states
        doubts = [event for q in states for event in self.doubts.get(q, [])]
        next_state = self._only_way_on(passage)
        before = passage.run(None if next_state is None else self.useful)
        if next_state is not None:
            doubts.append(either(self._deaths(before, states)))
        sure = negation(strictly_before(either(doubts)))
        for q, here in before.items():
            self.before[q] = both(here, sure)
            self.names.give("at", self.before[q])
            for letter, target in enumerate(self.machine.transitions[q].tolist()):
                if target not in states and self.useful[target]:
                    now = self.before[q] if next_state is None else passage.inside[q]
                    event = both(now, self.letter(letter))
                    self.entries.setdefault(target, []).append(event)
        if next_state is not None:
            self.doubts.setdefault(next_state, []).extend(doubts)

    def _only_way_on(self, passage: Passage) -> int | None:
        """Return the one state through which the run can go on usefully, if it is a loop alone.

        Then entering it may be noticed late or twice without harm: what matters is only
        whether it happened before a fatal letter did; fatal letters are counted once, at the end.
        This saves a counting level per component. (Our simplification of the construction.)
        """
        if (self.proof.modulus, self.proof.window) != (1, 0):
            return None
        states = passage.component.states
        targets = {
            int(t)
            for q in states
            for t in self.machine.transitions[q]
            if t not in states and self.useful[t]
        }
        if len(targets) != 1:
            return None
        (target,) = targets
        return target if target in self.alone else None

    def _deaths(self, before: dict[int, Bool], states: tuple[int, ...]) -> Iterable[Bool]:
        """Letters after which nothing useful can happen."""
        for q in states:
            targets = self.machine.transitions[q].tolist()
            fatal = [a for a, t in enumerate(targets) if t not in states and not self.useful[t]]
            if fatal:
                yield both(before[q], either(self.letter(a) for a in fatal))

    def letter(self, index: int) -> Bool:
        """The letter at this position."""
        return self.letters[index]

    def _useful(self) -> np.ndarray:
        return live(self.machine.transitions, self.machine.outputs > 0)


def output_conditions(
    machine: Machine, proof: Constructive, names: Names | None = None
) -> dict[int, Bool]:
    """Return, for every output above 0, the condition that it is the answer before this letter.

    Output 0 is the answer when none of them holds; free outputs are never claimed.
    """
    before = Emitter(machine, proof, names or Names()).run()
    found: dict[int, list[Bool]] = {}
    for q, condition in before.items():
        output = int(machine.outputs[q])
        if output not in (0, FREE):
            found.setdefault(output, []).append(condition)
    return {output: either(conditions) for output, conditions in found.items()}
