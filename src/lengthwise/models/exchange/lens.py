"""One of our decoders under TransformerLens's hooks: every encoding, the same names, the same axes.

TransformerLens keeps ``HookedRootModule`` for models of others. What is computed here is what
`models.decoder` computes, written out step by step so that each step passes a hook:

    hook_embed, hook_pos_embed                         (b t d)
    blocks.0.hook_resid_pre, hook_resid_mid, hook_resid_post, hook_attn_out, hook_mlp_out
    blocks.0.ln1.hook_scale, hook_normalized           also ln2 and ln_final
    blocks.0.attn.hook_q, hook_k, hook_v, hook_rot_q, hook_rot_k, hook_z    (b t h e)
    blocks.0.attn.hook_attn_scores, hook_pattern       (b h q k)
    blocks.0.mlp.hook_pre, hook_pre_linear (of a gated MLP), hook_post      (b t m)

No weight is folded or centred. ``hook_pos_embed`` is what the encoding adds to the embedding.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Literal, cast

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from transformer_lens import ActivationCache, HookedRootModule
from transformer_lens.hook_points import HookPoint

from lengthwise.core.errors import InputError
from lengthwise.languages.words import read_word
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Block, Decoder, Gated
from lengthwise.models.exchange.tensors import joint_rows
from lengthwise.positions.base import EncodingModule, Places, shared_positions
from lengthwise.tasks.vocabulary import BOS, Vocabulary

Returned = Literal["logits", "loss"]


class HookedDecoder(HookedRootModule):
    """A decoder with hook points; it shares the decoder's weights.

    ``run_with_cache`` returns an ``ActivationCache``, and ``cfg`` has the names that the library's
    own tools read (``patching``, ``ActivationCache``).
    """

    def __init__(self, decoder: Decoder, vocabulary: Vocabulary | None = None) -> None:
        super().__init__()
        config = decoder.config
        self.vocabulary, self.output_scale = vocabulary, 1.0
        if config.scale_output:
            self.output_scale = config.width**-0.5
        self.embed, self.encoding = decoder.embedding, decoder.encoding
        self.hook_embed, self.hook_pos_embed = HookPoint(), HookPoint()
        self.blocks = nn.ModuleList(HookedBlock(cast(Block, block)) for block in decoder.blocks)
        self.ln_final, self.unembed = HookedNorm(decoder.norm, config), decoder.unembedding
        self.cfg = _described(decoder)
        self.setup()
        self.eval()

    def forward(
        self,
        tokens: Int[Tensor, "b t"],
        return_type: Returned = "logits",
        *,
        scale: Int[Tensor, "b"] | None = None,
    ) -> Tensor:
        """Return logits, or the mean loss of the next token; ``scale`` is as for the decoder."""
        rows, size = tokens.shape
        chosen = self.encoding.positions(np.full(rows, size), None)
        at = shared_positions(size, tokens.device)
        at = at if chosen is None else torch.as_tensor(chosen, device=tokens.device)
        places = Places(at, at, tokens, scale)
        x = self.hook_embed(self.embed(tokens))
        x = x + self.hook_pos_embed(self.encoding.embed(x, at, places) - x)
        prepared = self.encoding.prepare(places)
        for block in self.blocks:
            x = block(x, self.encoding, prepared)
        logits = self.unembed(self.output_scale * self.ln_final(x))
        if return_type == "logits":
            return logits
        return nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())

    def run_with_cache(self, *args: Any, **options: Any) -> tuple[Tensor, ActivationCache]:
        """Return what ``forward`` returns and every activation by its name."""
        found, cache = super().run_with_cache(*args, **options)
        whole = not options.get("remove_batch_dim", False)
        return found, ActivationCache(cache, self, has_batch_dim=whole)

    def to_tokens(self, word: str, prepend_bos: bool = True) -> Int[Tensor, "1 t"]:
        """Return the tokens of a word in the symbols of the model's task."""
        if self.vocabulary is None:
            raise InputError("to_tokens: this model has no symbols of its own; pass token ids.")
        symbols = read_word(word, tuple(self.vocabulary.ids))
        ids = self.vocabulary.encode([*([BOS] if prepend_bos else []), *symbols])
        return torch.tensor([ids], device=self.embed.weight.device)

    @property
    def W_E(self) -> Float[Tensor, "v d"]:  # noqa: N802
        """The embedding."""
        return self.embed.weight

    @property
    def W_U(self) -> Float[Tensor, "d v"]:  # noqa: N802
        """The unembedding."""
        return self.unembed.weight.T

    def tokens_to_residual_directions(self, tokens: Int[Tensor, "*n"]) -> Float[Tensor, "*n d"]:
        """Return the direction of the last state that raises each token's logit."""
        return self.unembed.weight[tokens]


class HookedBlock(nn.Module):
    """A block, step by step."""

    def __init__(self, block: Block) -> None:
        super().__init__()
        self.ln1 = HookedNorm(block.attention_norm, block.config)
        self.ln2 = HookedNorm(block.mlp_norm, block.config)
        self.attn, self.mlp = HookedAttention(block), HookedMLP(block)
        self.hook_resid_pre, self.hook_resid_mid, self.hook_resid_post = _points(3)
        self.hook_attn_out, self.hook_mlp_out = _points(2)

    def forward(
        self, x: Float[Tensor, "b t d"], encoding: EncodingModule, prepared: Any
    ) -> Float[Tensor, "b t d"]:
        """Let tokens read others, then themselves."""
        x = self.hook_resid_pre(x)
        x = x + self.hook_attn_out(self.attn(self.ln1(x), encoding, prepared))
        x = self.hook_resid_mid(x)
        x = x + self.hook_mlp_out(self.mlp(self.ln2(x)))
        return self.hook_resid_post(x)


class HookedAttention(nn.Module):
    """softmax(scale q k^T + bias) v, with every factor in sight."""

    def __init__(self, block: Block) -> None:
        super().__init__()
        self.config, self.layer = block.config, block.layer
        self.qkv, self.out = block.qkv, block.out
        self.sharpen: Callable[[Tensor, None], Tensor] = block.sharpen
        self.hook_q, self.hook_k, self.hook_v, self.hook_z = _points(4)
        self.hook_rot_q, self.hook_rot_k, self.hook_attn_scores, self.hook_pattern = _points(4)

    def forward(
        self, x: Float[Tensor, "b t d"], encoding: EncodingModule, prepared: Any
    ) -> Float[Tensor, "b t d"]:
        """Return what the heads write."""
        config, layer = self.config, self.layer
        parts = self.qkv(x).split(joint_rows(config), dim=-1)
        q, k, v = (part.unflatten(-1, (-1, config.head)) for part in parts)
        q, k, v = self.hook_q(q), self.hook_k(k), self.hook_v(v)
        group = config.heads // config.shared_heads
        k, v = (part.repeat_interleave(group, dim=2) for part in (k, v))
        q = self.sharpen(encoding.rotate_query(q.transpose(1, 2), prepared, layer), None)
        k = encoding.rotate_key(k.transpose(1, 2), prepared, layer)
        q = self.hook_rot_q(q.transpose(1, 2)).transpose(1, 2)
        k = self.hook_rot_k(k.transpose(1, 2)).transpose(1, 2)
        scores = config.logit_scale * (q @ k.mT)
        if (bias := encoding.bias(q, k, prepared, layer)) is not None:
            scores = scores + bias
        if not config.bidirectional:
            future = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
            scores = scores.masked_fill(future, -torch.inf)
        pattern = self.hook_pattern(self.hook_attn_scores(scores).softmax(-1))
        z = self.hook_z((pattern @ v.transpose(1, 2)).transpose(1, 2))
        return self.out(z.flatten(2))

    @property
    def W_O(self) -> Float[Tensor, "h e d"]:  # noqa: N802
        """What each head writes."""
        return self.out.weight.T.unflatten(0, (self.config.heads, -1))


class HookedMLP(nn.Module):
    """The MLP, with or without a gate."""

    def __init__(self, block: Block) -> None:
        super().__init__()
        self.inner, self.outer, self.activation = block.mlp_in, block.mlp_out, block.activation
        self.hook_pre, self.hook_post = _points(2)
        if isinstance(block.activation, Gated):
            self.hook_pre_linear = HookPoint()

    def forward(self, x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
        """Return what it writes."""
        if isinstance(self.activation, Gated):
            gate, up = self.inner(x).chunk(2, dim=-1)
            h = self.activation.activation(self.hook_pre(gate)) * self.hook_pre_linear(up)
        else:
            h = self.activation(self.hook_pre(self.inner(x)))
        return self.outer(self.hook_post(h))

    @property
    def W_out(self) -> Float[Tensor, "m d"]:  # noqa: N802
        """What each hidden unit writes."""
        return self.outer.weight.T


class HookedNorm(nn.Module):
    """A norm whose scale passes a hook; its weights come after ``hook_normalized``."""

    def __init__(self, norm: nn.Module, config: ModelConfig) -> None:
        super().__init__()
        self.norm, self.kind, self.eps = norm, config.norm, config.norm_eps
        self.hook_scale, self.hook_normalized = _points(2)

    def forward(self, x: Float[Tensor, "*n d"]) -> Float[Tensor, "*n d"]:
        """Return the normalised states."""
        if self.kind == "none":
            return self.hook_normalized(x / self.hook_scale(torch.ones_like(x[..., :1])))
        if self.kind == "layer":
            x = x - x.mean(-1, keepdim=True)
        scale = self.hook_scale((x.pow(2).mean(-1, keepdim=True) + self.eps).sqrt())
        x = self.hook_normalized(x / scale) * self.norm.weight
        bias = getattr(self.norm, "bias", None)
        return x if bias is None else x + bias


def _points(count: int) -> list[HookPoint]:
    return [HookPoint() for _ in range(count)]


def _described(decoder: Decoder) -> SimpleNamespace:
    """Return the configuration by the names of TransformerLens."""
    config, weight = decoder.config, decoder.embedding.weight
    return SimpleNamespace(
        n_layers=config.layers,
        n_heads=config.heads,
        n_key_value_heads=config.key_heads,
        d_model=config.width,
        d_head=config.head,
        d_mlp=config.mlp,
        d_vocab=decoder.embedding.num_embeddings,
        n_ctx=decoder.context,
        act_fn=config.activation,
        attn_only=not config.mlp,
        gated_mlp=config.gated,
        normalization_type={"layer": "LN", "rms": "RMS", "none": None}[config.norm],
        attention_dir="bidirectional" if config.bidirectional else "causal",
        eps=config.norm_eps,
        device=weight.device,
        dtype=weight.dtype,
    )
