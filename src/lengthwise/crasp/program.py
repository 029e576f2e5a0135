"""A C-RASP program: named operations in order, with what it accepts or emits.

A *recogniser* accepts a word when its last definition, a Boolean, holds at the place where it is
read (see :func:`lengthwise.crasp.interpreter.accepts`). A *generator* has a ``next`` map
instead: one Boolean per output symbol, of which exactly one should hold wherever it is asked.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.crasp.syntax import Bool, Expression, Symbol, flatten, postorder, unflatten


class Program:
    """Named definitions in order, an optional alphabet, and optional ``next`` Booleans.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> majority = Program({"more_a": count(Q["a"]) > count(Q["b"])}, alphabet="ab")
        >>> majority.accept
        #"a" > #"b"

    Names may repeat in an iterable of pairs: a later definition hides an earlier one, as in the
    text format. ``empty`` declares whether the empty word is accepted (None: not declared).
    ``parameters`` records the values with which a parametrised text was read.
    """

    __slots__ = ("alphabet", "definitions", "empty", "next", "parameters")

    definitions: tuple[tuple[str, Expression], ...]
    alphabet: tuple[str, ...] | None
    next: dict[str, Bool]
    empty: bool | None
    parameters: dict[str, int]

    def __init__(
        self,
        definitions: Mapping[str, Expression] | Iterable[tuple[str, Expression]],
        *,
        alphabet: Iterable[str] | None = None,
        next: Mapping[str, Bool] | None = None,
        empty: bool | None = None,
        parameters: Mapping[str, int] | None = None,
    ) -> None:
        pairs = definitions.items() if isinstance(definitions, Mapping) else definitions
        self.definitions = tuple((str(name), node) for name, node in pairs)
        self.alphabet = None if alphabet is None else tuple(dict.fromkeys(alphabet))
        self.next = dict(next or {})
        self.empty = empty
        self.parameters = dict(parameters or {})
        self._check()

    @classmethod
    def of(cls, expression: Bool, **options: Any) -> "Program":
        """Return the program with one definition, ``accept``."""
        return cls([("accept", expression)], **options)

    def _check(self) -> None:
        for name, node in (*self.definitions, *self.next.items()):
            if not isinstance(node, Expression):
                raise InputError(f"{name!r} is {node!r}, not a C-RASP expression.")
        for name, node in self.next.items():
            if not isinstance(node, Bool):
                raise InputError(f'next "{name}" is a {node.type_name}, but must be Boolean.')
        if not self.definitions and not self.next:
            raise InputError("the program defines nothing.")
        if self.alphabet is not None:
            for letter in self.symbols():
                if letter not in self.alphabet:
                    known = " ".join(self.alphabet)
                    raise InputError(f"symbol {letter!r} is not in the alphabet ({known}).")

    @property
    def is_generator(self) -> bool:
        """Whether the program has ``next`` Booleans."""
        return bool(self.next)

    @property
    def accept(self) -> Bool:
        """The accepting Boolean: the last definition of a recogniser."""
        if self.is_generator:
            raise InputError("this program generates (it has `next`); it accepts no words.")
        name, node = self.definitions[-1]
        if not isinstance(node, Bool):
            raise InputError(
                f"the last definition, {name!r}, is a count; to accept, it must be Boolean."
            )
        return node

    @property
    def roots(self) -> tuple[Expression, ...]:
        """Every named expression: the definitions, then the ``next`` Booleans."""
        return (*(node for _, node in self.definitions), *self.next.values())

    @property
    def outputs(self) -> tuple[Expression, ...]:
        """What the program is for: its ``next`` Booleans, or its last definition."""
        return tuple(self.next.values()) or (self.definitions[-1][1],)

    def __iter__(self) -> Iterator[tuple[str, Expression]]:
        return iter(self.definitions)

    def __getitem__(self, name: str) -> Expression:
        for key, node in reversed(self.definitions):
            if key == name:
                return node
        raise KeyError(name)

    def symbols(self) -> tuple[str, ...]:
        """Return the symbols the program mentions, sorted (its outputs are not counted)."""
        return tuple(sorted({n.name for n in postorder(self.roots) if isinstance(n, Symbol)}))

    def letters(self) -> tuple[str, ...]:
        """Return the declared alphabet, or failing that the symbols mentioned."""
        return self.alphabet if self.alphabet is not None else self.symbols()

    def all_letters(self) -> tuple[str, ...]:
        """Return the declared alphabet, or the symbols mentioned and one that stands for others."""
        if self.alphabet is not None:
            return self.alphabet
        known = self.symbols()
        return (*known, "?" if "?" not in known else "?" * (1 + max(map(len, known))))

    def replace(self, **changes: Any) -> "Program":
        """Return a copy with some constructor arguments changed."""
        fields: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        fields.update(changes)
        return Program(fields.pop("definitions"), **fields)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Program):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[Any, ...]:
        definitions = tuple((name, id(node)) for name, node in self.definitions)
        outputs = tuple((name, id(node)) for name, node in self.next.items())
        return definitions, outputs, self.alphabet, self.empty

    def __repr__(self) -> str:
        text = "; ".join(str(self).strip().splitlines())
        return f"Program({text if len(text) < 200 else text[:197] + '...'})"

    def __reduce__(self) -> tuple[Any, ...]:
        table, rows = flatten(self.roots)
        names = [name for name, _ in self.definitions]
        return _restore, (
            table,
            rows,
            names,
            list(self.next),
            self.alphabet,
            self.empty,
            self.parameters,
        )


def _restore(
    table: Any, rows: Any, names: Any, outputs: Any, alphabet: Any, empty: Any, parameters: Any
) -> Program:
    nodes = unflatten(table)
    values = [nodes[row] for row in rows]
    return Program(
        zip(names, values[: len(names)], strict=True),
        alphabet=alphabet,
        next=dict(zip(outputs, values[len(names) :], strict=True)),
        empty=empty,
        parameters=parameters,
    )
