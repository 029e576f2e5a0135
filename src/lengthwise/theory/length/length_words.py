"""A length complexity in words, from the plain data of :mod:`.length_record`."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

LONG = 70
"""Characters of a program in a table."""


def rows(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return one row per class: N, the size it is for, the rival and the word."""
    listed = [_row(name, item) for name, item in data["programs"].items()]
    automata = data["automata"]
    if automata is None:
        return [*listed, _line("automata", "none", "not known to be regular")]
    states = f"{automata['states']} states"
    return [*listed, _line("automata", interval(automata), states, "", spelled(automata["word"]))]


def table_rows(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of one language in a table of several; classes without N have none."""
    listed = {name: item for name, item in data["programs"].items() if "outside" not in item}
    found = [
        {"class": name, "N": number(item), "rival": shortened(item["rival"]), **_word(item)}
        for name, item in listed.items()
    ]
    if data["automata"] is not None:
        word = powers(data["automata"]["word"])
        found.append(
            {"class": "automata", "N": interval(data["automata"]), "rival": "", "word": word}
        )
    return [{"language": data["names"][0] if k == 0 else "", **row} for k, row in enumerate(found)]


def _word(item: Mapping[str, Any]) -> dict[str, str]:
    return {"word": powers(item["rival"]["word"])}


def powers(word: list[str]) -> str:
    """Return a word with its runs as powers, to fit into a table.

    Example:
        >>> powers(list("aaaaab")), powers(["<x>", "a"]), powers(["(", ")"])
        ('a^5b', '<x> a', '()')
    """
    if any(len(letter) > 1 for letter in word):
        return spelled(word)
    runs = ((letter, len(list(run))) for letter, run in groupby(word))
    return "".join(f"{letter}^{n}" if n > 3 else letter * n for letter, n in runs)


def shortened(rival: Mapping[str, Any]) -> str:
    """Return a program as it fits into a table."""
    text = rival["program"]
    return text if 0 < len(text) <= LONG or not rival.get("size") else f"size {rival['size']}"


def interval(automata: Mapping[str, Any]) -> str:
    """Return N among automata: a number, or what it is between."""
    low, high = automata["low"], automata["high"]
    return f"{low}" if automata["exact"] else f"{low} to {high}"


def _row(title: str, item: Mapping[str, Any]) -> dict[str, Any]:
    if "outside" in item:
        return _line(title, "none", item["outside"].partition(",")[0])
    rival = item["rival"] or {"program": "", "word": None, "size": None}
    size = "no program found" if item["size"] is None else f"size {item['size']}"
    return _line(title, number(item), size, shortened(rival), spelled(rival["word"]))


def _line(title: str, number: str, simplest: str, rival: str = "", word: str = "") -> Any:
    return {
        "among": title,
        "N": number,
        "simplest": simplest,
        "rival": rival,
        "told apart by": word,
    }


def number(item: Mapping[str, Any]) -> str:
    """Return N of one class as it may be said: exact, a lower bound, or one that assumes more.

    Example:
        >>> number({"exact": True, "low": 3, "size": 5, "minimal": True})
        '3'
    """
    if item["exact"]:
        return str(item["low"])
    if item["size"] is None:
        return f"at least {item['proved_low']}, if any"
    return f"at least {item['low']}" + ("" if item["minimal"] else " *")


def training_line(data: Mapping[str, Any]) -> str:
    """Return one line for a card: N in each class."""
    parts = []
    for name, item in data["programs"].items():
        if "outside" in item:
            parts.append(f"{name} none")
        else:
            parts.append(f"{name} {number(item)}")
    if data["automata"] is not None:
        parts.append(f"automata {interval(data['automata'])}")
    note = " (*: if no smaller program exists)" if any(" *" in part for part in parts) else ""
    return f"training length that singles it out: {'; '.join(parts)}{note}"


def spelled(word: list[str] | None) -> str:
    """Return a word as it is shown."""
    return "" if word is None else " ".join(word) or "(empty word)"


def sentences(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield what each number rests on."""
    for name, item in data["programs"].items():
        if "outside" in item:
            yield f"{name}: {item['outside']}."
        else:
            yield f"{name}: {' '.join(_class(item))}"
    if data["automata"] is not None:
        yield f"automata: {_automata(data['automata'])}"
    if data.get("cut"):
        yield "The time limit ended the search: with more time, more may be proved."
    for row in data["published"]:
        yield f"published: {row['bound']} for {row['assumes']} ({row['source']}; {row['known']})."


def _class(item: Mapping[str, Any]) -> Iterator[str]:
    if item["size"] is None:
        yield f"no program for it is known; there is none up to size {item['looked']}."
        yield f"If there is one, N is at least {item['proved_low']}."
    else:
        yield f"the smallest program known for it is {_brief(item['program'], item['size'])}."
        if item["exact"]:
            yield f"N = {item['low']}: it is the smallest, and every other that is not larger was"
            yield "told apart from it."
        elif item["minimal"]:
            yield f"N is at least {item['low']}: no smaller program for it exists, but not every"
            yield f"program of size {item['size']} was looked at or told apart."
        else:
            yield f"* N is at least {item['low']} if no smaller program for it exists; all of size"
            yield f"{item['looked']} and below were looked at. In any case N is at least"
            yield f"{item['proved_low']}."
    if item["rival"] is not None:
        yield _rival(item["rival"])
    if item["unresolved_count"]:
        listed = "; ".join(
            f"{_brief(r['program'], r['size'])}, which agrees to length {r['agrees']}"
            for r in item["unresolved"]
        )
        yield f"Not told apart: {item['unresolved_count']} programs, {listed}."


def _rival(rival: Mapping[str, Any]) -> str:
    program = _brief(rival["program"], rival["size"])
    return (
        f"The rival {program} agrees on all words up to length {rival['agrees']} and differs on "
        f"{spelled(rival['word'])}."
    )


def _brief(program: str, size: int) -> str:
    return f"{program} (size {size})" if 0 < len(program) < 3 * LONG else f"one of size {size}"


def _automata(item: Mapping[str, Any]) -> str:
    word = spelled(item["word"])
    text = (
        f"an automaton with no more than {item['states']} states agrees on all words shorter than "
        f"{word}, and differs there"
    )
    if item["exact"]:
        return f"N = {item['low']}: {text}; none differs later."
    return f"N is between {item['low']} and {item['high']}: {text}."
