"""Length complexities of what ships with the library, found again by the language itself.

A language is known by its smallest automaton, or, where its program has infinitely many
configurations, by that program; both up to the names of the letters. So it is found under any name,
and never because of its name.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import permutations
from typing import Any

from lengthwise.crasp.finite import to_automaton
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Symbol, flatten
from lengthwise.languages.dfa import DFA

FILE = "kept.json"
PROGRAM_SECONDS = 2.0
"""Most time to turn a program into its automaton."""
MOST_LETTERS = 5
"""Of languages that are looked up: every order of the letters is tried."""


def key_of(language: DFA | Program, letters: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """Return what a language is known by and the order of its letters there; None if too large.

    Example:
        >>> from lengthwise.languages.regex import compile_regex
        >>> one, two = (key_of(compile_regex(p), p[1:3]) for p in ("(ab)*", "(10)*"))
        >>> one[0] == two[0], one[1], two[1]
        (True, ('b', 'a'), ('0', '1'))
    """
    if len(letters) > MOST_LETTERS:
        return None
    if isinstance(language, Program):
        language = to_automaton(language, letters, seconds=PROGRAM_SECONDS) or language
    orders = list(permutations(letters))
    if isinstance(language, DFA):
        smallest = language.minimise()
        if smallest.states > 200:
            return None
        texts = [_automaton(smallest, order) for order in orders]
    else:
        texts = [_program(language, order) for order in orders]
    text, order = min(zip(texts, orders, strict=True))
    return hashlib.sha256(text.encode()).hexdigest()[:16], order


def _automaton(dfa: DFA, order: tuple[str, ...]) -> str:
    """Return the transitions with states in the order in which words reach them."""
    table, columns = dfa.transitions.tolist(), [dfa.alphabet.index(a) for a in order]
    places, queue = {int(dfa.initial): 0}, [int(dfa.initial)]
    rows: list[list[int]] = []
    for state in queue:
        for column in columns:
            if table[state][column] not in places:
                places[table[state][column]] = len(queue)
                queue.append(table[state][column])
        rows.append([places[table[state][column]] for column in columns])
    return repr((rows, [bool(dfa.accepting[state]) for state in queue]))


def _program(program: Program, order: tuple[str, ...]) -> str:
    """Return the nodes of the accepting expression, letters by their place."""
    rows = [
        (kind.__name__, order.index(constants[0]) if kind is Symbol else constants, args)
        for kind, constants, args in flatten([program.accept])[0]
    ]
    return repr((rows, program.empty))


@cache
def table() -> dict[str, Any]:
    """Return the kept table: the command that made it, the hash of its entries, the entries."""
    return json.loads(files("lengthwise.theory.length").joinpath(FILE).read_text("utf-8"))


def digest(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return the hash of some entries."""
    text = json.dumps(list(entries), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def look_up(language: DFA | Program, letters: Sequence[str]) -> dict[str, Any] | None:
    """Return what is kept about a language, in its own letters."""
    known = key_of(language, letters)
    if known is None:
        return None
    key, order = known
    entry = next((e for e in table()["entries"] if e["key"] == key), None)
    if entry is None:
        return None
    return _renamed(entry, dict(zip(entry["order"], order, strict=True)))


def _renamed(entry: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return an entry with other letters, in words and in the programs' texts."""

    def word(value: list[str] | None) -> list[str] | None:
        return None if value is None else [names[letter] for letter in value]

    def text(value: str | None) -> str | None:
        if value is None:
            return None
        pieces = value.split('"')  # every second piece is a letter
        pieces[1::2] = [names.get(piece, piece) for piece in pieces[1::2]]
        return '"'.join(pieces)

    def rival(value: Mapping[str, Any] | None) -> dict[str, Any] | None:
        if value is None:
            return None
        return {**value, "program": text(value["program"]), "word": word(value["word"])}

    def one(item: Mapping[str, Any]) -> dict[str, Any]:
        if "outside" in item:
            return dict(item)
        rivals = {name: rival(item[name]) for name in ("rival", "proved_rival")}
        unresolved = [rival(other) for other in item["unresolved"]]
        return {**item, **rivals, "unresolved": unresolved, "program": text(item["program"])}

    automata = entry["automata"]
    if automata is not None:
        alphabet = [names[letter] for letter in automata["rival"]["alphabet"]]
        changed = {**automata["rival"], "alphabet": alphabet}
        automata = {**automata, "word": word(automata["word"]), "rival": changed}
    return {
        **entry,
        "letters": [names[letter] for letter in entry["letters"]],
        "order": [names[letter] for letter in entry["order"]],
        "programs": {name: one(item) for name, item in entry["programs"].items()},
        "automata": automata,
    }
