"""``lengthwise crasp learn``: find a smallest program for a language."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.cli.console import Count, Json, Whole, print_json, print_table, say
from lengthwise.cli.crasp import Flag, lines_of, write
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.crasp.learning import Learned
    from lengthwise.crasp.targets import Target


def learn(
    subject: str | None = None,
    *,
    examples: Path | None = None,
    alphabet: str = "",
    train_length: Whole | None = None,
    time_limit: float = 120.0,
    depth: Count = 3,
    size: Count = 11,
    constant: Whole = 2,
    period: tuple[int, ...] = (2,),
    window: Whole = 1,
    plain: Flag = False,
    output: Path | None = None,
    as_json: Json = False,
) -> None:
    """Find a smallest program for a language, by depth, then size.

    Example: `lengthwise crasp learn '.*ab.*'`

    Parameters
    ----------
    subject
        The language: a regular expression, a task, an automaton (`x.json`), a program (`x.cr`), or
        a Python predicate on words (`file.py:name`, with --alphabet).
    examples
        Learn from a file of lines ``+ word`` and ``- word``.
    alphabet
        The alphabet, separated by spaces or run together; default: the letters that occur.
    train_length
        Learn from all words up to 1, 2, ... this length only, and report from which on the program
        is right everywhere tested.
    time_limit
        Time to search.
    depth
        Deepest nesting of counts to try.
    size
        Largest enumerated part (a solution may join two).
    constant
        Largest number to write.
    period
        Moduli of positions to use; may be repeated.
    window
        Farthest local offset to use.
    plain
        Use neither positions nor windows.
    output
        Write the program to this file.
    as_json
        Print JSON.
    """
    from lengthwise.core.clock import Clock
    from lengthwise.crasp.learning import Budget
    from lengthwise.crasp.learning import learn as search
    from lengthwise.subjects import as_target, read_subject

    periods, window = ((), 0) if plain else (period, window)
    budget = Budget(time_limit, depth, size, constant, periods, window)
    if (subject is None) == (examples is None):
        raise InputError("give a language (a regular expression, a task, ...) or --examples.")
    if examples is not None:
        _report(_learn_examples(examples, alphabet, budget), output, as_json)
        return
    assert subject is not None
    with closing(
        read_subject(subject, Clock(60 + 3 * time_limit), alphabet=alphabet or None)
    ) as read:
        target = as_target(read)
        if train_length is not None:
            _infer(target, train_length, budget, as_json)
        else:
            _report(search(target, budget=budget), output, as_json)


def _learn_examples(file: Path, letters: str, budget: Any) -> "Learned":
    from lengthwise.crasp.learning import learn_examples
    from lengthwise.languages.words import read_word

    pairs: list[tuple[tuple[str, ...], bool]] = []
    known = read_word(letters, ())
    for line in lines_of(file):
        mark, _, rest = line.partition(" ")
        if mark not in "+-":
            raise InputError(f"{file}: {line!r} does not start with + or -.")
        pairs.append((read_word(rest, known), mark == "+"))
    return learn_examples(pairs, known or None, budget=budget)


def _report(result: "Learned", output: Path | None, as_json: bool) -> None:
    if as_json:
        print_json(result.to_dict())
    elif result.program is not None:
        say(str(result.program).rstrip())
    if result.program is None:
        if not as_json:
            say(_explored(result))
        raise SystemExit(1)
    if output is not None:
        write(output, str(result.program))
    if not as_json:
        say(_explored(result))
        if result.verified is not None:
            say(f"// verified: {result.verified.sentence()}")


def _explored(result: "Learned") -> str:
    found = "found" if result.program is not None else "nothing found"
    return (
        f"// {found} in {result.seconds:.1f} s; {result.explored:,} expressions built, "
        f"{result.distinct:,} distinct on {result.bank_words:,} words "
        f"(to length {result.train_length}), {result.counterexamples} counterexamples used"
    )


def _infer(target: "Target", train_length: int, budget: Any, as_json: bool) -> None:
    from lengthwise.theory.limit.inference import infer

    if train_length < 1:
        raise InputError(f"--train-length {train_length}: use at least 1.")
    result = infer(target, train_length, budget=budget)
    if as_json:
        print_json({"rows": result.rows(), "first_right": result.first_right})
        return
    print_table(result.rows())
    if result.first_right is None:
        say(f"not right everywhere tested at n = {train_length}.")
    else:
        say(f"right everywhere tested from n = {result.first_right} on (n up to {train_length}).")
