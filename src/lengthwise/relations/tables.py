"""Position relations phi(i, j[, n]): from a task, a circuit, a function or a table, all as tables.

A relation gives every pair of a query i and a key j <= i a whole number; encodings learn one row
per number (Chen, Liang and Lin 2025). Positions count from 1; n is the instance's length.
"""

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lengthwise.core.errors import InputError, nearest
from lengthwise.core.outputs import is_special, save_bytes
from lengthwise.relations.expressions import (
    PairFunction,
    accepts_scale,
    evaluate_pairs,
    read_function,
    takes_scale,
)
from lengthwise.relations.library import NAMES, circuit
from lengthwise.relations.relation import ideal_relation

Table = npt.NDArray[np.int64]
Layout = Literal["aligned", "zero", "unaligned"]

MOST_VALUES = 4096
"""A relation with larger values is refused: each value is a learned row in every layer."""


@dataclass
class Relation:
    """A relation as tables ``[i - 1, j - 1]``, evaluated when asked for and kept.

    ``call`` takes (i, j, n) where n is None without a scale hint.

    Example:
        >>> read_relation("1 * (j == i) + 2 * (j == i - n)").table(3, 1).tolist()
        [[1, 0, 0], [2, 1, 0], [0, 2, 1]]
    """

    name: str
    function: PairFunction
    needs_scale: bool
    passes_scale: bool
    """Whether the function takes a third argument at all."""
    _tables: dict[int | None, Table] = field(default_factory=dict, repr=False)

    def table(self, size: int, scale: int | None = None) -> Table:
        """Return the values at all pairs up to ``size``."""
        if self.needs_scale and scale is None:
            raise InputError(
                f"relation {self.name!r} needs the length n of each instance; "
                "use the encoding with scale hint, ipe-sh."
            )
        kept = self._tables.get(scale)
        if kept is None or len(kept) < size:
            extra = (scale,) if self.passes_scale else ()
            values = evaluate_pairs(self.function, size, extra, f"relation {self.name!r}")
            kept = self._tables[scale] = self._checked(values, scale)
        return kept[:size, :size]

    def _checked(self, values: npt.NDArray[np.float64], scale: int | None) -> Table:
        bad = ~np.isfinite(values) | (values != np.floor(values))
        for wrong, reason in (
            (bad, "is not a whole number"),
            (values < 0, "is negative; values count from 0"),
            (values >= MOST_VALUES, f"is too large; values must stay below {MOST_VALUES}"),
        ):
            if wrong.any():
                i, j = (int(x) for x in np.argwhere(wrong)[0])
                hint = "" if scale is None else f", n={scale}"
                value = f"{values[i, j]:g}"
                raise InputError(
                    f"relation {self.name!r}: phi(i={i + 1}, j={j + 1}{hint}) = {value} {reason}."
                )
        return values.astype(np.int64)

    def count_values(self, size: int, scales: list[int | None]) -> int:
        """Return 1 plus the largest value at these scales."""
        return 1 + max(int(self.table(size, scale).max(initial=0)) for scale in scales)


def read_relation(text: str, layout: Layout = "aligned", reference: int = 20) -> Relation:
    """Return the relation that a user names.

    ``text`` is the name of a step-by-step circuit (``parity``, ``addition``, ``select-middle``; in
    the given layout and for scales up to ``reference``), a table saved as ``.npz``, a function
    ``file.py:phi``, or an expression in i, j, n.

    Example:
        >>> read_relation("select-last").table(4).tolist()[3]
        [0, 0, 1, 0]
    """
    if text in NAMES:
        return from_callable(
            text, ideal_relation(circuit(text, layout=layout, reference=reference))
        )
    if text.endswith(".npz"):
        return load_table(Path(text))
    if text.isidentifier() and text not in ("i", "j", "n"):
        raise InputError(
            f"unknown relation {text!r}.{nearest(text, NAMES)} Use task, a circuit "
            f"({', '.join(NAMES)}), file.py:phi, a table .npz or an expression in i, j, n."
        )
    function = read_function(text, "relation")
    scale = takes_scale(function)
    return Relation(text, function, needs_scale=scale, passes_scale=scale)


def from_callable(name: str, function: Any) -> Relation:
    """Wrap a relation object's phi(query, key, scale), where the scale may be None if it can.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> from_callable("mine", circuit("copy", reference=1).relation).table(5).tolist()[4]
        [0, 1, 0, 0, 0]
    """
    owner = getattr(function, "__self__", function)
    needs = getattr(owner, "uses_scale", None)
    needs = takes_scale(function) if needs is None else bool(needs)
    return Relation(name, function, needs_scale=needs, passes_scale=accepts_scale(function))


def save_table(path: Path, tables: Table, scales: list[int] | None = None) -> None:
    """Write a relation's table ``(T, T)``, or one table for each scale ``(S, T, T)``, as .npz."""
    if path.suffix != ".npz" and not is_special(path):
        raise InputError(f"{path}: a relation's table is saved as .npz.")
    arrays = {"table": np.asarray(tables, np.int64)}
    if scales is not None:
        arrays["scales"] = np.asarray(scales, np.int64)
    data = io.BytesIO()
    np.savez_compressed(data, allow_pickle=False, **arrays)
    save_bytes(path, data.getvalue())


def load_table(path: Path) -> Relation:
    """Read a relation that :func:`save_table` wrote."""
    try:
        with np.load(path, allow_pickle=False) as file:
            table = file["table"]
            scales = file["scales"].tolist() if "scales" in file.files else None
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"relation {str(path)!r}: not a saved table ({error}).") from error
    by_scale: dict[int | None, Table] = {None: table}
    if scales is not None:
        by_scale = dict(zip(scales, table, strict=True))

    def look_up(i: Any, j: Any, n: int | None) -> Any:
        kept = by_scale.get(n if scales is not None else None)
        if kept is None:
            raise InputError(
                f"relation {str(path)!r} has no table for length {n}; it has {scales}."
            )
        if np.max(i) > len(kept):
            raise InputError(
                f"relation {str(path)!r} ends at position {len(kept)}, but position {np.max(i)} "
                "is needed; export it with a larger length."
            )
        return kept[np.asarray(i) - 1, np.asarray(j) - 1]

    return Relation(str(path), look_up, needs_scale=scales is not None, passes_scale=True)
