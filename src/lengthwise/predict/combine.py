"""From evidence to one verdict per encoding, never stronger than the weakest needed link.

Within one class, a yes and a no cannot both be right: the verdict is then ``undecided`` and both
are shown. Where two theories speak about one encoding, the stronger answer stands and the other is
shown as a conflict; at equal strength the verdict is ``undecided``. Citations and measurements
never decide; where they disagree with a verdict they are shown as conflicts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lengthwise.predict.classes import TITLES, Link, inside, links, outside
from lengthwise.predict.types import (
    STRENGTHS,
    AnswerName,
    Evidence,
    Strength,
    Verdict,
    weakest,
)
from lengthwise.records.outcomes import agreement

_ORDER = list(STRENGTHS)


@dataclass(frozen=True)
class _Opinion:
    """What one theory says about one encoding."""

    answer: AnswerName
    strength: Strength | None
    because: str
    link: Link
    evidence: tuple[Evidence, ...]
    conflicts: tuple[str, ...] = ()


def combine(subject: str, encoding: str, evidence: Sequence[Evidence]) -> Verdict:
    """Return the verdict for an encoding.

    Example:
        >>> found = Evidence("example", "a program solves it", "sampled", {"plain": True})
        >>> verdict = combine("x", "ape", [found])
        >>> verdict.answer, verdict.strength
        ('yes', 'sampled')
        >>> combine("x", "rope", [found]).strength
        'conjecture'
    """
    opinions = [_opinion(link, evidence) for link in links(encoding)]
    spoken = [opinion for opinion in opinions if opinion.answer != "undecided"]
    spoken.sort(key=lambda opinion: _ORDER.index(opinion.strength or "measured"))
    if not spoken:
        chosen = next((o for o in opinions if o.conflicts), opinions[0])
    elif len({opinion.answer for opinion in spoken}) == 1:
        chosen = spoken[0]
    else:
        chosen = _between(spoken)
    verdict = Verdict(
        subject,
        encoding,
        chosen.answer,
        chosen.strength,
        chosen.because,
        chosen.link.text if chosen.answer != "undecided" else "",
        chosen.evidence,
        chosen.conflicts,
    )
    return replace(verdict, conflicts=(*verdict.conflicts, *_experience(verdict, evidence)))


def _between(spoken: list[_Opinion]) -> _Opinion:
    """Two theories disagree: the stronger stands, or nobody does."""
    first = spoken[0]
    other = next(opinion for opinion in spoken if opinion.answer != first.answer)
    if first.strength == other.strength:
        note = f"one theory says {first.answer}, another {other.answer}: {other.because}"
        return replace(first, answer="undecided", strength=None, conflicts=(note,))
    note = f"another theory says {other.answer} ({other.strength}): {other.because}"
    return replace(first, conflicts=(*first.conflicts, note))


def _opinion(link: Link, evidence: Sequence[Evidence]) -> _Opinion:
    """Say what membership in one class implies through its link."""
    title = TITLES[link.class_name]
    yes = [
        e for e in evidence if any(link.class_name in inside(c) for c, m in e.claims.items() if m)
    ]
    no = [
        e
        for e in evidence
        if any(link.class_name in outside(c) for c, m in e.claims.items() if not m)
    ]
    if yes and no:
        note = f"contradiction, one must be wrong: {yes[0].statement} / {no[0].statement}"
        return _Opinion("undecided", None, "the evidence contradicts itself", link, (), (note,))
    if yes:
        best = min(yes, key=lambda e: _ORDER.index(e.strength))
        return _Opinion(
            "yes",
            weakest([best.strength, link.yes]),
            f"in {title}: {best.statement}",
            link,
            (best,),
        )
    if no:
        return min((_refusal(link, item, title) for item in no), key=_rank)
    return _Opinion("undecided", None, f"nothing found about {title}", link, ())


def _rank(opinion: _Opinion) -> int:
    return _ORDER.index(opinion.strength or "measured")


def _refusal(link: Link, item: Evidence, title: str) -> _Opinion:
    beyond = item.claims.get("limit") is False
    known = link.limit if beyond else link.no
    where = f"outside {TITLES['limit'] if beyond else title}"
    return _Opinion(
        "no", weakest([item.strength, known]), f"{where}: {item.statement}", link, (item,)
    )


def _experience(verdict: Verdict, evidence: Sequence[Evidence]) -> list[str]:
    """Name measurements and citations that disagree with the verdict, where a model fitted."""
    return [
        f"measurement disagrees: {item.statement}"
        for item in evidence
        if item.facts.get("encoding") == verdict.encoding
        and agreement(verdict.answer, item.facts.get("outcome", "not fitted")) is False
    ]
