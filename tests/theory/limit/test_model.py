"""Exported decoders: equal to the interpreter, saved, loaded, refused when damaged or too long."""

import json

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from lengthwise.core.errors import InputError
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.library import load as library
from lengthwise.crasp.library import names
from lengthwise.crasp.parser import parse
from lengthwise.crasp.writers import generate
from lengthwise.theory.limit import compile_program
from lengthwise.theory.limit.compare import check, random_codes
from lengthwise.theory.limit.compiled import build, load, save
from lengthwise.theory.limit.export import coprime_moduli, position_code, to_decoder
from lengthwise.theory.limit.gpt2 import disagreements, export_gpt2, to_gpt2
from lengthwise.theory.limit.margin import cleared_channels, margin, safe_length
from tests.theory.limit.cases import CASES, program


def test_no_words_have_no_answers():
    assert build(library("majority"), 8).accepts([]).tolist() == []


@pytest.mark.parametrize("text", ['accept = #"a" > #"?"', 'alphabet "a" "?"\naccept = #"a" > #"?"'])
def test_a_question_mark_is_a_letter_like_any_other(text):
    found = parse(text)
    model = build(found, 16)
    assert check(model, found, short=4, words=10).errors == 0
    if found.alphabet is None:
        assert model.accepts(["az", "a?"]).tolist() == [True, False]
    else:
        with pytest.raises(InputError, match="'z'"):
            model.accepts(["az"])


def test_comparisons_whose_letters_depend_on_each_other():
    text = '''alphabet "a" "b"
accept = 4 * #"a" - 5 * #"b" == -1 && 3 * #"a" - 2 * #"b" > 2 && 3 * #"a" - 3 * #"b" >= 3 && "a"'''
    found = parse(text)
    assert check(build(found, 16), found, short=8, words=20).errors == 0


@pytest.mark.parametrize("name", names())
def test_every_program_of_the_library(name):
    found = library(name)
    report = check(build(found, 120), found, short=4, words=20)
    assert (report.errors, report.long_words) == (0, 20)
    assert report.answers > 1000


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_every_program_of_the_library_on_all_words_to_8_and_1000_words_to_2000(name):
    found = library(name)
    assert check(build(found, 2000), found, short=8, words=1000).errors == 0


@pytest.mark.parametrize("name", ["contains-ab", "(abab)*", "no-000", "dyck-1"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_unit_layout_and_both_precisions(name, dtype):
    model = build(program(name), 24, layout="unit", dtype=dtype)
    assert next(model.decoder.parameters()).dtype == getattr(torch, dtype)
    assert check(model, program(name), short=5, words=20).errors == 0


def test_the_unit_layout_works_at_every_offset():
    found = program("(abab)*")
    limit = compile_program(found)
    extra = [("<accept>", limit.unembedding[0])]
    decoder = to_decoder(limit, 20, layout="unit", extra_tokens=extra)
    tokens = torch.from_numpy(limit.encode(["abababab", "abaababb"]))
    with torch.no_grad():
        for offset in range(12):
            logits = decoder(tokens, torch.arange(9)[None] + offset)[:, -1, -1]
            assert (logits > 0).tolist() == [True, False]


def test_the_check_finds_a_wrong_model():
    model = build(program("majority"), 50)
    report = check(model, program("dyck-1"), short=4, words=10)
    assert report.errors > 0
    assert report.counterexample is not None


def test_the_empty_word_is_answered_at_the_begin_token():
    for name in ("dyck-1", "majority", "contains-ab", "(aa)*"):
        for declared in (None, True, False):
            found = program(name).replace(empty=declared)
            assert build(found, 10).accepts([""]).tolist() == accepts(found, [""]).tolist()


def test_generators_write_what_the_program_writes():
    found = library("generate-unique-copy")
    model = build(found, 40)
    prompt = ("<bos>", "c", "a", "b", "<sep>")
    assert model.write(prompt, "<eos>", 20) == generate(found, [prompt], stop="<eos>")[0]
    with pytest.raises(InputError, match="accepts no words"):
        model.accepts(["a"])


# --- margins -----------------------------------------------------------------------------------


def test_precision_decides_how_far_a_model_is_exact():
    found = program("dyck-1")
    plain, clean = (compile_program(found, clean=clean) for clean in (False, True))
    assert safe_length(plain, "float32") < 2_000 < 65_536 < safe_length(clean, "float32")
    assert safe_length(plain, "float64") > 1_000_000
    assert margin(clean, 65_536, "float32").exact


def test_lengths_beyond_the_margin_are_refused_with_the_safe_one_or_forced():
    found = program("majority")
    safe = safe_length(compile_program(found))
    with pytest.raises(InputError, match=f"exact only to length {safe}"):
        build(found, 10 * safe)
    small = build(program("anbncn"), 60_000, force=True).description
    assert small.exact < small.length


def test_errors_of_a_long_input_stay_within_the_margin():
    """Worst cases for counting: long runs, and a balance that returns to 0 at the very end."""
    found, length = program("dyck-1"), 6_000
    model = build(found, length)
    words = ["a" * (length // 2) + "b" * (length // 2), "ab" * (length // 2), "a" * length]
    words += [words[0][:-1] + "a", words[1][:-2] + "ba"]
    assert model.accepts(words).tolist() == [True, True, False, False, False]


def test_reused_channels_are_really_cleared():
    for name in CASES:
        for layer in compile_program(program(name)).layers:
            y = torch.randn(5, layer.a.shape[1], dtype=torch.float64)
            z = torch.relu(y @ torch.from_numpy(layer.a).T)
            z[:, layer.step] = 0
            written = torch.from_numpy(layer.out)[:, layer.b == 0] @ z[:, layer.b == 0].T
            cleared = cleared_channels(layer)
            assert torch.equal(written.T[:, cleared], -y[:, cleared])


# --- files -------------------------------------------------------------------------------------


def test_saved_models_run_without_their_program(tmp_path):
    for name in ("dyck-1", "contains-ab"):
        path = tmp_path / f"{name}.safetensors"
        model = build(program(name), 64)
        save(model, path)
        loaded = load(path)
        assert loaded.description == model.description
        words = ["ab", "ba", "aabb", "abab" * 10, ""]
        assert loaded.accepts(words).tolist() == model.accepts(words).tolist()
        about = json.loads(path.with_suffix(".json").read_text())
        assert about["description"]["length"] == 64


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    save(build(program("dyck-1"), 64), path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="damaged"):
        load(path)
    path.write_bytes(whole[:-3] + b"\x01\x02\x03")
    with pytest.raises(InputError, match="checksum"):
        load(path)
    path.write_bytes(whole)
    with safe_open(path, framework="pt") as file:
        facts = json.loads(file.metadata()["lengthwise"])
        tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    facts["about"] = facts["about"].replace('"length": 64', '"length": 99')
    save_file(tensors, path, metadata={"lengthwise": json.dumps(facts)})
    with pytest.raises(InputError, match="description was edited"):
        load(path)
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "none.safetensors")


def test_words_that_do_not_fit_are_refused():
    model = build(program("dyck-1"), 8)
    with pytest.raises(InputError, match="longer than the model's limit of 8"):
        model.accepts(["a" * 9])
    with pytest.raises(InputError, match="letter 'x'"):
        model.accepts(["x"])
    with pytest.raises(InputError, match="--length 0"):
        build(program("dyck-1"), 0)
    with pytest.raises(InputError, match="use a shorter length or --layout compact"):
        build(program("contains-ab"), 40_000, layout="unit")


# --- codes and words ---------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 17, 300, 4097, 70_000])
def test_residues_tell_all_positions_apart(size):
    moduli = coprime_moduli(size)
    table = position_code(min(size, 3000), 0, "compact").table
    assert len(np.unique(table, axis=0)) == len(table)
    assert len({tuple(n % m for m in moduli) for n in range(size)}) == size


def test_random_words_are_of_several_kinds():
    rng = np.random.default_rng(0)
    words = [random_codes(2, 60, rng) for _ in range(40)]
    changes = [int((word[1:] != word[:-1]).sum()) for word in words]
    assert min(changes) <= 7
    assert max(changes) >= 25


# --- GPT-2 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dyck-1", "contains-ab", "(abab)*"])
def test_gpt2_of_the_transformers_library_gives_the_same_answers(name):
    pytest.importorskip("transformers")
    model = build(program(name), 150)
    gpt2 = to_gpt2(model)
    rng = np.random.default_rng(0)
    codes = np.stack([random_codes(2, 150, rng) for _ in range(12)]) + 1
    tokens = torch.from_numpy(np.concatenate([np.zeros((12, 1), int), codes], axis=1))
    assert disagreements(gpt2, model, tokens) == 0
    assert disagreements(to_gpt2(model, bypass=1.0), model, tokens) > 0


def test_gpt2_folders_can_be_loaded_again(tmp_path):
    transformers = pytest.importorskip("transformers")
    model = build(program("majority"), 40)
    export_gpt2(model, tmp_path / "gpt2")
    loaded = transformers.GPT2LMHeadModel.from_pretrained(tmp_path / "gpt2")
    tokens = torch.tensor([[0, 1, 1, 2], [0, 2, 2, 1]])
    assert disagreements(loaded, model, tokens) == 0
