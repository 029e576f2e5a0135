"""Copying distinct symbols without any position predicate: by rank instead of by neighbour.

The published flag for unique copy without positions is "no program found" (Huang et al. 2025).
There is one. The number of positions before the first ``s``, ``#[PRE and #s = 0]``, is the rank of
``s`` in the input, and the number of positions from ``<sep>`` on says which rank is due. Program
ours; it compares two counts that grow with the input exactly, which trained models without
positions do not seem to learn (see ``docs/predict.md``).
"""

from collections.abc import Sequence

from lengthwise.crasp.embedding import Q, count, exists, never
from lengthwise.crasp.families import EOS, SEP
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Bool


def plain_unique_copy(symbols: Sequence[str]) -> Program:
    """Copy distinct symbols after ``<sep>``, then ``<eos>``, in plain C-RASP of depth 2.

    Example:
        >>> from lengthwise.crasp import analyse, generate
        >>> program = plain_unique_copy("abc")
        >>> generate(program, [["c", "a", "<sep>"]], stop="<eos>")
        [('c', 'a', '<eos>')]
        >>> analyse(program).fragment, analyse(program).depth
        ('plain', 2)
    """
    before = never(Q[SEP])
    due = count(~before)
    outputs: dict[str, Bool] = {}
    for symbol in symbols:
        rank = count(before & (count(Q[symbol]) == 0))
        outputs[symbol] = exists(Q[symbol] & before) & (due == rank + 1)
    outputs[EOS] = due == count(before) + 1
    return Program({"PRE": before, "DUE": due}, alphabet=(*symbols, SEP, EOS), next=outputs)
