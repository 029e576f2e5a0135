"""Row counts and protocol runs of one subject, put together."""

from dataclasses import dataclass

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.crasp.program import Program
from lengthwise.theory.communication.program_protocol import run_protocol
from lengthwise.theory.communication.rows import Growth, find_problem, find_program, growth
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
    """Lower bounds by rows; for programs also the messages that were really sent."""

    subject: str
    growth: Growth | None
    """None for programs that write symbols, which have no matrix of yes and no."""
    messages: tuple[MessageSize, ...]

    @property
    def verdict(self) -> str:
        """``silent``, ``log`` or ``linear``; a program's own protocol is never worse than log."""
        return "log" if self.growth is None else self.growth.verdict


def report(subject: str, longest: int = 6, parameters: str = "") -> CommunicationReport:
    """Return what can be counted about a task, a problem or a program.

    Example:
        >>> report("parity", 4).verdict
        'silent'
    """
    if longest < 2:
        raise InputError(f"--longest {longest}: at least 2 halves are needed to see growth.")
    program = find_program(subject, parameters)
    messages = tuple(message_size(program, half) for half in HALVES) if program else ()
    if program is not None and program.is_generator:
        return CommunicationReport(subject, None, messages)
    return CommunicationReport(
        subject, growth(find_problem(subject, parameters), longest), messages
    )


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
