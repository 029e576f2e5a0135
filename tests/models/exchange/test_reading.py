"""Folders of the transformers library, read: same logits, same continuations."""

import pytest
import torch
from safetensors.torch import load_file, save_file

from lengthwise.models.exchange.reading import read_folder
from lengthwise.models.generation import generate
from tests.models.exchange.folders import (
    assert_reads,
    assert_same,
    make_gpt2,
    make_llama,
    tokens,
    transformers,
)

ROPES = {
    "default": {},
    "linear": {"rope_type": "linear", "factor": 4.0},
    "dynamic": {"rope_type": "dynamic", "factor": 2.0},
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8},
    "yarn-set": {
        "rope_type": "yarn",
        "factor": 4.0,
        "original_max_position_embeddings": 8,
        "beta_fast": 8.0,
        "beta_slow": 0.5,
        "attention_factor": 1.3,
        "truncate": False,
    },
    "yarn-scales": {
        "rope_type": "yarn",
        "factor": 4.0,
        "original_max_position_embeddings": 8,
        "mscale": 0.7,
        "mscale_all_dim": 1.4,
    },
    "llama3": {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 16,
    },
}


@pytest.mark.parametrize("activation", ["gelu_new", "gelu", "relu"])
@pytest.mark.parametrize("tied", [True, False])
def test_gpt2(tmp_path, activation, tied):
    made = make_gpt2(tmp_path, activation_function=activation, tie_word_embeddings=tied)
    assert_reads(made, tmp_path, 1, 7, 40)


@pytest.mark.parametrize(
    "changes", [{"n_inner": 17}, {"scale_attn_weights": False}, {"layer_norm_epsilon": 0.1}]
)
def test_gpt2_with_other_settings(tmp_path, changes):
    assert_reads(make_gpt2(tmp_path, **changes), tmp_path, 20)


@pytest.mark.parametrize("rope", ROPES)
@pytest.mark.filterwarnings("ignore")  # that factor and context do not agree
def test_llama(tmp_path, rope):
    made = make_llama(tmp_path, rope_parameters={"rope_theta": 500.0, **ROPES[rope]})
    for size in (5, 32, 60):  # dynamic scaling remembers the longest input: a fresh model for each
        fresh = transformers.LlamaForCausalLM.from_pretrained(tmp_path).eval()
        assert_same(fresh, read_folder(tmp_path).decoder, tokens(3, size))
    assert made is not None


@pytest.mark.parametrize(
    "changes",
    [
        {"num_key_value_heads": 4},
        {"num_key_value_heads": 1},
        {"head_dim": 12},
        {"tie_word_embeddings": True},
        {"hidden_act": "gelu_pytorch_tanh"},
        {"rms_norm_eps": 0.1},
    ],
)
def test_llama_with_other_settings(tmp_path, changes):
    assert_reads(make_llama(tmp_path, **changes), tmp_path, 20)


def test_mistral_without_a_window_is_a_llama(tmp_path):
    config = transformers.MistralConfig(
        vocab_size=23,
        hidden_size=32,
        intermediate_size=40,
        num_hidden_layers=1,
        num_attention_heads=4,
        num_key_value_heads=2,
        sliding_window=None,
    )
    made = transformers.MistralForCausalLM(config).eval()
    made.save_pretrained(tmp_path)
    assert_reads(made, tmp_path, 9)


def test_several_files_and_half_precision(tmp_path):
    made = make_llama(tmp_path / "one")
    made.half().save_pretrained(tmp_path / "some", max_shard_size="10KB")
    assert len(list((tmp_path / "some").glob("*.safetensors"))) > 2
    read = transformers.LlamaForCausalLM.from_pretrained(tmp_path / "some", dtype=torch.float32)
    assert_reads(read.eval(), tmp_path / "some", 9)


def test_the_older_names_of_gpt2(tmp_path):
    made = make_gpt2(tmp_path)
    file = tmp_path / "model.safetensors"
    body = {name.removeprefix("transformer."): value for name, value in load_file(file).items()}
    masks = {"h.0.attn.bias": torch.ones(1, 1, 40, 40), "h.1.attn.masked_bias": torch.tensor(-1e4)}
    save_file(body | masks, file)
    assert_reads(made, tmp_path, 9)


@pytest.mark.parametrize("rope", ["default", "yarn", "dynamic"])
@pytest.mark.filterwarnings("ignore")
def test_continuations_are_those_of_the_library(tmp_path, rope):
    made = make_llama(tmp_path, rope_parameters={"rope_theta": 500.0, **ROPES[rope]})
    prompts = tokens(3, 25)
    theirs = made.generate(
        prompts,
        attention_mask=torch.ones_like(prompts),
        max_new_tokens=20,
        do_sample=False,
        eos_token_id=None,
        pad_token_id=0,
    )[:, 25:]
    ours = generate(read_folder(tmp_path).decoder, prompts, torch.full((3,), 25), steps=20)
    assert torch.equal(theirs, ours)


def test_rows_of_different_sizes_scale_by_their_own(tmp_path):
    make_llama(tmp_path, rope_parameters={"rope_theta": 500.0, **ROPES["dynamic"]})
    decoder = read_folder(tmp_path).decoder
    long, short = tokens(1, 50), tokens(1, 40, seed=2)
    alone = generate(decoder, short, torch.tensor([40]), steps=8)
    both = torch.cat([long, torch.nn.functional.pad(short, (0, 10))])
    places = torch.minimum(torch.arange(58), torch.tensor([[57], [47]]))
    together = generate(decoder, both, torch.tensor([50, 40]), steps=8, positions=places)
    assert together.shape == (2, 8)
    assert alone.shape == (1, 8)
