"""What is said and how well it is known: evidence, verdicts and the order of strengths."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lengthwise.records.outcomes import LINE

Strength = Literal["proof", "derivation", "exhaustive", "sampled", "conjecture", "measured"]
AnswerName = Literal["yes", "no", "undecided"]

STRENGTHS: dict[Strength, str] = {
    "proof": "a published theorem, or a complete check",
    "derivation": "our own argument, unpublished",
    "exhaustive": "checked on everything up to a length, not beyond",
    "sampled": "checked on drawn instances",
    "conjecture": "a conjecture, or a reading that nobody has proved",
    "measured": "seen in experiments",
}
"""Strengths from strongest to weakest, with what they mean."""


def weakest(strengths: Iterable[Strength]) -> Strength:
    """Return the weakest of some strengths: a chain is no stronger than that.

    Example:
        >>> weakest(["proof", "sampled", "derivation"])
        'sampled'
    """
    order = list(STRENGTHS)
    return max(strengths, key=order.index)


@dataclass(frozen=True)
class Evidence:
    """One statement with its strength and what it claims about classes of functions.

    ``claims`` maps a class (see ``classes.CLASSES``) to whether the subject is in it. ``facts``
    holds numbers that go with it (depth, size, modulus, ...), ``certificate`` plain data that
    somebody else can check. Evidence without claims informs; it never decides.
    """

    provider: str
    statement: str
    strength: Strength
    claims: Mapping[str, bool] = field(default_factory=dict)
    basis: str = ""
    reached: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    certificate: Any | None = None

    @property
    def label(self) -> str:
        """The strength in words, with the length it reached."""
        if self.strength == "exhaustive" and self.reached is not None:
            return f"exhaustive to length {self.reached}"
        return self.strength

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "provider": self.provider,
            "statement": self.statement,
            "strength": self.label,
            "claims": {name: "in" if member else "out" for name, member in self.claims.items()},
            "basis": self.basis,
            "facts": dict(self.facts),
            "certificate": self.certificate,
        }


@dataclass(frozen=True)
class Verdict:
    """The answer for one encoding, with the evidence it needs and what contradicts it.

    ``strength`` is the weakest needed link, the step from a class of programs to a trained
    transformer (``link``) included.
    """

    subject: str
    encoding: str
    answer: AnswerName
    strength: Strength | None
    because: str
    link: str = ""
    evidence: tuple[Evidence, ...] = ()
    conflicts: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The strength in words, with the length it reached; ``-`` for undecided."""
        if self.strength is None:
            return "-"
        same = [e for e in self.evidence if e.strength == self.strength]
        return same[0].label if same else self.strength

    def to_json(self) -> dict[str, Any]:
        """Return plain data; evidence is named by its statement."""
        return {
            "subject": self.subject,
            "encoding": self.encoding,
            "answer": self.answer,
            "strength": self.label,
            "because": self.because,
            "link": self.link,
            "needs": [item.statement for item in self.evidence],
            "conflicts": list(self.conflicts),
        }


@dataclass(frozen=True)
class ReachPoint:
    """Accuracy at a length over the training length: the mean over languages, and their range."""

    at: float
    mean: float
    low: float
    high: float
    chance: float
    """With which a further language lies in the range."""
    languages: int


@dataclass(frozen=True)
class Reach:
    """How far similar subjects hold in measured suites; ``None`` where nothing was measured."""

    encoding: str
    similar: str
    cells: int
    holds: int
    low: float
    high: float
    median: float
    subjects: tuple[str, ...]
    curve: tuple[ReachPoint, ...] = ()

    def sentence(self) -> str:
        """Say the estimate with its data."""
        return (
            f"{self.holds} of {self.cells} similar tasks we trained ({self.similar}) hold: at "
            f"least {LINE:.0%} at two to three times the length (95% interval {self.low:.0%} to "
            f"{self.high:.0%}); median reach {self.median:.1f} times.{self._at_twice()}"
        )

    def _at_twice(self) -> str:
        """Say what is expected at twice the training length, where it was measured."""
        found = next((point for point in self.curve if point.at == 2), None)
        if found is None:
            return ""
        return (
            f" At twice the length {found.mean:.0%} on average; a further task lies in "
            f"{found.low:.0%} to {found.high:.0%} with chance {found.chance:.0%}."
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        points = [vars(point) for point in self.curve]
        return vars(self) | {"subjects": list(self.subjects), "curve": points}


@dataclass(frozen=True)
class Calibration:
    """How well the expected reach does when each language is left out, for one encoding."""

    encoding: str
    predicted: str
    languages: int
    points: int
    inside: int
    expected: float
    score: float
    base: float


@dataclass(frozen=True)
class Prediction:
    """Everything found about one subject; ``to_json`` is the public contract.

    ``read`` says which words a function was asked about; it is empty for other subjects.
    """

    subject: str
    kind: str
    question: str
    verdicts: tuple[Verdict, ...]
    evidence: tuple[Evidence, ...]
    reach: tuple[Reach, ...]
    advice: tuple[str, ...]
    skipped: tuple[str, ...]
    seconds: float
    read: str = ""

    def verdict(self, encoding: str) -> Verdict:
        """Return the verdict for one encoding."""
        return next(item for item in self.verdicts if item.encoding == encoding)

    @property
    def facts(self) -> dict[str, Any]:
        """The numbers that go with a yes: those of the first evidence that has each."""
        found: dict[str, Any] = {}
        for item in self.evidence:
            for name, value in item.facts.items():
                if value is not None:
                    found.setdefault(name, value)
        return found

    @property
    def readings(self) -> Mapping[str, Mapping[str, str]] | None:
        """The answers of a regular language under every convention, where they were found."""
        return self.facts.get("readings")

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "subject": self.subject,
            "kind": self.kind,
            "question": self.question,
            "readings": self.readings,
            "read": self.read or None,
            "verdicts": [item.to_json() for item in self.verdicts],
            "evidence": [item.to_json() for item in self.evidence],
            "reach": [item.to_json() for item in self.reach],
            "advice": list(self.advice),
            "skipped": list(self.skipped),
            "seconds": round(self.seconds, 3),
        }
