"""Abacus: each digit is told its place in its own number."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape


@dataclass(frozen=True, kw_only=True)
class Abacus(PositionEncoding):
    """y_i = E[x_i] + p[o + place of x_i in its run of digits]; other tokens get nothing.

    The first digit of a run has place 1; the offset o is the row's first position, which training
    draws at random for absolute encodings (McLeish et al. 2024). ``digits`` are the token ids of
    the digits, as ``0-9`` or ``3+5+7``; by default the task's one-digit symbols.

    Example:
        ``4 7 + 5 = 5 2`` has places ``1 2 0 1 0 1 2``.
    """

    digits: str = ""
    std: float = 0.02

    name: ClassVar[str] = "abacus"
    summary: ClassVar[str] = "each digit is told its place in its own number"
    touches: ClassVar[frozenset[Place]] = frozenset({"embedding"})
    absolute: ClassVar[bool] = True
    shift_invariant: ClassVar[bool] = False
    example: ClassVar[str] = "digits=0-4"

    def for_task(self, task: Any) -> Self:
        """Take the digits from the task's vocabulary."""
        if self.digits:
            return self
        symbols = task.vocabulary.symbols
        ids = [str(task.vocabulary.ids[s]) for s in symbols if len(s) == 1 and s in "0123456789"]
        if not ids:
            raise InputError(f"encoding 'abacus': task {task.name!r} has no digits 0 to 9.")
        return replace(self, digits="+".join(ids))

    def build(self, shape: Shape) -> EncodingModule:
        """Allocate one row for each place."""
        if not self.digits:
            raise InputError(
                "encoding 'abacus': the digits are filled in when a task is trained; here, give "
                "their token ids as digits=0-9."
            )
        return _Abacus(read_ids(self.digits), shape, self.std)


def read_ids(text: str) -> tuple[int, ...]:
    """Read token ids such as ``0-9`` or ``3+5+7``.

    Example:
        >>> read_ids("0-2+7")
        (0, 1, 2, 7)
    """
    ids: list[int] = []
    for part in text.split("+"):
        low, dash, high = part.partition("-")
        if not low.isdigit() or (dash and not high.isdigit()):
            raise InputError(
                f"encoding 'abacus': digits={text!r} must be token ids such as 0-9 or 3+5+7."
            )
        ids.extend(range(int(low), int(high if dash else low) + 1))
    return tuple(ids)


def places_in_runs(digit: Bool[Tensor, "b k"]) -> Int[Tensor, "b k"]:
    """Count from 1 within each run of marked tokens; 0 elsewhere.

    Example:
        >>> places_in_runs(torch.tensor([[True, True, False, True]])).tolist()
        [[1, 2, 0, 1]]
    """
    column = torch.arange(1, digit.shape[1] + 1, device=digit.device).expand(digit.shape)
    last_other = column.masked_fill(digit, 0).cummax(dim=1).values
    return column - last_other


class _Abacus(EncodingModule):
    digits: Tensor

    def __init__(self, digits: tuple[int, ...], shape: Shape, std: float) -> None:
        super().__init__()
        self.register_buffer("digits", torch.tensor(digits), persistent=False)
        self.table = nn.Embedding(shape.context + 1, shape.width, padding_idx=0)
        nn.init.normal_(self.table.weight, std=std)
        with torch.no_grad():
            self.table.weight[0] = 0

    def embed(
        self, x: Float[Tensor, "b t d"], positions: Int[Tensor, "#b t"], places: Places
    ) -> Float[Tensor, "b t d"]:
        """Add the row of each digit's place."""
        assert places.tokens is not None
        place = places_in_runs(torch.isin(places.tokens, self.digits))
        row = torch.where(place > 0, place + places.key[:, :1], place)
        if places.index is not None:  # cached decoding: only the new tokens
            row = row.gather(1, places.index)
        if row.numel() and int(row.max()) >= self.table.num_embeddings:
            raise InputError(
                f"encoding 'abacus': digit place {int(row.max())} is beyond its table of "
                f"{self.table.num_embeddings - 1}; train with longer test lengths."
            )
        return x + self.table(row)
