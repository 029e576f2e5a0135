"""One of our decoders as a folder that the transformers library loads."""

import json
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save as save_tensors
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.core.outputs import save_bytes
from lengthwise.models.decoder import Decoder
from lengthwise.models.exchange.architecture import ABOUT, Architecture
from lengthwise.models.exchange.gpt2_family import GPT2, TABLES
from lengthwise.models.exchange.llama_family import Llama
from lengthwise.models.exchange.reading import CONFIG, SINGLE, TIED, read_folder
from lengthwise.positions.base import Places, PositionEncoding, shared_positions
from lengthwise.tasks.vocabulary import SPECIALS, Vocabulary

CLOSE = 1e-5
"""How much logits may differ, relative to the largest."""
CHECKED = 64
"""Tokens in a row on which a folder is checked before it is written."""
TABLE = "encoding.table.weight"


def folder_files(
    model: Decoder,
    encoding: PositionEncoding,
    vocabulary: Vocabulary,
    about: Mapping[str, Any] | None = None,
) -> dict[str, bytes]:
    """Return the files of a folder with this decoder, read back and checked; or say why not.

    ``about`` is written into its configuration.
    """
    family, config = _family(model, encoding)
    tensors = _tensors(family, model, encoding)
    config |= {
        "vocab_size": len(vocabulary),
        "bos_token_id": vocabulary.bos,
        "eos_token_id": vocabulary.eos,
        "pad_token_id": vocabulary.pad,
        "dtype": str(model.embedding.weight.dtype).removeprefix("torch."),
        **({ABOUT: dict(about)} if about else {}),
    }
    tokenizer = json.dumps(word_tokenizer(vocabulary), indent=2, ensure_ascii=False)
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<bos>",
        "eos_token": "<eos>",
        "pad_token": "<pad>",
        "sep_token": "<sep>",
        "model_max_length": model.context,
        "clean_up_tokenization_spaces": False,
    }
    files = {
        CONFIG: json.dumps(config, indent=2, sort_keys=True).encode(),
        SINGLE: save_tensors(tensors, metadata={"format": "pt"}),
        "tokenizer.json": tokenizer.encode(),
        "tokenizer_config.json": json.dumps(settings, indent=2).encode(),
    }
    _check(model, files)
    return files


def write_folder(files: dict[str, bytes], folder: Path) -> None:
    """Write the files of a folder."""
    for name, content in files.items():
        save_bytes(folder / name, content)


def _family(model: Decoder, encoding: PositionEncoding) -> tuple[Architecture, dict[str, Any]]:
    """Return the family that has a counterpart of a decoder, and its configuration."""
    problems: list[str] = []
    for family in (GPT2(), Llama()):
        try:
            return family, family.configuration(model, encoding)
        except InputError as error:
            problems.append(str(error))
    raise InputError(f"this model has no counterpart there: {'; '.join(problems)}.")


def _tensors(family: Architecture, model: Decoder, encoding: PositionEncoding) -> dict[str, Tensor]:
    own = {name: value.detach().cpu() for name, value in model.state_dict().items()}
    if isinstance(family, GPT2):
        own = _with_zeros(own, model)
        assert encoding.name in TABLES
        own[TABLE] = position_table(model).cpu()
    made: dict[str, Tensor] = {}
    for part in family.parts(model.config):
        if part.ours in own and not (model.config.tied and part.ours == TIED):
            made |= dict(part.write(own[part.ours], model.config.head))
    return made


def _with_zeros(own: dict[str, Tensor], model: Decoder) -> dict[str, Tensor]:
    """Add biases of zero, which GPT-2 always has."""
    if model.config.bias:
        return own
    weights = {name: value for name, value in own.items() if name.startswith(("blocks", "norm"))}
    zeros = {
        name.removesuffix("weight") + "bias": value.new_zeros(len(value))
        for name, value in weights.items()
        if name.endswith("weight")
    }
    return own | zeros


@torch.inference_mode()
def position_table(model: Decoder) -> Tensor:
    """Return what an encoding adds to the embedding at each position."""
    places = shared_positions(model.context, model.embedding.weight.device)
    nothing = model.embedding.weight.new_zeros(1, model.context, model.config.width)
    return model.encoding.embed(nothing, places, Places(places, places))[0].clone()


@torch.inference_mode()
def _check(model: Decoder, files: dict[str, bytes]) -> None:
    """Read a folder back and compare its logits on random tokens."""
    device = model.embedding.weight.device
    size = min(CHECKED, model.context)
    rng = torch.Generator().manual_seed(0)
    tokens = torch.randint(0, model.embedding.num_embeddings, (2, size), generator=rng)
    with tempfile.TemporaryDirectory() as made:
        for name, content in files.items():
            (Path(made) / name).write_bytes(content)
        theirs = read_folder(Path(made)).decoder(tokens)
    was_training = model.training
    ours = model.eval()(tokens.to(device)).float().cpu()
    model.train(was_training)
    error = float((ours - theirs).abs().max() / ours.abs().max().clamp(min=1.0))
    if not error < CLOSE:
        raise InputError(f"the folder's logits differ by {error:.1e} from those of the model.")


def word_tokenizer(vocabulary: Vocabulary) -> dict[str, Any]:
    """Return a ``tokenizer.json`` in which every symbol, set off by spaces, is one token.

    Example:
        >>> word_tokenizer(Vocabulary(("a", "b")))["model"]["vocab"]
        {'a': 0, 'b': 1, '<bos>': 2, '<sep>': 3, '<eos>': 4, '<pad>': 5}
    """
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added(symbol, vocabulary.ids[symbol]) for symbol in SPECIALS],
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": dict(vocabulary.ids), "unk_token": "<unk>"},
    }


def _added(symbol: str, number: int) -> dict[str, Any]:
    flags: Iterable[str] = ("single_word", "lstrip", "rstrip", "normalized")
    return {"id": number, "content": symbol, **dict.fromkeys(flags, False), "special": True}
