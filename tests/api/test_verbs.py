"""Every verb returns in Python what its command prints as JSON, and writes the same files."""

import json
import os
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
from lengthwise.studies.blind import draw

TINY = {"layers": 1, "heads": 1, "width": 8, "steps": 2, "instances": 4, "jobs": 1, "device": "cpu"}
TINY |= {"train_length": "1:4", "test_length": ["5:6"]}
TYPED = """--layers 1 --heads 1 --width 8 --steps 2 --instances 4 --jobs 1 --device cpu
    --train-length 1:4 --test-length 5:6"""

SWEEP = """
[axes]
task = ["parity"]
position = ["nope", "ape"]
[fixed]
model = { layers = 1, heads = 1, width = 8 }
training = { length = [1, 4], steps = 2, batch = 4, evaluate_every = 2 }
evaluation = { lengths = [[5, 6]], instances = 4 }
"""

# words of the command; `@name` is a run's id, `$` the folder, `|` a space -> the same in Python.
CALLS = {
    "predict (aa)* --encoding nope --encoding ape": lambda ids, folder: lw.predict(
        "(aa)*", encoding=["nope", "ape"]
    ),
    "predict parity --encoding nope --explain": lambda ids, folder: lw.predict(
        "parity", encoding="nope", explain=True, store=folder / "store"
    ),
    "improve (aa)*": lambda ids, folder: lw.improve("(aa)*"),
    "decide (ab)*": lambda ids, folder: lw.decide("(ab)*"),
    "decide (aa)* d-2 --explain --accept end": lambda ids, folder: lw.decide(
        "(aa)*", "d-2", explain=True, accept="end"
    ),
    "length tomita-1": lambda ids, folder: lw.length("tomita-1"),
    "length --suite kept": lambda ids, folder: lw.length(suite="kept"),
    "verify $/certificate.json": lambda ids, folder: lw.verify(folder / "certificate.json"),
    "compile dyck-1 --length 20 --check --words 3": lambda ids, folder: lw.compile(
        "dyck-1", length=20, check=True, words=3
    ),
    "ask $/majority.safetensors aab b": lambda ids, folder: lw.ask(
        str(folder / "majority.safetensors"), "aab", "b"
    ),
    "evaluate @ape --length 1:6 --instances 4": lambda ids, folder: lw.evaluate(
        ids["ape"], length=(1, 6), instances=4, store=folder / "store"
    ),
    "export model @ape": lambda ids, folder: lw.export.model(ids["ape"], store=folder / "store"),
    "export task parity --length 1:4 --instances 2": lambda ids, folder: lw.export.task(
        "parity", length="1:4", instances=2
    ),
    "ask @ape 0110 --limit 3": lambda ids, folder: lw.ask(
        ids["ape"], "0110", limit=3, store=folder / "store"
    ),
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
    "reproduce chen2025 --kept --edition 1": lambda ids, folder: lw.reproduce(
        "chen2025", kept=True, edition=1
    ),
    "doctor": lambda ids, folder: lw.doctor(store=folder / "store"),
    "sweep $/two.toml --no-calibrate --jobs 1 --device cpu": lambda ids, folder: lw.sweep(
        str(folder / "two.toml"), calibrate=False, jobs=1, device="cpu", store=folder / "store"
    ),
    "sweep $/two.toml --dry-run --no-calibrate --jobs 1": lambda ids, folder: lw.sweep(
        str(folder / "two.toml"), dry_run=True, calibrate=False, jobs=1, store=folder / "store"
    ),
    "runs list --encoding ape": lambda ids, folder: lw.runs.list_runs(
        encoding="ape", store=folder / "store"
    ),
    "runs list @ape": lambda ids, folder: lw.runs.list_runs(ids["ape"], store=folder / "store"),
    "runs query from|bins|order|by|all": lambda ids, folder: lw.runs.query(
        "from bins order by all", store=folder / "store"
    ),
    "runs export --table lengths": lambda ids, folder: lw.runs.export(
        table="lengths", store=folder / "store"
    ),
    "runs verify --digests": lambda ids, folder: lw.runs.verify(
        digests=True, store=folder / "store"
    ),
    "runs select $/two.toml --threshold 0": lambda ids, folder: lw.runs.select(
        str(folder / "two.toml"), threshold=0, store=folder / "store"
    ),
    "runs work --sweep $/two.toml --device cpu": lambda ids, folder: lw.runs.work(
        sweep=str(folder / "two.toml"), device="cpu", store=folder / "store"
    ),
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
    "analyse products --run @ape": lambda ids, folder: lw.analyse.products(
        run=ids["ape"], store=folder / "store"
    ),
    "analyse limit @ape --instances 5 --inputs 40": lambda ids, folder: lw.analyse.limit(
        ids["ape"], instances=5, inputs=40, store=folder / "store"
    ),
    "analyse products aa": lambda ids, folder: lw.analyse.products("aa"),
    "crasp show dyck-1": lambda ids, folder: lw.crasp.show("dyck-1"),
    "crasp show bounded-dyck --set n=7 --latex": lambda ids, folder: lw.crasp.show(
        "bounded-dyck", set_="n=7", latex=True
    ),
    "crasp run majority aab --accept end": lambda ids, folder: lw.crasp.run(
        "majority", "aab", accept="end"
    ),
    "crasp run dyck-1 --file $/words.txt": lambda ids, folder: lw.crasp.run(
        "dyck-1", file=folder / "words.txt"
    ),
    "crasp trace dyck-1 (())": lambda ids, folder: lw.crasp.trace("dyck-1", "(())"),
    "crasp check generate-majority --against majority:letters=3 --samples 5": lambda ids, folder: (
        lw.crasp.check("generate-majority", against="majority:letters=3", samples=5)
    ),
    "crasp compare majority majority-weak": lambda ids, folder: lw.crasp.compare(
        "majority", "majority-weak"
    ),
    "crasp learn a* --alphabet ab --train-length 2 --plain": lambda ids, folder: lw.crasp.learn(
        "a*", alphabet="ab", train_length=2, plain=True
    ),
    "crasp simplify dyck-1": lambda ids, folder: lw.crasp.simplify("dyck-1"),
    "crasp format dyck-1": lambda ids, folder: lw.crasp.format_program("dyck-1"),
    "lab communication dyck-1 --longest 3": lambda ids, folder: lw.lab.communication(
        "dyck-1", longest=3
    ),
    "lab infer (ab)* --context 4": lambda ids, folder: lw.lab.infer("(ab)*", context=[4]),
    "lab scoreboard --suite $/suite.txt --against published --encoding nope": lambda ids, folder: (
        lw.lab.scoreboard(suite=str(folder / "suite.txt"), against="published", encoding="nope")
    ),
    "lab lrc --train-length 2 --length 4 --encoding nope": lambda ids, folder: lw.lab.lrc(
        train_length=2, length=4, encoding="nope"
    ),
    "lab draw --data $": lambda ids, folder: lw.lab.draw(data=folder),
    "lab reach": lambda ids, folder: lw.lab.reach(store=folder / "store"),
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
    lw.decide("(aa)*").certificate(folder / "certificate.json")
    lw.compile("majority", length=20).save(folder / "majority.safetensors")
    (folder / "two.toml").write_text(SWEEP)
    (folder / "words.txt").write_text("// brackets\n( )\n) (\n")
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


@pytest.fixture(autouse=True)
def _drawn(monkeypatch):
    """Drawing a suite needs the benchmark's automata and takes a minute."""
    said = {"nope": {"answer": "no"}, "ape": {"answer": "yes"}}
    language = {"task": "regex:(aa)*", "kind": "only with positions", "states": 2}
    found = {"languages": [language | {"predicted": said}], "digest": "1", "frozen": "2"}
    monkeypatch.setattr(draw, "draw_frozen", lambda data, seed, told: found)


@pytest.fixture(autouse=True)
def _dot(tmp_path_factory, monkeypatch):
    """Automata are drawn by a program that need not be installed."""
    fake = tmp_path_factory.mktemp("bin") / "dot"
    fake.write_text("#!/bin/sh\nsed 's/^/<!-- /; s/$/ -->/'\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")


@pytest.mark.parametrize("typed", CALLS)
def test_python_returns_what_the_command_prints(run, made, monkeypatch, typed):
    ids, folder = made
    monkeypatch.setenv("LENGTHWISE_STORE", str(folder / "store"))
    words = [
        ids[w[1:]] if w.startswith("@") else w.replace("$", str(folder)).replace("|", " ")
        for w in typed.split()
    ]
    if words == ["doctor"]:
        words += ["--store", folder / "store"]
    code, out, err = run(*words, "--json")
    assert code == 0, err
    result = CALLS[typed](ids, folder)
    assert isinstance(result, Shown)
    again = json.loads(json.dumps(result.to_json(), default=str))
    assert _timeless(json.loads(out)) == _timeless(again)
    assert all(isinstance(part, str | Rows) for part in result.parts())
    code, text, _ = run(*words, *_elsewhere(folder, type(result)))
    assert code == 0
    assert text or not list(result.parts())


def _timeless(found):
    """Leave out how long it took."""
    for one in found if isinstance(found, list) else [found]:
        if isinstance(one, dict):
            one.pop("seconds", None)
    return found


def _elsewhere(folder: Path, kind: type) -> list[str]:
    """Keep the usual file out of this folder, and name a file where one must be named."""
    files = [vars(method)["__writer__"] for method in writers(kind).values()]
    return [
        word
        for file in files
        if file.usual or file.needed
        for word in (f"--{file.option}", str(folder / f"usual{file.suffixes[0]}"))
    ]


def test_every_verb_is_compared():
    verbs = {name for name, (target, _) in COMMANDS.items() if ".api." in target}
    called = {name for name in COMMANDS for typed in CALLS if f"{typed} ".startswith(f"{name} ")}
    assert verbs <= called, verbs - called


SLOW = ("train", "report", "reproduce", "lab scoreboard", "compile", "export", "improve")
"""Slow to draw, or folders; their pages are tested with the report, weights below."""
SEVERAL = "decide (aa)* d-2 --explain --accept end"
"""Programs and drawings are of one language."""


@pytest.mark.parametrize(
    "typed", [typed for typed in CALLS if not typed.startswith(SLOW) and typed != SEVERAL]
)
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


def test_a_program_and_a_drawing_are_of_one_language_in_python_too(made, tmp_path):
    result = CALLS[SEVERAL](*made)
    result.certificate(tmp_path / "c.json")
    for name in ("program.cr", "plot.svg"):
        with pytest.raises(InputError, match="this takes one language; 2 were given"):
            getattr(result, name.partition(".")[0])(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["c.json"]


def test_results_are_what_they_are_called_after():
    decided = lw.decide("(ab)*", "(aa)*")
    assert [decision.plain.answer for decision in decided] == ["in", "out"]
    predicted = lw.predict("(aa)*")
    assert predicted.verdict("ape").answer == "yes"
    assert predicted.verdicts == predicted.prediction.verdicts
    with pytest.raises(InputError, match="no verdict for 'rpe'; there is one for nope"):
        predicted.verdict("rpe")


def test_weights_are_asked_with_and_without_a_file(tmp_path):
    compiled = lw.compile("majority", length=20)
    compiled.save(str(tmp_path / "new" / "majority.safetensors"))
    asked = lw.ask(tmp_path / "new" / "majority.safetensors", "aab", "b")
    assert asked.to_json() == lw.ask(compiled, "aab", "b").to_json()
    assert [bool(yes) for yes in compiled.model.accepts(["aab", "b"])] == [True, False]
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="this is a file; name a folder"):
        compiled.gpt2(tmp_path / "file")


def test_a_model_that_differs_from_its_program_is_refused(monkeypatch):
    from lengthwise.theory.limit import compare

    wrong = compare.Check(2, 6, 0, 0, 6, 1, ("a", "b"))
    monkeypatch.setattr(compare, "check", lambda *args, **rest: wrong)
    with pytest.raises(InputError, match="differs from the program, first on 'a b'"):
        lw.compile("majority", length=5, check=True)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lw.decide(["(ab)*"]), r"pass a string, as in decide\(.*, not of type list"),
        (lambda: lw.predict(len), "pass a string, as in predict.*file.py:name"),
        (lambda: lw.compile(3), "pass a string, as in compile"),
        (lambda: lw.decide("a", accept="lst"), "choose one of last, .* Did you mean 'last'?"),
        (lambda: lw.decide("a", time_limit=0), "time_limit 0: it must be above 0"),
        (lambda: lw.compile("dyck-1", dtype="float16"), "dtype 'float16': choose one of"),
        (lambda: lw.verify("absent.json"), "absent.json"),
        (lambda: lw.ask("absent.safetensors", "a"), "absent.safetensors"),
        (lambda: lw.ask(lw.compile("majority", length=5)), "give at least one word"),
        (lambda: lw.ask(lw.compile("majority", length=5), ["a"]), "pass words as strings"),
    ],
)
def test_mistakes_in_python_say_what_to_pass(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_numbers_out_of_bounds_are_refused_in_python_as_on_the_command_line(run):
    with pytest.raises(InputError, match="length 0: it must be at least 1"):
        lw.lab.nope(length=[4, 0])
    assert "--length. It must be at least 1" in run("lab", "nope", "--length", "0")[2]


def test_a_verb_that_is_called_like_a_room_stays_the_verb():
    from lengthwise.report.html import save  # noqa: F401

    assert lw.report.__module__ == "lengthwise.api.pages"
    assert callable(lw.report)
    from lengthwise.crasp import parse  # noqa: F401

    assert (lw.crasp.__name__, lw.runs.__name__) == ("lengthwise.api.crasp", "lengthwise.api.runs")


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
