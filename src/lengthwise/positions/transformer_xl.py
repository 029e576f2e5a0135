"""Transformer-XL: queries read projected sinusoids of the distance."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape
from lengthwise.positions.sinusoidal import sinusoid
from lengthwise.positions.tables import distances, hide


@dataclass(frozen=True, kw_only=True)
class TransformerXL(PositionEncoding):
    """S[t, i] = scale * ((q_t + u) . k_i + (q_t + v) . W R[t - i]) (Dai et al. 2019).

    R is the sinusoid of the distance, clamped at ``clamp``; u, v (per head) and W belong to each
    layer, as in the code of Kazemnejad et al. (2023). Costs one (b, h, q, distances) product more
    than a table.
    """

    clamp: int = 1000

    name: ClassVar[str] = "txl"
    summary: ClassVar[str] = "queries read projected sinusoids of the distance (Transformer-XL)"
    touches: ClassVar[frozenset[Place]] = frozenset({"logits"})

    def __post_init__(self) -> None:
        if self.clamp < 1:
            raise InputError(f"encoding 'txl': clamp={self.clamp} must be at least 1.")

    def build(self, shape: Shape) -> EncodingModule:
        """Allocate u, v and W of every layer."""
        if shape.width % 2:
            raise InputError(f"encoding 'txl' needs an even width, not {shape.width}.")
        return _TransformerXL(shape, self.clamp)


class _TransformerXL(EncodingModule):
    masks_future = True

    def __init__(self, shape: Shape, clamp: int) -> None:
        super().__init__()
        self.width, self.clamp, self.scale = shape.width, clamp, shape.logit_scale
        heads, head = shape.heads, shape.head_width
        self.u = nn.Parameter(torch.randn(shape.layers, heads, head) * 0.2)
        self.v = nn.Parameter(torch.randn(shape.layers, heads, head) * 0.2)
        projection = torch.randn(shape.layers, heads, head, shape.width)
        self.projection = nn.Parameter(projection * shape.width**-0.5)

    def prepare(self, places: Places) -> Any:
        """Compute the sinusoids of all distances, and which pair has which."""
        far = distances(places)
        wave = sinusoid(far.clamp(max=self.clamp), self.width)
        return wave.to(self.projection.dtype), hide(places.distance(), places, len(far))

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "#b #h q k"]:
        """Return all terms but q . k."""
        wave, index = prepared
        rows = self.scale * torch.einsum("hew,dw->hde", self.projection[layer], wave)
        scores = torch.einsum("bhqe,hde->bhqd", q + self.v[layer][:, None], rows)
        scores = F.pad(scores, (0, 1), value=-torch.inf)
        gathered = scores.gather(-1, index[:, None].expand(*q.shape[:3], index.shape[-1]))
        content = torch.einsum("he,bhke->bhk", self.u[layer], k) * self.scale
        return gathered.add_(content[:, :, None])
