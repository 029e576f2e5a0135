"""``export model``: a trained run for the transformers library."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.api.load import load
from lengthwise.api.shown import Rows, Shown, writes
from lengthwise.api.verb import verb
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.subjects.any_model import Model


@dataclass(frozen=True)
class ExportedModel(Shown):
    """A folder that ``AutoModelForCausalLM.from_pretrained`` loads, ready to be written."""

    name: str
    files: dict[str, bytes]

    def parts(self) -> Iterator[str | Rows]:
        """Yield the files, and that they were read back."""
        rows = [{"file": name, "bytes": f"{len(data):,}"} for name, data in self.files.items()]
        yield Rows(rows, self.name)
        yield "read back: the same logits to 1e-5"

    def to_json(self) -> dict[str, Any]:
        """Return the configuration and the sizes of the files."""
        import json

        sizes = {name: len(data) for name, data in self.files.items()}
        return {"model": self.name, "config": json.loads(self.files["config.json"]), "files": sizes}

    @writes(folder=True, aliases=("-o",))
    def output(self, path: Path) -> None:
        """The folder to write."""
        from lengthwise.models.exchange.writing import write_folder

        write_folder(self.files, path)


@verb()
def model(
    model: str | object,
    *,
    store: Path | None = None,
    trust_code: bool = False,
) -> ExportedModel:
    """Export a trained run as a folder that the transformers library loads.

    Example: lengthwise export model 3f2a -o my-gpt2

    A model with a layer norm and ape, nope or sinusoidal positions becomes a GPT-2; one with RMS
    norm, a gated MLP, no biases and rope a Llama. Other encodings have no counterpart there and
    are refused by name. The folder is read back and compared before anything is written.

    Args:
        model: A run by the beginning of its id or by its folder, or a checkpoint of one
            (`.safetensors`). For a compiled program see `lengthwise compile --gpt2`.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        trust_code: Execute the Python file that the run names as its task, encoding or relation;
            only if it is the file that the run was made with.
    """
    from lengthwise.models.exchange.writing import folder_files
    from lengthwise.positions import load_position

    loaded = load(model, store=store, trust_code=trust_code)
    run = _trained(loaded)
    encoding = load_position(loaded.encoding)
    about = {"run": run.id, "task": str(run.spec.task), "trained": run.spec.training.length}
    files = folder_files(loaded.decoder, encoding, run.task.vocabulary, about)
    return ExportedModel(loaded.name, files)


def _trained(loaded: "Model") -> Any:
    from lengthwise.subjects.model import TrainedModel

    if not isinstance(loaded, TrainedModel):
        raise InputError(
            f"{loaded.name}: only a trained run is exported; `lengthwise compile --gpt2` writes a "
            "compiled program."
        )
    return loaded.run
