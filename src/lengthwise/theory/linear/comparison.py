"""One target, several encodings: its complexity, what Theorem 2 predicts, what training did."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.core.errors import InputError, unknown
from lengthwise.theory.linear.demonstrations import target
from lengthwise.theory.linear.fitting import Inputs, LinearFit, Trainer, train
from lengthwise.theory.linear.lrc import classes_by_scale, lrc_by_scale
from lengthwise.theory.linear.partitions import ENCODINGS
from lengthwise.theory.linear.position_only import FloatArray, cells
from lengthwise.theory.linear.theorems import (
    count_generalizing,
    generalizing_fraction,
    some_encoding_generalizes,
)

LARGEST, LARGEST_TRAINED = 1000, 50
"""Largest scales of a study: dense matrices, and one weight per pair of positions in training."""


@dataclass(frozen=True)
class LinearStudy:
    """What was found about one target trained up to ``n0`` and tested up to N."""

    name: str
    target: FloatArray
    n0: int
    lrc: npt.NDArray[np.int64]
    lrc_nonzero: npt.NDArray[np.int64]
    predicted: bool
    classes: dict[str, npt.NDArray[np.int64] | None]
    fits: dict[str, LinearFit]

    def scale_rows(self) -> list[dict[str, Any]]:
        """Return one row per scale: complexities, and the error of each encoding."""
        return [
            {
                "scale": f"{n}" + (" (trained)" if n <= self.n0 else ""),
                "LRC": int(self.lrc[n - 1]),
                "LRC_0": int(self.lrc_nonzero[n - 1]),
                **{f"{e} error": f"{fit.errors[n - 1]:.3g}" for e, fit in self.fits.items()},
            }
            for n in range(1, len(self.target) + 1)
        ]

    def encoding_rows(self) -> list[dict[str, Any]]:
        """Return one row per encoding: does it fit, does it generalize, by how much is it off."""
        return [
            {
                "encoding": name,
                "classes seen": None if count is None else int(count[self.n0 - 1]),
                "classes needed": None if count is None else int(count[-1]),
                "training residual": f"{fit.residual:.3g}",
                "largest error": f"{fit.error:.6g}",
                "generalizes": "yes" if fit.generalizes() else "no",
            }
            for (name, fit), count in zip(self.fits.items(), self.classes.values(), strict=True)
        ]

    def plain(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "target": self.name,
            "n0": self.n0,
            "n": len(self.target),
            "lrc": self.lrc.tolist(),
            "lrc_nonzero": self.lrc_nonzero.tolist(),
            "some_encoding_generalizes": self.predicted,
            "encodings": {
                name: {
                    "residual": fit.residual,
                    "errors": fit.errors.tolist(),
                    "generalizes": fit.generalizes(),
                }
                for name, fit in self.fits.items()
            },
        }


def study(
    name: str,
    *,
    n0: int = 4,
    n: int = 10,
    encodings: Sequence[str] = tuple(ENCODINGS),
    trainer: Trainer = "closed",
    inputs: Inputs = "gaussian",
    seed: int = 0,
) -> LinearStudy:
    """Train every encoding on one target and put Theorem 2's prediction beside the results.

    Example:
        >>> found = study("decay", n0=4, n=10)
        >>> found.predicted, {name: fit.generalizes() for name, fit in found.fits.items()}["rpe"]
        (False, False)
    """
    if not 1 <= n0 < n:
        raise InputError(f"training scale N0 = {n0} and scale N = {n}: need 1 <= N0 < N.")
    if n > LARGEST or n0 > LARGEST_TRAINED:
        raise InputError(
            f"training scale N0 = {n0} and scale N = {n}: at most {LARGEST_TRAINED} and {LARGEST} "
            "fit in memory."
        )
    for encoding in encodings:
        if encoding not in ENCODINGS:
            raise unknown("encoding", encoding, ENCODINGS)
    matrix = target(name, n, n0=n0, seed=seed)
    built = {encoding: ENCODINGS[encoding](matrix) for encoding in encodings}
    options: dict[str, Any] = {"trainer": trainer, "inputs": inputs, "seed": seed}
    return LinearStudy(
        name=name,
        target=matrix,
        n0=n0,
        lrc=lrc_by_scale(matrix),
        lrc_nonzero=lrc_by_scale(matrix, nonzero=True),
        predicted=some_encoding_generalizes(matrix, n0),
        classes={
            name: classes_by_scale(b.astype(np.int64)) if b.ndim == 2 else None
            for name, b in built.items()
        },
        fits={name: train(matrix, b, n0, **options) for name, b in built.items()},
    )


def theorem1_rows(
    n0: int = 2, n: int = 3, levels: Sequence[int] = (4, 8, 16, 32)
) -> list[dict[str, Any]]:
    """Count, for growing resolution, the concepts that some encoding extrapolates from one block.

    The block holds ``1, 2, 3, ...``, all distinct and not 0.

    Example:
        >>> theorem1_rows(levels=(4, 8))[1]["counted share"]
        0.125
    """
    if not 1 <= n0 < n or cells(n) > 6:
        raise InputError(
            f"training scale N0 = {n0} and scale N = {n}: counting needs 1 <= N0 < N <= 3."
        )
    block = np.zeros((n0, n0), dtype=np.int64)
    block[np.triu_indices(n0)] = np.arange(1, cells(n0) + 1)
    rows = []
    for q in levels:
        count, total = count_generalizing(block, q, n)
        share = generalizing_fraction(block, q, n)
        rows.append({"levels": q, "concepts": total, "generalizing": count})
        rows[-1] |= {"counted share": count / total, "formula": share}
    return rows
