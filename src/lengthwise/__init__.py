"""Will a transformer trained on short inputs work on long ones? Predict it, build it, measure it.

The names below are the whole public surface; each is loaded on first use, so that
``import lengthwise`` stays instant and does not import torch.

Example:
    >>> import lengthwise as lw
    >>> task = lw.load_task("binary-majority")
    >>> task.name
    'binary-majority'
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lengthwise._version import __version__ as __version__
from lengthwise.core.errors import InputError as InputError

# public name -> "module:attribute", or a module alone; a test freezes this set.
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
    "analyse": "lengthwise.api.analyse",
    "ask": "lengthwise.api.ask:ask",
    "compile": "lengthwise.api.compile:compile",
    "decide": "lengthwise.api.decide:decide",
    "crasp": "lengthwise.api.crasp",
    "doctor": "lengthwise.api.doctor:doctor",
    "evaluate": "lengthwise.api.evaluate:evaluate",
    "execute": "lengthwise.runs.execute:execute",
    "export": "lengthwise.api.export",
    "generate": "lengthwise.models.generation:generate",
    "lab": "lengthwise.api.lab",
    "length": "lengthwise.api.length:length",
    "list_encodings": "lengthwise.api.listing:list_encodings",
    "list_programs": "lengthwise.api.listing:list_programs",
    "list_tasks": "lengthwise.api.listing:list_tasks",
    "load": "lengthwise.api.load:load",
    "load_position": "lengthwise.positions:load_position",
    "load_task": "lengthwise.tasks:load_task",
    "plot": "lengthwise.api.pages:plot",
    "improve": "lengthwise.api.improve:improve",
    "predict": "lengthwise.api.predict:predict",
    "report": "lengthwise.api.pages:report",
    "reproduce": "lengthwise.api.reproduce:reproduce",
    "runs": "lengthwise.api.runs",
    "show": "lengthwise.api.show:show",
    "sweep": "lengthwise.api.sweep:sweep",
    "train": "lengthwise.api.train:train",
    "verify": "lengthwise.api.verify:verify",
}

if TYPE_CHECKING:
    from lengthwise.api import analyse as analyse
    from lengthwise.api import crasp as crasp
    from lengthwise.api import export as export
    from lengthwise.api import lab as lab
    from lengthwise.api import runs as runs
    from lengthwise.api.ask import ask as ask
    from lengthwise.api.compile import compile as compile
    from lengthwise.api.decide import decide as decide
    from lengthwise.api.doctor import doctor as doctor
    from lengthwise.api.evaluate import evaluate as evaluate
    from lengthwise.api.improve import improve as improve
    from lengthwise.api.length import length as length
    from lengthwise.api.listing import list_encodings as list_encodings
    from lengthwise.api.listing import list_programs as list_programs
    from lengthwise.api.listing import list_tasks as list_tasks
    from lengthwise.api.load import load as load
    from lengthwise.api.pages import plot as plot
    from lengthwise.api.pages import report as report
    from lengthwise.api.predict import predict as predict
    from lengthwise.api.reproduce import reproduce as reproduce
    from lengthwise.api.show import show as show
    from lengthwise.api.sweep import sweep as sweep
    from lengthwise.api.train import train as train
    from lengthwise.api.verify import verify as verify
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


class _Surface(ModuleType):
    """This package; a verb that is called like a room stays the verb when the room is imported.

    Python would replace ``lengthwise.report``, the verb, by the room of that name as soon as
    anything imports it. ``from lengthwise.report.page import save`` finds the room all the same.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _EXPORTS and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Surface


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in _EXPORTS:
        raise AttributeError(f"module 'lengthwise' has no attribute {name!r}")
    module, _, attribute = _EXPORTS[name].partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


def __dir__() -> list[str]:
    """List the public names."""
    return sorted([*_EXPORTS, "InputError", "__version__"])
