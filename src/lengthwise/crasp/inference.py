"""The idealised inference procedure over programs: learn from words up to n, for n = 1, 2, ...

Huang et al. (2025) ask whether the simplest hypothesis that fits all short inputs is right on long
ones, and from which training length on. Here the hypotheses are C-RASP programs, ordered by depth,
then size; what they prove about transformers is not claimed of this enumeration.
"""

from dataclasses import dataclass, replace

from lengthwise.crasp.learning import Budget, Learned, learn
from lengthwise.crasp.targets import Target


@dataclass(frozen=True)
class Inference:
    """What was learned at each training length, and from which on it was right."""

    learned: tuple[Learned, ...]
    first_right: int | None

    def rows(self) -> list[dict[str, object]]:
        """Return one row per training length."""
        return [_row(item) for item in self.learned]


def infer(
    target: Target, longest: int, *, budget: Budget | None = None, verify_seconds: float = 1.0
) -> Inference:
    """Learn from all words up to n for each n up to ``longest``.

    ``first_right`` is the least n such that the programs learned at n and at every larger n tried
    agree with the target on everything tested.

    Example:
        >>> from lengthwise.crasp.targets import from_regex
        >>> infer(from_regex("a*", "ab"), 3, budget=Budget(periods=(), window=0)).first_right
        2
    """
    budget = budget or Budget()
    share = replace(budget, seconds=budget.seconds / longest)
    learned = tuple(
        learn(target, budget=share, train_length=n, verify_seconds=verify_seconds)
        for n in range(1, longest + 1)
    )
    first: int | None = None
    for item in learned:
        right = item.verified is not None and item.verified.agrees
        first = (first or item.train_length) if right else None
    return Inference(learned, first)


def _row(item: Learned) -> dict[str, object]:
    found = "none found" if item.program is None else repr(item.program.accept)
    verdict = "-" if item.verified is None else item.verified.sentence()
    return {"n": item.train_length, "words": item.bank_words, "program": found, "verified": verdict}
