"""Bytes, or frequent words with bytes for everything else; both can be undone exactly."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Int

BYTES = tuple(chr(code) if 33 <= code < 127 else f"\\x{code:02x}" for code in range(256))
"""How the 256 bytes are shown."""

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
