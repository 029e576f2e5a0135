"""The benchmark's own honesty: it times in turn, compares equal work, and can say no."""

import json
import os
import sys
from importlib import import_module
from itertools import islice

import pytest
import torch

from lengthwise.bench import checkpoints, memory, one_step, training
from lengthwise.bench.bench_record import BenchRecord
from lengthwise.bench.deciding import against_cycles, divisible, growth, large, many_random
from lengthwise.bench.interpreting import programs
from lengthwise.bench.measure import LEAST, MORE, Figure, Row, compare
from lengthwise.bench.one_step import CEILINGS
from lengthwise.bench.peers import (
    gpt2,
    python_instances,
    trainer_run,
    x_transformer,
)
from lengthwise.bench.start_up import processor_seconds
from lengthwise.bench.suite import GROUPS, chosen, measure, ratios, require_peers, run, slower
from lengthwise.cli.main import main
from lengthwise.core.errors import InputError
from lengthwise.positions import POSITIONS
from lengthwise.tasks import load_task
from lengthwise.tasks.algorithmic.parity import Parity
from tests.tasks.test_algorithmic import solve


def test_both_sides_are_timed_in_turn_and_the_best_counts():
    calls = []
    ours, theirs = iter([9.0, 2.0, 1.0, 4.0]), iter([9.0, 6.0, 8.0, 4.0])

    def timed(name, times):
        return lambda: calls.append(name) or next(times)

    row = compare("g", "n", timed("a", ours), "p", timed("b", theirs), rounds=3, at_least=5.0)
    assert calls == ["a", "b"] * 4  # the first round warms up
    assert (row.ours, row.theirs, row.ratio) == (1.0, 4.0, 4.0)
    assert (row.low, row.high) == (1.0, 8.0)
    assert row.reached is False


def test_what_is_short_is_measured_more_often():
    turns = []
    compare("g", "n", lambda: turns.append(1) or 0.25, "p", lambda: 0.25, rounds=2)
    assert len(turns) == 1 + LEAST / 0.5
    turns.clear()
    compare("g", "n", lambda: turns.append(1) or 1e-6, "p", lambda: 1e-6, rounds=2)
    assert len(turns) == 1 + 2 * MORE


@pytest.mark.parametrize("name", ["parity", "majority", "repeat-copy", "unique-copy"])
def test_the_peers_generators_make_the_same_instances(name):
    words = load_task(name).vocabulary
    for tokens, labels in islice(python_instances(name, 0, 20), 200):
        text = [words.text(token) for token in tokens]
        cut = text.index("<sep>")
        answer = solve(name, text[1:cut])
        assert text == ["<bos>", *text[1:cut], "<sep>", *answer, "<eos>"]
        assert labels == [-100] * (cut + 1) + tokens[cut + 1 :]


@pytest.mark.filterwarnings("ignore")  # the peers' own
def test_the_peers_have_the_shapes_they_are_compared_at():
    tokens = torch.randint(0, 7, (2, 5))
    assert gpt2(1, 2, 8, 7, 16)(tokens).logits.shape == (2, 5, 7)
    for kind in ("rope", "alibi", "t5"):
        assert x_transformer(kind, 1, 2, 64, 7, 16)(tokens).shape == (2, 5, 7)


def row(ratio, name="n"):
    return Row(group="g", name=name, peer="p", ours=1, theirs=1, ratio=ratio, low=1, high=1)


def test_the_guard_names_what_became_slower():
    before = {"g: n / p": 2.0, "g: m / p": 2.0, "g: gone / p": 2.0}
    found = slower([row(1.69), row(1.71, "m"), row(0.1, "new")], before)
    assert found == [{"row": "g: n / p", "before": 2.0, "now": 1.69}]


def test_every_group_is_in_the_record():
    assert len(BenchRecord.stored().groups) == len(GROUPS)
    assert ratios([row(1.23456)]) == {"g: n / p": 1.235}


def test_a_record_keeps_what_was_not_measured_again():
    machine = {"cores": 2}
    first = BenchRecord().having([row(2.0), row(3.0, "m")], "one", machine)
    figure = Figure(group="h", name="memory", value=1.23456, unit="GB")
    both = first.having([figure], "two", machine)
    assert [(name, group.command) for name, group in both.groups.items()] == [
        ("g", "one"),
        ("h", "two"),
    ]
    assert both.rows()[-1].value == 1.235
    again = both.having([row(4.0)], "three", machine)
    assert [entry.name for entry in again.rows()] == ["n", "memory"]
    assert BenchRecord.model_validate(again.to_json()) == again


def test_mistakes(monkeypatch, capsys):
    with pytest.raises(InputError, match="Did you mean 'evaluation'"):
        chosen(["evaluatoin"])
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'lengthwise\[bench\]'"):
        require_peers()


def test_the_command_prints_saves_and_checks(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(GROUPS, "memory", ("tests.bench.test_bench:fake_rows", False))
    release = BenchRecord().having([row(100.0)], "", {})
    monkeypatch.setattr(BenchRecord, "stored", classmethod(lambda cls: release))
    path = tmp_path / "measured.json"
    with pytest.raises(SystemExit) as end:
        main(["dev", "bench", "--group", "memory", "--json", "--check", "--save", str(path)])
    assert end.value.code == 1
    out, err = capsys.readouterr()
    assert json.loads(out)[0]["ratio"] == 3.0
    assert "slower: g: n / p: 100.0 -> 3.0" in err
    saved = BenchRecord.read(path)
    assert ratios(saved.rows()) == {"g: n / p": 3.0}
    assert saved.groups["g"].command == "lengthwise dev bench --group memory --rounds 5"


def test_another_file_is_not_overwritten(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(GROUPS, "memory", ("tests.bench.test_bench:fake_rows", False))
    path = tmp_path / "notes.json"
    path.write_text('{"mine": 1}')
    with pytest.raises(SystemExit) as end:
        main(["dev", "bench", "--group", "memory", "--save", str(path)])
    assert end.value.code == 2
    assert "not a record of this benchmark" in capsys.readouterr().err
    assert path.read_text() == '{"mine": 1}'


def fake_rows(rounds):
    yield row(3.0)


def where_rows(rounds):
    yield Figure(group="g", name="process", value=os.getpid(), unit="")
    yield Figure(group="g", name="threads", value=torch.get_num_threads(), unit="")


def failing_rows(rounds):
    yield row(3.0)
    sys.exit(7)


def test_a_group_has_a_process_of_its_own(monkeypatch):
    monkeypatch.setitem(GROUPS, "memory", ("tests.bench.test_bench:where_rows", False))
    process, threads = run("memory", 1, 2)
    assert process.value != os.getpid()
    assert threads.value == 2


def test_a_group_that_fails_is_named_after_its_rows(monkeypatch):
    monkeypatch.setitem(GROUPS, "memory", ("tests.bench.test_bench:failing_rows", False))
    rows = run("memory", 1, 1)
    assert next(rows).ratio == 3.0
    with pytest.raises(RuntimeError, match="group memory ended with exit code 7"):
        next(rows)


def test_the_share_of_data_is_that_of_the_next_batch(monkeypatch):
    monkeypatch.setattr(one_step, "STEPS", (("parity", 1, 1, 16, (0, 9)),))
    seen = []
    original = Parity.sample
    monkeypatch.setattr(Parity, "sample", lambda *a: seen.append(original(*a)) or seen[-1])
    (figure,) = one_step.data_share(1)
    assert 0 < figure.value < 100
    # two looks before training; the first step, then steps and their data in turn: what is timed
    # alone comes again in a step
    assert len(seen) == 2 + 1 + 2 * 8
    assert (seen[4].tokens == seen[5].tokens).all()


@pytest.mark.filterwarnings("ignore")  # the peer's own
def test_the_peer_writes_nothing_into_our_output(capfd):
    assert trainer_run("parity", 1, 1, 8, 8, 154, steps=1)() > 0
    assert capfd.readouterr().out == ""


def test_every_group_has_a_function_that_exists():
    for place, _ in GROUPS.values():
        module, _, name = place.partition(":")
        assert callable(getattr(import_module(module), name))


def test_programs_at_a_size_that_takes_no_time():
    (figure,) = programs(1, words=8, length=8)
    assert figure.value > 0


def test_start_up_counts_the_processor_time_of_a_process(tmp_path):
    some = processor_seconds(("-c", "sum(range(10**6))"), str(tmp_path))
    assert 0 < some < processor_seconds(("-c", "sum(range(2 * 10**7))"), str(tmp_path))


def test_deciding_at_a_size_that_takes_no_time():
    row = against_cycles("divisible", divisible(3, 2), 1, at_least=50.0)
    assert row.peer == "cycle enumeration"
    names = [figure.name for figure in growth(1, sizes=(3, 4))]
    assert [name.split(" states")[0] for name in names] == [
        "length divisible by n, 2 letters: 3",
        "length divisible by n, 2 letters: 4",
        "bounded counter, steps ±1 ±2: 3",
        "bounded counter, steps ±1 ±2: 4",
    ]


def test_large_automata_at_a_size_that_takes_no_time():
    names = [figure.name for figure in large(scale=0.004)]
    assert len(names) == 9
    assert names[0].startswith("D_n: both answers, certificates, n = 4 (n^")
    assert "2 decided" in many_random(2, states=20).name


def test_the_ceilings_are_those_of_encodings_that_exist():
    assert set(CEILINGS) <= set(POSITIONS)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the peers' own
@pytest.mark.parametrize("group", ["steps", "generation", "memory"])
def test_groups_run_for_real(group, monkeypatch):
    monkeypatch.setattr(training, "STEPS", ((1, 1, 64, 2, 8, 1.0),))
    monkeypatch.setattr(memory, "FIGURES", memory.FIGURES[1:])
    rows = list(measure(GROUPS[group][0], 1, 1))
    assert rows


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the peers' own
def test_a_folder_is_loaded_and_continued():
    written, loaded = checkpoints.checkpoints(1, (1, 1, 16, 50), 3)
    assert min(written.ours, loaded.ours) > 0
    assert "3 prompts of 200 tokens" in written.name
