"""Reading the `.cr` text format, with errors that point at the place."""

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.core.errors import InputError, PlacedError, unknown
from lengthwise.core.files import read_text
from lengthwise.core.later import Later
from lengthwise.crasp._reader import Reader, ReadError
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Bool

if TYPE_CHECKING:
    import lark
else:
    lark = Later("lark")  # most commands read no program

MAXIMUM_BYTES = 4_000_000
"""Longest program text that is read; longer files are refused at once."""


class _JoinLines:
    """Drops line ends inside brackets, so that long expressions can be broken."""

    always_accept = ("_NL",)

    def process(self, stream: "Iterator[lark.Token]") -> "Iterator[lark.Token]":
        open_brackets = 0
        for token in stream:
            if token.type in ("LPAR", "LSQB"):
                open_brackets += 1
            elif token.type in ("RPAR", "RSQB"):
                open_brackets -= 1
            if token.type != "_NL" or open_brackets <= 0:
                yield token


class _Dispatch:
    """Hands each completed grammar rule to the reader of the parse that is running."""

    def __init__(self) -> None:
        self.active: ContextVar[Reader] = ContextVar("active_reader")

    def __getattr__(self, rule: str) -> Callable[[list[Any]], Any]:
        if rule.startswith("_") or not callable(getattr(Reader, rule, None)):
            raise AttributeError(rule)
        return lambda items: getattr(self.active.get(), rule)(items)


_dispatch = _Dispatch()


class _TypedNames:
    """Marks each name by the type it was given above, which settles the released grammar."""

    always_accept = ("NAME",)

    def process(self, stream: "Iterator[lark.Token]") -> "Iterator[lark.Token]":
        for token in stream:
            if token.type == "NAME":
                known = _dispatch.active.get().names.get(str(token))
                if known is not None:
                    kind = "BOOL_NAME" if isinstance(known, Bool) else "COUNT_NAME"
                    yield lark.Token.new_borrow_pos(kind, str(token), token)
                    continue
            yield token


_GRAMMARS: dict[str, tuple[str, Any]] = {
    "usual": ("grammar.lark", _JoinLines),
    "released": ("released.lark", _TypedNames),
}


@cache
def _grammar(precedence: str) -> "lark.Lark":
    """Build the parse tables once for all programs."""
    name, postlex = _GRAMMARS[precedence]
    source = resources.files("lengthwise.crasp").joinpath(name).read_text("utf-8")
    return lark.Lark(source, parser="lalr", postlex=postlex(), transformer=_dispatch)  # type: ignore[arg-type]


def _run(text: str, reader: Reader, precedence: str) -> Program:
    token = _dispatch.active.set(reader)
    try:
        return _grammar(precedence).parse(text + "\n")  # type: ignore[return-value]
    finally:
        _dispatch.active.reset(token)


def parse(
    text: str,
    *,
    source: str = "program",
    parameters: Mapping[str, int] | None = None,
    precedence: str = "usual",
) -> Program:
    """Read a program; ``source`` names it in errors, ``parameters`` overrides declared parameters.

    ``precedence="released"`` reads a program as the released interpreter does, where
    ``!P && Q`` is ``!(P && Q)``, ``2*x + y`` is ``2*(x + y)`` and ``x - y + z`` is ``x - (y + z)``.

    Example:
        >>> parse('C = #"a"\\naccept = C > #"b"').accept
        #"a" > #"b"
        >>> parse('x = #"a" &')
        Traceback (most recent call last):
        ...
        lengthwise.core.errors.PlacedError: program:1:10: unexpected '&'; did you mean '&&'?
            x = #"a" &
                     ^
    """
    if precedence not in _GRAMMARS:
        raise unknown("precedence", precedence, _GRAMMARS)
    size = len(text.encode("utf-8", "replace"))
    if size > MAXIMUM_BYTES:
        limit = MAXIMUM_BYTES / 1e6
        raise InputError(
            f"{source}: {size / 1e6:.1f} MB of program text; the limit is {limit:.0f} MB."
        )
    text = text.removeprefix("\ufeff")
    try:
        return _run(text, Reader(parameters or {}), precedence)
    except ReadError as error:
        raise _located(text, source, error.at.line, error.at.column, error.message) from None
    except lark.UnexpectedInput as error:
        raise _unexpected(text, source, error) from None
    except InputError as error:
        raise InputError(f"{source}: {error}") from None


def parse_file(
    path: str | Path,
    *,
    parameters: Mapping[str, int] | None = None,
    precedence: str = "usual",
) -> Program:
    """Read a program from a file; options as for :func:`parse`."""
    text = read_text(Path(path), MAXIMUM_BYTES)
    return parse(text, source=str(path), parameters=parameters, precedence=precedence)


_WORDS = {
    "NAME": "a name",
    "BOOL_NAME": "a Boolean's name",
    "COUNT_NAME": "a count's name",
    "STRING": 'a symbol like "a"',
    "INT": "a number",
    "_ASSIGN": "'='",
    "_NL": "the end of the line",
    "AND": "'&&'",
    "OR": "'||'",
    "NOT": "'!'",
    "SAME": "'==' or '!='",
    "LESS": "'<', '<=', '>' or '>='",
    "PLUS": "'+'",
    "MINUS": "'-'",
    "TIMES": "'*'",
    "PERCENT": "'%'",
    "HASH": "'#'",
    "DOTS": "'..'",
    "LPAR": "'('",
    "RPAR": "')'",
    "LSQB": "'['",
    "RSQB": "']'",
    "COMMA": "','",
    "IF": "'if'",
    "ELSE": "'else'",
}
_OPERAND = {"NAME", "STRING", "INT", "HASH", "LPAR"}
_DOUBLED = {"&": "&&", "|": "||"}


def _expected(names: set[str]) -> str:
    """Say what could have stood here; the many ways to begin an expression are one phrase."""
    phrases: list[str] = []
    if names >= _OPERAND:
        phrases.append("an expression")
        names = names - _OPERAND - {"NOT", "MINUS", "_NL"}
    elif "NAME" in names and "IMPORT" in names:
        phrases.append("a statement such as `name = expression`")
        names = names & {"_NL"}
    phrases += [_WORDS[name] for name in _WORDS if name in names]
    return ", ".join(dict.fromkeys(phrases)) or "the end of the program"


def _unexpected(text: str, source: str, error: "lark.UnexpectedInput") -> InputError:
    if isinstance(error, lark.UnexpectedToken):
        seen = (
            "the end of the line" if error.token.type in ("_NL", "$END") else repr(str(error.token))
        )
        names = set(error.accepts or error.expected)
    else:
        assert isinstance(error, lark.UnexpectedCharacters)
        seen, names = repr(error.char), set(error.allowed or ())
    if seen == repr('"'):
        message = "the closing quote of this symbol is missing."
    elif seen.strip("'") in _DOUBLED:
        message = f"unexpected {seen}; did you mean '{_DOUBLED[seen.strip(chr(39))]}'?"
    else:
        message = f"unexpected {seen}; expected {_expected(names)}."
    return _located(text, source, error.line, error.column, message)


def _located(text: str, source: str, line: Any, column: Any, message: str) -> InputError:
    """Build the error with the offending line and a caret under the column."""
    lines = text.split("\n")
    row = min(max(int(line), 1), len(lines))
    content = lines[row - 1].rstrip("\r").replace("\t", " ")
    place = min(max(int(column), 1), len(content) + 1)
    start = max(0, place - 60)
    shown = content[start : start + 100]
    caret = " " * (place - 1 - start) + "^"
    text = f"{source}:{row}:{place}: {message}\n    {shown}\n    {caret}"
    return PlacedError(text, row, place)
