"""Pretrained models on tasks: what is written, what counts as right, what is refused."""

import json
import shutil

import numpy as np
import pytest
import torch

import lengthwise as lw
from lengthwise.core.errors import InputError
from lengthwise.models.exchange.reading import read_folder
from lengthwise.subjects.imported import ImportedModel, load_imported
from lengthwise.subjects.model import read_model
from lengthwise.tasks import load_task

pytest.importorskip("transformers", reason="needs the transformers library")
tokenizers = pytest.importorskip("tokenizers", reason="needs the tokenizers library")

from tests.models.exchange.folders import make_gpt2, make_llama  # noqa: E402


def save_words(folder, words, *, unknown=None):
    """A tokenizer in which every word is a token; line ends are words."""
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel({w: n for n, w in enumerate(words)}))
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Split(
        tokenizers.Regex(r" ?[^\s]+|\n"), "removed", invert=True
    )
    inner.save(str(folder / "tokenizer.json"))


def save_bpe(folder, texts, size=300, *, apart=True):
    """A byte-level tokenizer; if not apart, it may join symbols."""
    inner = tokenizers.Tokenizer(tokenizers.models.BPE())
    inner.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(
        add_prefix_space=False, use_regex=apart
    )
    inner.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator(texts, trainer)
    inner.save(str(folder / "tokenizer.json"))


WORDS = [" 0", " 1", " :", "\n", " e", " o"]


@pytest.fixture(params=["gpt2", "llama", "dynamic"])
def tiny(request, tmp_path):
    """A model with six tokens, so that guessing is right now and then."""
    folder = tmp_path / "model"
    if request.param == "gpt2":
        made = make_gpt2(folder, vocab_size=len(WORDS), n_positions=200)
    else:
        rope = {"rope_theta": 100.0}
        if request.param == "dynamic":
            rope |= {"rope_type": "dynamic", "factor": 2.0}
        made = make_llama(folder, vocab_size=len(WORDS), rope_parameters=rope)
    save_words(folder, WORDS)
    return folder, made


def prompted(folder, task, tmp_path, metric="exact"):
    model = load_imported(folder, lw.Store(tmp_path / "runs"))
    return model, model.prepared(load_task(task), metric)


def test_an_instance_is_a_line_behind_examples(tiny, tmp_path):
    folder, _ = tiny
    _, task = prompted(folder, "binary-majority", tmp_path)
    batch = task.sample(np.random.default_rng(0), np.array([3, 5]))
    text = task.prompt(batch, 1)
    lines = text.split("\n")
    assert text.startswith(" ")
    assert lines[-1] == ""
    assert len(lines) == 8 + 1 + 1
    assert len(lines[-2].split()) == 5 + 1 + 1
    ids = task.spelling.tokenizer.ids(text)
    assert ids == batch.tokens[1, : batch.size[1]].tolist()
    asked = batch.targets[1][batch.supervised[1]].tolist()
    assert [task.vocabulary.text(t) for t in asked] == [lines[-2].split()[-1], "<eos>"]


def by_library(made, task, batch, *, among=None):
    """The slow way: every row alone, token by token, by the transformers library."""
    right = []
    for row in range(len(batch.length)):
        asked = np.flatnonzero(batch.supervised[row])
        ids, end = batch.tokens[row].tolist(), int(batch.size[row])
        given = torch.tensor([ids[: asked[0] + 1]])
        if among is not None:  # likelihood reads the right answer along the way
            with torch.inference_mode():
                logits = made(torch.tensor([ids[: asked[-1] + 1]])).logits[0, asked]
            said = [among[int(n)] for n in logits[:, among].argmax(-1)]
        else:
            made_ids = made.generate(
                given,
                attention_mask=torch.ones_like(given),
                max_new_tokens=len(asked),
                do_sample=False,
                eos_token_id=None,
                pad_token_id=0,
            )
            said = made_ids[0, given.shape[1] :].tolist()
        right.append(said == ids[asked[0] + 1 : end])
    return right


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["binary-majority", "parity"])
def test_exact_is_greedy_decoding_by_the_library(tiny, tmp_path, name):
    folder, made = tiny
    model, task = prompted(folder, name, tmp_path)
    found = []
    for length in (1, 2, 3, 9):
        batch = task.sample(np.random.default_rng(length), np.full(12, length))
        right = model.right(task, batch, "exact").tolist()
        assert right == by_library(made, task, batch)
        assert right == model.right(task, batch, "answer").tolist()
        found += right
    if "dynamic" not in str(folder):
        assert len(found) == 48


def test_likelihood_compares_what_the_task_asks_for(tmp_path):
    folder = tmp_path / "model"
    made = make_gpt2(folder, vocab_size=len(WORDS), n_positions=200)
    save_words(folder, WORDS)
    model, task = prompted(folder, "binary-majority", tmp_path, "likelihood")
    batch = task.sample(np.random.default_rng(0), np.full(40, 4))
    among = [WORDS.index(word) for word in (" 0", " 1", "\n")]
    right = model.right(task, batch, "likelihood").tolist()
    assert right == by_library(made, task, batch, among=among)


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A trained run and its folder."""
    store = tmp_path_factory.mktemp("runs")
    trained = lw.train(
        "parity",
        encoding="ape",
        train_length="1:4",
        test_length="5:12",
        steps=60,
        evaluate_every=60,
        instances=50,
        store=store,
        jobs=1,
    )
    folder = store / "elsewhere"
    lw.export.model(trained[0], store=store).output(folder)
    return store, trained, folder


def test_an_exported_run_gives_the_numbers_of_the_run(exported):
    store, trained, folder = exported
    for metric in ("exact", "answer", "likelihood"):
        ours = lw.evaluate(trained[0], length="1:12", metric=metric, instances=40, store=store)
        theirs = lw.evaluate(
            folder, task="parity", length="1:12", metric=metric, instances=40, store=store
        )
        assert ours.accuracy == theirs.accuracy
        assert theirs.trained == (1, 4)
        assert theirs.prompting.shots == 0
    assert 0 < ours.accuracy.accuracy < 1


def test_what_was_measured_is_kept_beside_the_store_and_not_in_the_folder(exported):
    store, _, folder = exported
    before = sorted(path.name for path in folder.iterdir())
    asked = {"task": "parity", "instances": 7, "store": store}
    first = lw.evaluate(folder, length="1:5", **asked)
    again = lw.evaluate(folder, length="1:8", **asked)
    assert (first.kept, again.kept) == (0, 5)
    shown = lw.evaluate(folder, length="1:2", shots=2, shot_length="1:1", **asked)
    assert shown.kept == 0
    assert sorted(path.name for path in folder.iterdir()) == before


def test_ask_continues_a_text(exported):
    _, trained, folder = exported
    model = read_model(str(folder))
    assert isinstance(model, ImportedModel)
    (reply,) = model.reply(["<bos> 0 1 1 <sep>"], "<eos>", 5)
    (ours,) = trained.model().reply(["0 1 1"], "<eos>", 5)
    assert reply["written"].split() == ours["written"].split()[:-1]


def test_the_page_says_what_was_predicted_and_how_it_was_asked(tiny, tmp_path):
    folder, _ = tiny
    found = lw.evaluate(folder, task="parity", length="1:16", instances=5, store=tmp_path / "runs")
    found.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "How it was asked" in page
    assert "in the examples in the prompt" in page
    assert "tests no prediction" in page or "dynamic" in found.encoding
    told = "\n".join(str(part) for part in found.parts())
    assert "(= lengths in the prompt)" in told
    scaled = "the theory does not speak about rotary positions that are scaled"
    assert (scaled in told) == ("dynamic" in found.encoding)


def refused(folder, tmp_path, task="parity", **options):
    with pytest.raises(InputError) as error:
        lw.evaluate(folder, task=task, store=tmp_path / "runs", **{"length": "1:9", **options})
    assert "\n" not in str(error.value)
    return str(error.value)


def test_symbols_that_are_not_one_token_are_named(tmp_path):
    folder = tmp_path / "model"
    make_gpt2(folder, vocab_size=300)
    save_bpe(folder, [" 0 1 : 0\n"] * 9)
    task = "regex:(aa)*;supervision=recognition"
    said = refused(folder, tmp_path, task)
    assert "symbol 'a': 'a' is not one token of this tokenizer but 'Ġ' 'a'" in said
    said = refused(folder, tmp_path, task, spelling=["a=0", "accept=0"])
    assert "'Ġ0'" in said or "same token" in said or "'reject'" in said
    assert "no symbol 'b'" in refused(folder, tmp_path, task, spelling=["b=0"])
    assert "use symbol=text" in refused(folder, tmp_path, task, spelling=["b"])


def test_a_tokenizer_that_joins_symbols_is_refused(tmp_path):
    folder = tmp_path / "model"
    make_gpt2(folder, vocab_size=300, n_positions=400)
    save_bpe(folder, [" 0 0 1 1 0 : 0\n 1"] * 9, size=262, apart=False)
    said = refused(folder, tmp_path, shots=0)
    assert "joins symbols" in said or "is not one token" in said


def test_a_tokenizer_of_another_model_is_refused(tmp_path):
    folder = tmp_path / "model"
    make_gpt2(folder, vocab_size=5)
    save_words(folder, WORDS)
    assert "6 tokens, and the model has 5" in refused(folder, tmp_path)


def test_nothing_is_cut(tmp_path):
    folder = tmp_path / "model"
    make_gpt2(folder, vocab_size=len(WORDS), n_positions=90)
    save_words(folder, WORDS)
    said = refused(folder, tmp_path, length="1:200")
    assert "length 200: " in said
    assert "and the model takes 90; nothing is cut" in said


def test_beyond_the_context_of_a_rotary_model_is_said(tmp_path):
    folder = tmp_path / "model"
    make_llama(folder, vocab_size=len(WORDS))
    save_words(folder, WORDS)
    found = lw.evaluate(folder, task="parity", length="1:40", instances=2, store=tmp_path / "runs")
    assert any("longer than the 32 tokens" in note for note in found.notes())


def test_folders_without_a_tokenizer_and_tasks_that_label(tmp_path):
    folder = tmp_path / "model"
    make_gpt2(folder, vocab_size=len(WORDS), n_positions=200)
    assert "there is no tokenizer.json" in refused(folder, tmp_path)
    (folder / "tokenizer.json").write_text("{}")
    assert "not a tokenizer" in refused(folder, tmp_path)
    save_words(folder, WORDS)
    assert "labels what was read" in refused(folder, tmp_path, "dyck-1")
    said = refused(folder, tmp_path, task=None)
    assert "name one with --task" in said


def test_options_for_folders_are_refused_for_runs(exported):
    store, trained, _ = exported
    with pytest.raises(InputError, match="shots: only for a folder"):
        lw.evaluate(trained[0], shots=3, store=store)


def test_what_the_folder_says_about_training_is_checked(exported, tmp_path):
    _, _, folder = exported
    copy = shutil.copytree(folder, tmp_path / "copy")
    config = json.loads((copy / "config.json").read_text())
    for wrong in ({"trained": [5, 1]}, {"trained": "1:4"}, [1], None):
        (copy / "config.json").write_text(json.dumps({**config, "lengthwise": wrong}))
        assert read_model(str(copy)).trained is None
    assert read_folder(copy).decoder.config.layers == 2
