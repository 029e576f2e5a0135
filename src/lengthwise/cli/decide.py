"""``lengthwise decide`` and ``lengthwise verify-certificate``: regular languages."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, Whole, console, print_json, print_table, say
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.core.budget import Budget
    from lengthwise.theory.decide.decision import Decision
    from lengthwise.theory.decide.sources import Language

Flag = Annotated[bool, Parameter(negative="")]


def decide(
    *regexes: str,
    alphabet: str | None = None,
    file: Path | None = None,
    dfa: tuple[Path, ...] = (),
    function: str | None = None,
    suite: str | None = None,
    union_plus: Flag = False,
    accept: Literal["end", "last", "predict"] | None = None,
    program: Path | None = None,
    certificate: Path | None = None,
    explain: Flag = False,
    svg: Path | None = None,
    time_limit: float = 60.0,
    max_monoid: Count = 20_000,
    max_window: Whole = 32,
    as_json: Json = False,
) -> None:
    """Decide whether regular languages are in C-RASP, plain and with positions and windows.

    Example: `lengthwise decide '(ab)*' '(aa)*' --accept end --explain`

    Parameters
    ----------
    regexes
        Regular expressions: | union, * + ? repetition, {2,5}, [ab] classes, . any symbol.
    alphabet
        The symbols, e.g. abc; default: the symbols each expression uses.
    file
        A file with one regular expression per line.
    dfa
        An automaton as JSON or OpenFst text (.att); may be repeated.
    function
        A Python predicate on words, file.py:name, from which the automaton is learned.
    suite
        A list that ships with the package: published.
    union_plus
        Read + as union instead of one-or-more.
    accept
        Where the answer is read: end (an end position), last (the last letter, visible) or predict
        (next-symbol sets). Default: last; end for --suite.
    program
        Write the C-RASP program of a yes to this file (one language).
    certificate
        Write the certificates of both answers to this file.
    explain
        Print the argument in words, with the automaton.
    svg
        Draw the automaton to this file (needs graphviz's dot; otherwise prints the table).
    time_limit
        Seconds per language; beyond that answers are undecided.
    max_monoid
        Largest transition monoid that is built.
    max_window
        Largest window of letters that is tried.
    as_json
        Print one JSON object per language, as a list.
    """
    from lengthwise.core.budget import Budget

    budget = Budget(seconds=_positive("--time-limit", time_limit))
    languages = _languages(regexes, alphabet, file, dfa, function, suite, union_plus, time_limit)
    convention = accept or ("end" if suite else "last")
    budget.monoid = max_monoid
    budget.window = max_window
    if (program or svg) and len(languages) > 1:
        raise InputError(f"--program and --svg take one language; {len(languages)} were given.")
    found = _decide_all(languages, convention, budget, quiet=as_json)
    _write_files(found, program, certificate, svg)
    if as_json:
        print_json([decision.to_json() for _, decision in found])
    elif explain:
        _print_explanations(found)
    else:
        _print_summary(found, convention)


def verify_certificate(path: Path, *, as_json: Json = False) -> None:
    """Check certificates written by `lengthwise decide --certificate`, independently of the search.

    Example: lengthwise verify-certificate out.json

    Parameters
    ----------
    path
        The certificate file.
    as_json
        Print what was checked as JSON.
    """
    from lengthwise.theory.decide.verify import verify_file

    rows = verify_file(path)
    if as_json:
        print_json(rows)
        return
    programs = any(row["program"] != "none" for row in rows)
    shown = [{k: v for k, v in row.items() if programs or k != "program"} for row in rows]
    print_table(shown, title=f"{path}: {len(rows)} certificates accepted")


def _positive(option: str, value: float) -> float:
    if not value > 0:
        raise InputError(f"{option} is {value:g}; it must be positive.")
    return value


def _languages(
    regexes: Sequence[str],
    alphabet: str | None,
    file: Path | None,
    dfa: Sequence[Path],
    function: str | None,
    suite: str | None,
    union_plus: bool,
    time_limit: float,
) -> "list[Language]":
    from lengthwise.theory.decide import sources

    found = sources.from_regexes(regexes, alphabet, union_plus=union_plus)
    if file is not None:
        found += sources.from_file(file, alphabet, union_plus=union_plus)
    found += sources.from_automata(dfa)
    if function is not None:
        from lengthwise.predict.functions import learned_language

        found.append(learned_language(function, alphabet, time_limit))
    if suite is not None:
        found += sources.from_suite(suite)
    if not found:
        raise InputError("no language: give a regex, --file, --dfa, --function or --suite.")
    return found


def _decide_all(
    languages: "list[Language]", accept: str, budget: "Budget", *, quiet: bool
) -> "list[tuple[Language, Decision]]":
    from lengthwise.theory.decide.decision import decide as decide_language
    from lengthwise.theory.decide.decision import undecided

    found: list[tuple[Language, Decision]] = []
    try:
        for language in _progress(languages, quiet or len(languages) < 3):
            if language.dfa is None:
                decision = undecided(language.letters, accept, language.doubt, **language.about)
            else:
                decision = decide_language(language.dfa, accept, budget, **language.about)
            found.append((language, decision))
    except KeyboardInterrupt:
        if found and not quiet:
            _print_summary(found, accept)
        raise
    return found


def _progress(languages: "list[Language]", quiet: bool) -> "Iterator[Language]":
    from rich.console import Console
    from rich.progress import track

    screen = Console(stderr=True)
    hidden = quiet or not sys.stderr.isatty()
    yield from track(languages, "deciding", console=screen, transient=True, disable=hidden)


def _write_files(
    found: "list[tuple[Language, Decision]]",
    program: Path | None,
    certificate: Path | None,
    svg: Path | None,
) -> None:
    from lengthwise.theory.decide.verify import write_certificates, write_drawing, write_text

    if program is not None:
        write_text(program, found[0][1].program_text())
    if certificate is not None:
        write_certificates(certificate, [decision for _, decision in found])
    automaton = found[0][1].dfa
    if svg is not None and automaton is None:
        raise InputError("--svg: there is no automaton to draw; none was learned.")
    if svg is not None and automaton is not None and not write_drawing(svg, automaton):
        from lengthwise.theory.decide.explain import automaton_table

        console().print("graphviz's dot is not installed; the automaton as a table:")
        console().print("\n".join(automaton_table(automaton)), markup=False)


def _print_explanations(found: "list[tuple[Language, Decision]]") -> None:
    from lengthwise.theory.decide.explain import explain

    for language, decision in found:
        console().print(f"== {language.name} ==", markup=False, highlight=False)
        console().print(explain(decision), markup=False, highlight=False)
        say(_algebra(decision))


def _algebra(decision: "Decision") -> str:
    classes = [name for name, member in decision.classes.to_json().items() if member]
    monoid = "too large to build" if decision.monoid is None else f"{decision.monoid} elements"
    return f"\nTransition monoid: {monoid}. Classes: {', '.join(classes) or 'none of the known'}."


def _print_summary(found: "list[tuple[Language, Decision]]", accept: str) -> None:
    from lengthwise.theory.decide.explain import READING, neutral_warning

    out = console()
    learned = [language for language, decision in found if decision.about.get("learned")]
    for language in learned:
        text = f"{language.name}: {language.about['learned']}."
        out.print(text, markup=False, highlight=False)
    print_table([_row(language, decision) for language, decision in found])
    out.print(f"accept = {accept}: {READING[accept]}.", highlight=False)
    if accept == "end":
        basis = "a published theorem (Yang, Veseli et al. 2026, Theorem 89)"
    else:
        basis = "a published theorem after our own, unpublished reduction of the last letter"
    out.print(f"plain: {basis}.", highlight=False)
    out.print(
        "periodic, local: our own derivation, unpublished, unless plain is already in.",
        highlight=False,
    )
    for language in learned:
        text = f"{language.name}: sampled, whatever the theorem: its automaton was learned."
        out.print(text, markup=False, highlight=False)
    for language, decision in found:
        if len(found) == 1 and (warning := neutral_warning(decision)):
            out.print(warning, highlight=False)
        for answer in (decision.plain, decision.periodic_local):
            if answer.answer == "undecided":
                text = f"{language.name}: {answer.class_name} undecided: {answer.tried}."
                out.print(text, markup=False, highlight=False)


def _row(language: "Language", decision: "Decision") -> dict[str, Any]:
    """The answers at a glance, narrow enough for a terminal; ``--json`` has everything."""
    general = decision.periodic_local
    row: dict[str, Any] = {
        "language": language.name,
        "plain": decision.plain.answer,
        "periodic, local": general.answer,
        "(m, c)": f"{general.modulus}, {general.window}" if general.is_in else None,
        "depth": general.depth,
        "certificate": general.kind,
        "padding-safe": {True: "yes", False: "no", None: "?"}[decision.neutral_letter_safe],
    }
    if language.published is not None:
        row["Huang et al. 2025"] = _comparison(language, decision)
    return row


def _comparison(language: "Language", decision: "Decision") -> str | None:
    known = language.published
    if known is None or known.plain is None:
        return None
    ours = (decision.plain.answer, decision.periodic_local.answer)
    theirs = (known.plain, known.periodic_local)
    return "agrees" if ours == theirs else f"differs: {theirs[0]}, {theirs[1]}"
