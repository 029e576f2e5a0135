"""Options that recipes use: from short to long lengths, decay of matrices alone."""

import numpy as np
import pytest
import torch

from lengthwise.runs.execute import execute
from lengthwise.runs.store import Store
from lengthwise.training.loop import Trainer
from tests.training.test_resume import execute_with_interruptions, weights


@pytest.mark.parametrize("task", ["parity", "aaaa-star", "interleaved-majority"])
def test_lengths_grow_to_the_whole_range_and_stay_there(tiny, tmp_path, task):
    spec = tiny(task=task, curriculum=10, length=(1, 12), batch=64)
    trainer = Trainer(spec, tmp_path)
    longest = []
    for trainer.step in range(20):
        batch, _, _ = trainer.draw()
        assert batch.length.min() >= 1
        longest.append(int(batch.length.max()))
    assert longest[0] == trainer.task.possible_lengths(1, 12)[0]
    assert longest[:10] == sorted(longest[:10])
    assert max(longest) == 12


def test_behind_the_curriculum_batches_are_those_without(tiny, tmp_path):
    plain, grown = (Trainer(tiny(curriculum=steps), tmp_path) for steps in (0, 10))
    plain.step = grown.step = 10
    assert np.array_equal(plain.draw()[0].tokens, grown.draw()[0].tokens)


@pytest.mark.parametrize(
    "options",
    [
        {"curriculum": 15, "beta2": 0.9},
        {"optimizer": "muon"},
        {"optimizer": "muon", "decayed": "matrices", "weight_decay": 0.1},
        {"decayed": "matrices", "weight_decay": 0.1},
    ],
    ids=str,
)
def test_resuming_gives_bit_identical_results(tiny, tmp_path, options):
    spec = tiny(**options)
    whole, parts = Store(tmp_path / "whole"), Store(tmp_path / "parts")
    one, two = execute(spec, whole), execute_with_interruptions(spec, parts, [6, 1, 5])
    assert one.metrics == two.metrics
    assert weights(whole, spec) == weights(parts, spec)


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_decay_of_matrices_leaves_the_rest_alone(tiny, tmp_path, optimizer):
    """With gradients of zero, a weight changes by its decay alone."""
    how = {"optimizer": optimizer, "weight_decay": 0.5, "learning_rate": 0.1}
    trainer = Trainer(tiny(decayed="matrices", **how), tmp_path)
    before = {name: value.detach().clone() for name, value in trainer.model.named_parameters()}
    for value in trainer.model.parameters():
        value.grad = torch.zeros_like(value)
    trainer.optimizer.step()
    for name, value in trainer.model.named_parameters():
        matrix = name.startswith("blocks.") and value.ndim == 2
        assert torch.allclose(value, before[name] * (0.95 if matrix else 1.0)), name
    assert any(name.endswith("qkv.weight") for name in before)


def test_two_optimisers_are_the_two_alone(tiny, tmp_path):
    """Together they do to their weights what each does by itself, and follow the rate."""
    trainer = Trainer(tiny(optimizer="muon", weight_decay=0.1), tmp_path)
    twin = Trainer(tiny(optimizer="muon", weight_decay=0.1), tmp_path)
    matrices = [
        p for n, p in twin.model.named_parameters() if n.startswith("blocks.") and p.ndim == 2
    ]
    rest = [p for p in twin.model.parameters() if not any(p is other for other in matrices)]
    muon = torch.optim.Muon(matrices, weight_decay=0.1, adjust_lr_fn="match_rms_adamw")
    adamw = torch.optim.AdamW(rest, weight_decay=0.1, fused=True)
    for rate in (1e-2, 1e-3):
        torch.manual_seed(0)
        for one, two in zip(trainer.model.parameters(), twin.model.parameters(), strict=True):
            one.grad = torch.randn_like(one)
            two.grad = one.grad.clone()
        for optimizer in (trainer.optimizer, muon, adamw):
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
    for one, two in zip(trainer.model.parameters(), twin.model.parameters(), strict=True):
        assert torch.equal(one, two)
