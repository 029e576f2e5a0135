"""Checking a certificate: nothing here is shared with the search that produced it.

A certificate carries the automaton, one *part* per question asked about it and for each part either
potentials (the answer is ``in``) or a closed partition (``out``). Every check walks the listed
vertices and edges once; no equation is solved. What the checks establish is stated in
``docs/deciding.md``; the theorem behind the plain class is Yang, Veseli et al. 2026, Theorem 89,
the steps to windows, positions and the last letter are our derivation, unpublished.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.theory.decide.check_proof import check_proof
from lengthwise.theory.decide.check_refutation import check_refutation
from lengthwise.theory.decide.check_tools import FREE, Table, reach, reject, rows_of

FORMAT = "lengthwise-certificate"
VERSION = 1


@dataclass(frozen=True)
class Checked:
    """What an accepted certificate proves, in one sentence, and how much was looked at."""

    statement: str
    answer: str
    basis: str
    parts: int
    steps: int


def check_certificate(certificate: Mapping[str, Any]) -> Checked:
    """Verify a certificate or raise ``InputError`` naming the first thing that is wrong.

    Example:
        >>> check_certificate({"format": "something else"})
        Traceback (most recent call last):
        ...
        lengthwise.core.errors.InputError: certificate: format is 'something else'; expected ...
    """
    try:
        return _check(certificate)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"certificate: malformed ({type(error).__name__}: {error}).") from None


def _check(certificate: Mapping[str, Any]) -> Checked:
    if certificate.get("format") != FORMAT:
        reject(f"format is {certificate.get('format')!r}; expected {FORMAT!r}")
    if certificate.get("version") != VERSION:
        reject(f"version is {certificate.get('version')!r}; expected {VERSION}")
    alphabet, accept = list(certificate["alphabet"]), certificate["accept"]
    dfa = certificate["dfa"]
    if len(set(alphabet)) != len(alphabet):
        reject("a symbol stands twice in the alphabet")
    table = rows_of(dfa["transitions"], len(alphabet))
    accepting = [bool(x) for x in dfa["accepting"]]
    if len(accepting) != len(table) or not 0 <= dfa["initial"] < len(table):
        reject("the automaton's accepting or initial states do not fit its transitions")
    answer = certificate["answer"]
    if answer not in ("in", "out"):
        reject(f"answer is {answer!r}; expected 'in' or 'out'")
    steps = sum(
        _check_part(certificate, part, table, accepting, alphabet, accept, answer)
        for part in certificate["parts"]
    )
    _check_coverage(certificate, alphabet, accept, answer)
    name = {"plain": "C-RASP", "periodic_local": "C-RASP[periodic, local]"}[certificate["class"]]
    verb = "is" if answer == "in" else "is not"
    return Checked(
        f"the language {verb} in {name} (convention {accept})",
        answer,
        _basis(certificate, answer, accept),
        len(certificate["parts"]),
        steps,
    )


def _basis(certificate: Mapping[str, Any], answer: str, accept: str) -> str:
    """Say what the accepted argument rests on, whatever the certificate says about itself."""
    proofs = [part["proof"] for part in certificate["parts"]] if answer == "in" else []
    plain = certificate["class"] == "plain" or (
        bool(proofs) and all((p["modulus"], p["window"]) == (1, 0) for p in proofs)
    )
    if not plain:
        return "our own derivation, unpublished"
    theorem = "published theorem (Yang, Veseli et al. 2026, Theorem 89)"
    if accept == "end":
        return theorem
    return f"{theorem} after our own, unpublished reduction of the last letter"


def _check_coverage(
    certificate: Mapping[str, Any], alphabet: list[str], accept: str, answer: str
) -> None:
    """A yes must answer every question, a no at least one."""
    parts = certificate["parts"]
    if not parts:
        reject("no parts")
    if answer == "in" and accept != "end":
        covered = {letter for part in parts for letter in part["last"]}
        missing = [letter for letter in alphabet if letter not in covered]
        if missing:
            reject(f"no part for words that end in {missing[0]!r}")


def _check_part(
    certificate: Mapping[str, Any],
    part: Mapping[str, Any],
    table: Table,
    accepting: list[bool],
    alphabet: list[str],
    accept: str,
    answer: str,
) -> int:
    machine = part["machine"]
    transitions = rows_of(machine["transitions"], len(alphabet))
    outputs = [int(x) for x in machine["outputs"]]
    if len(outputs) != len(transitions) or not 0 <= machine["initial"] < len(transitions):
        reject("a machine's outputs or initial state do not fit its transitions")
    start = (certificate["dfa"]["initial"], machine["initial"])
    if (accept == "end") != (part["last"] is None):
        reject("a part names a last letter exactly when the convention shows one")
    if part["last"] is not None and not part["last"]:
        reject("a part names no last letter, so it says nothing about the automaton")
    letters = [None] if part["last"] is None else [alphabet.index(a) for a in part["last"]]
    steps = 0
    for letter in letters:
        wanted = wanted_answers(table, accepting, accept, letter)
        steps += _check_machine(table, wanted, transitions, outputs, start, answer)
    if answer == "in":
        return steps + check_proof(transitions, machine["initial"], part["proof"], certificate)
    return steps + check_refutation(
        transitions, machine["initial"], outputs, part["refutation"], certificate["class"]
    )


def wanted_answers(
    table: Table, accepting: list[bool], accept: str, letter: int | None
) -> list[object]:
    """Return what has to be answered when the state before the last letter is known."""
    if accept == "end":
        return list(accepting)
    if accept == "last":
        return [accepting[row[letter]] for row in table]  # type: ignore[index]
    if accept != "predict":
        reject(f"accept is {accept!r}; expected 'end', 'last' or 'predict'")
    alive = _alive(table, accepting)
    sets = [(tuple(alive[t] for t in row), accepting[q]) for q, row in enumerate(table)]
    return [sets[row[letter]] if alive[row[letter]] else FREE for row in table]  # type: ignore[index]


def _alive(table: Table, accepting: list[bool]) -> list[bool]:
    sources: list[list[int]] = [[] for _ in table]
    for state, row in enumerate(table):
        for target in row:
            sources[target].append(state)
    seen = reach([q for q, final in enumerate(accepting) if final], lambda q: sources[q])
    return [q in seen for q in range(len(table))]


def _check_machine(
    table: Table,
    wanted: list[object],
    transitions: Table,
    outputs: list[int],
    start: tuple[int, int],
    answer: str,
) -> int:
    """Run both automata side by side: the machine must ask exactly what the language asks."""

    def following(pair: tuple[int, int]) -> list[tuple[int, int]]:
        return list(zip(table[pair[0]], transitions[pair[1]], strict=True))

    meaning: dict[int, object] = {}
    numbers: dict[object, int] = {}
    pairs = reach([start], following)
    for q, x in pairs:
        free_allowed = wanted[q] is FREE
        if free_allowed and (answer == "in" or outputs[x] == FREE):
            continue
        if free_allowed or outputs[x] == FREE:
            reject(f"state {x} of a machine answers where nothing is asked, or the other way round")
        if wanted[q] in (True, False) and outputs[x] != int(wanted[q] is True):
            reject(f"state {x} of a machine gives the wrong answer")
        if meaning.setdefault(outputs[x], wanted[q]) != wanted[q]:
            reject(f"state {x} of a machine gives the wrong answer")
        if numbers.setdefault(wanted[q], outputs[x]) != outputs[x]:
            reject(f"state {x} of a machine gives another answer than its equals")
    return len(pairs)
