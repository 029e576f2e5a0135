"""Tasks for the lm-evaluation-harness: the same instances, and the same numbers by the harness."""

import json
import os

import numpy as np
import pytest

import lengthwise as lw
from lengthwise.core.errors import InputError
from lengthwise.tasks import load_task
from lengthwise.tasks.text.spelling import plain_pieces
from lengthwise.tasks.vocabulary import Vocabulary


def test_the_files_are_plain_and_the_same_every_time(tmp_path):
    first, second = (lw.export.task("parity", length="1:20", instances=3) for _ in range(2))
    assert first.files == second.files
    first.output(tmp_path / "folder")
    rows = [
        json.loads(line)
        for path in sorted((tmp_path / "folder").glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]
    assert sorted({row["length"] for row in rows}) == list(range(1, 21))
    assert all(row["prompt"].count("\n") == 8 and row["prompt"].endswith(" :") for row in rows)
    assert {row["answer"] for row in rows} == {" e", " o"}


def test_what_is_written_is_what_is_evaluated():
    task = load_task("binary-majority")
    made = lw.export.task("binary-majority", length="5:5", instances=20)
    rows = [json.loads(line) for line in made.files["binary_majority_5_5.jsonl"].splitlines()]
    for row in rows:
        letters = row["prompt"].splitlines()[-1].replace(":", "").split()
        assert len(letters) == 5
        ones = letters.count("1")
        assert row["answer"].strip() == ("1" if ones > 2 else "0")
    assert task.vocabulary.symbols == ("0", "1")


def test_symbols_that_clash_and_tasks_that_label_are_refused():
    assert plain_pieces(Vocabulary(("a", ":")), {})["<sep>"] == " ="
    with pytest.raises(InputError, match="no symbol 'z'"):
        lw.export.task("parity", spelling="z=1")
    with pytest.raises(InputError, match="written alike"):
        lw.export.task("parity", spelling=["0=1"])
    with pytest.raises(InputError, match="labels what was read"):
        lw.export.task("dyck-1", length="2:4")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_harness_counts_what_we_count(tmp_path, monkeypatch):
    evaluator = pytest.importorskip("lm_eval.evaluator", reason="needs the lm-eval library")
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    from tests.models.exchange.folders import make_gpt2, transformers
    from tests.subjects.test_imported import save_bpe

    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    folder, tasks = tmp_path / "model", tmp_path / "tasks"
    os.makedirs(folder)
    made = make_gpt2(folder, vocab_size=262, n_positions=200, tie_word_embeddings=False)
    save_bpe(folder, [" 0 1 : 0\n 1 1 : 1\n"] * 9, size=262)
    _fit(made, folder)
    lw.export.task("binary-majority", length="1:6", instances=20).output(tasks)
    ours = lw.evaluate(
        folder, task="binary-majority", length="1:6", instances=20, store=tmp_path / "runs"
    )
    assert 0 < ours.accuracy.accuracy < 1, "a test that cannot fail"
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    tokenizer.pad_token_id = tokenizer.eos_token_id = 0
    monkeypatch.chdir(tasks)
    theirs = evaluator.simple_evaluate(
        model=HFLM(pretrained=made, tokenizer=tokenizer, backend="causal", batch_size=4),
        tasks=["binary_majority"],
        task_manager=TaskManager(include_path=str(tasks), include_defaults=False),
        bootstrap_iters=0,
    )["results"]
    for length in range(1, 7):
        found = theirs[f"binary_majority_{length}_{length}"]["exact_match,none"]
        assert found == pytest.approx(ours.accuracy.between(length, length).accuracy)


def _fit(made, folder, steps=60):
    """Teach the model a little, so that it is right now and then."""
    import torch

    task = lw.load(folder).prepared(load_task("binary-majority"), "exact")
    optimizer = torch.optim.Adam(made.parameters(), lr=3e-3)
    for step in range(steps):
        batch = task.draw(np.random.default_rng(step), 1, 6, 16)
        logits = made(torch.from_numpy(batch.tokens)).logits
        wanted = torch.from_numpy(batch.targets).flatten()
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted, ignore_index=-100)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    made.save_pretrained(folder)
