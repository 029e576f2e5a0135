"""The store: whole files or none, damage reported, one process per run."""

import errno
import json
import os

import pytest

from lengthwise.core import files
from lengthwise.core.errors import InputError
from lengthwise.core.files import write_bytes
from lengthwise.records.manifest import BOUND, MANIFEST
from lengthwise.records.record import load_result
from lengthwise.records.spec import RunSpec
from lengthwise.runs import store as stores
from lengthwise.runs.execute import execute
from lengthwise.runs.local import execute_all
from lengthwise.runs.processes import Plan, plan
from lengthwise.runs.store import BusyError, Store


def tiny(seed=0, **training):
    return RunSpec.create(
        task="binary-majority",
        position="nope",
        model={"layers": 1, "heads": 1, "width": 8},
        training={"length": (1, 5), "steps": 6, "batch": 4, "evaluate_every": 3, **training},
        evaluation={"lengths": ((6, 8),), "instances": 20},
        seed=seed,
    )


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def test_a_run_leaves_its_files_and_nothing_else(store):
    spec = tiny()
    result = execute(spec, store)
    names = {path.name for path in store.folder(spec).iterdir()}
    assert names == {*BOUND, MANIFEST, ".lock"}
    record = store.find(spec.id[:5])
    assert record.state == "done"
    assert load_result(record) == result


def test_a_full_disk_leaves_a_readable_folder(store, monkeypatch):
    """Every write after the specification fails; the run can be continued afterwards."""
    spec = tiny()
    store.open(spec)
    real = os.fsync

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(InputError, match="the disk is full"):
        execute(spec, store)
    assert store.record(store.folder(spec)).state == "unfinished"
    assert not list(store.folder(spec).glob(".*.tmp"))
    monkeypatch.setattr(files.os, "fsync", real)
    assert execute(spec, store).metrics == execute(spec, Store(store.root / "other")).metrics


def test_a_failed_write_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_bytes(path, b"old")
    monkeypatch.setattr(files.os, "fsync", lambda d: (_ for _ in ()).throw(OSError(errno.EIO, "x")))
    with pytest.raises(InputError, match="cannot write"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_damaged_folders_are_listed_not_raised(store):
    good, bad, strange = tiny(0), tiny(1), tiny(2)
    execute(good, store)
    (store.open(bad) / "spec.json").write_text("{ cut")
    data = strange.model_dump(mode="json") | {"surprise": 1}
    (store.open(strange) / "spec.json").write_text(json.dumps(data))
    states = {record.id: record for record in store.records()}
    assert states[good.id].state == "done"
    assert states[bad.id].state == "damaged"
    assert "surprise" in states[strange.id].problem


def test_two_processes_do_not_execute_one_run(store):
    spec = tiny()
    folder = store.open(spec)
    with store.lock(folder), pytest.raises(InputError, match="another process"):
        execute(spec, store)
    execute(spec, store)


def test_unknown_and_ambiguous_ids(store):
    specs = [tiny(seed) for seed in range(20)]
    for spec in specs:
        store.open(spec)
    with pytest.raises(InputError, match="unknown run"):
        store.find("zz")
    with pytest.raises(InputError, match="ambiguous"):
        store.find("")


def test_processes_give_the_same_results_as_one_process(store, tmp_path):
    specs = [tiny(seed) for seed in range(3)]
    seen = []
    many = execute_all(
        specs, store, Plan(2, 1), device="cpu", on_progress=lambda s, p: seen.append((s.seed, p))
    )
    one = execute_all(specs, Store(tmp_path / "one"), Plan(1, 1), device="cpu")
    assert [r.metrics for r in many] == [r.metrics for r in one]
    assert {seed for seed, _ in seen} == {0, 1, 2}


def test_a_failure_in_a_worker_reaches_the_user(store):
    specs = [tiny(0), tiny(1)]
    folder = store.open(specs[1])
    (folder / "checkpoint.safetensors").write_text("junk")
    with pytest.raises(InputError, match="not a safetensors file"):
        execute_all(specs, store, Plan(2, 1), device="cpu")


def test_plan_uses_every_core_once(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(4)), raising=False)
    small, wide = (
        tiny(),
        tiny().model_copy(update={"model": tiny().model.model_copy(update={"width": 512})}),
    )
    assert plan([small] * 9) == Plan(4, 1)
    assert plan([small]) == Plan(1, 1)
    assert plan([wide]) == Plan(1, 4)
    assert plan([wide, wide]) == Plan(2, 2)
    assert plan([small] * 9, jobs=3, threads=2) == Plan(3, 2)


@pytest.mark.parametrize("text", ['{"bins": [', "null", "{}", '{"steps": 2}', "[]"])
def test_a_damaged_result_is_named_with_what_helps(tmp_path, text):
    store, spec = Store(tmp_path), tiny()
    folder = store.open(spec)
    (folder / "result.json").write_text(text)
    record = store.record(folder)
    assert record.state == "damaged"
    with pytest.raises(InputError, match="--again"):
        load_result(record)


def refusing(code):
    def flock(handle, how):
        raise OSError(code, os.strerror(code))

    return flock


def test_a_file_system_without_locks_is_used_without(store, monkeypatch):
    folder, begun = store.open(tiny()), []
    for code in (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP):
        monkeypatch.setattr(stores.fcntl, "flock", refusing(code))
        with store.lock(folder):
            begun.append(code)
        assert not store.running(folder)
    assert len(begun) == 3


def test_a_lock_that_fails_is_not_called_another_process(store, monkeypatch):
    folder = store.open(tiny())
    monkeypatch.setattr(stores.fcntl, "flock", refusing(errno.EIO))
    with pytest.raises(InputError, match="cannot be locked") as refused, store.lock(folder):
        pass
    assert not isinstance(refused.value, BusyError)


def test_folders_that_are_no_runs_are_not_listed(store):
    spec = tiny()
    store.open(spec)
    (store.root / "figures").mkdir()
    (store.root / "figures" / "a.pdf").write_text("")
    (store.root / "notes.txt").write_text("")
    (store.root / "0123456789ab").mkdir()  # a run that was killed before it wrote anything
    assert [folder.name for folder in store.folders()] == [spec.id]
