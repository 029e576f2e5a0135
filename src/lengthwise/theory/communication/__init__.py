"""One-way communication: protocols that are really run, and lower bounds on what they must send."""

from lengthwise.theory.communication.check_fooling import check_fooling
from lengthwise.theory.communication.program_protocol import message_bits
from lengthwise.theory.communication.program_protocol import run_protocol as run_program_protocol
from lengthwise.theory.communication.rows import Growth, Problem, count_rows, growth

__all__ = [
    "Growth",
    "Problem",
    "check_fooling",
    "count_rows",
    "growth",
    "message_bits",
    "run_program_protocol",
]
