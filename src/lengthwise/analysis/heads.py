"""What the heads of a finished run do: how far they look, and how alike another run's are."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from jaxtyping import Float

from lengthwise.analysis.attention import Attention, Queries, capture, examples
from lengthwise.analysis.distances import Distances, attended_distances, reach
from lengthwise.analysis.similarity import Similarity, bias_effect, similarity
from lengthwise.core.errors import InputError
from lengthwise.runs.store import Store
from lengthwise.runs.trained import TrainedRun, load_run
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch
from lengthwise.tasks.inputs import read_input

COUNT = 10
"""Instances that are looked at unless said otherwise, as many per length as published."""


@dataclass(frozen=True)
class Seen:
    """One run's attention, measured."""

    run: TrainedRun
    attention: Attention
    distances: Distances
    bias: Float[np.ndarray, "l h"] | None
    """The effect of the encoding's bias, if it adds one."""

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per head; layers and heads count from 1."""
        shares = self.distances.histograms()
        rows = []
        for layer, head in np.ndindex(*shares.shape[:2]):
            far = reach(shares[layer, head])
            row = {
                "layer": layer + 1,
                "head": head + 1,
                "attended": float(self.distances.attended[layer, head].mean()),
                "expected": float(self.distances.expected[layer, head].mean()),
                "near": far.near,
                "middle": far.middle,
                "far": far.far,
            }
            if self.bias is not None:
                row["bias effect"] = float(self.bias[layer, head])
            rows.append(row)
        return rows

    def plain(self) -> dict[str, Any]:
        """Return everything but the attention itself as plain data."""
        return {
            "run": self.run.id,
            "subject": self.run.subject,
            "heads": _finite(self.rows()),
            "histogram": self.distances.histogram().tolist(),
            **vars(self.distances.summary()),
        }


@dataclass(frozen=True)
class AttentionReport:
    """One run, or two on the same sequences."""

    task: Task
    batch: Batch
    queries: Queries
    first: Seen
    second: Seen | None = None
    alike: Similarity | None = None
    published: Similarity | None = None
    """By the formula of the published code, if the models have enough heads for it."""

    def layers(self) -> list[dict[str, Any]]:
        """Return the divergences of the two runs, one row per layer and one for the mean."""
        if self.alike is None:
            return []
        best = [f"{i + 1} ~ {j + 1}" for i, j in self.alike.best_heads]
        rows: list[dict[str, Any]] = [
            {"layer": number + 1, "Jensen-Shannon": float(value), "heads": best[number]}
            for number, value in enumerate(self.alike.layers)
        ]
        rows.append({"layer": "mean", "Jensen-Shannon": self.alike.mean, "heads": ""})
        if self.published is not None:
            values = [*self.published.layers.tolist(), self.published.mean]
            for row, value in zip(rows, values, strict=True):
                row["published formula"] = value
        return rows

    def plain(self) -> dict[str, Any]:
        """Return everything but the attention itself as plain data."""
        return {
            "inputs": self.task.render(self.batch),
            "queries": self.queries,
            **self.first.plain(),
            "other": None if self.second is None else self.second.plain(),
            "similarity": _finite(self.layers()) or None,
        }


def attention_report(
    store: Store,
    run: str,
    *,
    text: str | None = None,
    length: int | None = None,
    count: int | None = None,
    queries: Queries = "all",
    other: str | None = None,
    seed: int = 42,
    trust_code: bool = False,
) -> AttentionReport:
    """Look at a run's attention on a given text or on drawn instances, beside another run's.

    Instances have ``length``, by default the longest that was trained.
    """
    if text is not None and (length is not None or count is not None):
        raise InputError("--input is one sequence; leave --length and --count out.")
    first = load_run(store, run, trust_code=trust_code)
    second = None if other is None else load_run(store, other, trust_code=trust_code)
    batch = _batch(first, text, length, COUNT if count is None else count, seed)
    seen = look(first, batch, queries)
    if second is None:
        return AttentionReport(first.task, batch, queries, seen)
    if second.task.vocabulary != first.task.vocabulary:
        raise InputError(f"--other {second.id}: its task {second.spec.task} has other symbols.")
    beside = look(second, batch, queries)
    both = seen.attention, beside.attention
    published = None
    if both[1].heads > 1:
        published = similarity(*both, "published", queries)
    alike = similarity(*both, "jensen-shannon", queries)
    return AttentionReport(first.task, batch, queries, seen, beside, alike, published)


def look(run: TrainedRun, batch: Batch, queries: Queries = "all") -> Seen:
    """Capture and measure one run on a batch."""
    attention = capture(run.model, batch)
    bias = None if attention.content is None else bias_effect(attention, queries)
    return Seen(run, attention, attended_distances(attention, queries), bias)


def _batch(run: TrainedRun, text: str | None, length: int | None, count: int, seed: int) -> Batch:
    if text is not None:
        return read_input(run.task, text)
    if length is None:
        length = int(run.task.check_range(*run.spec.training.length)[-1])
    return examples(run.task, [length], count, seed)


def _finite(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Write infinite numbers, which JSON does not have, as None."""
    return [
        {k: None if isinstance(v, float) and not isfinite(v) else v for k, v in row.items()}
        for row in rows
    ]
