"""Check a certificate of ``lengthwise crasp compare``: one file, the standard library alone.

    python check_comparison.py FILE

exits with 0 when what the file says of two languages is shown, 1 when it is refused, 2 when it
cannot be read. The search that finds words and proofs is elsewhere; it asks this file whether a
walk shows what it should, and nothing is taken from it here.

Two languages divide all words into four regions: in both, in one only, in neither. Of a region the
certificate holds one of these:

* a *word*, which is evaluated letter by letter; that no shorter one lies there is checked by
  evaluating all of these, where they are few.
* a *walk*, which shows that no word lies there. It names *sums* of prefix counts. All places that
  words can reach are visited, where a place knows the position modulo all periods, what windows
  see, the states of automata, and each sum exactly as far as its cap; beyond it is only known to be
  at least the cap, or at most minus the cap, and where it comes back it may come back as far as its
  step goes. That visits everything that can happen, and more. *Relations* are combinations of sums
  that are 0 whatever the word; places that contradict one do not occur. In a region that is empty
  by a walk, no visited place has the answers of the region.
* a walk with *proofs*. Comparisons of *free* sums are left open. Reading a word is then a path
  through the places, a sum adds up what its edges add, and for every last edge and all signs of
  free sums with which the answers are those of the region, a proof shows that the linear rows (a
  path leads there; the sums have these signs) have no solution in whole numbers.
* *open*: nothing is shown.

A proof is a tree. Leaves add up rows: ``farkas`` multipliers give 0 >= something positive,
``divide`` multipliers give an equation that fails modulo a number. ``split`` divides at a variable
(x <= k, or x >= k + 1), ``island`` at a set of places without the start: a path never enters it, or
enters it from outside.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from math import gcd
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

FORMAT, VERSION = "lengthwise-comparison", 1
MOST_STEPS, MOST_NODES, FARTHEST, MOST_SHORTER = 20_000_000, 20_000, 64, 2_000_000
LARGEST = 10**100
REGIONS = ((True, True), (True, False), (False, True), (False, False))

KINDS: dict[str, tuple[str, str]] = {
    "Symbol": ("", "b"),
    "Constant": ("", "b"),
    "Residue": ("", "b"),
    "Not": ("b", "b"),
    "And": ("bb", "b"),
    "Or": ("bb", "b"),
    "Compare": ("cc", "b"),
    "Number": ("", "c"),
    "PrefixCount": ("b", "c"),
    "LocalCount": ("b", "c"),
    "Add": ("cc", "c"),
    "Subtract": ("cc", "c"),
    "Scale": ("c", "c"),
    "Minimum": ("cc", "c"),
    "Maximum": ("cc", "c"),
    "Where": ("bcc", "c"),
}
"""Operand types (Boolean or count) of each operation, and its own."""
SIGNS = {"<": (-1,), "<=": (-1, 0), "==": (0,), "!=": (-1, 1), ">=": (0, 1), ">": (1,)}
"""The signs of left - right with which each comparison holds."""

Key = tuple[tuple[int, int], ...]
"""A sum: counted nodes with their factors, without a common divisor, the first one positive."""
Row = tuple[dict[int, int], int, bool]
"""Coefficients of variables, a bound, and whether it is met exactly (else: at least)."""
Form = tuple[int, dict[int, int]]
"""A count at a position: a constant, and factors of prefix counts."""


class ComparisonRefused(ValueError):  # noqa: N818 - a verdict rather than a mistake
    """The certificate shows nothing; one line says what is wrong first."""


class UnknownSum(ComparisonRefused):
    """A comparison needs a sum that is not named, at least as far as a cap."""

    def __init__(self, key: Key, cap: int) -> None:
        super().__init__("a comparison needs a sum that is not named, or a larger cap.")
        self.key, self.cap = key, cap


class _Unsigned(Exception):  # noqa: N818
    """The sign of a free sum is needed that is not given yet."""


def _refuse(reason: str) -> NoReturn:
    raise ComparisonRefused(f"{reason}.")


class Node(NamedTuple):
    """One operation: its kind, constants and operands (earlier nodes)."""

    kind: str
    constants: tuple[Any, ...]
    args: tuple[int, ...]


class Side(NamedTuple):
    """A program (the node that is read, and what is said of the empty word) or an automaton."""

    root: int
    empty: bool | None
    table: list[list[int]]
    initial: int
    accepting: list[bool]


class Place(NamedTuple):
    """What is known after some word."""

    residue: int
    past: tuple[tuple[bool, ...], ...]
    states: tuple[int, ...]
    cells: tuple[int, ...]


class PathSystem(NamedTuple):
    """The rows of all paths that end in the region in one way."""

    rows: list[Row]
    variables: list[tuple[int, int, tuple[int, ...]]]
    """Edges: place before, place after, what each free sum adds."""


# ---- reading -----------------------------------------------------------------------------------


def _fields(value: Any, needed: Sequence[str], allowed: Sequence[str] = ()) -> dict[str, Any]:
    if type(value) is not dict or not set(needed) <= set(value) <= {*needed, *allowed}:
        _refuse(f"expected an object with the fields {', '.join(needed)}")
    return value


def _list(value: Any, name: str, length: int | None = None) -> list[Any]:
    if type(value) is not list or (length is not None and len(value) != length):
        _refuse(f"{name}: expected a list" + (f" of {length}" if length is not None else ""))
    return value


def _number(value: Any, name: str, low: int = -LARGEST, high: int = LARGEST) -> int:
    if type(value) is not int or not low <= value < high:
        _refuse(f"{name}: expected a whole number in range")
    return value


def _truth(value: Any, name: str) -> bool:
    if type(value) is not bool:
        _refuse(f"{name}: expected true or false")
    return value


def _nodes(value: Any) -> list[Node]:
    """Read the operations; operands come first and have the right types."""
    found: list[Node] = []
    for row in _list(value, "nodes"):
        kind, constants, args = _list(row, "a node", 3)
        if type(kind) is not str or kind not in KINDS:
            _refuse("a node has an unknown kind")
        wanted = KINDS[kind][0]
        operands = tuple(_number(a, "an operand", 0, len(found)) for a in _list(args, "operands"))
        if "".join(KINDS[found[a].kind][1] for a in operands) != wanted:
            _refuse(f"{kind} has operands of the wrong type")
        found.append(Node(kind, _constants(kind, _list(constants, "constants")), operands))
    if len(found) > MOST_NODES:
        _refuse("there are too many nodes")
    return found


def _constants(kind: str, values: list[Any]) -> tuple[Any, ...]:
    name = f"the constants of {kind}"
    if kind in ("Number", "Scale"):
        return (_number(_list(values, name, 1)[0], name),)
    if kind == "Residue":
        modulus = _number(_list(values, name, 2)[0], name, 1, 10_000)
        return modulus, _number(values[1], name, 0, modulus)
    if kind == "LocalCount":
        near = [_number(d, name, 0, FARTHEST + 1) for d in _list(_list(values, name, 1)[0], name)]
        if len(set(near)) != len(near):
            _refuse("a window sees a place twice")
        return (tuple(near),)
    if kind == "Constant":
        return (_truth(_list(values, name, 1)[0], name),)
    if kind in ("Symbol", "Compare"):
        text = _list(values, name, 1)[0]
        if type(text) is not str or (kind == "Compare" and text not in SIGNS):
            _refuse(f"{name}: expected text")
        return (text,)
    _list(values, name, 0)
    return ()


def _side(value: Any, nodes: list[Node], letters: int) -> Side:
    if type(value) is dict and "root" in value:
        given = _fields(value, ("root", "empty"))
        root = _number(given["root"], "root", 0, len(nodes))
        if KINDS[nodes[root].kind][1] != "b":
            _refuse("a root is a count")
        empty = None if given["empty"] is None else _truth(given["empty"], "empty")
        return Side(root, empty, [], 0, [])
    given = _fields(value, ("transitions", "initial", "accepting"))
    rows = _list(given["transitions"], "transitions")
    table = [
        [_number(t, "a state", 0, len(rows)) for t in _list(row, "transitions", letters)]
        for row in rows
    ]
    accepting = [_truth(v, "accepting") for v in _list(given["accepting"], "accepting", len(rows))]
    return Side(-1, None, table, _number(given["initial"], "initial", 0, len(rows)), accepting)


# ---- words -------------------------------------------------------------------------------------


class Languages:
    """Two languages over an alphabet, and where the answer is read; steps are counted."""

    def __init__(self, given: dict[str, Any], most: int = MOST_STEPS) -> None:
        self.alphabet = _list(given["alphabet"], "alphabet")
        if any(type(a) is not str for a in self.alphabet) or not self.alphabet:
            _refuse("alphabet: expected some symbols")
        if len(set(self.alphabet)) != len(self.alphabet):
            _refuse("a symbol stands twice in the alphabet")
        if given["accept"] not in ("last", "end"):
            _refuse("accept: expected last or end")
        self.at_end = given["accept"] == "end"
        self.nodes = _nodes(given["nodes"])
        size = len(self.alphabet)
        self.sides = [_side(given[name], self.nodes, size) for name in ("first", "second")]
        self.steps, self.most = 0, most

    def spend(self, steps: int) -> None:
        """Count work; refuse where it is too much."""
        self.steps += steps
        if self.steps > self.most:
            _refuse(f"checking takes more than {self.most:,} steps")

    def answers(self, word: Sequence[int]) -> tuple[bool, bool]:
        """Evaluate a word from the definitions, position by position."""
        rows: list[list[Any]] = []
        counts = [0] * len(self.nodes)
        marked = self.at_end or not word
        for place, letter in enumerate([*word, None] if marked else word):
            rows.append(self._values(rows, counts, place, letter))
        return self._answer(self.sides[0], word, rows), self._answer(self.sides[1], word, rows)

    def _answer(self, side: Side, word: Sequence[int], rows: list[list[Any]]) -> bool:
        if side.root < 0:
            state = side.initial
            for letter in word:
                state = side.table[state][letter]
            return side.accepting[state]
        if not word and not self.at_end and side.empty is not None:
            return side.empty
        return bool(rows[-1][side.root])

    def _values(
        self, rows: list[list[Any]], counts: list[int], place: int, letter: int | None
    ) -> list[Any]:
        """Return each node's value at a position (from 0); an end marker is not counted."""
        self.spend(len(self.nodes))
        values: list[Any] = []
        for number, (kind, constants, args) in enumerate(self.nodes):
            given = [values[a] for a in args]
            if kind == "PrefixCount":
                counts[number] += letter is not None and bool(given[0])
                values.append(counts[number])
            elif kind == "LocalCount":
                seen = [rows[place - d][args[0]] for d in constants[0] if 0 < d <= place]
                here = 0 in constants[0] and letter is not None and given[0]
                values.append(sum(seen) + bool(here))
            else:
                values.append(self._simple(kind, constants, given, place + 1, letter))
        return values

    def _simple(
        self, kind: str, constants: tuple[Any, ...], given: list[Any], place: int, letter: Any
    ) -> Any:
        if kind == "Symbol":
            return letter is not None and self.alphabet[letter] == constants[0]
        if kind in ("Constant", "Number"):
            return constants[0]
        if kind == "Residue":
            return place % constants[0] == constants[1]
        if kind == "Not":
            return not given[0]
        if kind in ("And", "Or"):
            return (given[0] and given[1]) if kind == "And" else (given[0] or given[1])
        if kind == "Compare":
            return _sign(given[0] - given[1]) in SIGNS[constants[0]]
        if kind == "Where":
            return given[1] if given[0] else given[2]
        if kind == "Scale":
            return constants[0] * given[0]
        if kind in ("Minimum", "Maximum"):
            return min(given) if kind == "Minimum" else max(given)
        return given[0] + given[1] if kind == "Add" else given[0] - given[1]


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def _check_word(languages: Languages, region: dict[str, Any], key: tuple[bool, bool]) -> str:
    places = {letter: k for k, letter in enumerate(languages.alphabet)}
    word = _list(region["word"], "word")
    if any(type(letter) is not str or letter not in places for letter in word):
        _refuse("a word has other letters")
    if languages.answers([places[letter] for letter in word]) != key:
        _refuse("a word does not lie in its region")
    if not _truth(region.get("shortest", False), "shortest"):
        return "a word"
    size = len(places)
    shorter = sum((n + 1) * size**n for n in range(len(word)))
    if shorter * (len(languages.nodes) + 1) > MOST_SHORTER:
        return "a word; that it is a shortest one was not checked"
    level: list[tuple[int, ...]] = [()]
    for _ in word:
        if any(languages.answers(other) == key for other in level):
            _refuse("a region has a shorter word than the one that is called shortest")
        level = [(*other, letter) for other in level for letter in range(size)]
    return "a shortest word"


# ---- walks -------------------------------------------------------------------------------------


def normal(factors: dict[int, int]) -> tuple[int, Key]:
    """Return a sum as a multiple of one in normal form.

    Example:
        >>> normal({3: -2, 5: 4})
        (-2, ((3, 1), (5, -2)))
    """
    kept = sorted((node, k) for node, k in factors.items() if k)
    divisor = gcd(*(k for _, k in kept)) * (1 if kept[0][1] > 0 else -1)
    return divisor, tuple((node, k // divisor) for node, k in kept)


class Walk:
    """All places that words can reach, as far as sums are followed."""

    def __init__(self, languages: Languages, given: dict[str, Any]) -> None:
        self.languages, self.nodes = languages, languages.nodes
        names = ("sums", "caps", "relations", "free")
        wanted = _fields(given, names, ("proofs",))
        self.sums = [self._sum(value) for value in _list(wanted["sums"], "sums")]
        self.caps = [_number(c, "a cap", 1, LARGEST) for c in _list(wanted["caps"], "caps")]
        if len(self.caps) != len(self.sums):
            _refuse("every sum has one cap")
        self.free = [self._sum(value) for value in _list(wanted["free"], "free")]
        self.place_of = {key: k for k, key in enumerate(self.sums)}
        self.free_of = {key: k for k, key in enumerate(self.free)}
        self.relations = [self._relation(v) for v in _list(wanted["relations"], "relations")]
        inner, outer = self._orders()
        self.inner, self.outer, self.every = inner, outer, sorted({*inner, *outer})
        used = [self.nodes[n] for n in self.every]
        self.period = 1
        for node in used:
            if node.kind == "Residue":
                self.period *= node.constants[0] // gcd(self.period, node.constants[0])
        self.far: dict[int, int] = {}
        for node in used:
            if node.kind == "LocalCount":
                (operand,) = node.args
                self.far[operand] = max(self.far.get(operand, 0), *node.constants[0], 0)

    def _sum(self, value: Any) -> Key:
        pairs = [_list(pair, "a sum", 2) for pair in _list(value, "a sum")]
        factors: dict[int, int] = {}
        for node, factor in pairs:
            _number(node, "a node of a sum", 0, len(self.nodes))
            if KINDS[self.nodes[node].kind][1] != "b" or node in factors:
                _refuse("a sum counts something else than Booleans, or one of them twice")
            factors[node] = _number(factor, "a factor")
        if not any(factors.values()) or normal(factors)[0] != 1:
            _refuse("a sum is not in normal form")
        return normal(factors)[1]

    def _relation(self, value: Any) -> list[int]:
        factors = [_number(k, "a factor") for k in _list(value, "a relation", len(self.sums))]
        total: dict[int, int] = {}
        for k, key in zip(factors, self.sums, strict=True):
            for node, factor in key:
                total[node] = total.get(node, 0) + k * factor
        if any(total.values()):
            _refuse("a relation does not hold for all words")
        return factors

    def _orders(self) -> tuple[list[int], list[int]]:
        """Return what is counted, seen in windows or summed, with all below; and what is read."""
        roots = [side.root for side in self.languages.sides if side.root >= 0]
        below = self._below(roots, through=True)
        counted = [a for n in below for a in self._counted(n)]
        counted += [node for key in (*self.sums, *self.free) for node, _ in key]
        return sorted(self._below(counted, through=True)), sorted(self._below(roots, through=False))

    def _counted(self, number: int) -> tuple[int, ...]:
        node = self.nodes[number]
        return node.args if node.kind in ("PrefixCount", "LocalCount") else ()

    def _below(self, starts: Sequence[int], *, through: bool) -> set[int]:
        """Return all operands, through counts or not; of a window at a distance 0 always."""
        found, stack = set(starts), list(starts)
        while stack:
            node = self.nodes[stack.pop()]
            stop = not through and node.kind == "PrefixCount"
            for operand in () if stop else node.args:
                if operand not in found:
                    found.add(operand)
                    stack.append(operand)
        return found

    def start(self) -> Place:
        """Return the place before the first letter."""
        past = tuple((False,) * far for far in self.far.values())
        states = tuple(side.initial for side in self.languages.sides)
        return Place(0, past, states, (0,) * len(self.sums))

    # --- one position ---

    def values(
        self,
        place: Place,
        letter: int | None,
        order: list[int],
        signs: dict[tuple[int, int, int], int] | None = None,
    ) -> Iterator[tuple[dict[int, Any], dict[int, int]]]:
        """Yield the values of nodes at the next position and the sums that were needed.

        Several, where sums came back from beyond their caps. Signs of free sums, as (number,
        multiple, constant), are those given, and what is missing there raises ``_Unsigned``.
        """
        stack: list[tuple[int, dict[int, Any], dict[int, int]]] = [(0, {}, {})]
        while stack:
            done, values, cells = stack.pop()
            while done < len(order):
                self.languages.spend(1)
                number = order[done]
                options = self._options(number, place, letter, values, cells, signs)
                if len(options) > 1:
                    stack += [(done, dict(values), {**cells, **new}) for new in options]
                    break
                cells.update(options[0])
                values[number] = self._value(number, place, letter, values, cells, signs)
                done += 1
            else:
                yield values, cells

    def _options(
        self, number: int, place: Place, letter: Any, values: Any, cells: Any, signs: Any
    ) -> list[dict[int, int]]:
        """Return what a sum that a comparison needs may be at this position."""
        node = self.nodes[number]
        if node.kind not in ("Compare", "Minimum", "Maximum"):
            return [{}]
        factors = _difference(values[node.args[0]], values[node.args[1]])[1]
        if not factors:
            return [{}]
        key = normal(factors)[1]
        place_of = self.place_of.get(key)
        if place_of is None or place_of in cells:
            return [{}]
        return [{place_of: value} for value in self._after(place_of, place, letter, values)]

    def _after(self, k: int, place: Place, letter: int | None, values: Any) -> list[int]:
        """Return what a followed sum may be after a step."""
        before, cap = place.cells[k], self.caps[k]
        if letter is None:
            return [before]
        added = self._added(self.sums[k], values)
        if abs(before) < cap or before * added >= 0:
            return [max(-cap, min(cap, before + added))]
        self.languages.spend(min(abs(added), 2 * cap))
        low, high = sorted((before + added, before))
        return list(range(max(low, -cap), min(high, cap) + 1))

    def _added(self, key: Key, values: Any) -> int:
        return sum(factor for node, factor in key if values[node])

    def _value(
        self, number: int, place: Place, letter: Any, values: Any, cells: Any, signs: Any
    ) -> Any:
        kind, constants, args = self.nodes[number]
        given = [values.get(a) for a in args]
        if kind == "PrefixCount":
            return 0, {args[0]: 1}
        if kind == "LocalCount":
            past = place.past[list(self.far).index(args[0])]
            here = 0 in constants[0] and letter is not None and given[0]
            return sum(past[d - 1] for d in constants[0] if d) + bool(here), {}
        if kind == "Number":
            return constants[0], {}
        if kind == "Scale":
            return constants[0] * given[0][0], {n: constants[0] * k for n, k in given[0][1].items()}
        if kind in ("Add", "Subtract"):
            return _difference(given[0], given[1], 1 if kind == "Add" else -1)
        if kind == "Where":
            return given[1] if given[0] else given[2]
        if kind in ("Compare", "Minimum", "Maximum"):
            sign = self._sign(_difference(given[0], given[1]), cells, signs)
            if kind == "Compare":
                return sign in SIGNS[constants[0]]
            return given[0] if (sign <= 0) == (kind == "Minimum") else given[1]
        return self.languages._simple(kind, constants, given, place.residue + 1, letter)

    def _sign(self, form: Form, cells: dict[int, int], signs: Any) -> int:
        """Return the sign of a count; of a followed sum it must be known, of a free one given."""
        constant, factors = form
        if not any(factors.values()):
            return _sign(constant)
        multiple, key = normal(factors)
        if key in self.free_of and signs is not None:
            question = self.free_of[key], multiple, constant
            if question not in signs:
                raise _Unsigned(question)
            return signs[question]
        needed = abs(constant) // abs(multiple) + 1
        k = self.place_of.get(key)
        if k is None:
            raise UnknownSum(key, needed)
        if abs(cells[k]) == self.caps[k] and self.caps[k] < needed:
            raise UnknownSum(key, needed)
        return _sign(multiple * cells[k] + constant)

    def following(
        self, place: Place, letter: int, order: list[int]
    ) -> Iterator[tuple[dict[int, Any], Place]]:
        """Yield the values at the next position and the place after it."""
        sides = self.languages.sides
        states = tuple(
            side.table[state][letter] if side.root < 0 else 0
            for side, state in zip(sides, place.states, strict=True)
        )
        for values, known in self.values(place, letter, order):
            past = tuple(
                (bool(values[node]), *seen)[:far]
                for (node, far), seen in zip(self.far.items(), place.past, strict=True)
            )
            for cells in self._cells(place, letter, values, known):
                yield values, Place((place.residue + 1) % self.period, past, states, cells)

    def _cells(
        self, place: Place, letter: int, values: Any, known: dict[int, int]
    ) -> Iterator[tuple[int, ...]]:
        """Yield what all sums may be after a step, but for what contradicts a relation."""
        found: list[tuple[int, ...]] = [()]
        for k in range(len(self.sums)):
            options = [known[k]] if k in known else self._after(k, place, letter, values)
            found = [(*cells, value) for cells in found for value in options]
            self.languages.spend(len(found))
        yield from (cells for cells in found if all(self._holds(r, cells) for r in self.relations))

    def _holds(self, relation: list[int], cells: tuple[int, ...]) -> bool:
        """Whether a relation can hold: sums at a cap may be anything beyond."""
        total, low, high = 0, False, False
        for factor, value, cap in zip(relation, cells, self.caps, strict=True):
            total += factor * value
            if factor and abs(value) == cap:
                up = (factor > 0) == (value > 0)
                high, low = high or up, low or not up
        return (total <= 0 or low) and (total >= 0 or high)

    # --- all positions ---

    def check_empty(self, key: tuple[bool, bool]) -> int:
        """Refuse if some place that can be reached has the answers of the region."""
        languages = self.languages
        if languages.answers(()) == key:
            _refuse("the empty word lies in a region that is called empty")
        first = self.start()
        seen, queue = {first}, [first]
        order = self.inner if languages.at_end else self.every
        for place in queue:
            if languages.at_end:
                for values, _ in self.values(place, None, self.outer):
                    self._outside(values, place.states, key)
            for letter in range(len(languages.alphabet)):
                for values, after in self.following(place, letter, order):
                    if not languages.at_end:
                        self._outside(values, after.states, key)
                    if after not in seen:
                        seen.add(after)
                        queue.append(after)
        return len(queue)

    def _outside(self, values: dict[int, Any], states: Sequence[int], key: Any) -> None:
        if self._answers(values, states) == key:
            _refuse("a place that can be reached has the answers of a region that is called empty")

    def _answers(self, values: dict[int, Any], states: Sequence[int]) -> tuple[bool, ...]:
        return tuple(
            bool(values[side.root]) if side.root >= 0 else side.accepting[state]
            for side, state in zip(self.languages.sides, states, strict=True)
        )

    def edges(self) -> int:
        """Return the number of edges between places."""
        return len(self._graph()[1])

    def systems(self, key: tuple[bool, bool]) -> list[PathSystem]:
        """Return the rows of every way in which a word may end in the region."""
        if self.languages.answers(()) == key:
            _refuse("the empty word lies in a region that is called empty")
        places, edges, last = self._graph()
        found: dict[Any, None] = {}
        for u, letter, states, inner, added in last:
            for demands in self._demands(places[u], letter, states, inner, key):
                bounds = [
                    (k, multiple, constant + multiple * added[k], sign)
                    for (k, multiple, constant), sign in demands
                ]
                found[u, tuple(sorted(bounds))] = None
        return [PathSystem(self._rows(edges, len(places), u, b), edges) for u, b in found]

    def _graph(self) -> tuple[list[Place], list[Any], list[Any]]:
        """Return the places, the edges between them, and all last steps of words."""
        first = self.start()
        index, queue = {first: 0}, [first]
        edges: dict[tuple[int, int, tuple[int, ...]], None] = {}
        last: list[Any] = []
        none = (0,) * len(self.free)
        for u, place in enumerate(queue):
            if self.languages.at_end:
                last.append((u, None, place.states, {}, none))
            for letter in range(len(self.languages.alphabet)):
                for values, after in self.following(place, letter, self.inner):
                    if after not in index:
                        index[after] = len(queue)
                        queue.append(after)
                    added = tuple(self._added(free, values) for free in self.free)
                    edges[u, index[after], added] = None
                    if not self.languages.at_end:
                        last.append((u, letter, after.states, values, added))
        return queue, list(edges), last

    def _demands(
        self, place: Place, letter: int | None, states: Any, inner: Any, key: Any
    ) -> Iterator[tuple[Any, ...]]:
        """Yield signs of free sums with which the answers are those of the region."""
        order = self.outer if letter is None else self.every
        stack: list[dict[tuple[int, int, int], int]] = [{}]
        while stack:
            signs = stack.pop()
            try:
                ways = list(self.values(place, letter, order, signs))
            except _Unsigned as missing:
                stack += [{**signs, missing.args[0]: sign} for sign in (-1, 0, 1)]
                continue
            for values, _ in ways:
                same = all(values[n] == value for n, value in inner.items())
                if same and self._answers(values, states) == key:
                    yield tuple(sorted(signs.items()))
                    break

    def _rows(self, edges: list[Any], places: int, end: int, bounds: Any) -> list[Row]:
        """Return the rows: a path leads from the start to a place, and sums have their signs."""
        self.languages.spend(places + len(edges) * (2 + len(bounds)))
        flows: list[dict[int, int]] = [{} for _ in range(places)]
        for k, (u, v, _) in enumerate(edges):
            flows[v][k] = flows[v].get(k, 0) + 1
            flows[u][k] = flows[u].get(k, 0) - 1
        rows = [_row(flow, (v == end) - (v == 0), True) for v, flow in enumerate(flows)]
        for k, multiple, constant, sign in bounds:
            terms = {e: multiple * added[k] for e, (_, _, added) in enumerate(edges)}
            if sign:
                rows.append(_row({e: sign * a for e, a in terms.items()}, 1 - sign * constant))
            else:
                rows.append(_row(terms, -constant, True))
        return rows

    def check_proofs(self, key: tuple[bool, bool], proofs: Any) -> int:
        """Refuse if a way into the region is not refuted."""
        systems = self.systems(key)
        for system, proof in zip(systems, _list(proofs, "proofs", len(systems)), strict=True):
            self._refuted(system, proof)
        return len(systems)

    def _refuted(self, system: PathSystem, proof: Any) -> None:
        stack: list[tuple[Any, list[Row]]] = [(proof, system.rows)]
        while stack:
            node, rows = stack.pop()
            self.languages.spend(sum(len(terms) + 1 for terms, _, _ in rows))
            name = node[0] if type(node) is list and node else None
            if name in ("farkas", "divide"):
                _check_leaf(node, rows)
            elif name == "split":
                _, variable, bound, low, high = _list(node, "a split", 5)
                _number(variable, "a variable", 0, len(system.variables))
                _number(bound, "a bound")
                stack.append((low, [*rows, ({variable: -1}, -bound, False)]))
                stack.append((high, [*rows, ({variable: 1}, bound + 1, False)]))
            elif name == "island":
                _, island, apart, entered = _list(node, "an island", 4)
                inside = {_number(v, "a place", 1) for v in _list(island, "an island")}
                within = {k: -1 for k, (_, v, _) in enumerate(system.variables) if v in inside}
                into = {k: 1 for k in within if system.variables[k][0] not in inside}
                stack.append((apart, [*rows, (within, 0, False)]))
                stack.append((entered, [*rows, (into, 1, False)]))
            else:
                _refuse("a proof has an unknown step")


def _difference(one: Form, two: Form, factor: int = -1) -> Form:
    total = dict(one[1])
    for node, k in two[1].items():
        total[node] = total.get(node, 0) + factor * k
    return one[0] + factor * two[0], {node: k for node, k in total.items() if k}


def _row(terms: dict[int, int], bound: int, equal: bool = False) -> Row:
    """Return a row divided by the common divisor of its factors; bounds are rounded up."""
    kept = {k: a for k, a in terms.items() if a}
    divisor = gcd(*kept.values()) or 1
    if equal and bound % divisor:
        return kept, bound, equal
    return {k: a // divisor for k, a in kept.items()}, -(-bound // divisor), equal


def _check_leaf(node: list[Any], rows: list[Row]) -> None:
    """Check that rows times multipliers contradict themselves."""
    name = node[0]
    _list(node, f"a {name} step", 2 if name == "farkas" else 3)
    multipliers = [_number(m, "a multiplier") for m in _list(node[1], "multipliers", len(rows))]
    total: dict[int, int] = {}
    bound = 0
    for factor, (terms, low, equal) in zip(multipliers, rows, strict=True):
        if factor and not equal and (factor < 0 or name == "divide"):
            _refuse("a row that is no equation is subtracted")
        bound += factor * low
        for k, a in terms.items():
            total[k] = total.get(k, 0) + factor * a
    if name == "farkas":
        if bound <= 0 or any(a > 0 for a in total.values()):
            _refuse("rows do not add up to a contradiction")
        return
    modulus = _number(node[2], "a modulus", 2)
    if any(a % modulus for a in total.values()) or bound % modulus == 0:
        _refuse("equations do not contradict each other modulo a number")


# ---- whole certificates ------------------------------------------------------------------------


class ComparisonShown(NamedTuple):
    """What is shown: the relation, and of each region what it rests on."""

    relation: str
    regions: dict[tuple[bool, bool], str]
    empty: frozenset[tuple[bool, bool]]
    steps: int


def check_comparison(certificate: Any) -> ComparisonShown:
    """Check a certificate, as read from JSON; raise ``ComparisonRefused`` at the first thing wrong.

    Example:
        >>> dfa = {"transitions": [[0]], "initial": 0, "accepting": [True]}  # all words over a
        >>> walk = {"sums": [], "caps": [], "relations": [], "free": []}
        >>> found = check_comparison({
        ...     "format": "lengthwise-comparison", "version": 1, "alphabet": ["a"],
        ...     "accept": "last", "nodes": [], "first": dfa, "second": dfa, "regions": [
        ...         {"first": True, "second": True, "word": [], "shortest": True},
        ...         {"first": True, "second": False, "walk": walk},
        ...         {"first": False, "second": True, "walk": walk},
        ...         {"first": False, "second": False, "walk": walk},
        ...     ],
        ... })
        >>> found.relation
        'equal'
    """
    names = ("format", "version", "alphabet", "accept", "nodes", "first", "second", "regions")
    given = _fields(certificate, names, ("names",))
    if given["format"] != FORMAT or _number(given["version"], "version") != VERSION:
        _refuse(f"expected {FORMAT}, version {VERSION}")
    names_given = _list(given.get("names", []), "names")
    if any(type(name) is not str for name in names_given):
        _refuse("names: expected text")
    languages = Languages(given)
    shown: dict[tuple[bool, bool], str] = {}
    words: set[tuple[bool, bool]] = set()
    empty: set[tuple[bool, bool]] = set()
    for value in _list(given["regions"], "regions", 4):
        region = _fields(value, ("first", "second"), ("word", "shortest", "walk", "open"))
        key = _truth(region["first"], "first"), _truth(region["second"], "second")
        if "word" in region:
            shown[key] = _check_word(languages, region, key)
            words.add(key)
        elif "walk" in region:
            shown[key] = _check_walk(languages, region["walk"], key)
            empty.add(key)
        else:
            shown[key] = "open: nothing is shown"
    if set(shown) != set(REGIONS):
        _refuse("a region is missing, or stands there twice")
    return ComparisonShown(_relation(words, empty), shown, frozenset(empty), languages.steps)


def _check_walk(languages: Languages, given: Any, key: tuple[bool, bool]) -> str:
    walk = Walk(languages, given)
    if "proofs" in given:
        return f"no word: {walk.check_proofs(key, given['proofs']):,} linear systems refuted"
    return f"no word: {walk.check_empty(key):,} places visited"


def _relation(word: set[tuple[bool, bool]], empty: set[tuple[bool, bool]]) -> str:
    one, two = (True, False), (False, True)
    if one in empty and two in empty:
        return "equal"
    if one in word and two in word:
        return "disjoint" if (True, True) in empty else "different"
    if one in empty and two in word:
        return "included"
    if two in empty and one in word:
        return "includes"
    return "different" if one in word or two in word else "open"


def main(arguments: Sequence[str]) -> int:
    """Check the file that is named."""
    try:
        given = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
        found = check_comparison(given)
    except ComparisonRefused as error:
        sys.stdout.write(f"refused: {error}\n")
        return 1
    except (OSError, ValueError, IndexError, RecursionError) as error:
        sys.stderr.write(f"cannot read the file: {error}\n")
        return 2
    sys.stdout.write(f"shown: {found.relation}\n")
    for key, what in found.regions.items():
        one, two = ("in" if inside else "not in" for inside in key)
        sys.stdout.write(f"  {one} the first, {two} the second: {what}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
