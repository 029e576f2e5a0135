"""A folder of the transformers library as one of our decoders."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from pydantic import ValidationError
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.core.files import read_bytes, read_json
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.models.exchange.architecture import Architecture, Described, Fields
from lengthwise.models.exchange.gpt2_family import GPT2
from lengthwise.models.exchange.llama_family import Llama
from lengthwise.models.exchange.tensors import Shapes, check_tensors
from lengthwise.positions import load_position

CONFIG, SINGLE, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
FAMILIES: dict[str, Architecture] = {"gpt2": GPT2(), "llama": Llama(), "mistral": Llama()}
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
TIED, EMBEDDING = "unembedding.weight", "embedding.weight"


@dataclass(frozen=True)
class Imported:
    """A decoder that was read from a folder, and what the folder said about it."""

    decoder: Decoder
    described: Described
    digest: str
    """Of the configuration and the weights."""
    config: dict[str, Any]


def is_folder(path: Path) -> bool:
    """Whether this is a folder in the transformers library's format."""
    return (path / CONFIG).is_file()


def read_folder(path: Path) -> Imported:
    """Read a folder with ``config.json`` and safetensors; anything that does not fit is refused.

    Example:
        >>> read_folder(Path("nowhere"))
        Traceback (most recent call last):
        lengthwise.core.errors.InputError: nowhere/config.json: there is no such file.
    """
    where = path / CONFIG
    values = read_json(where)
    if not isinstance(values, dict):
        raise InputError(f"{where}: not the configuration of a model.")
    family = _family(where, values)
    config = Fields(str(where), values)
    try:
        described = family.describe(config)
    except ValidationError as error:
        raise InputError(f"{where}: {error.errors()[0]['msg']}.") from None
    config.finish()
    tensors, digest = _weights(path)
    decoder = _decoder(path, family, described, tensors)
    mark = hashlib.sha256(where.read_bytes() + digest.encode()).hexdigest()[:16]
    return Imported(decoder.eval(), described, mark, values)


def _family(where: Path, values: dict[str, Any]) -> Architecture:
    kind = values.get("model_type")
    if not isinstance(kind, str) or kind not in FAMILIES:
        raise InputError(
            f"{where}: model_type={kind!r} is not supported; known are {', '.join(FAMILIES)}."
        )
    if values.get("quantization_config"):
        raise InputError(f"{where}: quantised weights are not read; save the model in float32.")
    return FAMILIES[kind]


def _weights(path: Path) -> tuple[dict[str, Tensor], str]:
    """Return the tensors of all files, and a digest of the files."""
    files = _files(path)
    tensors: dict[str, Tensor] = {}
    digest = hashlib.sha256()
    for file in files:
        content = read_bytes(file)
        digest.update(hashlib.sha256(content).digest())
        try:
            found = load_tensors(content)
        except (SafetensorError, ValueError, KeyError, RuntimeError) as error:
            raise InputError(
                f"{file}: cut short, or not a safetensors file ({error}); copy it again."
            ) from None
        if twice := set(found) & set(tensors):
            raise InputError(f"{file}: the tensor {min(twice)!r} stands in another file too.")
        tensors |= found
    return tensors, digest.hexdigest()


def _files(path: Path) -> list[Path]:
    """Return the files of weights that a folder has."""
    if (path / SINGLE).is_file():
        return [path / SINGLE]
    if (path / INDEX).is_file():
        index = read_json(path / INDEX)
        names = index.get("weight_map") if isinstance(index, dict) else None
        if not isinstance(names, dict) or not names:
            raise InputError(f"{path / INDEX}: no weight_map.")
        files = [path / str(name) for name in dict.fromkeys(names.values())]
        for file in files:
            if file.parent != path or not file.is_file():
                raise InputError(f"{file}: {INDEX} names it, and it is not there; copy it too.")
        return files
    for file in sorted(path.iterdir()):
        if file.suffix in PICKLES:
            raise pickled(file)
    raise InputError(f"{path}: there is no {SINGLE} in this folder.")


def pickled(file: Path) -> InputError:
    """Say why a file is not read that Python has pickled."""
    return InputError(
        f"{file}: pickled weights can run code and are not read; save the model as safetensors, "
        "with save_pretrained of the transformers library."
    )


def _decoder(
    path: Path, family: Architecture, described: Described, tensors: dict[str, Tensor]
) -> Decoder:
    """Fill a decoder with their tensors, after checking that they are exactly those it needs."""
    named = _full_names(tensors).items()
    tensors = {name: value for name, value in named if not family.ignored(name)}
    for name, value in tensors.items():
        if not value.is_floating_point():
            raise InputError(f"{path}: the tensor {name!r} is {value.dtype}, not of real numbers.")
        if not bool(torch.isfinite(value).all()):
            raise InputError(f"{path}: the tensor {name!r} has values that are not finite.")
    model = described.model
    decoder = _empty(described)
    own = {name: tuple(value.shape) for name, value in decoder.state_dict().items()}
    parts = [part for part in family.parts(model) if part.ours in own]
    wanted: Shapes = {}
    for part in parts:
        if not (model.tied and part.ours == TIED):
            wanted |= part.shapes(own[part.ours])
    if model.tied:
        tensors = _untied(path, family, model, tensors)
    check_tensors(str(path), wanted, tensors)
    state = {
        part.ours: part.read(tensors, model.head).float()
        for part in parts
        if set(part.theirs) <= set(wanted)
    }
    if model.tied:
        state[TIED] = state[EMBEDDING]
    decoder.load_state_dict(state, assign=True)
    if model.tied:
        decoder.unembedding.weight = decoder.embedding.weight
    return decoder


def _empty(described: Described) -> Decoder:
    """Make a decoder without numbers; all of them are read."""
    encoding = load_position(described.position)
    with torch.device("meta"):
        blank = Decoder(described.model, described.vocabulary, encoding, described.context)
    blank.encoding = encoding.build(blank.shape)  # angles and tables are computed, not read
    return blank


def _full_names(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Give names the prefix of a model with its head, where the body alone was stored."""
    for prefix, bodies in {"transformer.": ("h.", "wte."), "model.": ("layers.",)}.items():
        if any(name.startswith(bodies) for name in tensors):
            heads = ("lm_head.", prefix)
            return {n if n.startswith(heads) else prefix + n: v for n, v in tensors.items()}
    return tensors


def _untied(
    path: Path, family: Architecture, model: ModelConfig, tensors: dict[str, Tensor]
) -> dict[str, Tensor]:
    """Leave out an unembedding that is stored although it is the embedding."""
    (head,) = next(part.theirs for part in family.parts(model) if part.ours == TIED)
    (embedding,) = next(part.theirs for part in family.parts(model) if part.ours == EMBEDDING)
    if head not in tensors:
        return tensors
    if embedding in tensors and not torch.equal(tensors[head], tensors[embedding]):
        raise InputError(
            f"{path}: config.json ties {head!r} to the embedding, and the two differ; set "
            "tie_word_embeddings to false."
        )
    return {name: value for name, value in tensors.items() if name != head}
