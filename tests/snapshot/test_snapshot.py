"""The package agrees with its snapshot. A change on purpose: ``python -m tests.snapshot.make``."""

import json
import shutil

import pytest

from tests.snapshot import collect, entry

STRENGTHS = ("-", "measured", "conjecture", "sampled", "exhaustive", "derivation", "proof")
"""From weakest to strongest."""


def same(kept, now):
    """Compare plain data and name every place where it differs."""
    found = list(collect.differences(kept, json.loads(json.dumps(now))))
    assert not found, "\n".join(found[:40])


def strength(label):
    """Return what a strength's words are worth; a greater length checked is worth more.

    Example: 'exhaustive to length 10' is more than 'exhaustive to length 7' and 'sampled'.
    """
    name, _, reach = label.partition(" to length ")
    return STRENGTHS.index(name), int(reach or 0)


def test_every_answer_about_the_published_languages():
    same(collect.read("answers"), collect.answers())


def test_every_cell_of_the_scoreboard(tmp_path):
    kept, now = collect.read("predictions"), collect.predictions(tmp_path)
    same({k: v["answer"] for k, v in kept.items()}, {k: v["answer"] for k, v in now.items()})
    weaker = [
        f"{cell}: {kept[cell]['strength']} -> {found['strength']}"
        for cell, found in now.items()
        if strength(found["strength"]) < strength(kept[cell]["strength"])
    ]
    assert not weaker, "\n".join(weaker)


@pytest.mark.parametrize("name", entry.STUDIES)
def test_every_number_of_the_kept_studies(name):
    same(collect.read(f"study-{name}"), collect.study(name))


@pytest.mark.parametrize("name", collect.RUNS)
def test_training_repeats(name, tmp_path):
    """To the last bit on a machine that is known, to 1e-4 in the losses on another."""
    kept, now = collect.read("training"), collect.training(name, tmp_path)
    here = [known["runs"][name] for known in kept if known["machine"] == collect.machine()]
    if here:
        same(here[0], now)
    for known in kept:
        found = list(collect.far_apart(known["runs"][name], now))
        assert not found, "\n".join(found)


every_store = pytest.mark.parametrize("path", collect.stores(), ids=lambda path: path.name)


@every_store
def test_stores_of_earlier_versions_are_read(path, tmp_path):
    store = shutil.copytree(path, tmp_path / "store")
    kept, now = collect.read("stores")[path.name], collect.stored(store)
    assert now.pop("attended") == pytest.approx(kept.pop("attended"), abs=1e-4)
    same(kept, now)


@every_store
def test_the_id_of_a_stored_run_is_that_of_its_specification(path):
    (folder,) = path.iterdir()
    spec = json.loads((folder / "spec.json").read_text())
    assert entry.run_id(spec) == folder.name
    assert entry.run_id({**spec, "seed": spec["seed"] + 1}) != folder.name


@every_store
def test_a_finished_run_is_not_trained_again(path, tmp_path):
    (folder,) = path.iterdir()
    store = shutil.copytree(path, tmp_path / "store")
    assert entry.train(collect.STORED, store)["id"] == folder.name
    kept, now = ((where / folder.name / "result.json").read_bytes() for where in (path, store))
    assert kept == now  # its seconds, too


@pytest.mark.parametrize("name", entry.SCRIPTS)
def test_what_started_without_torch_still_does(name):
    """Times are recorded for information; what is imported does not depend on the machine."""
    loaded = entry.modules(entry.SCRIPTS[name])
    assert "lengthwise" in loaded
    assert collect.read("costs")[name]["torch"] or "torch" not in loaded


def test_differences_are_named_by_their_place():
    kept = {"a": [1, {"b": 2}], "c": None}
    assert list(collect.differences(kept, kept)) == []
    assert list(collect.differences(kept, {"a": [1, {"b": 3}]})) == [
        "/a/1/b: 2 -> 3",
        f"/c: None -> {collect.ABSENT!r}",
    ]
