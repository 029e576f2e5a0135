"""``runs verify``: what is wrong in a store, where, and what to do."""

import json
import os
import shutil
from pathlib import Path

import pytest

from lengthwise.runs.audit import audit
from lengthwise.runs.driver import drive
from lengthwise.runs.execute import execute
from lengthwise.runs.here import Here
from lengthwise.runs.job import Job
from lengthwise.runs.repair import check_tensors
from lengthwise.runs.store import Store
from lengthwise.runs.sweep import note_sweep
from tests.runs.helpers import table, tiny

BEFORE = Path(__file__).parents[1] / "snapshot" / "store-0.1.0.dev0"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("finished") / "store")
    specs = [tiny(seed) for seed in range(2)]
    for spec in specs:
        execute(spec, store, device="cpu")
    note_sweep(store, "two", specs)
    return store


@pytest.fixture
def store(finished, tmp_path):
    shutil.copytree(finished.root, tmp_path / "copy")
    return Store(tmp_path / "copy")


def flip(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(bytes(data))


def test_a_whole_store_has_nothing_wrong(run, store):
    code, out, err = run("runs", "verify", "--store", store.root)
    assert (code, err) == (0, "")
    assert "2 done" in out
    assert "nothing is damaged; weights were not read" in out
    code, out, _ = run("runs", "verify", "--digests", "--json", "--store", store.root)
    told = json.loads(out)
    assert (code, told["findings"], told["without_digests"]) == (0, [], [])
    assert told["states"] == {"done": 2, "unfinished": 0, "failed": 0, "damaged": 0}


def test_a_store_from_before_is_marked(run):
    code, out, _ = run("runs", "verify", "--digests", "--store", BEFORE)
    assert code == 0
    assert "without digests" in out
    assert len(audit(Store(BEFORE)).without_digests) == 1


@pytest.mark.parametrize("name", ["model.safetensors"])
def test_weights_are_read_on_request_and_repaired(run, store, name):
    """What only their digest tells is damage for ``--digests``, and mended by the same remedy."""
    expected, folder = table(store), store.folder(tiny())
    flip(folder / name, 600)
    assert run("runs", "verify", "--store", store.root)[0] == 0
    code, out, _ = run("runs", "verify", "--digests", "--json", "--store", store.root)
    (finding,) = json.loads(out)["findings"]
    assert (code, finding["run"], finding["file"]) == (1, folder.name, name)
    assert "--repair" in finding["remedy"]
    jobs = [Job(tiny(seed), store.root, "cpu", repair=True) for seed in range(2)]
    outcome = drive(jobs, Here())
    assert (outcome.done, outcome.before) == ([folder.name], [tiny(1).id])
    assert table(store) == expected
    assert audit(store, check_tensors).findings == ()


HARM = {
    "spec.json gone": (lambda f: (f / "spec.json").unlink(), "--repair"),
    "result.json cut": (lambda f: (f / "result.json").write_text("{"), "--repair"),
    "manifest.json gone": (lambda f: (f / "manifest.json").unlink(), "--repair"),
    "spec.json a pipe": (
        lambda f: ((f / "spec.json").unlink(), os.mkfifo(f / "spec.json")),
        "--repair",
    ),
}


@pytest.mark.parametrize("how", HARM)
def test_damage_has_a_place_and_a_remedy(run, store, how):
    folder = store.folder(tiny())
    HARM[how][0](folder)
    code, out, _ = run("runs", "verify", "--json", "--store", store.root)
    (finding,) = json.loads(out)["findings"]
    assert (code, finding["run"], finding["severity"]) == (1, folder.name, "damaged")
    assert finding["file"] == how.split()[0]
    assert HARM[how][1] in finding["remedy"]


def test_a_renamed_folder_is_told_its_name(store):
    folder = store.folder(tiny())
    folder.rename(store.root / "0123456789ab")
    (finding,) = audit(store).findings
    assert finding.remedy == f"rename the folder to {folder.name}, if that is what it holds"


def test_notes_are_no_damage(run, store):
    folder = store.folder(tiny())
    (folder / ".result.json.host-1-x.tmp").write_text("half")
    (store.root / ".sweeps").joinpath("two.txt").write_text("")
    found = audit(store)
    assert [f.severity for f in found.findings] == ["note"]
    assert run("runs", "verify", "--store", store.root)[0] == 0


def test_a_damaged_sweep_note_is_damage(run, store):
    (path,) = (store.root / ".sweeps").glob("*.json")
    path.write_text("[]")
    code, out, _ = run("runs", "verify", "--store", store.root)
    assert code == 1
    assert "remove it" in out


def test_an_interrupted_run_whose_checkpoint_is_damaged(store):
    from lengthwise.records.progress import Interrupted

    spec, asked = tiny(5), iter(range(3))
    with pytest.raises(Interrupted):
        execute(spec, store, device="cpu", should_stop=lambda: next(asked, None) is None)
    assert audit(store, check_tensors).findings == ()
    flip(store.folder(spec) / "checkpoint.safetensors", 690)
    (finding,) = audit(store, check_tensors).findings
    assert (finding.run, finding.file) == (spec.id, "checkpoint.safetensors")


def test_no_store_is_one_line(run, tmp_path):
    code, _, err = run("runs", "verify", "--store", tmp_path / "none")
    assert (code, err.count("\n")) == (2, 1)
