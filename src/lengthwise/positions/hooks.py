"""One look at what an encoding's hooks return, before anything is trained with it."""

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Places, PositionEncoding, Shape


def check_hooks(
    encoding: PositionEncoding,
    module: EncodingModule,
    shape: Shape,
    tokens: Int[Tensor, "b t"],
    scale: Int[Tensor, "b"],
    sizes: Int[Tensor, "b"],
) -> None:
    """Call every hook once on some rows; refuse wrong shapes and what is not a number.

    Example:
        >>> from lengthwise.positions.nope import NoPE
        >>> shape, ids = Shape(1, 2, 4, 8, 6), torch.zeros(1, 6, dtype=torch.long)
        >>> whole = torch.tensor([6])
        >>> check_hooks(NoPE(), NoPE().build(shape), shape, ids, whole, whole)
    """
    where = f"encoding {encoding.name!r}, {type(module).__name__}"
    rows, size = tokens.shape
    chosen = _call(where, "positions", module.positions, sizes.numpy(), None)
    if chosen is not None and chosen.shape != (rows, size):
        raise InputError(
            f"{where}.positions: shape {chosen.shape}, expected (rows, tokens) = {(rows, size)}."
        )
    at = torch.arange(size)[None] if chosen is None else torch.from_numpy(chosen)
    places = Places(at, at, tokens, scale)
    source = torch.Generator().manual_seed(0)
    x = torch.randn(rows, size, shape.width, generator=source)
    _check(where, "embed", _call(where, "embed", module.embed, x, at, places), tuple(x.shape))
    prepared = _call(where, "prepare", module.prepare, places)
    heads = rows, shape.heads, size, shape.head_width
    q, k = (torch.randn(heads, generator=source) for _ in range(2))
    for layer in range(shape.layers):
        for name in ("rotate_query", "rotate_key"):
            hook = getattr(module, name)
            _check(where, name, _call(where, name, hook, q, prepared, layer), heads)
        bias = _call(where, "bias", module.bias, q, k, prepared, layer)
        if bias is not None:
            _check_bias(where, bias, (rows, shape.heads, size, size))


def _call(where: str, name: str, hook: Callable[..., Any], *arguments: Any) -> Any:
    try:
        with torch.no_grad():
            return hook(*arguments)
    except (InputError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise InputError(f"{where}.{name}: raised {type(error).__name__}: {error}") from error


def _check(where: str, name: str, found: Any, wanted: tuple[int, ...]) -> None:
    if not isinstance(found, Tensor):
        raise InputError(f"{where}.{name}: returned {type(found).__name__}, not a tensor.")
    if tuple(found.shape) != wanted:
        raise InputError(f"{where}.{name}: shape {tuple(found.shape)}, expected {wanted}.")
    if not found.isfinite().all():
        raise InputError(f"{where}.{name}: not all numbers are finite.")


def _check_bias(where: str, bias: Any, wanted: tuple[int, int, int, int]) -> None:
    if not isinstance(bias, Tensor):
        raise InputError(f"{where}.bias: returned {type(bias).__name__}, not a tensor or None.")
    fits = bias.ndim == 4 and all(
        have in (1, want) for have, want in zip(bias.shape, wanted, strict=False)
    )
    if not fits or tuple(bias.shape[2:]) != wanted[2:]:
        raise InputError(
            f"{where}.bias: shape {tuple(bias.shape)}, expected (rows, heads, queries, keys) = "
            f"{wanted}; the first two may be 1."
        )
    if bias.isnan().any() or (bias == torch.inf).any():
        raise InputError(f"{where}.bias: holds NaN or +inf; numbers or -inf were expected.")
    seen = bias.masked_fill(torch.ones(wanted[2:], dtype=torch.bool).triu(1), -torch.inf)
    if (seen == -torch.inf).all(dim=-1).any():
        raise InputError(f"{where}.bias: a query sees no key: -inf at itself and all before it.")
