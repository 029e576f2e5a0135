"""One strongly connected component in a program: entering it, following it, leaving it."""

from dataclasses import dataclass

import numpy as np

from lengthwise.crasp.embedding import count_before
from lengthwise.crasp.syntax import Bool, Count, Number, Residue, Scale
from lengthwise.languages.graphs import distinct
from lengthwise.languages.machine import Machine
from lengthwise.theory.decide.conditions import (
    FALSE,
    TRUE,
    Names,
    at_offset,
    both,
    either,
    letter_conditions,
    negation,
    strictly_before,
)
from lengthwise.theory.decide.connected import Component
from lengthwise.theory.decide.windows import Contexts, WindowSeparation, Word, start_contexts


@dataclass
class Passage:
    """Conditions for the states of one component; ``coming`` says when each is entered."""

    machine: Machine
    names: Names
    part: WindowSeparation
    coming: dict[int, Bool]
    starts: bool

    def __post_init__(self) -> None:
        self.component: Component = self.part.component
        self.window = self.part.window
        self.modulus = self.part.modulus
        self.place = {q: i for i, q in enumerate(self.component.states)}
        self.contexts: Contexts = start_contexts(self.component, self.modulus)
        self.classes = self.contexts.classes if self.component.period else 1
        self.letters = letter_conditions(self.machine)

    def run(self, only_to: np.ndarray | None) -> dict[int, Bool]:
        """Return where the run is; ``only_to`` limits which ways out are watched."""
        young = self._young()
        at: dict[int, list[Bool]] = {q: [] for q in range(len(self.component.states))}
        for phase in self._phases():
            for q, here in self._settled(phase).items():
                at[q].append(here)
        ripe = {q: either(cases) for q, cases in at.items()}
        self.inside = {state: ripe[q] for q, state in enumerate(self.component.states)}
        stayed = self._stayed(young, ripe, only_to)
        return {
            state: either([*young.get(q, []), both(ripe[q], stayed)])
            for q, state in enumerate(self.component.states)
        }

    # ---- what is visible -----------------------------------------------------------------

    def seen(self, word: Word, nearest: int) -> Bool:
        """The letters up to distance ``nearest`` back spell this word."""
        last = nearest + len(word) - 1
        self.names.spend(len(word))
        return both(*(at_offset(self.letters[a], last - i) for i, a in enumerate(word)))

    def residue(self, value: int, modulus: int) -> Bool:
        """The number of letters read before this position has this residue."""
        return TRUE if modulus == 1 else Residue(modulus, value + 1)

    # ---- entering ------------------------------------------------------------------------

    def _paths(self, start: int, length: int) -> list[tuple[Word, int]]:
        """Words of one length that stay inside, from one state, with the state reached."""
        found: list[tuple[Word, int]] = [((), start)]
        for _ in range(length):
            found = [
                ((*word, letter), int(target))
                for word, q in found
                for letter, target in enumerate(self.component.table[q])
                if target >= 0
            ]
            self.names.spend(len(found))
        return found

    def _entries(self, age: int, nearest: int) -> list[tuple[Bool, Word, int]]:
        """Conditions "entered ``age`` letters ago and still inside", with word and state."""
        found: list[tuple[Bool, Word, int]] = []
        if self.starts:
            distance = age + nearest
            fresh = negation(at_offset(TRUE, distance)) if distance else TRUE
            for word, q in self._paths(self.place[self.machine.initial], age):
                found.append((both(self.seen(word, nearest), fresh), word, q))
        for state, event in self.coming.items():
            for word, q in self._paths(self.place[state], age):
                came = at_offset(event, age + nearest)
                found.append((both(came, self.seen(word, nearest)), word, q))
        return found

    def _young(self) -> dict[int, list[Bool]]:
        """States before this letter when fewer than ``window`` letters were read inside."""
        found: dict[int, list[Bool]] = {}
        for age in range(self.window):
            for condition, _, q in self._entries(age, 1):
                found.setdefault(q, []).append(condition)
        return found

    def _phases(self) -> range | tuple[int]:
        if self.starts:
            level = int(self.component.levels[self.place[self.machine.initial]])
            return (-level % self.classes,)
        return range(self.classes)

    def _ripening(self, phase: int) -> list[tuple[Bool, Word, int]]:
        """Events at a letter that completes the first ``window`` letters inside."""
        found: list[tuple[Bool, Word, int]] = []
        for condition, word, q in self._entries(self.window, 0):
            if self.classes > 1:
                level = int(self.component.levels[q])
                condition = both(condition, Residue(self.classes, level + phase))
            found.append((condition, word, q))
        return found

    def _active(self, phase: int) -> Bool:
        """At least ``window`` letters were read inside (and in this phase)."""
        if self.starts:
            return at_offset(TRUE, self.window) if self.window else TRUE
        return strictly_before(either(event for event, _, _ in self._ripening(phase)))

    # ---- inside --------------------------------------------------------------------------

    def _settled(self, phase: int) -> dict[int, Bool]:
        """Which state, once active: read off the window where it decides, else by counters."""
        at: dict[int, list[Bool]] = {}
        active = self._active(phase)
        for word, residue, q in self._resolved():
            here = both(self.seen(word, 1), self.residue(residue + phase, self.classes))
            at.setdefault(q, []).append(both(self._implied(active, word), here))
        known = self._followed(phase)
        for vertex, condition in known.items():
            at.setdefault(vertex[0], []).append(both(self._implied(active, vertex[1]), condition))
        return {q: either(cases) for q, cases in at.items()}

    def _implied(self, active: Bool, word: Word) -> Bool:
        """From the start on, a full window in view already says that enough letters were read."""
        return TRUE if self.starts and len(word) == self.window else active

    def _resolved(self) -> list[tuple[Word, int, int]]:
        """Shortest words and residues mod g that leave one state, with that state."""
        found: list[tuple[Word, int, int]] = []
        if not self.component.period or len(self.component.states) == 1:
            return [((), residue, 0) for residue in range(self.classes)]
        everywhere = np.arange(len(self.component.states))
        pending: list[tuple[Word, np.ndarray, set[int]]] = [
            ((), everywhere, set(range(self.classes)))
        ]
        table = self.component.table
        while pending:
            word, action, residues = pending.pop()
            images = self.contexts.images(action)
            found += [(word, r, images[r][0]) for r in residues if len(images[r]) == 1]
            open_residues = {r for r in residues if len(images[r]) > 1}
            if open_residues and len(word) < self.window:
                extended = np.where(table >= 0, action[np.maximum(table, 0)], -1)
                pending += [
                    ((a, *word), extended[:, a], open_residues) for a in range(table.shape[1])
                ]
        return found

    def _followed(self, phase: int) -> dict[tuple[int, Word, int], Bool]:
        """For each unresolved vertex the condition that the counters point at it."""
        vertices = self.part.vertices
        if not vertices:
            return {}
        active = self._implied(self._active(phase), vertices[0][1])
        visible = {
            (word, residue): both(self.seen(word, 1), self.residue(residue + phase, self.modulus))
            for _, word, residue in vertices
        }
        blocks = [(word, residue) for _, word, residue in vertices]
        known: dict[object, Bool] = {**visible}
        keys: list[object] = list(blocks)
        for potential in self.part.separation.potentials:
            counter = self._counter(potential, keys, known, active, phase)
            self.names.give("t", counter)
            values = [int(x) for x in potential[1:]]
            refined = list(zip(keys, values, strict=True))
            for old, new in zip(keys, refined, strict=True):
                if new not in known:
                    alone = all(v == new[1] for k, v in refined if k == old)
                    test = TRUE if alone else counter == Number(new[1])
                    known[new] = both(known[old], test)
                    self.names.spend()
            keys = list(refined)
        return {vertex: known[key] for vertex, key in zip(vertices, keys, strict=True)}

    def _counter(
        self,
        potential: np.ndarray,
        keys: list[object],
        known: dict[object, Bool],
        active: Bool,
        phase: int,
    ) -> Count:
        """The running sum whose value is the potential of the present vertex."""
        value = {v: int(x) for v, x in zip(self.part.vertices, potential[1:], strict=True)}
        weighed: dict[int, list[Bool]] = {}
        constant_part = 0
        for (state, word, residue), key in zip(self.part.vertices, keys, strict=True):
            for letter, target in enumerate(self.component.table[state].tolist()):
                if target >= 0:
                    end = (target, self._slide(word, letter), (residue + 1) % self.modulus)
                    weight = value.get(end, 0) - value[state, word, residue]
                    event = both(active, known[key], self.letters[letter])
                    weighed.setdefault(weight, []).append(event)
        for (state, word, residue), condition, letter in self._regained():
            weight = value[state, word, residue]
            moment = self.residue(residue - 1 + phase, self.modulus)
            event = both(active, condition, moment, self.letters[letter])
            weighed.setdefault(weight, []).append(event)
        for condition, word, q in self._ripening(phase):
            if self.starts and self.window == 0:
                constant_part = value.get((q, (), -phase % self.modulus), 0)
                continue
            for residue in range(self.modulus):
                weight = value.get((q, word, residue), 0)
                if weight:
                    when = TRUE if self.modulus == 1 else Residue(self.modulus, residue + phase)
                    weighed.setdefault(weight, []).append(both(condition, when))
        return self._sum(weighed, constant_part)

    def _slide(self, word: Word, letter: int) -> Word:
        return (*word, letter)[-self.window :] if self.window else ()

    def _regained(self) -> list[tuple[tuple[int, Word, int], Bool, int]]:
        """Letters that lead from a resolved context into an unresolved vertex."""
        found: list[tuple[tuple[int, Word, int], Bool, int]] = []
        letters = range(self.component.table.shape[1])
        for word, residue in dict.fromkeys((w, r) for _, w, r in self.part.vertices):
            befores = [(x, *word[:-1]) for x in letters] if self.window else [()]
            for before in befores:
                states = self._possible(before, (residue - 1) % self.modulus)
                if len(states) != 1:
                    continue
                for letter in word[-1:] if self.window else letters:
                    target = int(self.component.table[states[0], letter])
                    if target >= 0:
                        found.append(((target, word, residue), self.seen(before, 1), letter))
        return found

    def _possible(self, word: Word, residue: int) -> list[int]:
        states = np.arange(len(self.component.states))
        for letter in word:
            states = self.component.table[states, letter]
            states = states[states >= 0]
        states = distinct(states)
        levels = self.component.levels[states] % self.classes
        return states[levels == residue % self.classes].tolist()

    def _sum(self, weighed: dict[int, list[Bool]], start: int) -> Count:
        total: Count | None = None
        for weight, events in sorted(weighed.items(), key=lambda item: (-item[0] > 0, item[0])):
            event = either(events)
            if weight == 0 or event is FALSE:
                continue
            self.names.spend(len(events))
            before = count_before(event)
            term = before if weight in (1, -1) else Scale(abs(weight), before)
            if total is None:
                total = term if weight > 0 else Scale(-1, term)
            else:
                total = total + term if weight > 0 else total - term
        if total is None:
            return Number(start)
        return total + start if start else total

    # ---- leaving -------------------------------------------------------------------------

    def _stayed(
        self,
        young: dict[int, list[Bool]],
        ripe: dict[int, Bool],
        only_to: np.ndarray | None,
    ) -> Bool:
        """No earlier letter led out of the component."""
        exits: list[Bool] = []
        for q, state in enumerate(self.component.states):
            targets = self.machine.transitions[state]
            leaving = [a for a, t in enumerate(self.component.table[q].tolist()) if t < 0]
            if only_to is not None:
                leaving = [a for a in leaving if only_to[targets[a]]]
            if leaving:
                here = either([ripe[q], *(young.get(q, []) if self.starts else [])])
                exits.append(both(here, either(self.letters[a] for a in leaving)))
        leaving_event = either(exits)
        self.names.give("leave", leaving_event)
        return negation(strictly_before(leaving_event))
