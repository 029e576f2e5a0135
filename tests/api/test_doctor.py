"""What the doctor and the completion script say about this machine and this program."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from lengthwise import __version__
from lengthwise.api import doctor
from lengthwise.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]


def test_doctor_says_versions_devices_threads_store_and_parts(run, tmp_path):
    code, out, _ = run("doctor", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["versions"]["lengthwise"] == __version__
    import torch

    assert found["versions"]["torch"] == torch.__version__
    assert (found["devices"]["auto"] == "cuda") == torch.cuda.is_available()
    assert found["threads"]["torch"] == torch.get_num_threads()
    assert found["store"] == {
        "path": str(tmp_path / "store"),
        "from": "LENGTHWISE_STORE",
        "exists": False,
        "writable": True,
        "runs": 0,
    }
    code, text, _ = run("doctor")
    assert code == 0
    assert all(f"{part}:" in text for part in ("versions", "devices", "threads", "store"))


def test_doctor_counts_runs_and_notices_a_store_that_is_a_file(run, tmp_path):
    for name in ("a", "b"):
        (tmp_path / "mine" / name).mkdir(parents=True)
        (tmp_path / "mine" / name / "spec.json").write_text("{}")
    (tmp_path / "file").write_text("")
    _, out, _ = run("doctor", "--store", tmp_path / "mine", "--json")
    assert json.loads(out)["store"]["runs"] == 2
    code, out, _ = run("doctor", "--store", tmp_path / "file")
    assert code == 0
    assert "NOT writable" in out
    assert "warning" in out


def test_doctor_knows_every_optional_part_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(project["optional-dependencies"]) == set(doctor.EXTRAS)
    assert {part["extra"] for part in doctor.extras()} <= set(doctor.EXTRAS)


def test_a_missing_part_comes_with_the_command_that_installs_it(monkeypatch):
    wanted = ["ray>=2; extra == 'ray'", "lengthwise[ray]; extra == 'dev'", "numpy>=2"]
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: wanted)
    monkeypatch.setattr(doctor, "_installed", lambda name: False)
    (part,) = doctor.extras()
    assert part["missing"] == ["ray"]
    assert part["install"] == "pip install 'lengthwise[ray]'"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_names_every_command_and_its_options(run, shell):
    code, script, _ = run("dev", "completion", shell)
    assert code == 0
    for words in COMMANDS:
        assert re.search(rf"\b{re.escape(words.split()[-1])}\b", script), words
    assert "train-length" in script


def test_an_unknown_shell_is_one_line(run):
    code, _, err = run("dev", "completion", "tcsh")
    assert code == 2
    assert "bash" in err
    assert len(err.splitlines()) == 1
