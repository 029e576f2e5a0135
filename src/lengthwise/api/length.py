"""``length``: how long training words must be before what is simplest is also right."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from lengthwise.api.shown import Rows, Sentence, Shown, writes
from lengthwise.api.verb import named, verb
from lengthwise.core.bounds import Seconds
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.crasp.event_paths import Side
    from lengthwise.subjects.subject import Subject


@dataclass(frozen=True)
class TrainingLength(Shown):
    """The length complexity of a language, with the rival behind each number."""

    unwritable: ClassVar[str] = "the table of a suite is written; --json prints one language."

    subject: str
    data: dict[str, Any]

    def parts(self) -> Iterator[str | Rows]:
        """Yield the numbers, what each rests on, and published bounds."""
        from lengthwise.theory.length.length_words import rows, sentences

        yield Rows(rows(self.data), f"{self.subject}: how long must training words be?")
        yield from map(Sentence, sentences(self.data))

    def to_json(self) -> dict[str, Any]:
        """Return the numbers, rivals and bounds."""
        return {"subject": self.subject, **self.data}


@dataclass(frozen=True)
class TrainingLengths(Shown):
    """The length complexities of several languages."""

    command: str
    entries: Sequence[dict[str, Any]]

    def parts(self) -> Iterator[str | Rows]:
        """Yield one row per language."""
        from lengthwise.theory.length.length_words import table_rows

        yield Rows([row for entry in self.entries for row in table_rows(entry)])

    def to_json(self) -> dict[str, Any]:
        """Return the command, the hash of the entries, and the entries."""
        from lengthwise.theory.length.kept import digest

        entries = list(self.entries)
        return {"command": self.command, "digest": digest(entries), "entries": entries}

    @writes(".json", option="output", aliases=("-o",))
    def save(self, path: Path) -> None:
        """Write the table to this .json file too."""
        import json

        from lengthwise.core.outputs import save_text

        text = json.dumps(self.to_json(), indent=1, ensure_ascii=False)
        save_text(path, text + "\n")


@verb()
def length(
    subject: str | None = None,
    *,
    alphabet: str | None = None,
    suite: Literal["shipped", "kept"] | None = None,
    time_limit: Seconds = 60.0,
) -> TrainingLength | TrainingLengths:
    """Say how long training words must be before what is simplest is also right.

    That is the length complexity N: the least length from which the simplest program (or automaton)
    that fits all words up to it is right on every word. The rival behind the number is shown: as
    simple, right up to N - 1, wrong at N. What is not proved is a lower bound and says so.

    Example: lengthwise length majority

    Args:
        subject: A regular expression, a program (`x.cr`, or a name from `list programs`), an
            automaton (`x.json`) or a task about a regular language.
        alphabet: The letters of a regular expression, e.g. abc.
        suite: shipped: compute it for every program of the library that accepts words and for the
            17 regular languages of Huang et al. (2025). kept: show the table of these that comes
            with the library.
        time_limit: Seconds for each language. The search counts its work and ends by itself, after
            about 12 s on an idle core; where the time is over before, the answer says so.
    """
    if (subject is None) == (suite is None):
        raise InputError("give one language (a regular expression, a program, ...) or --suite.")
    if suite == "kept":
        from lengthwise.theory.length.kept import table

        return TrainingLengths(table()["command"], table()["entries"])
    if suite == "shipped":
        return _shipped(time_limit)
    return _one(named("length", subject), alphabet, time_limit)


def _one(text: str, alphabet: str | None, time_limit: float) -> TrainingLength:
    from lengthwise.core.limits import GRACE, LimitReachedError, Limits
    from lengthwise.subjects import read_subject
    from lengthwise.theory.length.complexity import complexity
    from lengthwise.theory.length.length_record import record

    limits = Limits(time_limit)
    try:
        with limits.alarm("the reading"):
            read = read_subject(text, limits, alphabet=alphabet, wanted="program")
    except LimitReachedError:
        raise InputError(f"{text[:60]!r} could not be read within {time_limit:g} s.") from None
    with closing(read), _progress() as say, limits.alarm("the search", GRACE):
        side, letters = target_of(read)
        found = complexity(side, letters, limits, say=say)
    return TrainingLength(read.name, record(found))


def _shipped(time_limit: float) -> TrainingLengths:
    """Compute the table, languages with as many letters one after the other; each once."""
    from lengthwise.core.limits import Limits
    from lengthwise.theory.length.complexity import Enumerations, complexity
    from lengthwise.theory.length.length_record import record
    from lengthwise.theory.length.shipped import shipped_languages

    entries: list[dict[str, Any]] = []
    languages = shipped_languages()
    shared, letters_before = Enumerations(), 0
    with _progress() as say:
        for done, item in enumerate(languages):
            if len(item.letters) != letters_before:  # the memory of the others is not needed
                shared, letters_before = Enumerations(), len(item.letters)
            names = ", ".join(item.names)
            found = complexity(
                item.target,
                item.letters,
                Limits(time_limit),
                enumerations=shared,
                say=lambda text: say(f"{done + 1} of {len(languages)}, {names}: {text}"),  # noqa: B023
            )
            about = {"names": list(item.names), "key": item.key, "order": list(item.order)}
            entries.append(about | record(found))
    command = f"lengthwise length --suite shipped --time-limit {time_limit:g}"
    return TrainingLengths(command, entries)


def target_of(subject: "Subject") -> "tuple[Side, tuple[str, ...]]":
    """Return the program or automaton of a subject and its letters, or say why there is none."""
    own = subject.program or (subject.task.program if subject.task is not None else None)
    if own is not None and not own.is_generator:
        return own, own.letters()
    if subject.dfa is not None:
        return subject.dfa, subject.dfa.alphabet
    if own is not None:
        what = "the program writes, it accepts no words"
    elif subject.function is not None:
        what = "a Python function has no program; `lengthwise crasp learn` may find one"
    else:
        what = "this task is about no regular language and has no program that accepts words"
    raise InputError(f"{subject.name}: {what}, so it has no length complexity here.")


@contextmanager
def _progress() -> Iterator[Any]:
    """Say on standard error, in a terminal, what is looked at."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield lambda text: status.update(text)
