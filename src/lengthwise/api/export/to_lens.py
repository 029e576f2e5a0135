"""``lw.export.lens``: a model under TransformerLens's hooks, in Python."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.api.load import load
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.models.exchange.lens import HookedDecoder


def lens(
    model: str | object, *, store: Path | None = None, trust_code: bool = False
) -> "HookedDecoder":
    """Return any model with TransformerLens's hook points: ``run_with_cache``, ``run_with_hooks``.

    Every encoding has them, and the names and axes are the library's
    (``blocks.0.attn.hook_pattern``). It needs ``pip install 'lengthwise[lens]'``.

    Args:
        model: What ``load`` takes: a run, a checkpoint, a compiled program, a folder in the
            transformers library's format, or the result of ``train`` or ``compile``.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        trust_code: Execute the Python file that the run names as its task, encoding or relation;
            only if it is the file that the run was made with.
    """
    if find_spec("transformer_lens") is None:
        raise InputError("lens: TransformerLens is missing; pip install 'lengthwise[lens]'.")
    from lengthwise.models.exchange.lens import HookedDecoder
    from lengthwise.subjects.model import TrainedModel

    loaded = load(model, store=store, trust_code=trust_code)
    known = loaded.run.task.vocabulary if isinstance(loaded, TrainedModel) else None
    return HookedDecoder(loaded.decoder, known)
