"""What was measured of a run after it had finished, kept in its folder as ``evaluations.json``.

An entry belongs to weights, a task, a metric, a seed and a number of instances per length: what is
asked again is read, what is asked beyond it is added, and a run trained anew has none.
"""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from lengthwise.core.components import Component
from lengthwise.core.errors import InputError
from lengthwise.core.files import read_json, write_json
from lengthwise.records.accuracy import AccuracyByLength, pool
from lengthwise.records.spec import Metric, first_problem

EVALUATIONS = "evaluations.json"


class Question(BaseModel):
    """What is measured, besides the lengths; ``weights`` is the digest of the model's file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    weights: str
    task: Component
    metric: Metric
    seed: int
    instances: int
    """At every length."""
    asked: str = ""
    """Identifies how the task is put to a pretrained model."""


class KeptEvaluation(BaseModel):
    """The answer to a question, at the lengths that were measured so far."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: Question
    accuracy: AccuracyByLength


_KEPT = TypeAdapter(list[KeptEvaluation])


def read_kept(folder: Path) -> list[KeptEvaluation]:
    """Return what is kept in a run's folder; a damaged file is named."""
    path = folder / EVALUATIONS
    if not path.exists():
        return []
    remedy = "remove it, and what it held is measured again."
    try:
        return _KEPT.validate_python(read_json(path))
    except ValidationError as error:
        raise InputError(
            f"{path}: damaged ({first_problem(error).rstrip('.')}); {remedy}"
        ) from None
    except InputError as error:
        raise InputError(f"{str(error).rstrip('.')}; {remedy}") from None


def known(folder: Path, question: Question) -> AccuracyByLength | None:
    """Return what is kept about a question, if anything."""
    return next((e.accuracy for e in read_kept(folder) if e.question == question), None)


def keep(folder: Path, question: Question, found: AccuracyByLength) -> None:
    """Add what was measured; lengths that are kept already stay as they are."""
    entries = {entry.question.model_dump_json(): entry for entry in read_kept(folder)}
    key = question.model_dump_json()
    before = entries.get(key)
    if before is not None:
        new = [n for n in found.total if n not in before.accuracy.total]
        found = pool([before.accuracy, *(found.between(n, n) for n in new)])
    entries[key] = KeptEvaluation(question=question, accuracy=found)
    write_json(folder / EVALUATIONS, [entry.model_dump(mode="json") for entry in entries.values()])
