"""Every verb returns in Python what its command prints as JSON, and writes the same files."""

import json
from pathlib import Path

import numpy as np
import pytest

import lengthwise as lw
from lengthwise.analysis import cost
from lengthwise.api.shown import Rows, Shown, writers
from lengthwise.cli.main import COMMANDS, load
from lengthwise.core.errors import InputError
from lengthwise.runs.execute import execute
from lengthwise.runs.store import Store

TINY = {"layers": 1, "heads": 1, "width": 8, "steps": 2, "instances": 4, "jobs": 1, "device": "cpu"}
TINY |= {"train_length": "1:4", "test_length": ["5:6"]}
TYPED = """--layers 1 --heads 1 --width 8 --steps 2 --instances 4 --jobs 1 --device cpu
    --train-length 1:4 --test-length 5:6"""

# words of the command; `@name` is a run's id, `$` the folder -> the same in Python.
CALLS = {
    "train parity --encoding nope --encoding ape " + TYPED: lambda ids, folder: lw.train(
        "parity", encoding=["nope", "ape"], store=folder / "store", **TINY
    ),
    "report @ape --no-predict --title Mine": lambda ids, folder: lw.report(
        ids["ape"], predict=False, title="Mine", store=folder / "store"
    ),
    "plot --task parity --width column": lambda ids, folder: lw.plot(
        task="parity", width="column", store=folder / "store"
    ),
    "show addition --length 7 --seed 2": lambda ids, folder: lw.show("addition", length=7, seed=2),
    "show tomita-7 --windows": lambda ids, folder: lw.show("tomita-7", windows=True),
    "show task:addition": lambda ids, folder: lw.show("addition"),
    "show encoding:alibi --length 3": lambda ids, folder: lw.show("alibi", length=3),
    "reproduce": lambda ids, folder: lw.reproduce(),
    "reproduce chen2025 --kept": lambda ids, folder: lw.reproduce("chen2025", kept=True),
    "doctor": lambda ids, folder: lw.doctor(store=folder / "store"),
    "list tasks": lambda ids, folder: lw.list_tasks(),
    "list encodings": lambda ids, folder: lw.list_encodings(),
    "list programs": lambda ids, folder: lw.list_programs(),
    "analyse attention @ape --input 0110": lambda ids, folder: lw.analyse.attention(
        ids["ape"], input_="0110", store=folder / "store"
    ),
    "analyse ranks --encoding nope --encoding ape": lambda ids, folder: lw.analyse.ranks(
        encoding=("nope", "ape"), store=folder / "store"
    ),
    "analyse perplexity @text --context 5 --tokens 2 --windows 3": lambda ids, folder: (
        lw.analyse.perplexity(ids["text"], context=[5], tokens=2, windows=3, store=folder / "store")
    ),
    "analyse cost --encoding nope --length 5": lambda ids, folder: lw.analyse.cost(
        encoding="nope", length=(5,)
    ),
    "analyse probe @nope --instances 4": lambda ids, folder: lw.analyse.probe(
        ids["nope"], instances=4, store=folder / "store"
    ),
    "analyse positional @ape": lambda ids, folder: lw.analyse.positional(
        ids["ape"], store=folder / "store"
    ),
    "analyse relation @lbpe": lambda ids, folder: lw.analyse.relation(
        ids["lbpe"], store=folder / "store"
    ),
    "analyse regulariser contains-ab --context 4": lambda ids, folder: lw.analyse.regulariser(
        "contains-ab", context=[4]
    ),
    "analyse regulariser --run @ape": lambda ids, folder: lw.analyse.regulariser(
        run=ids["ape"], store=folder / "store"
    ),
    "analyse products aa": lambda ids, folder: lw.analyse.products("aa"),
    "lab scoreboard --suite $/suite.txt --against published --encoding nope": lambda ids, folder: (
        lw.lab.scoreboard(suite=str(folder / "suite.txt"), against="published", encoding="nope")
    ),
    "lab lrc --train-length 2 --length 4 --encoding nope": lambda ids, folder: lw.lab.lrc(
        train_length=2, length=4, encoding="nope"
    ),
    "lab theorem 1": lambda ids, folder: lw.lab.theorem(1),
    "lab theorem 2 --levels 2": lambda ids, folder: lw.lab.theorem(2, levels=2),
    "lab src parity --encoding rpe --length 7": lambda ids, folder: lw.lab.src(
        "parity", encoding="rpe", length=7
    ),
    "lab relation addition --scale 2": lambda ids, folder: lw.lab.relation("addition", scale=2),
    "lab nope --length 4": lambda ids, folder: lw.lab.nope(length=[4]),
    "lab positional-fit j<i --width 4 --steps 2": lambda ids, folder: lw.lab.positional_fit(
        "j<i", width=[4], steps=2
    ),
}


def small(task, position):
    return lw.RunSpec.create(
        task=task,
        position=position,
        model={"layers": 1, "heads": 1, "width": 8},
        training={"length": (1, 4), "steps": 2, "batch": 4, "evaluate_every": 2},
        evaluation={"lengths": ((5, 6),), "instances": 4},
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a store, a suite, and the ids of runs by name."""
    folder = tmp_path_factory.mktemp("verbs")
    (folder / "text.txt").write_text("some text that repeats, " * 50)
    (folder / "suite.txt").write_text("aa-star\n")
    specs = {
        "nope": small("parity", "nope"),
        "ape": small("parity", "ape"),
        "lbpe": small("select-last", "lbpe"),
        "text": small(f"text:{folder / 'text.txt'}", "nope"),
    }
    for spec in specs.values():
        execute(spec, Store(folder / "store"), device="cpu")
    return {name: spec.id for name, spec in specs.items()}, folder


@pytest.fixture(autouse=True)
def _no_clock(monkeypatch):
    """Costs are measured elsewhere; here they only have to be the same twice."""

    def measured(encodings, lengths, **rest):
        return [cost.Cost(name, length, 1.0, 2.0, 3.0) for name in encodings for length in lengths]

    monkeypatch.setattr(cost, "cost_by_length", measured)


@pytest.mark.parametrize("typed", CALLS)
def test_python_returns_what_the_command_prints(run, made, monkeypatch, typed):
    ids, folder = made
    monkeypatch.setenv("LENGTHWISE_STORE", str(folder / "store"))
    words = [
        ids[w[1:]] if w.startswith("@") else w.replace("$", str(folder)) for w in typed.split()
    ]
    if words == ["doctor"]:
        words += ["--store", folder / "store"]
    code, out, err = run(*words, "--json")
    assert code == 0, err
    result = CALLS[typed](ids, folder)
    assert isinstance(result, Shown)
    assert json.loads(out) == json.loads(json.dumps(result.to_json(), default=str))
    assert all(isinstance(part, str | Rows) for part in result.parts())
    code, text, _ = run(*words, *_elsewhere(folder, type(result)))
    assert code == 0
    assert text or not list(result.parts())


def _elsewhere(folder: Path, kind: type) -> list[str]:
    """Keep the usual file out of this folder."""
    usual = [m for m in writers(kind).values() if vars(m)["__writer__"].usual]
    return ["-o", str(folder / f"usual{vars(usual[0])['__writer__'].suffixes[0]}")] if usual else []


def test_every_verb_is_compared():
    verbs = {name for name, (target, _) in COMMANDS.items() if ".api." in target}
    called = {name for name in COMMANDS for typed in CALLS if f"{typed} ".startswith(f"{name} ")}
    assert verbs <= called, verbs - called


PAGES = ("train", "report", "reproduce", "lab scoreboard")
"""Slow to draw; their pages are tested with the report."""


@pytest.mark.parametrize("typed", [typed for typed in CALLS if not typed.startswith(PAGES)])
def test_files_are_written_from_python_too(made, tmp_path, typed):
    ids, folder = made
    result = CALLS[typed](ids, folder)
    for name, method in writers(type(result)).items():
        suffix = vars(method)["__writer__"].suffixes[-1]
        path = tmp_path / "new" / f"{name}{suffix}"
        getattr(result, name)(str(path))
        assert path.stat().st_size > 100
        with pytest.raises(InputError, match="use a name that ends in"):
            getattr(result, name)(tmp_path / "x.exe")


def test_numbers_out_of_bounds_are_refused_in_python_as_on_the_command_line(run):
    with pytest.raises(InputError, match="length 0: it must be at least 1"):
        lw.lab.nope(length=[4, 0])
    assert "--length. It must be at least 1" in run("lab", "nope", "--length", "0")[2]


def test_a_verb_that_is_called_like_a_room_stays_the_verb():
    from lengthwise.report.html import save  # noqa: F401

    assert lw.report.__module__ == "lengthwise.api.pages"
    assert callable(lw.report)


def test_no_option_is_said_in_python():
    """Help shows defaults as they are typed."""
    from cyclopts import App

    for target, _ in COMMANDS.values():
        if ".api." not in target:
            continue
        app = App()
        app.default(load(target))
        for argument in app.assemble_argument_collection():
            shown = argument.parameter.show_default
            assert not isinstance(shown, str) or not set("()[]'") & set(shown), (target, shown)


def test_saved_relations_are_read_again(made, tmp_path):
    ids, folder = made
    found = lw.analyse.relation(ids["lbpe"], store=folder / "store")
    found.save(tmp_path / "table.npz")
    with np.load(tmp_path / "table.npz") as saved:
        assert saved["table"].tolist() == found.to_json()["values"]
