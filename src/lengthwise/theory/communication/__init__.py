"""One-way communication: protocols that are really run, and row counts that bound them."""

from lengthwise.theory.communication.program_protocol import message_bits
from lengthwise.theory.communication.program_protocol import run_protocol as run_program_protocol
from lengthwise.theory.communication.rows import (
    Growth,
    OneWayProblem,
    count_rows,
    find_problem,
    growth,
)

__all__ = [
    "Growth",
    "OneWayProblem",
    "count_rows",
    "find_problem",
    "growth",
    "message_bits",
    "run_program_protocol",
]
