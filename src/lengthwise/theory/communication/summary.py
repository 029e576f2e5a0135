"""Row counts, what must be told apart and protocol runs of one subject, put together."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.program import Program
from lengthwise.languages.asked import Asked
from lengthwise.theory.communication.fooling import certificate, find_family
from lengthwise.theory.communication.program_protocol import run_protocol
from lengthwise.theory.communication.rows import Growth, OneWayProblem, growth
from lengthwise.theory.communication.transformer_protocol import run_protocol as run_model_protocol
from lengthwise.theory.limit.compiler import compile_program

HALVES = (8, 16, 32, 64)
TOLERANCE = 1e-9


@dataclass(frozen=True)
class MessageSize:
    """Bits of the two protocols for halves of one length, after both were run and checked."""

    half: int
    program_bits: int
    model_bits: int
    table_bits: int


@dataclass(frozen=True)
class CommunicationReport:
    """Lower bounds by rows; for programs also the messages that were really sent.

    ``fooling`` are sets of prefixes that must be told apart, as a certificate; ``split`` says who
    holds what. ``goes_on`` says that long prefixes were told apart too: rows that multiply with
    every letter may also stop, as those of a window do.
    """

    subject: str
    growth: Growth | None
    """None for programs that write symbols, and where nothing could be counted."""
    messages: tuple[MessageSize, ...] = ()
    fooling: dict[str, Any] | None = None
    split: str = "Alice holds the first half, Bob the second"
    goes_on: bool = False
    states: int | None = None
    """Of the automaton, for a regular language: Alice can always send the state."""

    @property
    def verdict(self) -> str:
        """``silent``, ``log`` or ``linear``; ``unknown`` where counts do not say.

        An automaton needs constant bits and a program's own protocol logarithmic ones, whatever
        short halves look like.
        """
        if self.states is not None:
            return "silent"
        found = "linear" if self.growth is None else self.growth.verdict
        if found == "linear" and not self.goes_on:
            return "log" if self.messages else "unknown"
        return found


def program_report(name: str, program: Program, longest: int = 6) -> CommunicationReport:
    """Count the rows of a recogniser and run the protocols of any program.

    Example:
        >>> from lengthwise.crasp.library import load
        >>> program_report("majority", load("majority"), 4).verdict
        'log'
    """
    messages = tuple(message_size(program, half) for half in HALVES)
    if program.is_generator:
        return CommunicationReport(name, None, messages)
    problem = OneWayProblem(
        name, program.all_letters(), lambda words: np.asarray(accepts(program, words))
    )
    return CommunicationReport(name, growth(problem, _least(longest)), messages)


def language_report(problem: OneWayProblem, states: int, longest: int = 6) -> CommunicationReport:
    """Count the rows of a regular language, whose automaton has so many states."""
    return CommunicationReport(problem.name, growth(problem, _least(longest)), states=states)


def function_report(
    name: str, asked: Asked, longest: int = 6, seconds: float = 10.0
) -> CommunicationReport:
    """Look for prefixes of a predicate that must be told apart; else count the rows of halves.

    Example:
        >>> asked = Asked(lambda word: word == word[::-1], "abc")
        >>> function_report("palindromes", asked).growth.rows
        (2, 4, 8, 16, 32, 64, 128)
    """
    longest = _least(longest)
    asked.read_all(seconds=seconds)
    family = None if asked.constant else find_family(asked, seconds)
    found = None if family is None else certificate(asked, family)
    if family is not None and found is not None:
        sizes = tuple(len(item["prefixes"]) for item in found["sets"])
        lengths = tuple(len(item["prefixes"][0]) for item in found["sets"])
        start = f"{family.start!r} and then " if family.start else ""
        first, last = (found["sets"][k]["suffixes"][-1] for k in (0, 1))
        split = (
            f"Alice holds {start}any of {family.blocks[0]!r} and {family.blocks[1]!r}, Bob a "
            f"suffix such as {first!r} or {last!r}"
        )
        grown = Growth(lengths, sizes)
        return CommunicationReport(name, grown, fooling=found, split=split, goes_on=True)
    halves = [h for h in range(1, longest + 1) if 2 * h <= asked.complete]
    if not halves:
        return CommunicationReport(name, None)
    rows = [_rows(asked, half) for half in halves]
    return CommunicationReport(name, Growth(tuple(halves), tuple(rows)))


def _rows(asked: Asked, half: int) -> int:
    side = len(asked.letters) ** half
    return len(np.unique(asked.tables[2 * half].reshape(side, side), axis=0))


def _least(longest: int) -> int:
    if longest < 2:
        raise InputError(f"--longest {longest}: at least 2 halves are needed to see growth.")
    return longest


def message_size(program: Program, half: int, *, pairs: int = 3, seed: int = 0) -> MessageSize:
    """Run both protocols on random words and return the largest messages."""
    rng, letters = np.random.default_rng(seed), program.letters()
    limit = compile_program(program, periodic="short")
    sizes: list[tuple[int, int, int]] = []
    for _ in range(pairs):
        word = [letters[code] for code in rng.integers(len(letters), size=2 * half)]
        message = run_protocol(program, word[:half], word[half:])
        summary, difference = run_model_protocol(limit, limit.encode([word])[0], half + 1)
        if difference > TOLERANCE:
            raise InputError(f"protocol: Bob's activations are off by {difference:g}.")
        sizes.append((message.bits, summary.bits, summary.table_bits))
    return MessageSize(half, *(max(column) for column in zip(*sizes, strict=True)))
