"""Readable formulas of position relations, and their recovery from a table of gates."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lengthwise.relations.gates import ABSENT, CircuitFamily, IntArray, wiring_of


@dataclass(frozen=True)
class SlotFormula:
    """``j = (a i + b n + c) // d``: where the argument of one slot is, in the query and scale.

    ``symbol`` names the width that ``b`` multiplies; ``condition`` says when the slot is filled.

    Example:
        >>> str(SlotFormula(1, -1, 1, "W"))
        'j = i - W + 1'
    """

    query: int
    scale: int
    constant: int
    symbol: str = "n"
    condition: str = ""
    divisor: int = 1

    def position(self, query: IntArray, scale: IntArray) -> IntArray:
        """Return the key position for each query (``scale`` is the value of ``symbol``)."""
        return (self.query * query + self.scale * scale + self.constant) // self.divisor

    def __str__(self) -> str:
        terms = [(self.query, "i"), (self.scale, self.symbol), (self.constant, "")]
        terms.sort(key=lambda term: term[0] < 0 and term[1] == "i")  # 2n - i, not -i + 2n
        body = " ".join(_term(number, name) for number, name in terms if number) or "+ 0"
        body = body[2:] if body.startswith("+") else "-" + body[2:]
        if self.divisor != 1:
            body = f"({body})" if " " in body else body
            body = f"floor({body} / {self.divisor})"
        return f"j = {body}" + (f" ({self.condition})" if self.condition else "")


def _term(number: int, name: str) -> str:
    size = abs(number)
    return ("- " if number < 0 else "+ ") + (name if name and size == 1 else f"{size}{name}")


def fit_formulas(family: CircuitFamily, scales: range) -> tuple[SlotFormula | None, ...]:
    """Recover one formula per slot from the gates, ``None`` where no candidate fits all of them.

    Slots are numbered as in :func:`slot_offsets`: operator after operator.

    A candidate is ``(a i + b n + c) // d`` with ``a`` in -1, 0, 1, ``|b| <= 3`` and ``d`` in 1, 2;
    it is returned only if it is right at every present argument of every gate at ``scales``.

    Example:
        >>> from lengthwise.relations.library import circuit
        >>> str(fit_formulas(circuit("select-middle"), range(1, 9))[0])
        'j = floor(i / 2)'
    """
    gathered: dict[str, list[IntArray]] = {}
    for scale in scales:
        wiring = wiring_of(family, scale)
        for number, (name, arity) in enumerate(zip(wiring.names, wiring.arity, strict=True)):
            mine = wiring.operator == number
            size = np.full(int(mine.sum()), scale)
            columns = [wiring.query[mine], size, *wiring.arguments[mine][:, :arity].T]
            gathered.setdefault(name, []).append(np.stack(columns, axis=1))
    formulas: list[SlotFormula | None] = []
    for rows in gathered.values():
        width = max(part.shape[1] for part in rows)
        table = np.concatenate([np.pad(p, ((0, 0), (0, width - p.shape[1]))) for p in rows])
        query, size, *positions = table.T
        formulas += [_fit(query, size, column) for column in positions]
    return tuple(formulas)


def _fit(query: IntArray, scale: IntArray, position: IntArray) -> SlotFormula | None:
    present = position != ABSENT
    query, scale, position = query[present], scale[present], position[present]
    if not len(query):
        return None
    for candidate in _candidates(query, scale, position):
        if (candidate.position(query, scale) == position).all():
            return candidate
    return None


def _candidates(query: IntArray, scale: IntArray, position: IntArray) -> Iterator[SlotFormula]:
    for divisor in (1, 2):
        for slope in (1, 0, -1):
            for hint in (0, -1, 1, -2, 2, -3, 3):
                rest = divisor * position - slope * query - hint * scale
                for constant in range(int(rest[0]), int(rest[0]) + divisor):
                    yield SlotFormula(slope, hint, constant, "n", "", divisor)
