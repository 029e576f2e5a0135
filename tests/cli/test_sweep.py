"""Sweeps on the command line: plan, outcome, mistakes, listing, queries, exports, watching."""

import csv
import json
from contextlib import nullcontext

import pytest

from lengthwise.runs.local import Here
from lengthwise.runs.store import Store

SWEEP = """
[axes]
task = ["parity"]
position = ["nope", "rope"]
seed = "0:1"
"model.layers" = [1, 2]
[fixed]
model = { heads = 1, width = 8 }
training = { length = [1, 5], steps = 4, batch = 4, evaluate_every = 2 }
evaluation = { instances = 10 }
[sizes.one]
seed = [5]
position = ["nope"]
"model.layers" = [1]
"""


@pytest.fixture
def run(run, monkeypatch):
    """Call the command line; jobs run in this process (real pools are tested elsewhere)."""
    here = lambda slots, threads: nullcontext(Here(threads))  # noqa: E731
    monkeypatch.setattr("lengthwise.runs.pool.Pool", here)
    return run


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(SWEEP)
    return path


def test_a_dry_run_plans_and_writes_nothing(run, file, tmp_path):
    code, out, err = run("sweep", file, "--dry-run", "--jobs", 2)
    assert code == 0, err
    assert "mine: 8 runs; 8 to do with 2 at a time" in out
    assert "at most about" in out
    assert "MB of disk" in out
    code, out, _ = run("sweep", file, "--dry-run", "--no-calibrate", "--json")
    plan = json.loads(out)["plan"]
    assert (plan["runs"], plan["done"], plan["seconds"]) == (8, 0, None)
    assert not (tmp_path / "store").exists()


def test_a_sweep_from_plan_to_table_and_what_the_store_then_knows(run, file, tmp_path):
    code, out, err = run("sweep", file, "--no-calibrate", "--jobs", 1, "--device", "cpu")
    assert code == 0, err
    assert "8/8" in err
    assert "8 runs done now, 0 before, 0 failed" in err
    table = [line for line in out.splitlines() if "rope" in line]
    assert len(table) == 2
    assert "model.layers" in out

    code, out, _ = run("sweep", file, "--no-calibrate", "--json")
    found = json.loads(out)
    assert found["plan"]["done"] == 8
    assert found["outcome"]["done"] == []

    code, out, _ = run("runs", "--encoding", "rope", "--json")
    assert len(json.loads(out)) == 4
    code, out, err = run("runs", "--limit", 3)
    assert "the newest 3 of 8" in err
    sql = "select position, count(*) n from runs group by all order by position"
    code, out, _ = run("runs", "query", sql, "--json")
    assert json.loads(out) == [{"position": "nope", "n": 4}, {"position": "rope", "n": 4}]
    code, out, _ = run("runs", "query", sql)
    assert "rope" in out
    path = tmp_path / "bins.csv"
    code, out, _ = run("runs", "export", "--csv", path, "--table", "bins")
    with path.open() as lines:
        assert len(list(csv.DictReader(lines))) == 24
    code, out, err = run("runs", "watch")
    assert "8 of 8 done, 0 running, 0 waiting, 0 failed" in out
    code, out, _ = run("runs", "watch", "mine", "--json")
    assert json.loads(out)["done"] == 8


def test_failures_have_reasons_and_are_retried_on_request_only(run, file):
    from lengthwise.runs.sweep import load_sweep

    specs, store = load_sweep(file).specs(), Store()
    (store.open(specs[0]) / "spec.json").unlink()
    folder = store.open(specs[0])
    (folder / "model.safetensors").mkdir()  # the weights cannot be written
    words = ["sweep", file, "--no-calibrate", "--device", "cpu"]
    code, out, err = run(*words)
    assert code == 2
    assert err.splitlines()[-1].startswith(f"error: run {specs[0].id} (parity, nope, seed 0): ")
    assert "cannot write" in err
    code, out, err = run(*words, "--keep-going")
    assert code == 1
    assert "7 runs done now, 0 before, 1 failed" in err
    assert "--retry" in err
    code, out, _ = run("runs", "watch", "--once")
    assert "1 failed" in out
    assert "cannot write" in out
    code, out, _ = run("runs", "--state", "failed", "--json")
    assert [row["id"] for row in json.loads(out)] == [specs[0].id]
    (folder / "model.safetensors").rmdir()
    code, out, err = run(*words, "--keep-going")
    assert code == 1
    code, out, err = run(*words, "--retry")
    assert code == 0
    assert "1 runs done now, 7 before, 0 failed" in err


def test_shards_together_are_the_sweep(run, file):
    for number in (2, 1, 3):
        code, _, err = run(
            "runs", "work", "--sweep", file, "--shard", f"{number}/3", "--device", "cpu"
        )
        assert code == 0, err
    assert sum(record.state == "done" for record in Store().records()) == 8
    code, out, _ = run("runs", "watch", "--once")
    assert "8 of 8 done" in out


def test_select_chooses_and_repeats(run, file):
    code, _, err = run("runs", "select", file)
    assert code == 2
    assert "no configuration is perfect" in err
    run("sweep", file, "--no-calibrate", "--device", "cpu")
    code, out, err = run("runs", "select", file, "--threshold", 0, "--json")
    assert code == 0, err
    assert {row["encoding"] for row in json.loads(out)} == {"nope", "rope"}
    words = ["--threshold", 0, "--repeat", 3, "--jobs", 1, "--device", "cpu", "--json"]
    code, out, err = run("runs", "select", file, *words)
    assert {row["successful seeds"] for row in json.loads(out)} == {"3 of 3 tried"}
    assert sum(record.state == "done" for record in Store().records()) == 10


def test_trackers_are_told(run, file, tmp_path):
    pytest.importorskip("tensorboard")
    where = tmp_path / "board"
    words = ["--size", "one", "--tracker", f"tensorboard:{where}", "--no-calibrate"]
    code, _, err = run("sweep", file, *words)
    assert code == 0, err
    assert len(list(where.glob("*/events.out*"))) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("sweep none.toml", "no such file"),
        ("sweep FILE --size on", "Did you mean 'one'?"),
        ("sweep FILE --executor slrm", "--executor"),
        ("sweep FILE --device tpu9 --keep-going", "tpu9"),
        ("sweep FILE --address auto --no-calibrate", "--executor ray"),
        ("sweep FILE --slurm timeout_min=5", "--slurm is for --executor slurm"),
        ("sweep FILE --executor slurm --slurm timeout", "name=value"),
        ("sweep FILE --tracker tensorbord", "Did you mean 'tensorboard'?"),
        ("runs work --sweep FILE --shard 9/3", "--shard '9/3'"),
        ("runs query select", "query: "),
        ("runs export", "--parquet or --csv"),
        ("runs watch", "has no sweep"),
        ("runs --state don", "Did you mean 'done'?"),
        ("runs select none.py", "there is no file"),
    ],
)
def test_mistakes_are_one_line_with_exit_code_2(run, file, words, message, tmp_path):
    code, out, err = run(*words.replace("FILE", str(file)).split())
    assert code == 2
    assert err.startswith("error: ")
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert "Traceback" not in err + out


def test_runs_without_a_command_still_list(run):
    code, _, err = run("runs")
    assert code == 0
    assert "no runs in" in err
    code, out, _ = run("runs", "--help")
    assert "query" in out
    assert "watch" in out
