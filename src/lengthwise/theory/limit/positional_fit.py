"""Can p_i^T A p_j fit a positional relation on short windows and extend it to longer ones?

The experiment of Huang et al. 2025, appendix G.2 (set-up from the authors' code): a position table
and two projections are fitted, on windows of the training length at random places, to a logit that
is large where the relation holds; then windows of other lengths are measured. Theory's picture: a
low rank favours periodic relations, wide tables with small far products favour local ones. Use
orderings between cells, not single numbers: one run per cell.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from lengthwise.core.errors import InputError, unknown

Relation = Callable[[np.ndarray], np.ndarray]
"""Maps distances i - j >= 0 to how many of the joined relations hold there."""


def _prime(distance: np.ndarray) -> np.ndarray:
    top = int(distance.max(initial=2))
    primes = [n for n in range(2, top + 1) if all(n % k for k in range(2, int(n**0.5) + 1))]
    return np.isin(distance, primes)


RELATIONS: dict[str, Relation] = {
    "j=i-1": lambda d: d == 1,
    "j=i-5": lambda d: d == 5,
    "j=i-25": lambda d: d == 25,
    "j>i-2": lambda d: d < 2,
    "j>i-5": lambda d: d < 5,
    "j>i-25": lambda d: d < 25,
    "mod3=0": lambda d: d % 3 == 0,
    "mod5=0": lambda d: d % 5 == 0,
    "mod3=2": lambda d: d % 3 == 2,
    "mod5=2": lambda d: d % 5 == 2,
    "j<i": lambda d: d > 0,
    "j<i-5": lambda d: d > 5,
    "j<i-25": lambda d: d > 25,
    "prime": _prime,
    "j=i-1 or mod3=0": lambda d: (d == 1).astype(int) + (d % 3 == 0),
    "j=i-10 or mod3=0": lambda d: (d == 10).astype(int) + (d % 3 == 0),
    "j=i-1 or mod5=0": lambda d: (d == 1).astype(int) + (d % 5 == 0),
    "j=i-12 or mod5=0": lambda d: (d == 12).astype(int) + (d % 5 == 0),
}


@dataclass(frozen=True)
class FitSettings:
    """Sizes of the experiment; the defaults are a quarter of the paper's in every direction.

    The paper: 200 positions, windows of 50 tested at 50, 100 and 150, 15,000 steps.
    """

    positions: int = 80
    window: int = 20
    steps: int = 4000
    batch: int = 64
    learning_rate: float = 1e-3
    decay: float = 0.01
    seed: int = 0

    @classmethod
    def paper(cls) -> "FitSettings":
        """Return the published sizes."""
        return cls(positions=200, window=50, steps=15_000)


@dataclass(frozen=True)
class Fit:
    """Mean squared error by window length, beside the best constant's (the target's variance)."""

    relation: str
    width: int
    lengths: tuple[int, ...]
    error: tuple[float, ...]
    baseline: tuple[float, ...]


def fit_relation(relation: str, width: int, settings: FitSettings | None = None) -> Fit:
    """Fit one relation at one width and measure windows of 1, 2 and 3 times the length.

    Example:
        >>> tiny = FitSettings(positions=12, window=4, steps=5)
        >>> fit_relation("mod3=0", 4, tiny).lengths
        (4, 8, 12)
    """
    if relation not in RELATIONS:
        raise unknown("relation", relation, RELATIONS)
    settings = settings or FitSettings()
    if not 1 < settings.window <= settings.positions or width < 1 or settings.steps < 1:
        raise InputError(f"width {width}, {settings}: sizes must be positive, windows must fit.")
    target = _target(relation, settings)
    logits = _train(target, width, settings)
    lengths = tuple(
        length for k in (1, 2, 3) if (length := k * settings.window) <= settings.positions
    )
    error, baseline = [], []
    for length in lengths:
        starts = np.ones(settings.positions - length + 1)
        weights = coverage(starts, length, settings.positions).numpy()
        error.append(float(np.average((logits - target.numpy()) ** 2, weights=weights)))
        mean = np.average(target.numpy(), weights=weights)
        baseline.append(float(np.average((target.numpy() - mean) ** 2, weights=weights)))
    return Fit(relation, width, lengths, tuple(error), tuple(baseline))


def coverage(starts: Float[np.ndarray, " s"], length: int, positions: int) -> Float[Tensor, "n n"]:
    """Return how many windows hold each causal pair (i, j), given how many start where.

    Example:
        >>> coverage(np.array([1.0, 1.0]), 2, 3).tolist()
        [[1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]
    """
    sums = np.concatenate([[0.0], np.cumsum(np.pad(starts, (0, positions - len(starts))))])
    i, j = np.arange(positions)[:, None], np.arange(positions)[None, :]
    first = np.clip(i - length + 1, 0, None)  # earliest start of a window that reaches i
    counts = np.where((j <= i) & (first <= j), sums[j + 1] - sums[first], 0.0)
    return torch.from_numpy(counts)


def _target(relation: str, settings: FitSettings) -> Float[Tensor, "n n"]:
    place = np.arange(settings.positions)
    distance = place[:, None] - place[None, :]
    holds = np.where(distance >= 0, RELATIONS[relation](np.maximum(distance, 0)), 0)
    return torch.from_numpy(holds * 2 * np.log(settings.window)).double()


def _train(
    target: Float[Tensor, "n n"], width: int, settings: FitSettings
) -> Float[np.ndarray, "n n"]:
    """Fit the table and the projections; a batch of windows weighs every pair by its coverage."""
    rng = torch.Generator().manual_seed(settings.seed)
    draw = np.random.default_rng(settings.seed)
    table, query, key = (
        (scale * (2 * torch.rand(rows, width, generator=rng) - 1)).requires_grad_()
        for rows, scale in ((settings.positions, 1.0), (width, width**-0.5), (width, width**-0.5))
    )
    optimizer = torch.optim.Adam([table, query, key], lr=settings.learning_rate)
    last = settings.positions - settings.window
    wanted = target.float()
    for _ in range(settings.steps):
        starts = np.bincount(draw.integers(0, last + 1, settings.batch), minlength=last + 1)
        weights = coverage(starts, settings.window, settings.positions).float()
        error = ((table @ query) @ (table @ key).T - wanted).square()
        decay = sum(part.square().mean() for part in (table, query, key))
        loss = (weights * error).sum() / weights.sum() + settings.decay * decay
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        return ((table @ query) @ (table @ key).T).double().numpy()
