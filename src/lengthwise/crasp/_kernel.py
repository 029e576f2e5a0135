"""Source text of the fused loop for one program."""

from collections.abc import Iterable, Sequence

from lengthwise.crasp.interpreter import outside_counts
from lengthwise.crasp.syntax import Bool, Expression, postorder

LANES = 512
"""Words handled together; their counters stay in the fastest cache."""

_OPERATORS = {"and": "&", "or": "|", "add": "+", "subtract": "-"}


def kernel_source(output: Bool, letters: Sequence[str], accept: str, *, uniform: bool) -> str:
    """Return a function ``kernel(columns, lengths, result)`` deciding ``output`` for each word."""
    return "\n".join(_Kernel(output, letters, at_end=accept == "end", uniform=uniform).lines())


class _Kernel:
    """Names for every node and the four parts of the loop: set-up, step, per position, ending."""

    def __init__(
        self, output: Bool, letters: Sequence[str], *, at_end: bool, uniform: bool
    ) -> None:
        self._codes = {letter: code for code, letter in enumerate(letters)}
        self._at_end = at_end
        self._uniform = uniform
        self._output = output
        self._outer = outside_counts([output])
        counts = [node for node in self._outer if node.op == "count"]
        self._inner = list(postorder(counts))
        self._index = {n: k for k, n in enumerate(dict.fromkeys([*self._inner, *self._outer]))}
        self._far: dict[Expression, int] = {}
        for node in self._inner:
            if node.op == "count" and node.value is not None:
                operand = node.args[0]
                self._far[operand] = max(self._far.get(operand, 0), node.value[-1])

    def lines(self) -> list[str]:
        """Return the whole function."""
        return [
            "def kernel(columns, lengths, result):",
            *_indent(1, self._allocate()),
            "    longest, words = columns.shape",
            f"    for start in range(0, words, {LANES}):",
            f"        lanes = min({LANES}, words - start)",
            "        limits = lengths[start : start + lanes]",
            *_indent(2, self._reset()),
            "        for i in range(longest):",
            *_indent(3, self._per_position()),
            "            row = columns[i, start : start + lanes]",
            "            for w in range(lanes):",
            "                letter = row[w]",
            *([] if self._uniform else ["                inside = i < limits[w]"]),
            *_indent(4, self._step()),
            "        for w in range(lanes):",
            "            n = limits[w]",
            "            letter = columns[max(n - 1, 0), start + w] if longest > 0 else 0",
            *_indent(3, self._ending()),
        ]

    def _name(self, node: Expression) -> str:
        return f"v{self._index[node]}"

    def _counters(self) -> list[str]:
        plain = (n for n in self._inner if n.op == "count" and n.value is None)
        return [f"c{self._index[node]}" for node in plain]

    def _allocate(self) -> list[str]:
        counters = [f"{name} = np.zeros({LANES}, dtype=I)" for name in self._counters()]
        rings = [
            f"r{self._index[node]} = np.zeros(({far + 1}, {LANES}), dtype=np.bool_)"
            for node, far in self._far.items()
        ]
        return counters + rings

    def _reset(self) -> list[str]:
        rings = [f"r{self._index[node]}[:] = False" for node in self._far]
        return [f"{name}[:] = 0" for name in self._counters()] + rings

    def _per_position(self) -> list[str]:
        """What is the same for all words at this position: residues and ring slots."""
        lines = [
            f"{self._name(node)} = (i + 1) % {node.value[0]} == {node.value[1]}"
            for node in self._inner
            if node.op == "position"
        ]
        return lines + [f"s{self._index[n]} = i % {far + 1}" for n, far in self._far.items()]

    def _step(self) -> list[str]:
        lines: list[str] = []
        for node in self._inner:
            if node.op != "position":
                lines += self._step_count(node) if node.op == "count" else [self._assign(node)]
            if node in self._far:
                ring, value = f"r{self._index[node]}[s{self._index[node]}, w]", self._name(node)
                kept = value if self._uniform else f"({value} if inside else {ring})"
                lines.append(f"{ring} = {kept}")
        return lines

    def _step_count(self, node: Expression) -> list[str]:
        name, operand = self._name(node), self._name(node.args[0])
        if node.value is not None:
            return self._window(node, "i")
        counter = f"c{self._index[node]}[w]"
        summand = operand if self._uniform else f"({operand} & inside)"
        return [f"{name} = I({counter} + I({summand}))", f"{counter} = {name}"]

    def _window(self, node: Expression, here: str) -> list[str]:
        """Add the ring's entries at the distances; slots never written are False."""
        name, ring = self._name(node), self._index[node.args[0]]
        size = self._far[node.args[0]] + 1
        distances = [d for d in node.value if d or here == "i" or not self._at_end]
        lines = [f"{name} = I(0)"]
        if len(distances) > 8:
            lines += [
                f"for d in {tuple(distances)}:",
                f"    {name} = I({name} + I(r{ring}[({here} - d) % {size}, w]))",
            ]
            return lines
        for d in distances:
            lines.append(f"{name} = I({name} + I(r{ring}[({here} - {d}) % {size}, w]))")
        return lines

    def _ending(self) -> list[str]:
        """Evaluate what lies outside counts at the place of reading."""
        lines: list[str] = []
        for node in self._outer:
            if node.op == "count" and node.value is None:
                lines.append(f"{self._name(node)} = c{self._index[node]}[w]")
            elif node.op == "count":
                lines += self._window(node, "n" if self._at_end else "(n - 1)")
            elif node.op == "position":
                place = "(n + 1)" if self._at_end else "n"
                modulus, residue = node.value
                lines.append(f"{self._name(node)} = {place} % {modulus} == {residue}")
            elif node.op == "symbol" and self._at_end:
                lines.append(f"{self._name(node)} = False")
            else:
                lines.append(self._assign(node))
        return [*lines, f"result[start + w] = {self._name(self._output)}"]

    def _assign(self, node: Expression) -> str:
        return f"{self._name(node)} = {self._expression(node, [self._name(a) for a in node.args])}"

    def _expression(self, node: Expression, args: list[str]) -> str:
        match node.op:
            case "symbol":
                code = self._codes.get(node.value)
                return "False" if code is None else f"letter == {code}"
            case "constant":
                return str(node.value)
            case "number":
                return f"I({node.value})"
            case "not":
                return f"not {args[0]}"
            case "compare":
                return f"{args[0]} {node.value} {args[1]}"
            case "and" | "or":
                return f"{args[0]} {_OPERATORS[node.op]} {args[1]}"
            case "add" | "subtract":
                return f"I({args[0]} {_OPERATORS[node.op]} {args[1]})"
            case "scale":
                return f"I(I({node.value}) * {args[0]})"
            case "min" | "max":
                return f"I({node.op}({args[0]}, {args[1]}))"
            case _:
                return f"I({args[1]} if {args[0]} else {args[2]})"


def _indent(level: int, lines: Iterable[str]) -> list[str]:
    return ["    " * level + line for line in lines]
