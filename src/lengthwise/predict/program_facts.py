"""What goes with a yes by a program: depth, size, layers, fragment, range of counts."""

from typing import Any

from lengthwise.crasp.facts import analyse, ranges
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import postorder

LENGTH = 100
"""Counter ranges are given for words of this length."""


def program_facts(program: Program) -> dict[str, Any]:
    """Return depth, size, layers, fragment and the largest count on words of length 100.

    Example:
        >>> from lengthwise.crasp.library import load
        >>> program_facts(load("dyck-1"))["depth"]
        2
    """
    summary = analyse(program)
    found = ranges(postorder(program.roots), LENGTH).values()
    largest = max((max(abs(low), abs(high)) for low, high in found), default=0)
    return {
        "depth": summary.depth,
        "size": summary.size,
        "layers": len(summary.layers),
        "fragment": summary.fragment,
        "modulus": max(summary.periods, default=1),
        "window": max(summary.offsets, default=0),
        "counter_range": f"at most {largest} on words of length {LENGTH}",
    }
