"""Checking a yes: potentials that name the state at every moment.

For each strongly connected part the checker lists on its own the places where the last c letters
and the position mod m leave several states open; the certificate must give a potential to exactly
these. In every round the displacement may depend only on the letter and on what earlier rounds
know, so that a sum of counts follows the potential; at the end no two places may look alike.
"""

from collections.abc import Mapping
from typing import Any

from lengthwise.theory.decide.check_tools import Table, classes_of_mutual_reach, reach, reject

Place = tuple[int, tuple[int, ...], int]


def check_proof(
    table: Table, initial: int, proof: Mapping[str, Any], certificate: Mapping[str, Any]
) -> int:
    """Check the potentials of one machine; return the number of places looked at."""
    modulus, window = int(proof["modulus"]), int(proof["window"])
    if modulus < 1 or window < 0:
        reject("modulus or window out of range")
    if certificate["class"] == "plain" and (modulus, window) != (1, 0):
        reject("a plain proof uses modulus 1 and window 0")
    given = {tuple(sorted(part["states"])): part for part in proof["components"]}
    steps = 0
    for states in classes_of_mutual_reach(table, initial):
        if len(states) > 1:
            if tuple(states) not in given:
                reject(f"no potentials for the component of state {states[0]}")
            steps += _check_component(table, states, modulus, window, given[tuple(states)])
    return steps


def _check_component(
    table: Table, states: list[int], modulus: int, window: int, part: Mapping[str, Any]
) -> int:
    open_places = _open_places(table, states, modulus, window)
    places: list[Place] = [(int(q), tuple(u), int(r)) for q, u, r in part["vertices"]]
    if len(set(places)) != len(places) or set(places) != open_places:
        reject(f"the places listed for the component of state {states[0]} are not the open ones")
    inside = set(states)
    known: dict[Place, object] = {place: (place[1], place[2]) for place in places}
    for potential in part["potentials"]:
        if len(potential) != len(places):
            reject("a potential does not fit the places")
        value = dict(zip(places, map(int, potential), strict=True))
        _check_round(table, inside, modulus, window, value, known)
        known = {place: (known[place], value[place]) for place in places}
    if len(set(known.values())) != len(places):
        reject(f"two states of the component of state {states[0]} look alike to the end")
    return len(places) * (1 + len(part["potentials"]))


def _check_round(
    table: Table,
    inside: set[int],
    modulus: int,
    window: int,
    value: dict[Place, int],
    known: dict[Place, object],
) -> None:
    """The displacement of a letter must be a function of the letter and of what is known."""
    displacement: dict[tuple[int, object], int] = {}
    for place, here in value.items():
        q, word, residue = place
        for letter, target in enumerate(table[q]):
            if target in inside:
                following = (*word, letter)[-window:] if window else ()
                there = value.get((target, following, (residue + 1) % modulus), 0)
                key = (letter, known[place])
                if displacement.setdefault(key, there - here) != there - here:
                    reject(f"potential breaks at state {q}, letter number {letter}")


def _open_places(table: Table, states: list[int], modulus: int, window: int) -> set[Place]:
    """List (state, last letters, residue) wherever letters and residue leave several states.

    Runs are followed from the first state at residue 0; other entry residues only shift this.
    """
    inside = set(states)
    timed = reach(
        [(states[0], 0)],
        lambda at: [(t, (at[1] + 1) % modulus) for t in table[at[0]] if t in inside],
    )
    contexts: dict[tuple[int, ...], dict[int, int]] = {(): {q: q for q in states}}
    for length in range(window + 1):
        contexts = {
            word: action
            for word, action in contexts.items()
            if any(len(s) > 1 for s in _possible(action, timed, modulus, length).values())
        }
        if length < window:
            contexts = _prepend(table, inside, contexts)
    places: set[Place] = set()
    for word, action in contexts.items():
        for residue, possible in _possible(action, timed, modulus, window).items():
            if len(possible) > 1:
                places |= {(q, word, residue) for q in possible}
    return places


def _possible(
    action: dict[int, int], timed: set[tuple[int, int]], modulus: int, length: int
) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for q, residue in timed:
        if q in action:
            found.setdefault((residue + length) % modulus, set()).add(action[q])
    return found


def _prepend(
    table: Table, inside: set[int], contexts: dict[tuple[int, ...], dict[int, int]]
) -> dict[tuple[int, ...], dict[int, int]]:
    longer: dict[tuple[int, ...], dict[int, int]] = {}
    for word, action in contexts.items():
        for letter in range(len(table[0])):
            moved = {q: table[q][letter] for q in inside}
            longer[(letter, *word)] = {q: action[t] for q, t in moved.items() if t in action}
    return longer
