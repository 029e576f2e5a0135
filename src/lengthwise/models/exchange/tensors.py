"""Which tensors of another library make a tensor of ours, read in both directions.

    ours                     theirs (Llama)                              rows
    blocks.0.qkv.weight      q_proj.weight, k_proj.weight, v_proj.weight  one below the other
    blocks.0.mlp_in.weight   gate_proj.weight, up_proj.weight             one below the other

Llama turns the pairs (x_j, x_{j + r/2}) of a head of width r, and we turn neighbours. As queries
and keys are permuted alike, logits stay what they are:

    theirs   a0 a1 a2 b0 b1 b2         ours   a0 b0 a1 b1 a2 b2
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig

Shapes = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class TensorMap:
    """One tensor of ours, and those of another library that it is made of."""

    ours: str
    theirs: tuple[str, ...]
    rows: tuple[int, ...] = ()
    """How many rows of ours each of several tensors makes."""
    transposed: bool = False
    paired: tuple[int, ...] = ()
    """Which of the tensors hold heads whose dimensions turn in pairs."""

    def read(self, tensors: Mapping[str, Tensor], head: int) -> Tensor:
        """Make our tensor."""
        found = [tensors[name] for name in self.theirs]
        found = [x.mT if self.transposed else x for x in found]
        found = [neighbours(x, head) if n in self.paired else x for n, x in enumerate(found)]
        return torch.cat(found) if len(found) > 1 else found[0]

    def write(self, tensor: Tensor, head: int) -> Iterator[tuple[str, Tensor]]:
        """Yield their tensors."""
        parts = tensor.split(self.rows) if self.rows else (tensor,)
        for number, (name, part) in enumerate(zip(self.theirs, parts, strict=True)):
            made = halves(part, head) if number in self.paired else part
            yield name, (made.mT if self.transposed else made).detach().contiguous().clone()

    def shapes(self, shape: tuple[int, ...]) -> Shapes:
        """Return the shapes that their tensors have, given that of ours."""
        rows = self.rows or (shape[0],)
        made = {name: (n, *shape[1:]) for name, n in zip(self.theirs, rows, strict=True)}
        return {name: size[::-1] if self.transposed else size for name, size in made.items()}


def neighbours(x: Float[Tensor, "i *d"], head: int) -> Float[Tensor, "i *d"]:
    """Bring the two halves of every head side by side.

    Example:
        >>> neighbours(torch.tensor([0.0, 1, 2, 10, 11, 12]), 6).tolist()
        [0.0, 10.0, 1.0, 11.0, 2.0, 12.0]
    """
    return x.unflatten(0, (-1, 2, head // 2)).transpose(1, 2).flatten(0, 2)


def halves(x: Float[Tensor, "i *d"], head: int) -> Float[Tensor, "i *d"]:
    """Undo ``neighbours``."""
    return x.unflatten(0, (-1, head // 2, 2)).transpose(1, 2).flatten(0, 2)


def joint_rows(config: ModelConfig) -> tuple[int, int, int]:
    """Return how many rows of the joint projection are queries, keys and values."""
    shared = config.shared_heads * config.head
    return config.heads * config.head, shared, shared


def check_tensors(where: str, wanted: Shapes, found: Mapping[str, Tensor]) -> None:
    """Refuse tensors that are missing, too many or of another shape; the first is named."""
    for name, shape in wanted.items():
        if name not in found:
            raise InputError(
                f"{where}: the tensor {name!r} is missing; the folder is not complete, or its "
                "config.json is that of another model."
            )
        if tuple(found[name].shape) != shape:
            raise InputError(
                f"{where}: the tensor {name!r} has shape {tuple(found[name].shape)}, and "
                f"config.json asks for {shape}."
            )
    extra = sorted(set(found) - set(wanted))
    if extra:
        more = f" and {len(extra) - 1} more" if len(extra) > 1 else ""
        raise InputError(
            f"{where}: config.json does not account for the tensor {extra[0]!r}{more}; adapters "
            "and other heads are not read: merge or remove them."
        )
