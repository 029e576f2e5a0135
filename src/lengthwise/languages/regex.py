r"""Regular expressions to automata.

One syntax, read by a parser of our own so that mistakes are reported with their column. Positions
of symbols become the states of a nondeterministic automaton without empty moves (Glushkov 1961),
then sets of them those of a deterministic one, up to a limit.

==============  =======================================================
``ab``          a then b; every other character below is special
``a|b``         union
``a*  a+  a?``  any number, one or more, at most one
``a{3}``        exactly three; ``a{2,5}`` two to five; ``a{2,}`` two or more
``(...)``       grouping, also ``(?:...)``; ``()`` is the empty word
``[ab]``        one of; ``[a-d]`` a range; ``[^ab]`` any symbol of the alphabet but these
``.``           any symbol of the alphabet
``^  $``        at the start and at the end: nothing, since the whole word is matched anyway
``\d``          a digit: those of a stated alphabet, else 0 to 9
``\w  \s``      a letter, digit or underscore; a space. They need a stated alphabet
``\D \W \S``    any symbol of a stated alphabet that is not one
``\*``          the character itself, for any character that is not a letter or a digit
==============  =======================================================

A letter of the alphabet is one printable character; a space must be escaped. What other dialects
have beyond this (lookaround, backreferences, lazy repetition, flags, other escapes) is refused by
name: nothing that means something elsewhere is read as a letter. In the dialect ``union_plus`` the
sign ``+`` means union, as in part of the literature.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from lengthwise.core.errors import InputError
from lengthwise.languages.dfa import DFA
from lengthwise.languages.glushkov import EMPTY, Join, Positions, Repeat, Symbols, Tree

SPECIAL = "|*+?{}()[].^$\\"
DIGITS = "0123456789"
CLASSES = {"d": "digits", "D": "all but digits", "w": "letters and digits", "W": "all but letters"}
CLASSES |= {"s": "spaces", "S": "all but spaces"}
"""Escapes that stand for classes of symbols, as in Python, with what they hold."""
MAX_POSITIONS = 20_000
MAX_NESTING = 150


def compile_regex(
    pattern: str,
    alphabet: Iterable[str] | None = None,
    *,
    union_plus: bool = False,
    max_states: int = 100_000,
    max_positions: int = MAX_POSITIONS,
) -> DFA:
    """Return the minimal complete automaton of a regular expression.

    Args:
        pattern: the expression, in the syntax of this module.
        alphabet: the symbols, in order; default: the symbols used, sorted.
        union_plus: read ``+`` as union instead of one-or-more.
        max_states: refuse when the subset construction needs more states.
        max_positions: refuse when repetitions, written out, need more symbols.

    Example:
        >>> compile_regex("(ab)*").accepts("abab")
        True
        >>> compile_regex("a+b", union_plus=True).accepts("b")
        True
    """
    symbols = _alphabet(pattern, alphabet)
    tree = _Parser(pattern, symbols, union_plus, max_positions).parse()
    return Positions(symbols).to_dfa(tree, max_states).minimise()


def symbols_used(pattern: str) -> list[str]:
    """Return the literal symbols of a pattern, sorted; ``symbols_used("(ab|b)*")`` is a, b."""
    return sorted({token.text for token in _tokens(pattern) if token.kind == "symbol"})


def _alphabet(pattern: str, alphabet: Iterable[str] | None) -> tuple[str, ...]:
    used = symbols_used(pattern)
    if alphabet is None:
        return _default_alphabet(pattern, used)
    symbols = tuple(alphabet)
    for symbol in symbols:
        if len(symbol) != 1:
            raise InputError(
                f"alphabet symbol {symbol!r}: regular expressions need single characters; "
                "describe this language as a JSON automaton instead."
            )
        if symbols.count(symbol) > 1:
            raise InputError(f"the alphabet names {symbol!r} twice.")
        if not symbol.isprintable():
            raise InputError(f"alphabet symbol {symbol!r}: a letter is a printable character.")
    missing = [symbol for symbol in used if symbol not in symbols]
    if missing:
        column = next(token.column for token in _tokens(pattern) if token.text == missing[0])
        raise InputError(
            f"regex {pattern!r}, column {column}: symbol {missing[0]!r} is not in the "
            f"alphabet {''.join(symbols)!r}."
        )
    return symbols


def _default_alphabet(pattern: str, used: list[str]) -> tuple[str, ...]:
    """The symbols that occur, and the ten digits if ``\\d`` does."""
    for kind, text, column in _tokens(pattern):
        if kind == "class" and text != "d":
            problem = f"\\{text} ({CLASSES[text]}) needs a stated alphabet (--alphabet)"
            raise _error(pattern, column, problem)
        if kind == "class":
            used = sorted({*used, *DIGITS})
    if not used:
        _Parser(pattern, ("a",), False).parse()  # a mistake in the pattern comes first
        raise InputError(f"regex {pattern!r} uses no symbol; name the alphabet.")
    return tuple(used)


class Token(NamedTuple):
    """A piece of a pattern: its kind, its text, and its column, counted from 1.

    Special characters are kinds of their own; the others are ``symbol``, ``class`` (``\\d``),
    ``repeat`` (``{2,5}``) and ``end``.
    """

    kind: str
    text: str
    column: int


def _tokens(pattern: str) -> list[Token]:
    """Split a pattern into tokens; ranges inside brackets are expanded, anchors left out."""
    tokens: list[Token] = []
    position, inside = 0, False
    while position < len(pattern):
        character, column = pattern[position], position + 1
        if character == "\\":
            tokens.append(_escape(pattern, position))
            position += 2
            continue
        if character.isspace():
            raise _error(pattern, column, "a space; write '\\ ' if the space is a symbol")
        if not character.isprintable():
            raise _error(pattern, column, f"{character!r} is no letter: letters are printable")
        if inside:
            if character == "-" and _is_range(pattern, position, tokens):
                tokens += _range(pattern, position, tokens[-1])
                position += 2
                continue
            if character == "[" and pattern[position + 1 : position + 2] == ":":
                raise _error(pattern, column, "classes such as [:alpha:] are not supported")
            kind = "]" if character == "]" else "symbol"
            if character == "^" and tokens[-1].kind == "[":
                kind = "^"
            inside = kind != "]"
        else:
            kind = character if character in SPECIAL else "symbol"
            inside = kind == "["
            if kind == "{":
                position = _quantifier(pattern, position, tokens)
                continue
            if kind == "(" and pattern[position + 1 : position + 2] == "?":
                position += _extension(pattern, position)
            if kind in ("^", "$"):
                _check_anchor(pattern, position)
                position += 1
                continue
        tokens.append(Token(kind, character, column))
        position += 1
    return tokens


def _escape(pattern: str, position: int) -> Token:
    """Read a backslash and what follows it: a class, the character itself, or a refusal."""
    column, text = position + 1, pattern[position + 1 : position + 2]
    if not text:
        raise _error(pattern, column, "a backslash ends the expression; write \\\\ for one")
    if text in CLASSES:
        return Token("class", text, column)
    if text.isascii() and text.isalnum():
        what = "backreference" if text.isdigit() else _ASSERTIONS.get(text, "escape")
        problem = f"the {what} \\{text} is not supported; for the letter itself write {text}"
        raise _error(pattern, column, problem)
    if not text.isprintable():
        raise _error(pattern, column, f"{text!r} is no letter: letters are printable")
    return Token("symbol", text, column)


_ASSERTIONS = {"b": "word boundary", "B": "word boundary", "A": "anchor", "Z": "anchor"}
_EXTENSIONS = {
    "?=": "lookahead",
    "?!": "lookahead",
    "?<=": "lookbehind",
    "?<!": "lookbehind",
    "?P=": "a backreference",
    "?P<": "a named group",
    "?<": "a named group",
    "?>": "an atomic group",
    "?(": "a conditional group",
    "?#": "a comment",
}


def _extension(pattern: str, position: int) -> int:
    """Return how many characters behind '(' belong to it: two for ``(?:``; else refuse."""
    rest = pattern[position + 1 :]
    if rest.startswith("?:"):
        return 2
    what = next((name for sign, name in _EXTENSIONS.items() if rest.startswith(sign)), "a flag")
    raise _error(pattern, position + 1, f"{what} is not supported; groups are (...) and (?:...)")


def _check_anchor(pattern: str, position: int) -> None:
    """Let '^' begin and '$' end an expression; elsewhere neither means anything here."""
    sign = pattern[position]
    place, word = (0, "start") if sign == "^" else (len(pattern) - 1, "end")
    if position != place:
        problem = f"{sign!r} is an anchor and belongs at the {word}; write \\{sign} for the letter"
        raise _error(pattern, position + 1, problem)


def _is_range(pattern: str, position: int, tokens: list[Token]) -> bool:
    """Whether a '-' inside brackets makes a range; first and last it is a letter."""
    first = tokens[-1].kind in ("[", "^")
    return not first and pattern[position + 1 : position + 2] not in ("", "]")


def _range(pattern: str, position: int, before: Token) -> list[Token]:
    """Expand ``a-d`` behind its first symbol; a '-' that other dialects read otherwise is refused.

    The last symbol of a range has the column of its '-', which tells ``[a-c-e]`` from ``[c-e]``.
    """
    last = pattern[position + 1]
    if before.kind != "symbol" or last == "\\" or pattern[before.column - 1] == "-" != before.text:
        raise _error(pattern, position + 1, "'-' joins two letters; write \\- for the letter")
    if last < before.text:
        raise _error(pattern, position, f"range {before.text}-{last} runs backwards")
    codes = range(ord(before.text) + 1, ord(last) + 1)
    return [Token("symbol", chr(code), position + 1) for code in codes]


def _quantifier(pattern: str, position: int, tokens: list[Token]) -> int:
    end = pattern.find("}", position)
    body = pattern[position + 1 : end] if end >= 0 else ""
    low, comma, high = body.partition(",")
    if not low.isdecimal() or not (high.isdecimal() or high == ""):
        message = "a repetition is written {3}, {2,5} or {2,}; write \\{ for the symbol {"
        raise _error(pattern, position + 1, message)
    if high and int(high) < int(low):
        raise _error(pattern, position + 1, f"repetition {{{body}}} counts down")
    tokens.append(Token("repeat", body if comma else f"{low},{low}", position + 1))
    return end + 1


class _Parser:
    """Recursive descent; every method returns a tree and its number of positions."""

    def __init__(
        self,
        pattern: str,
        symbols: tuple[str, ...],
        union_plus: bool,
        max_positions: int = MAX_POSITIONS,
    ) -> None:
        self.max_positions = max_positions
        self.pattern = pattern
        self.tokens = [*_tokens(pattern), Token("end", "", len(pattern) + 1)]
        self.anchored = pattern.startswith("^") or _ends_in_anchor(pattern)
        self.letters = symbols
        self.union = {"|", "+"} if union_plus else {"|"}
        self.postfix = {"*", "?", "repeat"} if union_plus else {"*", "+", "?", "repeat"}
        self.at = 0
        self.nesting = 0

    def parse(self) -> Tree:
        if self.kind == "end":
            if self.anchored:
                return EMPTY
            self.fail("the expression is empty; write () for the empty word")
        tree, _ = self.alternatives()
        if self.kind != "end":
            self.fail("this ')' closes nothing" if self.kind == ")" else "unexpected symbol")
        return tree

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0]

    def take(self) -> Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def fail(self, problem: str) -> None:
        raise _error(self.pattern, self.tokens[self.at][2], problem)

    def alternatives(self) -> tuple[Tree, int]:
        parts = [self.sequence()]
        while self.kind in self.union:
            if self.anchored and self.nesting == 0:
                self.fail("an anchor binds to one alternative only; write ^(a|b)$ for both")
            self.take()
            parts.append(self.sequence())
        size = sum(size for _, size in parts)
        tree = parts[0][0] if len(parts) == 1 else Join("|", tuple(part for part, _ in parts))
        return tree, self.limited(size)

    def sequence(self) -> tuple[Tree, int]:
        parts: list[tuple[Tree, int]] = []
        while self.kind not in self.union and self.kind not in (")", "end"):
            parts.append(self.repeated())
        if not parts:
            self.fail("nothing here; write () for the empty word")
        size = sum(size for _, size in parts)
        tree = parts[0][0] if len(parts) == 1 else Join(".", tuple(part for part, _ in parts))
        return tree, self.limited(size)

    def repeated(self) -> tuple[Tree, int]:
        tree, size = self.atom()
        repeated = False
        while self.kind in self.postfix:
            if repeated and self.kind in ("?", "+"):
                self.fail(f"{_LAZY[self.kind]} repetition is not supported; to repeat twice use ()")
            repeated = True
            kind, body, _ = self.take()
            low, _, high = _SIGNS.get(kind, body).partition(",")
            tree = Repeat(tree, int(low), int(high) if high else None)
            size = self.limited(size * max(1, int(low), int(high or 1)))
        return tree, size

    def atom(self) -> tuple[Tree, int]:
        kind, text, _ = self.tokens[self.at]
        if kind == "symbol":
            self.take()
            return Symbols((text,)), 1
        if kind == ".":
            self.take()
            return Symbols(self.letters), 1
        if kind == "class":
            column = self.take().column
            return self.some_of(self.members(text), column)
        if kind == "[":
            return self.character_class()
        if kind == "(":
            return self.group()
        if kind in ("]", "}"):
            self.fail(f"this {text!r} closes nothing; write \\{text} for the letter")
        if kind == "repeat":
            text = "{" + text + "}"
        self.fail(f"{text!r} has nothing before it to repeat" if kind != "end" else "cut short")
        raise AssertionError

    def group(self) -> tuple[Tree, int]:
        opened = self.take()[2]
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise _error(self.pattern, opened, f"more than {MAX_NESTING} nested parentheses")
        if self.kind == ")":
            self.take()
            self.nesting -= 1
            return EMPTY, 1
        tree, size = self.alternatives()
        if self.kind != ")":
            raise _error(self.pattern, opened, "this '(' is never closed")
        self.take()
        self.nesting -= 1
        return tree, size

    def character_class(self) -> tuple[Tree, int]:
        opened = self.take()[2]
        negated = self.kind == "^"
        if negated:
            self.take()
        members: list[str] = []
        while self.kind != "]":
            if self.kind == "end":
                raise _error(self.pattern, opened, "this '[' is never closed")
            kind, text, _ = self.take()
            members += self.members(text) if kind == "class" else [text]
        self.take()
        return self.some_of([s for s in self.letters if (s in members) != negated], opened)

    def members(self, name: str) -> list[str]:
        """Return the symbols of the alphabet in a class such as ``\\d``, by Python's own rule."""
        return [symbol for symbol in self.letters if re.fullmatch(f"\\{name}", symbol)]

    def some_of(self, symbols: list[str], column: int) -> tuple[Tree, int]:
        if not symbols:
            raise _error(self.pattern, column, "this class matches no symbol of the alphabet")
        return Symbols(tuple(symbols)), 1

    def limited(self, size: int) -> int:
        if size > self.max_positions:
            self.fail(f"the expression stands for more than {self.max_positions:,} symbols")
        return size


_SIGNS = {"*": "0,", "+": "1,", "?": "0,1"}
_LAZY = {"?": "a lazy (non-greedy)", "+": "a possessive"}


def _ends_in_anchor(pattern: str) -> bool:
    """Whether a '$' at the end is not escaped."""
    before = pattern.removesuffix("$")
    return before != pattern and (len(before) - len(before.rstrip("\\"))) % 2 == 0


def _error(pattern: str, column: int, problem: str) -> InputError:
    return InputError(f"regex {pattern!r}, column {column}: {problem}.")
