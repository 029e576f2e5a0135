"""The finite models of the main theorem: one for each context, equal to the limit transformer.

That there is one is a lemma of Huang et al. (2025); the construction is ours: position i gets its
periodic code beside a unit vector of its own, and the positional function of each head becomes a
banded Toeplitz matrix between unit vectors. No norm depends on the context.
"""

from dataclasses import replace

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.theory.limit.transformer import LimitHead, LimitLayer, LimitTransformer


def to_finite(model: LimitTransformer, context: int) -> LimitTransformer:
    """Return the transformer with context ``context``: no positional functions, width d + n.

    Example:
        >>> from lengthwise.crasp.library import load
        >>> from lengthwise.theory.limit import compile_program
        >>> model = to_finite(compile_program(load("contains-ab")), 16)
        >>> model.width, model.reach, len(model.positions)
        (21, -1, 16)
    """
    if context < 1:
        raise InputError(f"context {context}: must be at least 1.")
    d, rows = model.width, np.arange(context)
    places = np.where(rows == 0, context, rows)  # row r holds position r, row 0 position n
    table = np.zeros((context, d + context))
    table[:, :d] = model.positions[places % model.period]
    table[rows, d + rows] = 1.0
    return replace(
        model,
        embedding=_wider(model.embedding, context),
        positions=table,
        layers=tuple(_layer(layer, context, places) for layer in model.layers),
        unembedding=_wider(model.unembedding, context),
        context=context,
    )


def _layer(layer: LimitLayer, context: int, places: np.ndarray) -> LimitLayer:
    return replace(
        layer,
        heads=tuple(_head(head, context, places) for head in layer.heads),
        a=_wider(layer.a, context),
        out=np.concatenate([layer.out, np.zeros((context, layer.out.shape[1]))]),
    )


def _head(head: LimitHead, context: int, places: np.ndarray) -> LimitHead:
    d = len(head.v)
    kq, v = np.zeros((2, d + context, d + context))
    kq[:d, :d], v[:d, :d] = head.kq, head.v
    distance = places[None, :] - places[:, None]  # query minus key; the key is the row
    near = (distance >= 0) & (distance < len(head.phi))
    kq[d:, d:][near] = head.phi[distance[near]]
    return LimitHead(kq, np.zeros(0), v)


def _wider(matrix: np.ndarray, extra: int) -> np.ndarray:
    return np.concatenate([matrix, np.zeros((len(matrix), extra))], axis=1)
