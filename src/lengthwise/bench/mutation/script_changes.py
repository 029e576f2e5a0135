"""All small faults of one JavaScript file, made on its tokens: no parser is needed for that."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lengthwise.bench.mutation.mutant import Mutant, unique

SWAPPED: dict[str, tuple[str, ...]] = {
    "===": ("!==",),
    "!==": ("===",),
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "&&": ("||",),
    "||": ("&&",),
    "&&=": ("||=",),
    "??": ("&&",),
    "+": ("-",),
    "-": ("+",),
    "*": ("+",),
    "/": ("*",),
    "%": ("*",),
    "+=": ("-=",),
    "-=": ("+=",),
    "true": ("false",),
    "false": ("true",),
    "min": ("max",),
    "max": ("min",),
    "every": ("some",),
    "some": ("every",),
    "includes": ("!",),
}
_TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<space>\s+)
  | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<number>\d[\d_]*(?:\.\d+)?n?)
  | (?P<word>[A-Za-z_$\#][\w$]*)
  | (?P<mark>===|!==|\*\*=|\?\?=|&&=|\|\|=|\.\.\.|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.|\+\+|--
           |[-+*/%]=|\*\*|[-+*/%<>=!?:;,.(){}\[\]&|^~])
    """,
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_VALUE = ("number", "word", "text", "regex", "template")
_BEFORE_VALUE = {"return", "typeof", "case", "in", "of", "new", "else", "do", "throw"}


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def script_mutants(file: str, source: str) -> list[Mutant]:
    """Return all mutants of a JavaScript source.

    Example:
        >>> [m.change for m in script_mutants("f.js", "a < 1n;")]
        ['a < -> a <=', 'a < -> a >=', 'a < 1n -> a < 0n', 'a < 1n -> a < 2n']
    """
    tokens = list(_tokens(source))
    found = [change for at in range(len(tokens)) for change in _changes(tokens, at, source)]
    lines = _Lines(source)
    return unique([lines.mutant(file, *change) for change in found])


def _tokens(source: str) -> Iterator[_Token]:
    """Yield the tokens; templates are one token each, and what they compute is left alone."""
    at, before = 0, _Token("mark", ";", 0)
    while at < len(source):
        if source[at] == "`":
            token = _Token("template", source[at : _template_end(source, at)], at)
        elif source[at] == "/" and not _ends_value(before) and (r := _REGEX.match(source, at)):
            token = _Token("regex", r[0], at)
        else:
            match = _TOKEN.match(source, at)
            if match is None or match.lastgroup is None:
                raise ValueError(f"no token at character {at}: {source[at : at + 20]!r}")
            token = _Token(match.lastgroup, match[0], at)
        at = token.end
        if token.kind not in ("comment", "space"):
            yield token
            before = token


def _ends_value(token: _Token) -> bool:
    """Say whether an operator may follow: then a slash divides and a minus has two sides."""
    if token.kind == "mark":
        return token.text in (")", "]", "}")
    return token.kind in _VALUE and token.text not in _BEFORE_VALUE


def _template_end(source: str, at: int) -> int:
    """Return where a template ends; what stands in ``${...}`` may hold templates."""
    at += 1
    while source[at] != "`":
        if source[at] == "\\":
            at += 2
        elif source.startswith("${", at):
            at = _hole_end(source, at + 2)
        else:
            at += 1
    return at + 1


def _hole_end(source: str, at: int) -> int:
    depth = 1
    while depth:
        if source[at] == "`":
            at = _template_end(source, at)
            continue
        depth += {"{": 1, "}": -1}.get(source[at], 0)
        at += 1
    return at


Change = tuple[int, int, str, str, str]
"""Start, end, replacement, and the change as people read it."""


def _changes(tokens: list[_Token], at: int, source: str) -> Iterator[Change]:
    token = tokens[at]
    before = tokens[at - 1] if at else _Token("mark", ";", 0)
    after = tokens[at + 1].text if at + 1 < len(tokens) else ""
    if token.text in ("if", "while", "insist") and after == "(" and before.text != "function":
        yield from _condition(tokens, at + 1, source, insisted=token.text == "insist")
    elif token.text == "?":
        yield from _choice(tokens, at, source)
    elif token.text == "!":
        yield token.start, token.end, "", "!", "nothing"
    elif token.kind == "number":
        yield from _number(token)
    elif token.text == "-" and not _ends_value(before):
        yield token.start, token.end, "", "unary -", "nothing"
    elif token.text == "includes" and before.text == ".":
        yield from _membership(tokens, at, source)
    elif token.text in SWAPPED and token.text != "includes" and _computes(token, before, after):
        for other in SWAPPED[token.text]:
            yield token.start, token.end, other, token.text, other


def _computes(token: _Token, before: _Token, after: str) -> bool:
    """Leave out names of fields that look like constants or functions."""
    if token.text in ("true", "false"):
        return after != ":"
    if token.text in ("min", "max", "every", "some"):
        return before.text == "."
    return token.kind == "mark" and _ends_value(before)


def _number(token: _Token) -> Iterator[Change]:
    text = token.text.replace("_", "")
    tail = "n" if text.endswith("n") else ""
    if text.rstrip("n").isdigit():
        for value in (int(text.rstrip("n")) - 1, int(text.rstrip("n")) + 1):
            shown = f"{value}{tail}"
            written = f"({shown})" if value < 0 else shown
            yield token.start, token.end, written, token.text, shown


def _condition(
    tokens: list[_Token], opening: int, source: str, *, insisted: bool
) -> Iterator[Change]:
    """Negate a condition; a guard that never refuses, or a branch that is never taken."""
    start = tokens[opening].end
    end = tokens[_close(tokens, opening, commas=insisted)].start
    text = source[start:end]
    yield start, end, f"!({text})", text, f"!({text})"
    constant = "true" if insisted else "false"
    if tokens[opening - 1].text != "while":
        yield start, end, f"({text}, {constant})" if insisted else constant, text, constant


def _close(tokens: list[_Token], opening: int, *, commas: bool) -> int:
    """Return the place of the bracket that closes, or of the first comma at its level."""
    depth = 0
    for at in range(opening, len(tokens)):
        if tokens[at].kind == "mark":
            depth += (tokens[at].text in "([{") - (tokens[at].text in ")]}")
            if depth == 0 or (commas and depth == 1 and tokens[at].text == ","):
                return at
    raise ValueError("a bracket is never closed")


def _choice(tokens: list[_Token], at: int, source: str) -> Iterator[Change]:
    """Negate the condition of ``c ? a : b``: it begins where something of lower rank ends."""
    depth, first = 0, at
    while first > 0:
        token = tokens[first - 1]
        if token.kind == "mark":
            depth += (token.text in ")]}") - (token.text in "([{")
            lower = token.text in ("=>", "=", ",", ";", ":", "?", "...", "+=", "&&=")
            if depth < 0 or (depth == 0 and lower):
                break
        elif depth == 0 and token.text == "return":
            break
        first -= 1
    start, end = tokens[first].start, tokens[at - 1].end
    text = source[start:end]
    yield start, end, f"!({text})", text, f"!({text})"


def _membership(tokens: list[_Token], at: int, source: str) -> Iterator[Change]:
    """Negate ``name.includes(x)``."""
    first = tokens[at - 2]
    end = tokens[_close(tokens, at + 1, commas=False)].end
    text = source[first.start : end]
    if first.kind == "word":
        yield first.start, end, f"!{text}", text, f"!{text}"


class _Lines:
    """Where a character stands: its line and the function around it."""

    def __init__(self, source: str) -> None:
        self.source = source
        named = re.compile(
            r"^(?:export )?(?:function|class) (\w+)|^  (\w+)\(.*\) \{$", re.MULTILINE
        )
        self.functions = [(m.start(), m[1], m[2]) for m in named.finditer(source)]

    def where(self, start: int) -> str:
        """Return the function or method around a character."""
        outer = inner = ""
        for place, function, method in self.functions:
            if place > start:
                break
            outer, inner = (function, "") if function else (outer, f".{method}")
        return outer + inner

    def mutant(
        self, file: str, start: int, end: int, replacement: str, before: str, after: str
    ) -> Mutant:
        """Return the mutant of one change."""
        line = self.source.count("\n", 0, start) + 1
        begin = self.source.rfind("\n", 0, start) + 1
        text = self.source[begin : self.source.find("\n", start)].strip()
        # two signs alike on one line are told apart by what stands before them
        near = self.source[max(begin, start - 12) : start].strip() if len(before) < 4 else ""
        before, after = (f"{near} {x}".strip() for x in (before, after))
        where = self.where(start)
        return Mutant(file, line, where, text, before, after, start, end, replacement)
