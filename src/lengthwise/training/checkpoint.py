"""Checkpoints as safetensors with a checksum, never pickle."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor, nn

from lengthwise.core.errors import InputError
from lengthwise.core.files import read_bytes, write_bytes

CHECKPOINT, BEFORE = "lengthwise checkpoint with sealed facts", "lengthwise checkpoint"
"""The checksum of earlier checkpoints covers their tensors alone."""


def save_checkpoint(
    path: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    facts: dict[str, str],
    best: Mapping[str, Tensor] | None = None,
) -> None:
    """Write weights, optimiser state and facts such as the step in one atomic file.

    ``best`` are earlier weights that the run may end with.
    """
    tensors = {f"model/{name}": value for name, value in _weights(model).items()}
    tensors |= {f"best/{name}": value for name, value in (best or {}).items()}
    for index, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer/{index}/{key}": value for key, value in state.items()}
    facts = {"kind": CHECKPOINT, **facts}
    write_bytes(path, _bytes(tensors, {**facts, "facts_sha256": _sealed(facts)}))


def load_checkpoint(
    path: Path, model: nn.Module, optimizer: torch.optim.Optimizer, run: str
) -> dict[str, str]:
    """Restore weights and optimiser state; return the facts. A foreign file is refused."""
    tensors, facts = read_checkpoint(path, run)
    _restore(path, model, _model_part(tensors))
    state: dict[int, dict[str, Tensor]] = {}
    for name, value in tensors.items():
        if name.startswith("optimizer/"):
            _, index, key = name.split("/")
            state.setdefault(int(index), {})[key] = value
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": state, "param_groups": groups})
    return facts


def best_weights(path: Path, run: str) -> dict[str, Tensor]:
    """Return the earlier weights that a checkpoint keeps beside the current ones, if it does."""
    tensors, _ = read_checkpoint(path, run)
    return {
        name.removeprefix("best/"): value
        for name, value in tensors.items()
        if name.startswith("best/")
    }


def read_checkpoint(path: Path, run: str) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the tensors and facts of a run's checkpoint, after checking the whole file."""
    tensors, facts = _read(path, read_bytes(path))
    if facts.get("kind") not in (CHECKPOINT, BEFORE) or facts.get("run") != run:
        raise InputError(
            f"{path}: this checkpoint belongs to another run; remove it to start anew."
        )
    _check_facts(path, facts)
    return tensors, facts


def relabelled(path: Path, run: str, other: str) -> tuple[bytes, int]:
    """Return a run's checkpoint as that of another run, and its step."""
    tensors, facts = read_checkpoint(path, run)
    facts = {**facts, "kind": CHECKPOINT, "run": other}
    return _bytes(tensors, {**facts, "facts_sha256": _sealed(facts)}), int(facts["step"])


def load_model(path: Path, model: nn.Module, content: bytes) -> dict[str, str]:
    """Restore the weights in a checkpoint, without the optimiser; return the facts."""
    tensors, facts = _read(path, content)
    _check_facts(path, facts)
    _restore(path, model, _model_part(tensors))
    return facts


def weights_bytes(model: nn.Module, facts: dict[str, str]) -> bytes:
    """Return a file of the model's weights alone."""
    return _bytes(_weights(model), {"kind": "lengthwise weights", **facts})


def load_weights(path: Path, model: nn.Module, content: bytes | None = None) -> dict[str, str]:
    """Restore weights into a model of the same shape; return the facts stored beside them.

    ``content`` is what the file holds, if somebody has read it already.
    """
    tensors, facts = _read(path, read_bytes(path) if content is None else content)
    _restore(path, model, tensors)
    return facts


def read_facts(path: Path, content: bytes | None = None) -> dict[str, str]:
    """Return the facts stored with weights, after checking the file."""
    return read_weights(path, content)[1]


def read_weights(
    path: Path, content: bytes | None = None
) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the tensors and facts of a file of weights, after checking it."""
    return _read(path, read_bytes(path) if content is None else content)


def _check_facts(path: Path, facts: dict[str, str]) -> None:
    """Refuse a checkpoint whose facts are not those that were written."""
    if facts.get("kind") == CHECKPOINT and facts.pop("facts_sha256", "") != _sealed(facts):
        raise InputError(f"{path}: damaged or edited (checksum of the facts).")


def _model_part(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {k[6:]: v for k, v in tensors.items() if k.startswith("model/")}


def _weights(model: nn.Module) -> dict[str, Tensor]:
    tied = set()
    weights = {}
    for name, value in model.state_dict().items():
        if value.data_ptr() not in tied or not value.numel():
            weights[name] = value
        tied.add(value.data_ptr())
    return weights


def _restore(path: Path, model: nn.Module, weights: dict[str, Tensor]) -> None:
    own = _weights(model)
    for name in sorted(set(own) | set(weights)):
        if name not in own or name not in weights or own[name].shape != weights[name].shape:
            raise InputError(f"{path}: weights do not fit this model (first difference: {name!r}).")
    model.load_state_dict(weights, strict=False)


def _bytes(tensors: dict[str, Tensor], facts: dict[str, str]) -> bytes:
    tensors = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    facts = {**facts, "sha256": _checksum(tensors)}
    # One key only: the library writes several in no fixed order, and equal runs make equal files.
    return save_tensors(tensors, metadata={"lengthwise": json.dumps(facts)})


def _read(path: Path, content: bytes) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Take tensors and facts out of a file; one that was cut short or edited is refused."""
    try:
        tensors = load_tensors(content)
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        facts = json.loads(header.get("__metadata__", {}).get("lengthwise", "{}"))
    except (SafetensorError, ValueError, KeyError, RuntimeError, AttributeError) as error:
        raise InputError(f"{path}: damaged, or not a safetensors file ({error}).") from error
    known = isinstance(facts, dict) and all(isinstance(fact, str) for fact in facts.values())
    if not known or facts.pop("sha256", "") != _checksum(tensors):
        raise InputError(f"{path}: damaged, edited, or not written by Lengthwise (checksum).")
    return tensors, facts


def _sealed(facts: dict[str, str]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _checksum(tensors: dict[str, Tensor]) -> str:
    digest = hashlib.sha256()
    for name in sorted(tensors):
        value = tensors[name]
        digest.update(f"{name} {value.dtype} {tuple(value.shape)}".encode())
        digest.update(value.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
