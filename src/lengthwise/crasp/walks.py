"""Proofs that no word lies in a region, as :mod:`.check_comparison` accepts them.

Which sums a walk must follow, and how far, is found by asking the checker: it names the sum that it
misses. Where following sums does not do, sums and differences of two are followed beside them; for

    dyck-1    and    #true == 2 * #(")" && #"(" >= #")")

the difference of #"(" - #")" and #true - 2 * #(...) stays 0 until a bracket closes too much. Where
that fails too, the edges of a walk are paths, and linear systems are solved.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from lengthwise.core.integer_rows import Cases, Divide, Farkas, GaveUpError, LinearRow, Proof, solve
from lengthwise.core.limits import Limits
from lengthwise.crasp.check_comparison import (
    FORMAT,
    VERSION,
    ComparisonRefused,
    Key,
    Languages,
    PathSystem,
    UnknownSum,
    Walk,
    normal,
)
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import flatten
from lengthwise.languages.convention import Accept
from lengthwise.languages.dfa import DFA

STEPS = 60_000
"""Steps that the checker may take in one try."""
STEP = 1.5e-6
"""Seconds for a step."""
PIVOT = 2e-7
"""Seconds for an entry of a linear system, about."""
ROUNDS = 60
"""Sums and caps that are added one after the other."""
MOST_RELATED = 5
"""Sums of which two and two are joined."""
LINEAR_EDGES = 400
"""Most edges of a walk whose paths are counted."""


def statement(sides: Sequence[Program | DFA], letters: Sequence[str], accept: Accept) -> Any:
    """Return what a certificate says of two languages: all but the regions."""
    programs = [side for side in sides if not isinstance(side, DFA)]
    table, places = flatten([program.accept for program in programs])
    roots = iter(places)
    given: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "alphabet": list(letters),
        "accept": accept,
        "nodes": [
            [kind.__name__, _plain(constants), list(args)] for kind, constants, args in table
        ],
    }
    for name, side in zip(("first", "second"), sides, strict=True):
        if isinstance(side, DFA):
            given[name] = _automaton(side)
        else:
            given[name] = {"root": next(roots), "empty": side.empty}
    return given


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _automaton(side: DFA) -> dict[str, Any]:
    return {
        "transitions": side.transitions.tolist(),
        "initial": int(side.initial),
        "accepting": [bool(value) for value in side.accepting],
    }


class Walks:
    """Looks for sums with which the checker accepts that a region is empty.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> from lengthwise.crasp.program import Program
        >>> more, less = (Program.of(count(Q["a"]) > k * count(Q["b"])) for k in (1, 2))
        >>> about = statement([more, less], "ab", "last")
        >>> found = Walks(about, (False, True), Limits(10)).counted()
        >>> found["sums"], found["free"], len(found["proofs"])
        ([], [[[0, 1], [2, -1]], [[0, 1], [2, -2]]], 4)
    """

    def __init__(
        self, given: Any, key: tuple[bool, bool], limits: Limits, steps: int = STEPS
    ) -> None:
        self.given, self.key, self.limits, self.steps = given, key, limits, steps
        self.sums: dict[Key, int] = {}

    def followed(self) -> dict[str, Any] | None:
        """Follow every sum that is compared, as far as needed, then farther."""
        for factor in (1, 2, 4):
            walk = self._checked(factor, [])
            if walk is not None or not self.sums:
                return walk
        return None

    def related(self) -> dict[str, Any] | None:
        """Follow sums and differences of two sums too."""
        own = list(self.sums)
        if not 1 < len(own) <= MOST_RELATED:
            return None
        for one, two in combinations(own, 2):
            for sign in (1, -1):
                self._relate(one, two, sign)
        walk = None if len(self.sums) == len(own) else self._checked(1, own)
        self.sums = {key: self.sums[key] for key in own}
        return walk

    def _relate(self, one: Key, two: Key, sign: int) -> None:
        joined = _joined(one, two, sign)
        if joined:
            self.sums.setdefault(normal(joined)[1], max(self.sums[one], self.sums[two]))

    def _checked(self, factor: int, related: list[Key]) -> dict[str, Any] | None:
        for _ in range(ROUNDS):
            self.limits.check("the walk")
            walk, languages = self._walk(factor, related), Languages(self.given, self.steps)
            try:
                Walk(languages, walk).check_empty(self.key)
            except UnknownSum as missing:
                self.sums[missing.key] = max(self.sums.get(missing.key, 1), missing.cap)
            except ComparisonRefused:
                return None
            else:
                return walk
            finally:
                self.limits.spend(STEP * languages.steps)
        return None

    def _walk(self, factor: int, related: list[Key], free: Sequence[Key] = ()) -> dict[str, Any]:
        keys = list(self.sums)
        return {
            "sums": [_listed(key) for key in keys],
            "caps": [factor * self.sums[key] for key in keys],
            "relations": list(_relations(keys, related)),
            "free": [_listed(key) for key in free],
        }

    def counted(self) -> dict[str, Any] | None:
        """Follow what is counted only, leave what is read free, and refute every linear system."""
        self.sums, free = {}, list[Key]()
        for _ in range(ROUNDS):
            self.limits.check("the walk")
            walk, languages = self._walk(1, [], free), Languages(self.given, self.steps)
            machine, inner = Walk(languages, walk), True
            try:
                if machine.edges() > LINEAR_EDGES:
                    return None
                inner = False
                systems = machine.systems(self.key)
            except UnknownSum as missing:
                if inner:
                    self.sums[missing.key] = max(self.sums.get(missing.key, 1), missing.cap)
                else:
                    free.append(missing.key)
            except ComparisonRefused:
                return None
            else:
                proofs = [self._refuted(system) for system in systems]
                return None if None in proofs else {**walk, "proofs": proofs}
            finally:
                self.limits.spend(STEP * languages.steps)
        return None

    def _refuted(self, system: PathSystem) -> list[Any] | None:
        rows = [
            LinearRow(tuple(sorted(terms.items())), bound, equal)
            for terms, bound, equal in system.rows
        ]

        def check() -> None:
            self.limits.spend(PIVOT * len(rows) ** 2 * (len(rows) + len(system.variables)))
            self.limits.check("a linear system")

        try:
            found = solve(
                rows,
                len(system.variables),
                unwanted=lambda flow: _disconnected(system, flow),
                check=check,
            )
        except GaveUpError:
            return None
        return None if isinstance(found, tuple) else _written(found)


def _listed(key: Key) -> list[list[int]]:
    return [list(pair) for pair in key]


def _joined(one: Key, two: Key, sign: int) -> dict[int, int]:
    total = dict(one)
    for node, factor in two:
        total[node] = total.get(node, 0) + sign * factor
    return {node: factor for node, factor in total.items() if factor}


def _relations(keys: list[Key], related: list[Key]) -> Iterator[list[int]]:
    """Yield the combinations of two sums and of what they add up to that are 0."""
    for one, two in combinations(related, 2):
        for sign in (1, -1):
            joined = _joined(one, two, sign)
            if joined:
                multiple, key = normal(joined)
                factors = [0] * len(keys)
                factors[keys.index(one)] += 1
                factors[keys.index(two)] += sign
                factors[keys.index(key)] -= multiple
                if any(factors):
                    yield factors


def _disconnected(system: PathSystem, flow: Sequence[int]) -> Any:
    """Turn down a flow with a cycle that no path from the start reaches."""
    used = {(u, v) for (u, v, _), times in zip(system.variables, flow, strict=True) if times}
    apart = {v for edge in used for v in edge} - _reached({0}, used)
    if not apart:
        return None
    island = _reached({min(apart)}, used)
    inside = {k: -1 for k, (_, v, _) in enumerate(system.variables) if v in island}
    entering = {k: 1 for k in inside if system.variables[k][0] not in island}
    first = LinearRow(tuple(sorted(inside.items())), 0)
    return ("island", island), ((first,), (LinearRow(tuple(sorted(entering.items())), 1),))


def _reached(found: set[int], edges: set[tuple[int, int]]) -> set[int]:
    while more := {v for u, v in edges if u in found} - found:
        found = found | more
    return found


def _written(proof: Proof) -> list[Any]:
    if isinstance(proof, Farkas):
        return ["farkas", list(proof.multipliers)]
    if isinstance(proof, Divide):
        return ["divide", list(proof.multipliers), proof.modulus]
    assert isinstance(proof, Cases)
    (added, low), (_, high) = proof.branches
    if proof.reason == "whole":
        ((variable, _),) = added[0].terms
        return ["split", variable, -added[0].bound, _written(low), _written(high)]
    return ["island", sorted(proof.reason[1]), _written(low), _written(high)]
