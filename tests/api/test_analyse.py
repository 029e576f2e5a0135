"""``analyse attention``, ``ranks``, ``perplexity``: what they print, write and refuse."""

import json

import pytest

from lengthwise.models.config import ModelConfig
from lengthwise.records.spec import EvaluationConfig, RunSpec, TrainingConfig
from lengthwise.runs.execute import execute
from lengthwise.runs.store import Store

MODEL = ModelConfig(layers=2, heads=2, width=8)


def small(task="unique-copy:symbols=12", position="nope", seed=0, model=MODEL) -> RunSpec:
    return RunSpec.create(
        task=task,
        position=position,
        seed=seed,
        model=model,
        training=TrainingConfig(length=(2, 5), steps=2, batch=4, evaluate_every=2),
        evaluation=EvaluationConfig(lengths=((6, 8),), instances=5),
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with finished runs by name."""
    root = tmp_path_factory.mktemp("analyse", "attention") / "store"
    text = root.parent / "text.txt"
    text.write_text("some text that repeats, " * 100)
    specs = {
        "nope": small(),
        "t5": small(position="t5"),
        "nope 1": small(seed=1),
        "t5 1": small(position="t5", seed=1),
        "rope": small(position="rope", seed=2),
        "window": small(position="window:size=2,encoding=rope"),
        "one head": small(model=ModelConfig(layers=2, heads=1, width=8)),
        "parity": small("parity"),
        "text": small(f"text:{text}"),
    }
    for spec in specs.values():
        execute(spec, Store(root), device="cpu")
    return root, {name: spec.id for name, spec in specs.items()}


@pytest.fixture
def call(run, runs):
    """Call a command on the runs; `@name` stands for a run's id."""

    def words(*given):
        ids = runs[1]
        return run(*(ids[w[1:]] if w.startswith("@") else w for w in given), "--store", runs[0])

    return words


def plain(answer):
    code, out, err = answer
    assert code == 0, err
    return json.loads(out)


def test_attention_of_one_run(call):
    found = plain(call("analyse", "attention", "@t5", "--length", "6", "--count", "3", "--json"))
    assert len(found["inputs"]) == 3
    assert [(row["layer"], row["head"]) for row in found["heads"]] == [
        (1, 1),
        (1, 2),
        (2, 1),
        (2, 2),
    ]
    assert all(row["bias effect"] >= 0 for row in found["heads"])
    assert sum(found["histogram"]) == pytest.approx(1)
    assert found["near"] + found["middle"] + found["far"] == pytest.approx(1)
    assert found["other"] is found["similarity"] is None
    code, out, _ = call("analyse", "attention", "@nope")
    assert code == 0
    assert "expected" in out
    assert "bias effect" not in out


def test_attention_of_two_runs(call):
    words = ("analyse", "attention", "@nope", "--other", "@nope 1", "--queries", "answer")
    found = plain(call(*words, "--json"))
    assert [row["layer"] for row in found["similarity"]] == [1, 2, "mean"]
    assert all(row["published formula"] >= 0 for row in found["similarity"])
    same = plain(call("analyse", "attention", "@nope", "--other", "@nope", "--json"))["similarity"]
    assert same[-1]["Jensen-Shannon"] == pytest.approx(0, abs=1e-12)
    assert same[0]["heads"] in ("1 ~ 1", "2 ~ 2")
    code, out, _ = call(*words)
    assert code == 0
    assert "Jensen-Shannon" in out
    alone = plain(call("analyse", "attention", "@one head", "--other", "@one head", "--json"))[
        "similarity"
    ]
    assert "published formula" not in alone[0]


def test_attention_on_a_given_sequence(call, tmp_path):
    figure, page = tmp_path / "deep" / "heads.svg", tmp_path / "deep" / "heads.html"
    words = (
        "analyse",
        "attention",
        "@parity",
        "--input",
        "0110 <sep>",
        "--plot",
        figure,
        "--report",
        page,
    )
    code, _, err = call(*map(str, words), "--other", "@parity")
    assert (code, err) == (0, f"figure: {figure}\npage: {page}\n")
    assert "layer 2, head 2" in figure.read_text()
    html = page.read_text()
    assert "How far heads look" in html
    assert "How alike the two runs are" in html
    assert "layer 2, head 2" in html
    spaced = plain(
        call("analyse", "attention", "@parity", "--input", "<bos> 0 1 1 0 <sep>", "--json")
    )
    glued = plain(call("analyse", "attention", "@parity", "--input", "0110 <sep>", "--json"))
    assert spaced["heads"] == glued["heads"]
    text = plain(call("analyse", "attention", "@text", "--input", "some text", "--json"))
    assert text["inputs"] == ["some text"]


def test_what_is_infinite_is_no_number_in_json(call, tmp_path):
    page = str(tmp_path / "page.html")
    words = ("analyse", "attention", "@window", "--other", "@nope", "--report", page)
    found = plain(call(*words, "--json"))
    assert {row["bias effect"] for row in found["heads"]} == {None}
    assert found["similarity"][-1]["published formula"] is None
    assert 0 < found["similarity"][-1]["Jensen-Shannon"] < 0.6932
    assert "infinite" in (tmp_path / "page.html").read_text()
    code, out, _ = call(*words)
    assert code == 0
    assert "inf" in out


def test_ranks(call):
    found = plain(
        call(
            "analyse",
            "ranks",
            "--task",
            "unique-copy",
            "--encoding",
            "nope",
            "--encoding",
            "t5",
            "--json",
        )
    )
    assert {row["encoding"] for row in found["ranks"]} == {"nope", "t5"}
    assert found["complete"] == 2
    assert found["dropped"] == 2  # with one head there is NoPE only, with seed 2 rotary only
    by_name = {row["encoding"]: row for row in found["ranks"]}
    # after two steps everything is wrong, so fair ties are equal and published ones go by order
    assert by_name["nope"]["fair ties"] == by_name["t5"]["fair ties"] == pytest.approx(2 / 3)
    assert (by_name["nope"]["published ties"], by_name["t5"]["published ties"]) == (1.0, 0.5)
    code, out, _ = call(
        "analyse",
        "ranks",
        "--encoding",
        "t5",
        "--encoding",
        "nope",
        "--task",
        "unique-copy:symbols=12",
    )
    assert code == 0
    assert "published ties" in out
    assert "complete cells: 2; incomplete, dropped: 2" in out


def test_perplexity(call):
    words = ("analyse", "perplexity", "@text", "--context", "8", "--context", "20", "--tokens", "4")
    found = plain(call(*words, "--windows", "5", "--json"))
    assert list(found[0]["perplexity"]) == ["8", "20"]
    assert all(1 < value < 1000 for value in found[0]["perplexity"].values())
    code, out, _ = call(
        "analyse", "perplexity", "@text", "@text", "--tokens", "2", "--windows", "0"
    )
    assert code == 0
    assert "trained on lengths to 5" in out
    assert "10 " in out  # twice the longest that was trained


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("analyse", "attention", "nothing"), "unknown run"),
        (("analyse", "attention", "@nope", "--other", "nothing"), "unknown run"),
        (("analyse", "attention", "@nope", "--other", "@parity"), "has other symbols"),
        (
            ("analyse", "attention", "@nope", "--input", "a", "--length", "3"),
            "leave --length and --count out",
        ),
        (("analyse", "attention", "@parity", "--input", ""), "the sequence is empty"),
        (
            ("analyse", "attention", "@parity", "--input", "012"),
            "'012' at position 0 is not in the vocabulary",
        ),
        (
            ("analyse", "attention", "@parity", "--input", "01", "--queries", "answer"),
            "no such token",
        ),
        (("analyse", "attention", "@nope", "--length", "13"), "no instances of length"),
        (("analyse", "attention", "@nope", "--count", "0"), "--count"),
        (("analyse", "attention", "@nope", "--queries", "some"), "--queries"),
        (("analyse", "attention", "@nope", "--plot", "x.bmp"), "use a name that ends in"),
        (("analyse", "ranks", "--task", "paritty"), "no finished run"),
        (("analyse", "ranks", "--encoding", "nop"), "Did you mean 'nope'"),
        (
            (
                "analyse",
                "ranks",
            ),
            "no cell has a score for all of",
        ),
        (
            (
                "analyse",
                "perplexity",
            ),
            "name at least one finished run",
        ),
        (("analyse", "perplexity", "@parity", "--context", "9"), "no language modelling"),
        (("analyse", "perplexity", "@text", "--context", "9"), "cannot be shorter"),
        (
            ("analyse", "perplexity", "@text", "--context", "100000"),
            "no document has 100000 tokens",
        ),
        (("analyse", "perplexity", "@text", "--context", "many"), "context"),
    ],
)
def test_mistakes_are_one_line(call, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = call(*words)
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err
    assert list(tmp_path.iterdir()) == []
