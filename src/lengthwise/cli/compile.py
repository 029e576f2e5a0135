"""``lengthwise compile`` and ``lengthwise ask``: programs to weights, and weights to answers."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, Whole, print_json, print_table, say
from lengthwise.core.errors import InputError
from lengthwise.languages.convention import Accept

if TYPE_CHECKING:
    from lengthwise.theory.limit.compare import Check
    from lengthwise.theory.limit.compiled import CompiledModel

Flag = Annotated[bool, Parameter(negative="")]
Output = Annotated[Path | None, Parameter(alias="-o")]
Set = Annotated[str, Parameter(name="--set")]


def compile_(
    subject: str,
    *,
    output: Output = None,
    length: Count = 1024,
    alphabet: str | None = None,
    parameters: Set = "",
    check: Flag = False,
    words: Whole | None = None,
    short: Whole | None = None,
    dtype: Literal["float32", "float64"] = "float32",
    layout: Literal["compact", "unit"] = "compact",
    periodic: Literal["constrained", "short"] = "constrained",
    accept: Accept = "last",
    force: Flag = False,
    gpt2: Path | None = None,
    as_json: Json = False,
) -> None:
    """Compile a C-RASP program or a regular language to a transformer, exact to a chosen length.

    Example: lengthwise compile dyck-1 -o dyck1.safetensors --length 4096 --check

    Parameters
    ----------
    subject
        A program (`x.cr`, or a name from ``list programs``), or a regular language with a program:
        a regular expression, an automaton (`x.json`), a task.
    output
        Where to write the weights; a description is written beside it as JSON.
    length
        Longest word, in letters, on which the model must be exact.
    alphabet
        Letters of the regular expression; default: those it mentions.
    parameters
        Values of the program's parameters, e.g. n=3.
    check
        Compare the model with the interpreter, on short words and on random ones to the length.
    words
        How many random words to check; default: 100, or fewer when they are very long.
    short
        Check all words to this length; default: 8, or less when there are very many.
    dtype
        Precision of the weights.
    layout
        Position code for local heads: compact (residues, any length) or unit (one channel per
        position, as in the theory).
    periodic
        Construction of periodic predicates: constrained (positions meet only inside attention) or
        short (an MLP reads absolute residues).
    accept
        Whether the program is meant to be read at the last letter or at an end marker after it.
    force
        Go on when rounding may change answers at this length.
    gpt2
        Also write a GPT-2 of the transformers library to this folder.
    as_json
        Print JSON instead of text.
    """
    from lengthwise.subjects import as_program, read_subject
    from lengthwise.theory.limit.compare import check as compare
    from lengthwise.theory.limit.compiled import build, save

    read = read_subject(subject, alphabet=alphabet, parameters=parameters, wanted="program")
    found = as_program(read, accept)
    model = build(
        found, length, dtype=dtype, layout=layout, periodic=periodic, accept=accept, force=force
    )
    report = compare(model, found, short=short, words=words) if check else None
    if output is not None:
        save(model, output)
    if gpt2 is not None:
        from lengthwise.theory.limit.gpt2 import export_gpt2

        export_gpt2(model, gpt2)
    if as_json:
        print_json(_as_json(model, report))
    else:
        _print_model(model, output, report)
    if report is not None and report.errors:
        word = " ".join(report.counterexample or ())
        raise InputError(f"the compiled model differs from the program, first on {word!r}.")


def _as_json(model: "CompiledModel", report: "Check | None") -> dict[str, Any]:
    about = asdict(model.description)
    return {**model.sizes(), **about, "check": None if report is None else asdict(report)}


def _print_model(model: "CompiledModel", output: Path | None, report: "Check | None") -> None:
    about, sizes = model.description, model.sizes()
    assert model.limit is not None
    limit = model.limit
    say(f"limit transformer: {len(limit.layers)} layers, {limit.heads} heads, width {limit.width}")
    say("decoder: " + ", ".join(f"{count:,} {name}" for name, count in sizes.items()))
    if about.exact >= about.length:
        say(f"exact to length {about.length:,} in {about.dtype} (margin {about.slack:.1%} left)")
    else:
        say(
            f"warning: exact only to length {about.exact:,} in {about.dtype}, "
            f"not to {about.length:,}"
        )
    if report is not None:
        say(
            f"checked: all {report.short_words:,} words to length {report.short_length} and "
            f"{report.long_words:,} random words to length {report.longest:,}; "
            f"{report.answers:,} answers, {report.errors} errors"
        )
    if output is not None:
        sys.stderr.write(f"weights: {output}\n")


def run(
    model: Path,
    *words: str,
    stop: str = "<eos>",
    limit: Count = 1000,
    as_json: Json = False,
) -> None:
    """Run a compiled model, without its program: accept words, or write after prompts.

    Example: lengthwise ask dyck1.safetensors "a b a b" "a b b"

    Parameters
    ----------
    model
        Weights written by ``lengthwise compile``.
    words
        Words or prompts; letters separated by spaces, or a string of one-character letters.
    stop
        The symbol at which a generator stops.
    limit
        Most symbols a generator writes.
    as_json
        Print JSON instead of a table.
    """
    from lengthwise.languages.words import read_word
    from lengthwise.theory.limit.compiled import load

    loaded = load(model)
    texts = [read_word(word, loaded.description.letters) for word in words]
    if not texts:
        raise InputError('give at least one word, e.g. "a b b".')
    longest, exact = max(map(len, texts)), loaded.description.exact
    if longest > exact:
        sys.stderr.write(
            f"warning: a word of {longest:,} letters; the model is exact only to {exact:,}.\n"
        )
    if loaded.description.kind == "recogniser":
        answers = [bool(answer) for answer in loaded.accepts(texts)]
        rows = [{"word": w, "accepted": a} for w, a in zip(words, answers, strict=True)]
    else:
        rows = [
            {"prompt": word, "written": " ".join(loaded.write(text, stop, limit))}
            for word, text in zip(words, texts, strict=True)
        ]
    if as_json:
        print_json(rows)
    else:
        print_table(rows)
