"""Captured attention is what the model really computes, for every encoding."""

import numpy as np
import pytest
import torch
from torch import nn

from lengthwise.analysis.attention import behind, capture, examples, select_queries
from lengthwise.core.errors import InputError
from lengthwise.tasks import load_task
from lengthwise.tasks.batch import IGNORE, Batch
from tests.positions.cases import CASES, LENGTH, SCALE, make_model, make_tokens


def make_batch() -> Batch:
    tokens = make_tokens().numpy()
    size = np.array([LENGTH, LENGTH - 3, LENGTH - 5])
    tokens[np.arange(LENGTH) >= size[:, None]] = 0
    return Batch(tokens, np.full_like(tokens, IGNORE), SCALE.numpy(), size)


def streams(model, batch) -> list[torch.Tensor]:
    """The residual stream before each block and behind the last, of an ordinary forward pass."""
    seen = []
    hooks = [
        b.register_forward_pre_hook(lambda _, args: seen.append(args[0])) for b in model.blocks
    ]
    hooks.append(model.blocks[-1].register_forward_hook(lambda _, __, out: seen.append(out)))
    places = model.encoding.positions(batch.size, None)
    with torch.no_grad():
        logits = model(
            torch.from_numpy(batch.tokens),
            None if places is None else torch.from_numpy(places),
            scale=torch.from_numpy(batch.length),
        )
    for hook in hooks:
        hook.remove()
    return [x.view(*batch.tokens.shape, -1) for x in seen], logits


def slow_block(block: nn.Module, x: torch.Tensor, probabilities: torch.Tensor) -> torch.Tensor:
    """One block, cell by cell, with the given attention."""
    heads, width = block.config.heads, block.config.head
    value = block.qkv(block.attention_norm(x))[..., 2 * heads * width :]
    rows, size, _ = x.shape
    mixed = torch.zeros(rows, size, heads * width, dtype=x.dtype)
    for b in range(rows):
        for t in range(size):
            for h in range(heads):
                part = slice(h * width, (h + 1) * width)
                for i in range(t + 1):
                    mixed[b, t, part] += probabilities[b, h, t, i] * value[b, i, part]
    x = x + block.out(mixed)
    return x + block.mlp_out(block.activation(block.mlp_in(block.mlp_norm(x))))


@pytest.mark.parametrize("text", CASES)
def test_every_layer_is_rebuilt_from_the_captured_probabilities(text):
    model, batch = make_model(text), make_batch()
    attention = capture(model, batch)
    stream, _ = streams(model, batch)
    shown = attention.probabilities
    assert shown.shape == (2, 3, 2, LENGTH, LENGTH)
    with torch.no_grad():
        for layer, block in enumerate(model.blocks):
            again = slow_block(block, stream[layer], shown[layer])
            assert torch.allclose(again, stream[layer + 1], atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    "changes",
    [{"attention_scale": "log-n"}, {"scale_logits": False}, {"norm": "rms", "bias": False}],
    ids=str,
)
def test_every_style_of_model(changes):
    model, batch = make_model("t5", **changes), make_batch()
    shown, (stream, _) = capture(model, batch).probabilities, streams(model, batch)
    with torch.no_grad():
        for layer, block in enumerate(model.blocks):
            again = slow_block(block, stream[layer], shown[layer])
            assert torch.allclose(again, stream[layer + 1], atol=1e-5, rtol=0)


def test_watching_changes_nothing():
    model, batch = make_model("alibi").train(), make_batch()
    before = streams(model, batch)[1]
    capture(model, batch)
    assert model.training
    assert torch.equal(before, streams(model, batch)[1])
    assert not any(block._forward_pre_hooks for block in model.blocks)


def test_an_error_leaves_no_hooks():
    model, batch = make_model("ape"), make_batch()
    wide = Batch(
        *(np.tile(x, (1, 5)) for x in (batch.tokens, batch.targets)), batch.length, batch.size
    )
    with pytest.raises(InputError, match="beyond the learned table"):
        capture(model, wide)
    assert not any(block._forward_pre_hooks for block in model.blocks)


@pytest.mark.parametrize("text", ["nope", "rope", "alibi", "t5", "window:size=3,encoding=rope"])
def test_rows_are_distributions_over_the_past_and_content_is_kept(text):
    attention = capture(make_model(text), make_batch())
    one = attention.row(1)
    assert one.shape == (2, 2, LENGTH - 3, LENGTH - 3)
    assert torch.allclose(one.sum(dim=-1), torch.ones(()).double())
    assert not one.triu(1).any()
    alone = capture(make_model(text), make_batch().rows(np.array([1]))).row(0)
    assert torch.allclose(one, alone)  # padding and neighbours do not matter
    if text in ("nope", "rope"):
        assert attention.content is None
    else:
        hidden = attention.content.isinf()
        assert torch.equal(hidden, torch.ones(LENGTH, LENGTH).triu(1).bool().expand_as(hidden))


def test_alibi_content_and_logits_differ_by_its_slopes():
    attention = capture(make_model("alibi"), make_batch())
    for t in range(LENGTH):
        for i in range(t + 1):
            bias = (attention.logits - attention.content)[:, :, :, t, i]
            slope = torch.tensor([2.0**-4, 2.0**-8]).double()
            assert torch.allclose(bias, -slope * (t - i))


def test_queries():
    batch = load_task("unique-copy").sample(np.random.default_rng(0), np.array([2, 4]))
    assert select_queries(batch).sum(axis=1).tolist() == batch.size.tolist()
    asked, answer = select_queries(batch, "asked"), select_queries(batch, "answer")
    assert np.array_equal(np.argwhere(asked) + np.array([0, 1]), np.argwhere(answer))
    assert np.array_equal(batch.tokens[answer], batch.targets[asked])
    mask = np.ones_like(asked)
    assert np.array_equal(select_queries(batch, mask), select_queries(batch))
    final = behind(batch, load_task("unique-copy").vocabulary.sep)
    assert np.array_equal(final, answer)
    assert not behind(batch, -1).any()
    with pytest.raises(InputError, match="Did you mean 'answer'"):
        select_queries(batch, "anser")
    with pytest.raises(InputError, match="mask is"):
        select_queries(batch, mask[:1])
    with pytest.raises(InputError, match="no such token"):
        select_queries(batch, ~mask)


def test_examples_have_the_asked_lengths():
    task = load_task("parity")
    batch = examples(task, [3, 7], count=4)
    assert batch.length.tolist() == [3] * 4 + [7] * 4
    assert np.array_equal(batch.tokens, examples(task, [3, 7], count=4).tokens)
    assert not np.array_equal(batch.tokens, examples(task, [3, 7], count=4, seed=1).tokens)
    with pytest.raises(InputError, match="at least 1"):
        examples(task, [3], count=0)
    with pytest.raises(InputError, match="no instances"):
        examples(load_task("unique-copy"), [100_000])
