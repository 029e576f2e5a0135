"""How the papers choose among runs: the best configuration, and seeds until enough succeed.

One rule for `lengthwise runs select`, the studies and the report (``merit``).
Huang et al. (2024): among configurations that are perfect in distribution, take the one with the
highest accuracy on the next range of lengths; ties go to the simplest (fewer layers, then fewer
heads, then smaller width). Then repeat it with seeds 0, 1, 2, ... until five runs are perfect in
distribution, and average over those.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import fmean

from lengthwise.core.errors import InputError
from lengthwise.records.result import RunResult
from lengthwise.records.spec import RunSpec

Execute = Callable[[Sequence[RunSpec]], Sequence[RunResult]]


@dataclass(frozen=True)
class Choice:
    """The selected configuration of a task and an encoding."""

    spec: RunSpec
    """The configuration, with seed 0."""
    accuracy: tuple[float, ...]
    """Mean over the seeds it was tried with, in every bin."""
    seeds: int
    eligible: int
    """Configurations that were perfect in distribution."""
    tried: int


@dataclass(frozen=True)
class Repeats:
    """Seeds in order until enough were successful."""

    spec: RunSpec
    wanted: int
    successes: tuple[RunResult, ...]
    tried: int
    """Seeds up to the one that completed the successes, or the limit."""

    @property
    def complete(self) -> bool:
        """True if enough seeds were successful."""
        return len(self.successes) >= self.wanted

    @property
    def accuracy(self) -> tuple[float, ...]:
        """Mean over the successful seeds, in every bin; empty if there are none."""
        return mean_accuracy(self.successes)


def successful(result: RunResult, threshold: float = 1.0) -> bool:
    """Say whether a run is (nearly) perfect on the lengths it was trained on."""
    return result.bins[0].accuracy >= threshold


def merit(
    accuracies: Sequence[float], simple: Sequence[float] = (), *, fitted: bool
) -> tuple[float, ...]:
    """Return the key of the rule: of several configurations the one with the largest is chosen.

    Fitted ones come first, ordered by the range just beyond training; those that did not fit are
    ordered by the training range itself. Ties go to the simplest, further ties to the first.

    Example:
        >>> small, large = (merit([1, 0.8], [layers], fitted=True) for layers in (1, 2))
        >>> small > large > merit([0.9, 0.9], [1], fitted=False)
        True
    """
    decisive = 1 if fitted and len(accuracies) > 1 else 0
    value = accuracies[decisive] if accuracies else 0.0
    return fitted, value, *(-size for size in simple)


def select(results: Iterable[RunResult], threshold: float = 1.0) -> list[Choice]:
    """Choose one configuration per task and encoding; those without an eligible one are left out.

    A configuration tried with several seeds must succeed with all of them and counts with its mean.
    """
    groups: defaultdict[tuple[str, str], defaultdict[str, list[RunResult]]]
    groups = defaultdict(lambda: defaultdict(list))
    for result in results:
        spec = result.spec
        groups[str(spec.task), str(spec.position)][configuration(spec).id].append(result)
    choices = (_choose(list(group.values()), threshold) for group in groups.values())
    return [choice for choice in choices if choice]


def _choose(configurations: list[list[RunResult]], threshold: float) -> Choice | None:
    eligible = [runs for runs in configurations if all(successful(r, threshold) for r in runs)]
    if not eligible:
        return None
    if any(len(run.bins) < 2 for runs in eligible for run in runs):
        raise InputError("select: runs need a range of lengths beyond the trained one.")
    best = max(
        eligible,
        key=lambda runs: merit(mean_accuracy(runs), simplicity(runs[0].spec), fitted=True),
    )
    return Choice(
        spec=configuration(best[0].spec),
        accuracy=mean_accuracy(best),
        seeds=len(best),
        eligible=len(eligible),
        tried=len(configurations),
    )


def configuration(spec: RunSpec) -> RunSpec:
    """Return the run's configuration: itself with seed 0."""
    return spec.model_copy(update={"seed": 0})


def simplicity(spec: RunSpec) -> tuple[float, ...]:
    """Order configurations from simple to complex; equal shapes by the larger learning rate."""
    model = spec.model
    return model.layers, model.heads, model.width, -spec.training.learning_rate


def mean_accuracy(results: Sequence[RunResult]) -> tuple[float, ...]:
    """Return the mean accuracy in every bin."""
    return tuple(fmean(values) for values in zip(*map(_accuracies, results), strict=True))


def _accuracies(result: RunResult) -> list[float]:
    return [bin_.accuracy for bin_ in result.bins]


def repeat_until(
    spec: RunSpec,
    wanted: int,
    execute: Execute,
    *,
    limit: int = 100,
    threshold: float = 1.0,
    at_once: int = 1,
) -> Repeats:
    """Run seeds 0, 1, 2, ... until ``wanted`` of them succeed or ``limit`` were tried.

    ``at_once`` seeds are executed together; those behind the one that completed the successes are
    not counted, so that the number tried does not depend on the number of workers.
    """
    if wanted < 1 or limit < 1:
        raise InputError("repeat: the number of successes and the limit must be at least 1.")
    seeds, successes = iter(range(limit)), []
    while batch := list(islice(seeds, at_once)):
        for result in execute([spec.model_copy(update={"seed": seed}) for seed in batch]):
            if successful(result, threshold):
                successes.append(result)
            if len(successes) == wanted:
                return Repeats(spec, wanted, tuple(successes), result.spec.seed + 1)
    return Repeats(spec, wanted, tuple(successes), limit)
