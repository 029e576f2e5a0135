"""The encodings as rows of a table."""

import dataclasses
from typing import Any

from lengthwise.positions import POSITIONS, example


def list_encodings() -> list[dict[str, Any]]:
    """Return name, summary, claims and options of every registered encoding.

    Example:
        >>> rows = {row["encoding"]: row for row in list_encodings()}
        >>> rows["rope"]["touches"], rows["rope"]["shift_invariant"]
        (['queries/keys'], True)
    """
    return [_row(name) for name in POSITIONS]


def _row(name: str) -> dict[str, Any]:
    kind = POSITIONS.load(name)
    options = [
        f"{field.name}={field.default}"
        for field in dataclasses.fields(kind)
        if field.init and field.default is not dataclasses.MISSING
    ]
    return {
        "encoding": name,
        "summary": kind.summary,
        "touches": sorted(kind.touches),
        "absolute": kind.absolute,
        "shift_invariant": kind.shift_invariant,
        "options": options,
        "example": example(name),
    }
