"""What reaches the model: supervised positions, offsets, schedules."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from lengthwise.models.supervised import draw_offsets, loss, prepare
from lengthwise.records.spec import TrainingConfig
from lengthwise.tasks import load_task
from lengthwise.tasks.batch import IGNORE
from lengthwise.training.loop import Trainer
from lengthwise.training.schedule import learning_rate


@pytest.mark.parametrize("task", ["parity", "addition", "sort:symbols=12"])
@pytest.mark.parametrize("position", ["nope", "ape", "alibi", "rope"])
def test_the_gathered_loss_equals_the_plain_one(tiny, tmp_path, task, position):
    """Same loss and same gradients as supervising a full pass over the padded batch."""
    spec = tiny(position, task).model_copy(update={"evaluation": tiny().evaluation})
    trainer = Trainer(spec, tmp_path)
    trainer.model.eval()  # no dropout
    batch = trainer.task.draw(np.random.default_rng(0), 4, 10, 16)
    offsets = draw_offsets(np.random.default_rng(1), batch, trainer.context)
    ours = loss(trainer.model, prepare(batch, offsets=offsets))
    ours_gradient = torch.autograd.grad(ours, list(trainer.model.parameters()))
    width = batch.tokens.shape[1]
    positions = np.minimum(offsets[:, None] + np.arange(width), trainer.context - 1)
    logits = trainer.model(torch.from_numpy(batch.tokens), torch.from_numpy(positions))
    plain = F.cross_entropy(
        logits.flatten(0, 1), torch.from_numpy(batch.targets).flatten(), ignore_index=IGNORE
    )
    torch.testing.assert_close(ours, plain)
    for one, two in zip(
        ours_gradient, torch.autograd.grad(plain, list(trainer.model.parameters())), strict=True
    ):
        torch.testing.assert_close(one, two, atol=1e-6, rtol=1e-4)


def test_offsets_fill_the_context_and_never_leave_it():
    task = load_task("unique-copy")
    context = task.max_tokens(150)
    batch = task.sample(np.random.default_rng(0), np.full(20_000, 140))
    offsets = draw_offsets(np.random.default_rng(1), batch, context)
    assert set(offsets.tolist()) == set(range(2 * (150 - 140) + 1))  # as published


def test_columns_behind_the_answer_are_cut():
    batch = load_task("parity").sample(np.random.default_rng(0), np.array([3, 5]))
    inputs = prepare(batch)
    assert inputs.tokens.shape == (2, 8)  # bos, 5 bits, sep, answer; the end marker is no input
    assert inputs.targets.tolist() == [*batch.targets[0, 4:6], *batch.targets[1, 6:8]]
    assert inputs.grid.cells.tolist() == [*range(6), *range(8, 16)]  # 6 and 8 real cells of 8


def test_schedules():
    steps = {"steps": 100, "learning_rate": 2.0, "warmup": 10}
    for schedule, middle in (("linear", 1.0), ("cosine", 1.0), ("constant", 2.0)):
        config = TrainingConfig(schedule=schedule, **steps)
        assert learning_rate(config, 0) == pytest.approx(0.2)
        assert learning_rate(config, 9) == pytest.approx(2.0)
        assert learning_rate(config, 55) == pytest.approx(middle)
        rates = [learning_rate(config, step) for step in range(10, 100)]
        assert rates == sorted(rates, reverse=True)


def test_low_precision_trains_and_differs(tiny, tmp_path):
    plain, low = (Trainer(tiny(precision=p), tmp_path) for p in ("float32", "bfloat16"))
    one, two = plain.train_step(), low.train_step()
    assert one != two
    assert one == pytest.approx(two, rel=0.05)
    assert low.model.embedding.weight.dtype == torch.float32


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # torch's own, while it compiles
def test_a_compiled_model_computes_the_same(tiny, tmp_path):
    specs = [tiny(compiled=c) for c in (False, True)]
    still = specs[0].model.model_copy(update={"dropout": 0.0})  # drawn differently when compiled
    plain, fast = (Trainer(s.model_copy(update={"model": still}), tmp_path) for s in specs)
    for _ in range(3):
        assert fast.train_step() == pytest.approx(plain.train_step(), rel=1e-4)
