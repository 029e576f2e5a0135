"""The program view: a C-RASP program's facts and trace, and its transformer beside it."""

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits
from lengthwise.crasp import accepts, generate, trace
from lengthwise.crasp import library as shelf
from lengthwise.crasp.facts import analyse
from lengthwise.crasp.interpreter import as_words, evaluate_expressions
from lengthwise.crasp.library import entries
from lengthwise.crasp.parser import parse
from lengthwise.crasp.trace import END
from lengthwise.languages.convention import Accept
from lengthwise.languages.words import read_word
from lengthwise.playground import commands, requests
from lengthwise.playground.first_words import example_word, writes
from lengthwise.predict import predict_subject
from lengthwise.predict.card import details, rows
from lengthwise.subjects import Subject
from lengthwise.theory.limit.compare import random_codes
from lengthwise.theory.limit.compiled import build
from lengthwise.theory.limit.normalise import at_last_letter

if TYPE_CHECKING:
    from lengthwise.crasp import Program
    from lengthwise.theory.limit.compiled import CompiledModel

READINGS: tuple[Accept, ...] = get_args(Accept)
PRECISIONS: tuple[Literal["float32", "float64"], ...] = ("float32", "float64")
TRUE, FALSE = "●", "·"
STOP = "<eos>"
FIELDS = ("text", "parameters", "accept", "word", "store", "seconds")


def library(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the programs that come with the package."""
    requests.refuse_others(request, ("store", "seconds"))
    found = [{"name": e.name, "description": e.description, "text": e.text} for e in entries()]
    return {"programs": found, "commands": [commands.command("The library", "list", "programs")]}


def program(request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer with a program's facts, its verdicts, and its trace on a word, typed or ours.

    Example:
        >>> found = program({"text": 'accept = #"a" > #"b"', "word": "aab"})
        >>> found["facts"]["depth"], found["trace"]["result"]
        (1, 'accepted')
    """
    requests.refuse_others(request, FIELDS)
    started = time.monotonic()
    parsed, source = read_program(request)
    accept = requests.read_choice(request, "accept", READINGS)
    typed = typed_word(request, parsed)
    if typed is None:
        typed = example_word(parsed)
    summary = analyse(parsed).to_dict()
    word = " ".join(typed)
    return {
        "facts": {name: _plain(value) for name, value in summary.items()},
        "formatted": str(parsed),
        "letters": list(parsed.letters()),
        "writes": writes(parsed),
        "word": word,
        **_verdicts(parsed, source, float(request.get("seconds", requests.SECONDS))),
        "trace": _trace(parsed, typed, accept),
        "commands": [*commands.trace(source, word, accept), *_predicting(source)],
        "elapsed": round(time.monotonic() - started, 2),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "none"
    return ("yes" if value else "no") if isinstance(value, bool) else value


def read_program(request: Mapping[str, Any]) -> "tuple[Program, commands.ProgramSource]":
    """Parse the text; a mistake keeps its place."""
    text = requests.read_text(request, "text", requests.PROGRAM, needed=True)
    text = text.replace("\r\n", "\n")
    parameters = requests.read_text(request, "parameters", requests.SMALL_TEXT)
    name = next((n for n in shelf.names() if shelf.text(n).strip() == text.strip()), None)
    parsed = parse(text, parameters=shelf.read_parameters(parameters))
    return parsed, commands.ProgramSource(name, text, parameters)


def typed_word(request: Mapping[str, Any], parsed: "Program") -> tuple[str, ...] | None:
    """Return the letters of the word that was typed; None without a word."""
    if request.get("word") is None:
        return None
    text = requests.read_text(request, "word", 8 * requests.LENGTH)
    word = read_word(text, parsed.letters())
    if len(word) > requests.LENGTH:
        raise InputError(
            f"word: {len(word):,} letters; the playground's limit is {requests.LENGTH:,}."
        )
    return word


def _verdicts(parsed: "Program", source: commands.ProgramSource, seconds: float) -> dict[str, Any]:
    subject = Subject(source.reference, "program", "program", program=parsed)
    found = predict_subject(subject, Limits(0.4 * seconds))
    return {"verdicts": rows(found), "card": details(found)}


def _predicting(source: commands.ProgramSource) -> list[commands.Command]:
    """``predict`` reads programs by file name and takes no parameters."""
    if source.options:
        return []
    name = source.reference.removesuffix(".cr") + ".cr"
    return [commands.command("Verdicts with the whole argument", "predict", name, "--explain")]


def _trace(parsed: "Program", word: Sequence[str], accept: Any) -> dict[str, Any]:
    if len(word) > requests.TRACED:
        text = f"{len(word):,} letters; traces are shown to {requests.TRACED}."
        return {"head": [], "rows": [], "result": text}
    found = trace(parsed, word, accept=accept)
    head = ["", *found.word, *([END] if accept == "end" else [])]
    rows = [[name, *map(mark, cells)] for name, cells in found.rows]
    said = {True: "accepted", False: "rejected", None: "the program writes; see its next symbols"}
    return {"head": head, "rows": rows, "result": said[found.accepted]}


def mark(cell: bool | int) -> str:
    """Write a value of a program."""
    return str(cell) if not isinstance(cell, bool) else TRUE if cell else FALSE


def compare(request: Mapping[str, Any]) -> dict[str, Any]:
    """Compile a program and run the transformer beside it on one word, typed or random."""
    requests.refuse_others(request, (*FIELDS, "length", "dtype", "random", "seed"))
    started = time.monotonic()
    parsed, source = read_program(request)
    accept = requests.read_choice(request, "accept", READINGS)
    dtype = requests.read_choice(request, "dtype", PRECISIONS)
    length = requests.read_number(request, "length", 64, 1, requests.LENGTH)
    word = _word(request, parsed, length)
    if len(word) > length:
        raise InputError(
            f"word: {len(word):,} letters, but the model is compiled for {length:,}; "
            "raise the length or shorten the word."
        )
    model = build(parsed, length, dtype=dtype, accept=accept)
    text = " ".join(word)
    return {
        "sizes": _sizes(model),
        "word": text,
        "positions": _positions(model, parsed, word, accept),
        "answers": _answers(model, parsed, word, accept, length),
        "commands": commands.compare(source, text, accept, length, dtype, parsed.is_generator),
        "elapsed": round(time.monotonic() - started, 2),
    }


def _word(request: Mapping[str, Any], parsed: "Program", length: int) -> tuple[str, ...]:
    if request.get("random") is None:
        return typed_word(request, parsed) or ()
    import numpy as np

    size = requests.read_number(request, "random", 1, 1, length)
    seed = requests.read_number(request, "seed", 0, 0, 1_000_000)
    letters = parsed.letters()
    if not letters:
        raise InputError('the program names no letters to draw from; add e.g. alphabet "a" "b".')
    codes = random_codes(len(letters), size, np.random.default_rng(seed))
    return tuple(letters[code] for code in codes)


def _sizes(model: "CompiledModel") -> dict[str, Any]:
    about = model.description
    return {
        **model.sizes(),
        "exact to length": about.exact,
        "precision": about.dtype,
        "margin left": f"{about.slack:.0%}",
    }


def _positions(
    model: "CompiledModel", parsed: "Program", word: Sequence[str], accept: str
) -> dict[str, Any]:
    """Return both outputs at every letter, and how many differ."""
    import numpy as np

    if not word:
        return {"rows": [], "total": 0, "different": 0}
    outputs = parsed.outputs
    if accept == "end":
        outputs = tuple(at_last_letter(node) for node in outputs)
    want = np.stack([v[0] for v in evaluate_expressions(outputs, as_words(parsed, [word]))], -1)
    got = model.truths([word])[0, 1:]
    names = list(model.description.outputs) if parsed.is_generator else None
    rows = [
        [str(i + 1), word[i], _said(want[i], names), _said(got[i], names)]
        for i in range(min(len(word), requests.SHOWN))
    ]
    different = int((got != want).any(axis=1).sum())
    return {"rows": rows, "total": len(word), "different": different}


def _said(values: Any, names: Sequence[str] | None) -> str:
    if names is None:
        return TRUE if values[0] else FALSE
    return " ".join(n for n, holds in zip(names, values, strict=True) if holds) or "nothing"


def _answers(
    model: "CompiledModel", parsed: "Program", word: Sequence[str], accept: Any, length: int
) -> dict[str, str]:
    """Return what program and transformer say about the whole word, or write after it."""
    if not parsed.is_generator:
        said = {True: "accepted", False: "rejected"}
        mine = bool(accepts(parsed, [tuple(word)], accept=accept)[0])
        return {"program": said[mine], "transformer": said[bool(model.accepts([word])[0])]}
    room = max(1, min(200, length - len(word)))

    def attempt(write: Any) -> str:
        try:
            return " ".join(write())
        except InputError as error:
            return str(error)

    return {
        "program": attempt(lambda: generate(parsed, [tuple(word)], stop=STOP, limit=room)[0]),
        "transformer": attempt(lambda: model.write(word, STOP, room)),
    }
