"""Results in a notebook: they show themselves, become data frames, and are drawn inline."""

import sys
from types import ModuleType

import pytest

import lengthwise as lw
from lengthwise.api.notebook import InlinePicture, frame
from lengthwise.api.progress_bars import listening
from lengthwise.api.reproduce import Reproduced
from lengthwise.core.errors import InputError
from lengthwise.records.progress import Progress
from lengthwise.studies.reproduce import kept_results

TINY = {"layers": 1, "heads": 1, "width": 8, "steps": 2, "instances": 4, "jobs": 1, "device": "cpu"}
TINY |= {"train_length": "1:4", "test_length": ["5:6"]}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return lw.train("parity", encoding=["nope", "ape"], store=tmp_path_factory.mktemp("s"), **TINY)


def test_runs_show_what_came_out_the_matrix_and_the_curves(trained):
    html = trained._repr_html_()
    for text in ("Parity", "At a glance", "no position encoding", "<svg", "trained to 4"):
        assert text in html
    assert "<script" not in html
    assert "<button" not in html
    assert repr(trained) == "Trained(2 runs: parity nope, parity ape)"


def test_frames_have_one_row_for_each_run_and_range(trained):
    table = trained.to_frame("pyarrow").to_pylist()
    assert [(row["encoding"], row["low"], row["trained"]) for row in table] == [
        ("nope", 1, True),
        ("nope", 5, False),
        ("ape", 1, True),
        ("ape", 5, False),
    ]
    assert all(row["interval_low"] <= row["accuracy"] <= row["interval_high"] for row in table)
    assert table[0]["tried"] == 4


def test_an_evaluation_is_a_curve_and_a_frame_by_length(trained):
    found = lw.evaluate(trained.model(), length="1:6", instances=5)
    assert "<svg" in found._repr_html_()
    assert found.to_frame("pyarrow").column("length").to_pylist() == [1, 2, 3, 4, 5, 6]


def test_pictures_are_drawn_inline(trained):
    assert trained.plot()._repr_svg_().startswith("<?xml")
    assert "<svg" in lw.show("alibi", length=8)._repr_svg_()
    assert isinstance(lw.evaluate(trained.model(), length="1:6", instances=5).plot(), InlinePicture)
    with pytest.raises(InputError, match=r'report: pass the file to write, as in report\("file'):
        trained.report()


def test_a_model_can_be_called(trained):
    assert isinstance(trained.model()("0 1 1"), str)
    with pytest.raises(InputError, match=r"pass a word as a string, as in model"):
        trained.model()([0, 1])


def test_every_kind_of_result_shows_itself():
    assert "conjecture" in lw.predict("(aa)*", encoding="nope")._repr_html_()
    assert "potentials" in lw.decide("(ab)*")._repr_html_()
    assert "C_open" in lw.crasp.show("dyck-1")._repr_html_()
    study = Reproduced(kept_results("questions", edition=1))
    assert "of 5 claims held" in study._repr_html_()
    assert len(study.to_frame("pyarrow")) == 5


def test_columns_of_mixed_kinds_become_text_and_missing_ones_stay_missing():
    table = frame([{"a": 1, "b": 2}, {"a": "x", "b": 2.5, "c": None}], "pyarrow").to_pylist()
    assert table == [{"a": "1", "b": 2.0, "c": None}, {"a": "x", "b": 2.5, "c": None}]
    with pytest.raises(InputError, match="choose one of pandas, polars, pyarrow"):
        frame([{"a": 1}], "excel")


def test_progress_is_drawn_below_a_notebooks_cell(monkeypatch):
    shown = []

    class Handle:
        def update(self, html):
            shown.append(html)

    display = ModuleType("IPython.display")
    monkeypatch.setattr(display, "HTML", str, raising=False)
    monkeypatch.setattr(display, "display", lambda html, display_id: Handle(), raising=False)
    for name in ("ipykernel", "IPython", "IPython.display"):
        monkeypatch.setitem(sys.modules, name, display)
    spec = lw.RunSpec.create(task="regex:(a|b)*", position="nope")
    report = Progress(step=5, steps=5, loss=0.1, accuracy=(1.0, 0.5), evaluated=1, seconds=1.0)
    with listening() as listener:
        assert listener.shown
        listener(spec, report)
    assert '<progress max="5" value="5">' in shown[-1]
    assert "100.0% / 50.0%" in shown[-1]
