"""Text in the tokens of a tokenizer: somebody's own, or byte pairs learned on the spot."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.tasks.text.tokenizer_file import TokenizerFile, parse_tokenizer

SMALLEST = 257
"""All bytes and one pair."""


@dataclass(frozen=True, eq=False)
class SubwordEncoder:
    """Ids are those of a tokenizer."""

    tokenizer: TokenizerFile

    @property
    def symbols(self) -> tuple[str, ...]:
        """Readable names of all ids, marked so that none is taken for a special symbol."""
        return tuple(f"‹{self.tokenizer.name(n)}›" for n in range(self.tokenizer.size))

    def encode(self, content: bytes) -> Int[np.ndarray, "n"]:
        """Return the ids of a text; half a character, where a file was divided, is left out."""
        return np.array(self.tokenizer.ids(_text(content)), dtype=np.int32)

    def decode(self, ids: list[int]) -> bytes:
        """Return the text of some ids, as far as the tokenizer keeps it."""
        return self.tokenizer.inner.decode(ids, skip_special_tokens=False).encode()


@lru_cache(maxsize=4)
def learn_pairs(contents: tuple[bytes, ...], size: int) -> SubwordEncoder:
    """Learn a byte-level byte-pair tokenizer of so many tokens; every text can be undone.

    Example:
        >>> encoder = learn_pairs((b"to be or not to be",) * 3, 260)
        >>> encoder.decode(encoder.encode(b"to be").tolist())
        b'to be'
    """
    if size < SMALLEST:
        raise InputError(f"level=bpe: words={size} must be at least {SMALLEST}, bytes included.")
    try:
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    except ImportError as error:
        raise InputError(
            "level=bpe needs the tokenizers library: pip install 'lengthwise[pretrained]'."
        ) from error
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=sorted(alphabet), show_progress=False
    )
    inner.train_from_iterator(map(_text, contents), trainer)
    return SubwordEncoder(parse_tokenizer(Path("learned"), inner.to_str().encode()))


def _text(content: bytes) -> str:
    return content.decode("utf-8", errors="ignore")
