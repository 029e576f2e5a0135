"""Certificates as plain data: what is claimed, about which automaton, and why."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lengthwise.core.outputs import save_text
from lengthwise.languages.dfa import DFA
from lengthwise.languages.machine import Machine, Part
from lengthwise.theory.decide.potentials import SMALL
from lengthwise.theory.decide.questions import Outcome
from lengthwise.theory.decide.search import Constructive

PUBLISHED = "published"
REDUCTION = "published + own reduction"
DERIVATION = "own derivation"
SAMPLED = "sampled"
BASIS = {
    PUBLISHED: "Published theorem: Yang, Veseli et al. 2026, Theorem 89 (plain C-RASP, end).",
    REDUCTION: (
        "Published theorem (Yang, Veseli et al. 2026, Theorem 89) after our own, unpublished "
        "reduction that fixes the visible last letter."
    ),
    DERIVATION: "Our own derivation, unpublished: positions mod m, windows and block arguments.",
    SAMPLED: (
        "The automaton was learned from a function and is not proved equal to it; what is proved "
        "is proved about the automaton alone."
    ),
}
READABLE = 200_000
"""Characters up to which a certificate is written one entry per line."""
ABOUT = ("regex", "union_plus", "source", "learned", "program")
"""What a certificate may say about where its automaton came from."""


def strength(
    class_name: str, accept: str, outcomes: list[Outcome], about: Mapping[str, Any]
) -> str:
    """Say how strong the argument behind an answer is; see ``BASIS`` for the sentences.

    An answer about a learned automaton is no stronger than the words it was learned from.
    """
    if any(outcome.answer == "undecided" for outcome in outcomes):
        return "none"
    if about.get("learned"):
        return SAMPLED
    proofs = [outcome.proof for outcome in outcomes if outcome.proof is not None]
    plain_only = all((proof.modulus, proof.window) == (1, 0) for proof in proofs)
    if class_name == "periodic_local" and not (plain_only and len(proofs) == len(outcomes)):
        return DERIVATION
    return PUBLISHED if accept in ("end", "answer") else REDUCTION


def build_certificate(
    dfa: DFA,
    accept: str,
    class_name: str,
    answered: list[tuple[Part, Outcome]],
    about: dict[str, Any],
) -> dict[str, Any]:
    """Write the certificate of a decided answer.

    ``answered`` holds every part for a yes and one refuted part for a no; ``about`` adds where the
    automaton came from (regular expression, learned from a function, ...) and the program's text.
    What was learned is marked so, and no stronger than sampled.
    """
    answer = answered[0][1].answer
    parts = [_part(dfa, part, outcome) for part, outcome in answered]
    degree = strength(class_name, accept, [outcome for _, outcome in answered], about)
    return {
        "format": "lengthwise-certificate",
        "version": 2 if any(map(_shorter, parts)) else 1,
        "class": class_name,
        "accept": accept,
        "answer": answer,
        "strength": degree,
        "basis": BASIS[degree],
        **{name: about[name] for name in ABOUT if name in about},
        "alphabet": list(dfa.alphabet),
        "dfa": {
            "transitions": dfa.transitions.tolist(),
            "initial": dfa.initial,
            "accepting": dfa.accepting.tolist(),
        },
        "parts": parts,
    }


def _shorter(part: dict[str, Any]) -> bool:
    """Whether a part uses what only version 2 has."""
    listed = part["proof"]["components"] if "proof" in part else []
    return (
        "letters" in part
        or "joins" in part.get("refutation", ())
        or any("vertices" not in x for x in listed)
    )


def _part(dfa: DFA, part: Part, outcome: Outcome) -> dict[str, Any]:
    assert outcome.machine is not None, "decided outcomes name their machine"
    letters = None if part.letters is None else [dfa.alphabet[a] for a in part.letters]
    body = {"last": letters, "machine": _machine(outcome.machine), "kind": outcome.kind}
    if outcome.machine.alike is not None:
        number = {s: i for i, group in enumerate(outcome.machine.alike) for s in group}
        body["letters"] = [number[symbol] for symbol in dfa.alphabet]
    if outcome.proof is not None:
        return {**body, "proof": _proof(outcome.proof)}
    return {**body, "refutation": outcome.refutation}


def _machine(machine: Machine) -> dict[str, Any]:
    return {
        "transitions": machine.transitions.tolist(),
        "initial": machine.initial,
        "outputs": machine.outputs.tolist(),
    }


def _proof(proof: Constructive) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    for separated in proof.components:
        states = separated.component.states
        if len(states) > 1:
            body: dict[str, Any] = {"states": list(states)}
            if (proof.modulus, proof.window) != (1, 0) or len(states) <= SMALL:
                body["vertices"] = [[states[q], list(u), r] for q, u, r in separated.vertices]
            potentials = separated.separation.potentials
            parts.append(
                {**body, "potentials": [potential[1:].tolist() for potential in potentials]}
            )
    return {"modulus": proof.modulus, "window": proof.window, "components": parts}


def joins_sentence(joins: Mapping[str, Any]) -> str:
    """Say in words why vertices that are joined along trees and cycles have one value."""
    edges, cycles = len(joins["tree"]), len(joins["cycles"])
    return (
        f"their ways in trees of {edges:,} steps count the same, per block of states and letter, "
        f"but for combinations of {cycles:,} cycles, on which every bounded combination is 0"
    )


def write_certificate(certificate: dict[str, Any], path: Path) -> None:
    """Save a certificate as JSON, one entry per line unless it is large."""
    text = json.dumps(certificate, ensure_ascii=False)
    if len(text) < READABLE:
        text = json.dumps(certificate, ensure_ascii=False, indent=1)
    save_text(path, text)
