"""A shortest list of rules that fits: if guard then write the symbol a term names.

The list is built from its top. A rule may be added if its symbol is right at every question where
its guard holds and no earlier one does:

    questions     1 2 3 4 5 6
    guard         x x . . x .        right where the guard holds: a rule
    term right    x x . x x .        what is left: 3 4 6

Among the rules that cover at least half of what the widest one covers, the cheapest is taken.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.core.limits import Limits
from lengthwise.crasp.embedding import any_of, true
from lengthwise.crasp.syntax import Bool
from lengthwise.crasp.writing.examples import QuestionTable
from lengthwise.crasp.writing.guards import Guard
from lengthwise.crasp.writing.symbol_terms import SymbolTerm

MOST_RULES = 14
PAIRS = 130
"""Guards that are joined in twos, where single ones do not suffice."""
TABLE_TERMS, TABLE_SYMBOLS = 24, 10
"""Terms that are looked up in twos, over alphabets of at most this size."""


@dataclass(frozen=True)
class Action:
    """What a rule writes: for each token the Boolean under which it is written."""

    name: str
    cost: int
    cases: dict[str, Bool]


@dataclass(frozen=True)
class Rule:
    """If the guard holds (and none before), the token that the action names."""

    guard: Bool
    action: Action


@dataclass(frozen=True)
class _Choice:
    """An action with the questions that it answers rightly."""

    action: Action
    right: np.ndarray


class RuleSearch:
    """The rules for the questions of a table."""

    def __init__(
        self,
        table: QuestionTable,
        named: Sequence[SymbolTerm],
        guards: Sequence[Guard],
        limits: Limits,
    ) -> None:
        self._table, self._limits = table, limits
        self._named = list(named)
        self._values = [table.value(term.cases) for term in self._named]
        self._guards, self._holds = self._both_signs(guards)

    def _both_signs(self, guards: Sequence[Guard]) -> tuple[list[Guard], np.ndarray]:
        """Evaluate guards and their negations; of those that hold alike the cheapest stays."""
        found: dict[bytes, tuple[Guard, np.ndarray]] = {}
        for begin in range(0, len(guards), 200):
            part = guards[begin : begin + 200]
            for guard, row in zip(part, self._table.holds([g.node for g in part]), strict=True):
                for sign in (True, False):
                    node = guard.node if sign else ~guard.node
                    cost = guard.cost if sign or not guard.cost else guard.cost + 1
                    row_ = row if sign else ~row
                    key = np.packbits(row_).tobytes()
                    if row_.any() and (key not in found or found[key][0].cost > cost):
                        found[key] = (Guard(cost, node), row_)
            if self._limits.over:
                break
        return [guard for guard, _ in found.values()], np.stack([row for _, row in found.values()])

    def run(self) -> list[Rule] | None:
        """Return rules that answer every question, or None."""
        found = self._list(self._guards, self._holds, tables=False)
        if found is None and len(self._named) and self._small():
            found = self._list(self._guards, self._holds, tables=True)
        if found is None:
            found = self._list(*self._joined(), tables=self._small())
        return found

    def _small(self) -> bool:
        return len(self._named[0].cases) <= TABLE_SYMBOLS

    def _joined(self) -> tuple[list[Guard], np.ndarray]:
        """Return the guards and the conjunctions of the cheapest ones."""
        order = np.argsort([guard.cost for guard in self._guards], kind="stable")[:PAIRS]
        guards, rows = list(self._guards), [self._holds]
        for index, i in enumerate(order):
            others = order[index + 1 :]
            if not len(others):
                continue
            both = self._holds[others] & self._holds[i]
            keep = both.any(axis=1) & (both != self._holds[i]).any(axis=1)
            keep &= (both != self._holds[others]).any(axis=1)
            one = self._guards[int(i)]
            for j in others[keep]:
                two = self._guards[int(j)]
                guards.append(Guard(one.cost + two.cost + 1, one.node & two.node))
            rows.append(both[keep])
        return guards, np.concatenate(rows)

    def _list(self, guards: list[Guard], holds: np.ndarray, *, tables: bool) -> list[Rule] | None:
        left = np.ones(len(self._table), dtype=bool)
        rules: list[Rule] = []
        costs = np.array([guard.cost for guard in guards])
        most = MOST_RULES + len(self._table.symbols) // 4
        while left.any():
            if len(rules) == most or self._limits.over:
                return None
            choice = self._best(guards, holds[:, left], costs, left, tables=tables)
            if choice is None:
                return None
            place, action = choice
            rules.append(Rule(guards[place].node, action))
            left &= ~holds[place]
        return rules

    def _best(
        self,
        guards: list[Guard],
        holds: np.ndarray,
        costs: np.ndarray,
        left: np.ndarray,
        *,
        tables: bool,
    ) -> tuple[int, Action] | None:
        """Return the guard and the action of the next rule."""
        choices = list(self._choices(left, tables=tables))
        wrong = np.stack([~choice.right for choice in choices]).astype(np.float32)
        mistakes = wrong @ holds.T.astype(np.float32)  # (actions, guards)
        size = holds.sum(axis=1)
        pure = (mistakes == 0) & (size > 0)
        if not pure.any():
            return None
        reach = np.where(pure, size, 0)
        allowed = pure & (2 * reach >= reach.max())
        price = costs + np.array([choice.action.cost for choice in choices])[:, None]
        score = np.where(allowed, price - reach / (reach.max() + 1), np.inf)
        action, guard = np.unravel_index(int(score.argmin()), score.shape)
        return int(guard), choices[int(action)].action

    def _choices(self, left: np.ndarray, *, tables: bool) -> Iterator[_Choice]:
        """Yield constants, terms, terms through a map, and tables of two terms."""
        wanted, symbols = self._table.wanted[left], self._table.symbols
        for code in np.unique(wanted).tolist():
            name = symbols[code]
            yield _Choice(Action(f"write {name}", 0, {name: true}), wanted == code)
        values = [value[left] for value in self._values]
        size = len(symbols) + 1
        for term, value in zip(self._named, values, strict=True):
            right = value == wanted
            if right.any():
                yield _Choice(Action(term.name, term.cost, term.cases), right)
            mapped = _mapped(term, value, wanted, symbols)
            if mapped is not None:
                yield mapped
        if not tables:
            return
        cheap = np.argsort([term.cost for term in self._named], kind="stable")[:TABLE_TERMS]
        for index, i in enumerate(cheap):
            for j in cheap[index + 1 :]:
                joint = (values[i] + 1) * size + values[j] + 1
                yield _looked_up(self._named[i], self._named[j], joint, size, wanted, symbols)


def _mapped(
    term: SymbolTerm, value: np.ndarray, wanted: np.ndarray, symbols: Sequence[str]
) -> _Choice | None:
    """Send each value of a term to the token that is wanted most often there."""
    known = value >= 0
    table = np.zeros((len(symbols), len(symbols)), dtype=np.int64)
    np.add.at(table, (value[known], wanted[known]), 1)
    seen = np.flatnonzero(table.any(axis=1))
    target = table.argmax(axis=1)
    changed = int((target[seen] != seen).sum())
    if not changed or len(set(target[seen].tolist())) == 1:
        return None
    right = known & (target[value] == wanted)
    cases: dict[str, list[Bool]] = {}
    for code in seen.tolist():
        cases.setdefault(symbols[int(target[code])], []).append(term.cases[symbols[code]])
    nodes = {token: any_of(options) for token, options in cases.items()}
    return _Choice(Action(f"{term.name}, mapped", term.cost + 1 + changed, nodes), right)


def _looked_up(
    one: SymbolTerm,
    two: SymbolTerm,
    joint: np.ndarray,
    size: int,
    wanted: np.ndarray,
    symbols: Sequence[str],
) -> _Choice:
    """Send each pair of values to the token that is wanted most often there."""
    table = np.zeros((size * size, len(symbols)), dtype=np.int64)
    np.add.at(table, (joint, wanted), 1)
    seen = np.flatnonzero(table.any(axis=1))
    target = table.argmax(axis=1)
    cases: dict[str, list[Bool]] = {}
    for code in seen.tolist():
        first, second = divmod(code, size)
        node = _is(one, symbols, first - 1) & _is(two, symbols, second - 1)
        cases.setdefault(symbols[int(target[code])], []).append(node)
    nodes = {token: any_of(options) for token, options in cases.items()}
    name = f"{one.name} and {two.name}, looked up"
    return _Choice(
        Action(name, one.cost + two.cost + 4 + len(seen), nodes), target[joint] == wanted
    )


def _is(term: SymbolTerm, symbols: Sequence[str], code: int) -> Bool:
    """Whether a term has a value; -1 stands for none."""
    if code < 0:
        return ~any_of(term.cases.values())
    return term.cases[symbols[code]]
