"""Where a run begins that goes on from another: with that one's weights and behind its data."""

import hashlib
from pathlib import Path

from torch import nn

from lengthwise.core.errors import InputError
from lengthwise.records.manifest import WEIGHTS, DamagedError
from lengthwise.records.record import content
from lengthwise.records.spec import RunSpec
from lengthwise.training.checkpoint import load_weights


def weights_digest(folder: Path) -> str:
    """Return the digest of a finished run's weights."""
    return hashlib.sha256(_weights(folder)).hexdigest()[:16]


def begin(spec: RunSpec, model: nn.Module, root: Path) -> None:
    """Load the weights that a run starts from, out of its store; the usual start needs none."""
    if spec.start is None:
        return
    folder = root / spec.start.run
    data = _weights(folder)
    if hashlib.sha256(data).hexdigest()[:16] != spec.start.weights:
        raise InputError(
            f"run {spec.start.run} has other weights than those that this run starts from; it was "
            "trained again."
        )
    try:
        load_weights(folder / WEIGHTS, model, data)
    except InputError as error:
        raise InputError(
            f"{error} A table of positions has a row for each token of the longest length: keep "
            "the longest test length of the run."
        ) from None


def _weights(folder: Path) -> bytes:
    try:
        return content(folder, WEIGHTS)
    except DamagedError as error:
        raise InputError(f"the run to start from is not whole: {error}.") from None
