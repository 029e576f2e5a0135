"""Hybrid layers: different encodings in different layers."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape
from lengthwise.positions.wrappers import adopt, inner_encoding


@dataclass(frozen=True, kw_only=True)
class Hybrid(PositionEncoding):
    """Layer l uses part l of the pattern, which repeats: ``hybrid:nope+rope``.

    NoPE in some layers and rotary in others is what several recent long-context models do. Parts
    may have options (``hybrid:rope:fraction=0.25,base=500+nope``). Layers with the same part share
    its module. A part that changes the embedding acts once, before all layers.
    """

    pattern: str = "nope+rope"
    parts: tuple[PositionEncoding, ...] = field(init=False, repr=False, compare=False)

    argument: ClassVar[str] = "pattern"
    name: ClassVar[str] = "hybrid"
    summary: ClassVar[str] = "different encodings in different layers"
    touches: ClassVar[frozenset[Place]] = frozenset()
    example: ClassVar[str] = "nope+rope"

    def __post_init__(self) -> None:
        object.__setattr__(self, "pattern", self.pattern.removeprefix("pattern="))
        texts = self.pattern.split("+")
        if not all(texts):
            raise InputError(
                f"encoding 'hybrid': pattern {self.pattern!r} has an empty part; "
                "write encodings with + between them, such as nope+rope."
            )
        made = {text: inner_encoding(self.name, text) for text in texts}
        self._set(tuple(made[text] for text in texts))

    def _set(self, parts: tuple[PositionEncoding, ...]) -> None:
        object.__setattr__(self, "parts", parts)
        adopt(self, *parts)

    def for_task(self, task: Any) -> Self:
        """Let every part take what it needs."""
        copy = replace(self)
        filled = {id(part): part.for_task(task) for part in self.parts}
        copy._set(tuple(filled[id(part)] for part in self.parts))
        return copy

    def build(self, shape: Shape) -> EncodingModule:
        """Build one module for each different part."""
        distinct = list(dict.fromkeys(self.pattern.split("+")))
        parts = dict(zip(self.pattern.split("+"), self.parts, strict=True))
        modules = [parts[text].build(shape) for text in distinct]
        return _Hybrid(modules, [distinct.index(text) for text in self.pattern.split("+")])


class _Hybrid(EncodingModule):
    def __init__(self, modules: list[EncodingModule], order: list[int]) -> None:
        super().__init__()
        self.parts = nn.ModuleList(modules)
        self.order = order
        self.masks_future = all(module.masks_future for module in modules)

    def _all(self) -> list[EncodingModule]:
        return [part for part in self.parts if isinstance(part, EncodingModule)]

    def _at(self, prepared: Any, layer: int) -> tuple[EncodingModule, Any]:
        number = self.order[layer % len(self.order)]
        return self._all()[number], prepared[number]

    def positions(
        self, sizes: Int[np.ndarray, "b"], rng: np.random.Generator | None
    ) -> Int[np.ndarray, "b t"] | None:
        """Take the positions of the first part that chooses them."""
        chosen = (part.positions(sizes, rng) for part in self._all())
        return next((positions for positions in chosen if positions is not None), None)

    def embed(
        self, x: Float[Tensor, "b t d"], positions: Int[Tensor, "#b t"], places: Places
    ) -> Float[Tensor, "b t d"]:
        """Let every part change the embedding."""
        for part in self._all():
            x = part.embed(x, positions, places)
        return x

    def prepare(self, places: Places) -> Any:
        """Prepare every part."""
        return [part.prepare(places) for part in self._all()]

    def rotate_query(
        self, q: Float[Tensor, "b h q e"], prepared: Any, layer: int
    ) -> Float[Tensor, "b h q e"]:
        """Hand on to the layer's part."""
        part, inner = self._at(prepared, layer)
        return part.rotate_query(q, inner, layer)

    def rotate_key(
        self, k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "b h k e"]:
        """Hand on to the layer's part."""
        part, inner = self._at(prepared, layer)
        return part.rotate_key(k, inner, layer)

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "#b #h q k"] | None:
        """Hand on to the layer's part."""
        part, inner = self._at(prepared, layer)
        return part.bias(q, k, inner, layer)
