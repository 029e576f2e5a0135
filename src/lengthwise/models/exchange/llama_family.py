"""Llama and its like: rotary positions, RMS norm, a gated MLP, grouped keys."""

import math
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
from lengthwise.models.exchange.tensors import TensorMap, joint_rows
from lengthwise.positions.base import PositionEncoding
from lengthwise.positions.rotary import Rotary

USUAL = 10000.0
"""The base of rotary positions where none is given."""


class Llama:
    """The family of Llama; Mistral without a sliding window is the same."""

    name = "llama"

    def describe(self, config: Fields) -> Described:
        """Read the fields of a LlamaConfig."""
        width, heads = config.count("hidden_size", 4096), config.count("num_attention_heads", 32)
        context = config.count("max_position_embeddings", 2048)
        for name in ("attention_bias", "mlp_bias"):
            config.expect(name, False)
        config.expect("sliding_window", None)
        config.expect("quantization_config", None)
        model = ModelConfig(
            layers=config.count("num_hidden_layers", 32),
            heads=heads,
            key_heads=config.count("num_key_value_heads", heads),
            width=width,
            head_width=config.count("head_dim", max(1, width // heads)),
            mlp_width=config.count("intermediate_size", 11008),
            gated=True,
            norm="rms",
            norm_eps=config.number("rms_norm_eps", 1e-6),
            activation=config.activation("hidden_act", "silu"),  # type: ignore[arg-type]
            bias=False,
            tied=config.take("tie_word_embeddings", False, bool),
        )
        position = read_rotary(config, context)
        return Described(model, position, config.count("vocab_size", 32000), context, bounded=False)

    def parts(self, config: ModelConfig) -> Iterator[TensorMap]:
        """Yield how each of our tensors is made."""
        yield TensorMap("embedding.weight", ("model.embed_tokens.weight",))
        for layer in range(config.layers):
            ours, theirs = f"blocks.{layer}.", f"model.layers.{layer}."
            joint = tuple(f"{theirs}self_attn.{part}_proj.weight" for part in "qkv")
            gate = tuple(f"{theirs}mlp.{part}_proj.weight" for part in ("gate", "up"))
            yield TensorMap(f"{ours}qkv.weight", joint, joint_rows(config), paired=(0, 1))
            yield TensorMap(f"{ours}out.weight", (f"{theirs}self_attn.o_proj.weight",))
            yield TensorMap(f"{ours}mlp_in.weight", gate, (config.mlp, config.mlp))
            yield TensorMap(f"{ours}mlp_out.weight", (f"{theirs}mlp.down_proj.weight",))
            yield TensorMap(f"{ours}attention_norm.weight", (f"{theirs}input_layernorm.weight",))
            yield TensorMap(f"{ours}mlp_norm.weight", (f"{theirs}post_attention_layernorm.weight",))
        yield TensorMap("norm.weight", ("model.norm.weight",))
        yield TensorMap("unembedding.weight", ("lm_head.weight",))

    def ignored(self, name: str) -> bool:
        """Angles were stored by older versions."""
        return re.fullmatch(r"model\.(layers\.\d+\.self_attn\.)?rotary_emb\.\w+", name) is not None

    def configuration(self, model: Decoder, encoding: PositionEncoding) -> dict[str, Any]:
        """Return the configuration of one of our decoders, or say why it has none."""
        config = model.config
        obstacle = first_obstacle(
            {
                f"encoding {encoding.name!r} (only rope)": not isinstance(encoding, Rotary),
                f"norm={config.norm}": config.norm != "rms",
                "an MLP without a gate": not config.gated,
                "biases": config.bias,
                "scale_logits=false": not config.scale_logits,
                "mlp_width=0": not config.mlp,
                "heads that do not divide the width": config.width % config.heads != 0,
                "attention_scale=log-n": config.attention_scale != "constant",
                "bidirectional": config.bidirectional,
                "scale_output": config.scale_output,
            }
        )
        if obstacle:
            raise InputError(f"Llama has no counterpart of {obstacle}")
        assert isinstance(encoding, Rotary)
        return {
            "architectures": ["LlamaForCausalLM"],
            "model_type": self.name,
            "hidden_size": config.width,
            "num_hidden_layers": config.layers,
            "num_attention_heads": config.heads,
            "num_key_value_heads": config.shared_heads,
            "head_dim": config.head,
            "intermediate_size": config.mlp,
            "hidden_act": their_activation(config),
            "rms_norm_eps": config.norm_eps,
            "attention_bias": False,
            "mlp_bias": False,
            "tie_word_embeddings": config.tied,
            **write_rotary(encoding, config.head, model.context),
        }


def read_rotary(config: Fields, context: int) -> str:
    """Return the encoding, from ``rope_parameters`` or the older ``rope_theta, rope_scaling``."""
    given = config.take("rope_parameters", None, dict) or {}
    older = config.take("rope_scaling", None, dict) or {}
    older = {"rope_theta": config.number("rope_theta", USUAL), **older}
    rope = Fields(f"{config.where}: rope_parameters", {**older, **given})
    kind = rope.take("rope_type") or rope.take("type") or "default"
    rope.taken |= {"rope_type", "type"}
    rope.expect("partial_rotary_factor", 1.0, 1)
    base = rope.number("rope_theta", USUAL)
    options: dict[str, Any] = {} if base == USUAL else {"base": base}
    if kind != "default":
        options |= _scaling(rope, kind, context)
    rope.finish()
    told = ",".join(f"{name}={value}" for name, value in options.items())
    return f"rope:{told}" if told else "rope"


def _scaling(rope: Fields, kind: str, context: int) -> dict[str, Any]:
    """Return the options of a scaled encoding."""
    options: dict[str, Any] = {"scaling": kind, "when": "always"}
    if kind not in ("linear", "dynamic", "yarn", "llama3"):
        raise InputError(
            f"{rope.where}: rope_type={kind!r} is not supported, only default, linear, dynamic, "
            "yarn and llama3."
        )
    original = rope.count("original_max_position_embeddings", context)
    options["factor"] = factor = rope.number("factor", context / original)
    if kind == "linear":
        return options
    options["original"] = context if kind == "dynamic" else original
    if kind == "llama3":
        options["slow"] = rope.number("low_freq_factor", 1.0)
        options["fast"] = rope.number("high_freq_factor", 4.0)
    elif kind == "yarn":
        options["fast"], options["slow"] = (
            rope.number("beta_fast", 32.0),
            rope.number("beta_slow", 1.0),
        )
        options["ramp"] = "whole-pairs" if rope.take("truncate", True, bool) else "pairs"
        options["gain"] = _gain(rope, factor)
    return options


def _gain(rope: Fields, factor: float) -> float:
    """Return what yarn multiplies queries and keys by."""

    def grown(scale: float) -> float:
        return 0.1 * scale * math.log(factor) + 1.0 if factor > 1 else 1.0

    given = rope.take("attention_factor", None, (int, float))
    one, all_ = (rope.take(name, None, (int, float)) for name in ("mscale", "mscale_all_dim"))
    if given is not None:
        return float(given)
    return grown(one) / grown(all_) if one and all_ else grown(1.0)


def write_rotary(encoding: Rotary, head: int, context: int) -> dict[str, Any]:
    """Return ``rope_parameters`` and the context, or say why there are none."""
    if encoding.fraction != 1:
        raise InputError(f"Llama has no counterpart of rope:fraction={encoding.fraction}")
    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": encoding.base}
    kind = encoding.scaling
    if kind == "ntk":  # another base, and nothing else
        rope["rope_theta"] = encoding.base * encoding.factor ** (head / (head - 2))
    elif kind != "none":
        rope |= {"rope_type": kind, "factor": encoding.factor}
    if kind in ("yarn", "llama3"):
        rope["original_max_position_embeddings"] = encoding.original
    if kind == "llama3":
        rope |= {"low_freq_factor": encoding.slow, "high_freq_factor": encoding.fast}
    if kind == "yarn":
        if encoding.ramp == "turns":
            raise InputError("Llama has no counterpart of rope:ramp=turns (use ramp=whole-pairs)")
        rope |= {"beta_fast": encoding.fast, "beta_slow": encoding.slow}
        rope["truncate"] = encoding.ramp == "whole-pairs"
        rope["attention_factor"] = encoding.gain or 0.1 * math.log(encoding.factor) + 1
    most = encoding.original if kind == "dynamic" else context
    return {"rope_parameters": rope, "max_position_embeddings": most}
