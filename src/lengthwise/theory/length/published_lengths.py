"""Published bounds on the training length, with what they assume and how well they are known here.

From abstracts and summaries of Chen, Ma and Li (arXiv 2506.03085), Izzo et al. (2510.27015) and
Yang et al. (2603.02238); constants were not read in the originals.
"""

from typing import Any

from lengthwise.crasp.facts import analyse
from lengthwise.crasp.program import Program

UNREAD = "constants not read in the original"
"""How well most of them are known."""


def published_bounds(states: int | None, program: Program | None) -> list[dict[str, Any]]:
    """Return the bounds that speak of a language: a statement, its assumption, how well known.

    Example:
        >>> published_bounds(3, None)[0]["bound"]
        '2n - 2 = 4'
    """
    rows: list[dict[str, Any]] = []
    if states is not None:
        rows.append(
            {
                "bound": f"2n - 2 = {2 * states - 2}",
                "assumes": f"the simplest of automata by states; n = {states}",
                "source": "Chen, Ma and Li 2025",
                "known": "worst case over all automata with n states; constant known",
            }
        )
    if program is not None:
        rows += _of_program(program)
    rows.append(
        {
            "bound": "O(max(2^(p/gamma), L^2 D^7 |Sigma|^6 t^2 / e^2))",
            "assumes": "limit transformers of one layer, precision p, period D, locality t, "
            "margin gamma, error e",
            "source": "arXiv 2510.27015",
            "known": f"{UNREAD}; two summaries disagree on the first term",
        }
    )
    return rows


def _of_program(program: Program) -> list[dict[str, Any]]:
    facts = analyse(program)
    found: list[tuple[str, str, str]] = []
    if facts.positive:
        found.append(
            ("exponential in the size, and tight", "the positive fragment", "Yang et al. 2026")
        )
    if facts.depth <= 1:
        found.append(("O(T^2)", "one layer of counting, precision T", "Chen, Ma and Li 2025"))
    elif facts.depth == 2:
        found.append(
            ("O(T^O(K))", "two layers, restricted, K heads, precision T", "Chen, Ma and Li 2025")
        )
    if facts.depth >= 2 and not facts.positive:
        found.append(("none is computable", "two layers or more, in general", "Yang et al. 2026"))
    return [
        {"bound": bound, "assumes": assumes, "source": source, "known": UNREAD}
        for bound, assumes, source in found
    ]
