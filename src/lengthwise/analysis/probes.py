"""Linear probes: how well can the position be read from each layer of a model?

A ridge regression from the residual stream to the position is fitted on some sequences and measured
on others: within the range of positions it was fitted on, and beyond. Beside a trained model stand
its untrained twin (what the causal mask gives for nothing) and the construction of
``lengthwise.theory.nope`` (what weights can do). That NoPE models recover positions is the subject
of Kazemnejad et al. (2023, arXiv 2305.19466), who prove that they can; the probe is ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int

from lengthwise.core.errors import InputError
from lengthwise.models.decoder import Decoder
from lengthwise.models.internals import hidden_states
from lengthwise.runs.store import Store
from lengthwise.runs.trained import load_run
from lengthwise.tasks.batch import Batch
from lengthwise.theory.nope.construction import position_decoder
from lengthwise.theory.nope.verification import sequence

RIDGE = 1e-6
"""Penalty of the regression on standardised channels."""


@dataclass(frozen=True)
class LayerProbe:
    """How well one layer tells the position; layer 0 is the embedding.

    ``r2`` is the share of variance explained on new sequences, ``error`` the mean distance in
    positions; ``*_beyond`` are the same at positions that the probe was not fitted on.
    """

    layer: int
    r2: float
    error: float
    r2_beyond: float
    error_beyond: float


@dataclass(frozen=True)
class LinearProbe:
    """An affine map from channels to positions."""

    mean: Float[np.ndarray, "d"]
    spread: Float[np.ndarray, "d"]
    weights: Float[np.ndarray, "d"]
    offset: float

    def __call__(self, states: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n"]:
        """Return the predicted positions."""
        return (states - self.mean) / self.spread @ self.weights + self.offset


def fit_linear(
    states: Float[np.ndarray, "n d"], positions: Float[np.ndarray, "n"], ridge: float = RIDGE
) -> LinearProbe:
    """Fit a ridge regression on standardised channels; constant channels are left out.

    Example:
        >>> states = np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]])
        >>> fit_linear(states, np.array([2.0, 4.0, 8.0]))(states).round(3).tolist()
        [2.0, 4.0, 8.0]
    """
    mean, spread = states.mean(axis=0), states.std(axis=0)
    spread = np.where(spread > 1e-9 * np.abs(mean) + 1e-12, spread, np.inf)
    scaled = (states - mean) / spread
    gram = scaled.T @ scaled / len(states) + ridge * np.eye(states.shape[1])
    moment = scaled.T @ (positions - positions.mean()) / len(states)
    return LinearProbe(mean, spread, np.linalg.solve(gram, moment), float(positions.mean()))


def _score(truth: Float[np.ndarray, "n"], found: Float[np.ndarray, "n"]) -> tuple[float, float]:
    if not len(truth):
        return float("nan"), float("nan")
    residual, total = ((truth - found) ** 2).sum(), ((truth - truth.mean()) ** 2).sum()
    r2 = 1 - residual / total if total else float("nan")
    return float(r2), float(np.abs(truth - found).mean())


def probe_positions(
    model: Decoder,
    fit: Int[np.ndarray, "b t"],
    test: Int[np.ndarray, "b t"],
    *,
    fit_size: Int[np.ndarray, "b"] | None = None,
    test_size: Int[np.ndarray, "b"] | None = None,
) -> list[LayerProbe]:
    """Fit one probe per layer on the sequences ``fit`` and measure it on ``test``.

    Sizes count the tokens before padding. Positions of ``test`` beyond the longest of ``fit`` are
    the ones counted as beyond.

    Example:
        >>> built = position_decoder(16)
        >>> words = np.random.default_rng(0).integers(1, 8, (6, 16))
        >>> words[:, 0] = 0
        >>> layers = probe_positions(built.model, words[:3, :8], words[3:])
        >>> layers[0].r2 < 0.9, round(layers[1].r2, 3), round(layers[1].r2_beyond, 3)
        (True, 1.0, 1.0)
    """
    known = _states(model, fit, fit_size)
    asked = _states(model, test, test_size)
    longest = known[1].max()
    inside, beyond = asked[1] <= longest, asked[1] > longest
    probes = []
    for layer, (old, new) in enumerate(zip(known[0], asked[0], strict=True)):
        found = fit_linear(old, known[1])(new)
        near = _score(asked[1][inside], found[inside])
        far = _score(asked[1][beyond], found[beyond])
        probes.append(LayerProbe(layer, *near, *far))
    return probes


def _states(
    model: Decoder, tokens: Int[np.ndarray, "b t"], size: Int[np.ndarray, "b"] | None
) -> tuple[list[Float[np.ndarray, "n d"]], Float[np.ndarray, "n"]]:
    """Return the stream at every unpadded token, layer by layer, and the token's position."""
    width = tokens.shape[1]
    counted = np.full(len(tokens), width) if size is None else size
    kept = np.arange(width) < counted[:, None]
    position = np.broadcast_to(np.arange(1.0, width + 1), kept.shape)[kept]
    model.eval()
    states = hidden_states(model, torch.as_tensor(tokens))
    return [state.double().numpy()[kept] for state in states], position


@dataclass(frozen=True)
class ProbeReport:
    """Probes of one run, of its untrained twin, and of the construction of the same depth."""

    run: str
    subject: str
    longest_fitted: int
    probes: dict[str, list[LayerProbe]]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per model and layer."""
        return [
            {
                "model": name,
                "layer": probe.layer or "embedding",
                "R2": f"{probe.r2:.3f}",
                "error": f"{probe.error:.2f}",
                "R2 beyond": f"{probe.r2_beyond:.3f}",
                "error beyond": f"{probe.error_beyond:.2f}",
            }
            for name, probes in self.probes.items()
            for probe in probes
        ]

    def plain(self) -> dict[str, Any]:
        """Return everything as plain data."""
        probes = {name: [vars(probe) for probe in layers] for name, layers in self.probes.items()}
        return {**vars(self), "probes": probes}


def probe_run(
    store: Store, run: str, *, instances: int = 200, seed: int = 0, trust_code: bool = False
) -> ProbeReport:
    """Probe a finished run: fit on its training lengths, measure on all its lengths.

    ``instances`` sequences are drawn for fitting, and as many for each bin of lengths.
    """
    if instances < 2:
        raise InputError(f"instances {instances}: at least 2 are needed.")
    loaded = load_run(store, run, trust_code=trust_code)
    spec, task = loaded.spec, loaded.task
    rng = np.random.default_rng(seed)
    fit = task.draw(rng, *spec.training.length, instances)
    test = _joined([task.draw(rng, *bin_, instances) for bin_ in spec.bins])
    sizes = {"fit_size": fit.size, "test_size": test.size}
    probes = {
        "trained": probe_positions(loaded.model, fit.tokens, test.tokens, **sizes),
        "untrained": probe_positions(loaded.untrained(), fit.tokens, test.tokens, **sizes),
        "construction": probe_construction(int(fit.size.max()), int(test.size.max()), instances),
    }
    subject = f"{spec.task}, {spec.position}"
    return ProbeReport(loaded.id, subject, int(fit.size.max()), probes)


def _joined(batches: Sequence[Batch]) -> Batch:
    width = max(batch.tokens.shape[1] for batch in batches)

    def padded(values: Any) -> Any:
        return np.pad(values, ((0, 0), (0, width - values.shape[1])))

    return Batch(
        tokens=np.concatenate([padded(batch.tokens) for batch in batches]),
        targets=np.concatenate([padded(batch.targets) for batch in batches]),
        length=np.concatenate([batch.length for batch in batches]),
        size=np.concatenate([batch.size for batch in batches]),
    )


def probe_construction(fitted: int, longest: int, instances: int = 50) -> list[LayerProbe]:
    """Probe the two-block construction, fitted on the first ``fitted`` of ``longest`` positions.

    Its feed-forward layer has knots for all positions, so it does not show extrapolation of
    learned weights; it shows what the architecture can hold.
    """
    built = position_decoder(max(longest, 2))
    rows = [sequence(built, seed).numpy()[0] for seed in range(2 * min(instances, 20))]
    tokens = np.stack(rows)
    half = len(tokens) // 2
    return probe_positions(built.model, tokens[:half, :fitted], tokens[half:])
