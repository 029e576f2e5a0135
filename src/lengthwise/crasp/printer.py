"""From trees back to text: the `.cr` format (which the parser reads back) and LaTeX."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import (
    Add,
    And,
    Compare,
    Constant,
    Expression,
    LocalCount,
    Maximum,
    Minimum,
    Not,
    Number,
    Or,
    PrefixCount,
    Residue,
    Scale,
    Subtract,
    Symbol,
    UnknownNodeError,
    Where,
)

# How tightly each kind of text binds; operands that bind looser are put in brackets.
COND, OR, AND, CMP, SUM, PRODUCT, PREFIX, ATOM = range(8)

Piece = tuple[str, int]


LONGEST = 2_000
"""Expressions with more operations than this, written out, are split by helper definitions."""


def show(node: Expression, names: Mapping[Expression, str] | None = None) -> str:
    """Return one expression as text; nodes in ``names`` are written by their name.

    Parts too long to be read are elided as ``...``.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> show((count(Q["a"]) - 2 * count(Q["b"]) >= 3) | ~Q["c"])
        '#"a" - 2 * #"b" >= 3 || !"c"'
    """
    known = dict(names or {})
    for large in _too_long(node, known):
        known[large] = "..."
    return known[node] if known.get(node) == "..." else _render(node, known, _TEXT)


def to_text(program: Program) -> str:
    """Return the program in the `.cr` format; reading it back gives an equal program.

    Only expressions of more than ``LONGEST`` operations come back differently: they are split by
    helper definitions ``_1``, ``_2``, ..., which keeps the text linear in the program's size.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> print(to_text(Program({"D": count(Q["a"]) > 0}, alphabet="ab")), end="")
        alphabet "a" "b"
        D = #"a" > 0
    """
    lines: list[str] = []
    if program.alphabet is not None:
        lines.append(" ".join(["alphabet", *(f'"{letter}"' for letter in program.alphabet)]))
    if program.empty is not None:
        lines.append("empty accept" if program.empty else "empty reject")
    rows = _rows(program, _TEXT, str, 'next "{}"'.format)
    return "\n".join([*lines, *(f"{label} = {text}" for label, text in rows)]) + "\n"


def _rows(
    program: Program,
    notation: "_Notation",
    named: Callable[[str], str],
    output: Callable[[str], str],
) -> Iterator[tuple[str, str]]:
    """Yield every line of a program as (label, expression), helper definitions included."""
    names = _Names(name for name, _ in program.definitions)
    for name, node in program.definitions:
        for helper in _too_long(node, names.of):
            label = named(names.fresh())
            yield label, _render(helper, names.of, notation)
            names.bind(label, helper)
        yield named(name), _render(node, names.of, notation)
        names.bind(named(name), node)
    for letter, node in program.next.items():
        for helper in _too_long(node, names.of):
            label = named(names.fresh())
            yield label, _render(helper, names.of, notation)
            names.bind(label, helper)
        yield output(letter), _render(node, names.of, notation)


class _Names:
    """Which node each name means at the present line."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.of: dict[Expression, str] = {}
        self._node: dict[str, Expression] = {}
        self._taken = set(taken)
        self._helpers = 0

    def bind(self, name: str, node: Expression) -> None:
        """A name that is defined again no longer means its old node."""
        old = self._node.get(name)
        if old is not None and self.of.get(old) == name:
            del self.of[old]
        self._node[name] = node
        if not isinstance(node, Symbol | Constant | Number):
            self.of.setdefault(node, name)

    def fresh(self) -> str:
        while True:
            self._helpers += 1
            if f"_{self._helpers}" not in self._taken:
                return f"_{self._helpers}"


def _too_long(root: Expression, names: Mapping[Expression, str]) -> list[Expression]:
    """Return parts of ``root``, inner ones first, whose naming keeps every text short."""
    sizes: dict[Expression, int] = {}
    large: list[Expression] = []
    for node in _unnamed(root, names):
        size = 1 + sum(sizes.get(arg, 1) for arg in node.args)
        if size > LONGEST:
            large.append(node)
            size = 1
        sizes[node] = size
    return large[:-1] if large and large[-1] is root else large


def _unnamed(root: Expression, names: Mapping[Expression, str]) -> Iterator[Expression]:
    """Yield the nodes that are written out below ``root``, operands first, each once."""
    done: set[Expression] = set()
    pending = [root]
    while pending:
        node = pending[-1]
        missing = [] if node in done else [a for a in node.args if a not in done and a not in names]
        if missing:
            pending.extend(missing)
            continue
        pending.pop()
        if node not in done and (node not in names or node is root):
            done.add(node)
            yield node


@dataclass(frozen=True)
class _Notation:
    """The words of one output language; the layout of expressions is shared."""

    symbol: str
    true: str
    false: str
    position: str
    negation: str
    conjunction: str
    disjunction: str
    comparisons: Mapping[str, str]
    times: str
    function: str
    latex: bool


_TEXT = _Notation(
    '"{}"', "true", "false", "pos % {} == {}", "!", " && ", " || ", {}, " * ", "{}", latex=False
)
_LATEX = _Notation(
    r"Q_{{\texttt{{{}}}}}",
    r"\top",
    r"\bot",
    r"i \equiv {1} \pmod{{{0}}}",
    r"\lnot ",
    r" \land ",
    r" \lor ",
    {"<=": r"\le", ">=": r"\ge", "==": "=", "!=": r"\ne"},
    r" \cdot ",
    r"\{}",
    latex=True,
)


def to_latex(program: Program) -> str:
    """Return the program as a LaTeX ``align*`` block in the papers' notation."""
    rows = _rows(
        program,
        _LATEX,
        lambda name: rf"\mathit{{{_escape(name)}}}",
        lambda letter: rf"\mathrm{{NEXT}}_{{\texttt{{{_escape(letter)}}}}}",
    )
    body = " \\\\\n".join(f"{label} &:= {text}" for label, text in rows)
    return "\\begin{align*}\n" + body + "\n\\end{align*}\n"


def _escape(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    special |= {letter: "\\" + letter for letter in "&%$#_{}"}
    return "".join(special.get(letter, letter) for letter in text)


def _render(root: Expression, names: Mapping[Expression, str], notation: _Notation) -> str:
    if root in names:
        return names[root]
    pieces: dict[Expression, Piece] = {}
    for node in _unnamed(root, names):
        args = [(names[a], ATOM) if a in names else pieces[a] for a in node.args]
        pieces[node] = _piece(node, args, notation)
    return pieces[root][0]


def _bracket(piece: Piece, level: int, notation: _Notation) -> str:
    text, tightness = piece
    if tightness >= level:
        return text
    return rf"\left({text}\right)" if notation.latex else f"({text})"


def _piece(node: Expression, args: Sequence[Piece], words: _Notation) -> Piece:
    match node:
        case Symbol(name):
            return words.symbol.format(_escape(name) if words.latex else name), ATOM
        case Constant(value):
            return (words.true if value else words.false), ATOM
        case Residue(modulus, residue):
            return words.position.format(modulus, residue), CMP
        case Number(value):
            return str(value), (ATOM if value >= 0 else SUM)
        case Not():
            return words.negation + _bracket(args[0], PREFIX, words), PREFIX
        case And():
            return _binary(args, AND, words.conjunction, words), AND
        case Or():
            return _binary(args, OR, words.disjunction, words), OR
        case Compare(sign):
            left, right = (_bracket(arg, SUM, words) for arg in args)
            return f"{left} {words.comparisons.get(sign, sign)} {right}", CMP
        case PrefixCount():
            body = _bracket(args[0], PREFIX, words)
            return (rf"\#\left[j \le i\right] {body}" if words.latex else f"#{body}"), PREFIX
        case LocalCount(distances):
            window = _latex_window(distances) if words.latex else f"#[{window_text(distances)}]"
            return f"{window} {_bracket(args[0], PREFIX, words)}", PREFIX
        case _:
            return _arithmetic(node, args, words)


def _binary(args: Sequence[Piece], level: int, sign: str, words: _Notation) -> str:
    """Left-associative: the right operand needs to bind tighter."""
    return _bracket(args[0], level, words) + sign + _bracket(args[1], level + 1, words)


def _arithmetic(node: Expression, args: Sequence[Piece], words: _Notation) -> Piece:
    match node:
        case Add():
            return _binary(args, SUM, " + ", words), SUM
        case Subtract():
            return _binary(args, SUM, " - ", words), SUM
        case Scale(factor):
            text = f"{factor}{words.times}{_bracket(args[0], PREFIX, words)}"
            return text, (PRODUCT if factor >= 0 else SUM)
        case Minimum() | Maximum():
            name = "min" if isinstance(node, Minimum) else "max"
            return f"{words.function.format(name)}({args[0][0]}, {args[1][0]})", ATOM
        case Where():
            condition, then, otherwise = args
            if words.latex:
                return rf"\left({condition[0]} \;?\; {then[0]} : {otherwise[0]}\right)", ATOM
            head = f"{_bracket(then, OR, words)} if {_bracket(condition, OR, words)}"
            return f"{head} else {_bracket(otherwise, COND, words)}", COND
        case _:
            raise UnknownNodeError(node)


def _latex_window(distances: Sequence[int]) -> str:
    listed = ", ".join(map(str, distances))
    relation = f"j = i - {listed}" if len(distances) == 1 else rf"i - j \in \{{{listed}\}}"
    return rf"\#\left[{relation}\right]"


def window_text(distances: Sequence[int]) -> str:
    """Return a set of distances as the text inside ``#[...]``.

    Example:
        >>> window_text((0, 1, 2, 5))
        'i-5, i-2..i'
    """
    runs: list[tuple[int, int]] = []
    for distance in sorted(distances, reverse=True):
        if runs and runs[-1][1] == distance + 1:
            runs[-1] = runs[-1][0], distance
        else:
            runs.append((distance, distance))
    return ", ".join(
        _place(far) if far == near else f"{_place(far)}..{_place(near)}" for far, near in runs
    )


def _place(distance: int) -> str:
    return f"i-{distance}" if distance else "i"


# Expressions and programs are shown as text. The two methods are set here and not in the classes,
# because printing reads the syntax and the syntax knows nothing of printing.
Expression.__repr__ = lambda self: show(self)
Program.__str__ = lambda self: to_text(self)
