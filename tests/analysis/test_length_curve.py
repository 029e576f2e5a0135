"""A finished model at other lengths: what is measured, kept, found and refused."""

import json

import numpy as np
import pytest

import lengthwise as lw
from lengthwise.analysis.length_curve import LengthCurve
from lengthwise.core.components import Component
from lengthwise.core.errors import InputError
from lengthwise.evaluation.exact import correct_rows
from lengthwise.evaluation.metrics import METRICS, candidates
from lengthwise.runs.evaluations import EVALUATIONS
from lengthwise.runs.store import Store
from lengthwise.subjects.model import Model, read_model
from lengthwise.tasks import TASKS, load_task
from lengthwise.training.loop import Trainer

TINY = {"layers": 1, "heads": 1, "width": 8, "steps": 3, "instances": 4, "jobs": 1, "device": "cpu"}
TINY |= {"train_length": "1:4", "test_length": ["5:6"]}
PARITY = Component.parse("parity", TASKS)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    store = tmp_path_factory.mktemp("runs")
    return lw.train("parity", encoding=["nope", "ape"], store=store, progress=False, **TINY)


class Threshold(Model):
    """Right up to a length, and it counts what it was asked."""

    def __init__(self, right_to: int, takes: int = 10**6) -> None:
        self.right_to, self.takes, self.asked = right_to, takes, []

    name = "threshold"
    decoder = None

    def prepared(self, task, metric):
        return task

    def right(self, task, batch, metric):
        self.asked.append(int(batch.length[0]))
        if batch.length.max() > self.takes:
            raise InputError("too long.")
        return batch.length <= self.right_to

    def reply(self, words, stop, limit):
        return []


@pytest.mark.parametrize("right_to", [1, 2, 3, 7, 8, 9, 31, 64, 77, 99, 100])
def test_the_reach_is_the_last_length_above_the_line(right_to):
    model = Threshold(right_to)
    found = LengthCurve(model, PARITY, instances=2).reach(0.7, 1, 100)
    assert found.length == right_to
    assert found.below == (right_to + 1 if right_to < 100 else None)
    assert len(model.asked) <= 16
    assert len(set(model.asked)) == len(model.asked)


def test_a_model_that_takes_no_longer_input_ends_the_search():
    found = LengthCurve(Threshold(90, takes=50), PARITY, instances=2).reach(0.7, 1, 100)
    assert (found.length, found.below, found.refused) == (50, 51, "length 51: too long.")
    with pytest.raises(InputError, match="length 60: too long"):
        LengthCurve(Threshold(90, takes=50), PARITY, instances=2).reach(0.7, 60, 100)


def test_nothing_is_measured_if_the_longest_is_refused():
    model = Threshold(90, takes=50)
    with pytest.raises(InputError, match="length 60: too long"):
        LengthCurve(model, PARITY, instances=2).over(1, 60)
    assert model.asked == [60]


def test_a_range_is_what_its_lengths_are_one_by_one(trained):
    model = trained.model()
    whole = LengthCurve(model, PARITY, instances=20, again=True).over(1, 9)
    one = [LengthCurve(model, PARITY, instances=20, again=True).over(n, n) for n in range(1, 10)]
    assert whole.correct == {n: part.correct[n] for n, part in enumerate(one, start=1)}
    assert whole.total == dict.fromkeys(range(1, 10), 20)


def test_exact_agrees_with_the_reference_at_one_length(trained):
    model, task = trained.model(), load_task("parity")
    batch = task.sample(np.random.default_rng(3), np.full(30, 7))
    right = model.right(task, batch, "exact")
    for row in range(30):
        one = batch.rows(np.array([row]))
        logits = model.decoder(*_tensors(one)).argmax(-1)[0].numpy()
        marked = one.supervised[0]
        assert right[row] == (logits[marked] == one.targets[0][marked]).all()


def _tensors(batch):
    import torch

    return (torch.from_numpy(batch.tokens),)


def test_likelihood_lets_only_the_asked_symbols_compete(trained):
    model, task = trained.model(), load_task("parity")
    batch = task.sample(np.random.default_rng(3), np.full(40, 5))
    among = candidates(task, batch)
    assert {task.vocabulary.text(int(t)) for t in among} == {"e", "o", "<eos>"}
    every = np.arange(len(task.vocabulary))
    exact = correct_rows(model.decoder, batch)
    assert (correct_rows(model.decoder, batch, among=every) == exact).all()
    assert (METRICS["likelihood"](model.decoder, task, batch) >= exact).all()


def test_what_was_measured_is_kept_and_read(trained, monkeypatch):
    store, run = trained.store, trained[0].spec.id
    first = lw.evaluate(run, length="1:9", instances=10, store=store)
    assert (store / run / EVALUATIONS).is_file()
    assert Store(store).find(run).state == "done"
    again = lw.evaluate(run, length=(1, 9), instances=10, store=store)
    assert (again.accuracy, again.kept) == (first.accuracy, 9)
    monkeypatch.setattr(LengthCurve, "_measure", None)
    assert lw.evaluate(run, length="2:5", instances=10, store=store).accuracy.lengths == [
        2,
        3,
        4,
        5,
    ]
    with pytest.raises(TypeError):
        lw.evaluate(run, length="1:10", instances=10, store=store)


def test_other_weights_have_none_of_it(trained, tmp_path):
    lw.train("parity", encoding="nope", store=tmp_path, progress=False, **TINY)
    run = trained[0].spec.id
    lw.evaluate(run, length="1:3", store=tmp_path)
    path = tmp_path / run / EVALUATIONS
    data = json.loads(path.read_text())
    data[0]["question"]["weights"] = "of another training"
    path.write_text(json.dumps(data))
    assert lw.evaluate(run, length="1:3", store=tmp_path).kept == 0


@pytest.mark.parametrize("text", ["{", "[{}]", '[{"question": 1, "accuracy": 2}]'])
def test_a_damaged_file_is_named(trained, tmp_path, text):
    lw.train("parity", encoding="nope", store=tmp_path, progress=False, **TINY)
    run = trained[0].spec.id
    (tmp_path / run / EVALUATIONS).write_text(text)
    with pytest.raises(InputError, match=r"evaluations\.json: .*remove it"):
        lw.evaluate(run, length="1:3", store=tmp_path)


def test_a_table_of_positions_is_named_before_anything_is_measured(trained):
    with pytest.raises(InputError, match="length 50: position 52 is beyond the learned table"):
        lw.evaluate(trained[1], length="1:50", store=trained.store)
    assert not (trained.store / trained[1].spec.id / EVALUATIONS).exists()


def test_models_by_every_name(trained, tmp_path):
    store, run = trained.store, trained[0].spec.id
    names = [run[:5], str(store / run), str(store / run / "model.safetensors")]
    found = [lw.evaluate(name, length="1:5", store=store).to_json() for name in names]
    assert found[0] == found[1] == found[2]
    assert lw.evaluate(lw.load(run, store=store), length="1:5").to_json() == found[0]


def test_a_checkpoint_is_the_run_at_its_step(trained, tmp_path):
    spec = trained[0].spec
    folder = Store(tmp_path).open(spec)
    trainer = Trainer(spec, folder)
    trainer.train_step()
    trainer.save()
    model = read_model(str(folder / "checkpoint.safetensors"))
    assert "at step 1" in model.name
    for ours, theirs in zip(model.decoder.parameters(), trainer.model.parameters(), strict=True):
        assert ours.equal(theirs)
    with pytest.raises(InputError, match="is unfinished; its checkpoint is"):
        read_model(spec.id, tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"length": "5"}, "write 1:5"),
        ({"length": 5}, "use low:high"),
        ({"until": "170%"}, "such as 70%"),
        ({"until": "much"}, "such as 70%"),
        ({"metric": "loss"}, "choose one of exact, answer, likelihood"),
        ({"task": "majority"}, "has other symbols"),
        ({"task": "regex:(ab)*"}, "has other symbols"),
    ],
)
def test_mistakes(trained, options, message):
    with pytest.raises(InputError, match=message):
        lw.evaluate(trained[0], store=trained.store, **options)


def test_names_that_are_no_model(tmp_path):
    (tmp_path / "empty").mkdir()
    for name in ("x.safetensors", "notes.txt", "weights.pt"):
        (tmp_path / name).write_bytes(b"nothing")
    for name, message in {
        "x.safetensors": "damaged, or not a safetensors file",
        "y.safetensors": "there is no such file",
        "empty": "a folder without spec.json",
        "notes.txt": "not a model; name its folder",
        "weights.pt": "pickled weights can run code",
        "nowhere": "there is no such file or folder",
    }.items():
        with pytest.raises(InputError, match=message):
            read_model(str(tmp_path / name))
    with pytest.raises(InputError, match=r"unknown run .* Known: none\."):
        read_model("abc", tmp_path)


def test_compiled_programs_are_right_on_their_own_language():
    compiled = lw.compile("(ab)*", length=30)
    found = lw.evaluate(compiled, task="(ab)*", length="0:20", instances=20)
    assert found.accuracy.accuracy == 1.0
    other = lw.evaluate(compiled, task="(ab|ba)*", length="2:6", instances=20)
    assert 0 < other.accuracy.accuracy < 1
    with pytest.raises(InputError, match="no task of its own"):
        lw.evaluate(compiled, length="1:5")
    with pytest.raises(InputError, match="name some with --length"):
        lw.evaluate(compiled, task="(ab)*")
    with pytest.raises(InputError, match="no probabilities"):
        lw.evaluate(compiled, task="(ab)*", length="1:5", metric="likelihood")
    with pytest.raises(InputError, match="evaluated on a regular language"):
        lw.evaluate(compiled, task="unique-copy", length="1:5")


def test_a_compiled_generator_solves_its_task():
    compiled = lw.compile("generate-binary-majority", length=60)
    found = lw.evaluate(compiled, task="binary-majority", length="1:20", instances=10)
    assert found.accuracy.accuracy == 1.0
    wrong = lw.compile("generate-majority", length=60)
    with pytest.raises(InputError, match="is not in the model's alphabet"):
        lw.evaluate(wrong, task="binary-majority", length="1:5")


def test_runs_answer_prompts_and_label_words(trained, tmp_path):
    (row,) = lw.ask(trained[0], "0 1 1", store=trained.store).rows
    assert row["prompt"] == "<bos> 0 1 1 <sep>"
    assert lw.ask(trained[0], "011 <sep>", store=trained.store).rows[0]["written"] == row["written"]
    labels = lw.train("(ab)*", encoding="nope", store=tmp_path, progress=False, **TINY)
    (told,) = lw.ask(labels[0], "abab", store=tmp_path).rows
    assert told["read"] == "<bos> a b a b"
    assert len(told["labels"].split()) == 5
    with pytest.raises(InputError, match="symbol '7' at position"):
        lw.ask(trained[0], "0 7", store=trained.store)
