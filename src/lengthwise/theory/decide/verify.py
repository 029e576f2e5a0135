"""Files that a decision leaves behind, and reading certificates back to check them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide.certificates import read_certificate, write_certificate
from lengthwise.theory.decide.checker import check_certificate
from lengthwise.theory.decide.decision import Decision
from lengthwise.theory.decide.explain import draw_svg

BUNDLE = "lengthwise-certificates"
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
    write_certificate({"format": BUNDLE, "version": 1, "certificates": made}, path)


def verify_file(path: Path) -> list[dict[str, Any]]:
    """Check every certificate of a file; the first wrong one is an ``InputError``.

    The check of the argument is ``checker.check_certificate``. When the certificate names a regular
    expression, its automaton is compared with that expression as well, and a program that it
    holds with the automaton: for all words where that can be proved, else as far as time goes.
    """
    found = read_certificate(path)
    bundle = found.get("format") == BUNDLE
    certificates = found.get("certificates") if bundle else [found]
    if not isinstance(certificates, list) or not certificates:
        raise InputError(f"certificate {path} holds no certificates.")
    rows: list[dict[str, Any]] = []
    for number, certificate in enumerate(certificates, 1):
        try:
            rows.append(_verify(certificate))
        except InputError as error:
            raise InputError(f"{path}, certificate {number}: {error}") from None
    return rows


def _verify(certificate: Any) -> dict[str, Any]:
    if not isinstance(certificate, dict):
        raise InputError("certificate: expected a JSON object.")
    checked = check_certificate(certificate)
    regex = certificate.get("regex")
    return {
        "language": regex or certificate.get("source"),
        "proved": checked.statement,
        "certificate": certificate["parts"][0].get("kind"),
        "basis": checked.basis,
        "steps": checked.steps,
        "automaton": "matches the regex" if _same_language(certificate) else "as given",
        "program": _check_program(certificate),
    }


def _automaton(certificate: dict[str, Any]) -> DFA:
    given = certificate["dfa"]
    return DFA(certificate["alphabet"], given["transitions"], given["initial"], given["accepting"])


def _same_language(certificate: dict[str, Any]) -> bool:
    """Compare the automaton with the regular expression it claims to come from, if any."""
    if not certificate.get("regex"):
        return False
    dialect = bool(certificate.get("union_plus", False))
    wanted = compile_regex(certificate["regex"], certificate["alphabet"], union_plus=dialect)
    if not _automaton(certificate).equivalent(wanted):
        raise InputError(f"certificate: the automaton is not that of {certificate['regex']!r}.")
    return True


def _check_program(certificate: dict[str, Any]) -> str:
    """Compare the program with the automaton; say how far that went."""
    text, accept = certificate.get("program"), certificate["accept"]
    if text is None:
        return "none"
    if accept == "predict":
        return "not checked: it answers at every letter"
    if not isinstance(text, str):
        raise InputError("certificate: its program is not text.")
    from lengthwise.crasp.checking import check
    from lengthwise.crasp.parser import parse
    from lengthwise.crasp.targets import from_automaton

    target = from_automaton(_automaton(certificate))
    report = check(parse(text), target, accept=accept, seconds=PROGRAM_SECONDS, samples=500)
    if not report.agrees:
        raise InputError(f"certificate: its program, against the automaton, {report.sentence()}")
    return report.sentence().rstrip(".")


def write_text(path: Path, text: str) -> None:
    """Write a text file; problems are one line."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}.") from None


def write_drawing(path: Path, dfa: DFA) -> bool:
    """Draw an automaton as SVG; False when graphviz is not installed."""
    drawing = draw_svg(dfa)
    if drawing is None:
        return False
    write_text(path, drawing)
    return True
