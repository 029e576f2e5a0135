"""The two conditions on limit transformers, PERIODIC and LOCAL, and independence of offsets.

Huang et al. 2025, section 3.1: PERIODIC asks that position vectors repeat, LOCAL that a positional
function depends on the distance only and vanishes beyond some distance. A :class:`LimitTransformer`
stores tables of both, but heads may compare its periodic vectors directly, and a finite one may
hold any table: both are measured.
"""

import numpy as np
from jaxtyping import Float, Int

from lengthwise.theory.limit.readout import measure
from lengthwise.theory.limit.transformer import LimitTransformer
from lengthwise.theory.limit.translation import to_finite


def period_of(table: Float[np.ndarray, "n d"], *, tolerance: float = 0.0) -> int | None:
    """Return the smallest period at most half the table's length, or None.

    Example:
        >>> period_of(np.array([[0.0], [1.0], [0.0], [1.0]]))
        2
    """
    size = len(table)
    for period in range(1, size // 2 + 1):
        if np.abs(table[period:] - table[:-period]).max(initial=0) <= tolerance:
            return period
    return None


def is_periodic(model: LimitTransformer, period: int | None = None) -> bool:
    """Whether position vectors have this period (default: any period below the context).

    A limit transformer's table repeats by definition; one made by :func:`to_finite` has as many
    rows as its context and need not.
    """
    size = max(4 * model.period, 4 * (period or 1))
    table = model.positions[np.arange(size) % model.period]
    if period is None:
        return model.context is None or period_of(model.positions) is not None
    return bool(np.array_equal(table[period:], table[:-period]))


def is_local(model: LimitTransformer, distance: int | None = None) -> bool:
    """Whether positions say nothing to each other, directly, beyond ``distance``.

    Measured on the finite model: a head that compares periodic vectors directly, before a value has
    moved them, gives products that come back for ever. The default is the longest table.
    """
    finite = model if model.context is not None else to_finite(model, 2 * model.period + 12)
    farthest = model.reach if distance is None else distance
    table = np.roll(finite.positions, -1, axis=0)
    fits = [measure(table @ h.kq @ table.T) for layer in finite.layers for h in layer.heads]
    return all(
        fit.residual < 1e-9 and fit.function.period == 1 and fit.function.radius <= farthest
        for fit in fits
    )


def offset_difference(
    model: LimitTransformer, tokens: Int[np.ndarray, "b t"], offsets: range | None = None
) -> float:
    """Return the largest difference of outputs between positions from 0 and from other offsets.

    For a compiled model every sign must agree; with steps and rounding the outputs are equal.
    """
    offsets = offsets or range(1, model.period + max(model.reach, 0) + 1)
    first = model.logits(tokens)
    return max(
        (float(np.abs(model.logits(tokens, offset=o) - first).max()) for o in offsets), default=0.0
    )
