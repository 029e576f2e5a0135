"""One word, letter by letter: what the program counts and what every layer of a model holds.

An answer is a grid. Its columns are the tokens that the model reads; its groups of rows are the
program, then layer by layer what the heads read and what the residual stream holds, then what is
said. The page highlights one column and runs the automaton beside it.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.analysis.attention import OnePass, look_at
from lengthwise.core.errors import InputError
from lengthwise.crasp import trace
from lengthwise.crasp.finite import to_automaton
from lengthwise.languages.convention import Accept
from lengthwise.playground import commands, requests
from lengthwise.playground.programs import READINGS, mark, read_program, typed_word
from lengthwise.report.drawing import diagram
from lengthwise.runs.store import Store
from lengthwise.runs.trained import load_run
from lengthwise.subjects.subject import task_subject
from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.tasks.inputs import read_input, symbols
from lengthwise.tasks.vocabulary import BOS
from lengthwise.theory.limit.channel_meanings import channel_meanings
from lengthwise.theory.limit.compiled import build
from lengthwise.theory.limit.transformer import BEGIN

if TYPE_CHECKING:
    from lengthwise.crasp import Program
    from lengthwise.languages.dfa import DFA
    from lengthwise.runs.trained import TrainedRun
    from lengthwise.theory.limit.compiled import CompiledModel

Group = dict[str, Any]
COMPILED = 40
"""Longest word that is stepped through; models are compiled to this length."""
CHANNELS = 12
"""Channels of a trained model that are shown: those that vary most over the word."""
HEADS = 16
"""Heads of one layer that are shown."""
AUTOMATON_SECONDS = 1.0


def step(request: Mapping[str, Any]) -> dict[str, Any]:
    """Step through one word with a program and its transformer, or with a trained run.

    Example:
        >>> found = step({"text": 'accept = #"a" > #"b"', "word": "aab"})
        >>> found["columns"], [group["title"] for group in found["groups"]][:2]
        (['$', 'a', 'a', 'b'], ['Program', 'Embedding'])
    """
    started = time.monotonic()
    found = _run(request) if "run" in request else _program(request)
    return {**found, "elapsed": round(time.monotonic() - started, 2)}


def _check(length: int) -> None:
    if length > COMPILED:
        raise InputError(f"word: {length:,} letters; {COMPILED} are stepped through at most.")


# --- a program and the transformer it compiles to ----------------------------------------------


def _program(request: Mapping[str, Any]) -> dict[str, Any]:
    fields = ("text", "parameters", "accept", "word", "automaton", "store", "seconds")
    requests.refuse_others(request, fields)
    parsed, source = read_program(request)
    accept = requests.read_choice(request, "accept", READINGS)
    word = typed_word(request, parsed) or ()
    _check(len(word))
    model = build(parsed, COMPILED, dtype="float64", accept=accept)
    tokens, sizes = model.encode([word])
    nothing = np.full(tokens.shape, IGNORE)
    seen = look_at(model.decoder, Batch(tokens.numpy(), nothing, sizes.numpy(), sizes.numpy() + 1))
    dfa = None
    if request.get("automaton", True) and not parsed.is_generator:
        dfa = to_automaton(parsed, parsed.letters(), accept=accept, seconds=AUTOMATON_SECONDS)
    return {
        "columns": [BEGIN, *word],
        "first": 1,
        **_automaton(dfa, [BEGIN, *word]),
        "groups": [
            *_traced(parsed, word, accept, [None, *range(len(word))]),
            *_layers(seen, _compiled_rows(model, parsed, accept, seen), _used_heads(model)),
            _outputs(model, seen),
        ],
        "about": {"model": "compiled transformer", **model.sizes(), "exact to length": COMPILED},
        "note": _code_note(model),
        "commands": commands.trace(source, " ".join(word), accept),
    }


def _compiled_rows(
    model: "CompiledModel", program: "Program", accept: Accept, seen: OnePass
) -> list[list[list[Any]]]:
    """Return the rows of every stage; channels that hold nothing are left out."""
    assert model.limit is not None
    stages = channel_meanings(program, model.limit, accept=accept)
    return [
        [[name, _rounded(stream[:, c])] for c, name in enumerate(names) if name]
        for names, stream in zip(stages, seen.streams, strict=True)
    ]


def _used_heads(model: "CompiledModel") -> list[int]:
    assert model.limit is not None
    return [len(layer.heads) for layer in model.limit.layers]


def _code_note(model: "CompiledModel") -> str:
    assert model.limit is not None
    more = model.decoder.config.width - model.limit.width
    return f"{more} further channels hold a code of the position and are not shown." if more else ""


def _outputs(model: "CompiledModel", seen: OnePass) -> Group:
    rows = [
        [name, _rounded(seen.logits[-1][:, row])] for name, row in model.description.outputs.items()
    ]
    return {"title": "Output: positive means true", "kind": "stream", "rows": rows}


# --- a trained run -----------------------------------------------------------------------------


def _run(request: Mapping[str, Any]) -> dict[str, Any]:
    requests.refuse_others(request, ("run", "word", "store", "seconds"))
    store = Path(request.get("store", "runs"))
    run = named_run(request)
    text = requests.read_text(request, "word", 8 * requests.LENGTH, needed=True)
    batch = read_input(run.task, text)
    _check(int(batch.size[0]))
    seen = look_at(run.model, batch)
    columns = symbols(run.task, batch)
    said = {
        f"layer {number}" if number else "embedding": [
            run.task.vocabulary.text(int(token)) for token in logits.argmax(dim=-1)
        ]
        for number, logits in enumerate(seen.logits)
    }
    last = said.pop(f"layer {len(seen.logits) - 1}")
    program = run.task.program
    known = [n for n, token in enumerate(columns) if program and token in program.letters()]
    places = [known.index(n) if n in known else None for n in range(len(columns))]
    return {
        "columns": columns,
        "first": int(columns[0] == BOS),
        **_automaton(task_subject(run.task).dfa, columns),
        "groups": [
            *(_traced(program, [columns[n] for n in known], "last", places) if program else []),
            *_layers(seen, list(map(_trained_rows, seen.streams)), repeat(HEADS)),
            {
                "title": "Said next, if the layers ended here",
                "kind": "text",
                "rows": [*([name, words] for name, words in said.items()), ["the model", last]],
            },
        ],
        "about": {
            "model": run.subject,
            "layers": run.spec.model.layers,
            "heads": run.spec.model.heads,
            "width": run.spec.model.width,
            "trained on lengths": "{} to {}".format(*run.spec.training.length),
        },
        "note": f"Of {run.spec.model.width} channels, the {CHANNELS} that vary most over this word."
        if run.spec.model.width > CHANNELS
        else "",
        "commands": [
            commands.command("Ask the model", "ask", run.id, text, *commands.at(store)),
        ],
    }


def named_run(request: Mapping[str, Any]) -> "TrainedRun":
    """Load a run of the store by its whole id; one that names a Python file is refused."""
    name = requests.read_text(request, "run", requests.SMALL_TEXT, needed=True)
    store = Store(request.get("store"))
    if name not in {folder.name for folder in store.folders()}:
        raise InputError(f"the store has no run {name[:40]!r}.")
    return load_run(store, name)


def _trained_rows(stream: Any) -> list[list[Any]]:
    spread = stream.double().std(dim=0, unbiased=False).numpy()
    chosen = sorted(np.argsort(-spread, kind="stable")[:CHANNELS].tolist())
    sizes = ["size", _rounded(stream.norm(dim=-1))]
    return [sizes, *([f"channel {c + 1}", _rounded(stream[:, c])] for c in chosen)]


# --- what both share ---------------------------------------------------------------------------


def _traced(
    program: "Program", word: Sequence[str], accept: Accept, places: Sequence[int | None]
) -> list[Group]:
    """Return the program's values; ``places`` says which letter of the word each column is."""
    found = trace(program, word, accept=accept)
    rows = [
        [name, ["" if n is None else mark(cells[n]) for n in places]] for name, cells in found.rows
    ]
    return [{"title": "Program", "kind": "marks", "rows": rows}]


def _automaton(dfa: "DFA | None", columns: Sequence[str]) -> dict[str, Any]:
    """Return an automaton and its state after every column; what is no letter changes nothing."""
    found = None if dfa is None else diagram(dfa)[0]
    if dfa is None or found is None:
        return {"automaton": None, "states": None}
    codes = {letter: code for code, letter in enumerate(dfa.alphabet)}
    state, states = int(dfa.initial), []
    for token in columns:
        if token in codes:
            state = int(dfa.transitions[state, codes[token]])
        states.append(state)
    return {"automaton": found.to_json(), "states": states}


def _layers(
    seen: OnePass, rows: Sequence[Sequence[list[Any]]], heads: Iterable[int]
) -> list[Group]:
    """Return two groups per layer: what its heads read, and the stream behind it."""
    found: list[Group] = [{"title": "Embedding", "kind": "stream", "rows": rows[0]}]
    for number, (layer, used) in enumerate(zip(seen.attention, heads, strict=False), start=1):
        read = [
            [f"head {head + 1}", [_rounded(row) for row in weights]]
            for head, weights in enumerate(layer[:used])
        ]
        title = f"Layer {number}: what each head reads from here"
        found += [{"title": title, "kind": "attention", "rows": read}] if read else []
        title = f"Layer {number}: residual stream"
        found.append({"title": title, "kind": "stream", "rows": rows[number]})
    return found


def _rounded(values: Any) -> list[float]:
    return [round(float(value), 3) + 0.0 for value in values]
