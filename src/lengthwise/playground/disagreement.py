"""The shortest word on which language, program and transformer do not say the same."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.core.limits import Limits
from lengthwise.crasp import accepts
from lengthwise.crasp.checking import check
from lengthwise.crasp.targets import from_automaton
from lengthwise.evaluation.metrics import METRICS
from lengthwise.playground import commands, requests
from lengthwise.playground.programs import READINGS, read_program
from lengthwise.playground.word_steps import COMPILED, named_run
from lengthwise.subjects import as_language, read_subject
from lengthwise.theory.limit.compare import check as check_weights
from lengthwise.theory.limit.compiled import build

if TYPE_CHECKING:
    from lengthwise.languages.dfa import DFA
    from lengthwise.runs.trained import TrainedRun

SHARE = 0.3
"""Of the time limit, for each of the comparisons."""
DRAWN = 64
"""Instances of each length that a trained model is asked."""
FACTOR = 4
"""A trained model is asked up to this multiple of its training length."""
SAID = {True: "accepts", False: "rejects"}


def disagree(request: Mapping[str, Any]) -> dict[str, Any]:
    """Compare language, program and transformer, or a trained run with its task.

    Example:
        >>> found = disagree({"text": 'accept = #"b" == 0', "regex": "(ab)*"})
        >>> found["word"], found["said"]
        ('a', {'language': 'rejects', 'program': 'accepts', 'transformer': 'accepts'})
    """
    started = time.monotonic()
    found = _of_run(request) if "run" in request else _of_program(request)
    return {**found, "elapsed": round(time.monotonic() - started, 2)}


def _of_program(request: Mapping[str, Any]) -> dict[str, Any]:
    fields = ("text", "parameters", "accept", "regex", "alphabet", "store", "seconds")
    requests.refuse_others(request, fields)
    parsed, source = read_program(request)
    accept = requests.read_choice(request, "accept", READINGS)
    seconds = SHARE * float(request.get("seconds", requests.SECONDS))
    model = build(parsed, COMPILED, dtype="float64", accept=accept)
    weights = check_weights(model, parsed, words=20)
    known = []
    if weights.errors == 0:
        known.append(
            f"Transformer and program: the same on all {weights.short_words:,} words to length "
            f"{weights.short_length} and on {weights.long_words} longer ones; by their margins the "
            f"weights are exact to length {model.description.exact}."
        )
    words = [] if weights.counterexample is None else [weights.counterexample]
    dfa = None if parsed.is_generator else _language(request, seconds)
    if dfa is not None:
        report = check(parsed, from_automaton(dfa), accept=accept, seconds=seconds)
        known.append(f"Program and language: {report.sentence()}")
        words += [] if report.counterexample is None else [report.counterexample]
    if not words:
        return {"word": None, "said": {}, "known": known, "commands": []}
    word = min(words, key=len)
    said = {"program": SAID[bool(accepts(parsed, [word], accept=accept)[0])]}
    if len(word) <= COMPILED:
        said["transformer"] = SAID[bool(model.accepts([word])[0])]
    if dfa is not None:
        said = {"language": SAID[dfa.accepts(word)], **said}
    text = " ".join(word)
    return {
        "word": text,
        "said": said,
        "known": known,
        "commands": commands.trace(source, text, accept),
    }


def _language(request: Mapping[str, Any], seconds: float) -> "DFA | None":
    pattern = requests.read_text(request, "regex", requests.REGEX)
    if not pattern.strip():
        return None
    alphabet = requests.read_text(request, "alphabet", requests.SMALL_TEXT)
    read = read_subject(pattern, alphabet=alphabet or None, files=False, max_states=requests.STATES)
    return as_language(read, "last", Limits(seconds)).dfa


def _of_run(request: Mapping[str, Any]) -> dict[str, Any]:
    """Ask a trained model instances of every length, and show the shortest that it gets wrong."""
    requests.refuse_others(request, ("run", "store", "seconds"))
    run = named_run(request)
    limits = Limits(SHARE * float(request.get("seconds", requests.SECONDS)))
    low, high = run.spec.training.length
    asked = reached = 0
    for length in run.task.possible_lengths(low, FACTOR * high).tolist():
        batch = run.task.sample(np.random.default_rng(length), np.full(DRAWN, length))
        if batch.tokens.shape[1] > run.model.context or limits.over:
            break
        right = METRICS[run.spec.evaluation.metric](run.model, run.task, batch)
        asked, reached = asked + DRAWN, length
        if not right.all():
            return _mistake(run, batch, int(np.argmin(right)), asked)
    known = [
        f"The model was right on all {asked:,} instances drawn, {DRAWN} of each length to "
        f"{reached} (trained on {low} to {high}). Longer ones were not asked."
    ]
    return {"word": None, "said": {}, "known": known, "commands": []}


def _mistake(run: "TrainedRun", batch: Any, row: int, asked: int) -> dict[str, Any]:
    text = run.task.vocabulary.text
    size, length = int(batch.size[row]), int(batch.length[row])
    tokens = [text(int(token)) for token in batch.tokens[row, :size]]
    supervised = np.flatnonzero(batch.supervised[row])
    targets = [text(int(batch.targets[row, place])) for place in supervised]
    word = " ".join(tokens[: int(supervised[-1]) + 1])
    low, high = run.spec.training.length
    return {
        "word": word if size <= COMPILED else None,
        "shown": word,
        "said": {"length": str(length), "should say": " ".join(targets)},
        "known": [
            f"Shortest mistake among {asked:,} instances drawn, {DRAWN} of each length from {low}; "
            f"trained on {low} to {high}. A shorter mistake may not have been drawn."
        ],
        "commands": [],
    }
