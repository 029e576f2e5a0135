"""Our decoders under TransformerLens: our logits, its names and values, its tools."""

import numpy as np
import pytest
import torch

import lengthwise as lw
from lengthwise.core.errors import InputError
from lengthwise.models.exchange.reading import read_folder
from tests.models.exchange.folders import make_gpt2, make_llama, tokens, transformers
from tests.positions.cases import CASES, SCALE, make_model, make_tokens
from tests.subjects.test_imported import save_bpe

pytest.importorskip("transformer_lens", reason="needs pip install 'lengthwise[lens]'")
from lengthwise.models.exchange import lens

pytestmark = pytest.mark.filterwarnings("ignore")  # of the library and what it imports


@pytest.mark.parametrize("encoding", CASES)
@torch.no_grad()
def test_the_logits_are_ours_with_every_encoding(encoding):
    model, ids = make_model(encoding), make_tokens()
    chosen = model.encoding.positions(np.full(ids.shape[0], ids.shape[1]), None)
    at = None if chosen is None else torch.from_numpy(chosen)
    ours = model(ids, at, scale=SCALE)
    torch.testing.assert_close(lens.HookedDecoder(model)(ids, scale=SCALE), ours)


@pytest.mark.parametrize(
    "changes",
    [
        {"norm": "rms", "gated": True, "activation": "silu", "bias": False, "tied": False},
        {"norm": "none"},
        {"bias": False},
        {"heads": 4, "key_heads": 2},
        {"head_width": 6},
        {"mlp_width": 0},
        {"scale_logits": False, "scale_output": True},
        {"attention_scale": "log-n"},
        {"bidirectional": True},
    ],
)
@torch.no_grad()
def test_the_logits_are_ours_in_every_style(changes):
    model, ids = make_model("rope", **changes), make_tokens()
    torch.testing.assert_close(lens.HookedDecoder(model)(ids), model(ids))


@pytest.mark.parametrize("make", [make_gpt2, make_llama])
@torch.no_grad()
def test_activations_are_those_of_the_library_on_the_same_checkpoint(make, tmp_path):
    """Its own bridge to the transformers library is the reference, name by name."""
    from transformer_lens.model_bridge import TransformerBridge

    theirs = make(tmp_path, vocab_size=262)
    save_bpe(tmp_path, [" 0 1 : 0\n"] * 9, size=262)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(tmp_path / "tokenizer.json")
    )
    bridge = TransformerBridge.boot_transformers(
        str(tmp_path), hf_model=theirs, tokenizer=tokenizer, device="cpu"
    )
    ids = tokens(2, 9)
    wanted, other = bridge.run_with_cache(ids)
    logits, cache = lens.HookedDecoder(read_folder(tmp_path).decoder).run_with_cache(ids)
    torch.testing.assert_close(logits, wanted, rtol=1e-4, atol=1e-5)
    rotated = make is make_llama  # ours turn neighbours, theirs halves: the products agree
    compared = 0
    for name, value in cache.items():
        if name not in other or (rotated and name.endswith(("_q", "_k"))):
            continue
        assert value.shape == other[name].shape, name
        ours, given = (x.nan_to_num(neginf=-1e4) for x in (value, other[name]))
        if name.endswith("attn_scores"):  # the library masks with its own large number
            ours, given = (x.clamp(min=-1e4) for x in (ours, given))
        torch.testing.assert_close(ours, given, rtol=1e-4, atol=1e-5, msg=name)
        compared += 1
    assert compared >= 2 * 9, "a test that compares hardly anything"
    missing = {"hook_pos_embed"} if rotated else set()
    assert {n for n in cache if n not in other} <= missing | {
        f"blocks.{layer}.attn.hook_rot_{which}" for layer in range(2) for which in "qk"
    }


@torch.no_grad()
def test_an_edited_activation_changes_what_follows():
    hooked, ids = lens.HookedDecoder(make_model("alibi")), make_tokens()
    plain = hooked(ids)

    def silence(z, hook):
        assert hook.name == "blocks.1.attn.hook_z"
        z[:, :, 0] = 0
        return z

    edited = hooked.run_with_hooks(ids, fwd_hooks=[("blocks.1.attn.hook_z", silence)])
    assert (edited - plain).abs().max() > 1e-3
    torch.testing.assert_close(hooked(ids), plain)  # and only in that pass


@torch.no_grad()
def test_the_cache_adds_up_and_the_tools_of_the_library_run():
    from transformer_lens import patching

    hooked, ids = lens.HookedDecoder(make_model("ape")), make_tokens()
    logits, cache = hooked.run_with_cache(ids)
    pattern = cache["pattern", 0]
    torch.testing.assert_close(pattern.sum(-1), torch.ones_like(pattern[..., 0]))
    parts = cache.decompose_resid(layer=2)
    torch.testing.assert_close(parts.sum(0), cache["resid_post", 1])
    torch.testing.assert_close(hooked.unembed(hooked.ln_final(cache["resid_post", -1])), logits)
    heads = cache.stack_head_results(layer=1)
    written = heads.sum(0) + hooked.blocks[0].attn.out.bias
    torch.testing.assert_close(written, cache["attn_out", 0])
    other = make_tokens(seed=5)
    patched = patching.get_act_patch_resid_pre(hooked, other, cache, lambda x: x[0, -1, 0])
    assert patched.shape == (2, ids.shape[1])
    torch.testing.assert_close(
        patched[0, -1].item(), _with_last(hooked, other, ids)[0, -1, 0].item()
    )


def _with_last(hooked, ids, other):
    """What is said with the last token replaced: patching its first state amounts to that."""
    changed = ids.clone()
    changed[:, -1] = other[:, -1]
    return hooked(changed)


def test_gradients_reach_the_weights_that_are_shared():
    model, ids = make_model("rope"), make_tokens()
    lens.HookedDecoder(model)(ids, return_type="loss").backward()
    assert model.embedding.weight.grad.abs().max() > 0


def test_any_model_in_python(tmp_path):
    settings = {"train_length": "1:4", "test_length": "5:6", "steps": 2, "instances": 4, "jobs": 1}
    made = lw.train("parity", encoding="fire", store=tmp_path, **settings)
    hooked = lw.export.lens(made[0], store=tmp_path)
    ids = hooked.to_tokens("0 1 1")
    torch.testing.assert_close(hooked(ids), lw.load(made[0], store=tmp_path).decoder(ids))
    with pytest.raises(InputError, match="'2'"):
        hooked.to_tokens("0 2")
    program = lw.export.lens(lw.compile("dyck-1", length=8))
    with pytest.raises(InputError, match="no symbols"):
        program.to_tokens("( )")
