"""Laws that every registered encoding must obey; a new one gets them by being registered."""

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from lengthwise.core.errors import InputError
from lengthwise.models import attention
from lengthwise.models.generation import new_cache, step
from lengthwise.models.packing import pack_marked
from lengthwise.positions import POSITIONS, load_position
from lengthwise.positions.base import (
    EncodingModule,
    Places,
    PositionEncoding,
    Shape,
    shared_positions,
)
from tests.positions.cases import CASES, CONTEXT, LENGTH, SCALE, VARIANTS, make_model, make_tokens

every_encoding = pytest.mark.parametrize("text", CASES)


def close(a, b):
    torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-7)  # rotations are float32


@every_encoding
@torch.no_grad()
def test_shift_invariance_is_as_claimed(text):
    model, tokens = make_model(text), make_tokens()
    at = shared_positions(LENGTH)
    here, there = (model(tokens, at + shift, scale=SCALE) for shift in (0, 5))
    if load_position(text).shift_invariant:
        torch.testing.assert_close(here, there, rtol=1e-4, atol=1e-5)
    elif text not in VARIANTS:  # a claim that is too modest in general may be so in a variant
        assert (here - there).abs().max() > 1e-3


@every_encoding
@torch.no_grad()
def test_the_future_is_invisible(text):
    model, tokens = make_model(text), make_tokens()
    changed = tokens.clone()
    changed[:, 7:] = (changed[:, 7:] + 1) % 9
    before, after = model(tokens, scale=SCALE), model(changed, scale=SCALE)
    close(before[:, :7], after[:, :7])
    assert (before[:, 7:] - after[:, 7:]).abs().max() > 1e-3


@every_encoding
@torch.no_grad()
def test_full_forward_equals_cached_decoding(text):
    model, tokens = make_model(text), make_tokens()
    full = model(tokens, scale=SCALE)
    cache = new_cache(model, len(tokens), LENGTH)
    parts = [tokens[:, :5], *tokens[:, 5:].split(1, dim=1)]
    close(torch.cat([step(model, part, cache, SCALE) for part in parts], dim=1), full)


@pytest.mark.parametrize("sizes", [(4, 6, 5), (4, 4, 4)])
@every_encoding
@torch.no_grad()
def test_cached_decoding_of_rows_that_end_before_the_padding(text, sizes):
    model, tokens = make_model(text), make_tokens()
    sizes = torch.tensor(sizes)
    prompt = tokens[:, :6].clone()
    for row, size in enumerate(sizes.tolist()):
        prompt[row, size:] = 8  # padding, to be written over
    cache = new_cache(model, 3, LENGTH)
    step(model, prompt, cache, SCALE)
    cache.set_filled(sizes)
    following = tokens.gather(1, sizes[:, None])
    following = step(model, following, cache, SCALE)[:, 0]
    close(following, model(tokens, scale=SCALE)[torch.arange(3), sizes])


@pytest.mark.parametrize("sizes", [(4, 6, 5), (4, 4, 4)])
@every_encoding
@torch.no_grad()
def test_compiled_attention_of_one_query_equals_torchs(text, sizes):
    loops = pytest.importorskip("lengthwise.models.few_rows", exc_type=ImportError)
    model, tokens = make_model(text).float(), make_tokens()
    sizes = torch.tensor(sizes)
    logits = []
    for way in (None, loops.attend_once):
        cache = new_cache(model, 3, LENGTH)
        step(model, tokens[:, :6], cache, SCALE)
        cache.set_filled(sizes)
        cache.attend_once = way
        parts = tokens[:, 6:10].split(1, dim=1)
        logits.append(torch.cat([step(model, part, cache, SCALE) for part in parts], dim=1))
    torch.testing.assert_close(*logits, rtol=1e-4, atol=1e-5)


@every_encoding
def test_attention_in_parts_and_by_plain_products_equals_the_fused_way(text, monkeypatch):
    tokens, found = make_tokens(), []
    columns = torch.tensor([[3, 9], [0, 11], [5, 6]])
    monkeypatch.setattr(attention, "PART", 5)
    for usual in (True, False):
        model = make_model(text).float()
        if not usual:
            monkeypatch.setattr(attention, "is_usual", lambda _: False)
        with torch.no_grad():
            apart = model(tokens, scale=SCALE)
        logits = model(tokens, scale=SCALE)
        read = model(tokens, scale=SCALE, supervised=columns)
        torch.testing.assert_close(apart, logits, rtol=1e-3, atol=1e-5)
        ((logits**2).mean() + (read**3).mean()).backward()
        gradients = [p.grad for p in model.parameters() if p.grad is not None]
        found.append([logits, read, *gradients])
    torch.testing.assert_close(*found, rtol=1e-3, atol=1e-5)


@every_encoding
@torch.no_grad()
def test_supervised_queries_equal_the_full_forward(text):
    model, tokens = make_model(text), make_tokens()
    chosen = torch.tensor([[0, 11], [3, 4], [10, 2]])
    gathered = model(tokens, supervised=chosen, scale=SCALE)
    close(gathered, model(tokens, scale=SCALE)[torch.arange(3)[:, None], chosen])


@every_encoding
@torch.no_grad()
def test_result_does_not_depend_on_batch_or_padding(text):
    model, tokens = make_model(text), make_tokens()
    together = model(tokens, scale=SCALE)
    for row in range(3):
        alone = model(tokens[row : row + 1, :9], scale=SCALE[row : row + 1])
        close(alone[0], together[row, :9])


@every_encoding
@torch.no_grad()
def test_padding_that_repeats_the_last_position_is_invisible(text):
    model, tokens = make_model(text), make_tokens()
    at = torch.arange(LENGTH).clamp(max=8).expand(3, -1)
    other = tokens.clone()
    other[:, 9:] = 0
    one, two = model(tokens, at, scale=SCALE), model(other, at, scale=SCALE)
    close(one[:, :9], two[:, :9])
    close(one[:, :9], model(tokens, scale=SCALE)[:, :9])


@every_encoding
def test_touches_says_which_hooks_act(text):
    """Outside the places an encoding declares, everything is as before."""
    encoding, module = load_position(text), make_model(text).encoding
    at = shared_positions(LENGTH)
    places = Places(at, at, make_tokens(), SCALE)
    x = torch.randn(3, LENGTH, 16, dtype=torch.float64)
    q, k = torch.randn(2, 3, 2, LENGTH, 8, dtype=torch.float64).unbind(0)
    prepared = module.prepare(places)
    acts = {
        "embedding": not torch.equal(module.embed(x, at, places), x),
        "queries/keys": any(
            not torch.equal(module.rotate_query(q, prepared, layer), q)
            or not torch.equal(module.rotate_key(k, prepared, layer), k)
            for layer in (0, 1)
        ),
        "logits": any(module.bias(q, k, prepared, layer) is not None for layer in (0, 1)),
    }
    assert {place for place, used in acts.items() if used} == set(encoding.touches)


@every_encoding
def test_bias_is_hidden_in_the_future_exactly_when_it_says_so(text):
    module = make_model(text).encoding
    at = shared_positions(LENGTH)
    q, k = torch.randn(2, 3, 2, LENGTH, 8, dtype=torch.float64).unbind(0)
    bias = module.bias(q, k, module.prepare(Places(at, at, make_tokens(), SCALE)), 0)
    if bias is None or not module.masks_future:
        return
    future = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
    assert (bias[..., future] == -torch.inf).all()
    assert bias.diagonal(dim1=-2, dim2=-1).isfinite().all()
    assert not bias.isnan().any()


@every_encoding
def test_every_parameter_gets_a_finite_gradient(text):
    model = make_model(text).train()
    loss = model(make_tokens(), scale=SCALE).square().mean()
    loss.backward()
    for name, parameter in model.encoding.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.abs().max() > 0, name


@pytest.mark.parametrize("name", list(POSITIONS))
def test_descriptions_are_frozen_and_complete(name):
    encoding = POSITIONS.load(name)
    assert issubclass(encoding, PositionEncoding)
    assert encoding.name == name
    assert encoding.summary
    assert encoding.__doc__


@every_encoding
def test_longer_than_the_context_works_or_is_refused_by_name(text):
    """Formulas extend; tables say what to do."""
    model, tokens = make_model(text), make_tokens(length=3 * CONTEXT)
    if any(name in text for name in ("ape", "abacus", "clip=0")):
        tokens[:] = 3  # one long number
        with pytest.raises(InputError, match=r"beyond .*(table|rows)"):
            model(tokens, scale=SCALE)
    else:
        assert model(tokens, scale=SCALE).isfinite().all()


def test_a_module_without_hooks_changes_nothing():
    at = shared_positions(4)
    module, x = EncodingModule(), torch.randn(1, 4, 8)
    assert module.prepare(Places(at, at)) is None
    assert module.embed(x, at, Places(at, at)) is x


class CountAllocations(TorchDispatchMode):
    """Count fresh tensors of one shape."""

    def __init__(self, shape):
        super().__init__()
        self.shape, self.stores = shape, {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for tensor in torch.utils._pytree.tree_leaves(out):
            if isinstance(tensor, torch.Tensor) and tuple(tensor.shape) == self.shape:
                storage = tensor.untyped_storage()
                if storage.size() >= tensor.numel() * tensor.element_size():  # not an expanded view
                    self.stores[storage.data_ptr()] = storage  # kept alive: addresses stay unique
        return out


@pytest.mark.parametrize("text", [t for t in CASES if not t.startswith("cope")])
@torch.no_grad()
def test_a_layer_allocates_one_tensor_of_logits_at_most(text):
    """CoPE is the exception: its gates depend on the content of every pair.

    Transformer-XL scores all distances first, which is as many numbers once more.
    """
    module = make_model(text).encoding
    at = shared_positions(LENGTH)
    q, k = torch.randn(2, 3, 2, LENGTH, 8, dtype=torch.float64).unbind(0)
    prepared = module.prepare(Places(at, at, make_tokens(), SCALE))
    with CountAllocations((3, 2, LENGTH, LENGTH)) as count:
        module.bias(q, k, prepared, 0)
    assert len(count.stores) <= (2 if text == "txl" else 1)


@torch.no_grad()
def test_fixed_and_learned_slopes_agree_at_the_start():
    """Closed form against table: ALiBi is computed, learned ALiBi is gathered by distance."""
    at = shared_positions(LENGTH)
    shape = Shape(layers=1, heads=6, head_width=4, width=24, context=LENGTH)
    fixed, learned = (load_position(t).build(shape) for t in ("alibi", "alibi-learned"))
    q = torch.zeros(1, 6, LENGTH, 4)
    close(*(m.bias(q, q, m.prepare(Places(at, at)), 0) for m in (fixed, learned)))


@every_encoding
def test_bands_of_rows_equal_the_full_forward(text):
    model, tokens = make_model(text), make_tokens()
    marked = np.zeros(tokens.shape, dtype=bool)
    for row, columns in enumerate(((0, 2), (3, 5), (1, 11))):
        marked[row, columns] = True
    grid, reads = pack_marked(marked)
    assert len(grid.bands) == 3
    chosen = torch.from_numpy(marked)
    found = []
    for logits in (
        model.packed(tokens, None, grid, reads, SCALE),
        model(tokens, scale=SCALE)[chosen],
    ):
        gradients = torch.autograd.grad(
            logits.square().sum(), list(model.parameters()), allow_unused=True
        )
        found.append([logits, *(g for g in gradients if g is not None)])
    torch.testing.assert_close(found[0], found[1], rtol=1e-3, atol=1e-4)
