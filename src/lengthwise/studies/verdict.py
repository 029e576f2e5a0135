"""How a study came out, in a paragraph: counted from its claims."""

from collections.abc import Mapping, Sequence
from typing import Any

from lengthwise.records.outcomes import headline

Claims = Sequence[Mapping[str, Any]]
MOST = 4
"""Sections that are named one by one."""


def verdict(claims: Claims) -> str:
    """Say how many claims held, where some did not, and where all did.

    Example:
        >>> claims = [{"section": "Figure 1", "status": "held"}] * 3
        >>> claims += [{"section": "section 5", "status": "not held"}]
        >>> verdict(claims)
        '3 of 4 claims held. Not all of section 5 (0 of 1); all that came out of Figure 1 did.'
    """
    main = [claim for claim in claims if claim.get("headline", True)]
    other = [claim for claim in claims if not claim.get("headline", True)]
    said = []
    if main:
        counted = headline(str(claim.get("status")) for claim in main)
        said.append(f"{counted.replace(' held', ' claims held', 1)}.")
        said += _sections(main)
    if other:
        counted = headline(str(claim.get("status")) for claim in other)
        said.append(f"Of the exploratory claims {counted}.")
    return " ".join(said)


def _sections(claims: Claims) -> list[str]:
    parts = {name: [str(c.get("status")) for c in of] for name, of in by_section(claims).items()}
    wrong = {name: found for name, found in parts.items() if "not held" in found}
    whole = [n for n, found in parts.items() if "held" in found and "not held" not in found]
    if not wrong:
        return []
    worst = sorted(wrong, key=lambda name: -wrong[name].count("not held"))
    named = ", ".join(f"{name} ({_share(wrong[name])})" for name in worst[:MOST])
    more = f" and {len(worst) - MOST} more" if len(worst) > MOST else ""
    right = ", ".join(whole[:MOST]) + (" and others" if len(whole) > MOST else "")
    held = f"; all that came out of {right} did" if right else ""
    return [f"Not all of {named}{more}{held}."]


def _share(found: Sequence[str]) -> str:
    held = found.count("held")
    return f"{held} of {held + found.count('not held')}"


def by_section(claims: Claims) -> dict[str, list[Mapping[str, Any]]]:
    """Return claims by the section of the paper that makes them, in its order."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for claim in claims:
        found.setdefault(str(claim.get("section") or "claims"), []).append(claim)
    return found
