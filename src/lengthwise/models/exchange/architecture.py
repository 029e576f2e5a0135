"""What a family of models is: its configuration in our terms, and the names of its tensors."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.models.exchange.tensors import TensorMap
from lengthwise.positions.base import PositionEncoding

ACTIVATIONS = {
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu": "gelu",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}
"""Their names of activations, and ours."""

_HARMLESS = (
    "architectures attention_dropout attn_pdrop bos_token_id chunk_size_feed_forward dtype "
    "embd_pdrop eos_token_id gradient_checkpointing id2label initializer_range is_decoder "
    "is_encoder_decoder keys_to_ignore_at_inference label2id max_length model_type n_ctx "
    "name_or_path output_attentions output_hidden_states output_past pad_token_id "
    "pretraining_tp problem_type reorder_and_upcast_attn resid_pdrop return_dict sep_token_id "
    "task_specific_params tokenizer_class torch_dtype transformers_version unk_token_id "
    "use_cache"
)
ABOUT = "lengthwise"
"""Where an exported run says what it was trained on."""
HARMLESS = frozenset({ABOUT, *_HARMLESS.split()})
"""Fields of config.json that change nothing of what a trained model computes."""


@dataclass(frozen=True)
class Described:
    """A decoder of another library, in our terms."""

    model: ModelConfig
    position: str
    """Its encoding, as people type it."""
    vocabulary: int
    context: int
    """The most tokens it was made for."""
    bounded: bool
    """Whether a longer input is impossible, as it is with a table of positions."""


class Architecture(Protocol):
    """How one family of models is read and written."""

    name: str

    def describe(self, config: "Fields") -> Described:
        """Say what a configuration means, taking every field that counts."""
        ...

    def parts(self, config: ModelConfig) -> Iterable[TensorMap]:
        """Yield how each of our tensors is made."""
        ...

    def ignored(self, name: str) -> bool:
        """Whether a tensor is a constant that older versions stored."""
        ...

    def configuration(self, model: Decoder, encoding: PositionEncoding) -> dict[str, Any]:
        """Return the configuration of one of our decoders, or say why it has none."""
        ...


@dataclass
class Fields:
    """The fields of a config.json; each is taken once, and one that nobody takes is refused."""

    where: str
    values: dict[str, Any]
    taken: set[str] = field(default_factory=set)

    def take(self, name: str, default: Any = None, kind: type | tuple[type, ...] = object) -> Any:
        """Return a field, or its default where it is absent or null."""
        self.taken.add(name)
        value = self.values.get(name)
        if value is None:
            value = default
        truth = isinstance(value, bool) and kind not in (bool, object)
        if truth or not (value is None or isinstance(value, kind)):
            raise InputError(f"{self.where}: {name}={value!r} is not what this field holds.")
        return value

    def count(self, name: str, default: int | None = None) -> int:
        """Return a field that is a whole number of at least 1."""
        value = self.take(name, default, int)
        if value is None or value < 1:
            raise InputError(f"{self.where}: {name}={value!r} must be a whole number from 1 on.")
        return value

    def number(self, name: str, default: float) -> float:
        """Return a field that is a number above 0."""
        value = float(self.take(name, default, (int, float)))
        if not 0 < value < float("inf"):
            raise InputError(f"{self.where}: {name}={value!r} must be a number above 0.")
        return value

    def expect(self, name: str, *allowed: Any) -> None:
        """Refuse a field whose value means something that our decoder does not do."""
        value = self.take(name, allowed[0])
        if value not in allowed:
            raise InputError(
                f"{self.where}: {name}={value!r} is not supported, only "
                f"{' or '.join(map(str, allowed))}."
            )

    def activation(self, name: str, default: str) -> str:
        """Return the activation by our name."""
        value = self.take(name, default, str)
        if value not in ACTIVATIONS:
            known = ", ".join(ACTIVATIONS)
            raise InputError(f"{self.where}: {name}={value!r} is not supported; known are {known}.")
        return ACTIVATIONS[value]

    def finish(self) -> None:
        """Refuse fields whose meaning is not known."""
        for name in sorted(set(self.values) - self.taken - HARMLESS):
            if not name.startswith("_") and not re.match("summary_", name):
                raise InputError(
                    f"{self.where}: the field {name!r} is not known here; remove it if it does not "
                    "change what the model computes."
                )


def their_activation(config: ModelConfig) -> str:
    """Return the activation by their name."""
    return next(theirs for theirs, ours in ACTIVATIONS.items() if ours == config.activation)


def first_obstacle(checks: Mapping[str, bool]) -> str:
    """Return the first thing that holds and has no counterpart, or nothing."""
    return next((name for name, holds in checks.items() if holds), "")
