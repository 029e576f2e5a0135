"""GPT-2 and its like: learned positions, layer norm, one projection for queries, keys, values."""

import re
from collections.abc import Iterator
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.models.exchange.architecture import (
    Described,
    Fields,
    first_obstacle,
    their_activation,
)
from lengthwise.models.exchange.tensors import TensorMap
from lengthwise.positions.base import PositionEncoding

_IN_BLOCK = {
    "attention_norm": "ln_1",
    "qkv": "attn.c_attn",
    "out": "attn.c_proj",
    "mlp_norm": "ln_2",
    "mlp_in": "mlp.c_fc",
    "mlp_out": "mlp.c_proj",
}

TABLES = ("ape", "nope", "sinusoidal")
"""Encodings that are a table of vectors, one for each position, which is what GPT-2 has."""


class GPT2:
    """The family of GPT-2."""

    name = "gpt2"

    def describe(self, config: Fields) -> Described:
        """Read the fields of a GPT2Config."""
        width, context = config.count("n_embd", 768), config.count("n_positions", 1024)
        config.expect("scale_attn_by_inverse_layer_idx", False)
        config.expect("add_cross_attention", False)
        model = ModelConfig(
            layers=config.count("n_layer", 12),
            heads=config.count("n_head", 12),
            width=width,
            mlp_width=config.count("n_inner", 4 * width),
            norm_eps=config.number("layer_norm_epsilon", 1e-5),
            activation=config.activation("activation_function", "gelu_new"),  # type: ignore[arg-type]
            scale_logits=config.take("scale_attn_weights", True, bool),
            tied=config.take("tie_word_embeddings", True, bool),
        )
        return Described(model, "ape", config.count("vocab_size", 50257), context, bounded=True)

    def parts(self, config: ModelConfig) -> Iterator[TensorMap]:
        """Yield how each of our tensors is made; their linear maps are transposed."""
        yield TensorMap("embedding.weight", ("transformer.wte.weight",))
        yield TensorMap("encoding.table.weight", ("transformer.wpe.weight",))
        for layer in range(config.layers):
            for ours, theirs in _IN_BLOCK.items():
                for kind in ("weight", "bias"):
                    name = f"transformer.h.{layer}.{theirs}.{kind}"
                    linear = kind == "weight" and "norm" not in ours
                    yield TensorMap(f"blocks.{layer}.{ours}.{kind}", (name,), transposed=linear)
        for kind in ("weight", "bias"):
            yield TensorMap(f"norm.{kind}", (f"transformer.ln_f.{kind}",))
        yield TensorMap("unembedding.weight", ("lm_head.weight",))

    def ignored(self, name: str) -> bool:
        """Causal masks were stored by older versions."""
        return re.fullmatch(r"transformer\.h\.\d+\.attn\.(masked_)?bias", name) is not None

    def configuration(self, model: Decoder, encoding: PositionEncoding) -> dict[str, Any]:
        """Return the configuration of one of our decoders, or say why it has none."""
        config = model.config
        obstacle = first_obstacle(
            {
                f"encoding {encoding.name!r} (only {', '.join(TABLES)})": encoding.name
                not in TABLES,
                f"norm={config.norm}": config.norm != "layer",
                "a gated MLP": config.gated,
                "key_heads": config.shared_heads != config.heads,
                f"head_width={config.head}": config.heads * config.head != config.width,
                "mlp_width=0": not config.mlp,
                "attention_scale=log-n": config.attention_scale != "constant",
                "bidirectional": config.bidirectional,
                "scale_output": config.scale_output,
            }
        )
        if obstacle:
            raise InputError(f"GPT-2 has no counterpart of {obstacle}")
        return {
            "architectures": ["GPT2LMHeadModel"],
            "model_type": self.name,
            "n_embd": config.width,
            "n_layer": config.layers,
            "n_head": config.heads,
            "n_inner": config.mlp,
            "n_positions": model.context,
            "activation_function": their_activation(config),
            "layer_norm_epsilon": config.norm_eps,
            "scale_attn_weights": config.scale_logits,
            "tie_word_embeddings": config.tied,
            "resid_pdrop": config.dropout,
            "embd_pdrop": config.dropout,
            "attn_pdrop": config.dropout,
        }
