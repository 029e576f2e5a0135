"""The README's picture and the sentence above it are what the quickstart measures and draws."""

import re

import pytest

from lengthwise.cli.main import main
from lengthwise.cli.quickstart import STEPS
from lengthwise.report.curves import pool_runs
from lengthwise.report.run_sources import find
from lengthwise.report.static_panels import figure_bytes
from lengthwise.runs.store import Store
from tests.docs.blocks import ROOT
from tests.docs.picture import PICTURE, curves, kept, sentence

AGAIN = "run `lengthwise quickstart --output FOLDER`, then `python -m tests.docs.picture FOLDER`"


def test_the_picture_is_drawn_by_the_quickstarts_own_code():
    assert kept()["command"] == STEPS[-1], f"the quickstart trains otherwise now: {AGAIN}"
    assert figure_bytes(curves(), "svg") == PICTURE.read_bytes(), f"drawn otherwise now: {AGAIN}"


def test_the_readme_says_what_the_runs_say():
    readme = re.sub(r"\s+", " ", (ROOT / "README.md").read_text())
    assert sentence() in readme, f"{AGAIN}, and quote the sentence it prints"
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


@pytest.mark.slow
def test_the_quickstart_comes_out_as_the_readme_says(tmp_path):
    with pytest.raises(SystemExit) as ended:
        main(["quickstart", "--output", str(tmp_path)])
    assert ended.value.code == 0
    measured = pool_runs(find((), Store(tmp_path / "runs")).runs)
    found = {(curve.task, curve.encoding): curve.outcome for curve in measured}
    assert found == {(curve.task, curve.encoding): curve.outcome for curve in curves()}
