"""Predictions beside measured cells: the type that boards, pages and the expected reach share."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from lengthwise.records.accuracy import pool
from lengthwise.records.intervals import Interval
from lengthwise.records.outcomes import (
    BOARD,
    CELL_OUTCOMES,
    LINE,
    CellOutcome,
    agreement,
    agreement_sentence,
)
from lengthwise.studies.evidence import Cell


@dataclass(frozen=True)
class BoardCell:
    """One problem with one encoding: what was predicted and what was measured."""

    subject: str
    encoding: str
    predicted: str
    strength: str
    fragment: str | None
    depth: int | None
    accuracy: tuple[float, ...]
    reach: float
    outcome: CellOutcome
    source: str
    seeds: tuple[float, ...] = ()
    """Exact match of every seed on the last range."""
    unfitted: int = 0
    """Seeds that did not fit their training lengths."""
    runs: int = 1
    """All runs, with the rungs that did not fit."""
    interval: Interval | None = None
    trained: int = 0
    """The longest training length, of which ``reach`` and ``curve`` are multiples; 0 if unknown."""
    curve: tuple[tuple[float, tuple[tuple[int, int], ...]], ...] = ()
    """A length over the training length, and right and tried instances of every fitted seed."""

    @property
    def margin(self) -> float:
        """How far the decisive accuracy is from the line."""
        return abs(self.accuracy[-1] - LINE)

    @property
    def agrees(self) -> bool | None:
        """Whether the prediction is what was measured; None where one of them says nothing."""
        return agreement(self.predicted, self.outcome)


@dataclass(frozen=True)
class Scoreboard:
    """All cells of a suite."""

    suite: str
    size: str
    cells: tuple[BoardCell, ...]

    @property
    def fitted(self) -> list[BoardCell]:
        """The cells that decide something."""
        return [cell for cell in self.cells if cell.outcome != "not fitted"]

    @property
    def agreement(self) -> float:
        """Fraction of the fitted cells that agree; mixed ones and undecided predictions do not."""
        return sum(cell.agrees is True for cell in self.fitted) / max(1, len(self.fitted))

    @property
    def sentence(self) -> str:
        """The headline: how many of the fitted cells agree, what else there is."""
        return agreement_sentence([(cell.predicted, cell.outcome) for cell in self.cells])

    def confusion(self, encoding: str) -> dict[str, Any]:
        """Count predicted against measured for one encoding; precision and recall of yes.

        Both are over cells that hold or fail.
        """
        cells = [cell for cell in self.cells if cell.encoding == encoding]
        table = {
            f"{answer}, {outcome}": sum(
                cell.predicted == answer and cell.outcome == outcome for cell in cells
            )
            for answer in ("yes", "no", "undecided")
            for outcome in CELL_OUTCOMES
        }
        right = table["yes, holds"]
        return {
            "encoding": encoding,
            **table,
            "precision": _ratio(right, right + table["yes, fails"]),
            "recall": _ratio(right, sum(cell.outcome == "holds" for cell in cells)),
        }

    def disagreements(self) -> list[BoardCell]:
        """Return the fitted cells that do not agree, the clearest first."""
        return sorted((c for c in self.fitted if not c.agrees), key=lambda c: -c.margin)

    def to_json(self) -> dict[str, Any]:
        """Return plain data, also read by `lengthwise predict` for the expected reach."""
        encodings = dict.fromkeys(cell.encoding for cell in self.cells)
        return {
            "format": BOARD,
            "version": 2,
            "suite": self.suite,
            "size": self.size,
            "line": LINE,
            "agreement": self.agreement,
            "fitted": len(self.fitted),
            "sentence": self.sentence,
            "confusion": [self.confusion(encoding) for encoding in encodings],
            "cells": [asdict(c) | {"margin": c.margin, "agrees": c.agrees} for c in self.cells],
        }


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def board_cell(subject: str, encoding: str, said: Mapping[str, Any], cell: Cell) -> BoardCell:
    """Put a prediction (answer, strength, fragment, depth) beside a cell."""
    trained = cell.runs[0].spec.training.length[1]
    reach = 0.0
    for bin_ in cell.bins:
        if bin_.accuracy < LINE:
            break
        reach = bin_.high / trained
    return BoardCell(
        subject=subject,
        encoding=encoding,
        predicted=said["answer"],
        strength=said["strength"],
        fragment=said.get("fragment"),
        depth=said.get("depth"),
        accuracy=cell.accuracies,
        reach=reach,
        outcome=cell.outcome,
        source=cell.runs[0].spec.id,
        seeds=tuple(run.accuracies[-1] for run in cell.runs),
        unfitted=len(cell.runs) - len(cell.fitted),
        runs=cell.tried,
        interval=cell.bins[-1].interval,
        trained=trained,
        curve=length_curve(cell),
    )


def length_curve(cell: Cell) -> tuple[tuple[float, tuple[tuple[int, int], ...]], ...]:
    """Return right and tried instances of every fitted seed in eighths of the training length."""
    trained = cell.runs[0].spec.training.length[1]
    whole = [pool(run.bins) for run in cell.fitted]
    longest = max((part.high for part in whole), default=0)
    points = []
    for step in range(1, 8 * longest // trained + 1):
        low, high = (step - 1) * trained // 8 + 1, step * trained // 8
        counts = tuple(part.between(low, high).counts for part in whole)
        if low <= high and all(tried for _, tried in counts):
            points.append((step / 8, counts))
    return tuple(points)
