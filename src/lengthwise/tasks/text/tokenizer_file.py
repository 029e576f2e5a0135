"""A tokenizer of somebody's own, as the tokenizers library writes it: ``tokenizer.json``."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.core.errors import InputError
from lengthwise.core.files import read_bytes

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TOKENIZER = "tokenizer.json"


@dataclass(frozen=True, eq=False)
class TokenizerFile:
    """A tokenizer that was read, with the digest of its file."""

    path: Path
    inner: "Tokenizer"
    digest: str

    @property
    def size(self) -> int:
        """How many tokens there are, added ones included."""
        return self.inner.get_vocab_size(with_added_tokens=True)

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text, without any that mark its beginning or end."""
        return self.many([text])[0]

    def many(self, texts: list[str]) -> list[list[int]]:
        """Return the tokens of several texts; one that it has no tokens for is refused."""
        try:
            found = self.inner.encode_batch(texts, add_special_tokens=False)
        except Exception as error:  # the library has no exception of its own
            raise InputError(f"{self.path}: no tokens for {texts[0][:40]!r} ({error}).") from None
        return [encoding.ids for encoding in found]

    def perhaps(self, text: str) -> list[int]:
        """Return the tokens of a text, or none where it has a symbol that is not known."""
        try:
            return self.ids(text)
        except InputError:
            return []

    def name(self, token: int) -> str:
        """Return a token as the tokenizer stores it."""
        return self.inner.id_to_token(token) or str(token)

    @property
    def beginning(self) -> list[int]:
        """The tokens that it puts before every text."""
        known = (text for text in ("a", "0", *self.inner.get_vocab()) if self.perhaps(text))
        text = next(known, None)
        if text is None:
            return []
        first = self.ids(text)[0]
        marked = self.inner.encode(text, add_special_tokens=True).ids
        return marked[: marked.index(first)] if first in marked else []


def read_tokenizer(path: Path) -> TokenizerFile:
    """Read a ``tokenizer.json``; it is data, and nothing in it is executed."""
    return parse_tokenizer(path, read_bytes(path))


@lru_cache(maxsize=4)
def parse_tokenizer(path: Path, content: bytes) -> TokenizerFile:
    """Make the tokenizer of a file's content; truncation and padding are turned off."""
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise InputError(
            f"{path}: needs the tokenizers library: pip install 'lengthwise[pretrained]'."
        ) from error
    try:
        inner = Tokenizer.from_buffer(content)
    except Exception as error:  # the library has no exception of its own
        reason = " ".join(str(error).split())[:100]
        raise InputError(f"{path}: not a tokenizer ({reason}).") from None
    inner.no_truncation()
    inner.no_padding()
    return TokenizerFile(path, inner, hashlib.sha256(content).hexdigest()[:16])
