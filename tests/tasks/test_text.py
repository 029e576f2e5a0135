"""Language modelling on files: windows, splits, tokens that can be undone, refusals."""

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.tasks import load_task
from lengthwise.tasks.batch import IGNORE
from lengthwise.tasks.text.corpus import is_test_file, standard_library
from lengthwise.tasks.text.tokens import Encoder, learn_words
from tests.tasks.chi import is_uniform


@pytest.fixture
def files(tmp_path):
    for number in range(12):
        (tmp_path / f"f{number:02d}.txt").write_text(
            f"file {number}: the cat sat. é\n" * (number + 1)
        )
    return tmp_path


def test_targets_are_the_next_tokens_of_one_file(files):
    task = load_task(f"text:{files}/*.txt")
    contents = [path.read_bytes() for path in sorted(files.glob("*.txt"))]
    batch = task.draw(np.random.default_rng(0), 1, 80, 1000)
    for tokens, targets, length in zip(batch.tokens, batch.targets, batch.length, strict=True):
        assert tokens[0] == task.vocabulary.bos
        window = bytes(tokens[1 : length + 1].tolist())
        assert any(window in content for content in contents[1:10] + contents[11:])
        assert np.array_equal(targets[:length], tokens[1 : length + 1])
        assert (targets[length:] == IGNORE).all()


def test_windows_are_uniform(tmp_path):
    (tmp_path / "one.txt").write_bytes(bytes(range(32, 82)))
    task = load_task(f"text:{tmp_path}/one.txt")
    batch = task.sample(np.random.default_rng(0), np.full(8000, 6))
    assert is_uniform(batch.tokens[:, 1], range(32, 32 + 45 - 6 + 1))


def test_parts_do_not_share_files(files):
    train = load_task(f"text:{files}/*.txt")
    test = load_task(f"text:{files}/*.txt;part=test")
    seen = [{bytes(d.tolist()) for d in task.corpus.documents()} for task in (train, test)]
    assert len(seen[0]) == 10
    assert len(seen[1]) == 2
    assert not seen[0] & seen[1]


def test_token_level_can_be_undone(files):
    task = load_task(f"text:{files}/*.txt;level=token,words=5")
    assert b" the" in task.encoder.words
    for path in files.glob("*.txt"):
        content = path.read_bytes()
        ids = task.encoder.encode(content)
        assert task.encoder.decode(ids.tolist()) == content
        assert len(ids) < len(content)
    assert len(task.vocabulary) == 256 + 4 + 4  # there are only four words


def test_words_are_the_most_frequent():
    assert learn_words((b"in the box in the the", b"in a box"), 2) == (b" the", b" box")
    assert Encoder().encode("é".encode()).tolist() == [195, 169]


def test_python_source_is_split_by_file():
    names = list(standard_library())
    assert "json/decoder.py" in names
    assert not any("site-packages" in name or "test" in name.split("/") for name in names)
    share = np.mean([is_test_file(name) for name in names])
    assert 0.05 < share < 0.16
    train, test = load_task("python-source"), load_task("python-source:part=test")
    assert len(train.corpus.sizes) > len(test.corpus.sizes) > 5
    batch = test.draw(np.random.default_rng(0), 100, 200, 5)
    assert batch.length.min() >= 100
    for row in test.render(batch):
        assert isinstance(row, str)


def test_bad_files(tmp_path):
    empty, latin = tmp_path / "empty.txt", tmp_path / "latin.txt"
    empty.write_bytes(b"")
    latin.write_bytes(b"caf\xe9")
    for text, message in (
        (f"text:{empty}", "is empty"),
        (f"text:{latin}", "not UTF-8: byte 3 is 0xe9"),
        (f"text:{tmp_path}/none.txt", "No such file"),
        (f"text:{tmp_path}/*.md", "no file matches"),
        (f"text:{tmp_path}", "directory"),
        ("text", "needs files"),
        (f"text:{latin};level=word", "level"),
    ):
        with pytest.raises(InputError, match=message):
            load_task(text)


def test_windows_longer_than_every_file(tmp_path):
    (tmp_path / "one.txt").write_text("hello world, hello")
    task = load_task(f"text:{tmp_path}/one.txt")
    with pytest.raises(InputError, match="no instances"):
        task.draw(np.random.default_rng(0), 100, 200, 1)
    with pytest.raises(InputError, match="no document has 50 tokens"):
        task.sample(np.random.default_rng(0), np.array([50]))
