"""The commands around compiled programs, as a user types them."""

import json

import pytest

from lengthwise.cli.main import main


def output(capsys, *words):
    with pytest.raises(SystemExit) as stopped:
        main(list(words))
    found = capsys.readouterr()
    assert stopped.value.code == 0, found.err
    return found.out


def failure(capsys, *words):
    with pytest.raises(SystemExit) as stopped:
        main(list(words))
    assert stopped.value.code == 2
    return capsys.readouterr().err


def test_compile_check_save_and_run(capsys, tmp_path):
    path = tmp_path / "dyck.safetensors"
    text = output(
        capsys, "compile", "dyck-1", "-o", str(path), "--length", "200", "--check", "--words", "5"
    )
    assert "exact to length 200 in float32" in text
    assert ", 0 errors" in text
    rows = json.loads(output(capsys, "ask", str(path), "( ( ) )", "( ) )", "--json"))
    assert [row["accepted"] for row in rows] == [True, False]


@pytest.mark.parametrize("accept", ["last", "end"])
def test_a_regular_expression_is_built_for_where_it_is_read(capsys, tmp_path, accept):
    path = str(tmp_path / "ab.safetensors")
    output(capsys, "compile", "(ab)*", "--accept", accept, "-o", path, "--length", "20")
    rows = json.loads(output(capsys, "ask", path, "ab", "abab", "aba", "bb", "--json"))
    assert [row["accepted"] for row in rows] == [True, True, False, False]


def test_words_beyond_what_is_exact_are_warned_of(capsys, tmp_path):
    path = str(tmp_path / "long.safetensors")
    output(capsys, "compile", "copy-4", "-o", path, "--length", "30000", "--force")
    main_ = ["ask", path, "a" * 25_000, "--json"]
    with pytest.raises(SystemExit):
        main(main_)
    assert "exact only to 21,840" in capsys.readouterr().err


def test_compile_a_regular_expression(capsys):
    options = ["--length", "40", "--check", "--words", "5", "--json"]
    found = json.loads(output(capsys, "compile", "(ab)*", *options))
    assert found["check"]["errors"] == 0
    assert found["kind"] == "recogniser"


def test_generators_write(capsys, tmp_path):
    path = tmp_path / "copy.safetensors"
    output(capsys, "compile", "generate-unique-copy", "-o", str(path), "--length", "20")
    rows = json.loads(output(capsys, "ask", str(path), "<bos> b a <sep>", "--json"))
    assert rows[0]["written"] == "b a <eos>"


def test_mistakes(capsys, tmp_path):
    assert "SUBJECT" in failure(capsys, "compile")
    assert "exact only to length" in failure(capsys, "compile", "dyck-1", "--length", "99999999")
    assert "there is no program" in failure(capsys, "compile", "(b|ab*a)*")
    assert "no such file" in failure(capsys, "ask", str(tmp_path / "x.safetensors"), "a")
    assert "needs at least" in failure(capsys, "analyse", "products", "aaaa", "--context", "4")
    assert "either a program or --run" in failure(capsys, "analyse", "regulariser")
    assert "unknown relation" in failure(capsys, "lab", "positional-fit", "mod9")


def test_regulariser_products_and_communication(capsys):
    found = json.loads(
        output(
            capsys,
            "analyse",
            "regulariser",
            "contains-ab",
            "--context",
            "16",
            "--context",
            "32",
            "--json",
        )
    )
    assert found["n=16"] == found["n=32"]
    assert json.loads(output(capsys, "analyse", "products", "aa", "--json"))["holds"]
    assert not json.loads(
        output(capsys, "analyse", "products", "aa", "--periodic", "short", "--json")
    )["holds"]
    assert "verdict: log" in output(capsys, "lab", "communication", "dyck-1")
    assert "verdict: linear" in output(capsys, "lab", "communication", "repeat-copy")


def test_infer_by_programs(capsys):
    found = json.loads(output(capsys, "lab", "infer", "(ab)*", "--context", "4", "--json"))
    assert found["rows"][0]["train_length"] == 2


def test_positions_of_a_trained_run(capsys, tmp_path):
    store = str(tmp_path)
    options = "--regularize 1e-3 --steps 3 --width 8 --heads 1 --layers 1 --instances 4"
    lengths = ("--train-length", "1:6", "--store", store, "--json")
    output(capsys, "train", "binary-majority", "--encoding", "ape", *options.split(), *lengths)
    run = next(path.name for path in tmp_path.iterdir() if path.is_dir())
    figure = tmp_path / "products.png"
    rows = json.loads(
        output(
            capsys,
            "analyse",
            "positional",
            run[:6],
            "--store",
            store,
            "--plot",
            str(figure),
            "--json",
        )
    )
    assert len(rows["heads"]) == 1
    assert figure.exists()
    found = json.loads(
        output(capsys, "analyse", "regulariser", "--run", run[:6], "--store", store, "--json")
    )
    assert next(iter(found.values()))["positional"] > 0
