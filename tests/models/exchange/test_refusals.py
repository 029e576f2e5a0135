"""Folders that cannot be read are refused in one line that says what to do."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from lengthwise.core.errors import InputError
from lengthwise.models.exchange.reading import read_folder
from tests.models.exchange.folders import make_gpt2, make_llama


@pytest.fixture(params=[make_gpt2, make_llama])
def folder(request, tmp_path):
    request.param(tmp_path)
    return tmp_path


def change(folder, **fields):
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def refusal(folder):
    with pytest.raises(InputError) as refused:
        read_folder(folder)
    text = str(refused.value)
    assert "\n" not in text
    assert text.endswith(".")
    return text


def test_an_architecture_that_is_not_known(folder):
    change(folder, model_type="mamba")
    assert "model_type='mamba' is not supported; known are gpt2, llama, mistral" in refusal(folder)


def test_a_field_that_is_not_known(folder):
    change(folder, sparkle=3)
    assert "the field 'sparkle' is not known here" in refusal(folder)


@pytest.mark.parametrize(
    ("make", "fields", "said"),
    [
        (make_gpt2, {"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx"),
        (make_gpt2, {"activation_function": "mish"}, "activation_function='mish'"),
        (make_gpt2, {"n_embd": 0}, "n_embd=0"),
        (make_gpt2, {"n_embd": "wide"}, "n_embd='wide'"),
        (make_gpt2, {"n_head": 5}, "does not divide"),
        (make_llama, {"attention_bias": True}, "attention_bias=True"),
        (make_llama, {"sliding_window": 8}, "sliding_window=8"),
        (make_llama, {"rope_parameters": {"rope_type": "longrope"}}, "rope_type='longrope'"),
        (make_llama, {"rope_parameters": {"type": "linear", "factor": -1}}, "factor=-1"),
        (make_llama, {"rms_norm_eps": True}, "rms_norm_eps=True"),
        (make_llama, {"num_key_value_heads": 3}, "does not divide"),
        (make_llama, {"quantization_config": {"bits": 4}}, "quantised"),
    ],
)
def test_settings_that_our_decoder_does_not_have(tmp_path, make, fields, said):
    make(tmp_path)
    change(tmp_path, **fields)
    assert said in refusal(tmp_path)


def test_another_vocabulary(folder):
    change(folder, vocab_size=99)
    assert "and config.json asks for (99, " in refusal(folder)


def edited(folder, change_tensors):
    file = folder / "model.safetensors"
    tensors = load_file(file)
    change_tensors(tensors)
    save_file(tensors, file)


def test_missing_extra_and_strange_tensors(folder):
    first = min(load_file(folder / "model.safetensors"))
    edited(folder, lambda tensors: tensors.update(adapter=torch.ones(2)))
    assert "does not account for the tensor 'adapter'; adapters" in refusal(folder)
    edited(folder, lambda tensors: tensors.pop("adapter"))
    edited(folder, lambda tensors: tensors.update({first: tensors[first] * torch.nan}))
    assert f"{first!r} has values that are not finite" in refusal(folder)
    edited(folder, lambda tensors: tensors.pop(first))
    assert f"the tensor {first!r} is missing" in refusal(folder)


@pytest.mark.parametrize("kept", [0, 5, 100, 2000])
def test_a_file_that_was_cut(folder, kept):
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:kept])
    assert "model.safetensors: cut short" in refusal(folder)


def test_pickled_weights(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert "pickled weights can run code" in refusal(folder)


def test_no_weights_and_no_configuration(folder):
    (folder / "model.safetensors").unlink()
    assert "there is no model.safetensors" in refusal(folder)
    (folder / "config.json").write_text("[]")
    assert "not the configuration of a model" in refusal(folder)
    (folder / "config.json").write_text("{")
    assert "config.json" in refusal(folder)


def test_an_index_that_names_what_is_not_there(tmp_path):
    make_llama(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "part-1.safetensors"}}))
    assert "part-1.safetensors" in refusal(tmp_path)
    index.write_text(json.dumps({"weight_map": {"a": "../secret.safetensors"}}))
    assert "secret.safetensors" in refusal(tmp_path)


def test_a_tie_that_is_none(tmp_path):
    make_gpt2(tmp_path, tie_word_embeddings=False)
    change(tmp_path, tie_word_embeddings=True)
    assert "set tie_word_embeddings to false" in refusal(tmp_path)
