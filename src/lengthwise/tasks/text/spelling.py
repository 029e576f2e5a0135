"""A task's symbols as tokens of somebody's tokenizer: one for each, or refused by name.

A sequence is written with spaces between its symbols, and an instance on a line of its own:

    task       <bos> 0 1 1 <sep> 0 <eos>
    text        0 1 1 : 0\\n
    tokens     ['Ġ0', 'Ġ1', 'Ġ1', 'Ġ:', 'Ġ0', 'Ċ']

Every text that a model is given is also tokenized as a whole, and has to give these tokens. A
tokenizer that knows ``<bos> <sep> <eos> <pad>``, as that of an exported run, is taken at its word.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from lengthwise.core.errors import InputError, nearest
from lengthwise.tasks.text.tokenizer_file import TokenizerFile
from lengthwise.tasks.vocabulary import BOS, EOS, PAD, SEP, SPECIALS, Vocabulary

SEPARATORS = (":", "=", "->", "|", "?")
ENDS = ("\n", ";", ".")


@dataclass(frozen=True, eq=False)
class TokenSpelling:
    """How each symbol is written, and the token that it is."""

    tokenizer: TokenizerFile
    pieces: Mapping[str, str]
    """The text of each symbol, with the space before it."""
    ids: Mapping[str, int]
    own: bool
    """Whether the tokenizer knows the task's special symbols."""
    dropped: bool
    """Whether a text begins without its first space."""

    @cached_property
    def symbols(self) -> dict[int, str]:
        """The symbol of each token."""
        return {number: symbol for symbol, number in self.ids.items()}

    def text(self, symbols: Sequence[str]) -> str:
        """Write a sequence."""
        written = "".join(self.pieces[symbol] for symbol in symbols)
        return written[1:] if self.dropped and written.startswith(" ") else written

    def tokens(self, rows: Sequence[Sequence[str]]) -> list[list[int]]:
        """Return the tokens of sequences, after checking that their texts have just these."""
        wanted = [[self.ids[symbol] for symbol in row] for row in rows]
        found = self.tokenizer.many([self.text(row) for row in rows])
        for row, one, other in zip(rows, wanted, found, strict=True):
            if one != other:
                raise self._merged(row, one, other)
        return wanted

    def _merged(self, row: Sequence[str], wanted: list[int], found: list[int]) -> InputError:
        """Name the first symbol that is not a token of its own."""
        pairs = enumerate(zip(wanted, found, strict=False))
        place = next((i for i, (a, b) in pairs if a != b), min(len(wanted), len(found)) - 1)
        token = self.tokenizer.name(found[place]) if place < len(found) else "the end"
        return InputError(
            f"the tokenizer joins symbols: {row[place]!r} at position {place} of "
            f"{self.text(row[place : place + 4])!r} is not its own token but part of {token!r}; "
            f"write it otherwise, as in --spelling {row[place]}=X."
        )


def plain_pieces(vocabulary: Vocabulary, given: Mapping[str, str]) -> dict[str, str]:
    """Return how symbols are written where no tokenizer is known.

    Example:
        >>> plain_pieces(Vocabulary(("0", ":")), {})
        {'0': ' 0', ':': ' :', '<bos>': '', '<pad>': '', '<sep>': ' =', '<eos>': '\\n'}
    """
    _check_known(vocabulary, given)
    pieces = {symbol: f" {given.get(symbol, symbol)}" for symbol in vocabulary.symbols}
    used = {piece.strip() for piece in pieces.values()}
    if len(used) < len(pieces):
        raise InputError("--spelling: two symbols are written alike.")
    pieces[BOS] = pieces[PAD] = ""
    for symbol, choices in {SEP: SEPARATORS, EOS: ENDS}.items():
        text = given.get(symbol) or next(choice for choice in choices if choice not in used)
        pieces[symbol] = text if text.isspace() else f" {text}"
        used.add(text)
    return pieces


def _check_known(vocabulary: Vocabulary, given: Mapping[str, str]) -> None:
    for symbol in given:
        if symbol not in vocabulary.ids:
            hint = nearest(symbol, vocabulary.ids)
            raise InputError(f"--spelling: the task has no symbol {symbol!r}.{hint}")


def make_spelling(
    tokenizer: TokenizerFile, vocabulary: Vocabulary, given: Mapping[str, str]
) -> TokenSpelling:
    """Find a token for each symbol of a vocabulary; ``given`` says how some are written."""
    _check_known(vocabulary, given)
    specials = {symbol: tokenizer.inner.token_to_id(symbol) for symbol in SPECIALS}
    own = None not in specials.values()
    pieces = {symbol: f" {given.get(symbol, symbol)}" for symbol in vocabulary.symbols}
    twice = 2 * next(iter(pieces.values()))
    dropped = len(tokenizer.perhaps(twice)) != 2 and len(tokenizer.perhaps(twice[1:])) == 2
    ids = {symbol: _token(tokenizer, piece, symbol) for symbol, piece in pieces.items()}
    if own:
        pieces |= {symbol: f" {symbol}" for symbol in SPECIALS}
        ids |= {symbol: number for symbol, number in specials.items() if number is not None}
        return TokenSpelling(tokenizer, pieces, ids, own, dropped)
    used = {piece.strip() for piece in pieces.values()}
    first = next(iter(pieces.values()))
    pieces[BOS] = pieces[PAD] = ""
    for symbol, choices in {SEP: SEPARATORS, EOS: ENDS}.items():
        options = [given[symbol]] if symbol in given else [c for c in choices if c not in used]
        pieces[symbol], ids[symbol] = _between(tokenizer, first, options, symbol)
        used.add(pieces[symbol].strip())
    _check_distinct(pieces, ids)
    return TokenSpelling(tokenizer, pieces, ids, own, dropped)


def _token(tokenizer: TokenizerFile, piece: str, symbol: str) -> int:
    """Return the one token that a symbol is behind another."""
    for text in (piece + piece, (piece + piece).lstrip()):
        found = tokenizer.perhaps(text)
        if len(found) == 2 and found[0] == found[1]:
            return found[0]
    names = [tokenizer.name(token) for token in tokenizer.perhaps(piece)]
    shown = " ".join(map(repr, names[:6]))
    raise InputError(
        f"symbol {symbol!r}: {piece.strip()!r} is not one token of this tokenizer but "
        f"{shown or 'none'}; write it otherwise, as in --spelling {symbol}=X."
    )


def _between(
    tokenizer: TokenizerFile, first: str, options: Sequence[str], symbol: str
) -> tuple[str, int]:
    """Return the first way to write a special symbol that is one token between two others."""
    for option in options:
        piece = option if option.isspace() else f" {option}"
        for text in (first + piece + first, (first + piece + first).lstrip()):
            found = tokenizer.perhaps(text)
            if len(found) == 3 and found[0] == found[2]:
                return piece, found[1]
    raise InputError(
        f"symbol {symbol!r}: none of {' '.join(map(repr, options))} is one token of this "
        f"tokenizer; write it otherwise, as in --spelling '{symbol}=X'."
    )


def _check_distinct(pieces: Mapping[str, str], ids: Mapping[str, int]) -> None:
    seen: dict[int, str] = {}
    for symbol, number in ids.items():
        if number in seen:
            raise InputError(
                f"symbols {seen[number]!r} and {symbol!r} are the same token, "
                f"{pieces[symbol].strip()!r}; write one otherwise, as in --spelling {symbol}=X."
            )
        seen[number] = symbol


def read_spelling(texts: Sequence[str]) -> dict[str, str]:
    """Read ``accept=yes``, one for each symbol that is written in another way.

    Example:
        >>> read_spelling(["accept=yes", "reject=no"])
        {'accept': 'yes', 'reject': 'no'}
    """
    found: dict[str, str] = {}
    for text in texts:
        symbol, equals, written = text.rpartition("=")
        if not equals or not symbol or not written:
            raise InputError(f"--spelling {text!r}: use symbol=text, as in accept=yes.")
        found[symbol] = written
    return found
