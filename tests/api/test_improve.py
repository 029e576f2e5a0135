"""improve: proposals are tasks, their verdicts those of predict, their weights right."""

import pytest

import lengthwise as lw
from lengthwise.core.errors import InputError
from lengthwise.languages.formats import to_json
from lengthwise.tasks import load_task
from lengthwise.tasks.formal.word_problem import generators, group_automaton


def test_parity_has_a_proof_weights_and_a_page(tmp_path):
    found = lw.improve("parity", time_limit=40)
    best = found.best
    assert best.task == "steps:parity;every=1"
    assert best.yes[0].encoding == "ape"
    assert best.yes[0].strength == "proof"
    assert best.weights.right == best.weights.inputs
    assert best.weights.longest == 2_000
    assert best.examples
    kinds = {p.task: {v.encoding: v.answer for v in p.prediction.verdicts} for p in found.proposals}
    assert kinds["steps:parity;every=1"]["nope"] == "no"
    assert kinds["trace:parity;hints=none"]["ape"] == "no"
    for proposal in found.proposals:
        load_task(proposal.task)  # every one can be trained
    found.report(tmp_path / "page.html")
    found.weights(tmp_path / "w.safetensors")
    assert "steps:parity" in (tmp_path / "page.html").read_text()
    shown = found.to_json()
    assert shown["question"] == "steps:parity;every=0"
    assert shown["proposals"][0]["weights"]["right"] == 6


def test_what_is_a_yes_is_left_alone():
    found = lw.improve("binary-majority")
    assert found.improvement.satisfied
    assert not found.proposals
    assert "already" in next(iter(found.parts()))
    with pytest.raises(InputError, match="no proposal"):
        found.weights("w.safetensors")


def test_another_encoding_is_proposed_where_it_is_enough():
    found = lw.improve("(aa)*")
    assert [p.kind for p in found.proposals] == ["encoding"]
    assert {v.encoding for v in found.best.yes} >= {"ape"}


def test_without_states_it_is_said_what_is_missing():
    found = lw.improve("repeat-copy", time_limit=20)
    assert found.best.task.startswith("hinted-copy")
    assert any("no states are known" in note for note in found.improvement.notes)


def test_a_function_needs_its_automaton(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("def even(word):\n    return word.count('a') % 2 == 0\n")
    told = lw.improve(f"{path}:even", alphabet="ab", time_limit=120)
    assert told.best is None
    assert any("automaton" in note for note in told.improvement.notes)


def test_names_that_clash_are_chosen_differently(tmp_path):
    dfa = group_automaton(generators("Z2"))
    text = to_json(dfa).replace('"a"', '"q0"').replace('"b"', '"q1"')
    (tmp_path / "x.json").write_text(text)
    found = lw.improve(str(tmp_path / "x.json"), time_limit=20)
    assert "prefix=state" in found.best.task


def test_settings_need_training():
    with pytest.raises(InputError, match="without --train"):
        lw.improve("parity", steps=5)


def test_before_and_after_are_trained_alike(tmp_path):
    found = lw.improve(
        "parity", time_limit=20, train=True, store=tmp_path, steps=3, train_length=(1, 4), layers=1
    )
    assert [str(r.spec.task) for r in found.before] == ["steps:every=0,task=parity"]
    assert [str(r.spec.task) for r in found.after] == ["steps:every=1,task=parity"]
    for result in (*found.before, *found.after):
        assert result.spec.evaluation.metric == "answer"
    one, two = found.before[0].spec, found.after[0].spec
    assert one.training == two.training
    assert one.model == two.model


def test_an_encoding_that_is_asked_for_has_a_proposal_of_its_own():
    found = lw.improve("parity", encoding="nope", time_limit=120)
    assert found.best.task == "steps:parity;every=1,write=change"
    assert found.best.weights.right == found.best.weights.inputs
    with pytest.raises(InputError, match="encoding"):
        lw.improve("parity", encoding="nop")


@pytest.mark.parametrize(
    ("subject", "best"),
    [
        ("multiplication-steps", "columns:operation=times,base=10"),
        ("sort-text", "sort:symbols=50,repeats=true"),
        ("addition", "columns:operation=sum,base=2"),
    ],
)
def test_formats_are_proposed_by_what_is_asked(subject, best):
    found = lw.improve(subject, time_limit=120)
    assert found.best.task == best
    assert any("no states are known" in note for note in found.improvement.notes)


def test_an_automaton_that_is_too_large_is_said_to_be():
    found = lw.improve("word-problem:S6", time_limit=60)
    assert any("too many to spell" in note for note in found.improvement.notes)


def test_several_encodings_where_one_is_wanted_are_refused():
    with pytest.raises(lw.InputError, match="give one text"):
        lw.improve("parity", encoding=["ape"])
