"""The decoder against the reference GPT-2, a slow T5 and itself."""

import pytest
import torch

from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.positions import load_position


def decoder(preset="gpt2", pe="nope", **fields):
    torch.manual_seed(0)
    config = ModelConfig.preset(preset, **{"layers": 2, "heads": 2, "width": 16, **fields})
    return Decoder(config, 11, load_position(pe), context=32).eval()


def reference_gpt2(model, config):
    """Load the decoder's weights into the transformers library's GPT-2."""
    from transformers import GPT2Config, GPT2LMHeadModel

    reference = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=11,
            n_positions=32,
            n_embd=config.width,
            n_layer=config.layers,
            n_head=config.heads,
            resid_pdrop=0,
            embd_pdrop=0,
            attn_pdrop=0,
        )
    ).eval()
    names = {
        "transformer.wte": model.embedding,
        "transformer.wpe": model.encoding.table,
        "transformer.ln_f": model.norm,
    }
    for number, block in enumerate(model.blocks):
        here = f"transformer.h.{number}"
        names |= {
            f"{here}.ln_1": block.attention_norm,
            f"{here}.attn.c_attn": block.qkv,
            f"{here}.attn.c_proj": block.out,
            f"{here}.ln_2": block.mlp_norm,
            f"{here}.mlp.c_fc": block.mlp_in,
            f"{here}.mlp.c_proj": block.mlp_out,
        }
    weights = dict(reference.named_parameters())
    with torch.no_grad():
        for name, module in names.items():
            transposed = isinstance(module, torch.nn.Linear)  # the library's Conv1D
            weights[f"{name}.weight"].copy_(module.weight.T if transposed else module.weight)
            if getattr(module, "bias", None) is not None:
                weights[f"{name}.bias"].copy_(module.bias)
    return reference


def test_gpt2_preset_equals_the_reference():
    model = decoder(pe="ape", layers=3, heads=4, width=32)
    with torch.no_grad():
        for parameter in model.parameters():  # spread out, so that a mistake shows
            parameter.add_(torch.randn_like(parameter) * 0.3)
    reference = reference_gpt2(model, model.config)
    tokens = torch.randint(0, 11, (3, 20))
    positions = torch.randint(0, 12, (3, 1)) + torch.arange(20)
    ours = model(tokens, positions)
    theirs = reference(tokens, position_ids=positions).logits
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)
    assert ours.abs().max() > 1


def test_gpt2_initial_weights_have_the_published_spread():
    model = decoder(layers=4, width=128, heads=2)
    assert model.embedding.weight.std().item() == pytest.approx(0.02, rel=0.1)
    assert model.blocks[0].qkv.weight.std().item() == pytest.approx(0.02, rel=0.1)
    assert model.blocks[0].out.weight.std().item() == pytest.approx(0.02 / 8**0.5, rel=0.1)
    assert model.blocks[0].mlp_in.bias.abs().max() == 0


def slow_t5(model, tokens):
    """Compute a T5-style decoder position by position, as its description says."""
    config = model.config

    def rms(norm, x):
        return x / torch.sqrt((x * x).mean() + 1e-6) * norm.weight

    states = [model.embedding.weight[t] for t in tokens]
    for block in model.blocks:
        wq, wk, wv = block.qkv.weight.chunk(3)
        normed = [rms(block.attention_norm, x) for x in states]
        after = []
        for t, x in enumerate(states):
            parts = []
            for head in range(config.heads):
                rows = slice(head * config.head, (head + 1) * config.head)
                logits = torch.stack(
                    [(wq[rows] @ normed[t]) @ (wk[rows] @ normed[i]) for i in range(t + 1)]
                )
                weights = torch.softmax(logits, dim=0)
                parts.append(sum(w * (wv[rows] @ normed[i]) for i, w in enumerate(weights)))
            x = x + block.out.weight @ torch.cat(parts)
            hidden = torch.relu(block.mlp_in.weight @ rms(block.mlp_norm, x))
            after.append(x + block.mlp_out.weight @ hidden)
        states = after
    final = [rms(model.norm, x) * config.width**-0.5 for x in states]
    return torch.stack([model.embedding.weight @ x for x in final])


def test_t5_preset_equals_a_slow_reference():
    model = decoder("t5")
    tokens = torch.randint(0, 11, (9,))
    torch.testing.assert_close(model(tokens[None])[0], slow_t5(model, tokens), atol=1e-5, rtol=1e-4)


def test_t5_base_has_the_published_number_of_parameters():
    """109,607,040 with the bias table (Kazemnejad et al. 2023, their run logs)."""
    config = ModelConfig.preset("t5", layers=12, heads=12, width=768)
    with torch.device("meta"):
        model = Decoder(config, 32_100, load_position("t5"), context=512)
    assert sum(p.numel() for p in model.parameters()) == 109_607_040


@pytest.mark.parametrize("preset", ["gpt2", "t5"])
@pytest.mark.parametrize("norm", ["layer", "rms", "none"])
def test_gathered_positions_equal_the_full_pass(preset, norm):
    model = decoder(preset, norm=norm, layers=3)
    tokens = torch.randint(0, 11, (4, 12))
    index = torch.randint(0, 12, (4, 5))
    full = model(tokens).gather(1, index[..., None].expand(-1, -1, 11))
    torch.testing.assert_close(model(tokens, supervised=index), full, atol=1e-5, rtol=1e-4)


def test_options_change_the_function_as_they_say():
    tokens = torch.randint(0, 11, (1, 6))
    base = decoder()(tokens)
    for change in (
        {"activation": "relu"},
        {"scale_logits": False},
        {"scale_output": True},
        {"norm": "rms"},
        {"tied": False},
        {"head_width": 4},
        {"mlp_width": 8},
    ):
        assert not torch.allclose(decoder(**change)(tokens), base), change
    assert decoder(bias=False).blocks[0].qkv.bias is None
    assert decoder(tied=False).unembedding.weight is not decoder(tied=False).embedding.weight


def test_dropout_acts_in_training_only():
    model = decoder(dropout=0.5)
    tokens = torch.randint(0, 11, (1, 6))
    assert torch.equal(model(tokens), model(tokens))
    model.train()
    assert not torch.equal(model(tokens), model(tokens))


def test_heads_must_divide_the_width():
    with pytest.raises(ValueError, match="heads=3 does not divide width=16"):
        ModelConfig(heads=3, width=16)
