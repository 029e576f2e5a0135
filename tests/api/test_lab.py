"""The theory lab on the command line: what it prints, what it writes, what it refuses."""

import json

import numpy as np
import pytest

from lengthwise.cli.main import main


def _run(capsys, *words):
    try:
        main(list(words))
        code = 0
    except SystemExit as stop:
        code = stop.code or 0
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def _json(capsys, *words):
    code, out, err = _run(capsys, *words, "--json")
    assert code == 0, err
    return json.loads(out)


def test_lrc_reports_complexity_and_errors(capsys):
    found = _json(capsys, "lab", "lrc", "--target", "mean", "--train-length", "4", "--length", "10")
    assert found["lrc"] == list(range(1, 11))
    assert found["some_encoding_generalizes"] is False
    assert max(found["encodings"]["ideal"]["errors"]) == pytest.approx(0.2)


def test_lrc_reads_a_matrix_and_draws(capsys, tmp_path):
    path, figure = tmp_path / "mine.npy", tmp_path / "deep" / "mine.svg"
    np.save(path, np.triu(np.ones((6, 6))))
    words = (
        "lab",
        "lrc",
        "--target",
        str(path),
        "--train-length",
        "2",
        "--length",
        "6",
        "--encoding",
        "nope",
    )
    code, out, _ = _run(capsys, *words, "--plot", str(figure))
    assert code == 0
    assert "some encoding generalizes from 2 to 6" in out
    assert figure.read_text().startswith("<?xml")


def test_theorems(capsys):
    rows = _json(capsys, "lab", "theorem", "2")
    assert [row["mismatches"] for row in rows] == [0, 0]
    shares = [row["counted share"] for row in _json(capsys, "lab", "theorem", "1")]
    assert shares == [1.0, 0.125, 0.125**2, 0.125**3]


def test_src_table_and_conjecture(capsys):
    found = _json(capsys, "lab", "src", "parity", *RELATIONS, "--merge")
    answers = {row["relation"]: row["generalizes (conjecture)"] for row in found["rows"]}
    assert answers == {"ape": "no", "rpe": "yes", "ipe": "yes"}
    assert found["rows"][0]["SRC(20)"] == 21
    assert found["kind"] == "conjecture"
    assert found["merged"] == {"parity": [1] * 5}


RELATIONS = ("--encoding", "ape", "--encoding", "rpe", "--encoding", "ipe")
IDEAL = ("--encoding", "ipe", "--encoding")
MINE = """
from lengthwise.relations.gates import Gate

class Reverse:
    name = "reverse"
    def gates(self, scale):
        return [Gate(scale + t, "copy", (scale + 1 - t,)) for t in range(1, scale + 1)]
    def sample(self, scale, rng):
        word = rng.choice(list("abc"), scale).tolist()
        return [*word, "=", *reversed(word)]

class Ahead(Reverse):
    def gates(self, scale):
        return [Gate(scale, "copy", (scale + 1,))]

class Torn(Reverse):
    def sample(self, scale, rng):
        return [*"a" * scale, "=", *rng.choice(list("xy"), scale).tolist()]

class Task:
    circuit = Reverse()

def phi(query, key, scale):
    return (query + key == 2 * scale + 1) * 1

number = 3

class Raises(Reverse):
    def gates(self, scale):
        return [][scale]

class Words(Reverse):
    def gates(self, scale):
        return [Gate(scale, "copy", ("first",))]

def torn(query, key, scale):
    return query if query > 2 else key
"""


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def test_a_users_gates_and_relation(capsys, mine):
    for name in ("Reverse", "Task"):
        found = _json(capsys, "lab", "relation", f"{mine}:{name}", "--scale", "2")
        assert found["formulas"] == ["j = 2n + 1 - i"]
        assert found["table"][2] == [0, 1, 0, 0]
        assert found["uses_scale"] is True
    rows = _json(
        capsys, "lab", "src", f"{mine}:Reverse", "--encoding", "rpe", *IDEAL, f"{mine}:phi"
    )["rows"]
    assert [row["generalizes (conjecture)"] for row in rows] == ["no", "yes", "yes"]


@pytest.mark.parametrize(("task", "encoding"), [("Reverse", "ipe-sh"), ("select-middle", "ipe")])
def test_relation_is_ready_for_the_ideal_encoding(capsys, mine, tmp_path, task, encoding):
    from lengthwise.relations.library import circuit
    from lengthwise.relations.relation import ideal_table
    from lengthwise.relations.tables import read_relation

    name = f"{mine}:{task}" if task == "Reverse" else task
    path = tmp_path / "table.npz"
    words = ("lab", "relation", name, "--reference", "6", "--output", str(path))
    code, out, err = _run(capsys, *words)
    assert code == 0, err
    assert f"--encoding {encoding}:relation=FILE.npz" in out
    loaded = read_relation(str(path))
    assert loaded.needs_scale == (encoding == "ipe-sh")
    for scale in range(1, 7):
        wanted = ideal_table(circuit(name), scale)
        found = loaded.table(len(wanted), scale if loaded.needs_scale else None)
        assert np.array_equal(found[-1], wanted[-1])
        assert np.array_equal(found, wanted) or not loaded.needs_scale


def test_relation_prints_formulas_and_table(capsys, tmp_path):
    figure = tmp_path / "map.png"
    code, out, _ = _run(capsys, "lab", "relation", "parity", "--scale", "2", "--plot", str(figure))
    assert code == 0
    assert "phi(i, j) = 1  iff  j = i - n" in out
    assert "   5 | . . 1 . 2" in out
    assert figure.stat().st_size > 0


def test_nope_builds_verifies_and_draws(capsys, tmp_path):
    figure = tmp_path / "nope.svg"
    found = _json(
        capsys,
        "lab",
        "nope",
        "--length",
        "8",
        "--length",
        "16",
        "--norm",
        "layer",
        "--plot",
        str(figure),
    )
    assert [row["positions"] for row in found] == [8, 16]
    assert all(row["alibi"] < 1e-9 and row["position"] < 1e-12 for row in found)
    assert figure.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("lab", "lrc", "--target", "decey"), "Did you mean 'decay'"),
        (("lab", "lrc", "--train-length", "9", "--length", "4"), "need 1 <= N0 < N"),
        (("lab", "lrc", "--length", "5000"), "at most 50 and 1000"),
        (("lab", "nope", "--length", "5000"), "at most 4,096"),
        (("lab", "lrc", "--encoding", "rop"), "Did you mean 'rope'"),
        (("lab", "lrc", "--encoding", "rpe,rope"), "--encoding rpe --encoding rope"),
        (("lab", "lrc", "--plot", "x.bmp"), "use a name that ends in"),
        (("lab", "theorem", "1", "--length", "4"), "1 <= N0 < N <= 3"),
        (("lab", "theorem", "2", "--length", "9"), "too many cases"),
        (("lab", "theorem", "2", "--plot", "x.svg"), "without a figure"),
        (("lab", "src", "paritty"), "Did you mean 'parity'"),
        (("lab", "src", "parity", "--encoding", "rpee"), "Did you mean 'rpe'"),
        (("lab", "src", "parity", "--train-length", "20"), "need 1 <= training < test"),
        (("lab", "relation", "copy", "--scale", "0"), "--scale. It must be at least 1"),
        (
            ("lab", "relation", "copy", "--scale", "30", "--layout", "aligned"),
            "does not fit the aligned",
        ),
        (("lab", "relation", "copy", "--output", "x.txt"), "use a name that ends in .npz"),
        (("lab", "nope", "--length", "x"), "'x' is not a whole number"),
        (("lab", "nope", "--length", "1"), "must be at least 2"),
        (("lab", "nope", "--heads", "0"), "heads"),
        (("analyse", "probe", "nothing"), "unknown run"),
        (("lab", "relation", "absent.py:Name"), "there is no file 'absent.py'"),
    ],
)
def test_mistakes_are_one_line(capsys, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = _run(capsys, *words)
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Ahead", "slot 1 looks at position 2, after its query position 1"),
        ("Torn", "conflicting truth table of operator 'copy'"),
        ("Raises", "gates(1) raised IndexError"),
        ("Words", "position 'first' is not a whole number"),
        ("number", "needs a method gates(scale)"),
        ("Reverze", "Did you mean 'Reverse'"),
    ],
)
def test_a_users_mistakes_are_one_line(capsys, mine, name, message):
    for command in ("src", "relation"):
        code, out, err = _run(capsys, "lab", command, f"{mine}:{name}")
        assert (code, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1


def test_a_users_relation_that_is_not_vectorised_is_named(capsys, mine):
    code, out, err = _run(capsys, "lab", "src", "parity", "--encoding", f"{mine}:torn")
    assert (code, out) == (2, "")
    assert "must take arrays" in err
