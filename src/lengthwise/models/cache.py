"""Keys and values of what was read so far, for rows of different lengths."""

import torch
from jaxtyping import Float, Int
from torch import Tensor


class Cache:
    """Preallocated keys and values; every row has its own end.

    ``filled[b]`` counts the tokens of row b; a new token is written there, over any padding.
    """

    def __init__(self, rows: int, capacity: int, device: torch.device | str = "cpu") -> None:
        self.capacity = capacity
        self.filled = torch.zeros(rows, dtype=torch.long, device=device)
        self.tokens = torch.zeros(rows, capacity, dtype=torch.long, device=device)
        self.positions = torch.arange(capacity, device=device).expand(rows, capacity)
        self.used = 0
        """Columns in use: the longest row."""
        self.aligned = True
        """Whether all rows end at the same column, so that one slice serves them all."""
        self._keys: dict[int, Tensor] = {}
        self._values: dict[int, Tensor] = {}

    def append_tokens(self, tokens: Int[Tensor, "b n"]) -> Int[Tensor, "b n"]:
        """Store new tokens and return the index of each in its row."""
        count = tokens.shape[1]
        index = self.filled[:, None] + torch.arange(count, device=tokens.device)
        self.tokens.scatter_(1, index, tokens)
        self.filled = self.filled + count
        self.used += count  # every row grows alike, so the longest stays the longest
        return index

    def append(
        self,
        layer: int,
        k: Float[Tensor, "b h n e"],
        v: Float[Tensor, "b h n e"],
        index: Int[Tensor, "b n"],
    ) -> tuple[Float[Tensor, "b h u e"], Float[Tensor, "b h u e"]]:
        """Store a layer's keys and values of the tokens just appended; return all in use."""
        if layer not in self._keys:
            shape = (*k.shape[:2], self.capacity, k.shape[3])
            self._keys[layer], self._values[layer] = k.new_zeros(shape), v.new_zeros(shape)
        if self.aligned:
            new = slice(self.used - k.shape[2], self.used)
            self._keys[layer][:, :, new], self._values[layer][:, :, new] = k, v
        else:
            where = index[:, None, :, None].expand_as(k)
            self._keys[layer].scatter_(2, where, k)
            self._values[layer].scatter_(2, where, v)
        return self._keys[layer][:, :, : self.used], self._values[layer][:, :, : self.used]

    def set_filled(self, sizes: Int[Tensor, "b"]) -> None:
        """Say where each row really ends, after a right-padded prompt was read."""
        self.filled = sizes.clone()
        self.used = int(sizes.max())
        self.aligned = bool((sizes == sizes[0]).all())
