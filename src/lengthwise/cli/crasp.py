"""``lengthwise crasp ...``: write, check, run, read and learn C-RASP programs."""

from contextlib import closing
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


def _find(name: str, parameters: str = "", accept: Accept = "last") -> "Program":
    """Return the program that a user named, or one that the decision of a language writes."""
    from lengthwise.subjects import as_program, read_subject

    return as_program(read_subject(name, parameters=parameters, wanted="program"), accept)


def show(program: str, *, parameters: Set = "", latex: Flag = False, as_json: Json = False) -> None:
    """Print a program with its depth, size and fragment.

    Example: lengthwise crasp show dyck-1 --latex

    Parameters
    ----------
    program
        A program (`x.cr`, or a name from ``list programs``), or a regular language with a program:
        a regular expression, an automaton (`x.json`), a task.
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
        A program (`x.cr`, or a name from ``list programs``), or a regular language with a program:
        a regular expression, an automaton (`x.json`), a task.
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

    found = _find(program, parameters, accept)
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
    report: Path | None = None,
    parameters: Set = "",
) -> None:
    """Show every definition's value at every position of a word.

    Example: lengthwise crasp trace dyck-1 "( ( ) )"

    Parameters
    ----------
    program
        A program (`x.cr`, or a name from ``list programs``), or a regular language with a program:
        a regular expression, an automaton (`x.json`), a task.
    word
        The word, its symbols separated by spaces (or run together).
    accept
        Read the answer at the last symbol or at an end marker after it.
    operations
        Show unnamed parts of expressions too.
    report
        Write an HTML table to this file instead.
    parameters
        Values of the program's parameters, e.g. n=3.
    """
    from lengthwise.crasp import trace as run_trace
    from lengthwise.languages.words import read_word

    found = _find(program, parameters, accept)
    result = run_trace(
        found, read_word(word, found.letters()), accept=accept, operations=operations
    )
    if report is None:
        say(result.to_text().rstrip())
    else:
        write(report, result.to_html())
        say(f"wrote {report}")


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
    alphabet: str = "",
    max_length: Whole | None = None,
    time_limit: float = 10.0,
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
        A program (`x.cr`, or a name from ``list programs``), or a regular language with a program:
        a regular expression, an automaton (`x.json`), a task.
    against
        A regular expression, an automaton, a task, FILE.py:function or another program.
    accept
        Read the answer at the last symbol or at an end marker after it.
    alphabet
        Symbols to try, separated by spaces or run together; default: the program's.
    max_length
        Compare all words up to this length; default: as far as the time goes.
    time_limit
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
    from lengthwise.core.clock import Clock
    from lengthwise.crasp.checking import check as compare
    from lengthwise.languages.words import read_word
    from lengthwise.subjects import as_target, read_subject

    found = _find(program, parameters, accept)
    if found.is_generator:
        report: Any = _check_generator(found, against, samples, sample_length, seed)
        agrees = report.mistake is None
    else:
        known = read_word(alphabet, ()) if alphabet else found.letters()
        with closing(read_subject(against, Clock(60 + 2 * time_limit), letters=known)) as other:
            report = compare(
                found,
                as_target(other, known, accept),
                accept=accept,
                max_length=max_length,
                seconds=time_limit,
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
    from lengthwise.subjects import as_task
    from lengthwise.tasks import load_task
    from lengthwise.tasks.following import check_task

    task = load_task(as_task(against))
    return check_task(program, task, instances=samples, longest=longest, seed=seed)


def simplify(program: str, *, output: Path | None = None, parameters: Set = "") -> None:
    """Print an equivalent program without superfluous operations.

    Example: lengthwise crasp simplify dyck-1

    Parameters
    ----------
    program
        A program (`x.cr`, or a name from ``list programs``), or a regular language with a program:
        a regular expression, an automaton (`x.json`), a task.
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
        A program (`x.cr`, or a name from ``list programs``), or a regular language with a program:
        a regular expression, an automaton (`x.json`), a task.
    released
        Read the file with the released interpreter's precedence (there !P && Q is !(P && Q)).
    output
        Write the program to this file instead of printing it.
    parameters
        Values of the program's parameters, e.g. n=3.
    """
    from lengthwise.crasp import parse_file

    if released:
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
