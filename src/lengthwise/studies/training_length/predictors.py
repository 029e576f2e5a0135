"""What is said beforehand about a language: N, size and depth of its program, its states."""

from functools import cache
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.crasp.facts import analyse
from lengthwise.crasp.parser import parse
from lengthwise.studies.frozen_file import frozen
from lengthwise.subjects import read_subject
from lengthwise.theory.length.kept import look_up, table

PREDICTORS = ("N", "size", "depth", "states")
CLASSES = {"nope": "plain", "ape": "periodic, local"}
"""The class of programs that an encoding has, by the theorems."""


@cache
def predictors(task: str, encoding: str) -> dict[str, Any] | None:
    """Return the predictors of a task's language, from the kept table; None outside the class.

    Example:
        >>> predictors("aa-star", "nope") is None, predictors("aa-star", "ape")
        (True, {'N': 3, 'size': 4, 'depth': 0, 'states': 2})
    """
    if table()["digest"] != frozen("length").settings["table"]:
        raise InputError("length: the kept table is not the one that the study was frozen with.")
    dfa = read_subject(task, wanted="task").dfa
    assert dfa is not None, f"{task} is about no regular language"
    known = look_up(dfa, dfa.alphabet)
    assert known is not None, f"{task} is not in the kept table"
    item = known["programs"][CLASSES[encoding]]
    if "outside" in item:
        return None
    states = None if known["automata"] is None else known["automata"]["states"]
    depth = analyse(parse(f"accept = {item['program']}")).depth
    return {"N": item["low"], "size": item["size"], "depth": depth, "states": states}
