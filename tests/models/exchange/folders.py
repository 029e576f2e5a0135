"""Tiny random checkpoints of the transformers library, made on the spot."""

from pathlib import Path

import pytest
import torch

from lengthwise.models.exchange.reading import read_folder

transformers = pytest.importorskip("transformers", reason="needs the transformers library")

VOCABULARY = 23


def make_gpt2(folder: Path, **changes):
    """Write a GPT-2 with two layers, and return it."""
    settings = {
        "vocab_size": VOCABULARY,
        "n_embd": 24,
        "n_layer": 2,
        "n_head": 3,
        "n_positions": 40,
        "bos_token_id": 0,
        "eos_token_id": 1,
    }
    config = transformers.GPT2Config(**{**settings, **changes})
    return _saved(transformers.GPT2LMHeadModel, config, folder)


def make_llama(folder: Path, **changes):
    """Write a Llama with two layers and grouped keys, and return it."""
    settings = {
        "vocab_size": VOCABULARY,
        "hidden_size": 32,
        "intermediate_size": 40,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 32,
        "bos_token_id": 0,
        "eos_token_id": 1,
    }
    config = transformers.LlamaConfig(**{**settings, **changes})
    return _saved(transformers.LlamaForCausalLM, config, folder)


def _saved(kind, config, folder):
    torch.manual_seed(0)
    model = kind(config).eval()
    with torch.no_grad():  # far from the usual start, where nothing depends on anything
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    model.save_pretrained(folder)
    return model


def tokens(rows: int, size: int, seed: int = 1) -> torch.Tensor:
    """Return random tokens."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, VOCABULARY, (rows, size), generator=generator)


@torch.inference_mode()
def assert_same(model, decoder, given) -> None:
    """Compare logits, relative to the largest."""
    theirs, ours = model(given).logits, decoder(given)
    assert (theirs - ours).abs().max() <= 1e-5 * max(1.0, float(theirs.abs().max()))


def assert_reads(model, folder: Path, *sizes: int) -> None:
    """Read a folder and compare its logits with those of the model at each size."""
    decoder = read_folder(folder).decoder
    for size in sizes:
        assert_same(model, decoder, tokens(3, size))
