"""``lengthwise report`` and ``lengthwise plot`` from the command line."""

import json

import pytest

from lengthwise.runs.store import Store
from tests.report.cases import board, result, study, write_store, write_study


@pytest.fixture
def store(tmp_path):
    return write_store(
        tmp_path / "runs", result(), result("rope", correct=3), result("rope", task="sort")
    )


def test_a_report_of_the_whole_store_with_predictions(run, store, tmp_path):
    page = tmp_path / "new" / "page.html"
    code, out, err = run("report", "--store", store, "-o", page)
    assert (code, out) == (0, "")
    assert err.splitlines()[-1] == f"page: {page}"
    html = page.read_text()
    assert html.count('class="card"') == 2
    assert 'class="mark' in html
    assert (store / ".cache").is_dir()


def test_runs_are_chosen_by_id_task_and_encoding(run, store, tmp_path):
    page = tmp_path / "page.html"
    chosen = result().spec.id
    for words in ([chosen[:8]], ["--task", "parity", "--encoding", "nope"]):
        code, _, err = run("report", *words, "--store", store, "-o", page, "--no-predict")
        assert (code, err) == (0, f"page: {page}\n")
        html = page.read_text()
        assert html.count('data-run="') == 1
        assert chosen in html
        assert "predicted" not in html.partition("<main>")[2].partition("</main>")[0]


def test_unfinished_runs_are_counted(run, store, tmp_path):
    run_id = Store(store).open(result("alibi").spec).name
    page = tmp_path / "page.html"
    assert run("report", "--store", store, "-o", page, "--no-predict")[0] == 0
    assert "<dt>not finished</dt><dd>1</dd>" in page.read_text()
    code, _, err = run("report", run_id, "--store", store, "-o", page)
    assert code == 2
    assert err == f"error: run {run_id} is unfinished.\n"


def test_studies_and_scoreboards_are_read_from_files(run, tmp_path):
    page, file = tmp_path / "page.html", write_study(tmp_path / "study.json")
    assert run("report", file, "-o", page, "--title", "Mine", "--no-predict")[0] == 0
    assert "<h1>Mine</h1>" in page.read_text()
    other = tmp_path / "board.json"
    other.write_text(json.dumps(board()))
    assert run("report", other, "-o", page)[0] == 0
    assert "1 of 2 fitted cells agree" in page.read_text()


@pytest.mark.parametrize("figure", [None, "curves", "Lines", "Heat", "Bars"])
def test_a_study_is_plotted(run, tmp_path, figure):
    path, file = tmp_path / "a.svg", write_study(tmp_path / "study.json")
    words = ["--figure", figure] if figure else []
    code, _, err = run("plot", file, "-o", path, "--width", "column", *words)
    assert (code, err) == (0, f"figure: {path}\n")
    assert path.read_bytes().startswith(b"<?xml")


def test_figures_without_runs_are_all_plotted(run, tmp_path):
    path, file = tmp_path / "a.pdf", write_study(tmp_path / "study.json", runs=[])
    assert run("plot", file, "-o", path, "--font", "serif", "--log")[0] == 0
    assert path.read_bytes().startswith(b"%PDF")


def test_a_scoreboard_is_plotted(run, store, tmp_path):
    file = tmp_path / "board.json"
    file.write_text(json.dumps(board()))
    assert run("plot", file, "-o", tmp_path / "a.pdf")[0] == 0
    assert run("plot", "--store", store, "--best", "-o", tmp_path / "b.png")[0] == 0
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")


def test_mistakes_are_one_line_and_write_nothing(run, store, tmp_path):
    file = write_study(tmp_path / "study.json")
    broken, foreign = tmp_path / "broken.json", tmp_path / "foreign.json"
    broken.write_text("{")
    foreign.write_text("[1]")
    damaged = write_study(tmp_path / "damaged.json", runs=[{"task": "x"}])
    figures = [{**study()["figures"][0], "kind": "pie"}]
    pie = write_study(tmp_path / "pie.json", figures=figures)
    cases = {
        ("report", "-o", "a.pdf"): "use a name that ends in .html",
        ("report", "--store", tmp_path / "none"): "there is no finished run in",
        ("report", "--store", store, "--task", "nothing"): "--task nothing: no finished run in",
        ("report", "zzz", "--store", store): "unknown run",
        ("report", tmp_path / "absent.json"): "there is no such file",
        ("report", broken): "not readable as JSON",
        ("report", foreign): "neither a study",
        ("report", damaged): "run 0 is damaged",
        ("report", pie): "kind 'pie'",
        ("report", file, file): "give one file alone",
        ("report", file, "--task", "parity"): "a file is shown whole",
        ("report", file, "--no-predict", "-o", file / "x.html"): "cannot write",
        ("plot", "--store", store, "-o", "a.gif"): "use a name that ends in",
        ("plot", "--store", store, "--columns", "0"): "--columns. It must be at least 1",
        ("plot", file, "--figure", "Line"): "Did you mean 'Lines'",
        ("plot", "--store", store, "--figure", "x"): "leave the option out",
        ("plot", foreign): "neither a study",
    }
    for words, expected in cases.items():
        name = {"report": "out.html", "plot": "out.pdf"}[words[0]]
        output = [] if "-o" in words else ["-o", tmp_path / name]
        code, out, err = run(*words, *output)
        assert (code, out) == (2, ""), words
        assert expected in err, words
        assert err.startswith("error: ")
        assert err.count("\n") == 1
    assert not list(tmp_path.glob("out.*"))


def test_heat_maps_of_a_program_are_a_page(run, tmp_path):
    page = tmp_path / "page.html"
    assert run("analyse", "products", "aa", "--report", page)[0] == 0
    html = page.read_text()
    assert "in the hypothesis class" in html
    assert 'data-chart="0"' in html
