"""The automaton everything else works on: complete, immutable, validated integer arrays."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lengthwise.core.errors import InputError
from lengthwise.languages.counting import WordTable
from lengthwise.languages.graphs import live, reachable, walk_back
from lengthwise.languages.partition import coarsest_congruence

MAX_CELLS = 20_000_000
"""Largest transition table (states times symbols) that is accepted."""


@dataclass(frozen=True, eq=False)
class DFA:
    """A complete deterministic automaton; symbols are strings, states are 0, 1, 2, ...

    Args:
        alphabet: distinct symbols; a word is a sequence of them or of their indices.
        transitions: next state, shape (states, symbols).
        initial: the start state.
        accepting: one truth value per state.

    Example:
        >>> even = DFA(("a", "b"), [[1, 0], [0, 1]], 0, [True, False])  # even number of a
        >>> even.accepts("abab"), even.accepts("ab")
        (True, False)
    """

    alphabet: tuple[str, ...]
    transitions: NDArray[np.int32]
    initial: int
    accepting: NDArray[np.bool_]
    _tables: dict[str, Any] = field(default_factory=dict, repr=False)

    def __init__(
        self, alphabet: Iterable[str], transitions: ArrayLike, initial: int, accepting: ArrayLike
    ) -> None:
        symbols = tuple(alphabet)
        table = np.asarray(transitions)
        final = np.asarray(accepting, dtype=bool)
        _validate(symbols, table, initial, final)
        table = table.astype(np.int32)
        final = final.copy()
        table.setflags(write=False)
        final.setflags(write=False)
        values = {"alphabet": symbols, "transitions": table, "initial": int(initial)}
        for name, value in {**values, "accepting": final, "_tables": {}}.items():
            object.__setattr__(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_tables": {}}

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.transitions)

    @property
    def symbols(self) -> int:
        """Number of symbols."""
        return len(self.alphabet)

    # ---- reading words -------------------------------------------------------------------

    def encode(self, word: Iterable[str]) -> list[int]:
        """Turn symbols into indices, e.g. ``"ab"`` into ``[0, 1]``."""
        index = {symbol: number for number, symbol in enumerate(self.alphabet)}
        try:
            return [index[symbol] for symbol in word]
        except KeyError as error:
            allowed = " ".join(self.alphabet[:20])
            message = f"symbol {error.args[0]!r} is not in the alphabet; allowed: {allowed}."
            raise InputError(message) from None

    def decode(self, word: Iterable[int]) -> str:
        """Write indices as text; symbols longer than one character are separated by spaces."""
        gap = "" if all(len(symbol) == 1 for symbol in self.alphabet) else " "
        return gap.join(self.alphabet[index] for index in word if index >= 0)

    def step(self, state: int, word: Iterable[int]) -> int:
        """Return the state reached from ``state`` by a word of indices."""
        for symbol in word:
            state = int(self.transitions[state, symbol])
        return state

    def accepts(self, word: Iterable[str]) -> bool:
        """Tell whether the word (symbols, not indices) is in the language."""
        return bool(self.accepting[self.step(self.initial, self.encode(word))])

    def run(self, words: ArrayLike) -> NDArray[np.int32]:
        """Run a batch of words of indices, shape (B, T); return the states, shape (B, T + 1).

        A negative index is padding and leaves the state unchanged, so right-padded words of
        unequal length may share a batch and ``accepting[run(words)[:, -1]]`` is the answer.
        """
        batch = np.asarray(words, dtype=np.int64)
        stay = np.arange(self.states, dtype=np.int32)[:, None]
        table = np.hstack([self.transitions, stay])
        symbols = np.where(batch < 0, self.symbols, batch)
        visited = np.empty((batch.shape[0], batch.shape[1] + 1), dtype=np.int32)
        visited[:, 0] = self.initial
        for time in range(batch.shape[1]):
            visited[:, time + 1] = table[visited[:, time], symbols[:, time]]
        return visited

    # ---- new automata from old -----------------------------------------------------------

    def minimise(self) -> "DFA":
        """Return the minimal complete automaton, states numbered breadth first from the start."""
        kept = self.restrict(reachable(self.transitions, self.initial))
        classes = coarsest_congruence(kept.transitions, kept.accepting.astype(np.int64))
        return kept.merge(classes).renumber()

    def merge(self, classes: NDArray[np.int32]) -> "DFA":
        """Identify states of equal class; the classes must respect transitions."""
        _, first = np.unique(classes, return_index=True)
        table = classes[self.transitions[first]]
        return DFA(self.alphabet, table, int(classes[self.initial]), self.accepting[first])

    def restrict(self, keep: NDArray[np.bool_]) -> "DFA":
        """Keep a set of states that contains the start and is closed under transitions."""
        new = np.cumsum(keep, dtype=np.int64) - 1
        table = new[self.transitions[keep]]
        return DFA(self.alphabet, table, int(new[self.initial]), self.accepting[keep])

    def renumber(self) -> "DFA":
        """Number the states in the order in which a breadth-first walk meets them."""
        order, seen = [self.initial], {self.initial}
        for state in order:
            for target in self.transitions[state].tolist():
                if target not in seen:
                    seen.add(target)
                    order.append(target)
        new = np.zeros(self.states, dtype=np.int32)
        new[order] = np.arange(len(order))
        return DFA(self.alphabet, new[self.transitions[order]], 0, self.accepting[order])

    def with_accepting(self, accepting: ArrayLike) -> "DFA":
        """Return the same automaton with other accepting states."""
        return DFA(self.alphabet, self.transitions, self.initial, accepting)

    def complement(self) -> "DFA":
        """Return an automaton of the words that this one rejects."""
        return self.with_accepting(~self.accepting)

    def quotient(self, symbol: str) -> "DFA":
        """Return the minimal automaton of the right quotient, the words w with w·symbol accepted.

        Example:
            >>> DFA("ab", [[0, 1], [0, 1]], 0, [False, True]).quotient("b").states
            1
        """
        column = self.transitions[:, self.encode([symbol])[0]]
        return self.with_accepting(self.accepting[column]).minimise()

    def derivative(self, word: Iterable[str]) -> "DFA":
        """Return an automaton of the left quotient, the words v with word·v accepted."""
        state = self.step(self.initial, self.encode(word))
        return DFA(self.alphabet, self.transitions, state, self.accepting)

    def product(self, other: "DFA", accept: str = "and") -> "DFA":
        """Return the reachable product; ``accept`` is ``and``, ``or``, ``xor`` or ``minus``."""
        _same_alphabet(self, other)
        combine = {
            "and": np.logical_and,
            "or": np.logical_or,
            "xor": np.logical_xor,
            "minus": lambda mine, theirs: mine & ~theirs,
        }
        if accept not in combine:
            raise InputError(f"product: accept is {accept!r}; allowed: {', '.join(combine)}.")
        pairs = {(self.initial, other.initial): 0}
        rows: list[list[int]] = []
        for mine, theirs in _growing(pairs):
            both = zip(
                self.transitions[mine].tolist(), other.transitions[theirs].tolist(), strict=True
            )
            rows.append([pairs.setdefault(pair, len(pairs)) for pair in both])
        left, right = np.array(list(pairs)).T
        final = combine[accept](self.accepting[left], other.accepting[right])
        return DFA(self.alphabet, rows, 0, final)

    def reverse(self, max_states: int = 100_000) -> "DFA":
        """Return the minimal automaton of the reversed words, by the subset construction."""
        sources = [
            [0] * self.states for _ in range(self.symbols)
        ]  # bit masks: who steps into a state
        for state, row in enumerate(self.transitions.tolist()):
            for symbol, target in enumerate(row):
                sources[symbol][target] |= 1 << state
        start = sum(1 << int(state) for state in np.flatnonzero(self.accepting))
        table, masks = determinise(start, sources, max_states)
        final = [bool(mask >> self.initial & 1) for mask in masks]
        return DFA(self.alphabet, table, 0, final).minimise()

    # ---- comparing -----------------------------------------------------------------------

    def live(self) -> NDArray[np.bool_]:
        """Mark the states from which an accepting state is reachable."""
        return live(self.transitions, self.accepting)

    def distinguishing_word(self, other: "DFA") -> tuple[int, ...] | None:
        """Return a shortest word (indices) that exactly one of the two accepts, else None."""
        _same_alphabet(self, other)
        return shortest_difference(
            (self.transitions, self.initial, self.accepting),
            (other.transitions, other.initial, other.accepting),
        )

    def equivalent(self, other: "DFA") -> bool:
        """Tell whether both accept the same words."""
        return self.distinguishing_word(other) is None

    # ---- counting and drawing words ------------------------------------------------------

    def count_words(self, length: int) -> int:
        """Count the accepted words of one length, exactly.

        Example:
            >>> DFA("ab", [[1, 0], [0, 1]], 0, [True, False]).count_words(10)
            512
        """
        return self._table().count(length)

    def sample(
        self, rng: "np.random.Generator", lengths: ArrayLike, pad: int = -1
    ) -> NDArray[np.int64]:
        """Draw one uniformly random accepted word per entry of ``lengths``.

        Returns indices, shape (B, max length), right-padded with ``pad``. The draw is exactly
        uniform given uniform random bits (see ``words``), and vectorised over the batch.
        """
        return self._table().sample(rng, np.asarray(lengths, dtype=np.int64), pad)

    def _table(self) -> WordTable:
        table = WordTable(self.transitions, self.initial, self.accepting)
        return self._tables.setdefault("words", table)


Outputs = tuple[NDArray[np.int32], int, NDArray[Any]]
"""Transitions, start state and one output per state."""


def shortest_difference(one: Outputs, two: Outputs) -> tuple[int, ...] | None:
    """Return a shortest word after which two machines give different outputs, else None."""
    (table, start, outputs), (other_table, other_start, other_outputs) = one, two
    parents: dict[tuple[int, int], tuple[tuple[int, int], int] | None] = {
        (start, other_start): None
    }
    queue = deque(parents)
    while queue:
        pair = queue.popleft()
        if outputs[pair[0]] != other_outputs[pair[1]]:
            return walk_back(parents, pair)
        targets = zip(table[pair[0]].tolist(), other_table[pair[1]].tolist(), strict=True)
        for symbol, target in enumerate(targets):
            if target not in parents:
                parents[target] = (pair, symbol)
                queue.append(target)
    return None


def determinise(
    start: int, moves: Sequence[Sequence[int]], max_states: int
) -> tuple[list[list[int]], list[int]]:
    """Run the subset construction on bit masks.

    ``moves[symbol][state]`` is the mask of successors of one state. Returns the table and the
    mask of every subset met; refuses more than ``max_states`` of them.
    """
    subsets = {start: 0}
    rows: list[list[int]] = []
    for mask in _growing(subsets):
        members = [state for state, bit in enumerate(bin(mask)[:1:-1]) if bit == "1"]
        row: list[int] = []
        for successors in moves:
            target = 0
            for state in members:
                target |= successors[state]
            row.append(subsets.setdefault(target, len(subsets)))
        if len(subsets) > max_states:
            raise InputError(
                f"the automaton needs more than {max_states:,} states; simplify the language "
                "or raise the limit on states."
            )
        rows.append(row)
    return rows, list(subsets)


def _growing(found: dict[Any, int]) -> Iterable[Any]:
    """Yield the keys of a dictionary that grows while it is read, in order of insertion."""
    done: list[Any] = []
    while len(done) < len(found):
        fresh = list(found)[len(done) :]
        done += fresh
        yield from fresh


def _same_alphabet(one: DFA, two: DFA) -> None:
    if one.alphabet != two.alphabet:
        raise InputError(
            f"the automata have different alphabets: {' '.join(one.alphabet[:20])} and "
            f"{' '.join(two.alphabet[:20])}."
        )


def _validate(
    symbols: tuple[str, ...], table: NDArray[Any], initial: int, final: NDArray[np.bool_]
) -> None:
    if not symbols:
        raise InputError("the alphabet is empty; name at least one symbol.")
    if len(set(symbols)) < len(symbols):
        twice = next(symbol for symbol in symbols if symbols.count(symbol) > 1)
        raise InputError(f"the alphabet names {twice!r} twice.")
    if table.ndim != 2 or not len(table) or table.shape[1] != len(symbols):
        raise InputError(
            f"transitions have shape {table.shape}; expected (states, {len(symbols)})."
        )
    if table.size > MAX_CELLS:
        raise InputError(
            f"{len(table):,} states times {len(symbols):,} symbols is {table.size:,} transitions;"
            f" the limit is {MAX_CELLS:,}."
        )
    if not np.issubdtype(table.dtype, np.integer):
        raise InputError(f"transitions must be integers, not {table.dtype}.")
    if table.min() < 0 or table.max() >= len(table):
        state, symbol = np.argwhere((table < 0) | (table >= len(table)))[0]
        raise InputError(
            f"transition of state {state} on {symbols[symbol]!r} goes to "
            f"{table[state, symbol]}; states are 0 to {len(table) - 1}."
        )
    if not 0 <= initial < len(table):
        raise InputError(f"initial state {initial}; states are 0 to {len(table) - 1}.")
    if final.shape != (len(table),):
        raise InputError(f"accepting has shape {final.shape}; expected ({len(table)},).")
