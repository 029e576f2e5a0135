"""What pages say about runs, studies and scoreboards, before a browser looks at them."""

import json
import math
import re

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.crasp import parse, trace
from lengthwise.crasp.library import load
from lengthwise.report.board_page import board_document
from lengthwise.report.curve_parts import mark, overview, panels
from lengthwise.report.curves import curves, pool_runs
from lengthwise.report.document import Document
from lengthwise.report.heat_pages import matrix_chart, products_document, relation_document
from lengthwise.report.html import render
from lengthwise.report.measured import from_cell, from_record, from_result
from lengthwise.report.predicted import verdicts
from lengthwise.report.run_page import runs_document
from lengthwise.report.study_figures import chart, read_figure
from lengthwise.report.study_page import study_document, study_page
from lengthwise.report.trace_page import trace_document
from lengthwise.report.vega import vega_bundle
from lengthwise.runs.store import Store
from tests.report.cases import (
    EVIL,
    board,
    learned_relation,
    positional_products,
    result,
    runs,
    study,
    write_store,
)
from tests.report.measure_page import many_runs, page_of

YES = {"parity": {"nope": {"answer": "yes", "strength": "proof", "because": "a theorem"}}}


def data_of(html: str):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html)
    assert found is not None
    return json.loads(found[1])


def test_a_record_says_what_its_result_says(tmp_path):
    one = result(correct=7)
    write_store(tmp_path, one)
    (record,) = Store(tmp_path).records()
    assert from_record(record) == from_result(one)


def test_a_study_run_says_what_its_result_says():
    from lengthwise.studies.evidence import StudyRun

    one = result(correct=7)
    plain = json.loads(json.dumps(StudyRun.of("part", one).to_json()))
    (curve,), (same,) = pool_runs([from_cell(plain)]), curves([one])
    assert (curve.group, curve.points, curve.bins) == ("part", same.points, same.bins)


def test_the_data_of_a_page_are_the_points_of_the_curves():
    shown = data_of(render(runs_document(runs(), "t")))
    first = shown["panels"][0]["series"][0]
    assert shown["styles"]["names"] == ["nope", "rope"]
    assert first["n"] == [1, 2, 3, 4, 6]
    assert first["a"] == [1, 1, 1, 0.8, 0]
    assert first["k"] == [20, 20, 20, 16, 0]
    assert len(shown["runs"]) == 4
    assert shown["runs"][1]["spec"]["seed"] == 1
    assert "--first-seed 1" in shown["runs"][1]["command"]


def test_predictions_stand_beside_measurements():
    drawn = pool_runs(runs())
    first, second = panels(drawn, YES)[0].lines
    assert (first.predicted, first.strength, first.mark) == ("holds", "proof", "wrong")
    assert (second.predicted, second.mark) == ("", "")
    table = overview(drawn, YES)
    assert (table.rows[0][1].mark, table.rows[0][1].under) == ("wrong", "fails, predicted: holds")
    assert table.under[1] == "no position encoding"
    assert table.rows[1][1].text == ""  # sort was not trained with nope


def test_a_model_that_learned_nothing_confirms_nothing():
    (curve,) = curves([result(correct=10)])
    assert mark(curve, "no") == "right"
    assert mark(curve, "yes") == "wrong"
    assert mark(curve, "undecided") == ""
    poor = pool_runs([from_cell(study()["runs"][0])])[0]
    assert not poor.fitted
    assert mark(poor, "yes") == mark(poor, "no") == "open"


def test_verdicts_are_remembered(tmp_path):
    asked = []
    wanted = {"regex:(aa)*": ["nope", "ape", "fire"], "mine.py:Task": ["nope"]}
    first = verdicts(wanted, time_limit=120, cache=tmp_path, announce=asked.append)
    again = verdicts(wanted, time_limit=60, cache=tmp_path, announce=asked.append)
    assert asked == ["regex:(aa)*"]
    assert first == again
    answers = {encoding: v["answer"] for encoding, v in first["regex:(aa)*"].items()}
    assert answers == {"nope": "no", "ape": "yes"}


@pytest.mark.parametrize("damage", ["{", "[]", '{"verdicts": {}}', '{"limit": 1, "verdicts": {}}'])
def test_memory_that_is_damaged_or_was_cut_off_is_made_anew(tmp_path, damage):
    wanted = {"regex:(aa)*": ["nope"]}
    first = verdicts(wanted, time_limit=120, cache=tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_text(damage)
    assert verdicts(wanted, time_limit=120, cache=tmp_path) == first


def test_a_study_shows_all_its_parts():
    html = study_page(study())
    for text in ("1 of 1 claims held; 1 inconclusive", "too small", "Numbers", "a note", "61 s"):
        assert text in html
    assert [c["title"] for c in data_of(html)["charts"]] == ["Lines", "Heat", "Bars"]
    assert data_of(html)["runs"][0]["command"] == "lengthwise train something"


@pytest.mark.parametrize("missing", list(study()))
def test_a_study_may_lack_anything(missing):
    data = study()
    del data[missing]
    assert study_document(data).title


def test_an_empty_study_is_a_page():
    assert "<h1>Study</h1>" in study_page({})


def test_damage_in_a_study_is_named():
    with pytest.raises(InputError, match="run 0 is damaged"):
        study_document(study(runs=[{"task": "parity"}]))
    with pytest.raises(InputError, match="table 'T' has rows"):
        study_document(study(tables=[{"title": "T", "columns": ["a"], "rows": [[1, 2]]}]))
    with pytest.raises(InputError, match="figure 'F': kind 'pie' is not one of line, bars"):
        study_document(study(figures=[{"title": "F", "kind": "pie"}]))
    with pytest.raises(InputError, match="figure 'F': a point has no 'y'"):
        study_document(study(figures=[{"title": "F", "kind": "line", "data": [{"x": 1}]}]))


def test_text_of_a_user_is_never_read_as_an_expression_or_a_field():
    name = "a.b[0]'\\"
    figure = {"title": "t", "kind": "line", "x": name, "y": "z", "data": [{name: 1, "z": math.nan}]}
    assert read_figure(figure).rows == [{"x": 1, "y": None, "s": ""}]
    spec = chart(figure).spec
    assert spec["encoding"]["x"]["field"] == "x"
    assert spec["encoding"]["x"]["title"] == name


def test_markup_is_text():
    claims = [{"id": EVIL, "sentence": EVIL, "status": EVIL, "reason": EVIL}]
    tables = [{"title": EVIL, "columns": [EVIL], "rows": [[EVIL]], "note": EVIL}]
    html = study_page(study(title=EVIL, claims=claims, tables=tables, command=EVIL))
    html = html.replace(vega_bundle(), "")
    assert "<img" not in html
    assert "<script>window.harmed" not in html
    assert "&lt;script&gt;window.harmed" in html


def test_a_scoreboard_shows_who_was_right():
    page = board_document(board())
    assert page.subtitle == "1 of 2 fitted cells agree (50%)."
    sections = {section.title: section for section in page.sections}
    wrong = sections["Disagreements, clearest first"].parts[0]
    assert [row[1].text for row in wrong.rows] == ["ape"]
    with pytest.raises(InputError, match="scoreboard: damaged"):
        board_document(board(cells=[{"subject": "parity"}]))


def test_a_scoreboard_finds_its_curves_in_the_store(tmp_path):
    one = result(correct=7)
    write_store(tmp_path, one)
    data = board()
    data["cells"][0]["source"] = one.spec.id
    titles = [s.title for s in board_document(data, Store(tmp_path)).sections]
    assert "Accuracy against length" in titles
    assert "Accuracy against length" not in [s.title for s in board_document(data).sections]


def test_a_map_holds_every_visible_pair_once_with_its_own_label():
    values = np.where(np.tri(3, dtype=bool), np.arange(9).reshape(3, 3) / 7, np.nan)
    found = matrix_chart(values, "map", rows=list("aba"), columns=list("aba"))
    cells = {(c["y"], c["x"]): c["v"] for c in found.spec["data"]["values"]}
    assert cells == {
        ("1 a", "1 a"): 0,
        ("2 b", "1 a"): 0.4286,
        ("2 b", "2 b"): 0.5714,
        ("3 a", "1 a"): 0.8571,
        ("3 a", "2 b"): 1,
        ("3 a", "3 a"): 1.143,
    }


def test_maps_that_are_too_large_or_do_not_fit_are_refused():
    with pytest.raises(InputError, match="at most 160 positions"):
        matrix_chart(np.zeros((161, 161)), "big")
    with pytest.raises(InputError, match="3 labels for 2 positions"):
        matrix_chart(np.zeros((2, 2)), "t", rows=list("abc"))


def test_products_of_a_trained_model_are_drawn_by_head():
    reading = positional_products()
    maps, numbers = products_document(reading).sections
    assert [part.title for part in maps.parts][-1] == "Layer 2, head 2"
    cells = {(c["y"], c["x"]): c["v"] for c in maps.parts[3].spec["data"]["values"]}
    assert len(cells) == 36
    assert cells[5, 2] == pytest.approx(reading.products[1][1][1, 4], rel=1e-3)  # (key, query)
    assert len(numbers.parts[0].rows) == 4


def test_a_learned_relation_is_drawn_with_its_comparison():
    found = learned_relation()
    weights = found.readout.weights
    relation, comparison = relation_document(found).sections
    cells = {(c["y"], c["x"]): c["v"] for c in relation.parts[1].spec["data"]["values"]}
    assert cells == {
        (i + 1, j + 1): str(np.argsort(-weights[i, j])[1]) for i in range(4) for j in range(i + 1)
    }
    (row,) = comparison.parts[0].rows
    assert [cell.text for cell in row] == ["trained", "3", "2", "no", "yes", "0.75"]
    scales = {json.dumps(part.spec["encoding"]["color"]["scale"]) for part in relation.parts}
    assert len(scales) == 1  # one colour per value, the same in every map
    assert relation_document(found).subtitle.endswith("agrees with ideal on 75%.")


def test_a_trace_has_a_cell_for_every_definition_and_position():
    program = load("dyck-1")
    found = trace_document("dyck-1", program, trace(program, "())"))
    assert found.subtitle == "Rejected by dyck-1 at the last symbol."
    table = found.sections[0].parts[0]
    assert [len(row) for row in table.rows] == [4] * 7
    assert [cell.text for cell in table.rows[-1]] == ["accept", "·", "●", "·"]
    generator = parse('next "<b>" = "a"')
    page = render(trace_document("<i>", generator, trace(generator, ["a", "<b>"])))
    assert "&lt;b&gt;" in page
    assert "<i>" not in page


def test_500_runs_fit_into_an_attachment():
    runs = many_runs()
    html = page_of(runs)
    assert len(runs) == len(data_of(html)["runs"]) == 500
    assert len(html.encode()) < 5_000_000


def test_the_bundle_can_stand_inside_a_script_element():
    code = vega_bundle()
    assert "</script" not in code.lower()
    assert "window.vegaEmbed=" in code
    assert render(Document("no figures")).count("window.vegaEmbed=") == 0
