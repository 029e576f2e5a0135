"""Draw the blind suite: regular languages that nobody has tuned on, by a rule fixed beforehand.

Half are random regular expressions over a and b, half languages of MLRegTest over four letters.
Both streams are shuffled by the seed and read in order; a language is kept if

* its minimal automaton has 3 to 12 states,
* it has words of at least a quarter of the lengths in every third up to the longest tested one,
* no more than 95% of the places of its words have the same label (there is something to learn),
* it is none of the languages of the studies or of the recipes' search, up to renaming letters,
  and none drawn before it,
* it is decided within five seconds, and its class is still wanted: in plain C-RASP, only with
  positions and windows, or outside both, a third each.

Predictions are computed here, before anything is trained, and kept with the digests of the
certificates behind them.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits
from lengthwise.languages.dfa import DFA
from lengthwise.languages.formats import read_automaton, to_json
from lengthwise.languages.regex import compile_regex
from lengthwise.predict import predict
from lengthwise.studies.blind import FILE
from lengthwise.studies.climbing import digest
from lengthwise.studies.suites import random_patterns, trainable
from lengthwise.tasks import load_task
from lengthwise.tasks.batch import IGNORE
from lengthwise.theory.decide.decision import decide

ATTRIBUTION = (
    "Automata of MLRegTest: van der Poel, Lambert, Kostyszyn, Gao, Verma, Andersen, Chau, "
    "Peterson, St. Clair, Fodor, Shibata, Heinz, arXiv 2304.07687, github.com/heinz-jeffrey/"
    "subregular-learning, CC BY 4.0; here minimised and written as JSON."
)
KINDS = {("in", "in"): "in", ("out", "in"): "only with positions", ("out", "out"): "out"}
STATES = (3, 12)
COMMON = 0.95
ENCODINGS = ("nope", "ape")
WORDS = "segments"


@dataclass(frozen=True)
class DrawnLanguage:
    """A language that may be drawn: how it is named as a task, and its minimal automaton."""

    task: str
    dfa: DFA
    name: str = ""
    """Its name in MLRegTest, if it comes from there."""
    file: str = ""
    """The task that reads its file, before it comes with the library."""

    @property
    def now(self) -> str:
        """The task as it can be loaded while drawing."""
        return self.file or self.task


def draw(
    folder: Path,
    *,
    count: int,
    seed: int,
    longest: int,
    exclude: Sequence[str],
    listen: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Draw ``count`` languages from MLRegTest's folder and as many from random expressions."""
    seen = {canonical(_language(task)) for task in exclude}
    found: list[dict[str, Any]] = []
    automata: dict[str, Any] = {}
    for source, stream in (("mlregtest", _benchmark(folder, seed)), ("regex", _regexes(seed))):
        wanted = dict.fromkeys(KINDS.values(), count // 6)
        for one in stream:
            if not any(wanted.values()):
                break
            entry = _kept(one, longest, seen, wanted)
            if entry is not None:
                listen(f"{entry['kind']}: {entry['task']}")
                found.append({"source": source, **entry})
                if one.name:
                    automata[one.name] = json.loads(to_json(one.dfa))
        else:
            raise InputError(f"{folder}: too few languages of some class.")
    return {"languages": _balanced(found), "automata": automata}


def _balanced(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Order languages so that every beginning has as many of each class and source as possible."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for entry in found:
        groups.setdefault((entry["kind"], entry["source"]), []).append(entry)
    rounds = max(map(len, groups.values()))
    return [group[n] for n in range(rounds) for group in groups.values() if n < len(group)]


def _kept(
    one: DrawnLanguage, longest: int, seen: set[bytes], wanted: dict[str, int]
) -> dict[str, Any] | None:
    """Return what is kept of a language, or None if the rule passes over it."""
    if not STATES[0] <= one.dfa.states <= STATES[1] or not trainable(one.dfa, longest):
        return None
    key = canonical(one.dfa)
    if key in seen:
        return None
    decision = decide(one.dfa, "predict", Limits(seconds=5))
    kind = KINDS.get((decision.plain.answer, decision.periodic_local.answer))
    if kind is None or not wanted[kind] or commonest(one.now, longest) > COMMON:
        return None
    seen.add(key)
    wanted[kind] -= 1
    prediction = predict(f"task:{one.now}", encodings=ENCODINGS)
    return {
        "task": one.task,
        "kind": kind,
        "states": one.dfa.states,
        "predicted": {
            name: {
                "answer": prediction.verdict(name).answer,
                "strength": prediction.verdict(name).label,
            }
            for name in ENCODINGS
        },
        "facts": {key: prediction.facts.get(key) for key in ("fragment", "depth")},
        "certificates": certificate_digests(one.dfa),
    }


def _benchmark(folder: Path, seed: int) -> Iterator[DrawnLanguage]:
    """Yield the languages of MLRegTest over four letters in a random order."""
    paths = sorted(folder.rglob("04.*.att"))
    if not paths:
        raise InputError(f"--data {folder}: no automata of MLRegTest (04.*.att).")
    for index in np.random.default_rng([seed, 0]).permutation(len(paths)):
        path = paths[index]
        name = path.name.removesuffix(".att")
        task = f"mlregtest:{name};words={WORDS}"
        yield DrawnLanguage(
            task, read_automaton(path).minimise(), name, f"dfa:{path};words={WORDS}"
        )


def _regexes(seed: int) -> Iterator[DrawnLanguage]:
    """Yield random expressions without end."""
    for pattern in random_patterns(np.random.default_rng([seed, 1])):
        task = f"regex:{pattern};alphabet=ab,words={WORDS}"
        yield DrawnLanguage(task, compile_regex(pattern, "ab").minimise())


def _language(task: str) -> DFA:
    found = load_task(task).language
    if not isinstance(found, DFA):
        raise InputError(f"{task}: not a regular language.")
    return found.minimise()


def canonical(dfa: DFA) -> bytes:
    """Return one key for all languages that differ in the names of letters alone.

    Letters that no word has do not count.

    Example:
        >>> canonical(compile_regex("ab*", "ab")) == canonical(compile_regex("ba*", "abc"))
        True
    """
    live = dfa.live()
    used = [a for a in range(dfa.symbols) if live[dfa.transitions[live, a]].any()]
    keys: list[bytes] = []
    for order in permutations(used):
        table = dfa.transitions[:, list(order)]
        letters = dfa.alphabet[: len(order)]
        renamed = DFA(letters, table, dfa.initial, dfa.accepting).minimise()
        keys.append(renamed.transitions.astype(np.int32).tobytes() + renamed.accepting.tobytes())
    return min(keys)


def commonest(task: str, longest: int) -> float:
    """Return the share of the most common label among those of 200 words of all lengths."""
    batch = load_task(task).draw(np.random.default_rng(0), 1, longest, 200)
    labels = batch.targets[batch.targets != IGNORE]
    return float(np.bincount(labels).max() / len(labels))


def certificate_digests(dfa: DFA) -> dict[str, str]:
    """Decide a language and return the hash of the certificate of either answer."""
    decision = decide(dfa, "predict", Limits(seconds=60))
    return {
        name: hashlib.sha256(
            json.dumps(answer.certificate(program=False), sort_keys=True).encode()
        ).hexdigest()[:16]
        for name, answer in (("plain", decision.plain), ("periodic_local", decision.periodic_local))
    }


def draw_frozen(
    folder: Path, seed: int | None = None, listen: Callable[[str], None] = lambda line: None
) -> dict[str, Any]:
    """Draw by the settings of the frozen file, and say whether it is the suite of the file."""
    about = dict(FILE.settings["draw"])
    if seed is not None:
        about["seed"] = seed
    found = draw(folder, **about, listen=listen)
    return {"digest": digest(found["languages"]), "frozen": FILE.settings["suite"], **found}
