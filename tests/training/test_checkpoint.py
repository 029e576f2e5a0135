"""Damaged and foreign checkpoints are refused by name; nothing is trained on them."""

import pytest
import torch

from lengthwise.core.errors import InputError
from lengthwise.records.progress import Interrupted
from lengthwise.runs.execute import execute
from lengthwise.runs.store import Store
from lengthwise.training.checkpoint import load_weights, weights_bytes
from lengthwise.training.loop import CHECKPOINT, Trainer


@pytest.fixture
def interrupted(tiny, tmp_path):
    spec, store = tiny(), Store(tmp_path / "store")
    with pytest.raises(Interrupted):
        execute(spec, store, should_stop=lambda: True)
    return spec, store, store.folder(spec) / CHECKPOINT


def test_a_cut_checkpoint_is_refused(interrupted):
    spec, store, path = interrupted
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError, match="damaged"):
        execute(spec, store)


def test_an_edited_checkpoint_is_refused(interrupted):
    spec, store, path = interrupted
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(InputError, match="checksum"):
        execute(spec, store)


def test_a_foreign_checkpoint_is_refused(interrupted, tiny):
    spec, store, path = interrupted
    other = tiny(steps=25)
    with pytest.raises(Interrupted):
        execute(other, store, should_stop=lambda: True)
    path.write_bytes((store.folder(other) / CHECKPOINT).read_bytes())
    with pytest.raises(InputError, match="another run"):
        execute(spec, store)


def test_something_else_entirely_is_refused(interrupted):
    spec, store, path = interrupted
    path.write_text("not tensors")
    with pytest.raises(InputError, match="not a safetensors file"):
        execute(spec, store)


def test_weights_round_trip_and_must_fit(tiny, tmp_path):
    one, two = Trainer(tiny(), tmp_path), Trainer(tiny("nope"), tmp_path)
    path = tmp_path / "weights.safetensors"
    path.write_bytes(weights_bytes(one.model, {"run": "x"}))
    fresh = Trainer(tiny().model_copy(update={"seed": 9}), tmp_path)
    assert load_weights(path, fresh.model)["run"] == "x"
    for ours, theirs in zip(fresh.model.parameters(), one.model.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    with pytest.raises(InputError, match=r"do not fit.*encoding\.table"):
        load_weights(path, two.model)
