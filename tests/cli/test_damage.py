"""A damaged run is named by every command that counts runs, and never taken for a result."""

import json
import os
import shutil

import pytest

from lengthwise.playground.results import runs as playground_runs
from lengthwise.playground.results import sweep as playground_sweep
from lengthwise.records.spec import content_id
from lengthwise.runs.job import note_failure
from lengthwise.runs.store import Store
from lengthwise.runs.sweep import load_sweep, note_sweep
from tests.runs.helpers import finish_untrained

SWEEP = """
name = "four"
[axes]
task = ["binary-majority"]
position = ["nope", "rope"]
seed = [0, 1]
[fixed]
"model.layers" = 1
"model.heads" = 1
"model.width" = 8
"training.length" = [1, 5]
"training.steps" = 6
"training.batch" = 4
"training.evaluate_every" = 3
"evaluation.lengths" = [[6, 8]]
"evaluation.instances" = 20
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    root = tmp_path_factory.mktemp("damage")
    (root / "four.toml").write_text(SWEEP)
    store, specs = Store(root / "store"), load_sweep(root / "four.toml").specs()
    for spec in specs:
        finish_untrained(spec, store)
    note_sweep(store, "four", specs)
    return root, specs


@pytest.fixture
def folder(whole, tmp_path, monkeypatch):
    """The folder of the first run, in a copy of the store that is the default one."""
    root, specs = whole
    shutil.copytree(root, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    monkeypatch.setenv("LENGTHWISE_STORE", "store")
    return Store().folder(specs[0]).absolute()


def _edit(path, change):
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def _result(change):
    return lambda folder: _edit(folder / "result.json", change)


def _of_another_run(folder):
    other = next(path for path in folder.parent.glob("*/spec.json") if path.parent != folder)
    shutil.copy(other, folder / "spec.json")


DAMAGE = {
    "cut": (lambda f: (f / "result.json").write_text('{"bins'), "result.json of RUN: not JSON"),
    "empty": (lambda f: (f / "result.json").write_text(""), "result.json of RUN: not JSON"),
    "not an object": (lambda f: (f / "result.json").write_text("[]"), "result.json of RUN: "),
    "a part is missing": (_result(lambda d: d.pop("bins")), "result.json of RUN: bins"),
    "text for a number": (_result(lambda d: d.update(steps="6")), "result.json of RUN: steps"),
    "truth for a number": (_result(lambda d: d.update(steps=True)), "result.json of RUN: steps"),
    "not a number": (_result(lambda d: d.update(seconds=float("nan"))), "result.json of RUN: sec"),
    "too many steps": (_result(lambda d: d.update(steps=7)), "result.json of RUN: 7 steps of 6"),
    "more correct than tried": (
        _result(lambda d: d["bins"][0]["correct"].update({"1": 3})),
        "result.json of RUN: bins.0",
    ),
    "other counts than its history": (
        _result(lambda d: d["bins"][0]["correct"].update({"1": 1})),
        "result.json of RUN: it is not what its history",
    ),
    "deep": (lambda f: (f / "result.json").write_text("[" * 10**6), "result.json of RUN: not JSON"),
    "a folder": (
        lambda f: ((f / "result.json").unlink(), (f / "result.json").mkdir()),
        "result.json of RUN: ",
    ),
    "larger than the memory": (
        lambda f: os.truncate(f / "result.json", 50 << 30),
        "result.json of RUN: more than 268,435,456 bytes",
    ),
    "something to wait for": (
        lambda f: ((f / "result.json").unlink(), (f / "result.json").symlink_to("/proc/kmsg")),
        "result.json of RUN: ",
    ),
    "no specification": (lambda f: (f / "spec.json").unlink(), "spec.json of RUN: missing"),
    "specification cut": (
        lambda f: (f / "spec.json").write_text('{"task'),
        "spec.json of RUN: not JSON",
    ),
    "specification of another run": (
        _of_another_run,
        "spec.json of RUN: it is the specification of run ",
    ),
}


@pytest.fixture(params=["cut", "a folder", "no specification"])
def damaged(request, folder):
    """A damaged run: its id and how its damage is named."""
    harm, line = DAMAGE[request.param]
    harm(folder)
    return folder.name, "damaged: " + line.replace("RUN", folder.name)


@pytest.mark.parametrize("how", DAMAGE)
def test_all_damage_is_seen(run, folder, how):
    harm, line = DAMAGE[how]
    harm(folder)
    code, out, err = run("runs", "--json", "--state", "damaged")
    assert (code, [row["id"] for row in json.loads(out)]) == (0, [folder.name])
    assert err.startswith("damaged: " + line.replace("RUN", folder.name))
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("runs", 0),
        ("runs --json", 0),
        ("runs query --json 'select count(*) as n from runs'", 0),
        ("runs query 'select avg(accuracy) from bins'", 1),
        ("runs export --csv out.csv --table lengths", 1),
        ("report --no-predict -o page.html", 1),
        ("plot -o plot.svg", 1),
        ("analyse ranks --encoding nope --encoding rope", 1),
        ("runs select four.toml", 1),
        ("sweep four.toml --no-calibrate", 1),
        ("sweep four.toml --no-calibrate --json", 1),
        ("runs work --sweep four.toml", 1),
    ],
)
def test_every_command_names_it(run, damaged, words, code):
    import shlex

    found, out, err = run(*shlex.split(words))
    assert found == code, err
    if "from runs" in words:  # the table has a row for every run, whatever its state
        assert json.loads(out) == [{"n": 4}]
    elif words.endswith("--json") and words.startswith("sweep"):
        assert list(json.loads(out)["outcome"]["damaged"]) == [damaged[0]]
    else:
        assert damaged[1] in err
    assert "Traceback" not in err


def test_a_sweep_counts_it_as_not_done(run, damaged):
    code, out, err = run("sweep", "four.toml", "--no-calibrate")
    assert code == 1
    assert "4 runs, 3 done already, 1 damaged; 0 to do" in out
    assert "0 runs done now, 3 before, 0 failed, 1 damaged" in err
    assert "--repair" in err


def test_one_run_is_refused_by_name(run, damaged):
    for words in (
        ["runs"],
        ["report", "--no-predict"],
        ["plot"],
        ["analyse", "attention"],
        ["analyse", "probe"],
    ):
        code, out, err = run(*words, damaged[0])
        assert (code, out) == (2, "")
        assert f"run {damaged[0]} is damaged: " in err


def test_watching_and_the_playground_name_it(run, damaged):
    now = json.loads(run("runs", "watch", "--json")[1])
    assert (now["done"], now["waiting"], [d["id"] for d in now["damaged"]]) == (3, 0, [damaged[0]])
    listed = playground_runs({})
    assert list(listed["damaged"]) == [damaged[0]]
    assert json.loads(json.dumps(listed, allow_nan=False)) == listed
    assert playground_runs({"state": "damaged"})["total"] == 1
    seen = playground_sweep({})
    assert ([d["id"] for d in seen["damaged"]], seen["over"]) == ([damaged[0]], True)


def test_a_sweep_that_is_a_link_to_nothing_hides_no_other(run, folder):
    notes = folder.parent / ".sweeps"
    (notes / "zero-01234567.json").symlink_to("nowhere")
    os.utime(notes / "zero-01234567.json", (1, 1), follow_symlinks=False)
    assert json.loads(run("runs", "watch", "--once", "--json")[1])["done"] == 4
    assert playground_sweep({})["over"]


SIGNS = ("\x1b]0;title\x07", "\x9b2J", "\u202eevil")
"""What a terminal would obey, or show the wrong way round."""


@pytest.mark.parametrize("sign", SIGNS, ids=ascii)
def test_a_foreign_name_does_not_command_the_terminal(run, folder, sign):
    data = json.loads((folder / "spec.json").read_text())
    data["task"]["name"] += sign
    other = folder.rename(folder.with_name(content_id(data)))
    (other / "spec.json").write_text(json.dumps(data))
    note_failure(other, ValueError(sign))
    for words in (["runs"], ["runs", other.name], ["report", "--no-predict", "-o", "page.html"]):
        _, out, err = run(*words)
        assert sign[0] not in out + err
    assert any(sign in row["task"] for row in json.loads(run("runs", "--json")[1]))


def test_training_refuses_a_table_that_would_lack_it(run, folder):
    (folder / "result.json").write_text('{"bins')
    words = (
        "train binary-majority --encoding nope --layers 1 --heads 1 --width 8 --steps 6 --batch 4"
    )
    words += " --train-length 1:5 --test-length 6:8 --evaluate-every 3 --instances 20 --json"
    words = words.split()
    code, _, err = run(*words)
    assert code == 2
    assert "--again" in err
    code, out, _ = run(*words, "--again")
    assert code == 0
    assert json.loads(out)[0]["id"] == folder.name


@pytest.mark.parametrize("harm", ["cut", "a folder", "no specification"])
def test_repair_keeps_what_is_whole(run, folder, harm):
    """A lost specification is written anew, a lost result needs training."""
    DAMAGE[harm][0](folder)
    kept = [p for p in folder.parent.glob("*/result.json") if p.parent != folder or "no" in harm]
    others = {path: path.read_bytes() for path in kept}
    code, out, err = run("sweep", "four.toml", "--no-calibrate", "--repair", "--jobs", "1")
    assert code == 0, err
    assert "1 damaged; 1 to do" in out
    assert Store().record(folder).state == "done"
    assert all(path.read_bytes() == content for path, content in others.items())
    assert run("sweep", "four.toml", "--no-calibrate")[0] == 0
