"""``decide``: are regular languages in C-RASP?"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from lengthwise.api.decide_folder import DecidedFolder
from lengthwise.api.shown import PartlyDoneError, Rows, Sentence, Shown, writes
from lengthwise.api.verb import named, verb
from lengthwise.core.bounds import Count, Processors, Seconds, Whole
from lengthwise.core.errors import InputError
from lengthwise.core.files import read_text
from lengthwise.languages.convention import LanguageConvention

if TYPE_CHECKING:
    from lengthwise.core.limits import Limits
    from lengthwise.crasp.program import Program
    from lengthwise.subjects import Subject
    from lengthwise.theory.decide.decision import Decision
    from lengthwise.theory.decide.named_languages import NamedLanguage

    Readings = Mapping[str, Mapping[str, str]]


TIME = 60.0
"""Seconds for each language, where nothing else is said."""


class Decided(Shown, Sequence["Decision"]):
    """Decisions, in the order in which the languages were named; a sequence of ``Decision``.

    ``readings`` has the answers of one language under every convention, as far as time went;
    ``published`` what is published about each, where they come from a suite; ``left`` the seconds
    of the time limit that each has left, for a smaller program.
    """

    def __init__(
        self,
        subjects: "Sequence[Subject]",
        decisions: "Sequence[Decision]",
        *,
        published: "Sequence[NamedLanguage | None] | None" = None,
        readings: "Readings | None" = None,
        left: Sequence[float] | None = None,
        explain: bool = False,
    ) -> None:
        self.subjects, self.decisions = tuple(subjects), tuple(decisions)
        self.published = tuple(published or [None] * len(self.decisions))
        self.left = tuple(left or [TIME] * len(self.decisions))
        self.readings, self.explain = readings, explain

    @overload
    def __getitem__(self, index: int) -> "Decision": ...
    @overload
    def __getitem__(self, index: slice) -> Sequence["Decision"]: ...
    def __getitem__(self, index: int | slice) -> "Decision | Sequence[Decision]":
        return self.decisions[index]

    def __len__(self) -> int:
        return len(self.decisions)

    def parts(self) -> Iterator[str | Rows]:
        """Yield the answers with their bases, or the arguments in words."""
        yield from self._arguments() if self.explain else self._summary()

    def to_json(self) -> list[dict[str, Any]]:
        """Return one object per language."""
        return [{**decision.to_json(), "readings": self.readings} for decision in self.decisions]

    def missing(self, method: str) -> str:
        """Why a file cannot be had: a program or a drawing is of one language that has it."""
        if method not in ("program", "plot"):
            return super().missing(method)
        if len(self) != 1:
            return f"this takes one language; {len(self)} were given."
        if method == "program":
            try:
                self._written  # noqa: B018
            except InputError as error:
                return str(error)
        elif self.decisions[0].dfa is None:
            return "there is no automaton to draw; none was learned."
        return ""

    @writes(".cr")
    def program(self, path: Path) -> None:
        """Write the C-RASP program of a yes to this .cr file (one language)."""
        from lengthwise.core.outputs import save_text

        save_text(path, str(self._written))

    @cached_property
    def _written(self) -> "Program":
        from lengthwise.core.limits import Limits

        return self.decisions[0].written_program(Limits(self.left[0]))

    @writes(".json")
    def certificate(self, path: Path) -> None:
        """Write the certificates of both answers to this .json file."""
        from lengthwise.theory.decide.certificate_files import write_certificates

        write_certificates(path, self.decisions)

    @writes(".svg")
    def plot(self, path: Path) -> None:
        """Draw the automaton to this .svg file (one language)."""
        from lengthwise.core.outputs import save_text
        from lengthwise.report.drawing import draw_automaton

        automaton = self.decisions[0].dfa
        assert automaton is not None
        picture, note = draw_automaton(automaton)
        if picture is None:
            raise InputError(f"--plot: {note}; --explain has the automaton as a table.")
        save_text(path, picture.to_svg(alone=True))

    def _arguments(self) -> Iterator[str | Rows]:
        from lengthwise.core.limits import Limits
        from lengthwise.theory.decide.explain import explain

        asked = zip(self.subjects, self.decisions, self.left, strict=True)
        for subject, decision, left in asked:
            yield f"== {subject.name} =="
            yield Sentence(explain(decision, Limits(left)))
            yield _algebra(decision)
        yield from self._elsewhere()

    def _elsewhere(self) -> Iterator[str]:
        from lengthwise.theory.decide.readings import disagreements

        classes = {"plain": "plain", "periodic_local": "periodic, local"}
        lines = disagreements(self.readings, classes, {"in": "in", "out": "out"})
        if lines:
            yield f"depends on where it is read (--accept): {'; '.join(lines)}."

    def _summary(self) -> Iterator[str | Rows]:
        from lengthwise.theory.decide.explain import neutral_warning

        pairs = list(zip(self.subjects, self.decisions, strict=True))
        learned = [subject for subject, decision in pairs if decision.about.get("learned")]
        for subject in learned:
            yield Sentence(f"{subject.name}: {subject.about['learned']}.")
        yield Rows([_row(*pair, e) for pair, e in zip(pairs, self.published, strict=True)])
        yield from map(Sentence, self._bases())
        yield from self._elsewhere()
        for subject in learned:
            note = "sampled, whatever the theorem: its automaton was learned."
            yield Sentence(f"{subject.name}: {note}")
        for subject, decision in pairs:
            if len(pairs) == 1 and (warning := neutral_warning(decision)):
                yield Sentence(warning)
            for answer in (decision.plain, decision.periodic_local):
                if answer.answer == "undecided":
                    yield Sentence(
                        f"{subject.name}: {answer.class_name} undecided: {answer.tried}."
                    )

    def _bases(self) -> Iterator[str]:
        from lengthwise.languages.convention import TITLES

        for accept in dict.fromkeys(decision.accept for decision in self.decisions):
            yield f"accept = {accept}: {TITLES[accept]}."
            if accept == "end":
                basis = "a published theorem (Yang, Veseli et al. 2026, Theorem 89)"
            else:
                basis = (
                    "a published theorem after our own, unpublished reduction of the last letter"
                )
            yield f"plain: {basis}."
        yield "periodic, local: our own derivation, unpublished, unless plain is already in."


@verb()
def decide(
    *languages: str,
    alphabet: str | None = None,
    file: Path | None = None,
    suite: str | None = None,
    union_plus: bool = False,
    accept: LanguageConvention | None = None,
    explain: bool = False,
    time_limit: Seconds = TIME,
    max_monoid: Count = 20_000,
    max_window: Whole = 32,
    jobs: Processors | None = None,
    kept: Path | None = None,
    progress: bool | None = None,
) -> Decided | DecidedFolder:
    """Decide whether regular languages are in C-RASP, plain and with positions and windows.

    Example: `lengthwise decide '(ab)*' '(aa)*' --accept end --explain`

    Args:
        languages: Regular expressions (| union, * + ? repetition, {2,5}, [ab] classes, . any
            symbol), automata (`x.json`, `x.att`), tasks about a regular language (`d-2`), programs
            (`x.cr`), or Python predicates on words (`file.py:name`, with --alphabet), whose
            automata are learned. Write `regex:parity` for an expression that is also a name.
        alphabet: The symbols, e.g. abc; default: the symbols each expression uses.
        file: A file with one language per line.
        suite: A list that ships with the package (published), or a folder of automata, which are
            decided in parallel and counted by class; their certificates are checked.
        union_plus: Read + as union instead of one-or-more.
        accept: Where the answer is read: end (an end position), last (the last letter, visible) or
            predict (next-symbol sets). Default: last; a suite has its own.
        explain: Print the argument in words, with the automaton.
        time_limit: Seconds per language; beyond that answers are undecided.
        max_monoid: Largest transition monoid that is built.
        max_window: Largest window of letters that is tried.
        jobs: Automata of a folder that are decided at the same time; by default one per core.
        kept: A .jsonl file that gets a line per automaton of a folder as it is decided; what stands
            there is not decided again.
        progress: Whether progress is shown; by default in a terminal.
    """
    from lengthwise.core.limits import Limits
    from lengthwise.theory.decide.readings import readings

    limits = Limits(time_limit, monoid=max_monoid, window=max_window)
    if suite is not None and Path(suite).is_dir():
        if languages or file is not None or explain:
            raise InputError("--suite FOLDER stands alone: no languages, --file or --explain.")
        return _folder(Path(suite), accept, limits, jobs, kept, progress)
    if kept is not None or jobs is not None:
        raise InputError("--kept and --jobs are for --suite FOLDER, and that is no folder.")
    texts = [("", named("decide", language)) for language in languages]
    texts += _lines(None if file is None else Path(file))
    read = _read(texts, alphabet, accept, limits, union_plus=union_plus)
    listed = _published(suite, accept)
    read += [(subject, 0.0) for subject, _ in listed]
    subjects = [subject for subject, _ in read]
    if not subjects:
        raise InputError("no language: give a regular expression, a name, --file or --suite.")
    spent = [seconds for _, seconds in read]
    decisions, left = _decide_all(subjects, limits, spent, shown=progress is not False)
    elsewhere = None
    if len(decisions) == 1:  # read under the other conventions too, as far as the time goes
        clock = Limits(left[0])
        elsewhere, left = readings(decisions[0], left[0]), [clock.left()]
    return Decided(
        subjects,
        decisions,
        published=[*[None] * len(texts), *(entry for _, entry in listed)],
        readings=elsewhere,
        left=left,
        explain=explain,
    )


def _folder(
    folder: Path,
    accept: LanguageConvention | None,
    budget: "Limits",
    jobs: int | None,
    kept: Path | None,
    progress: bool | None,
) -> "DecidedFolder":
    import os

    from lengthwise.api.decide_folder import decide_folder
    from lengthwise.languages.convention import DEFAULT

    if kept is not None and Path(kept).suffix != ".jsonl":
        raise InputError(f"--kept {kept}: the file's name must end in .jsonl.")
    file = None if kept is None else Path(kept)
    workers = jobs or os.cpu_count() or 1
    return decide_folder(
        folder, accept or DEFAULT, budget, workers, file, shown=progress is not False
    )


def _read(
    texts: Sequence[tuple[str, str]],
    alphabet: str | None,
    accept: LanguageConvention | None,
    limits: "Limits",
    *,
    union_plus: bool,
) -> "list[tuple[Subject, float]]":
    """Read languages, each with its place in a file or none; return the seconds that each took.

    Among several, --alphabet is for those that do not name their letters.
    """
    from lengthwise.core.limits import LimitReachedError
    from lengthwise.subjects import as_language, read_subject
    from lengthwise.subjects.reader import letters_of

    found: list[tuple[Subject, float]] = []
    for place, text in texts:
        clock = limits.restarted()
        try:
            with clock.alarm("the reading"):
                subject = read_subject(
                    text,
                    clock,
                    alphabet=alphabet if len(texts) == 1 else None,
                    letters=letters_of(alphabet) if alphabet else (),
                    union_plus=union_plus,
                )
                language = as_language(subject, accept, clock)
            found.append((language, clock.spent()))
        except LimitReachedError:
            raise InputError(
                f"{place}{text!r} could not be read within {clock.seconds:g} s; give it more "
                "--time-limit or something smaller."
            ) from None
        except InputError as error:
            if not place:
                raise
            raise InputError(f"{place}{error}") from None
    return found


def _lines(file: Path | None) -> Iterator[tuple[str, str]]:
    """Yield the lines of a list with their places; empty ones and comments ('# ') are left out."""
    if file is None:
        return
    lines = enumerate(map(str.strip, read_text(file).splitlines()), 1)
    wanted = {number: line for number, line in lines if line and not line.startswith("# ")}
    if not wanted:
        raise InputError(f"{file} names no language.")
    yield from ((f"{file}, line {number}: ", line) for number, line in wanted.items())


def _published(
    name: str | None, accept: LanguageConvention | None
) -> "list[tuple[Subject, NamedLanguage]]":
    """Return the languages of a suite, read as it says, with what is published about them."""
    if name is None:
        return []
    from lengthwise.languages.regex import compile_regex
    from lengthwise.subjects import Subject
    from lengthwise.theory.decide.named_languages import suite

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


def _decide_all(
    languages: "Sequence[Subject]",
    limits: "Limits",
    reading: Sequence[float],
    *,
    shown: bool,
) -> "tuple[list[Decision], list[float]]":
    """Decide one language after the other; return the seconds that each has left, too.

    Who stops it gets those that are decided.
    """
    from lengthwise.core.limits import GRACE, LimitReachedError
    from lengthwise.theory.decide.decision import decide as decide_language
    from lengthwise.theory.decide.decision import undecided

    found: list[Decision] = []
    left: list[float] = []
    try:
        pairs = zip(_progress(languages, shown and len(languages) > 2), reading, strict=True)
        for subject, spent in pairs:
            clock = limits.restarted(spent)
            if subject.dfa is None:
                decision = undecided(
                    subject.letters, subject.accept, subject.doubt, **subject.about
                )
            else:
                try:
                    with clock.alarm("the decision", GRACE):
                        decision = decide_language(
                            subject.dfa, subject.accept, clock, **subject.about
                        )
                except LimitReachedError as error:
                    decision = undecided(
                        subject.dfa.alphabet, subject.accept, str(error), **subject.about
                    )
            found.append(decision)
            left.append(clock.left())
    except KeyboardInterrupt:
        if found:
            raise PartlyDoneError(Decided(languages[: len(found)], found)) from None
        raise
    return found, left


def _progress(languages: "Sequence[Subject]", shown: bool) -> "Iterator[Subject]":
    from rich.console import Console
    from rich.progress import track

    screen = Console(stderr=True)
    hidden = not shown or not sys.stderr.isatty()
    yield from track(languages, "deciding", console=screen, transient=True, disable=hidden)


def _algebra(decision: "Decision") -> str:
    classes = [name for name, member in decision.classes.to_json().items() if member]
    monoid = "too large to build" if decision.monoid is None else f"{decision.monoid} elements"
    return f"\nTransition monoid: {monoid}. Classes: {', '.join(classes) or 'none of the known'}."


def _row(
    language: "Subject", decision: "Decision", published: "NamedLanguage | None"
) -> dict[str, Any]:
    """The answers at a glance, narrow enough for a terminal; ``to_json`` has everything."""
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


def _comparison(known: "NamedLanguage", decision: "Decision") -> str | None:
    if known.plain is None:
        return None
    ours = (decision.plain.answer, decision.periodic_local.answer)
    theirs = (known.plain, known.periodic_local)
    return "agrees" if ours == theirs else f"differs: {theirs[0]}, {theirs[1]}"
