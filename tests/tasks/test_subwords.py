"""Text in subwords: learned on the spot or a tokenizer of one's own; perplexity by context."""

import numpy as np
import pytest

import lengthwise as lw
from lengthwise.core.components import Component
from lengthwise.core.errors import InputError
from lengthwise.evaluation.perplexity import perplexity_by_context
from lengthwise.tasks import TASKS, load_task
from lengthwise.tasks.text.tokens import learn_pairs

tokenizers = pytest.importorskip("tokenizers", reason="needs the tokenizers library")

TEXT = "the cat sat on the mat, the dög ate the hat.\n" * 60


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text(TEXT)
    return "text:notes.txt"


def test_pairs_are_learned_from_the_training_part_and_can_be_undone(corpus):
    task = load_task(f"{corpus};level=bpe,words=270")
    assert len(task.vocabulary.symbols) == 270
    ids = task.encoder.encode(TEXT.encode())
    assert task.encoder.decode(ids.tolist()) == TEXT.encode()
    assert len(ids) < len(TEXT.encode()) / 2
    assert ids.max() < 270
    batch = task.sample(np.random.default_rng(0), np.array([5, 9]))
    assert (batch.tokens < len(task.vocabulary)).all()
    assert task.render(batch)


def test_a_file_that_is_divided_inside_a_character(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd.txt").write_text("öä" * 101)  # 404 bytes: 363 are for training
    for part in ("train", "test"):
        task = load_task(f"text:odd.txt;level=bpe,words=260,part={part}")
        assert len(task.corpus.ids)


def test_the_same_text_gives_the_same_pairs():
    contents = (TEXT.encode(), b"another text, another text")
    first = learn_pairs(contents, 300)
    learn_pairs.cache_clear()
    assert learn_pairs(contents, 300).tokenizer.digest == first.tokenizer.digest


def test_a_tokenizer_of_ones_own_is_read_and_is_part_of_the_identity(corpus, tmp_path):
    words = {"[UNK]": 0, "the": 1, "cat": 2, "<pad>": 3, "sat": 4}
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    inner.save(str(tmp_path / "mine.json"))
    text = f"{corpus};tokenizer=mine.json"
    task = load_task(text)
    assert task.encoder.encode(b"the cat ran").tolist() == [1, 2, 0]
    assert task.vocabulary.pad == 5 + 3
    before = Component.parse(text, TASKS)
    inner.add_tokens(["hat"])
    inner.save(str(tmp_path / "mine.json"))
    assert Component.parse(text, TASKS).digest != before.digest
    with pytest.raises(InputError, match="edited"):
        before.build(TASKS, lw.Task)


def test_perplexity_beyond_the_trained_context(corpus, tmp_path):
    trained = lw.train(
        f"{corpus};level=bpe,words=270",
        encoding="nope",
        train_length="1:16",
        test_length="17:32",
        steps=4,
        batch=4,
        width=16,
        instances=4,
        evaluate_every=4,
        store=tmp_path / "runs",
        jobs=1,
    )
    model = trained.model()
    found = perplexity_by_context(model.decoder, model.run.task, [8, 16, 32], scored=4, windows=6)
    assert list(found) == [8, 16, 32]
    assert all(1 < value < 2000 for value in found.values())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("level=bpe,words=100", "must be at least 257"),
        ("tokenizer=none.json", "none.json"),
        ("tokenizer=notes.txt", "not a tokenizer"),
        ("tokenizer=notes.txt,level=bpe", "takes no level=bpe"),
    ],
)
def test_mistakes_are_named(corpus, options, said):
    with pytest.raises(InputError, match=said):
        _ = load_task(f"{corpus};{options}").vocabulary
