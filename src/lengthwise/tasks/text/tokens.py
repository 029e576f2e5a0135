"""Text as tokens: bytes, frequent words with bytes for the rest, or a tokenizer's subwords."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.tasks.text.tokenizer_file import TokenizerFile, parse_tokenizer

BYTES = tuple(chr(code) if 33 <= code < 127 else f"\\x{code:02x}" for code in range(256))
"""How the 256 bytes are shown."""

SMALLEST = 257
"""All bytes and one pair."""

_PIECE = re.compile(rb" ?[A-Za-z_]+|[0-9]|\n *|[^A-Za-z_0-9\n]")


@dataclass(frozen=True)
class Encoder:
    """Ids 0..255 are bytes; further ids are the given words, matched whole.

    Example:
        >>> encoder = Encoder((b" the",))
        >>> encoder.encode(b"in the").tolist(), encoder.decode([105, 110, 256])
        ([105, 110, 256], b'in the')
    """

    words: tuple[bytes, ...] = ()

    @cached_property
    def _ids(self) -> dict[bytes, int]:
        return {word: 256 + number for number, word in enumerate(self.words)}

    @property
    def symbols(self) -> tuple[str, ...]:
        """Readable names of all ids; a word shows its blanks and line ends."""
        shown = (repr(word)[2:-1].replace(" ", "_") for word in self.words)
        return (*BYTES, *(f"‹{word}›" for word in shown))

    def encode(self, content: bytes) -> Int[np.ndarray, "n"]:
        """Return the ids of a text."""
        if not self.words:
            return np.frombuffer(content, dtype=np.uint8).astype(np.int32)
        ids: list[int] = []
        known = self._ids
        for piece in _PIECE.findall(content):
            number = known.get(piece)
            if number is None:
                ids.extend(piece)
            else:
                ids.append(number)
        return np.array(ids, dtype=np.int32)

    def decode(self, ids: list[int]) -> bytes:
        """Return the text of some ids."""
        return b"".join(
            bytes([number]) if number < 256 else self.words[number - 256] for number in ids
        )


def learn_words(contents: tuple[bytes, ...], count: int) -> tuple[bytes, ...]:
    """Return the words of more than one byte that occur most often."""
    seen: Counter[bytes] = Counter()
    for content in contents:
        seen.update(_PIECE.findall(content))
    frequent = sorted((w for w in seen if len(w) > 1), key=lambda w: (-seen[w], w))
    return tuple(frequent[:count])


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
