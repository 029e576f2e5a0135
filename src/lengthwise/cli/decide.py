"""``lengthwise decide`` and ``lengthwise verify``: regular languages."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, Whole, console, print_json, print_table, say
from lengthwise.core.errors import InputError
from lengthwise.languages.convention import LanguageConvention

if TYPE_CHECKING:
    from lengthwise.core.budget import Budget
    from lengthwise.subjects import Subject
    from lengthwise.theory.decide.decision import Decision
    from lengthwise.theory.decide.published import Entry

    Decided = tuple[Subject, Decision]

Flag = Annotated[bool, Parameter(negative="")]


def decide(
    *languages: str,
    alphabet: str | None = None,
    file: Path | None = None,
    suite: str | None = None,
    union_plus: Flag = False,
    accept: LanguageConvention | None = None,
    program: Path | None = None,
    certificate: Path | None = None,
    explain: Flag = False,
    plot: Path | None = None,
    time_limit: float = 60.0,
    max_monoid: Count = 20_000,
    max_window: Whole = 32,
    as_json: Json = False,
) -> None:
    """Decide whether regular languages are in C-RASP, plain and with positions and windows.

    Example: `lengthwise decide '(ab)*' '(aa)*' --accept end --explain`

    Parameters
    ----------
    languages
        Regular expressions (| union, * + ? repetition, {2,5}, [ab] classes, . any symbol),
        automata (`x.json`, `x.att`), tasks about a regular language (`d-2`), programs (`x.cr`), or
        Python predicates on words (`file.py:name`, with --alphabet), whose automata are learned.
        Write `regex:parity` for an expression that is also a name.
    alphabet
        The symbols, e.g. abc; default: the symbols each expression uses.
    file
        A file with one language per line.
    suite
        A list that ships with the package: published.
    union_plus
        Read + as union instead of one-or-more.
    accept
        Where the answer is read: end (an end position), last (the last letter, visible) or predict
        (next-symbol sets). Default: last; a suite has its own.
    program
        Write the C-RASP program of a yes to this file (one language).
    certificate
        Write the certificates of both answers to this file.
    explain
        Print the argument in words, with the automaton.
    plot
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
    budget.monoid = max_monoid
    budget.window = max_window
    texts = [*(("", text) for text in languages), *_lines(file)]
    read = _read(texts, alphabet, accept, time_limit, union_plus=union_plus)
    published = _published(suite, accept)
    read += [subject for subject, _ in published]
    if not read:
        raise InputError("no language: give a regular expression, a name, --file or --suite.")
    if (program or plot) and len(read) > 1:
        raise InputError(f"--program and --plot take one language; {len(read)} were given.")
    found = _decide_all(read, budget, quiet=as_json)
    elsewhere = _elsewhere(found, time_limit)
    _write_files(found, program, certificate, plot)
    if as_json:
        print_json([{**decision.to_json(), "readings": elsewhere} for _, decision in found])
    elif explain:
        _print_explanations(found, elsewhere)
    else:
        entries = [None] * len(texts) + [entry for _, entry in published]
        _print_summary(found, entries, elsewhere)


def verify_certificate(path: Path, *, as_json: Json = False) -> None:
    """Check certificates written by `lengthwise decide --certificate`, independently of the search.

    Example: lengthwise verify out.json

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
    columns = ["automaton", "proved", "basis", "claimed", "regex", "program", "steps"]
    used = [name for name in columns if any(row[name] != "none" for row in rows)]
    shown = [{name: row[name] for name in used} for row in rows]
    print_table(shown, title=f"{path}: {len(rows)} certificates accepted")


def _positive(option: str, value: float) -> float:
    if not value > 0:
        raise InputError(f"{option} is {value:g}; it must be positive.")
    return value


def _read(
    texts: Sequence[tuple[str, str]],
    alphabet: str | None,
    accept: LanguageConvention | None,
    seconds: float,
    *,
    union_plus: bool,
) -> "list[Subject]":
    """Read languages, each with its place in a file or none.

    Among several, --alphabet is for those that do not name their letters.
    """
    from lengthwise.core.clock import Clock
    from lengthwise.subjects import as_language, read_subject
    from lengthwise.subjects.reader import letters_of

    found: list[Subject] = []
    for place, text in texts:
        clock = Clock(seconds)
        try:
            subject = read_subject(
                text,
                clock,
                alphabet=alphabet if len(texts) == 1 else None,
                letters=letters_of(alphabet) if alphabet else (),
                union_plus=union_plus,
            )
            found.append(as_language(subject, accept, clock))
        except InputError as error:
            if not place:
                raise
            raise InputError(f"{place}{error}") from None
    return found


def _lines(file: Path | None) -> Iterator[tuple[str, str]]:
    """Yield the lines of a list with their places; empty ones and comments ('# ') are left out."""
    if file is None:
        return
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"{file} is not a text file in UTF-8.") from None
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    wanted = {number: line for number, line in lines if line and not line.startswith("# ")}
    if not wanted:
        raise InputError(f"{file} names no language.")
    yield from ((f"{file}, line {number}: ", line) for number, line in wanted.items())


def _published(
    name: str | None, accept: LanguageConvention | None
) -> "list[tuple[Subject, Entry]]":
    """Return the languages of a suite, read as it says, with what is published about them."""
    if name is None:
        return []
    from lengthwise.languages.regex import compile_regex
    from lengthwise.subjects import Subject
    from lengthwise.theory.decide.published import suite

    listed = suite(name)
    return [
        (
            Subject(
                entry.name,
                "regex",
                accept or listed.accept,
                dfa=compile_regex(entry.regex, entry.alphabet),
                about={"regex": entry.regex},
            ),
            entry,
        )
        for entry in listed.entries
    ]


def _decide_all(languages: "list[Subject]", budget: "Budget", *, quiet: bool) -> "list[Decided]":
    from lengthwise.theory.decide.decision import decide as decide_language
    from lengthwise.theory.decide.decision import undecided

    found: list[Decided] = []
    try:
        for subject in _progress(languages, quiet or len(languages) < 3):
            if subject.dfa is None:
                decision = undecided(
                    subject.letters, subject.accept, subject.doubt, **subject.about
                )
            else:
                decision = decide_language(subject.dfa, subject.accept, budget, **subject.about)
            found.append((subject, decision))
    except KeyboardInterrupt:
        if found and not quiet:
            _print_summary(found, [None] * len(found), None)
        raise
    return found


def _elsewhere(found: "list[Decided]", seconds: float) -> "Mapping[str, Mapping[str, str]] | None":
    """Read one language under the other conventions too, as far as the time goes."""
    from lengthwise.theory.decide.readings import readings

    if len(found) != 1:
        return None
    decision = found[0][1]
    left = seconds - decision.seconds
    return readings(decision, left) if left > 0 else None


def _progress(languages: "list[Subject]", quiet: bool) -> "Iterator[Subject]":
    from rich.console import Console
    from rich.progress import track

    screen = Console(stderr=True)
    hidden = quiet or not sys.stderr.isatty()
    yield from track(languages, "deciding", console=screen, transient=True, disable=hidden)


def _write_files(
    found: "list[Decided]",
    program: Path | None,
    certificate: Path | None,
    plot: Path | None,
) -> None:
    from lengthwise.theory.decide.verify import write_certificates, write_drawing, write_text

    if program is not None:
        write_text(program, str(found[0][1].written_program()))
    if certificate is not None:
        write_certificates(certificate, [decision for _, decision in found])
    automaton = found[0][1].dfa
    if plot is not None and automaton is None:
        raise InputError("--plot: there is no automaton to draw; none was learned.")
    if plot is not None and automaton is not None and not write_drawing(plot, automaton):
        from lengthwise.theory.decide.explain import automaton_table

        console().print("graphviz's dot is not installed; the automaton as a table:")
        console().print("\n".join(automaton_table(automaton)), markup=False)


def _print_explanations(
    found: "list[Decided]", elsewhere: "Mapping[str, Mapping[str, str]] | None"
) -> None:
    from lengthwise.theory.decide.explain import explain

    for language, decision in found:
        console().print(f"== {language.name} ==", markup=False, highlight=False)
        console().print(explain(decision), markup=False, highlight=False)
        say(_algebra(decision))
    _print_elsewhere(elsewhere)


def _print_elsewhere(elsewhere: "Mapping[str, Mapping[str, str]] | None") -> None:
    from lengthwise.theory.decide.readings import disagreements

    classes = {"plain": "plain", "periodic_local": "periodic, local"}
    lines = disagreements(elsewhere, classes, {"in": "in", "out": "out"})
    if lines:
        say(f"depends on where it is read (--accept): {'; '.join(lines)}.")


def _algebra(decision: "Decision") -> str:
    classes = [name for name, member in decision.classes.to_json().items() if member]
    monoid = "too large to build" if decision.monoid is None else f"{decision.monoid} elements"
    return f"\nTransition monoid: {monoid}. Classes: {', '.join(classes) or 'none of the known'}."


def _print_summary(
    found: "list[Decided]",
    published: "Sequence[Entry | None]",
    elsewhere: "Mapping[str, Mapping[str, str]] | None",
) -> None:
    from lengthwise.languages.convention import TITLES
    from lengthwise.theory.decide.explain import neutral_warning

    out = console()
    learned = [subject for subject, decision in found if decision.about.get("learned")]
    for subject in learned:
        text = f"{subject.name}: {subject.about['learned']}."
        out.print(text, markup=False, highlight=False)
    print_table([_row(*pair, entry) for pair, entry in zip(found, published, strict=True)])
    for accept in dict.fromkeys(decision.accept for _, decision in found):
        out.print(f"accept = {accept}: {TITLES[accept]}.", highlight=False)
        if accept == "end":
            basis = "a published theorem (Yang, Veseli et al. 2026, Theorem 89)"
        else:
            basis = "a published theorem after our own, unpublished reduction of the last letter"
        out.print(f"plain: {basis}.", highlight=False)
    out.print(
        "periodic, local: our own derivation, unpublished, unless plain is already in.",
        highlight=False,
    )
    _print_elsewhere(elsewhere)
    for subject in learned:
        text = f"{subject.name}: sampled, whatever the theorem: its automaton was learned."
        out.print(text, markup=False, highlight=False)
    for language, decision in found:
        if len(found) == 1 and (warning := neutral_warning(decision)):
            out.print(warning, highlight=False)
        for answer in (decision.plain, decision.periodic_local):
            if answer.answer == "undecided":
                text = f"{language.name}: {answer.class_name} undecided: {answer.tried}."
                out.print(text, markup=False, highlight=False)


def _row(language: "Subject", decision: "Decision", published: "Entry | None") -> dict[str, Any]:
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
    if published is not None:
        row["Huang et al. 2025"] = _comparison(published, decision)
    return row


def _comparison(known: "Entry", decision: "Decision") -> str | None:
    if known.plain is None:
        return None
    ours = (decision.plain.answer, decision.periodic_local.answer)
    theirs = (known.plain, known.periodic_local)
    return "agrees" if ours == theirs else f"differs: {theirs[0]}, {theirs[1]}"
