"""The limit object of a finished run: extracted on trained lengths, run beyond the context."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from lengthwise.core.errors import InputError
from lengthwise.core.seeds import Stream, generator
from lengthwise.evaluation.exact import correct_rows
from lengthwise.models.decoder import Decoder
from lengthwise.models.supervised import draw_offsets
from lengthwise.runs.trained import TrainedRun
from lengthwise.tasks.batch import Batch
from lengthwise.theory.limit.finite_to_limit import Extracted, extract
from lengthwise.theory.limit.logits_inside import PlacedRows
from lengthwise.theory.limit.precision import answers
from lengthwise.training.positional import position_table

INPUTS = 600
"""Sequences of trained lengths on which a model is looked at."""
LENGTHS = 14
"""About how many lengths are tried."""
LINE = 0.99
"""From this share of equal answers on, the object stands for the model."""

RUNS: tuple[str, ...] = ("generalizes", "fits only", "does not fit")
OBJECTS: tuple[str, ...] = (
    "object stands, right on longer",
    "stands, wrong on longer",
    "does not stand",
)


@dataclass(frozen=True)
class AtLength:
    """Shares at one length: the model right, the object right."""

    length: int
    model: float | None
    """None where the input is longer than the model's context."""
    limit: float


@dataclass(frozen=True)
class LimitReport:
    """A run's limit object with its residuals, and both by length."""

    subject: str
    trained: tuple[int, int]
    context: int
    extracted: Extracted
    agreement: float
    """Share of fresh sequences of trained lengths, at any offset, with the same answers."""
    curve: tuple[AtLength, ...]

    @property
    def faithful(self) -> bool:
        """Whether the object answers as the model does on what was trained."""
        return self.agreement >= LINE

    @property
    def further(self) -> float | None:
        """The object's mean accuracy at lengths that the model's context does not take."""
        rows = [row.limit for row in self.curve if row.model is None]
        return float(np.mean(rows)) if rows else None

    def accuracy(self, *, beyond: bool, of: str = "model") -> float | None:
        """Return the mean accuracy on trained lengths, or on longer ones that the model takes."""
        high = self.trained[1]
        rows = [
            row for row in self.curve if row.model is not None and (row.length > high) == beyond
        ]
        return float(np.mean([getattr(row, of) for row in rows])) if rows else None


def trained_inputs(run: TrainedRun, count: int = INPUTS, seed: int = 0) -> list[PlacedRows]:
    """Draw sequences of the lengths that a run was trained on, at offsets all over its context."""
    rng = generator(seed, Stream.EVALUATION, 0)
    batch = run.task.draw(rng, *run.spec.training.length, count)
    offsets = np.zeros(len(batch.size), np.int64)
    if run.spec.training.offsets:
        offsets = draw_offsets(rng, batch, run.model.context)
    return placed(batch, offsets)


def placed(batch: Batch, offsets: np.ndarray) -> list[PlacedRows]:
    """Group the rows of a batch by size."""
    groups = []
    for size in np.unique(batch.size):
        rows = np.flatnonzero(batch.size == size)
        tokens = torch.from_numpy(batch.tokens[rows, :size].astype(np.int64))
        asked = torch.from_numpy(batch.supervised[rows, :size])
        groups.append(PlacedRows(tokens, torch.from_numpy(offsets[rows].astype(np.int64)), asked))
    return groups


def limit_of_run(
    run: TrainedRun,
    *,
    until: int | None = None,
    instances: int = 100,
    inputs: int = INPUTS,
    seed: int = 0,
) -> LimitReport:
    """Extract a run's limit object and hold it against the model and the task, by length.

    ``until`` is the longest length that is tried; by default half as long again as the longest
    that the model's context takes.
    """
    position_table(run.model)
    low, high = run.spec.training.length
    if until is not None and until < high:
        raise InputError(f"--until {until}: the run was trained to length {high}.")
    found = extract(run.model, trained_inputs(run, inputs, seed))
    fresh = trained_inputs(run, inputs, seed + 1)
    return LimitReport(
        subject=f"{run.id} ({run.subject})",
        trained=(low, high),
        context=run.model.context,
        extracted=found,
        agreement=agreement(run.model, found.model, fresh),
        curve=_curve(run, found.model, until or 3 * run.spec.longest // 2, instances, seed),
    )


def agreement(model: Decoder, other: Decoder, inputs: Sequence[PlacedRows]) -> float:
    """Return the share of rows in which two models give the same answers wherever asked."""
    same = total = 0
    for rows in inputs:
        asked = torch.ones_like(rows.tokens, dtype=torch.bool) if rows.asked is None else rows.asked
        whole = PlacedRows(rows.tokens, rows.offsets)
        first, second = (answers(m, [whole])[0] for m in (model, other))
        same += int(((first == second) | ~asked).all(dim=1).sum())
        total += len(rows.tokens)
    return same / total


def _curve(
    run: TrainedRun, found: Decoder, until: int, instances: int, seed: int
) -> tuple[AtLength, ...]:
    possible = run.task.check_range(run.spec.training.length[0], until)
    chosen = possible[np.unique(np.linspace(0, len(possible) - 1, LENGTHS).round().astype(int))]
    return tuple(_at(run, found, int(length), instances, seed) for length in chosen)


def _at(run: TrainedRun, found: Decoder, length: int, instances: int, seed: int) -> AtLength:
    rng = generator(seed, Stream.EVALUATION, length)
    batch = run.task.sample(rng, np.full(instances, length))
    fits = int(batch.size.max()) <= run.model.context
    model = float(correct_rows(run.model, batch).mean()) if fits else None
    return AtLength(length, model, float(correct_rows(found, batch).mean()))


@dataclass(frozen=True)
class LimitComparison:
    """Limit objects of several runs: is it those that generalize whose object stands for them?"""

    reports: tuple[LimitReport, ...]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per run, best beyond its training first."""
        rows = []
        for report in self.reports:
            found = report.extracted
            rows.append(
                {
                    "run": report.subject,
                    "right, trained": report.accuracy(beyond=False),
                    "right, longer": report.accuracy(beyond=True),
                    "answered alike": report.agreement,
                    "object right, longer": report.accuracy(beyond=True, of="limit"),
                    "object right, beyond context": report.further,
                    "periods": " ".join(map(str, found.periods)),
                    "radius": found.radius,
                    "rest of logits": found.rest_of_logits,
                }
            )
        return sorted(rows, key=lambda row: -(row["right, longer"] or 0.0))

    def counts(self) -> dict[str, dict[str, int]]:
        """Count runs by whether they generalize and by what their object does."""
        found = {name: dict.fromkeys(OBJECTS, 0) for name in RUNS}
        for report in self.reports:
            run, of_object = _kind(report)
            found[run][of_object] += 1
        return found


def _kind(report: LimitReport) -> tuple[str, str]:
    fitted, longer, limit = (
        (report.accuracy(beyond=beyond, of=of) or 0.0) >= LINE
        for beyond, of in ((False, "model"), (True, "model"), (True, "limit"))
    )
    run = RUNS[2] if not fitted else RUNS[0] if longer else RUNS[1]
    return run, OBJECTS[2] if not report.faithful else OBJECTS[0] if limit else OBJECTS[1]


def plain(report: LimitReport) -> dict[str, Any]:
    """Return the numbers of a report."""
    found = report.extracted
    return {
        "run": report.subject,
        "trained": list(report.trained),
        "context": report.context,
        "period": found.period,
        "periods": list(found.periods),
        "radius": found.radius,
        "agreement": report.agreement,
        "faithful": report.faithful,
        "norms vary by": found.spread,
        "heads": [
            {
                "layer": head.layer,
                "head": head.head,
                "size": head.fit.size,
                "shift residual": head.fit.shift_residual,
                "period": head.fit.function.period,
                "radius": head.fit.function.radius,
                "residual": head.fit.residual,
                "rest": head.fit.rest,
            }
            for head in found.heads
        ],
        "values": [vars(part) for part in found.values],
        "curve": [vars(row) for row in report.curve],
    }
