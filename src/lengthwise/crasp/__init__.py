"""C-RASP[periodic, local]: write, check, run, learn and read counting programs.

``parse`` and ``Program`` read and hold programs, the embedding (``Q``, ``count``, ``prev``, ...)
writes them in Python, ``accepts``, ``evaluate`` and ``generate`` run them, ``trace`` shows a run,
``analyse`` and ``simplify`` look at them without running. Comparing and learning are in
:mod:`.checking` and :mod:`.learning`, the programs that come along in :mod:`.library`.
"""

from lengthwise.crasp.embedding import (
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
from lengthwise.crasp.facts import analyse
from lengthwise.crasp.interpreter import accepts, evaluate
from lengthwise.crasp.parser import parse, parse_file
from lengthwise.crasp.printer import to_latex, to_text
from lengthwise.crasp.program import Program
from lengthwise.crasp.simplify import simplify
from lengthwise.crasp.syntax import Bool, Count, Expression
from lengthwise.crasp.trace import trace
from lengthwise.crasp.writers import generate, predictions, teacher_forced
from lengthwise.languages.words import Words

__all__ = [
    "Bool",
    "Count",
    "Expression",
    "Program",
    "Q",
    "Words",
    "accepts",
    "all_of",
    "analyse",
    "any_of",
    "count",
    "count_before",
    "evaluate",
    "exists",
    "false",
    "generate",
    "maximum",
    "minimum",
    "never",
    "number",
    "parse",
    "parse_file",
    "pos",
    "predictions",
    "prev",
    "simplify",
    "teacher_forced",
    "to_latex",
    "to_text",
    "total",
    "trace",
    "true",
    "where",
]
