"""What a user's encoding returns is looked at before anything is trained with it."""

import pytest
import torch

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, PositionEncoding, Shape
from lengthwise.positions.hooks import check_hooks

SHAPE = Shape(layers=2, heads=2, head_width=4, width=8, context=6)


class Mine(PositionEncoding):
    name = "mine"
    summary = "wrong in one way"
    touches = frozenset({"logits"})

    def build(self, shape):
        raise NotImplementedError


def module(hook, value):
    made = EncodingModule()
    setattr(made, hook, lambda *arguments: value(*arguments))
    return made


CASES = [
    ("embed", lambda x, *_: x[:, 1:], r"embed: shape \(2, 4, 8\), expected \(2, 5, 8\)"),
    ("embed", lambda x, *_: x * torch.nan, "embed: not all numbers are finite"),
    ("embed", lambda x, *_: None, "embed: returned NoneType, not a tensor"),
    ("prepare", lambda places: places.nothing, "prepare: raised AttributeError"),
    ("rotate_query", lambda q, *_: q[..., :2], "rotate_query: shape"),
    ("rotate_key", lambda k, *_: k / 0, "rotate_key: not all numbers are finite"),
    ("bias", lambda q, *_: torch.zeros(2, 3, 5, 5), "bias: shape .* the first two may be 1"),
    ("bias", lambda q, *_: torch.zeros(1, 1, 5, 1), "bias: shape"),
    ("bias", lambda q, *_: torch.full((1, 1, 5, 5), torch.nan), "bias: holds NaN"),
    ("bias", lambda q, *_: torch.full((1, 1, 5, 5), torch.inf), r"bias: holds NaN or \+inf"),
    ("bias", lambda q, *_: torch.full((1, 1, 5, 5), -torch.inf), "bias: a query sees no key"),
    ("bias", lambda q, *_: 3, "bias: returned int"),
    (
        "bias",
        lambda q, k, prepared, layer: torch.full((1, 1, 5, 5), torch.nan) if layer else None,
        "bias: holds NaN",
    ),
]


@pytest.mark.parametrize(("hook", "value", "said"), CASES)
def test_what_is_wrong_is_named(hook, value, said):
    tokens, sizes = torch.zeros(2, 5, dtype=torch.long), torch.tensor([5, 4])
    check_hooks(Mine(), EncodingModule(), SHAPE, tokens, sizes, sizes)
    with pytest.raises(InputError, match=f"encoding 'mine', EncodingModule.{said}"):
        check_hooks(Mine(), module(hook, value), SHAPE, tokens, sizes, sizes)
