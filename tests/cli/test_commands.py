"""The command line as a user meets it: output, mistakes, exit codes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

TINY = """--layers 1 --heads 1 --width 8 --steps 6 --evaluate-every 3 --batch 4 --instances 20
    --train-length 1:5 --test-length 6:8 --jobs 1 --device cpu""".split()  # noqa: SIM905


def test_train_prints_a_table_and_a_plot_and_writes_what_was_asked(run, tmp_path):
    plot, page = tmp_path / "a.svg", tmp_path / "a.html"
    code, out, err = run(
        "train",
        "parity",
        "--encoding",
        "nope",
        "--encoding",
        "ape",
        *TINY,
        "--plot",
        plot,
        "--report",
        page,
    )
    assert code == 0, err
    assert "parity: exact match by length" in out
    assert "1-5 (trained)" in out
    assert "(= trained lengths)" in out
    assert "step 6/6" in err
    assert plot.read_text().startswith("<?xml")
    assert "<svg" in page.read_text()


def test_train_json_and_the_listing_agree(run):
    code, out, _ = run("train", "parity", "--seeds", "2", *TINY, "--json")
    assert code == 0
    results = json.loads(out)
    assert [r["seed"] for r in results] == [0, 1]
    assert results[0]["bins"][1]["instances"] == 20
    code, out, _ = run("runs", "--json")
    listed = json.loads(out)
    assert {r["id"] for r in listed} == {r["id"] for r in results}
    assert [r["exact match"] for r in sorted(listed, key=lambda r: r["seed"])] == [
        [b["accuracy"] for b in r["bins"]] for r in results
    ]
    code, out, _ = run("runs", results[0]["id"][:6], "--json")
    assert json.loads(out)["spec"]["seed"] == 0
    code, out, _ = run("runs", results[0]["id"][:6])
    assert "exact match by length" in out
    code, out, _ = run("runs", "--task", "sort", "--json")
    assert json.loads(out) == []


def test_listings(run):
    code, out, _ = run("list", "tasks", "--json")
    assert code == 0
    assert "parity" in {row["task"] for row in json.loads(out)}
    code, out, _ = run("show", "addition", "--length", "7", "--count", "2", "--json")
    lines = json.loads(out)
    assert len(lines) == 2
    assert all("  ->  " in line for line in lines)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("train paritty", "unknown task 'paritty'. Did you mean 'parity'?"),
        (
            "train parity --encoding ropee",
            "unknown position encoding 'ropee'. Did you mean 'rope'?",
        ),
        ("train parity --heads 3", "heads=3 does not divide width=64"),
        ("train parity --train-length 9:3", "--train-length '9:3': the range is empty"),
        ("train parity --test-length x", "--test-length 'x'"),
        ("train sort --test-length 151:200", "'sort' has no instances of length 151:200"),
        ("train parity --stps 4", "Unknown option: --stps"),
        ("train parity --steps many", "--steps"),
        ("train parity --schedule cubic", "--schedule"),
        ("train parity --device tpu9", "tpu9"),
        ("train parity --plot a.gif", "a.gif"),
        ("train", "name at least one task"),
        ("trian parity", "Did you mean"),
        ("show parity --length -1", "-1"),
        ("runs abcdef", "unknown run"),
    ],
)
def test_mistakes_are_one_line_with_exit_code_2_and_write_nothing(run, words, message, tmp_path):
    code, out, err = run(*words.split())
    assert code == 2
    assert message in err
    assert err.startswith("error: ")
    assert len(err.strip().splitlines()) == 1
    assert "Traceback" not in err + out
    assert not (tmp_path / "store").exists()


def test_a_corrupt_checkpoint_is_one_line(run, tmp_path):
    from lengthwise.runs.store import Store

    run("train", "parity", *TINY)
    (record,) = Store().records()
    (record.folder / "result.json").unlink()
    (record.folder / "checkpoint.safetensors").write_text("junk")
    code, _, err = run("train", "parity", *TINY)
    assert code == 2
    assert "is damaged" in err
    assert "--again" in err


def test_ctrl_c_saves_and_the_same_command_continues(tmp_path):
    """A real process, a real signal."""
    import os
    import signal
    import time

    options = """--encoding nope --encoding rope --steps 100000 --evaluate-every 20 --instances 20
        --width 8 --heads 1 --jobs 2 --train-length 1:5 --no-stop-when-perfect --device cpu"""
    command = [sys.executable, "-m", "lengthwise", "train", "parity", *options.split()]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    store = Path(os.environ["LENGTHWISE_STORE"])
    while len(list(store.glob("*/checkpoint.safetensors"))) < 2:
        assert child.poll() is None
        time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "same command" in err
    assert "Traceback" not in err
    assert len(list(store.glob("*/checkpoint.safetensors"))) == 2
