"""The terms of R that can be differentiated, and how far a decoder is from the hypothesis class.

The same matrices as :func:`lengthwise.theory.limit.folding.folded`, as tensors with
gradients, for decoders without norms. Layers, heads, bits and ranks are constant under small
changes and left out.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lengthwise.models.decoder import Block, Decoder
from lengthwise.training.positional import position_table


@dataclass(frozen=True)
class Matrices:
    """A decoder as the theory writes it; ``kq[l][h]`` has the key on the left."""

    embedding: Tensor
    positions: Float[Tensor, "n d"]
    kq: list[list[Tensor]]
    v: list[list[Tensor]]
    a: list[Tensor]
    b: list[Tensor]
    out: list[Tensor]
    unembedding: Tensor


def matrices(model: Decoder) -> Matrices:
    """Return the matrices of a decoder without norms and attention biases, with gradients."""
    config = model.config
    blocks = [block for block in model.blocks if isinstance(block, Block)]
    kq, v = [], []
    for block in blocks:
        q, k, values = (
            part.unflatten(0, (config.heads, config.head)) for part in block.qkv.weight.chunk(3)
        )
        out = block.out.weight.unflatten(1, (config.heads, config.head))
        kq.append([config.logit_scale * k[h].mT @ q[h] for h in range(config.heads)])
        v.append([out[:, h] @ values[h] for h in range(config.heads)])
    return Matrices(
        embedding=model.embedding.weight,
        positions=position_table(model),
        kq=kq,
        v=v,
        a=[block.mlp_in.weight for block in blocks],
        b=[block.mlp_in.bias for block in blocks],
        out=[block.mlp_out.weight for block in blocks],
        unembedding=model.unembedding.weight,
    )


def soft_terms(model: Matrices) -> dict[str, Float[Tensor, ""]]:
    """Return the differentiable terms of R by their names in ``Regulariser``."""
    kq = torch.stack([m for layer in model.kq for m in layer])
    v = torch.stack([m for layer in model.v for m in layer])
    first = model.positions[0]
    return {
        "norm_kq": torch.linalg.matrix_norm(kq, ord=2).amax(),
        "norm_v": torch.linalg.matrix_norm(v, ord=2).amax(),
        "norm_a": torch.stack([m.norm() for m in model.a]).amax(),
        "norm_b_matrix": torch.stack([m.norm() for m in model.out]).amax(),
        "norm_unembedding": model.unembedding.norm(),
        "norm_positions": model.positions.norm(dim=1).amax(),
        "norm_embedding": model.embedding.norm(dim=1).amax(),
        "norm_bias": torch.stack([m.norm() for m in model.b]).amax(),
        "positional": ((model.positions @ (first @ kq).mT) ** 2).sum(),
    }


def product_variation(model: Matrices) -> Float[Tensor, ""]:
    """Return by how much products with positions vary that the hypothesis class keeps constant.

    The largest deviation of every kind of path product, added up: 0 exactly in the class.
    """
    positional, others = [model.positions], [model.embedding]
    found: list[Tensor] = []
    for layer, (kq, v) in enumerate(zip(model.kq, model.v, strict=True)):
        rest = torch.cat(others)
        for matrix in kq:
            for image in positional:
                found.append(_spread(image @ matrix @ rest.mT))
                found.append(_spread((rest @ matrix @ image.mT).mT))
                found += [_unlike_toeplitz(image @ matrix @ other.mT) for other in positional]
        positional = positional + [image @ m.mT for image in positional for m in v]
        others = others + [image @ m.mT for image in others for m in v]
        found += [_spread(image @ model.a[layer].mT) for image in positional]
        others = [*others, model.out[layer].mT]
    found += [_spread(image @ model.unembedding.mT) for image in positional]
    return torch.stack(found).sum()


def _spread(products: Float[Tensor, "n k"]) -> Float[Tensor, ""]:
    """How much the rows differ: the largest standard deviation of a column."""
    return products.std(dim=0, unbiased=False).amax()


def _unlike_toeplitz(products: Float[Tensor, "n n"]) -> Float[Tensor, ""]:
    size = len(products)
    place = torch.arange(size)
    distance = (place[None] - place[:, None] + size - 1).flatten()
    values = products.flatten()
    count = torch.bincount(distance, minlength=2 * size - 1)
    mean = values.new_zeros(2 * size - 1).index_add(0, distance, values) / count
    return ((values - mean[distance]) ** 2).mean().clamp_min(1e-12).sqrt()
