r"""Regular expressions to automata.

One syntax, read by a parser of our own so that mistakes are reported with their column; the
construction of the nondeterministic automaton is automata-lib's, the subset construction is ours
because it must stop at a limit.

==============  =======================================================
``ab``          a then b; every other character below is special
``a|b``         union
``a*  a+  a?``  any number, one or more, at most one
``a{3}``        exactly three; ``a{2,5}`` two to five; ``a{2,}`` two or more
``(...)``       grouping; ``()`` is the empty word
``[ab]``        one of; ``[a-d]`` a range; ``[^ab]`` any symbol of the alphabet but these
``.``           any symbol of the alphabet
``\*``          the character itself, for any special character or space
==============  =======================================================

In the dialect ``union_plus`` the sign ``+`` means union, as in part of the literature.
"""

from collections.abc import Iterable

from lengthwise.core.errors import InputError
from lengthwise.languages.dfa import DFA, determinise

SPECIAL = "|*+?{}()[].\\"
MAX_POSITIONS = 20_000
MAX_NESTING = 150
_FIRST_LETTER = 0x4E00  # stand-ins for symbols that no regular-expression syntax treats specially


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
    parser = _Parser(pattern, symbols, union_plus, max_positions)
    rendered = parser.parse()
    return _to_dfa(rendered, symbols, max_states).minimise()


def symbols_used(pattern: str) -> list[str]:
    """Return the literal symbols of a pattern, sorted; ``symbols_used("(ab|b)*")`` is a, b."""
    return sorted({text for kind, text, _ in _tokens(pattern) if kind == "symbol"})


def _alphabet(pattern: str, alphabet: Iterable[str] | None) -> tuple[str, ...]:
    used = symbols_used(pattern)
    if alphabet is None:
        if not used:
            _Parser(pattern, ("a",), False).parse()  # a mistake in the pattern comes first
            raise InputError(f"regex {pattern!r} uses no symbol; name the alphabet.")
        return tuple(used)
    symbols = tuple(alphabet)
    for symbol in symbols:
        if len(symbol) != 1:
            raise InputError(
                f"alphabet symbol {symbol!r}: regular expressions need single characters; "
                "describe this language as a JSON automaton instead."
            )
        if symbols.count(symbol) > 1:
            raise InputError(f"the alphabet names {symbol!r} twice.")
    missing = [symbol for symbol in used if symbol not in symbols]
    if missing:
        column = next(at for kind, text, at in _tokens(pattern) if text == missing[0])
        raise InputError(
            f"regex {pattern!r}, column {column}: symbol {missing[0]!r} is not in the alphabet "
            f"{''.join(symbols)!r}."
        )
    return symbols


def _tokens(pattern: str) -> list[tuple[str, str, int]]:
    """Split a pattern into (kind, text, column); columns count from 1; classes are expanded."""
    tokens: list[tuple[str, str, int]] = []
    position, inside = 0, False
    while position < len(pattern):
        character, column = pattern[position], position + 1
        if character == "\\":
            if position + 1 == len(pattern):
                raise _error(pattern, column, "a backslash ends the expression; write \\\\ for one")
            tokens.append(("symbol", pattern[position + 1], column))
            position += 2
            continue
        if character.isspace():
            raise _error(pattern, column, "a space; write '\\ ' if the space is a symbol")
        if inside:
            if character == "-" and _is_range(pattern, position, tokens):
                tokens += _range(pattern, position, tokens[-1][1])
                position += 2
                continue
            kind = "]" if character == "]" else "symbol"
            if character == "^" and tokens[-1][0] == "[":
                kind = "^"
            inside = kind != "]"
        else:
            kind = character if character in SPECIAL else "symbol"
            inside = kind == "["
            if kind == "{":
                position = _quantifier(pattern, position, tokens)
                continue
        tokens.append((kind, character, column))
        position += 1
    return tokens


def _is_range(pattern: str, position: int, tokens: list[tuple[str, str, int]]) -> bool:
    following = pattern[position + 1 : position + 2]
    return tokens[-1][0] == "symbol" and following not in ("", "]", "\\")


def _range(pattern: str, position: int, first: str) -> list[tuple[str, str, int]]:
    last = pattern[position + 1]
    if last < first:
        raise _error(pattern, position, f"range {first}-{last} runs backwards")
    return [("symbol", chr(code), position) for code in range(ord(first) + 1, ord(last) + 1)]


def _quantifier(pattern: str, position: int, tokens: list[tuple[str, str, int]]) -> int:
    end = pattern.find("}", position)
    body = pattern[position + 1 : end] if end >= 0 else ""
    low, comma, high = body.partition(",")
    if not low.isdecimal() or not (high.isdecimal() or high == ""):
        message = "a repetition is written {3}, {2,5} or {2,}; write \\{ for the symbol {"
        raise _error(pattern, position + 1, message)
    if high and int(high) < int(low):
        raise _error(pattern, position + 1, f"repetition {{{body}}} counts down")
    tokens.append(("repeat", body if comma else f"{low},{low}", position + 1))
    return end + 1


class _Parser:
    """Recursive descent; every method returns automata-lib text and its number of positions."""

    def __init__(
        self,
        pattern: str,
        symbols: tuple[str, ...],
        union_plus: bool,
        max_positions: int = MAX_POSITIONS,
    ) -> None:
        self.max_positions = max_positions
        self.pattern = pattern
        self.tokens = [*_tokens(pattern), ("end", "", len(pattern) + 1)]
        self.letters = {symbol: chr(_FIRST_LETTER + i) for i, symbol in enumerate(symbols)}
        self.union = {"|", "+"} if union_plus else {"|"}
        self.postfix = {"*", "?", "repeat"} if union_plus else {"*", "+", "?", "repeat"}
        self.at = 0
        self.nesting = 0

    def parse(self) -> str:
        if self.kind == "end":
            self.fail("the expression is empty; write () for the empty word")
        text, _ = self.alternatives()
        if self.kind != "end":
            self.fail("this ')' closes nothing" if self.kind == ")" else "unexpected symbol")
        return text

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0]

    def take(self) -> tuple[str, str, int]:
        self.at += 1
        return self.tokens[self.at - 1]

    def fail(self, problem: str) -> None:
        raise _error(self.pattern, self.tokens[self.at][2], problem)

    def alternatives(self) -> tuple[str, int]:
        parts = [self.sequence()]
        while self.kind in self.union:
            self.take()
            parts.append(self.sequence())
        size = sum(size for _, size in parts)
        return "|".join(text for text, _ in parts), self.limited(size)

    def sequence(self) -> tuple[str, int]:
        parts: list[tuple[str, int]] = []
        while self.kind not in self.union and self.kind not in (")", "end"):
            parts.append(self.repeated())
        if not parts:
            self.fail("nothing here; write () for the empty word")
        size = sum(size for _, size in parts)
        return "".join(text for text, _ in parts), self.limited(size)

    def repeated(self) -> tuple[str, int]:
        text, size = self.atom()
        while self.kind in self.postfix:
            kind, body, _ = self.take()
            sign = kind if kind != "repeat" else "{" + body + "}"
            text = f"({text}{sign})"
            if kind == "repeat":
                size *= max(1, *(int(part) for part in body.split(",") if part))
                most = body.rpartition(",")[2]
                if most and int(most) == 0:
                    text = "()"  # the library behind reads {0} as {0,1}
            self.limited(size)
        return text, size

    def atom(self) -> tuple[str, int]:
        kind, text, _ = self.tokens[self.at]
        if kind == "symbol":
            self.take()
            return self.letters[text], 1
        if kind == ".":
            self.take()
            return self.one_of(list(self.letters))
        if kind == "[":
            return self.character_class()
        if kind == "(":
            return self.group()
        if kind == "repeat":
            text = "{" + text + "}"
        self.fail(f"{text!r} has nothing before it to repeat" if kind != "end" else "cut short")
        raise AssertionError

    def group(self) -> tuple[str, int]:
        opened = self.take()[2]
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise _error(self.pattern, opened, f"more than {MAX_NESTING} nested parentheses")
        if self.kind == ")":
            self.take()
            self.nesting -= 1
            return "()", 1
        text, size = self.alternatives()
        if self.kind != ")":
            raise _error(self.pattern, opened, "this '(' is never closed")
        self.take()
        self.nesting -= 1
        return f"({text})", size

    def character_class(self) -> tuple[str, int]:
        opened = self.take()[2]
        negated = self.kind == "^"
        if negated:
            self.take()
        members: list[str] = []
        while self.kind != "]":
            if self.kind == "end":
                raise _error(self.pattern, opened, "this '[' is never closed")
            members.append(self.take()[1])
        self.take()
        chosen = [s for s in self.letters if (s in members) != negated]
        if not chosen:
            raise _error(self.pattern, opened, "this class matches no symbol of the alphabet")
        return self.one_of(chosen)

    def one_of(self, symbols: list[str]) -> tuple[str, int]:
        return "(" + "|".join(self.letters[symbol] for symbol in symbols) + ")", len(symbols)

    def limited(self, size: int) -> int:
        if size > self.max_positions:
            self.fail(f"the expression stands for more than {self.max_positions:,} symbols")
        return size


def _error(pattern: str, column: int, problem: str) -> InputError:
    return InputError(f"regex {pattern!r}, column {column}: {problem}.")


def _to_dfa(rendered: str, symbols: tuple[str, ...], max_states: int) -> DFA:
    """Build automata-lib's automaton with empty moves, then determinise within the limit."""
    from automata.fa.nfa import NFA

    letters = [chr(_FIRST_LETTER + number) for number in range(len(symbols))]
    nfa = NFA.from_regex(rendered, input_symbols=set(letters))
    numbers = {state: number for number, state in enumerate(nfa.states)}
    closure = _closures(nfa, numbers)
    moves = [[0] * len(numbers) for _ in letters]
    for state, row in nfa.transitions.items():
        for symbol, letter in enumerate(letters):
            for target in row.get(letter, ()):
                moves[symbol][numbers[state]] |= closure[numbers[target]]
    start = closure[numbers[nfa.initial_state]]
    table, masks = determinise(start, moves, max_states)
    final = sum(1 << numbers[state] for state in nfa.final_states)
    return DFA(symbols, table, 0, [bool(mask & final) for mask in masks])


def _closures(nfa: object, numbers: dict[object, int]) -> list[int]:
    """Return, per state, the bit mask of states reachable by empty moves."""
    empty: dict[int, list[int]] = {
        numbers[state]: [numbers[target] for target in row.get("", ())]
        for state, row in nfa.transitions.items()  # type: ignore[attr-defined]
    }
    masks: list[int] = []
    for state in range(len(numbers)):
        mask, stack = 1 << state, [state]
        while stack:
            for target in empty.get(stack.pop(), ()):
                if not mask >> target & 1:
                    mask |= 1 << target
                    stack.append(target)
        masks.append(mask)
    return masks
