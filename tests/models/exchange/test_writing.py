"""Our decoders, written as folders that the transformers library loads: same logits."""

import json

import pytest
import torch

import lengthwise as lw
from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.models.exchange.reading import read_folder
from lengthwise.models.exchange.writing import folder_files, write_folder
from lengthwise.positions import load_position
from lengthwise.tasks.vocabulary import Vocabulary
from tests.models.exchange.folders import assert_same, transformers

VOCABULARY = Vocabulary(tuple("abcdef"))
GPT2 = {"layers": 2, "heads": 2, "width": 16}
LLAMA = {**GPT2, "norm": "rms", "gated": True, "bias": False, "activation": "silu"}
CASES = [
    (GPT2, "ape"),
    (GPT2, "nope"),
    (GPT2, "sinusoidal"),
    ({**GPT2, "bias": False}, "ape"),
    ({**GPT2, "tied": False, "activation": "relu", "mlp_width": 5}, "nope"),
    ({**GPT2, "scale_logits": False, "activation": "gelu"}, "ape"),
    (LLAMA, "rope"),
    ({**LLAMA, "key_heads": 1, "tied": False, "head_width": 12}, "rope:base=500"),
    (LLAMA, "rope:scaling=linear,factor=3"),
    (LLAMA, "rope:scaling=ntk,factor=3"),
    (LLAMA, "rope:scaling=dynamic,factor=2,original=10"),
    (LLAMA, "rope:scaling=yarn,factor=4,original=10,ramp=whole-pairs"),
    (LLAMA, "rope:scaling=llama3,factor=4,original=10,fast=4"),
]


def make(config, position, context=24):
    torch.manual_seed(0)
    encoding = load_position(position)
    model = Decoder(ModelConfig(**config), len(VOCABULARY), encoding, context).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return model, encoding


@pytest.mark.parametrize(("config", "position"), CASES)
@pytest.mark.filterwarnings("ignore")  # that factor and context do not agree
def test_the_library_computes_the_same(tmp_path, config, position):
    model, encoding = make(config, position)
    write_folder(folder_files(model, encoding, VOCABULARY), tmp_path)
    theirs = transformers.AutoModelForCausalLM.from_pretrained(tmp_path).eval()
    given = torch.randint(0, len(VOCABULARY), (3, 24), generator=torch.Generator().manual_seed(1))
    assert_same(theirs, model, given)
    read = read_folder(tmp_path)
    assert_same(theirs, read.decoder, given)


def test_the_tokenizer_is_the_vocabulary(tmp_path):
    model, encoding = make(GPT2, "ape")
    write_folder(folder_files(model, encoding, VOCABULARY), tmp_path)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    symbols = "<bos> a f c <sep> d <eos>"
    assert tokenizer(symbols)["input_ids"] == VOCABULARY.encode(symbols.split())


@pytest.mark.parametrize(
    ("config", "position", "said"),
    [
        (GPT2, "alibi", "no counterpart of encoding 'alibi'"),
        (GPT2, "rope", "Llama has no counterpart of norm=layer"),
        (LLAMA, "ape", "GPT-2 has no counterpart of norm=rms"),
        (LLAMA, "rope:fraction=0.5", "rope:fraction=0.5"),
        (LLAMA, "rope:scaling=yarn,original=9", "rope:ramp=turns"),
        ({**GPT2, "attention_scale": "log-n"}, "ape", "attention_scale=log-n"),
        ({**GPT2, "scale_output": True}, "ape", "scale_output"),
    ],
)
def test_what_has_no_counterpart_is_named(config, position, said):
    model, encoding = make(config, position)
    with pytest.raises(InputError, match="this model has no counterpart there") as refused:
        folder_files(model, encoding, VOCABULARY)
    assert said in str(refused.value)


def test_files_are_the_same_every_time():
    model, encoding = make(GPT2, "ape")
    first, second = (folder_files(model, encoding, VOCABULARY) for _ in range(2))
    assert first == second
    assert json.loads(first["config.json"])["n_positions"] == 24


def test_without_transformer_lens_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr("lengthwise.api.export.to_lens.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'lengthwise\[lens\]'"):
        lw.export.lens("3f2a")
