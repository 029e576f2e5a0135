"""Deciding one question: plain C-RASP by potentials, C-RASP[periodic, local] by three routes."""

from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.languages.machine import Machine, Part, join_blocks
from lengthwise.languages.monoid import Monoid, stable_semigroup, transition_monoid
from lengthwise.theory.decide.category import category_failure, idempotent_representatives
from lengthwise.theory.decide.chains import closed_partition
from lengthwise.theory.decide.connected import Component, components
from lengthwise.theory.decide.pairs import Pairs, pair_refutation
from lengthwise.theory.decide.potentials import separate
from lengthwise.theory.decide.refute import block_refutation, plain_refutation
from lengthwise.theory.decide.search import Constructive, WindowSearch, fixed
from lengthwise.theory.decide.witness import block_witness, early_idempotents

SMALL_WINDOW, SMALL_SYSTEM, LARGE_SYSTEM = 3, 150, 3_000
EARLY_STATES, EARLY_MONOID, EARLY_IDEMPOTENTS = 100, 300, 8
MOST_GUESSED = 60
LATE_MONOID, LATE_IDEMPOTENTS = 3_000, 40


@dataclass(frozen=True)
class Outcome:
    """The answer to one question with its proof, its refutation, or what was tried."""

    answer: str
    proof: Constructive | None = None
    refutation: dict[str, Any] | None = None
    machine: Machine | None = None
    kind: str = "none"
    tried: str = ""


def decide_plain(part: Part, budget: Limits) -> Outcome:
    """Decide plain C-RASP with no letter visible (Yang, Veseli et al. 2026, Theorem 89)."""
    try:
        with budget.alarm("the decision of plain C-RASP"):
            for machine in part.machines:
                proof = fixed(components(machine.transitions), 1, 0, budget)
                if proof is not None:
                    return Outcome("in", proof=proof, machine=machine, kind="potentials")
            return _refute_plain(part.original, budget)
    except LimitReachedError as error:
        return Outcome("undecided", tried=str(error))


def _refute_plain(machine: Machine, budget: Limits) -> Outcome:
    """Look for two states that no counter separates; else join what is never told apart."""
    joined = np.arange(machine.states)
    for component in components(machine.transitions):
        system = component.system()
        separation = separate(system, budget)
        if separation.complete:
            continue
        partition = closed_partition(
            system, separation.blocks, budget, _allowed(machine, component)
        )
        if partition is not None:
            refutation = plain_refutation(machine, component, system, partition)
            return Outcome("out", refutation=refutation, machine=machine, kind="closed partition")
        _, first = np.unique(separation.blocks, return_index=True)
        states = np.array(component.states)
        joined[states] = states[first[separation.blocks]]
    return _follow_blocks(machine, joined, budget)


def _follow_blocks(machine: Machine, joined: NDArray[np.int64], budget: Limits) -> Outcome:
    """With free answers a program may follow blocks instead of states."""
    _, blocks = np.unique(joined, return_inverse=True)
    coarse = join_blocks(machine, blocks)
    proof = coarse and fixed(components(coarse.transitions), 1, 0, budget)
    if proof:
        return Outcome("in", proof=proof, machine=coarse, kind="potentials")
    return Outcome("undecided", tried="free answers: neither a program nor a refutation was found")


def _allowed(machine: Machine, component: Component) -> Any:
    """Pairs that need different answers: all of them unless some answers are free."""
    if (machine.outputs >= 0).all():
        return None
    states = component.states
    return lambda u, v: machine.distinguishing_word(states[u], states[v]) is not None


def decide_periodic_local(part: Part, plain: Outcome, budget: Limits) -> Outcome:
    """Decide C-RASP[periodic, local] with no letter visible. Our derivation, unpublished.

    Cheap routes first: a short block witness, small windows, then the idempotent category, which
    answers for every modulus and window, then larger windows.
    """
    if plain.answer == "in":
        return plain
    tried: list[str] = []
    try:
        with budget.alarm("the decision of C-RASP[periodic, local]"):
            return _routes(part, budget, tried)
    except LimitReachedError as error:
        return Outcome("undecided", tried="; ".join([*tried, str(error)]))


def _routes(part: Part, budget: Limits, tried: list[str]) -> Outcome:
    early = _early_witness(part.original, budget) or _joined_pair(part.original, budget)
    if early is not None:
        return early
    searches: list[tuple[Machine, WindowSearch]] = []
    for machine in part.machines:
        try:
            monoid = transition_monoid(machine.actions(), budget)
            modulus = stable_semigroup(monoid, budget).index
        except LimitReachedError as error:
            tried.append(str(error))
            modulus = _guessed_modulus(machine)
        searches.append((machine, WindowSearch(components(machine.transitions), modulus)))
    found = _search(searches, budget, SMALL_WINDOW, SMALL_SYSTEM) or _refute_blocks(
        part.original, budget, tried
    )
    found = found or _search(searches, budget, budget.window, min(LARGE_SYSTEM, budget.vertices))
    if found is not None:
        return found
    tried += [f"modulus {s.modulus} with windows up to {s.tried}" for _, s in searches]
    return Outcome("undecided", tried="; ".join(tried))


def _search(
    searches: list[tuple[Machine, WindowSearch]], budget: Limits, window: int, vertices: int
) -> Outcome | None:
    for machine, search in searches:
        found = search.run(budget, window, vertices)
        if found is not None:
            return Outcome("in", proof=found, machine=machine, kind="potentials")
    return None


def _guessed_modulus(machine: Machine) -> int:
    """Without the monoid: the lengths of cycles of states, and of pairs of states, suggest one."""
    parts = [part for part in components(machine.transitions) if len(part.states) > 1]
    modulus = lcm(*(part.period for part in parts), 1)
    for part in parts:
        if Pairs.fits(part):
            found = lcm(modulus, Pairs(part).periods(MOST_GUESSED))
            modulus = found if found <= max(modulus, MOST_GUESSED) else modulus
    return modulus


def _joined_pair(machine: Machine, budget: Limits) -> Outcome | None:
    """Look for two states that a merge or a swap joins, without the monoid."""
    needed = _needs_different_answers(machine)
    found = pair_refutation(machine, components(machine.transitions), budget, needed)
    if found is None:
        return None
    return Outcome("out", refutation=found, machine=machine, kind="block witness")


def _early_witness(machine: Machine, budget: Limits) -> Outcome | None:
    """Look for a block witness among the shortest words, whatever the size of the monoid."""
    if machine.states > EARLY_STATES:
        return None
    monoid = transition_monoid(machine.actions(), budget, at_most=EARLY_MONOID)
    return _witness(machine, monoid, early_idempotents(monoid, EARLY_IDEMPOTENTS), budget)


def _witness(
    machine: Machine, monoid: Monoid, idempotents: list[int], budget: Limits
) -> Outcome | None:
    found = block_witness(monoid, idempotents, budget, _needs_different_answers(machine))
    if found is None:
        return None
    failure, anchor, words = found
    refutation = block_refutation(machine, failure, [anchor], words)
    return Outcome("out", refutation=refutation, machine=machine, kind="block witness")


def _needs_different_answers(machine: Machine) -> Any:
    if (machine.outputs >= 0).all():
        return None
    return lambda q, r: machine.distinguishing_word(q, r) is not None


def _refute_blocks(machine: Machine, budget: Limits, tried: list[str]) -> Outcome | None:
    """Decide by the local monoids and the category; None: no obstacle was found."""
    try:
        monoid = transition_monoid(machine.actions(), budget)
        stable = stable_semigroup(monoid, budget)
    except LimitReachedError as error:
        tried.append(f"{error}; block witnesses among the {LATE_MONOID:,} shortest actions")
        partial = transition_monoid(machine.actions(), budget, at_most=LATE_MONOID)
        return _witness(machine, partial, early_idempotents(partial, LATE_IDEMPOTENTS), budget)
    representatives = idempotent_representatives(monoid, stable.members, budget)
    witness = _witness(machine, monoid, representatives, budget)
    if witness is not None:
        return witness
    allowed = _needs_different_answers(machine)
    failure = category_failure(monoid, stable, representatives, budget, allowed)
    if failure is None:
        tried.append("the category test finds no obstacle")
        return None
    anchors = [stable.word(monoid, anchor.element) for anchor in failure.anchors]
    words = {arrow.element: stable.word(monoid, arrow.element) for arrow in failure.arrows}
    refutation = block_refutation(machine, failure, anchors, words)
    return Outcome("out", refutation=refutation, machine=machine, kind="idempotent category")
