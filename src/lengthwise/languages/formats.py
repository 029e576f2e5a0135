"""Automata from files: JSON of our own and OpenFst's text format (``.att``)."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.core.files import read_text
from lengthwise.languages.dfa import DFA, MAX_CELLS

MAX_STATES = 1_000_000


def read_automaton(path: Path) -> DFA:
    """Read an automaton; the ending decides: ``.json`` or ``.att`` (also ``.fst.txt``).

    Example:
        >>> read_automaton(Path("missing.json"))
        Traceback (most recent call last):
        ...
        lengthwise.core.errors.InputError: missing.json: there is no such file.
    """
    text = read_text(path)
    if path.suffix == ".json":
        return from_json(text, str(path))
    if path.suffix in (".att", ".txt"):
        return from_att(text, str(path))
    raise InputError(f"{path}: unknown ending {path.suffix!r}; allowed: .json, .att.")


def to_json(dfa: DFA) -> str:
    """Write an automaton in the form that ``from_json`` reads."""
    transitions = {
        str(q): {dfa.alphabet[a]: int(t) for a, t in enumerate(row)}
        for q, row in enumerate(dfa.transitions)
    }
    value = {
        "alphabet": list(dfa.alphabet),
        "initial": dfa.initial,
        "accepting": np.flatnonzero(dfa.accepting).tolist(),
        "transitions": transitions,
    }
    return json.dumps(value, ensure_ascii=False)


def from_json(text: str, source: str = "automaton") -> DFA:
    """Read ``{"alphabet", "initial", "accepting", "transitions"}``.

    States are any names; ``transitions`` maps state to symbol to state. With ``"partial": true``
    missing transitions reject; otherwise they are an error. Symbols may have several characters.

    Example:
        >>> even = from_json('''{"alphabet": ["a"], "initial": "e", "accepting": ["e"],
        ...     "transitions": {"e": {"a": "o"}, "o": {"a": "e"}}}''')
        >>> even.accepts("aa")
        True
    """
    try:
        value = json.loads(text, object_pairs_hook=_no_duplicates)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{source}: not JSON at {place}: {error.msg}.") from None
    except _DuplicateError as error:
        raise InputError(f"{source}: {error.args[0]!r} is given twice.") from None
    except (ValueError, RecursionError) as error:  # a number without end, lists in lists
        raise InputError(f"{source}: not readable as JSON ({error}).") from None
    if not isinstance(value, dict):
        raise InputError(f"{source}: expected a JSON object.")
    _known_keys(value, source)
    symbols = _names(value, "alphabet", source)
    edges = _json_edges(value, source)
    partial = value.get("partial", False)
    if not isinstance(partial, bool):
        raise InputError(f"{source}: partial is {partial!r}; expected true or false.")
    return _build(
        symbols,
        edges,
        str(value["initial"]),
        _names(value, "accepting", source),
        partial,
        source,
    )


class _DuplicateError(Exception):
    pass


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _DuplicateError(key)
        found[key] = value
    return found


_KEYS = ("alphabet", "initial", "accepting", "transitions", "partial")


def _known_keys(value: dict[str, Any], source: str) -> None:
    for key in _KEYS[:4]:
        if key not in value:
            raise InputError(f"{source}: {key!r} is missing; needed: {', '.join(_KEYS[:4])}.")
    for key in value:
        if key not in _KEYS:
            raise InputError(f"{source}: unknown key {key!r}; allowed: {', '.join(_KEYS)}.")


def _names(value: dict[str, Any], key: str, source: str) -> list[str]:
    if not isinstance(value[key], list):
        raise InputError(f"{source}: {key!r} must be a list.")
    return [str(item) for item in value[key]]


def _json_edges(value: dict[str, Any], source: str) -> list[tuple[str, str, str]]:
    table = value["transitions"]
    if not isinstance(table, dict) or not all(isinstance(row, dict) for row in table.values()):
        raise InputError(f"{source}: 'transitions' must map state to symbol to state.")
    return [(q, a, str(t)) for q, row in table.items() for a, t in row.items()]


def from_att(text: str, source: str = "automaton") -> DFA:
    """Read OpenFst's text format: ``source target symbol`` lines, final states alone on a line.

    The first state named is the start; missing transitions reject, as usual there. A second
    symbol column (transducers) must repeat the first; weights are refused.

    Example:
        >>> from_att("0 1 a\\n1 0 b\\n0\\n").accepts("abab")
        True
    """
    edges: list[tuple[str, str, str]] = []
    final: list[str] = []
    start: str | None = None
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split()
        if not fields:
            continue
        start = fields[0] if start is None else start
        if len(fields) == 1:
            final.append(fields[0])
        elif len(fields) in (3, 4):
            edges.append(_att_edge(fields, number, source))
        else:
            message = f"{source}, line {number}: {len(fields)} fields; expected 1, 3 or 4"
            raise InputError(f"{message} (weights are not read).")
    if start is None:
        raise InputError(f"{source}: the file is empty.")
    symbols = sorted({symbol for _, symbol, _ in edges})
    return _build(symbols, edges, start, final, True, source)


def _att_edge(fields: list[str], number: int, source: str) -> tuple[str, str, str]:
    state, target, symbol, *output = fields
    if output and output[0] != symbol:
        raise InputError(
            f"{source}, line {number}: input {symbol!r} and output {output[0]!r} differ; only "
            "acceptors are read."
        )
    if symbol in ("<eps>", "<epsilon>"):
        raise InputError(f"{source}, line {number}: empty moves are not read; remove {symbol}.")
    return state, symbol, target


def _build(
    symbols: list[str],
    edges: list[tuple[str, str, str]],
    initial: str,
    accepting: list[str],
    partial: bool,
    source: str,
) -> DFA:
    names = {initial: 0}
    for state, _, target in edges:
        names.setdefault(state, len(names))
        names.setdefault(target, len(names))
    for state in accepting:
        if state not in names:
            raise InputError(f"{source}: accepting state {state!r} has no transitions.")
    if len(names) > MAX_STATES:
        raise InputError(f"{source}: {len(names):,} states; the limit is {MAX_STATES:,}.")
    if (len(names) + 1) * len(symbols) > MAX_CELLS:
        raise InputError(f"{source}: more than {MAX_CELLS:,} transitions.")
    columns = {symbol: number for number, symbol in enumerate(symbols)}
    table = np.full((len(names), len(symbols)), -1, dtype=np.int64)
    for state, symbol, target in edges:
        if symbol not in columns:
            allowed = " ".join(symbols[:20])
            raise InputError(f"{source}: state {state!r}: symbol {symbol!r} is not in: {allowed}.")
        if table[names[state], columns[symbol]] not in (-1, names[target]):
            raise InputError(f"{source}: state {state!r} has two transitions on {symbol!r}.")
        table[names[state], columns[symbol]] = names[target]
    return _completed(symbols, table, names, accepting, partial, source)


def _completed(
    symbols: list[str],
    table: np.ndarray,
    names: dict[str, int],
    accepting: list[str],
    partial: bool,
    source: str,
) -> DFA:
    missing = np.argwhere(table < 0)
    if len(missing) and not partial:
        state, symbol = missing[0]
        name = list(names)[state]
        raise InputError(
            f"{source}: state {name!r} has no transition on {symbols[symbol]!r} "
            f'({len(missing)} missing in all); add it or write "partial": true.'
        )
    if len(missing):
        table = np.vstack([table, np.full((1, len(symbols)), len(table))])
        table[table < 0] = len(table) - 1
    final = np.zeros(len(table), dtype=bool)
    final[[names[state] for state in accepting]] = True
    return DFA(symbols, table, 0, final)
