"""What the loop counts: losses, evaluations, checkpoints, and why it ends."""

import math

import pytest
import torch

from lengthwise.core.errors import InputError
from lengthwise.records.progress import Interrupted
from lengthwise.records.record import CHECKPOINT
from lengthwise.training import loop
from lengthwise.training.loop import DisagreementError, Trainer, evaluated_steps


class Recorded(Trainer):
    """Notes each loss and each checkpoint."""

    def __init__(self, *args):
        super().__init__(*args)
        self.losses, self.saved = [], []

    def train_step(self):
        value = super().train_step()
        self.losses.append(value)
        return value

    def save(self):
        self.saved.append(self.step)
        super().save()


def test_the_loss_of_an_evaluation_is_the_mean_since_the_one_before(tiny, tmp_path):
    spec = tiny(steps=10, evaluate_every=4, stop_when_perfect=False)
    trainer, reports = Recorded(spec, tmp_path), []
    assert trainer.fit(reports.append) == "all steps done"
    assert [event.step for event in trainer.history] == [4, 8, 10]
    begin = 0
    for event in trainer.history:
        part = trainer.losses[begin : event.step]
        assert event.loss == pytest.approx(sum(part) / len(part), rel=1e-12)
        begin = event.step
    assert trainer.saved == [4, 8]  # after every evaluation that a longer run has too
    assert [report.step for report in reports] == list(range(1, 11))
    assert [report.loss for report in reports] == trainer.losses
    assert {report.steps for report in reports} == {10}
    assert [report.evaluated for report in reports] == [0, 0, 0, 4, 4, 4, 4, 8, 8, 10]
    for report in reports:
        event = next((e for e in trainer.history if e.step == report.evaluated), None)
        assert report.accuracy == (tuple(b.accuracy for b in event.bins) if event else ())


def test_a_checkpoint_is_due_when_its_seconds_have_passed(tiny, tmp_path, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(loop.time, "monotonic", lambda: now[0])
    trainer = Recorded(tiny(steps=9, evaluate_every=9, stop_when_perfect=False), tmp_path)
    reports = []

    def tick(report):
        reports.append(report.seconds)
        now[0] += 25.0

    trainer.fit(tick)
    # the clock reads 0, 25, 50, 75 ... at the ends of steps 1, 2, 3, 4 ...: 60 s are over at step 4
    assert loop.CHECKPOINT_SECONDS == 60.0
    assert trainer.saved == [4, 7, 9]
    assert reports == [25.0 * step for step in range(9)]


def test_exactly_the_seconds_are_not_more(tiny, tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(loop.time, "monotonic", lambda: now[0])
    trainer = Recorded(tiny(steps=5, evaluate_every=5, stop_when_perfect=False), tmp_path)
    trainer.fit(lambda report: now.__setitem__(0, now[0] + 20.0))
    assert trainer.saved == [5]


def test_a_run_ends_when_it_is_perfect_unless_told_otherwise(tiny, tmp_path, monkeypatch):
    def perfect(bins):
        return tuple(b.model_copy(update={"correct": b.total}) for b in bins)

    real = Trainer.measure
    monkeypatch.setattr(Trainer, "measure", lambda self: perfect(real(self)))
    (tmp_path / "a").mkdir(), (tmp_path / "b").mkdir()
    one = Trainer(tiny(steps=20, evaluate_every=5), tmp_path / "a")
    assert (one.fit(), one.step) == ("perfect in distribution", 5)
    two = Trainer(tiny(steps=20, evaluate_every=5, stop_when_perfect=False), tmp_path / "b")
    assert (two.fit(), two.step) == ("all steps done", 20)


def test_a_loss_that_is_not_finite_ends_the_run_at_the_next_evaluation(tiny, tmp_path):
    trainer = Trainer(tiny(steps=20, evaluate_every=5), tmp_path)
    with torch.no_grad():
        next(trainer.model.parameters()).fill_(math.nan)
    assert trainer.fit() == "the loss is not finite"
    assert trainer.step == 5
    assert trainer.history[-1].loss is None


def test_steps_that_are_evaluated_are_the_multiples_and_the_last(tiny):
    for steps in (1, 6, 7, 12):
        for every in (1, 3, 6, 20):
            spec = tiny(steps=steps, evaluate_every=every)
            for step in range(steps + 1):
                wanted = [n for n in range(1, step + 1) if n % every == 0 or n == steps]
                assert evaluated_steps(spec, step) == wanted


def stopped(spec, folder, after):
    """Train some steps, save and end; return the loop."""
    trainer, left = Trainer(spec, folder), iter(range(after))
    with pytest.raises(Interrupted):
        trainer.fit(should_stop=lambda: next(left, None) is None)
    return trainer


def test_a_checkpoint_whose_counters_do_not_fit_is_refused(tiny, tmp_path, monkeypatch):
    spec = tiny(steps=12, evaluate_every=5, stop_when_perfect=False)
    first = stopped(spec, tmp_path, 7)
    assert (first.step, first._loss_count) == (8, 3)
    second = Trainer(spec, tmp_path)
    second.resume()
    assert (second.step, second._loss_count, second._loss_sum) == (8, 3, first._loss_sum)
    for count in (2, 4):
        first._loss_count = count
        first.save()
        with pytest.raises(DisagreementError, match="not the evaluations up to step 8"):
            Trainer(spec, tmp_path).resume()
    first._loss_count = 3
    for step in (-1, 13):
        first.step = step
        first.save()
        with pytest.raises(InputError, match=rf"damaged \(step {step} of 12\)"):
            Trainer(spec, tmp_path).resume()
    (tmp_path / CHECKPOINT).unlink()
    fresh = Trainer(spec, tmp_path)
    fresh.resume()
    assert (fresh.step, fresh.history) == (0, [])


@pytest.mark.parametrize(("steps", "evaluated"), [(6, [4]), (15, [4, 8, 12])])
def test_the_first_step_and_the_last_evaluation_in_turn_can_be_resumed(
    tiny, tmp_path, steps, evaluated
):
    spec = tiny(steps=steps, evaluate_every=4, stop_when_perfect=False)
    trainer = Trainer(spec, tmp_path)
    trainer.save()  # nothing is done yet
    Trainer(spec, tmp_path).resume()
    trainer.fit()
    again = Trainer(spec, tmp_path)
    again.resume()
    assert (again.step, [event.step for event in again.history]) == (evaluated[-1], evaluated)
    assert again.fit() == "all steps done"
    assert (again.step, again.history) == (steps, trainer.history)


def test_what_training_options_do(tiny, tmp_path):
    """The rate follows its schedule, gradients are clipped, and only if asked."""
    plain = Trainer(tiny(clip=0.0, learning_rate=0.01, warmup=4, steps=8), tmp_path)
    seen = []
    for _ in range(6):
        plain.train_step()
        seen.append(plain.optimizer.param_groups[0]["lr"])
    assert seen == [loop.learning_rate(plain.spec.training, step) for step in range(6)]
    assert len(set(seen)) > 1
    for clip in (1e-3, 0.0):
        trainer = Trainer(tiny(clip=clip), tmp_path)
        trainer.train_step()
        norms = [p.grad.norm() for p in trainer.model.parameters() if p.grad is not None]
        total = torch.stack(norms).norm().item()
        assert (total <= 1.001e-3) == (clip > 0)
