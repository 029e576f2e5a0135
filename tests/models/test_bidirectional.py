"""Models that look both ways, against slow attention, single rows and what symmetry demands."""

import numpy as np
import pytest
import torch

from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.models.generation import generate
from lengthwise.models.supervised import prepare
from lengthwise.positions import load_position
from lengthwise.tasks import load_task
from tests.models.test_decoder import decoder

ENCODINGS = ("nope", "ape", "sinusoidal", "rope")


def slow(model, tokens):
    """Compute one row with every softmax written out; positions 0, 1, 2, ..."""
    config, at = model.config, torch.arange(len(tokens))[None]
    x = model.encoding.embed(model.embedding(tokens[None]), at, None)[0]
    for block in model.blocks:
        q, k, v = block.qkv(block.attention_norm(x)).chunk(3, dim=-1)
        mixed = []
        for head in range(config.heads):
            mine = slice(head * config.head, (head + 1) * config.head)
            weights = (q[:, mine] @ k[:, mine].T * config.head**-0.5).softmax(dim=-1)
            mixed.append(weights @ v[:, mine])
        x = x + block.out(torch.cat(mixed, dim=-1))
        x = x + block.mlp_out(block.activation(block.mlp_in(block.mlp_norm(x))))
    return model.unembedding(model.norm(x))


@pytest.mark.parametrize("pe", ["nope", "ape", "sinusoidal"])
def test_it_equals_slow_attention_over_the_whole_row(pe):
    model = decoder(pe=pe, bidirectional=True)
    tokens = torch.tensor([3, 1, 4, 1, 5])
    with torch.no_grad():
        assert torch.allclose(model(tokens[None])[0], slow(model, tokens), atol=1e-5)


@pytest.mark.parametrize("pe", ENCODINGS)
def test_padding_and_other_rows_change_nothing(pe):
    task = load_task("label:parity")
    config = ModelConfig(layers=3, width=16, bidirectional=True)
    torch.manual_seed(0)
    model = Decoder(config, len(task.vocabulary), load_position(pe), context=40).eval()
    batch = task.sample(np.random.default_rng(0), np.array([1, 2, 5, 9, 30, 3]))
    with torch.no_grad():
        together = prepare(batch).logits(model)
        for row in range(6):
            alone = prepare(batch.rows(np.array([row]))).logits(model)
            assert torch.allclose(together[row], alone[0], atol=1e-5)


def test_without_positions_the_order_of_a_row_is_invisible():
    model, tokens = decoder(bidirectional=True), torch.tensor([[7, 1, 2, 3, 9]])
    with torch.no_grad():
        one, other = model(tokens), model(tokens[:, [0, 3, 1, 2, 4]])
        assert torch.allclose(one[:, -1], other[:, -1], atol=1e-5)
        causal = decoder()
        assert not torch.allclose(causal(tokens)[:, 1], one[:, 1], atol=1e-3)


def test_what_cannot_look_both_ways_is_refused():
    with pytest.raises(InputError, match="bidirectional: encoding 'alibi'"):
        decoder(pe="alibi", bidirectional=True)
    with pytest.raises(ValueError, match="attention_scale"):
        ModelConfig(bidirectional=True, attention_scale="log-n")
    model = decoder(bidirectional=True)
    with pytest.raises(InputError, match="does not write"):
        generate(model, torch.zeros(1, 2, dtype=torch.long), torch.tensor([2]), steps=1)


def test_the_default_is_not_written_so_that_ids_stay():
    assert "bidirectional" not in ModelConfig().model_dump()
    assert ModelConfig(bidirectional=True).model_dump()["bidirectional"]
