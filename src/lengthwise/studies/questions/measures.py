"""Where the impossible tasks go wrong: the place of the first error in an answer."""

from typing import Any

import numpy as np

from lengthwise.evaluation.exact import test_set
from lengthwise.models.supervised import prepare
from lengthwise.runs.trained import load_run
from lengthwise.studies.study import Bench, Measure

TENTHS = 10


def measures(size: str) -> list[Measure]:
    """Return the measures of a size."""
    return [Measure("first-errors", first_errors)]


def first_errors(bench: Bench) -> list[dict[str, Any]]:
    """Return, for wrong answers in every bin, in which tenth of the answer the first error lies."""

    rows: list[dict[str, Any]] = []
    for record in bench.evidence.records:
        kind, name, *_ = record.group.split("/")
        if kind != "impossible":
            continue
        run = load_run(bench.store, record.spec.id)
        for number, bin_ in enumerate(record.spec.bins):
            instances = min(200, record.spec.evaluation.instances)
            batch = test_set(run.task, record.spec.seed, bin_, number, instances)
            places = run.model.encoding.positions(batch.size, None)
            inputs = prepare(batch, "cpu", places=places)
            wrong = (inputs.logits(run.model).argmax(-1) != inputs.targets).detach().numpy()
            tenths = _tenths(wrong, batch.supervised)
            rows.append(
                {
                    "task": name,
                    "encoding": record.encoding,
                    "low": bin_[0],
                    "high": bin_[1],
                    "wrong": len(tenths),
                    "instances": instances,
                    "tenths": np.bincount(tenths, minlength=TENTHS).tolist(),
                    "symbols": round(float(1 - wrong.mean()), 4),
                }
            )
    return rows


def _tenths(wrong: np.ndarray, supervised: np.ndarray) -> np.ndarray:
    """Return for every row with an error the tenth of its answer that holds the first.

    Example:
        >>> mask = np.array([[False, True, True], [True, True, False]])
        >>> _tenths(np.array([False, True, False, False]), mask)
        array([5])
    """
    rows = np.repeat(np.arange(len(supervised)), supervised.sum(axis=1))
    sizes = supervised.sum(axis=1)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    found = [
        (int(np.flatnonzero(rows == row)[0]), int(index))
        for row in range(len(supervised))
        for index in np.flatnonzero(wrong & (rows == row))[:1]
    ]
    tenths = [
        min(TENTHS - 1, TENTHS * (index - start) // int(sizes[np.searchsorted(starts, start)]))
        for start, index in found
    ]
    return np.array(tenths, dtype=int)
