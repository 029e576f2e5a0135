"""Read the final answer out of a generated text (Kazemnejad et al. 2023, their released rules)."""

import re
from typing import Literal

Answer = Literal["text", "number", "word", "list", "numbers"]
"""How an answer is compared: as a string, an integer, a word, a list or a list of integers."""

THUS = ". Thus, "
_NUMBER = re.compile(r"The answer is\s+(-?\s?[\d\.][\d\s\.]*)\.")
_WORD = re.compile(r"The answer is(.*)\.", re.DOTALL)
_LIST = re.compile(r"The sorted list is \[(.*?)\]", re.DOTALL)


def extract(text: str, kind: Answer) -> str | int | list[str] | list[int] | None:
    """Return the answer in a target text, or None if it cannot be read.

    Example:
        >>> extract("Thinking step by step: in 7, 5 out 2 . Thus, The answer is 1 5 2.", "number")
        152
    """
    if kind == "text":
        return text.partition("[SEP] ")[2].strip() if "[SEP] " in text else text.strip()
    parts = text.split(THUS)
    final = parts[1] if len(parts) > 1 else text
    if kind == "number":
        match = _NUMBER.search(final)
        return _integer(match.group(1)) if match else None
    if kind == "word":
        match = _WORD.search(final)
        return match.group(1).strip().lower() if match else None
    match = _LIST.search(final)
    items = [item.strip() for item in match.group(1).split(",")] if match else None
    if items is None or kind == "list":
        return items
    numbers = [_integer(item) for item in items]
    return None if any(number is None for number in numbers) else numbers  # pyright: ignore


def _integer(text: str) -> int | None:
    """Read digits separated by spaces; anything else is unreadable."""
    packed = re.sub(r"\s", "", text)
    return int(packed) if re.fullmatch(r"-?\d+", packed) else None
