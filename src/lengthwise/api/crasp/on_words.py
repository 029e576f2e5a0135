"""``crasp run``, ``crasp trace`` and ``crasp check``: what a program says about words."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.api.crasp.texts import find
from lengthwise.api.shown import Rows, Shown, writes
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Count, Seconds, Seed, Whole
from lengthwise.core.errors import InputError
from lengthwise.core.files import read_text
from lengthwise.languages.convention import Accept

if TYPE_CHECKING:
    from lengthwise.crasp import Program
    from lengthwise.crasp.checking import Report
    from lengthwise.crasp.trace import Trace
    from lengthwise.report.document import Document
    from lengthwise.tasks.following import TaskReport


@dataclass(frozen=True)
class WordAnswers(Shown):
    """Whether each word is accepted, or what is written after each prompt."""

    words: Sequence[str]
    results: Sequence[bool | str]

    def parts(self) -> Iterator[str | Rows]:
        """Yield one line per word."""
        for word, result in zip(self.words, self.results, strict=True):
            said = {True: "accepted", False: "rejected"}.get(result, result)  # type: ignore[call-overload]
            yield f"{word or '(empty word)'}: {said}"

    def to_json(self) -> list[dict[str, Any]]:
        """Return words and results."""
        pairs = zip(self.words, self.results, strict=True)
        return [{"word": word, "result": result} for word, result in pairs]


@verb()
def run(
    program: str,
    *words: str,
    file: Path | None = None,
    accept: Accept = "last",
    stop: str = "<eos>",
    limit: Count = 1000,
    set_: str = "",
) -> WordAnswers:
    """Run a program: say which words it accepts, or what it writes after each prompt.

    Example: lengthwise crasp run dyck-1 "( ( ) )" "( ) )"

    Args:
        program: A program (`x.cr`, or a name from `list programs`), or a regular language with a
            program: a regular expression, an automaton (`x.json`), a task.
        words: Words, their symbols separated by spaces (or run together when each is one
            character).
        file: A file with one word per line; empty lines and lines starting with // are skipped.
        accept: Read the answer at the last symbol or at an end marker after it.
        stop: The symbol that ends what a generating program writes.
        limit: Most symbols a generating program may write.
        set_: Values of the program's parameters, e.g. n=3.
    """
    from lengthwise.crasp import accepts, generate
    from lengthwise.languages.words import read_word

    found = find(program, set_, accept)
    texts = [*words, *lines_of(file)]
    if not texts:
        raise InputError("give words to run on, or --file with one word per line.")
    split = [read_word(text, found.letters()) for text in texts]
    if found.is_generator:
        written = generate(found, split, stop=stop, limit=limit)
        return WordAnswers(texts, [" ".join(symbols) for symbols in written])
    return WordAnswers(texts, [bool(value) for value in accepts(found, split, accept=accept)])


def lines_of(file: Path | None) -> list[str]:
    """Return the lines of a file that are neither empty nor comments."""
    if file is None:
        return []
    lines = read_text(Path(file)).splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("//")]


@dataclass(frozen=True)
class TracedWord(Shown):
    """Every definition's value at every position of a word."""

    name: str
    program: "Program"
    found: "Trace"

    def parts(self) -> Iterator[str | Rows]:
        """Yield one line per definition."""
        yield self.found.to_text().rstrip()

    def laid_out(self) -> "Document":
        """Return the table and the program."""
        from lengthwise.report.trace_page import trace_document

        return trace_document(self.name, self.program, self.found)

    def to_json(self) -> dict[str, Any]:
        """Return symbols and values."""
        return asdict(self.found)

    @writes(".html", instead=True)
    def report(self, path: Path) -> None:
        """Write a page with the run and the program to this .html file instead of printing it."""
        from lengthwise.report.html import save

        save(self.laid_out(), path)


@verb()
def trace(
    program: str,
    word: str,
    *,
    accept: Accept = "last",
    operations: bool = False,
    set_: str = "",
) -> TracedWord:
    """Show every definition's value at every position of a word.

    Example: lengthwise crasp trace dyck-1 "( ( ) )"

    Args:
        program: A program (`x.cr`, or a name from `list programs`), or a regular language with a
            program: a regular expression, an automaton (`x.json`), a task.
        word: The word, its symbols separated by spaces (or run together).
        accept: Read the answer at the last symbol or at an end marker after it.
        operations: Show unnamed parts of expressions too.
        set_: Values of the program's parameters, e.g. n=3.
    """
    from lengthwise.crasp import trace as run_trace
    from lengthwise.languages.words import read_word

    found = find(program, set_, accept)
    symbols = read_word(word, found.letters())
    values = run_trace(found, symbols, accept=accept, operations=operations)
    return TracedWord(program, found, values)


@dataclass(frozen=True)
class Compared(Shown):
    """Whether a program agrees with something else, and how that is known."""

    program: str
    against: str
    found: "Report | TaskReport"

    def parts(self) -> Iterator[str | Rows]:
        """Yield one sentence."""
        yield f"{self.program} against {self.against}: {self.found.sentence()}"

    def to_json(self) -> dict[str, Any]:
        """Return the comparison with its counterexample."""
        return {"program": self.program, "against": self.against} | self.found.to_dict()

    def failed(self) -> bool:
        """Whether they differ."""
        return not self.found.agrees


@verb()
def check(
    program: str,
    *,
    against: str,
    accept: Accept = "last",
    alphabet: str = "",
    max_length: Whole | None = None,
    time_limit: Seconds = 10.0,
    samples: Whole = 2000,
    sample_length: Count = 100,
    seed: Seed = 0,
    set_: str = "",
) -> Compared:
    """Compare a program with a regex, a task, a Python function or another program.

    Exits with code 1 when they differ.

    Example: `lengthwise crasp check d-3 --against '(a(a(ab)*b)*b)*'`

    Args:
        program: A program (`x.cr`, or a name from `list programs`), or a regular language with a
            program: a regular expression, an automaton (`x.json`), a task.
        against: A regular expression, an automaton, a task, FILE.py:function or another program.
        accept: Read the answer at the last symbol or at an end marker after it.
        alphabet: Symbols to try, separated by spaces or run together; by default the program's.
        max_length: Compare all words up to this length; by default as far as the time goes.
        time_limit: Seconds for everything; the answer says how far that went.
        samples: How many longer words to try besides (for a task: how many instances).
        sample_length: Longest sampled word.
        seed: Seed of the sampling.
        set_: Values of the program's parameters, e.g. n=3.
    """
    from lengthwise.core.limits import Limits
    from lengthwise.crasp.checking import check as compare
    from lengthwise.languages.words import read_word
    from lengthwise.subjects import as_target, read_subject

    clock = Limits(time_limit)
    found = find(program, set_, accept, clock)
    if found.is_generator:
        return Compared(program, against, _solve(found, against, samples, sample_length, seed))
    known = read_word(alphabet, ()) if alphabet else found.letters()
    with clock.alarm("the reading"):
        read = read_subject(against, clock, letters=known)
    with closing(read) as other:
        report = compare(
            found,
            as_target(other, known, accept),
            accept=accept,
            max_length=max_length,
            seconds=clock.left(),
            samples=samples,
            sample_length=sample_length,
            seed=seed,
        )
    return Compared(program, against, report)


def _solve(program: "Program", against: str, samples: int, longest: int, seed: int) -> "TaskReport":
    """Let a generating program solve instances of a task."""
    from lengthwise.subjects import as_task
    from lengthwise.tasks import load_task
    from lengthwise.tasks.following import check_task

    task = load_task(as_task(against))
    return check_task(program, task, instances=samples, longest=longest, seed=seed)
