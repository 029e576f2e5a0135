"""Linear maps by the faster of two libraries below torch.

On a CPU torch multiplies float32 matrices with MKL. Large products are faster with oneDNN, which
torch brings along but keeps for other uses (`docs/speed.md`); the way to it is private in torch,
and where it is absent the usual one is taken.
"""

from typing import Any, cast

import torch
import torch.nn.functional as F  # noqa: N812 (the name everybody knows)
from jaxtyping import Float
from torch import Tensor, nn

LARGE = 3 * 10**8
"""Multiplications from which oneDNN pays (on an AMD EPYC): it prepares anew for every shape."""

FUSED = 8 * 10**5
"""Results from which a sum or an activation in the same call pays for shapes that come again."""


class Linear(nn.Linear):
    """A linear map with the parameters of torch's."""

    def forward(
        self,
        input: Float[Tensor, "*n d"],
        onto: Float[Tensor, "*n i"] | None = None,
        then: nn.Module | None = None,
    ) -> Float[Tensor, "*n i"]:
        """Return x W^T + b, added to something or activated if that is given."""
        if (onto is not None or then is not None) and self._fuses(input):
            return multiply(input, self.weight, self.bias, onto, then)
        product = linear(input, self.weight, self.bias)
        if then is not None:
            product = then(product)
        return product if onto is None else onto + product

    def _fuses(self, x: Tensor) -> bool:
        """Whether sum or activation are done in one call: large and without gradients."""
        large = x.dim() == 2 and len(x) * self.out_features >= FUSED
        return large and not torch.is_grad_enabled() and is_usual(x, self.weight) and _PRESENT


def linear(
    x: Float[Tensor, "*n d"], weight: Float[Tensor, "i d"], bias: Float[Tensor, "i"] | None
) -> Float[Tensor, "*n i"]:
    """Return x W^T + b, differentiable once."""
    if x.dim() == 2 and len(x) * weight.numel() >= LARGE and is_usual(x, weight) and _PRESENT:
        return cast(Tensor, _Product.apply(x, weight, bias))
    return F.linear(x, weight, bias)


def multiply(
    x: Float[Tensor, "*n d"],
    weight: Float[Tensor, "i d"],
    bias: Float[Tensor, "i"] | None,
    onto: Float[Tensor, "*n i"] | None = None,
    then: nn.Module | None = None,
) -> Float[Tensor, "*n i"]:
    """Return x W^T + b by oneDNN, added to something or activated; without gradients."""
    if onto is not None:
        assert then is None
        product = torch.ops.mkldnn._linear_pointwise.binary(x, onto, weight, bias, "add")
        return cast(Tensor, product)
    name, how = _named(then)
    product = torch.ops.mkldnn._linear_pointwise(x, weight, bias, name, [], how)
    return product if then is None or name != "none" else then(product)


def _named(activation: nn.Module | None) -> tuple[str, str]:
    """Return an activation as oneDNN is told of it; others are left to torch."""
    if isinstance(activation, nn.GELU):
        return "gelu", activation.approximate
    return "relu" if isinstance(activation, nn.ReLU) else "none", ""


def has_onednn() -> bool:
    """Whether this build of torch has what is called here and in `models.frozen`."""
    names = ("_reorder_linear_weight", "_linear_pointwise")
    ours = torch.ops.mkldnn
    return torch.backends.mkldnn.is_available() and all(hasattr(ours, name) for name in names)


_PRESENT = has_onednn()


def is_usual(*tensors: Tensor) -> bool:
    """Whether this is float32 on a CPU, neither compiled nor under autocast."""
    return (
        all(x.device.type == "cpu" and x.dtype == torch.float32 for x in tensors)
        and not torch.is_autocast_enabled("cpu")
        and not torch.compiler.is_compiling()
    )


class _Product(torch.autograd.Function):
    """The map and its gradients; weights' gradients are as fast by MKL."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        return multiply(x, weight, bias)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(  # pyright: ignore[reportIncompatibleMethodOverride]
        ctx: Any, grad: Tensor
    ) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        x, weight = ctx.saved_tensors
        for_x, for_weight, for_bias = ctx.needs_input_grad
        return (
            multiply(grad, weight.t(), None) if for_x else None,
            grad.t() @ x if for_weight else None,
            grad.sum(0) if for_bias else None,
        )
