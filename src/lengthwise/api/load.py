"""``load``: the model that a user names, in Python."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.api.compile import Compiled
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.subjects.model import Model


def load(
    model: str | object,
    *,
    store: Path | None = None,
    trust_code: bool = False,
) -> "Model":
    """Load a model: a finished run, a checkpoint, or what ``compile`` made.

    ``evaluate`` and ``ask`` take what this returns; its ``decoder`` is a ``torch.nn.Module``.

    Args:
        model: A run by the beginning of its id or by its folder, a ``.safetensors`` file of a run
            or of ``lengthwise compile``, a folder in the transformers library's format, or the
            result of ``train`` or ``compile``.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        trust_code: Execute the Python file that the run names as its task, encoding or relation;
            only if it is the file that the run was made with.
    """
    from lengthwise.records.result import RunResult
    from lengthwise.subjects.model import CompiledProgram, Model, read_model

    if isinstance(model, Model):
        return model
    if isinstance(model, Compiled):
        return CompiledProgram("compiled", model.model)
    if isinstance(model, RunResult):
        return read_model(model.spec.id, store, trust_code=trust_code)
    if isinstance(model, str | os.PathLike):
        return read_model(os.fspath(model), store, trust_code=trust_code)
    kind = type(model).__name__
    raise InputError(f"pass a run's id, a path, or a result of train or compile, not a {kind}.")
