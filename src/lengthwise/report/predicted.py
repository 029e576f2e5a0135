"""What the theory predicted for the tasks of a report, remembered beside the runs."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise._version import __version__
from lengthwise.errors import InputError
from lengthwise.runs.files import read_json, write_json

if TYPE_CHECKING:
    from lengthwise.theory.verdict.types import Prediction

Verdicts = Mapping[str, Mapping[str, Mapping[str, str]]]
"""Task, then encoding, to ``answer``, ``strength`` and ``because``."""
TIME_LIMIT = 5.0


def verdicts(
    wanted: Mapping[str, Iterable[str]],
    *,
    time_limit: float = TIME_LIMIT,
    cache: Path | None = None,
    announce: Callable[[str], None] = lambda task: None,
) -> Verdicts:
    """Predict every task for those of its encodings that have a theory.

    A task from a user's file has no verdicts, nor one about which nothing can be said. ``cache`` is
    a folder that remembers predictions of this version with this time limit.

    Example:
        >>> found = verdicts({"regex:(aa)*": ["nope", "t5"]})
        >>> {encoding: v["answer"] for encoding, v in found["regex:(aa)*"].items()}
        {'nope': 'no'}
    """
    from lengthwise.theory.verdict.classes import ENCODINGS

    found: dict[str, dict[str, dict[str, str]]] = {}
    for task, encodings in wanted.items():
        known = tuple(sorted(name for name in set(encodings) if name in ENCODINGS))
        if not known or ".py" in task:  # a report executes nobody's file
            continue
        path = _place(cache, task, known, time_limit)
        remembered = None if path is None else _recall(path)
        if remembered is None:
            announce(task)
            remembered = _predict(task, known, time_limit)
            if path is not None:
                _remember(path, remembered)
        found[task] = remembered
    return found


def _predict(task: str, encodings: tuple[str, ...], limit: float) -> dict[str, dict[str, str]]:
    from lengthwise.theory.verdict import predict

    try:
        return plain(predict(task, encodings=encodings, time_limit=limit))
    except InputError:
        return {}


def plain(prediction: "Prediction") -> dict[str, dict[str, str]]:
    """Return what a page shows of a prediction, by encoding."""
    return {
        verdict.encoding: {
            "answer": verdict.answer,
            "strength": verdict.label,
            "because": verdict.because,
        }
        for verdict in prediction.verdicts
    }


def _place(cache: Path | None, task: str, known: tuple[str, ...], limit: float) -> Path | None:
    if cache is None:
        return None
    key = hashlib.sha256(json.dumps([__version__, task, known, limit]).encode()).hexdigest()
    return cache / f"verdict-{key[:16]}.json"


def _recall(path: Path) -> Any:
    if not path.is_file():
        return None
    with suppress(InputError):
        found = read_json(path)
        if isinstance(found, dict):
            return found
    return None


def _remember(path: Path, found: Any) -> None:
    with suppress(InputError, OSError):  # a store that may only be read is reported all the same
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, found)
