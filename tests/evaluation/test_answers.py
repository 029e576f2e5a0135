"""Final answers against slow generation, teacher forcing and the published rules."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.evaluation import answers as room
from lengthwise.evaluation.answers import answers, written
from lengthwise.evaluation.metrics import METRICS, evaluate
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.positions import load_position
from lengthwise.records.spec import EvaluationConfig, RunSpec
from lengthwise.tasks import TASKS, load_task
from lengthwise.training.loop import Trainer

PAD = "parity-text:scratchpad=minimal"


def decoder(task, position="nope", longest=12, **changes):
    torch.manual_seed(0)
    config = ModelConfig(**{"layers": 2, "heads": 2, "width": 32, "init": "t5", **changes})
    encoding = load_position(position).for_task(task)
    return Decoder(config, len(task.vocabulary), encoding, task.max_tokens(longest)).eval()


@torch.no_grad()
def by_full_passes(model, task, batch):
    """Write every row token by token, each by a forward pass over all that stands before."""
    rows = []
    for number in range(len(batch.size)):
        size = int(batch.size[number])
        cut = int(batch.supervised[number].argmax()) + 1
        row = batch.tokens[number, :cut].tolist()
        closed = batch.tokens[number, size - 1] == task.vocabulary.eos
        end = max(task.max_tokens(int(batch.length[number])), size) if closed else size
        scale = torch.from_numpy(batch.length[number : number + 1])
        places = model.encoding.positions(batch.size[number : number + 1], None)
        while len(row) < end and row[-1] != task.vocabulary.eos:
            at = None if places is None else torch.from_numpy(places[:, : len(row)])
            logits = model(torch.tensor([row]), at, scale=scale)
            row.append(int(logits[0, -1].argmax()))
        rows.append(row)
    return rows


@pytest.mark.parametrize("position", ["nope", "ape", "t5", "randomised", "hybrid:nope+rope"])
def test_rows_are_those_of_full_passes(position):
    task = load_task("repeat-copy")
    model = decoder(task, position)
    batch = task.draw(np.random.default_rng(0), 1, 12, 12)
    assert written(model, task, batch) == by_full_passes(model, task, batch)


@pytest.mark.parametrize("text", [PAD, "ipe-sh:relation=(j==n)+2*(j==i)"])
def test_long_rows_and_scale_hints_too(text):
    task = load_task(PAD)
    model = decoder(task, "nope" if text == PAD else text, layers=1)
    batch = task.draw(np.random.default_rng(0), 2, 3, 5)
    assert written(model, task, batch) == by_full_passes(model, task, batch)


@given(at_once=st.integers(1, 400), seed=st.integers(0, 99))
@settings(max_examples=10)
def test_rows_do_not_depend_on_their_chunk(at_once, seed):
    task = load_task("addition")
    model = decoder(task, "ape")
    batch = task.draw(np.random.default_rng(seed), 4, 12, 17)
    whole = written(model, task, batch)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "TOKENS_AT_ONCE", at_once)
        assert written(model, task, batch) == whole


def says(monkeypatch, outputs, task):
    """Let every row be continued by the tokens that are given for it."""

    def generate(model, prompts, sizes, *, steps, **_):
        made = torch.full((len(prompts), int(steps.max())), task.vocabulary.eos)
        for row, (prompt, size) in enumerate(zip(prompts.tolist(), sizes.tolist(), strict=True)):
            said = outputs[tuple(prompt[:size])]
            made[row, : len(said)] = torch.tensor(said)
        return made

    monkeypatch.setattr(room, "generate", generate)


def test_an_answer_may_be_right_behind_a_wrong_pad(monkeypatch):
    task = load_task(PAD)
    batch = task.sample(np.random.default_rng(5), np.array([2, 3, 4]))
    texts = [row[:size].tolist() for row, size in zip(batch.tokens, batch.size, strict=True)]
    cuts = (batch.supervised.argmax(axis=1) + 1).tolist()
    outputs = {tuple(t[:cut]): t[cut:] for t, cut in zip(texts, cuts, strict=True)}
    model = decoder(task)
    says(monkeypatch, outputs, task)
    assert answers(model, task, batch).all()
    one, two, three = outputs.values()
    one[8] = one[9]  # a slip in the steps
    two[-3] = task.vocabulary.ids["Yes" if task.vocabulary.text(two[-3]) == "No" else "No"]
    three[-2:] = [three[-4]] * 2  # no full stop, no end
    assert answers(model, task, batch).tolist() == [True, False, False]


@pytest.mark.parametrize(
    "name", [name for name in TASKS if name.endswith("-text")] + ["scan", "pcfg"]
)
def test_every_target_answers_itself_and_no_other(name):
    task = load_task(name)
    batch = task.draw(np.random.default_rng(6), 2, 6, 40)
    texts = [row[:size].tolist() for row, size in zip(batch.tokens, batch.size, strict=True)]
    for text in texts:
        assert task.answered(text, text)
        assert not task.answered(text[: int(len(text) / 3)], text)


def test_a_separator_in_the_output_does_not_hide_what_stands_before():
    task = load_task("copy-v1-text:symbols=2")
    batch = task.sample(np.random.default_rng(0), np.array([3]))
    text = batch.tokens[0].tolist()
    cut = int(batch.supervised[0].argmax()) + 1
    assert not task.answered(
        [*text[:cut], text[cut], task.vocabulary.ids["[SEP]"], *text[cut:]], text
    )


def test_a_finite_set_judges_as_its_task_does():
    task = load_task(f"fixed:{PAD};size=20")
    batch = task.draw(np.random.default_rng(0), 2, 4, 5)
    text = batch.tokens[0, : batch.size[0]].tolist()
    cut = int(batch.supervised[0].argmax()) + 1
    answer = task.vocabulary.encode(["The", "answer", "is"])
    start = next(i for i in range(cut, len(text)) if text[i : i + 3] == answer)
    assert task.answered([*text[:cut], *text[start:]], text)


def test_labels_are_refused_before_anything_is_trained(tmp_path):
    task = load_task("tomita-4")
    batch = task.draw(np.random.default_rng(0), 2, 6, 3)
    with pytest.raises(InputError, match="'tomita-4' does not write"):
        answers(decoder(task), task, batch)
    spec = RunSpec.create(task="tomita-4", position="nope", evaluation={"metric": "answer"})
    with pytest.raises(InputError, match="use metric exact"):
        Trainer(spec, tmp_path)


def test_a_run_is_measured_by_the_metric_it_asks_for(tmp_path, monkeypatch):
    def bins(**how):
        spec = RunSpec.create(
            task="parity",
            position="nope",
            model={"layers": 1, "heads": 1, "width": 8},
            training={"length": (2, 5), "steps": 1},
            evaluation={"lengths": ((6, 9),), "instances": 6, **how},
        )
        return [bin_.accuracy for bin_ in Trainer(spec, tmp_path).measure()]

    monkeypatch.setitem(METRICS, "exact", lambda model, task, batch: batch.length < 0)
    monkeypatch.setitem(METRICS, "answer", lambda model, task, batch: batch.length > 0)
    assert bins() == [0.0, 0.0]
    assert bins(metric="answer") == [1.0, 1.0]


def test_the_metric_leaves_ids_as_they_were():
    plain = RunSpec.create(task="parity", position="nope", seed=1)
    assert plain.id == "fdfece79e7ad"
    assert "metric" not in plain.model_dump(mode="json")["evaluation"]
    other = RunSpec.create(task="parity", position="nope", evaluation={"metric": "answer"}, seed=1)
    assert other.id != plain.id
    assert RunSpec.read(other.model_dump(mode="json")) == other
    assert set(METRICS) == set(EvaluationConfig.model_fields["metric"].annotation.__args__)


@pytest.mark.parametrize("metric", METRICS)
def test_counts_by_length_add_up(metric, monkeypatch):
    task = load_task("parity")
    batch = task.draw(np.random.default_rng(7), 2, 9, 100)
    right = np.random.default_rng(0).random(100) < 0.5
    monkeypatch.setitem(METRICS, metric, lambda *_: right)
    result = evaluate(None, task, batch, (2, 9), metric)
    for length in np.unique(batch.length).tolist():
        assert result.total[length] == (batch.length == length).sum()
        assert result.correct[length] == right[batch.length == length].sum()
    assert result.accuracy == right.mean()
