"""Will a transformer trained on short inputs work on long ones? Predict it, build it, measure it.

The names below are the whole public surface; each is loaded on first use, so that
``import lengthwise`` stays instant and does not import torch.

Example:
    >>> import lengthwise as lw
    >>> task = lw.load_task("binary-majority")
    >>> task.name
    'binary-majority'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lengthwise._version import __version__ as __version__
from lengthwise.core.errors import InputError as InputError

# public name -> "module:attribute"; a test freezes this set.
_EXPORTS: dict[str, str] = {
    "Batch": "lengthwise.tasks.batch:Batch",
    "Decoder": "lengthwise.models.decoder:Decoder",
    "EncodingModule": "lengthwise.positions.base:EncodingModule",
    "ModelConfig": "lengthwise.models.config:ModelConfig",
    "Places": "lengthwise.positions.base:Places",
    "PositionEncoding": "lengthwise.positions.base:PositionEncoding",
    "RunResult": "lengthwise.records.result:RunResult",
    "RunSpec": "lengthwise.records.spec:RunSpec",
    "Shape": "lengthwise.positions.base:Shape",
    "Store": "lengthwise.runs.store:Store",
    "Task": "lengthwise.tasks.base:Task",
    "Vocabulary": "lengthwise.tasks.vocabulary:Vocabulary",
    "execute": "lengthwise.runs.execute:execute",
    "generate": "lengthwise.models.generation:generate",
    "load_position": "lengthwise.positions:load_position",
    "load_task": "lengthwise.tasks:load_task",
    "train": "lengthwise.api.train:train",
}

if TYPE_CHECKING:
    from lengthwise.api.train import train as train
    from lengthwise.models.config import ModelConfig as ModelConfig
    from lengthwise.models.decoder import Decoder as Decoder
    from lengthwise.models.generation import generate as generate
    from lengthwise.positions import load_position as load_position
    from lengthwise.positions.base import EncodingModule as EncodingModule
    from lengthwise.positions.base import Places as Places
    from lengthwise.positions.base import PositionEncoding as PositionEncoding
    from lengthwise.positions.base import Shape as Shape
    from lengthwise.records.result import RunResult as RunResult
    from lengthwise.records.spec import RunSpec as RunSpec
    from lengthwise.runs.execute import execute as execute
    from lengthwise.runs.store import Store as Store
    from lengthwise.tasks import load_task as load_task
    from lengthwise.tasks.base import Task as Task
    from lengthwise.tasks.batch import Batch as Batch
    from lengthwise.tasks.vocabulary import Vocabulary as Vocabulary


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    try:
        module, attribute = _EXPORTS[name].split(":")
    except KeyError:
        raise AttributeError(f"module 'lengthwise' has no attribute {name!r}") from None
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted([*_EXPORTS, "InputError", "__version__"])
