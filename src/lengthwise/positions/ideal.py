"""IPE: a learned row for each value of a given position relation."""

import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape
from lengthwise.positions.tables import by_relation, hide
from lengthwise.relations.tables import Layout, Relation, from_callable, read_relation

Attention = Literal["hard", "gap", "soft"]


@dataclass(frozen=True, kw_only=True)
class Ideal(PositionEncoding):
    """S[i, j] = q_i . k_j + q_i . R[phi(i, j)] + c[phi(i, j)], rows R, c per layer and head.

    The ideal encoding of Chen, Liang and Lin (2025, arXiv 2510.04130): phi gives each key the slot
    it fills in the step that computes the next token, and 0 to every irrelevant key. The paper's
    formula is not known to us; this one is our reconstruction, in three variants. ``hard``: keys
    with phi = 0 are masked, except the query itself. ``gap``: c[0] starts at -6. ``soft``: all
    rows start alike.

    ``relation`` is ``task`` (what the task says), the name of a circuit such as ``parity`` (in
    ``layout``, for lengths up to ``reference``), ``file.py:phi``, a table ``.npz``, or an
    expression such as ``(j==i-22)+2*(j==i)``. ``values`` is the number of rows, found by evaluating
    phi if 0.
    """

    relation: str = "task"
    layout: Layout = "aligned"
    reference: int = 20
    attention: Attention = "hard"
    values: int = 0

    name: ClassVar[str] = "ipe"
    summary: ClassVar[str] = "learned rows for the values of a given relation phi(i, j)"
    touches: ClassVar[frozenset[Place]] = frozenset({"logits"})
    shift_invariant: ClassVar[bool] = False
    example: ClassVar[str] = "relation=(j==2)+2*(j==i-1),attention=soft"
    hint: ClassVar[bool] = False
    """Whether phi is told the instance's length."""

    def __post_init__(self) -> None:
        if self.values < 0:
            raise InputError(f"encoding {self.name!r}: values={self.values} must not be negative.")
        phi = None
        if self.relation != "task":
            phi = read_relation(self.relation, self.layout, self.reference)
        self._take(phi)

    def _take(self, phi: Relation | None) -> None:
        object.__setattr__(self, "_phi", phi)
        if phi is not None and phi.needs_scale and not self.hint:
            raise InputError(
                f"encoding 'ipe': relation {phi.name!r} needs the length n of each instance; "
                "use ipe-sh."
            )

    @property
    def phi(self) -> Relation:
        """The relation, as tables."""
        phi: Relation | None = getattr(self, "_phi", None)
        if phi is None:
            raise InputError(
                f"encoding {self.name!r}: relation=task is filled in when a task is trained; "
                "here, name a circuit, file.py:phi, a table .npz or an expression in i, j, n."
            )
        return phi

    def for_task(self, task: Any) -> Self:
        """Take the task's own relation."""
        if self.relation != "task":
            return self
        if task.relation is None:
            raise InputError(
                f"encoding {self.name!r}: task {task.name!r} has no relation of its own; give one "
                "with relation=file.py:phi or an expression in i, j, n."
            )
        filled = copy.copy(self)
        filled._take(from_callable(task.name, task.relation))
        return filled

    def build(self, shape: Shape) -> EncodingModule:
        """Count the relation's values and allocate their rows."""
        few = [n for n in (*range(1, 33), shape.context // 2, shape.context) if n <= shape.context]
        scales: list[int | None] = [*few] if self.hint else [None]
        values = self.values or self.phi.count_values(shape.context, scales)
        return _Ideal(self.phi, values, self.attention, shape, hint=self.hint)


@dataclass(frozen=True, kw_only=True)
class IdealScaleHint(Ideal):
    """IPE whose relation also knows the instance's length: phi(i, j, n).

    With the hint, instances need no padding to a common layout (IPE-SH of Chen, Liang and Lin
    2025; that the hint is a third argument is known to us from summaries only).
    """

    layout: Layout = "unaligned"

    name: ClassVar[str] = "ipe-sh"
    summary: ClassVar[str] = "learned rows for the values of a given relation phi(i, j, n)"
    hint: ClassVar[bool] = True
    example: ClassVar[str] = "relation=(j==n)+2*(j==i),attention=soft"


GAP = -6.0
"""Where c[0] starts in the gap variant."""


class _Ideal(EncodingModule):
    masks_future = True

    def __init__(
        self, phi: Relation, values: int, attention: Attention, shape: Shape, *, hint: bool
    ) -> None:
        super().__init__()
        self.phi, self.hint, self.hard, self.values = phi, hint, attention == "hard", values
        vectors = torch.empty(shape.layers, shape.heads, values, shape.head_width)
        self.vectors = nn.Parameter(nn.init.normal_(vectors, std=shape.head_width**-0.5))
        self.numbers = nn.Parameter(torch.zeros(shape.layers, shape.heads, values))
        if attention == "gap":
            nn.init.constant_(self.numbers[..., 0], GAP)

    def index(self, places: Places) -> Int[Tensor, "#b q k"]:
        """Look up phi at every pair."""
        size = 1 + int(max(places.query.max(), places.key.max()))
        if not self.hint:
            return self._pairs(self._table(size, None), places)
        if places.scale is None:
            raise InputError("encoding 'ipe-sh' needs the length of each instance (scale).")
        known = {n: self._table(size, n) for n in places.scale.unique().tolist()}
        tables = torch.stack([known[n] for n in places.scale.tolist()])
        return self._pairs(tables, places)

    def _table(self, size: int, scale: int | None) -> Int[Tensor, "t t"]:
        table = self.phi.table(size, scale)
        if table.max(initial=0) >= self.values:
            raise InputError(
                f"relation {self.phi.name!r} has value {table.max()} at length {scale}, but the "
                f"encoding has rows for 0 to {self.values - 1}; set values={table.max() + 1}."
            )
        return torch.from_numpy(table)

    @staticmethod
    def _pairs(table: Int[Tensor, "..."], places: Places) -> Int[Tensor, "#b q k"]:
        table = table.to(places.query.device)
        if table.ndim == 2:
            return table[places.query[:, :, None], places.key[:, None, :]]
        rows = torch.arange(len(table), device=table.device)[:, None, None]
        return table[rows, places.query[:, :, None], places.key[:, None, :]]

    def prepare(self, places: Places) -> Any:
        """Compute the row of every pair; masked pairs get the row behind the last."""
        index = hide(self.index(places), places, self.values)
        if not self.hard:
            return index
        return index.masked_fill((index == 0) & (places.distance() != 0), self.values)

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "#b #h q k"]:
        """Let the queries read the rows."""
        return by_relation(q, self.vectors[layer], self.numbers[layer], prepared)
