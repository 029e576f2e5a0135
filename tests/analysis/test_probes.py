"""Linear probes of position: against plain least squares, and on a small trained model."""

import numpy as np
import pytest
import torch

from lengthwise.analysis.probes import fit_linear, probe_construction, probe_positions, probe_run
from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.positions.nope import NoPE
from lengthwise.positions.sinusoidal import Sinusoidal
from lengthwise.records.spec import EvaluationConfig, RunSpec, TrainingConfig
from lengthwise.runs.execute import execute
from lengthwise.runs.store import Store


def test_ridge_is_least_squares_when_the_penalty_vanishes():
    rng = np.random.default_rng(0)
    states = rng.standard_normal((200, 5)) * [1, 10, 0.1, 1e4, 0] + 3
    truth = states @ [1.0, -2.0, 3.0, 0.1, 0.0] + rng.standard_normal(200)
    design = np.concatenate([states[:, :4], np.ones((200, 1))], axis=1)
    reference = design @ np.linalg.lstsq(design, truth, rcond=None)[0]
    assert fit_linear(states, truth, ridge=1e-12)(states) == pytest.approx(reference, abs=1e-6)


def test_construction_tells_every_position():
    embedding, first, second = probe_construction(20, 60)
    assert embedding.r2 < 0.3
    for layer in (first, second):
        assert layer.r2 > 0.999999
        assert layer.r2_beyond > 0.999999
        assert layer.error_beyond < 1e-2


def test_padding_and_ranges_are_respected():
    torch.manual_seed(0)
    config = ModelConfig(layers=1, heads=1, width=32)
    words = np.random.default_rng(0).integers(0, 5, (40, 30))
    size = np.random.default_rng(1).integers(5, 20, 20)
    told = Decoder(config, 5, Sinusoidal(), context=30)
    blind = Decoder(config, 5, NoPE(), context=30)
    layers = probe_positions(told, words[:20], words[20:], fit_size=size)
    assert layers[0].r2 > 0.99
    assert layers[0].error_beyond > layers[0].error
    changed = words[:20].copy()
    changed[np.arange(30) >= size[:, None]] = 0
    again = probe_positions(told, changed, words[20:], fit_size=size)
    assert again[0].r2 == pytest.approx(layers[0].r2, abs=1e-9)
    assert probe_positions(blind, words[:20], words[20:])[0].r2 < 0.1


def test_probe_of_a_run(tmp_path):
    store = Store(tmp_path)
    spec = RunSpec.create(
        task="binary-majority",
        position="nope",
        seed=0,
        model=ModelConfig(layers=1, heads=1, width=16),
        training=TrainingConfig(length=(1, 8), steps=3, batch=8, evaluate_every=3),
        evaluation=EvaluationConfig(lengths=((9, 16),), instances=8),
    )
    with pytest.raises(InputError, match="unknown run"):
        probe_run(store, spec.id)
    execute(spec, store, device="cpu")
    report = probe_run(store, spec.id[:6], instances=20)
    assert [len(layers) for layers in report.probes.values()] == [2, 2, 3]
    assert report.probes["trained"][1].r2 > report.probes["trained"][0].r2
    assert len(report.rows()) == 7
    assert report.plain()["probes"]["construction"][1]["r2"] > 0.99
    with pytest.raises(InputError, match="at least 2"):
        probe_run(store, spec.id, instances=1)
