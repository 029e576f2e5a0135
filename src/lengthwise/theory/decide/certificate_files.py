"""Files that a decision leaves behind, and reading certificates back to check them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.crasp import syntax
from lengthwise.crasp.check_comparison import FORMAT, ComparisonRefused, check_comparison
from lengthwise.crasp.checking import check
from lengthwise.crasp.parser import parse
from lengthwise.crasp.targets import from_automaton
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide.certificates import write_certificate
from lengthwise.theory.decide.check_certificate import (
    BUNDLE,
    VERSION,
    Refused,
    check_certificate,
    read_file,
)
from lengthwise.theory.decide.decision import Decision

COMPARED_SPAN, COMPARED_STATES, COMPARED_POSITIONS = 500_000, 5_000, 2_000
"""Beyond these the automaton is not compared with the regular expression it claims to be of."""
PROGRAM_SECONDS = 1.0
"""Time for comparing a certificate's program with its automaton."""


def write_certificates(path: Path, decisions: Sequence[Decision]) -> None:
    """Write the certificates of all decided answers into one file."""
    made = [
        certificate
        for decision in decisions
        for answer in (decision.plain, decision.periodic_local)
        if (certificate := answer.certificate()) is not None
    ]
    if not made:
        raise InputError("nothing was decided, so there is no certificate to write.")
    write_certificate({"format": BUNDLE, "version": VERSION, "certificates": made}, path)


def verify_file(path: Path) -> list[dict[str, Any]]:
    """Check every certificate of a file; the first wrong one is an ``InputError``.

    The argument is checked by ``check_certificate``, which knows the automaton alone. Here its
    labels are looked at: the automaton is compared with the regular expression that a certificate
    names, in its dialect and alphabet and within limits, and the program that it holds with the
    automaton: for all words where that can be proved, else as far as time goes.
    """
    try:
        certificates = read_file(path)
    except OSError as error:
        raise InputError(f"cannot read certificate {path}: {error.strerror}.") from None
    except Refused as error:
        raise InputError(f"certificate {path}: {error}") from None
    rows: list[dict[str, Any]] = []
    for number, certificate in enumerate(certificates, 1):
        try:
            rows.append(_verify(certificate))
        except (Refused, ComparisonRefused, InputError) as error:
            raise InputError(f"{path}, certificate {number}: {error}") from None
    return rows


def _verify(certificate: dict[str, Any]) -> dict[str, Any]:
    if isinstance(certificate, dict) and certificate.get("format") == FORMAT:
        return _verify_comparison(certificate)
    checked = check_certificate(certificate)
    return {
        "automaton": checked.automaton,
        "digest": checked.digest,
        "proved": checked.statement,
        "strength": checked.strength,
        "basis": checked.basis,
        "steps": checked.steps,
        "claimed": "; ".join(f"{name} {value}" for name, value in checked.claimed.items()),
        "regex": _compare_regex(certificate),
        "program": _check_program(certificate),
    }


RELATIONS = {
    "equal": "the two languages are equal",
    "included": "the first language is part of the second, which has other words",
    "includes": "the second language is part of the first, which has other words",
    "disjoint": "the two languages have no word in common",
    "different": "the two languages differ",
    "open": "nothing about how the two languages lie to each other",
}


def _verify_comparison(certificate: dict[str, Any]) -> dict[str, Any]:
    """Check what `crasp compare` wrote; the two languages are shown as the certificate has them."""
    checked = check_comparison(certificate)
    regions = [
        f"{'+' if key[0] else '-'}{'+' if key[1] else '-'} {what}"
        for key, what in checked.regions.items()
    ]
    known = [(getattr(syntax, kind), *rest) for kind, *rest in certificate["nodes"]]
    nodes = syntax.unflatten([(kind, tuple(map(_tuple, c)), tuple(a)) for kind, c, a in known])
    sides = [
        str(nodes[side["root"]]) if "root" in side else f"{len(side['accepting'])} states"
        for side in (certificate["first"], certificate["second"])
    ]
    return {
        "automaton": "none",
        "digest": "none",
        "proved": f"{RELATIONS[checked.relation]} (convention {certificate['accept']})",
        "strength": "own derivation",
        "basis": "; ".join(regions),
        "steps": checked.steps,
        "claimed": "; ".join(f"name {_safe(n)}" for n in certificate.get("names", ())) or "none",
        "regex": "none",
        "program": "; ".join(map(_safe, sides)),
    }


def _safe(text: str) -> str:
    """Return text of others so that it can be printed: not too long, nothing that acts."""
    short = text if len(text) <= 300 else f"{text[:297]}..."
    return short if short.isprintable() else ascii(short)


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _automaton(certificate: dict[str, Any]) -> DFA:
    given = certificate["dfa"]
    return DFA(certificate["alphabet"], given["transitions"], given["initial"], given["accepting"])


def _compare_regex(certificate: dict[str, Any]) -> str:
    """Compare the automaton with the regular expression it claims to come from, if any."""
    regex = certificate.get("regex")
    if regex is None:
        return "none"
    if len(regex) * (ord(max(regex, default="a")) - ord(min(regex, default="a"))) > COMPARED_SPAN:
        return "not compared: too long"
    try:
        wanted = compile_regex(
            regex,
            certificate["alphabet"],
            union_plus=bool(certificate.get("union_plus")),
            max_states=COMPARED_STATES,
            max_positions=COMPARED_POSITIONS,
        )
    except InputError as error:
        return f"not compared: {error}"
    if not _automaton(certificate).equivalent(wanted):
        raise InputError(f"the automaton is not that of {regex!r}.")
    return "matches the regex"


def _check_program(certificate: dict[str, Any]) -> str:
    """Compare the program with the automaton; say how far that went."""
    text, accept = certificate.get("program"), certificate["accept"]
    if text is None:
        return "none"
    if accept == "predict":
        return "not checked: it answers at every letter"

    target = from_automaton(_automaton(certificate))
    report = check(parse(text), target, accept=accept, seconds=PROGRAM_SECONDS, samples=500)
    if not report.agrees:
        raise InputError(f"its program, against the automaton, {report.sentence()}")
    return report.sentence().rstrip(".")
