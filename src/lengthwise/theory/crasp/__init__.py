"""C-RASP[periodic, local]: write, check, run, learn and read counting programs."""

from lengthwise.theory.crasp.embedding import (
    Q,
    all_of,
    any_of,
    count,
    count_before,
    exists,
    false,
    maximum,
    minimum,
    never,
    number,
    pos,
    prev,
    total,
    true,
    where,
)
from lengthwise.theory.crasp.printer import to_latex, to_text
from lengthwise.theory.crasp.program import Program
from lengthwise.theory.crasp.syntax import Bool, Count, Expression

__all__ = [
    "Bool",
    "Count",
    "Expression",
    "Program",
    "Q",
    "all_of",
    "any_of",
    "count",
    "count_before",
    "exists",
    "false",
    "maximum",
    "minimum",
    "never",
    "number",
    "pos",
    "prev",
    "to_latex",
    "to_text",
    "total",
    "true",
    "where",
]
