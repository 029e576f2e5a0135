"""Biases that are looked up: by distance, or by a relation of query and key."""

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.positions.base import Places


def span(places: Places) -> int:
    """Return how many distances occur: the largest one plus 1."""
    if not places.query.numel() or not places.key.numel():
        return 1
    return max(0, int(places.query.max() - places.key.min())) + 1


def distances(places: Places) -> Int[Tensor, "d"]:
    """List 0, 1, 2, ... up to the largest distance that occurs."""
    return torch.arange(span(places), device=places.key.device)


def by_distance(
    table: Float[Tensor, "r h"], places: Places, rows: Int[Tensor, "d"] | None = None
) -> Float[Tensor, "#b #h q k"]:
    """Gather one number per head and distance; invisible keys get -inf.

    ``rows`` says which row of the table a distance has, by default its own.

    Example:
        >>> from lengthwise.positions.base import shared_positions
        >>> at = shared_positions(3)
        >>> by_distance(torch.tensor([[0.0], [1.0], [2.0]]), Places(at, at))[0, 0].tolist()
        [[0.0, -inf, -inf], [1.0, 0.0, -inf], [2.0, 1.0, 0.0]]
    """
    index = places.distance()
    if rows is not None:
        index = rows[index.clamp(min=0)]
    index = index.masked_fill(~places.visible(), len(table))
    hidden = table.new_full((1, table.shape[1]), -torch.inf)
    return F.embedding(index, torch.cat([table, hidden])).permute(0, 3, 1, 2)


def hide(index: Int[Tensor, "#b q k"], places: Places, rows: int) -> Int[Tensor, "#b q k"]:
    """Send invisible keys to row ``rows``, which :func:`by_relation` holds at -inf."""
    return index.masked_fill(~places.visible(), rows)


def by_relation(
    q: Float[Tensor, "b h q e"],
    vectors: Float[Tensor, "h r e"],
    numbers: Float[Tensor, "h r"] | None,
    index: Int[Tensor, "#b q k"],
) -> Float[Tensor, "#b #h q k"]:
    """Return q . vectors[index] + numbers[index]; index ``r`` means -inf.

    Scores of all r values are computed first and then gathered, so that the result is the only
    tensor of size (b, h, q, k).
    """
    scores = torch.einsum("bhqe,hre->bhqr", q, vectors)
    if numbers is not None:
        scores = scores + numbers[None, :, None]
    scores = F.pad(scores, (0, 1), value=-torch.inf)
    rows, heads, queries, _ = q.shape
    return scores.gather(-1, index[:, None].expand(rows, heads, queries, index.shape[-1]))
