"""``crasp learn``: find a smallest program for a language."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from lengthwise.api.crasp.on_words import lines_of
from lengthwise.api.shown import Rows, Shown, writes
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Count, Seconds, Whole
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.core.limits import Limits
    from lengthwise.crasp.candidates import SearchSpace
    from lengthwise.crasp.learning import LearnedProgram
    from lengthwise.crasp.program import Program
    from lengthwise.theory.limit.inference import Inference


@dataclass(frozen=True)
class NoProgram(Shown):
    """A search that found nothing, and how far it went."""

    unwritable: ClassVar[str] = "no program was found."
    found: "LearnedProgram"

    def parts(self) -> Iterator[str | Rows]:
        """Yield how much was tried."""
        yield _explored(self.found)

    def to_json(self) -> dict[str, Any]:
        """Return program and search."""
        return self.found.to_dict()

    def failed(self) -> bool:
        """There is no program."""
        return True


@dataclass(frozen=True)
class ProgramFound(Shown):
    """A smallest program, how it was found and how far it was verified."""

    found: "LearnedProgram"

    def parts(self) -> Iterator[str | Rows]:
        """Yield the program and comments."""
        yield str(self.found.program).rstrip()
        yield _explored(self.found)
        if self.found.verified is not None:
            yield f"// verified: {self.found.verified.sentence()}"

    def to_json(self) -> dict[str, Any]:
        """Return program and search."""
        return self.found.to_dict()

    @writes(".cr", option="output", aliases=("-o",))
    def save(self, path: Path) -> None:
        """Write the program to this .cr file too."""
        from lengthwise.core.outputs import save_text

        save_text(path, str(self.found.program))


@dataclass(frozen=True)
class WriterFound(Shown):
    """A program that writes what a task asks for, its rules, and what it was checked on."""

    rules: tuple[str, ...]
    program: "Program"
    checked: str

    def parts(self) -> Iterator[str | Rows]:
        """Yield the program and comments."""
        yield str(self.program).rstrip()
        yield f"// {'; else '.join(self.rules)}"
        yield f"// {self.checked} (sampled, not proved)"

    def to_json(self) -> dict[str, Any]:
        """Return program, rules and check."""
        return {
            "program": str(self.program),
            "rules": list(self.rules),
            "checked": self.checked,
        }

    @writes(".cr", option="output", aliases=("-o",))
    def save(self, path: Path) -> None:
        """Write the program to this .cr file too."""
        from lengthwise.core.outputs import save_text

        save_text(path, str(self.program))


@dataclass(frozen=True)
class NoWriter(Shown):
    """No program that writes what a task asks for was found."""

    unwritable: ClassVar[str] = "no program was found."
    task: str
    longest: int

    def parts(self) -> Iterator[str | Rows]:
        """Yield what was tried."""
        yield (
            f"// nothing found: no short list of rules fits the instances of {self.task} that were "
            f"drawn and answers the longer ones to length {self.longest}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return that there is no program."""
        return {"program": None, "rules": [], "checked": f"to length {self.longest}"}

    def failed(self) -> bool:
        """There is no program."""
        return True


@dataclass(frozen=True)
class LearnedByLength(Shown):
    """The program that each length of training words leads to, and from where on it is right."""

    unwritable: ClassVar[str] = "--train-length compares programs; leave it out to write one."
    found: "Inference"
    train_length: int

    def parts(self) -> Iterator[str | Rows]:
        """Yield the table and a sentence."""
        yield Rows(self.found.rows())
        first, last = self.found.first_right, self.train_length
        yield (
            f"not right everywhere tested at n = {last}."
            if first is None
            else f"right everywhere tested from n = {first} on (n up to {last})."
        )

    def to_json(self) -> dict[str, Any]:
        """Return the rows and the first length that suffices."""
        return {"rows": self.found.rows(), "first_right": self.found.first_right}


@verb()
def learn(
    subject: str | None = None,
    *,
    examples: Path | None = None,
    alphabet: str = "",
    train_length: Count | None = None,
    time_limit: Seconds = 120.0,
    depth: Count = 3,
    size: Count = 11,
    constant: Whole = 2,
    period: Sequence[Count] = (2,),
    window: Whole = 1,
    plain: bool = False,
) -> ProgramFound | NoProgram | LearnedByLength | WriterFound | NoWriter:
    """Find a smallest program for a language, by depth, then size; or one that writes, for a task.

    For a task that has no regular language, rules for the next token are learned from its short
    instances and checked on longer ones; of the options then only --time-limit, --window 0, and
    --plain matter.

    Example: `lengthwise crasp learn '.*ab.*'`

    Args:
        subject: The language: a regular expression, a task, an automaton (`x.json`), a program
            (`x.cr`), or a Python predicate on words (`file.py:name`, with --alphabet).
        examples: Learn from a file of lines `+ word` and `- word`.
        alphabet: The alphabet, separated by spaces or run together; by default the letters that
            occur.
        train_length: Learn from all words up to 1, 2, ... this length only, and report from which
            on the program is right everywhere tested.
        time_limit: Seconds to search.
        depth: Deepest nesting of counts to try.
        size: Largest enumerated part (a solution may join two).
        constant: Largest number to write.
        period: Moduli of positions to use; may be repeated.
        window: Farthest local offset to use.
        plain: Use neither positions nor windows.
    """
    from lengthwise.core.limits import GRACE, Limits
    from lengthwise.crasp.candidates import SearchSpace
    from lengthwise.crasp.learning import learn as search
    from lengthwise.subjects import as_target, read_subject
    from lengthwise.theory.limit.inference import infer

    periods, window = ((), 0) if plain else (tuple(period), window)
    space = SearchSpace(depth, size, constant, periods, window)
    if examples is not None and subject is None:
        return _result(_from_examples(examples, alphabet, space, time_limit))
    if examples is not None or subject is None:
        raise InputError("give a language (a regular expression, a task, ...) or --examples.")
    limits = Limits(time_limit)
    with limits.alarm("the reading"):
        read = read_subject(subject, limits, alphabet=alphabet or None)
    with closing(read), limits.alarm("the search", GRACE):
        if read.task is not None and read.dfa is None:
            if train_length is not None:
                raise InputError(f"--train-length is for languages; {subject} has none.")
            return _writer(read.task, subject, limits, window > 0, bool(periods))
        target = as_target(read)
        if train_length is not None:
            found = infer(target, train_length, space=space, seconds=limits.left())
            return LearnedByLength(found, train_length)
        return _result(search(target, space=space, limits=limits))


def _writer(
    task: Any, name: str, limits: "Limits", local: bool, periodic: bool
) -> WriterFound | NoWriter:
    from lengthwise.predict.providers.written import learn_writer

    found, search = learn_writer(task, limits, local=local, periodic=periodic)
    if found is None:
        return NoWriter(name, search.lengths.longest)
    return WriterFound(found.rules, found.program, search.sentence())


def _result(found: "LearnedProgram") -> ProgramFound | NoProgram:
    return NoProgram(found) if found.program is None else ProgramFound(found)


def _from_examples(
    file: Path, letters: str, space: "SearchSpace", seconds: float
) -> "LearnedProgram":
    from lengthwise.core.limits import Limits
    from lengthwise.crasp.learning import learn_examples
    from lengthwise.languages.words import read_word

    pairs: list[tuple[tuple[str, ...], bool]] = []
    known = read_word(letters, ())
    for line in lines_of(file):
        mark, _, rest = line.partition(" ")
        if mark not in "+-":
            raise InputError(f"{file}: {line!r} does not start with + or -.")
        pairs.append((read_word(rest, known), mark == "+"))
    return learn_examples(pairs, known or None, space=space, limits=Limits(seconds))


def _explored(result: "LearnedProgram") -> str:
    found = "found" if result.program is not None else "nothing found"
    return (
        f"// {found} in {result.seconds:.1f} s; {result.explored:,} expressions built, "
        f"{result.distinct:,} distinct on {result.bank_words:,} words "
        f"(to length {result.train_length}), {result.counterexamples} counterexamples used"
    )
