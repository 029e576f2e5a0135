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
        >>> claims = [{"section": "Table 1", "status": "held"}] * 3
        >>> claims += [{"section": "Table 2", "status": "not held"}]
        >>> verdict(claims)
        '3 of 4 claims held. Not held: Table 2 (1 of 1). All of Table 1 that could be judged held.'
    """
    main = [claim for claim in claims if claim.get("headline", True)]
    other = [claim for claim in claims if not claim.get("headline", True)]
    said = []
    if main:
        said.append(_counted("claims", main))
        said += _sections(main)
    if other:
        said.append(_counted("exploratory claims", other))
    return " ".join(said)


def _counted(what: str, claims: Claims) -> str:
    """Count claims; where none came out, say that instead of counting none of none.

    Example:
        >>> _counted("claims", [{"status": "inconclusive"}] * 2)
        'None of the claims can be judged yet: 2 inconclusive.'
    """
    counted = headline(str(claim.get("status")) for claim in claims)
    if counted.startswith("0 of 0 held; "):
        return f"None of the {what} can be judged yet: {counted.partition('; ')[2]}."
    return f"{counted.replace(' held', f' {what} held', 1)}."


def _sections(claims: Claims) -> list[str]:
    parts = {name: [str(c.get("status")) for c in of] for name, of in by_section(claims).items()}
    wrong = {name: found for name, found in parts.items() if "not held" in found}
    whole = [n for n, found in parts.items() if "held" in found and "not held" not in found]
    if not wrong:
        return []
    worst = sorted(wrong, key=lambda name: -wrong[name].count("not held"))
    named = "; ".join(f"{name} ({_share(wrong[name])})" for name in worst[:MOST])
    more = f"; {len(worst) - MOST} more" if len(worst) > MOST else ""
    right = "; ".join(whole[:MOST]) + ("; others" if len(whole) > MOST else "")
    held = [f"All of {right} that could be judged held."] if right else []
    return [f"Not held: {named}{more}.", *held]


def _share(found: Sequence[str]) -> str:
    lost = found.count("not held")
    return f"{lost} of {found.count('held') + lost}"


def by_section(claims: Claims) -> dict[str, list[Mapping[str, Any]]]:
    """Return claims by the section of the paper that makes them, in its order."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for claim in claims:
        found.setdefault(str(claim.get("section") or "claims"), []).append(claim)
    return found
