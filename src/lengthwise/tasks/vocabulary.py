"""The symbols of a task and their token ids."""

from dataclasses import dataclass
from functools import cached_property

from lengthwise.core.errors import InputError

BOS, SEP, EOS, PAD = "<bos>", "<sep>", "<eos>", "<pad>"
SPECIALS = (BOS, SEP, EOS, PAD)


@dataclass(frozen=True)
class Vocabulary:
    """Ordinary symbols first, then ``<bos> <sep> <eos> <pad>`` (Huang et al. 2024, their code).

    Example:
        >>> v = Vocabulary(("a", "b"))
        >>> len(v), v.bos, v.pad
        (6, 2, 5)
    """

    symbols: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(set(self.symbols)) < len(self.symbols) or set(self.symbols) & set(SPECIALS):
            raise InputError(f"vocabulary: symbols repeat or clash with {', '.join(SPECIALS)}.")

    @cached_property
    def ids(self) -> dict[str, int]:
        """Map each symbol, specials included, to its id."""
        return {symbol: i for i, symbol in enumerate(self.symbols + SPECIALS)}

    @cached_property
    def _every(self) -> tuple[str, ...]:
        return self.symbols + SPECIALS

    def __len__(self) -> int:
        return len(self.symbols) + len(SPECIALS)

    @property
    def bos(self) -> int:
        """Id of the first token of every sequence."""
        return len(self.symbols)

    @property
    def sep(self) -> int:
        """Id of the token between prompt and answer."""
        return len(self.symbols) + 1

    @property
    def eos(self) -> int:
        """Id of the last token of every sequence."""
        return len(self.symbols) + 2

    @property
    def pad(self) -> int:
        """Id of the filler to the right of shorter sequences."""
        return len(self.symbols) + 3

    def text(self, token: int) -> str:
        """Return the symbol of a token id."""
        return self._every[token]

    def encode(self, symbols: list[str]) -> list[int]:
        """Return the ids of symbols, or say which is not in the vocabulary."""
        for position, symbol in enumerate(symbols):
            if symbol not in self.ids:
                raise InputError(
                    f"symbol {symbol!r} at position {position} is not in the vocabulary: "
                    f"{' '.join(self.symbols)}."
                )
        return [self.ids[symbol] for symbol in symbols]
