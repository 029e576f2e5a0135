"""The decoder's configuration, as validated plain data."""

from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from lengthwise.core.bounds import BLOCKS, WIDTH
from lengthwise.core.plain import Plain

Preset = Literal["gpt2", "t5"]


class ModelConfig(Plain):
    """Shape and style of the decoder; the defaults are a small GPT-2.

    Example:
        >>> ModelConfig(layers=1, heads=1, width=16).mlp
        64
        >>> ModelConfig.preset("t5", width=64).norm
        'rms'
    """

    layers: int = Field(default=2, ge=1, le=BLOCKS, description="number of blocks")
    heads: int = Field(default=2, ge=1, le=BLOCKS, description="attention heads per block")
    width: int = Field(default=64, ge=1, le=WIDTH, description="width of the residual stream")
    head_width: int | None = Field(
        default=None, ge=1, le=WIDTH, description="width of a head; default width/heads"
    )
    mlp_width: int | None = Field(
        default=None, ge=0, le=WIDTH, description="hidden units of the MLP; default 4*width"
    )
    norm: Literal["layer", "rms", "none"] = Field(
        default="layer", description="pre-norm of each block"
    )
    norm_eps: float = Field(default=1e-5, gt=0, description="epsilon of the norm")
    activation: Literal["gelu_tanh", "gelu", "relu", "silu"] = Field(
        default="gelu_tanh", description="activation of the MLP"
    )
    bias: bool = Field(default=True, description="biases in linear layers and layer norms")
    tied: bool = Field(default=True, description="unembedding shares the embedding's weights")
    scale_logits: bool = Field(
        default=True, description="divide attention logits by sqrt(head width)"
    )
    attention_scale: Literal["constant", "log-n"] = Field(
        default="constant",
        description="with log-n, logits grow with the log of the number of keys, learned per head",
    )
    scale_output: bool = Field(default=False, description="multiply the last state by width**-0.5")
    dropout: float = Field(default=0.0, ge=0, lt=1, description="rate of every dropout")
    mlp_dropout: bool = Field(default=False, description="drop inside the MLP too")
    init: Literal["gpt2", "t5"] = Field(default="gpt2", description="initial spread of weights")
    key_heads: int | None = Field(
        default=None,
        ge=1,
        le=BLOCKS,
        description="heads of keys and values, shared in groups; default heads",
    )
    gated: bool = Field(
        default=False, description="MLP with a gate: activation(gate x) times (up x)"
    )
    bidirectional: bool = Field(
        default=False,
        description="every token sees its whole row, as in an encoder; for tasks that ask once, "
        "such as label:parity",
    )

    later: ClassVar[frozenset[str]] = frozenset({"key_heads", "gated", "bidirectional"})

    @model_validator(mode="after")
    def _divides(self) -> Self:
        if self.head_width is None and self.width % self.heads:
            raise ValueError(f"heads={self.heads} does not divide width={self.width}")
        if self.bidirectional and self.attention_scale != "constant":
            raise ValueError("bidirectional takes attention_scale=constant only")
        if self.heads % self.shared_heads:
            raise ValueError(f"key_heads={self.key_heads} does not divide heads={self.heads}")
        return self

    @property
    def shared_heads(self) -> int:
        """Heads of keys and values; each serves a group of the query heads."""
        return self.key_heads or self.heads

    @property
    def mlp(self) -> int:
        """Hidden units of the MLP."""
        return 4 * self.width if self.mlp_width is None else self.mlp_width

    @property
    def head(self) -> int:
        """Width of one head."""
        return self.head_width or self.width // self.heads

    @property
    def logit_scale(self) -> float:
        """What q . k is multiplied by."""
        return self.head**-0.5 if self.scale_logits else 1.0

    @classmethod
    def preset(cls, name: Preset, **changes: Any) -> Self:
        """Return a named style with some fields changed."""
        return cls(**{**_PRESETS[name], **changes})


_PRESETS: dict[str, dict[str, Any]] = {
    # As in the transformers library's GPT-2: the defaults above.
    "gpt2": {},
    # Kazemnejad et al. (2023): T5's decoder without cross-attention.
    "t5": {
        "norm": "rms",
        "norm_eps": 1e-6,
        "activation": "relu",
        "bias": False,
        "scale_logits": False,
        "scale_output": True,
        "dropout": 0.1,
        "mlp_dropout": True,
        "init": "t5",
    },
}
