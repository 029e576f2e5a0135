"""``lengthwise crasp ...``: write, check, run, read and learn C-RASP programs."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, Seed, Whole, print_json, say
from lengthwise.core.errors import InputError
from lengthwise.languages.convention import Accept

if TYPE_CHECKING:
    from lengthwise.crasp import Program

Flag = Annotated[bool, Parameter(negative="")]
Set = Annotated[str, Parameter(name="--set")]


@contextmanager
def _pointing() -> Iterator[None]:
    """Let an error that shows the offending line keep its lines and its caret."""
    try:
        yield
    except InputError as error:
        if "\n" not in str(error):
            raise
        sys.stderr.write(f"error: {error}\n")
        raise SystemExit(2) from None


def _find(name: str, parameters: str = "") -> "Program":
    from lengthwise.crasp.library import find

    with _pointing():
        return find(name, parameters)


def show(program: str, *, parameters: Set = "", latex: Flag = False, as_json: Json = False) -> None:
    """Print a program with its depth, size and fragment.

    Example: lengthwise crasp show dyck-1 --latex

    Parameters
    ----------
    program
        A file ending in .cr, or a name from ``crasp list``.
    parameters
        Values of the program's parameters, e.g. n=3.
    latex
        Print LaTeX instead of the program's text.
    as_json
        Print text and analysis as JSON.
    """
    from lengthwise.crasp import to_latex
    from lengthwise.crasp.facts import analyse

    found = _find(program, parameters)
    summary = analyse(found).to_dict()
    if as_json:
        print_json({"program": str(found), "latex": to_latex(found)} | summary)
    elif latex:
        say(to_latex(found).rstrip())
    else:
        say(str(found).rstrip())
        facts = ("depth", "size", "layers", "periods", "offsets", "fragment", "positive")
        say("// " + ", ".join(f"{name} {_plain(summary[name])}" for name in facts))


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "none"
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else value


def run(
    program: str,
    *words: str,
    file: Path | None = None,
    accept: Accept = "last",
    stop: str = "<eos>",
    limit: Count = 1000,
    parameters: Set = "",
    as_json: Json = False,
) -> None:
    """Run a program: say which words it accepts, or what it writes after each prompt.

    Example: lengthwise crasp run dyck-1 "( ( ) )" "( ) )"

    Parameters
    ----------
    program
        A file ending in .cr, or a name from ``crasp list``.
    words
        Words, their symbols separated by spaces (or run together when each is one character).
    file
        A file with one word per line; empty lines and lines starting with // are skipped.
    accept
        Read the answer at the last symbol or at an end marker after it.
    stop
        The symbol that ends what a generating program writes.
    limit
        Most symbols a generating program may write.
    parameters
        Values of the program's parameters, e.g. n=3.
    as_json
        Print JSON.
    """
    from lengthwise.languages.words import read_word

    found = _find(program, parameters)
    texts = [*words, *lines_of(file)]
    if not texts:
        raise InputError("give words to run on, or --file with one word per line.")
    split = [read_word(text, found.letters()) for text in texts]
    results = _results(found, split, accept, stop, limit)
    if as_json:
        print_json([{"word": w, "result": r} for w, r in zip(texts, results, strict=True)])
        return
    for text, result in zip(texts, results, strict=True):
        said = {True: "accepted", False: "rejected"}.get(result, result)
        say(f"{text or '(empty word)'}: {said}")


def _results(program: "Program", words: Any, accept: Accept, stop: str, limit: int) -> list[Any]:
    from lengthwise.crasp import accepts, generate

    if program.is_generator:
        return [" ".join(out) for out in generate(program, words, stop=stop, limit=limit)]
    return [bool(value) for value in accepts(program, words, accept=accept)]


def lines_of(file: Path | None) -> list[str]:
    """Return the lines of a file that are neither empty nor comments."""
    if file is None:
        return []
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot read words from it ({error}).") from None
    return [line.strip() for line in lines if line.strip() and not line.startswith("//")]


def trace(
    program: str,
    word: str,
    *,
    accept: Accept = "last",
    operations: Flag = False,
    html: Path | None = None,
    parameters: Set = "",
) -> None:
    """Show every definition's value at every position of a word.

    Example: lengthwise crasp trace dyck-1 "( ( ) )"

    Parameters
    ----------
    program
        A file ending in .cr, or a name from ``crasp list``.
    word
        The word, its symbols separated by spaces (or run together).
    accept
        Read the answer at the last symbol or at an end marker after it.
    operations
        Show unnamed parts of expressions too.
    html
        Write an HTML table to this file instead.
    parameters
        Values of the program's parameters, e.g. n=3.
    """
    from lengthwise.crasp import trace as run_trace
    from lengthwise.languages.words import read_word

    found = _find(program, parameters)
    result = run_trace(
        found, read_word(word, found.letters()), accept=accept, operations=operations
    )
    if html is None:
        say(result.to_text().rstrip())
    else:
        write(html, result.to_html())
        say(f"wrote {html}")


def write(path: Path, text: str) -> None:
    """Write a file, or say why not."""
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot write it ({error.strerror}).") from None


def check(
    program: str,
    *,
    against: str,
    accept: Accept = "last",
    letters: str = "",
    max_length: Whole | None = None,
    seconds: float = 10.0,
    samples: Whole = 2000,
    sample_length: Count = 100,
    seed: Seed = 0,
    parameters: Set = "",
    as_json: Json = False,
) -> None:
    """Compare a program with a regex, a task, a Python function or another program.

    Example: `lengthwise crasp check d-3 --against '(a(a(ab)*b)*b)*'`

    Exits with code 1 when they differ.

    Parameters
    ----------
    program
        A file ending in .cr, or a name from ``crasp list``.
    against
        A regular expression, a task's name, FILE.py:function, or FILE.cr.
    accept
        Read the answer at the last symbol or at an end marker after it.
    letters
        Symbols to try, separated by spaces or run together; default: the program's.
    max_length
        Compare all words up to this length; default: as far as the time goes.
    seconds
        Time for comparing all words.
    samples
        How many longer words to try besides (for a task: how many instances).
    sample_length
        Longest sampled word.
    seed
        Seed of the sampling.
    parameters
        Values of the program's parameters, e.g. n=3.
    as_json
        Print JSON.
    """
    from lengthwise.crasp.checking import check as compare
    from lengthwise.crasp.targets import read_target
    from lengthwise.languages.words import read_word

    found = _find(program, parameters)
    if found.is_generator:
        report: Any = _check_generator(found, against, samples, sample_length, seed)
        agrees = report.mistake is None
    else:
        known = read_word(letters, ()) if letters else found.letters()
        with _pointing():
            target = read_target(against, known, accept=accept)
        report = compare(
            found,
            target,
            accept=accept,
            max_length=max_length,
            seconds=seconds,
            samples=samples,
            sample_length=sample_length,
            seed=seed,
        )
        agrees = report.agrees
    if as_json:
        print_json({"program": program, "against": against} | report.to_dict())
    else:
        say(f"{program} against {against}: {report.sentence()}")
    if not agrees:
        raise SystemExit(1)


def _check_generator(
    program: "Program", against: str, samples: int, longest: int, seed: int
) -> Any:
    from lengthwise.tasks import load_task
    from lengthwise.tasks.following import check_task

    return check_task(program, load_task(against), instances=samples, longest=longest, seed=seed)


def simplify(program: str, *, output: Path | None = None, parameters: Set = "") -> None:
    """Print an equivalent program without superfluous operations.

    Example: lengthwise crasp simplify dyck-1

    Parameters
    ----------
    program
        A file ending in .cr, or a name from ``crasp list``.
    output
        Write the program to this file instead of printing it.
    parameters
        Values of the program's parameters, e.g. n=3.
    """
    from lengthwise.crasp import simplify as make_simple

    _emit(str(make_simple(_find(program, parameters))), output)


def format_program(
    program: str, *, released: Flag = False, output: Path | None = None, parameters: Set = ""
) -> None:
    """Print a program in the standard layout (comments are not kept).

    Example: lengthwise crasp format dyck-1

    Parameters
    ----------
    program
        A file ending in .cr, or a name from ``crasp list``.
    released
        Read the file with the released interpreter's precedence (there !P && Q is !(P && Q)).
    output
        Write the program to this file instead of printing it.
    parameters
        Values of the program's parameters, e.g. n=3.
    """
    from lengthwise.crasp import parse_file

    if released:
        with _pointing():
            found = parse_file(program, precedence="released")
    else:
        found = _find(program, parameters)
    _emit(str(found), output)


def _emit(text: str, output: Path | None) -> None:
    if output is None:
        say(text.rstrip())
    else:
        write(output, text)
        say(f"wrote {output}")
