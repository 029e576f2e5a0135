"""What the theory predicted for the tasks of a report, remembered beside the runs."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from lengthwise._version import __version__
from lengthwise.core.errors import InputError
from lengthwise.core.files import read_sealed, write_sealed
from lengthwise.predict import predict
from lengthwise.predict.classes import ENCODINGS
from lengthwise.predict.types import Prediction

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
    a folder that remembers predictions of this version; those that a shorter time limit cut off
    are made again.

    Example:
        >>> found = verdicts({"regex:(aa)*": ["nope", "t5"]}, time_limit=60)
        >>> {encoding: v["answer"] for encoding, v in found["regex:(aa)*"].items()}
        {'nope': 'no'}
    """

    found: dict[str, dict[str, dict[str, str]]] = {}
    for task, encodings in wanted.items():
        known = tuple(sorted(name for name in set(encodings) if name in ENCODINGS))
        if not known or ".py" in task:  # a report executes nobody's file
            continue
        path = None if cache is None else cache / _name(task, known)
        entry = None if path is None else _recall(path, time_limit)
        if entry is None:
            announce(task)
            entry = _predict(task, known, time_limit)
            if path is not None:
                _remember(path, entry)
        found[task] = entry["verdicts"]
    return found


def _predict(task: str, encodings: tuple[str, ...], limit: float) -> dict[str, Any]:
    """Return verdicts, with the time limit that cut the search off or None."""

    try:
        prediction = predict(f"task:{task}", encodings=encodings, time_limit=limit)
    except InputError:
        return {"limit": limit, "verdicts": {}}
    return {"limit": limit if prediction.skipped else None, "verdicts": plain(prediction)}


def plain(prediction: Prediction) -> dict[str, dict[str, str]]:
    """Return what a page shows of a prediction, by encoding."""
    return {
        verdict.encoding: {
            "answer": verdict.answer,
            "strength": verdict.label,
            "because": verdict.because,
        }
        for verdict in prediction.verdicts
    }


def _name(task: str, known: tuple[str, ...]) -> str:
    key = hashlib.sha256(json.dumps([__version__, task, known]).encode()).hexdigest()
    return f"verdict-{key[:16]}.json"


def _recall(path: Path, limit: float) -> dict[str, Any] | None:
    """Return what was found before, unless there is more time now than there was then."""
    with suppress(InputError, KeyError, TypeError):
        found = read_sealed(path)
        if isinstance(found["verdicts"], dict) and limit <= (found["limit"] or limit):
            return found
    return None


def _remember(path: Path, entry: dict[str, Any]) -> None:
    with suppress(InputError, OSError):  # a store that may only be read is reported all the same
        path.parent.mkdir(parents=True, exist_ok=True)
        write_sealed(path, entry)
