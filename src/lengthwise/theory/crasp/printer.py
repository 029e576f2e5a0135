"""From trees back to text: the `.cr` format (which the parser reads back) and LaTeX."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lengthwise.theory.crasp.program import Program
from lengthwise.theory.crasp.syntax import Expression, postorder

# How tightly each kind of text binds; operands that bind looser are put in brackets.
COND, OR, AND, CMP, SUM, PRODUCT, PREFIX, ATOM = range(8)

Piece = tuple[str, int]


def show(node: Expression, names: Mapping[Expression, str] | None = None) -> str:
    """Return one expression as text; nodes in ``names`` are written by their name.

    Example:
        >>> from lengthwise.theory.crasp.embedding import Q, count
        >>> show((count(Q["a"]) - 2 * count(Q["b"]) >= 3) | ~Q["c"])
        '#"a" - 2 * #"b" >= 3 || !"c"'
    """
    return _render(node, names or {}, _TEXT)


def to_text(program: Program) -> str:
    """Return the program in the `.cr` format; reading it back gives an equal program.

    Example:
        >>> from lengthwise.theory.crasp.embedding import Q, count
        >>> print(to_text(Program({"D": count(Q["a"]) > 0}, alphabet="ab")), end="")
        alphabet "a" "b"
        D = #"a" > 0
    """
    lines: list[str] = []
    if program.alphabet is not None:
        lines.append(" ".join(["alphabet", *(f'"{letter}"' for letter in program.alphabet)]))
    if program.empty is not None:
        lines.append("empty accept" if program.empty else "empty reject")
    names: dict[Expression, str] = {}
    for name, node in program.definitions:
        lines.append(f"{name} = {_render(node, names, _TEXT)}")
        _define(names, name, node)
    for letter, node in program.next.items():
        lines.append(f'next "{letter}" = {_render(node, names, _TEXT)}')
    return "\n".join(lines) + "\n"


def _define(names: dict[Expression, str], name: str, node: Expression) -> None:
    """Bind ``name`` to ``node``; a name that is defined again no longer means its old node."""
    for old in [key for key, value in names.items() if value == name]:
        del names[old]
    if node.op not in ("symbol", "constant", "number") and node not in names:
        names[node] = name


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
    latex: bool


_TEXT = _Notation(
    '"{}"', "true", "false", "pos % {} == {}", "!", " && ", " || ", {}, " * ", latex=False
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
    latex=True,
)


def to_latex(program: Program) -> str:
    """Return the program as a LaTeX ``align*`` block in the papers' notation."""
    names: dict[Expression, str] = {}
    rows: list[str] = []
    for name, node in program.definitions:
        label = rf"\mathit{{{_escape(name)}}}"
        rows.append(rf"{label} &:= {_render(node, names, _LATEX)}")
        _define(names, label, node)
    for letter, node in program.next.items():
        label = rf"\mathrm{{NEXT}}_{{\texttt{{{_escape(letter)}}}}}"
        rows.append(rf"{label} &:= {_render(node, names, _LATEX)}")
    return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}\n"


def _escape(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    special |= {letter: "\\" + letter for letter in "&%$#_{}"}
    return "".join(special.get(letter, letter) for letter in text)


def _render(root: Expression, names: Mapping[Expression, str], notation: _Notation) -> str:
    pieces: dict[Expression, Piece] = {}
    pending = [root]
    while pending:
        node = pending[-1]
        if node in pieces:
            pending.pop()
        elif node in names:
            pieces[node] = names[node], ATOM
        else:
            missing = [arg for arg in node.args if arg not in pieces]
            if missing:
                pending.extend(missing)
            else:
                pieces[node] = _piece(node, [pieces[arg] for arg in node.args], notation)
    return pieces[root][0]


def _bracket(piece: Piece, level: int, notation: _Notation) -> str:
    text, tightness = piece
    if tightness >= level:
        return text
    return rf"\left({text}\right)" if notation.latex else f"({text})"


def _piece(node: Expression, args: Sequence[Piece], words: _Notation) -> Piece:
    match node.op:
        case "symbol":
            return words.symbol.format(_escape(node.value) if words.latex else node.value), ATOM
        case "constant":
            return (words.true if node.value else words.false), ATOM
        case "position":
            return words.position.format(*node.value), CMP
        case "number":
            return str(node.value), (ATOM if node.value >= 0 else SUM)
        case "not":
            return words.negation + _bracket(args[0], PREFIX, words), PREFIX
        case "and":
            return _binary(args, AND, words.conjunction, words), AND
        case "or":
            return _binary(args, OR, words.disjunction, words), OR
        case "compare":
            sign = words.comparisons.get(node.value, node.value)
            left, right = (_bracket(arg, SUM, words) for arg in args)
            return f"{left} {sign} {right}", CMP
        case "count":
            return _count(node, args[0], words), PREFIX
        case _:
            return _arithmetic(node, args, words)


def _binary(args: Sequence[Piece], level: int, sign: str, words: _Notation) -> str:
    """Left-associative: the right operand needs to bind tighter."""
    return _bracket(args[0], level, words) + sign + _bracket(args[1], level + 1, words)


def _arithmetic(node: Expression, args: Sequence[Piece], words: _Notation) -> Piece:
    match node.op:
        case "add":
            return _binary(args, SUM, " + ", words), SUM
        case "subtract":
            return _binary(args, SUM, " - ", words), SUM
        case "scale":
            text = f"{node.value}{words.times}{_bracket(args[0], PREFIX, words)}"
            return text, (PRODUCT if node.value >= 0 else SUM)
        case "min" | "max":
            name = rf"\{node.op}" if words.latex else node.op
            return f"{name}({args[0][0]}, {args[1][0]})", ATOM
        case _:
            condition, then, otherwise = args
            if words.latex:
                return rf"\left({condition[0]} \;?\; {then[0]} : {otherwise[0]}\right)", ATOM
            head = f"{_bracket(then, OR, words)} if {_bracket(condition, OR, words)}"
            return f"{head} else {_bracket(otherwise, COND, words)}", COND


def _count(node: Expression, operand: Piece, words: _Notation) -> str:
    body = _bracket(operand, PREFIX, words)
    if words.latex:
        return _latex_count(node, body)
    if node.value is None:
        return f"#{body}"
    return f"#[{window_text(node.value)}] {body}"


def _latex_count(node: Expression, body: str) -> str:
    if node.value is None:
        return rf"\#\left[j \le i\right] {body}"
    distances = ", ".join(str(distance) for distance in node.value)
    relation = f"j = i - {distances}" if len(node.value) == 1 else rf"i - j \in \{{{distances}\}}"
    return rf"\#\left[{relation}\right] {body}"


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


def depth_first_names(program: Program) -> dict[Expression, str]:
    """Return the names by which the program's definitions are known at its end."""
    names: dict[Expression, str] = {}
    for name, node in program.definitions:
        _define(names, name, node)
    return {node: names[node] for node in postorder(program.roots) if node in names}
