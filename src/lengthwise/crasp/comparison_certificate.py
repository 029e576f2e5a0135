"""Certificates of comparisons: what `lengthwise verify` checks, without the search.

A region is shown by its word, or as empty by a walk or linear systems (:mod:`.check_comparison`).
Where a comparison proved it empty otherwise, such a proof is searched; where none is found, the
region stays open in the certificate.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.crasp.comparing import Key, Venn
from lengthwise.crasp.walks import Walks, statement

STEPS = 2_000_000
"""Steps that the checker may take for one try at a region."""


def certificate(
    venn: Venn, names: Sequence[str] = (), limits: Limits | None = None
) -> dict[str, Any]:
    """Return the certificate of a comparison.

    Example:
        >>> from lengthwise.crasp.check_comparison import check_comparison
        >>> from lengthwise.crasp.comparing import compare
        >>> from lengthwise.crasp.embedding import Q, count
        >>> from lengthwise.crasp.program import Program
        >>> more, less = (Program.of(count(Q["a"]) > k * count(Q["b"])) for k in (1, 2))
        >>> check_comparison(certificate(compare(more, less, "ab"))).relation
        'includes'
    """
    limits = limits or Limits(60)
    given = statement(venn.sides, venn.letters, venn.accept)
    if names:
        given["names"] = list(names)
    regions = [
        {"first": key[0], "second": key[1], **_region(given, key, venn, limits)}
        for key in venn.regions
    ]
    return {**given, "regions": regions}


def _region(given: Any, key: Key, venn: Venn, limits: Limits) -> dict[str, Any]:
    region = venn.regions[key]
    if region.word is not None:
        return {"word": list(region.word), "shortest": region.shortest}
    if region.walk is not None:
        return {"walk": region.walk}
    if region.empty:
        search = Walks(given, key, limits, STEPS)
        with suppress(LimitReachedError):
            for way in (search.followed, search.related, search.counted):
                if (walk := way()) is not None:
                    return {"walk": walk}
    return {"open": region.searched}
