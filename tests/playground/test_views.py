"""What the views answer: against the library's own answers, and on bad input."""

import json
from itertools import product

import pytest

from lengthwise.crasp import accepts, parse, trace
from lengthwise.languages.formats import to_json
from lengthwise.languages.regex import compile_regex
from lengthwise.playground import api
from lengthwise.playground.disagreement import disagree
from lengthwise.playground.language import language
from lengthwise.playground.programs import compare, library, mark, program
from lengthwise.playground.results import curves, run, runs, sweep
from lengthwise.playground.word_steps import step
from lengthwise.predict import predict
from lengthwise.report.drawing import DRAWN_STATES
from lengthwise.runs.sweep import load_sweep
from lengthwise.subjects.model import read_model
from lengthwise.theory.decide.decision import decide

MAJORITY = 'alphabet "a" "b"\naccept = #"a" > #"b"'


def ask(action, request, store="runs", seconds=30.0):
    found = api.answer(action, request, store=str(store), seconds=seconds)
    json.dumps(found)
    return found


@pytest.mark.parametrize("accept", ["last", "end", "predict"])
@pytest.mark.parametrize("regex", ["(ab)*", "(aa)*", "a*b(a|b)*", "(a|b)*abb(a|b)*"])
def test_a_language_is_answered_as_by_predict_and_decide(regex, accept):
    found = language({"regex": regex, "accept": accept})
    wanted = {v.encoding: v.answer for v in predict(regex, accept=accept).verdicts}
    assert {row["encoding"]: row["generalizes"] for row in found["verdicts"]} == wanted
    decision = decide(compile_regex(regex), accept)
    told = [one["answer"] for one in found["answers"]]
    assert told == [decision.plain.answer, decision.periodic_local.answer]
    is_in = "in" in told
    assert (found["program"] is not None) == is_in
    if is_in:
        assert found["program"] == str(decision.written_program())
    assert found["automaton"]["drawn"]
    assert compile_regex(regex).accepts(found["word"])
    checked = [one["steps"][-1]["title"] for one in found["answers"]]
    assert set(checked) <= {"Checked", "Included"}


def test_a_certificate_that_was_tampered_with_is_not_shown_as_checked():
    from lengthwise.report.certificate_steps import steps
    from lengthwise.theory.decide.check_certificate import Refused

    certificate = decide(compile_regex("(aa)*"), "end").plain.certificate()
    assert certificate is not None
    certificate["parts"][0]["refutation"]["suffix"] = [0, 0, 0, 0, 99]
    with pytest.raises(Refused):
        steps(certificate)


def test_no_file_is_read_or_run_for_a_page(tmp_path, monkeypatch):
    trap = tmp_path / "trap.py"
    trap.write_text("import pathlib\npathlib.Path('sprung').touch()\ndef f(w): return True\n")
    (tmp_path / "x.json").write_text(to_json(compile_regex("(ab)*")))
    monkeypatch.chdir(tmp_path)
    for text in (
        *("trap.py:f", "task:trap.py:f", "fixed:trap.py:f", "automaton:x.json", "x.json"),
        *("dfa:x.json", "text:x.json", "trap.cr", "program:trap.cr", str(tmp_path / "x.json")),
    ):
        found = ask("language", {"regex": text})
        assert not found["ok"], text
        assert "no files are read here" in found["error"], text
    assert not (tmp_path / "sprung").exists()
    assert ask("language", {"regex": "regex:x.json"})["ok"]


def test_a_name_means_here_what_it_means_on_the_command_line():
    task = ask("language", {"regex": "d-2"})
    assert task["ok"]
    assert task["states"] == 4
    assert "predict" not in task["commands"][0]["command"]
    assert ask("language", {"regex": "contains-ab"})["ok"]
    assert "predict induction-head" in ask("language", {"regex": "induction-head"})["error"]
    assert "Did you mean 'parity'" in ask("language", {"regex": "paritty"})["error"]


def test_large_automata_are_listed_rather_than_drawn():
    found = language({"regex": "(a|b)*a(a|b){6}", "seconds": 4.0})
    assert found["automaton"] is None
    assert f"limit is {DRAWN_STATES}" in found["note"]
    assert len(found["table"]["rows"]) == found["states"]


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"regex": ""}, "empty"),
        ({"regex": "(ab"}, "column 1"),
        ({"regex": "a" * 501}, "501 characters; the playground's limit is 500"),
        ({"regex": 3}, "expected text"),
        ({"regex": "a", "accept": "sideways"}, "sideways"),
        ({"regex": "a", "alphabett": "ab"}, "alphabett"),
        ({"regex": "a", "store": "/etc"}, "not for pages"),
        ({"regex": "a", "seconds": 1e9}, "not for pages"),
        ({"regex": "(a|b)*a(a|b){12}"}, "more than 2,000 states"),
        ({"regex": "a\ud800"}, "not text"),
        (["regex"], "JSON object"),
    ],
)
def test_bad_languages_get_one_sentence(request_, said):
    found = ask("language", request_)
    assert not found["ok"]
    assert said in found["error"]


def test_a_program_has_facts_verdicts_and_a_trace():
    found = program({"text": MAJORITY, "word": "aab"})
    assert found["facts"] | {"depth": 1, "fragment": "plain"} == found["facts"]
    assert {row["generalizes"] for row in found["verdicts"]} == {"yes"}
    assert found["trace"]["head"] == ["", "a", "a", "b"]
    assert found["trace"]["rows"] == [["accept", "●", "●", "●"]]
    assert found["trace"]["result"] == "accepted"


def test_a_mistake_in_a_program_has_its_place():
    found = ask("program", {"text": 'C = #"a"\naccept = C >> 1', "word": ""})
    assert (found["ok"], found["line"], found["column"]) == (False, 2, 13)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"text": "x" * 20_001}, "20,001 characters"),
        ({"text": " "}, "empty"),
        ({"parameters": "n:3"}, "name=integer"),
        ({"parameters": "n=3"}, "n"),
        ({"word": "a " * 4097}, "4,097 letters"),
        ({"word": "abc"}, "'c'"),
        ({"accept": "first"}, "first"),
    ],
)
def test_bad_programs_get_one_sentence(changes, said):
    found = ask("program", {"text": MAJORITY, "word": "a", **changes})
    assert not found["ok"]
    assert said in found["error"]


@pytest.mark.parametrize("accept", ["last", "end"])
@pytest.mark.parametrize("seed", range(4))
def test_the_transformer_stands_beside_the_program(accept, seed):
    text = 'alphabet "a" "b"\nempty accept\nV = #"a" < #"b"\naccept = #V == 0 && #"a" == #"b"'
    found = compare({"text": text, "accept": accept, "length": 80, "random": 80, "seed": seed})
    word = found["word"].split()
    assert len(word) == 80
    assert found["positions"]["different"] == 0
    assert found["positions"]["total"] == 80
    said = "accepted" if accepts(parse(text), [word], accept=accept)[0] else "rejected"
    assert found["answers"] == {"program": said, "transformer": said}
    assert found["sizes"]["layers"] >= 2


def test_a_writing_program_is_compared_by_what_it_writes():
    text = next(p["text"] for p in library({})["programs"] if p["name"] == "generate-sort")
    found = compare({"text": text, "word": "3 1 2 <sep>", "length": 20})
    assert found["answers"] == {"program": "1 2 3 <eos>", "transformer": "1 2 3 <eos>"}
    assert found["positions"]["rows"][-1] == ["4", "<sep>", "1", "1"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"length": 0}, "outside 1 to 4,096"),
        ({"length": 4097}, "outside 1 to 4,096"),
        ({"length": 3.5}, "whole number"),
        ({"length": True}, "whole number"),
        ({"length": 2, "word": "aab"}, "compiled for 2"),
        ({"random": 65}, "outside 1 to 64"),
        ({"random": 3, "seed": -1}, "seed"),
        ({"random": 3, "text": "accept = true"}, "names no letters"),
        ({"dtype": "int8"}, "int8"),
    ],
)
def test_bad_comparisons_get_one_sentence(changes, said):
    found = ask("compare", {"text": MAJORITY, **changes})
    assert not found["ok"]
    assert said in found["error"]


@pytest.mark.parametrize("accept", ["last", "end"])
@pytest.mark.parametrize("name", ["majority", "dyck-1", "contains-ab", "aa"])
def test_stepping_shows_what_program_automaton_and_weights_hold(name, accept):
    text = library_text(name)
    parsed = parse(text)
    word = list(parsed.letters() * 4)[:7]
    found = step({"text": text, "accept": accept, "word": " ".join(word)})
    assert found["columns"] == ["$", *word]
    groups = {group["title"]: dict(group["rows"]) for group in found["groups"]}
    said = trace(parsed, word, accept=accept)
    assert list(groups["Program"]) == [row[0] for row in said.rows]
    for row, cells in said.rows:
        assert groups["Program"][row] == ["", *(mark(cell) for cell in cells[: len(word)])]
    outputs = groups["Output: positive means true"]["accept"]
    prefixes = [word[:size] for size in range(1, len(word) + 1)]
    wanted = accepts(parsed, prefixes, accept=accept).tolist()
    assert [value > 0 for value in outputs[1:]] == wanted
    if found["automaton"] is not None:
        final = found["automaton"]["accepting"]
        assert [state in final for state in found["states"][1:]] == wanted
    for group in found["groups"]:
        if group["kind"] == "attention":
            for _, weights in group["rows"]:
                for query, row in enumerate(weights):
                    assert sum(row) == pytest.approx(1, abs=0.01)
                    assert not any(row[query + 1 :])


def test_the_separator_is_explained_where_a_program_writes():
    found = program({"text": library_text("generate-sort")})
    assert "<sep> is the separator" in found["writes"]
    assert found["word"].endswith("<sep>")
    assert program({"text": MAJORITY})["writes"] == ""


def library_text(name):
    return next(p["text"] for p in library({})["programs"] if p["name"] == name)


@pytest.mark.parametrize(
    ("text", "regex", "word"),
    [
        ('accept = #"b" == 0', "(ab)*", "a"),
        ('alphabet "a" "b"\naccept = #"a" == #"b"', "(ab)*", "b a"),
        ('alphabet "a" "b"\naccept = "b"', "(a|b)*b", None),
    ],
)
def test_the_shortest_difference_is_found_or_excluded(text, regex, word):
    found = disagree({"text": text, "regex": regex})
    if word is None:
        assert found["word"] is None
        assert "words of every length" in found["known"][-1]
        return
    shorter = [w for n in range(len(word.split()) + 1) for w in product("ab", repeat=n)]
    own, target = parse(text), compile_regex(regex)
    differ = [w for w in shorter if bool(accepts(own, [w])[0]) != target.accepts(w)]
    assert len(found["word"].split()) == len(differ[0])
    assert tuple(found["word"].split()) in differ
    assert found["said"]["program"] == found["said"]["transformer"] != found["said"]["language"]


def test_a_trained_run_is_stepped_through_and_its_mistake_found(trained):
    store, made = trained
    about = run({"store": str(store.root), "id": made.id})
    assert about["example"].endswith("<sep>")
    found = step({"store": str(store.root), "run": made.id, "word": about["example"]})
    assert found["columns"][0] == "<bos>"
    titles = [group["title"] for group in found["groups"]]
    assert "Layer 1: what each head reads from here" in titles
    last = dict(found["groups"][-1]["rows"])["the model"]
    model = read_model(made.id, store.root)
    written = model.reply([about["example"]], "<eos>", 1)[0]["written"]
    assert last[-1] == written
    wrong = disagree({"store": str(store.root), "run": made.id})
    assert wrong["word"] is not None
    prompt = wrong["word"].partition(" <sep>")[0]
    reply = model.reply([prompt], "<eos>", 10)[0]["written"]
    assert reply.split()[: len(wrong["said"]["should say"].split())] != (
        wrong["said"]["should say"].split()
    )


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"text": MAJORITY, "word": "a" * 41}, "40 are stepped through"),
        ({"text": MAJORITY, "word": "abc"}, "'c'"),
        ({"text": MAJORITY, "word": "a", "layer": 1}, "layer"),
        ({"run": "nothing", "word": "0"}, "no run 'nothing'"),
        ({"run": 3, "word": "0"}, "expected text"),
    ],
)
def test_bad_steps_get_one_sentence(request_, said, small_store):
    found = ask("step", request_, small_store.root)
    assert not found["ok"]
    assert said in found["error"]


def test_runs_are_listed_newest_first_and_filtered(small_store):
    everything = runs({"store": str(small_store.root)})
    assert everything["total"] == 5
    only = runs({"store": str(small_store.root), "filter": "APE", "state": "done"})
    assert [(row["position"], row["state"]) for row in only["runs"]] == [("ape", "done")]


def test_a_run_shows_its_specification_and_command(small_store):
    chosen = runs({"store": str(small_store.root), "state": "done"})["runs"][0]["id"]
    found = run({"store": str(small_store.root), "id": chosen})
    assert found["spec"] == json.loads((small_store.root / chosen / "spec.json").read_text())
    assert found["commands"][0]["command"].startswith("lengthwise train parity --encoding ")


def test_a_run_of_a_python_file_is_shown_without_running_the_file(tmp_path, small_store):
    from lengthwise.records.spec import RunSpec
    from lengthwise.runs.store import Store

    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\n")
    plain = RunSpec.create(task="parity", position="nope").model_dump(mode="json")
    made = RunSpec.read({**plain, "task": {"name": f"{trap}:Task"}})
    store = Store(tmp_path / "runs")
    store.open(made)
    found = run({"store": str(store.root), "id": made.id})
    assert [c["label"] for c in found["commands"]] == ["Show this run"]
    assert not (tmp_path / "sprung").exists()


def test_curves_pool_seeds_or_keep_them_apart(small_store):
    where = str(small_store.root)
    ids = [row["id"] for row in runs({"store": where, "state": "done"})["runs"]]
    apart = curves({"store": where, "ids": ids})
    assert [one["seeds"] for one in apart["series"]] == [1, 1, 1]
    pooled = curves({"store": where, "ids": ids, "pooled": True, "log": True})
    assert sorted(one["seeds"] for one in pooled["series"]) == [1, 2]
    nope = next(one for one in pooled["series"] if "nope" in one["name"])
    points = pooled["chart"]["datasets"]["points"]
    assert {row["e"] for row in points} == {one["name"] for one in pooled["series"]}
    assert pooled["chart"]["datasets"]["trained"] == [{"lo": 1.0, "hi": 10}]
    assert nope["bins"][0][:2] == ["1-10", "90.0%"]  # seeds of 100% and 80%: 10 * 0.75 rounds to 8


def test_a_run_under_way_is_drawn_by_its_newest_evaluation(small_store):
    where = str(small_store.root)
    begun = runs({"store": where, "state": "unfinished"})["runs"][0]["id"]
    found = curves({"store": where, "ids": [begun]})
    assert found["series"][0]["bins"][0][1] == "50.0%"
    assert "unfinished" in found["series"][0]["name"]
    assert found["commands"] == []


def test_a_sweep_is_counted(small_store):
    found = sweep({"store": str(small_store.root)})
    assert (found["total"], found["done"], len(found["failed"])) == (5, 3, 1)
    assert found["failed"][0]["reason"].startswith("<img")
    assert found["sweep"].startswith("demo-")


@pytest.mark.parametrize(
    "name",
    ["..", ".", "../secret.json", "/etc/passwd", "%2e%2e", "", "a" * 300, ".cache", "sweeps"],
)
def test_path_tricks_reach_no_file_outside_the_store(name, small_store):
    for action, request in (
        ("run", {"id": name}),
        ("curves", {"ids": [name]}),
        ("sweep", {"name": f"../{name}"}),
        ("step", {"run": name, "word": "0"}),
        ("disagree", {"run": name}),
    ):
        found = ask(action, request, small_store.root)
        assert not found["ok"], (action, name)


def test_at_most_a_dozen_runs_are_drawn_together(small_store):
    found = ask("curves", {"ids": [str(n) for n in range(13)]}, small_store.root)
    assert "at most 12" in found["error"]
    assert "at least one" in ask("curves", {"ids": []}, small_store.root)["error"]
    assert "list" in ask("curves", {"ids": "abc"}, small_store.root)["error"]


def test_a_store_without_runs_or_sweeps_says_so(tmp_path):
    assert ask("runs", {}, tmp_path)["total"] == 0
    empty = ask("sweep", {}, tmp_path)
    assert (empty["ok"], empty["sweep"]) == (True, None)
    plan = tmp_path / "sweep.toml"
    plan.write_text(empty["example"])
    specs = load_sweep(plan).specs()
    assert len(specs) == 4


def test_unknown_actions_are_refused_by_name():
    assert "'languag'" in ask("languag", {})["error"]
