"""Finite data: nothing trained on is tested, nothing occurs twice, the authors' files are read."""

import json

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.evaluation.exact import test_set as draw_tests
from lengthwise.tasks import load_task
from lengthwise.tasks.draws import check_draws


def texts(batch):
    rows = zip(batch.tokens, batch.size, strict=True)
    return [row[:size].astype(np.int64).tobytes() for row, size in rows]


def test_all_of_scan_is_split_as_published():
    task = load_task("fixed:scan;size=15997,held=1777,distinct=true")
    train, held = set(texts(task.instances(1, 25))), set(texts(task.held_out(1, 25)))
    assert (len(train), len(held), len(train & held)) == (15_997, 1_777, 0)
    unseen = task.draw_test(np.random.default_rng(0), 26, 48, 10_000, trained=False)
    assert len(unseen.size) == len(set(texts(unseen))) == 3_136


@pytest.mark.parametrize("options", ["size=300", "size=300,held=50,distinct=true"])
def test_the_training_lengths_are_tested_on_what_was_held_out(options):
    task = load_task(f"fixed:sort-text;{options}")
    train = set(texts(task.instances(2, 8)))
    tested = texts(draw_tests(task, 0, (2, 8), 0, 40))
    assert len(tested) == 40
    assert set(tested) <= set(texts(task.held_out(2, 8)))
    if "distinct" in options:
        assert not set(tested) & train
    drawn = texts(task.draw(np.random.default_rng(0), 2, 8, 99))
    assert set(drawn) <= train


def test_a_small_language_gives_all_it_has_and_tests_no_instance_twice():
    task = load_task("fixed:parity;size=100,held=20,distinct=true")
    both = texts(task.instances(3, 3)) + texts(task.held_out(3, 3))
    assert len(both) == len(set(both)) == 8
    assert len(draw_tests(task, 0, (3, 3), 0, 500).size) == 2


RECORDS = {
    "copy": [
        ({"src_seq": "k k", "tgt_seq": "k k", "cat": 2}, "Copy: k k [SEP]  ->  k k"),
        (
            {"source_char": "6", "target_char": ">", "src_seq": "6 6", "tgt_seq": "> >", "cat": 2},
            "Replace 6 with > in 6 6 [SEP]  ->  > >",
        ),
    ],
    "reverse": [
        ({"src_seq": "a 9", "tgt_seq": "9 a", "cat": 2}, "Reverse: a 9 [SEP]  ->  9 a"),
    ],
    "sort": [
        (
            {"src_seq": [81, 19], "tgt_seq": [19, 81], "cat": 2},
            "Sort the following list [ 8 1 , 1 9 ] .  ->  The sorted list is [ 1 9 , 8 1 ] .",
        ),
    ],
    "addition": [
        (
            {"a": 87, "b": 6, "sum": 93, "cat": "2-by-1"},
            "Compute 8 7 + 6 ?  ->  The answer is 9 3 .",
        ),
    ],
    "parity": [
        (
            {"values": [1, 0], "answer": 1, "cat": 2},
            "Is the number of 1's even in the sequence [ 1 , 0 ] ?  ->  The answer is No .",
        ),
    ],
    "summation": [
        (
            {"values": [9, 4], "answer": 3, "cat": 2},
            "Compute: 9 + 4 . [SEP]  ->  The answer is 3 .",
        ),
    ],
    "pairs": [
        ({"source": "walk", "target": "Walk", "category": 2}, "Solve: walk [SEP]  ->  Walk"),
    ],
}


def files(folder, **parts):
    for part, records in parts.items():
        (folder / f"{part}.jsonl").write_text("\n".join(map(json.dumps, records)))


@pytest.mark.parametrize("kind", RECORDS)
def test_the_authors_files_are_read(kind, tmp_path):
    records = [record for record, _ in RECORDS[kind]]
    files(tmp_path, train=records, validation=records, test=records)
    task = load_task(f"jsonl:{tmp_path};kind={kind}")
    shown = {line.removesuffix(" <eos>") for line in task.render(task._batches["train"])}
    assert shown == {text for _, text in RECORDS[kind]}
    batch = check_draws(task, 2, 2)
    rows = [row[:size].tolist() for row, size in zip(batch.tokens, batch.size, strict=True)]
    assert all(task.answered(row, row) for row in rows)


def test_training_validation_and_test_are_kept_apart(tmp_path):
    made = [{"source": f"w{n}", "target": "x", "category": n} for n in range(1, 7)]
    files(tmp_path, train=made[:3], validation=made[1:3], test=made[3:])
    task = load_task(f"jsonl:{tmp_path}")
    rng = np.random.default_rng(0)
    assert set(task.draw(rng, 1, 3, 50).length.tolist()) == {1, 2, 3}
    assert sorted(draw_tests(task, 0, (1, 3), 0, 50).length.tolist()) == [2, 3]
    assert sorted(draw_tests(task, 0, (4, 6), 1, 50).length.tolist()) == [4, 5, 6]
    with pytest.raises(InputError, match=r"train.jsonl has no instance of length 4:6"):
        task.draw(rng, 4, 6, 5)


def test_a_line_of_another_kind_is_named(tmp_path):
    files(tmp_path, train=[{"source": "a", "target": "b", "category": 1}, {"cat": 1}])
    with pytest.raises(InputError, match=r"train.jsonl, line 2: not an instance of kind pairs"):
        load_task(f"jsonl:{tmp_path}")
    with pytest.raises(InputError, match="there is no such file"):
        load_task("jsonl:nowhere")
