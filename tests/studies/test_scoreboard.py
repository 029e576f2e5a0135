"""The scoreboard: suites, smoke runs that resume, and the arithmetic of agreement."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.cli.main import main
from lengthwise.core.errors import InputError
from lengthwise.records.outcomes import LINE
from lengthwise.runs.experiment import check
from lengthwise.runs.store import Store
from lengthwise.studies.board import BoardCell, Scoreboard
from lengthwise.studies.known_results import suite_rows
from lengthwise.studies.scoreboard import (
    SIZES,
    TRAINED,
    find_size,
    predictions,
    problems,
    published_board,
    published_cells,
)
from lengthwise.studies.suites import from_list, huang2024, load_suite, random_regexes
from lengthwise.tasks import load_task
from lengthwise.theory.decide.decision import decide


def command(capsys, *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["lab", "scoreboard", *words])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_random_regexes_are_balanced_different_and_repeatable():
    found = random_regexes(6, seed=3, longest=24)
    assert found == random_regexes(6, seed=3, longest=24)
    assert found != random_regexes(6, seed=4, longest=24)
    kinds = []
    for task in map(load_task, found):
        assert task.language is not None
        answer = decide(task.language, "predict")
        kinds.append((answer.plain.answer, answer.periodic_local.answer))
        assert all(len(task.possible_lengths(*b)) for b in ((1, 8), (9, 16), (17, 24)))
    assert {kind: kinds.count(kind) for kind in kinds} == {
        ("in", "in"): 2,
        ("out", "in"): 2,
        ("out", "out"): 2,
    }


@pytest.mark.parametrize("size", SIZES)
def test_every_published_problem_can_be_trained_at_every_size(size):
    wanted = problems("huang2024", huang2024(3 * TRAINED[size]), ["ape"], size)
    assert len({problem.ladder(0)[0].id for problem in wanted}) == 25
    for problem in wanted:
        check(problem.ladder(0)[0])
        longest = problem.trained[1]
        assert problem.tests == ((longest + 1, 2 * longest), (2 * longest + 1, 3 * longest))


def test_a_users_list_names_tasks_and_regexes(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("# a comment\nparity\n\n(ab)*\n")
    assert from_list(path) == ["parity", "regex:(ab)*"]
    path.write_text("parity\n(ab\n")
    with pytest.raises(InputError, match="line 2"):
        from_list(path)
    path.write_text("# nothing\n")
    with pytest.raises(InputError, match="names no problem"):
        from_list(path)
    with pytest.raises(InputError, match="not one of huang2024, random"):
        load_suite("huang", longest=24)
    with pytest.raises(InputError, match="Did you mean 'laptop'"):
        find_size("laptp")


def cell(predicted: str, accuracy: float, encoding: str = "nope") -> BoardCell:
    values = (1.0, accuracy, accuracy)
    outcome = "holds" if accuracy >= LINE else "fails"
    return BoardCell("s", encoding, predicted, "proof", None, None, values, 1.0, outcome, "run")


answers = st.sampled_from(["yes", "no", "undecided"])


@given(st.lists(st.tuples(answers, st.floats(0, 1)), max_size=12))
def test_confusion_precision_and_recall_match_a_slow_count(drawn):
    board = Scoreboard("s", "smoke", tuple(cell(*pair) for pair in drawn))
    table = board.confusion("nope")
    yes = [value for answer, value in drawn if answer == "yes"]
    good = [value for value in yes if value >= LINE]
    held = [value for _, value in drawn if value >= LINE]
    assert table["yes, holds"] == len(good)
    assert table["precision"] == (len(good) / len(yes) if yes else None)
    assert table["recall"] == (len(good) / len(held) if held else None)
    wrong = [c for c in board.cells if c.predicted != ("yes" if c.accuracy[2] >= LINE else "no")]
    assert len(board.disagreements()) == len(wrong)
    assert sum(v for k, v in table.items() if ", " in k) == len(drawn)


def test_smoke_runs_are_scored_saved_and_not_repeated(tmp_path, capsys):
    problems = tmp_path / "two.txt"
    problems.write_text("parity\n(ab)*\n")
    words = ["--suite", str(problems), "--encoding", "nope", "--store", str(tmp_path / "runs")]
    words += ["--jobs", "1", "--json"]
    first = json.loads(command(capsys, *words))
    store = Store(tmp_path / "runs")
    times = [(record.folder / "result.json").stat().st_mtime_ns for record in store.records()]
    assert len(times) == 2
    assert json.loads(command(capsys, *words)) == first
    again = [(record.folder / "result.json").stat().st_mtime_ns for record in store.records()]
    assert again == times
    assert {c["subject"]: c["predicted"] for c in first["cells"]} == {
        "parity": "no",
        "regex:(ab)*": "yes",
    }
    ids = {record.id for record in store.records()}
    assert {c["source"] for c in first["cells"]} == ids
    assert suite_rows(store.root / "scoreboard.json") == first["cells"]
    quoted = predict_json(capsys, "parity", "--store", str(tmp_path / "runs"), "--json")
    assert any(e["provider"] == "measurements" for e in quoted["evidence"])


def predict_json(capsys, *words: str) -> dict:
    with pytest.raises(SystemExit):
        main(["predict", *words])
    return json.loads(capsys.readouterr().out)


def test_a_dry_run_plans_and_trains_nothing(tmp_path, capsys):
    problems = tmp_path / "one.txt"
    problems.write_text("(ab)*\n")
    out = command(
        capsys, "--suite", str(problems), "--store", str(tmp_path / "runs"), "--dry-run", "--json"
    )
    plan = json.loads(out)
    assert (plan["runs"], plan["finished already"]) == (2, 0)
    assert not list(Store(tmp_path / "runs").records())


def test_published_accuracies_are_compared_by_the_same_line():
    found = predictions(["tomita-4", "d-3", "parity", "tomita-5"], ["nope", "ape"])
    cells = {(c.subject, c.encoding): c for c in published_cells(found, ["nope", "ape"])}
    assert len(cells) == 8
    assert cells["tomita-4", "nope"].agrees
    assert cells["tomita-4", "ape"].outcome == "holds"
    assert cells["tomita-5", "ape"].agrees is None  # the published model did not fit
    assert cells["parity", "ape"].accuracy == (1.0, 0.8295, 0.6206)
    assert cells["d-3", "ape"].reach == 3.0
    with pytest.raises(InputError, match="nothing is published"):
        published_board("mine", predictions(["regex:(ab)*"], ["nope"]), ["nope"])


def test_files_that_are_no_scoreboards_are_refused(tmp_path):
    path = tmp_path / "x.json"
    for text, message in (
        ("{", "not JSON"),
        ("{}", "not written by"),
        (None, "there is no such file"),
    ):
        if text is None:
            path.unlink()
        else:
            path.write_text(text)
        with pytest.raises(InputError, match=message):
            suite_rows(path)
