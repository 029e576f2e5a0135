"""A run tells the whole truth, or which of its files is damaged."""

import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lengthwise.core import files
from lengthwise.core.errors import InputError
from lengthwise.records.manifest import BOUND, MANIFEST, Digest, Manifest
from lengthwise.records.progress import Interrupted
from lengthwise.records.record import CHECKPOINT, read_record
from lengthwise.runs.driver import drive
from lengthwise.runs.execute import execute
from lengthwise.runs.here import Here
from lengthwise.runs.index import detail, rows
from lengthwise.runs.job import Job
from lengthwise.runs.query import query
from lengthwise.runs.store import Store
from lengthwise.runs.trained import load_run
from lengthwise.training.checkpoint import BEFORE
from tests.runs.helpers import table, tiny

BEFORE_MANIFESTS = Path(__file__).parent / "data" / "before"
"""A finished and an interrupted run, as version 0.1.0.dev0 first wrote them."""
TEXTS = (*BOUND[:3], MANIFEST)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("finished"))
    for seed in range(2):
        execute(tiny(seed), store, device="cpu")
    return store


@pytest.fixture
def store(finished, tmp_path):
    shutil.copytree(finished.root, tmp_path / "store")
    return Store(tmp_path / "store")


@pytest.fixture
def folder(store):
    return store.folder(tiny())


def flip(path, place, bit=0):
    data = bytearray(path.read_bytes())
    data[place] ^= 1 << bit
    path.write_bytes(bytes(data))


def interrupted(store, spec, steps):
    """Begin a run and stop it after some steps."""
    seen = iter(range(steps - 1))
    with pytest.raises(Interrupted):
        execute(spec, store, device="cpu", should_stop=lambda: next(seen, None) is None)
    return store.folder(spec)


def known(folder):
    """Everything that a record says, to be compared."""
    return read_record(folder), detail(read_record(folder))


def test_the_manifest_knows_every_file(folder):
    record = read_record(folder)
    assert record.state == "done"
    digests = {name: Digest.of((folder / name).read_bytes()) for name in BOUND}
    assert record.manifest == Manifest(folder.name, digests)


@pytest.mark.parametrize("name", TEXTS)
def test_no_flipped_bit_is_taken_for_the_truth(folder, name):
    """Every byte of every small file, one bit each: the record is the same or says damaged."""
    expected, path = known(folder), folder / name
    whole = path.read_bytes()
    for place in range(len(whole)):
        flip(path, place, place % 8)
        record = read_record(folder)
        assert record.state == "damaged", (name, place)
        assert record.problem.partition(": ")[0] in (name, MANIFEST)
        assert record.result is None
        path.write_bytes(whole)
    assert known(folder) == expected


@pytest.mark.parametrize("name", BOUND[:3])
def test_no_flipped_bit_changes_a_measurement_of_a_run_without_digests(tmp_path, name):
    """Counts, losses and steps stand in two files; the specification has its hash in its name."""
    folder = tmp_path / "ea0113416244"
    shutil.copytree(BEFORE_MANIFESTS / folder.name, folder)
    expected, path = read_record(folder), folder / name
    assert expected.state == "done"
    whole, missed = path.read_bytes(), set()
    for place in range(len(whole)):
        flip(path, place, place % 8)
        record = read_record(folder)
        if record.state == "done":
            assert record.spec == expected.spec
            assert record.history == expected.history
            assert record.bins == expected.bins
            assert record.result.steps == expected.result.steps
            missed |= {f for f, value in record.result if value != getattr(expected.result, f)}
        path.write_bytes(whole)
    assert missed <= {"stopped", "seconds", "environment"}  # said once: why there are digests now


def test_weights_are_compared_when_they_are_loaded(folder, store):
    path = folder / "model.safetensors"
    load_run(store, folder.name)
    for place in (9, 300, path.stat().st_size - 1):
        flip(path, place)
        with pytest.raises(InputError, match=r"is damaged: model.safetensors: .*sha256"):
            load_run(store, folder.name)
        flip(path, place)
    path.write_bytes(path.read_bytes()[:-1])
    assert read_record(folder).problem.startswith("model.safetensors: ")
    path.unlink()
    assert read_record(folder).problem == "model.safetensors: missing"


@pytest.mark.parametrize("name", [*BOUND, MANIFEST])
def test_a_file_of_another_run_is_damage(store, folder, name):
    shutil.copy(store.folder(tiny(1)) / name, folder / name)
    if name == "model.safetensors":  # of the same size: seen when it is loaded
        with pytest.raises(InputError, match="sha256"):
            load_run(store, folder.name)
    else:
        assert read_record(folder).state == "damaged"


def test_a_folder_with_another_name_is_damage(store, folder):
    folder.rename(store.root / "0123456789ab")
    (record,) = [r for r in store.records() if r.id == "0123456789ab"]
    assert record.problem == f"manifest.json: it belongs to run {folder.name}"
    (record.folder / MANIFEST).unlink()
    assert "specification of run" in read_record(record.folder).problem


def test_a_lost_manifest_is_noticed(folder):
    (folder / MANIFEST).unlink()
    assert read_record(folder).problem == "manifest.json: missing"


def test_a_run_being_made_anew_is_not_called_damaged(store, folder):
    (folder / "result.json").unlink()
    assert store.record(folder).state == "damaged"
    with store.lock(folder):
        assert store.record(folder).state == "unfinished"


class TestRunsFromBefore:
    """Stores without digests are read, and continued."""

    @pytest.fixture
    def before(self, tmp_path):
        shutil.copytree(BEFORE_MANIFESTS, tmp_path / "before")
        return Store(tmp_path / "before")

    def test_they_are_read_and_marked(self, before):
        record = before.find("ea01")
        assert (record.state, record.manifest, record.spec) == ("done", None, tiny())
        states = {row["id"]: (row["state"], row["digests"]) for row in rows(before)}
        assert states == {"ea0113416244": ("done", False), "7c03f6db580d": ("unfinished", None)}
        assert load_run(before, "ea01").id == "ea0113416244"

    def test_their_specification_is_checked_as_it_is_written(self, before):
        """A form with one field less: the id is that of what is written."""
        data = json.loads((before.find("ea01").folder / "spec.json").read_text())
        del data["training"]["compiled"]
        from lengthwise.records.spec import content_id

        folder = before.root / content_id(data)
        shutil.copytree(before.find("ea01").folder, folder)
        (folder / "spec.json").write_text(json.dumps(data))
        assert read_record(folder).state == "done"
        assert read_record(folder).spec == tiny()

    @pytest.mark.parametrize("harm", ["none", "cut", "deleted", "one missing"])
    def test_an_interrupted_one_is_continued_or_begun_anew(self, before, tmp_path, harm):
        spec = tiny(3, steps=9)
        path = before.folder(spec) / "events.jsonl"
        if harm == "cut":
            path.write_bytes(path.read_bytes()[:50])
        elif harm == "deleted":
            path.unlink()
        elif harm == "one missing":
            path.write_bytes(b"")
        result = execute(spec, before, device="cpu")
        whole = execute(spec, Store(tmp_path / "whole"), device="cpu")
        assert result.bins == whole.bins
        assert [event.step for event in result.history] == [3, 6, 9]
        losses = [event.loss for event in whole.history]
        if harm == "none":  # the kept checkpoint is of another processor, the last bits may differ
            losses = pytest.approx(losses, rel=1e-5)
        assert [event.loss for event in result.history] == losses
        assert before.find(spec.id).manifest is not None

    @pytest.mark.parametrize("change", [b'"step": "10"', b'"step": "-1"', b'"step": "x "'])
    def test_a_step_that_cannot_be_is_refused(self, before, change):
        spec = tiny(3, steps=9)
        path = before.folder(spec) / CHECKPOINT
        data = path.read_bytes()
        assert BEFORE.encode() in data
        old = rb"\"step\": \"5\""
        new = change.replace(b'"', rb"\"")
        assert old in data
        length = int.from_bytes(data[:8], "little")
        header = data[8 : 8 + length].replace(old, new).rstrip()
        header += b" " * (-len(header) % 8)
        path.write_bytes(len(header).to_bytes(8, "little") + header + data[8 + length :])
        with pytest.raises(InputError, match="damaged"):
            execute(spec, before, device="cpu")


LONGER = tiny(5, steps=30, stop_when_perfect=False)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("whole"))
    execute(LONGER, store, device="cpu")
    return table(store)


class TestResuming:
    """Whatever happens to the evaluations, the run ends as if nothing had."""

    @pytest.mark.parametrize("steps", [1, 3, 7, 30])
    @pytest.mark.parametrize("harm", ["deleted", "cut", "empty", "ahead", "of another run"])
    def test_events_follow_the_checkpoint(self, tmp_path, whole, steps, harm):
        store = Store(tmp_path)
        path = interrupted(store, LONGER, steps) / "events.jsonl"
        data = path.read_bytes() if path.exists() else b""
        if harm == "deleted":
            path.unlink(missing_ok=True)
        elif harm == "cut":
            path.write_bytes(data[: len(data) // 2])
        elif harm == "empty":
            path.write_bytes(b"")
        elif harm == "ahead":  # killed between the two writes
            last = data.splitlines(keepends=True)[-1:] or [b'{"step":3,"loss":1.0,"bins":[]}\n']
            path.write_bytes(data + last[0].replace(b'"step":', b'"step":9'))
        else:
            path.write_text('{"step": 3}\n')
        result = execute(LONGER, store, device="cpu")
        assert result.steps == 30
        assert table(store) == whole

    def test_a_flipped_fact_of_the_checkpoint_is_noticed(self, tmp_path, whole):
        """Every byte of its header: refused, or the run ends as it should."""
        store = Store(tmp_path)
        path = interrupted(store, LONGER, 7) / CHECKPOINT
        data = path.read_bytes()
        saved = {p.name: p.read_bytes() for p in path.parent.iterdir()}
        length = 8 + int.from_bytes(data[:8], "little")
        facts = data.index(b"__metadata__")
        for place in range(facts, length, 29):
            flip(path, place, place % 7)
            try:
                execute(LONGER, store, device="cpu")
            except InputError:
                pass
            else:
                assert table(store) == whole
                for name, content in saved.items():
                    (path.parent / name).write_bytes(content)
                (path.parent / MANIFEST).unlink()
                (path.parent / "result.json").unlink()
            path.write_bytes(data)

    def test_killed_at_every_write(self, finished, tmp_path, monkeypatch):
        """The process ends before or behind any of its renames; the next one finishes."""

        class Killed(BaseException):
            pass

        real, expected, spec = os.fsync, table(finished), tiny()
        for number in range(100):
            store, count = Store(tmp_path / str(number)), iter(range(number))

            def sync(descriptor, count=count):
                if next(count, None) is None:
                    raise Killed
                return real(descriptor)

            monkeypatch.setattr(files.os, "fsync", sync)
            try:
                execute(spec, store, device="cpu")
            except Killed:
                monkeypatch.setattr(files.os, "fsync", real)
                assert store.record(store.folder(spec)).state in ("unfinished", "done")
            else:
                assert number == 16  # 8 files, synced before they get their name and behind it
                return
            execute(spec, store, device="cpu")
            assert table(store)[spec.id] == expected[spec.id]
            assert not list(store.folder(spec).glob(".*.tmp"))


class TestRepair:
    @pytest.mark.parametrize("name", [*BOUND, MANIFEST])
    @pytest.mark.parametrize("harm", ["flipped", "gone", "a folder", "a pipe", "a loop"])
    def test_what_is_whole_is_kept(self, store, folder, name, harm):
        """Only a lost result or lost weights have to be trained again."""
        expected, path = table(store), folder / name
        result = (folder / "result.json").stat().st_mtime_ns
        if harm == "flipped":
            flip(path, 20)
        else:
            path.unlink()
        if harm == "a folder":
            path.mkdir()
        elif harm == "a pipe":
            os.mkfifo(path)
        elif harm == "a loop":
            path.symlink_to(path)
        if harm == "flipped" and name == "model.safetensors":
            path.write_bytes(path.read_bytes()[:-8])  # what a listing sees
        assert store.record(folder).state == "damaged"
        job = Job(tiny(), store.root, "cpu")
        outcome = drive([job], Here())
        assert list(outcome.damaged) == [folder.name]
        outcome = drive([Job(tiny(), store.root, "cpu", repair=True)], Here())
        assert outcome.damaged == {}
        kept = name not in ("result.json", "model.safetensors")
        assert (folder.name in outcome.before) == kept
        assert table(store) == expected
        assert ((folder / "result.json").stat().st_mtime_ns == result) == kept

    def test_several_at_once(self, store, folder):
        expected = table(store)
        flip(folder / "spec.json", 5)
        (folder / "events.jsonl").unlink()
        assert drive([Job(tiny(), store.root, "cpu", repair=True)], Here()).done == []
        assert table(store) == expected
        flip(folder / MANIFEST, 40)
        (folder / "events.jsonl").unlink()  # nothing vouches for the counts
        assert drive([Job(tiny(), store.root, "cpu", repair=True)], Here()).done == [folder.name]
        assert table(store) == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


def places(value, path=()):
    """Yield the path of every node of plain data."""
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.sampled_from(["spec.json", "result.json", "events.jsonl", MANIFEST]), JSON)
def test_another_structure_is_damage_and_harms_nobody(finished, tmp_path_factory, data, name, new):
    """Somebody rewrites a part of a file, even with a digest that fits: no command falls over."""
    store = Store(tmp_path_factory.mktemp("mutated") / "store")
    shutil.copytree(finished.root, store.root)
    folder = store.folder(tiny())
    lines = (folder / name).read_text().splitlines() if name == "events.jsonl" else None
    old = json.loads(lines[0] if lines else (folder / name).read_text())
    path = data.draw(st.sampled_from(list(places(old))))
    text = json.dumps(replaced(old, path, new))
    (folder / name).write_text("\n".join([text, *lines[1:], ""]) if lines else text)
    if name != MANIFEST:
        contents = {n: (folder / n).read_bytes() for n in BOUND}
        Manifest(folder.name, {n: Digest.of(c) for n, c in contents.items()}).write(folder)
    expected = read_record(finished.folder(tiny()))
    record = store.record(folder)
    if record.state == "done":
        assert record.spec == expected.spec
        assert record.history == expected.history
    else:
        assert record.state == "damaged"
    listed = {row["id"]: row for row in rows(store)}
    assert listed[folder.name]["state"] == record.state
    assert listed[tiny(1).id]["state"] == "done"
    json.dumps(list(listed.values()), allow_nan=False)
    assert dict(query(store, "select id, state from runs").rows)[folder.name] == record.state
