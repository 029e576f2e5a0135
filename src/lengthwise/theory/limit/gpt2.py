"""A compiled model as a GPT-2 of the transformers library.

What GPT-2 lacks is made up for (our construction, in the manner of the norm bypass that is known
from proofs about NoPE decoders):

* layer norm: two spare channels hold +M and -M in every embedding, so the norm of a state hardly
  changes, and gains undo it; every other channel is stored beside its negation, so the mean is 0
  and readers take half the difference, in which what is left of the mean cancels;
* log-length scaling: the constant log of the context is put into the queries. It is at least the
  log of the number of visible keys, which only makes sharp heads sharper;
* activation: GPT-2's configuration takes ReLU in place of GELU.

The result is therefore exact only up to its context, as any compiled model, and it is checked
against the decoder it came from before it is written.
"""

import tempfile
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.core.outputs import save_bytes
from lengthwise.models.decoder import Block, Decoder
from lengthwise.theory.limit.compiled import CompiledModel

if TYPE_CHECKING:
    from transformers import GPT2LMHeadModel

BYPASS = 2.0**14
SPARE = 2
LARGEST_WIDTH = 8192


def to_gpt2(model: CompiledModel, *, bypass: float = BYPASS) -> "GPT2LMHeadModel":
    """Return a GPT-2 with the logits of a compiled model.

    Example:
        >>> from lengthwise.crasp.library import load
        >>> from lengthwise.theory.limit.compiled import build
        >>> to_gpt2(build(load("majority"), 32)).config.n_layer
        1
    """
    try:
        from transformers import GPT2Config, GPT2LMHeadModel
    except ImportError as error:
        raise InputError(
            "--gpt2 needs the transformers library: pip install transformers."
        ) from error

    decoder, config = model.decoder, model.decoder.config
    needed = SPARE + 2 * config.width
    head = max(config.head, -(-needed // config.heads))
    head += head * config.heads % 2  # pairs of channels
    if head * config.heads > LARGEST_WIDTH:
        raise InputError(
            f"--gpt2 would need a width of {head * config.heads}; use --layout compact."
        )
    settings = GPT2Config(
        vocab_size=decoder.embedding.num_embeddings,
        n_positions=decoder.context,
        n_embd=head * config.heads,
        n_layer=config.layers,
        n_head=config.heads,
        n_inner=config.mlp,
        activation_function="relu",
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        layer_norm_epsilon=1e-12,
        tie_word_embeddings=False,
        bos_token_id=0,
        eos_token_id=0,
    )
    gpt2: Any = GPT2LMHeadModel(settings).eval()
    with torch.no_grad():
        for parameter in gpt2.parameters():
            parameter.zero_()
        _fill(gpt2, decoder, head, bypass)
    return gpt2.to(next(decoder.parameters()).dtype)


def _fill(gpt2: Any, decoder: Decoder, head: int, bypass: float) -> None:
    body, width = gpt2.transformer, gpt2.config.n_embd
    body.wte.weight.copy_(_write(decoder.embedding.weight, width))
    body.wte.weight[:, 0], body.wte.weight[:, 1] = bypass, -bypass
    table = getattr(decoder.encoding, "table", None)
    if table is not None:
        body.wpe.weight.copy_(_write(table.weight, width))
    gain = bypass * (2 / width) ** 0.5
    for norm in (body.ln_f, *(n for block in body.h for n in (block.ln_1, block.ln_2))):
        norm.weight.fill_(gain)
    for target, block in zip(body.h, decoder.blocks, strict=True):
        assert isinstance(block, Block)
        _attention(target.attn, block, head, log(decoder.context))
        target.mlp.c_fc.weight.copy_(_read(block.mlp_in.weight, width).T)
        target.mlp.c_fc.bias.copy_(block.mlp_in.bias)
        target.mlp.c_proj.weight.copy_(_write(block.mlp_out.weight.T, width))
    gpt2.lm_head.weight.copy_(_read(decoder.unembedding.weight, width))


def _attention(target: Any, block: Block, head: int, sharpness: float) -> None:
    """Copy the heads, each filled up with zeros to the larger head width."""
    heads, old = block.config.heads, block.config.head
    width = heads * head
    scales = (sharpness * head**0.5, 1.0, 1.0)
    for number, (part, scale) in enumerate(zip(block.qkv.weight.chunk(3), scales, strict=True)):
        rows = part.new_zeros(heads, head, width)
        rows[:, :old] = _read(part, width).unflatten(0, (heads, old)) * scale
        first = number * width
        target.c_attn.weight[:, first : first + width] = rows.flatten(0, 1).T
    columns = block.out.weight.new_zeros(heads, head, width)
    written = _write(block.out.weight.T, width).unflatten(0, (heads, old))
    columns[:, :old] = written
    target.c_proj.weight.copy_(columns.flatten(0, 1))


def _write(rows: Tensor, width: int) -> Tensor:
    """Spread states over channel pairs: (0, 0, x, -x, 0...)."""
    new = rows.new_zeros(len(rows), width)
    size = rows.shape[1]
    new[:, SPARE : SPARE + size] = rows
    new[:, SPARE + size : SPARE + 2 * size] = -rows
    return new


def _read(weights: Tensor, width: int) -> Tensor:
    """Read pairs of channels by half their difference."""
    return _write(weights, width) / 2


def disagreements(gpt2: "GPT2LMHeadModel", model: CompiledModel, tokens: Tensor) -> int:
    """Count outputs at which a GPT-2 and a compiled model differ."""
    rows = list(model.description.outputs.values())
    with torch.inference_mode():
        ours = model.decoder(tokens)[..., rows] > 0
        theirs = gpt2(tokens).logits[..., rows] > 0
    return int((ours != theirs).sum())


def export_gpt2(model: CompiledModel, folder: Path, *, words: int = 16, seed: int = 0) -> None:
    """Write a GPT-2 folder after checking it on random words of the full length."""
    gpt2 = to_gpt2(model)
    rng = torch.Generator().manual_seed(seed)
    letters, length = len(model.description.letters), min(model.description.length, 2048)
    tokens = torch.randint(1, letters + 1, (words, length), generator=rng)
    tokens = torch.cat([torch.zeros(words, 1, dtype=torch.long), tokens], dim=1)
    wrong = disagreements(gpt2, model, tokens)
    if wrong:
        raise InputError(
            f"--gpt2: {wrong} of {tokens.numel()} answers differ at length {length}, because the "
            "norm bypass costs precision; use a shorter --length or --dtype float64."
        )
    with tempfile.TemporaryDirectory() as made:
        gpt2.save_pretrained(made)
        for path in sorted(Path(made).iterdir()):
            save_bytes(folder / path.name, path.read_bytes())
