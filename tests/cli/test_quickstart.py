"""The quickstart's steps are commands that exist and write what they say."""

import pytest

from lengthwise.cli import quickstart
from lengthwise.cli.main import main

SHORT = (
    "--settle 1.2 --instances 1000",
    "--steps 4 --evaluate-every 2 --instances 20 --width 8 --batch 4 --jobs 1 --device cpu",
)
assert any(SHORT[0] in step for step in quickstart.STEPS)


def test_every_step_runs_and_the_page_is_written(tmp_path, monkeypatch, capsys):
    """The training step is cut to a few steps; everything else is as shipped."""
    steps = tuple(step.replace(*SHORT) for step in quickstart.STEPS)
    assert steps != quickstart.STEPS
    monkeypatch.setattr(quickstart, "STEPS", steps)
    with pytest.raises(SystemExit) as end:
        main(["quickstart", "--output", str(tmp_path / "out")])
    assert end.value.code == 0
    out = capsys.readouterr().out
    assert out.count("$ lengthwise ") == len(steps)
    assert "2 certificates accepted" in out
    assert "parity: exact match by length" in out
    assert "end soon after they fit" in out
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names >= {"certificate.json", "runs", "curves.svg", "report.html"}


def test_a_bad_folder_is_one_line(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit) as end:
        main(["quickstart", "--output", str(tmp_path / "file" / "x")])
    assert end.value.code == 2
    assert "--output" in capsys.readouterr().err
