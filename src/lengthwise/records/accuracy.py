"""How often a model was right at every length: the one type that bins, pools and intervals use.

    length    1   2   3 | 4   5   6        bins: the trained lengths, then longer ones
    right    10  10   9 | 7   2   0
    tried    10  10  10 | 10  10  10

Counts are kept for every single length, so that a bin, several bins together, several seeds or one
length alone are all sums of the same numbers.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from lengthwise.core.errors import InputError
from lengthwise.records.intervals import Interval, over_seeds
from lengthwise.records.spec import read_strictly


class AccuracyByLength(BaseModel):
    """Instances that are right and all that were tried, for every length of a range.

    Example:
        >>> found = AccuracyByLength(low=1, high=3, correct={1: 4, 3: 1}, total={1: 4, 3: 4})
        >>> found.accuracy, found.between(2, 3).accuracy
        (0.625, 0.25)
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    low: Annotated[int, Field(ge=0)]
    high: Annotated[int, Field(ge=0)]
    correct: dict[int, int]
    total: dict[int, Annotated[int, Field(ge=0)]]
    by_seed: tuple["AccuracyByLength", ...] = Field(default=(), exclude=True, repr=False)
    """The counts of every seed, where several were added up; not written, intervals need them."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        for length, right in self.correct.items():
            if not 0 <= right <= self.total.get(length, 0):
                tried = self.total.get(length, 0)
                raise ValueError(f"{right} of {tried} instances of length {length} are right")
        return self

    @property
    def counts(self) -> tuple[int, int]:
        """Instances that are right, and all that were tried."""
        return sum(self.correct.values()), sum(self.total.values())

    @property
    def accuracy(self) -> float:
        """Fraction of instances that are right; 0 of none."""
        right, tried = self.counts
        return right / max(1, tried)

    @property
    def interval(self) -> Interval:
        """The 95% interval of the accuracy: over seeds and instances, of one seed over instances.

        Example:
            >>> one = AccuracyByLength(low=1, high=1, correct={1: 0}, total={1: 9})
            >>> two = AccuracyByLength(low=1, high=1, correct={1: 9}, total={1: 9})
            >>> pool_seeds([[one], [two]])[0].interval
            (0.0, 1.0)
        """
        return over_seeds([part.counts for part in self.by_seed] or [self.counts])

    @property
    def name(self) -> str:
        """The range as tables name it: ``51-100``."""
        return f"{self.low}-{self.high}"

    @property
    def lengths(self) -> list[int]:
        """The lengths at which something was tried, shortest first."""
        return sorted(length for length, tried in self.total.items() if tried)

    @property
    def middle(self) -> float:
        """The mean of those lengths, where a curve has its point."""
        return sum(self.lengths) / max(1, len(self.lengths))

    def between(self, low: int, high: int) -> Self:
        """Return the part at lengths ``low`` to ``high``."""
        kept = [length for length in self.total if low <= length <= high]
        return type(self)(
            low=low,
            high=high,
            correct={length: self.correct.get(length, 0) for length in kept},
            total={length: self.total[length] for length in kept},
            by_seed=tuple(part.between(low, high) for part in self.by_seed),
        )


def pool(parts: Iterable[AccuracyByLength]) -> AccuracyByLength:
    """Add up counts of bins; the range is the smallest that holds all. Seeds stay apart.

    Example:
        >>> one = AccuracyByLength(low=1, high=2, correct={1: 4}, total={1: 4})
        >>> two = AccuracyByLength(low=1, high=3, correct={1: 2, 3: 0}, total={1: 4, 3: 4})
        >>> pool([one, two]).counts, pool([one, two]).name
        ((6, 12), '1-3')
    """
    members = list(parts)
    correct, total = Counter[int](), Counter[int]()
    for part in members:
        correct.update(part.correct)
        total.update(part.total)
    return AccuracyByLength(
        low=min((part.low for part in members), default=0),
        high=max((part.high for part in members), default=0),
        correct=dict(sorted(correct.items())),
        total=dict(sorted(total.items())),
        by_seed=_apart(members),
    )


def _apart(members: Sequence[AccuracyByLength]) -> tuple[AccuracyByLength, ...]:
    """Add up bins seed by seed, where all of them come from the same seeds."""
    many = {len(part.by_seed) for part in members}
    if len(many) != 1 or many == {0}:
        return ()
    return tuple(pool(parts) for parts in zip(*(part.by_seed for part in members), strict=True))


def pool_seeds(runs: Iterable[Sequence[AccuracyByLength]]) -> tuple[AccuracyByLength, ...]:
    """Add up the counts of runs that were measured on the same bins, bin by bin."""
    return tuple(
        pool(bins).model_copy(update={"by_seed": bins if len(bins) > 1 else ()})
        for bins in zip(*runs, strict=True)
    )


def read_bins(data: Iterable[Mapping[str, Any]]) -> tuple[AccuracyByLength, ...]:
    """Read bins as results and studies write them; a mistake is named by its path.

    Example:
        >>> read_bins([{"low": 1, "high": 2, "correct": {"1": 3}, "total": {"1": 4}}])[0].counts
        (3, 4)
    """
    try:
        return tuple(read_strictly(AccuracyByLength, bin_, "accuracy: ") for bin_ in data)
    except TypeError:
        raise InputError("accuracy: not a list.") from None
