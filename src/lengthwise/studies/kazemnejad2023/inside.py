"""Rules about attention, perplexity, cost and constructions in Kazemnejad et al. (2023).

What is measured once for every seed is judged by the interval of its mean over seeds.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from lengthwise.records.intervals import mean_interval
from lengthwise.records.outcomes import Status, all_of, at_least, at_most
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.kazemnejad2023.scores import ENCODINGS, LINES
from lengthwise.studies.study import ClaimOutcome, Rule, inconclusive, not_run, outcome

Seeds = Mapping[str, Sequence[float]]
"""What every seed gave, by encoding."""


def _judged(found: Seeds, judge: Callable[[], ClaimOutcome]) -> ClaimOutcome:
    """Judge if there are enough seeds."""
    if not found:
        return not_run("not measured")
    fewest = min(map(len, found.values()))
    if fewest < LINES["seeds"]:
        return inconclusive(f"{fewest} of {LINES['seeds']:.0f} seeds", means(found))
    return judge()


def means(found: Seeds, digits: int = 2) -> str:
    """Write the mean over seeds of every encoding.

    Example:
        >>> means({"NoPE": [0.1, 0.3]})
        'NoPE 0.20'
    """
    return ", ".join(f"{name} {fmean(values):.{digits}f}" for name, values in found.items())


def _below(found: Seeds, one: str, other: str) -> Status:
    """Say whether one encoding is below another in the mean over seeds."""
    low, high = mean_interval([b - a for a, b in zip(found[one], found[other], strict=True)])
    return "held" if low > 0 else "not held" if high < 0 else "inconclusive"


# ---- attention ----


def _similarity(evidence: StudyEvidence, method: str) -> dict[str, list[float]]:
    rows = evidence.measures.get("similarity", ())
    return {row["encoding"]: row[method] for row in rows}


def attention_order(evidence: StudyEvidence, order: Sequence[str], method: str) -> ClaimOutcome:
    """NoPE's attention is nearest to the first encoding, then to the next ones."""
    found = {n: v for n, v in _similarity(evidence, method).items() if n != "NoPE'"}
    pairs = [*pairwise(order), *((order[-1], n) for n in found if n not in order)]
    return _judged(
        found,
        lambda: outcome(all_of(_below(found, *pair) for pair in pairs), means(found, 3)),
    )


def attention_itself(evidence: StudyEvidence, ratio: float) -> ClaimOutcome:
    """T5 is as close to NoPE as another NoPE model is, up to a ratio."""
    every = _similarity(evidence, "published")
    found = {name: every[name] for name in ("T5", "NoPE'") if name in every}
    if len(found) < 2:
        return not_run("not measured")

    def judge() -> ClaimOutcome:
        over = [a / b for a, b in zip(found["T5"], found["NoPE'"], strict=True)]
        return outcome(at_most(mean_interval(over), ratio), means(found, 3))

    return _judged(found, judge)


def nearest(evidence: StudyEvidence, name: str) -> ClaimOutcome:
    """One encoding has the largest share of attention within a tenth of the length."""
    found = {row["encoding"]: row["near"] for row in evidence.measures.get("distances", ())}
    if len(found) < len(ENCODINGS):
        return not_run("not measured")
    others = [other for other in found if other != name]
    return _judged(
        found,
        lambda: outcome(all_of(_below(found, other, name) for other in others), means(found)),
    )


# ---- perplexity ----


def growth(evidence: StudyEvidence, factor: float) -> dict[str, list[float]]:
    """Return perplexity at a multiple of the trained context over that at the trained context."""
    found: dict[str, list[float]] = {}
    for row in evidence.measures.get("perplexity", ()):
        values, trained = row["perplexity"], row["trained"]
        over = values[str(round(trained * factor))] / values[str(trained)]
        found.setdefault(row["encoding"], []).append(over)
    return found


def _growing(
    evidence: StudyEvidence, names: Sequence[str], factor: float, line: float, *, grows: bool
) -> ClaimOutcome:
    found, judge = growth(evidence, factor), at_least if grows else at_most
    if not found.keys() >= set(names):
        return not_run("not measured")
    parts: list[Status] = [judge(mean_interval(found[name]), line) for name in names]
    ours = f"perplexity at {factor}x over that at 1x: {means(found)}"
    return _judged(found, lambda: outcome(all_of(parts), ours))


def grows(
    evidence: StudyEvidence, names: Sequence[str], factor: float, line: float
) -> ClaimOutcome:
    """Perplexity of some encodings grows beyond the trained context, by a factor at least."""
    return _growing(evidence, names, factor, line, grows=True)


def stays(
    evidence: StudyEvidence, names: Sequence[str], factor: float, line: float
) -> ClaimOutcome:
    """Perplexity of some encodings grows by a factor at most."""
    return _growing(evidence, names, factor, line, grows=False)


# ---- cost and constructions ----


def cost(evidence: StudyEvidence) -> ClaimOutcome:
    """NoPE takes no longer than any other encoding, within 5%."""
    rows = evidence.measures.get("cost", ())
    if not rows:
        return not_run("not measured")
    longest = max(row["length"] for row in rows)
    times = {row["encoding"]: row["forward"] for row in rows if row["length"] == longest}
    ours = ", ".join(f"{name} {1000 * value:.1f} ms" for name, value in times.items())
    return outcome(times["NoPE"] <= 1.05 * min(times.values()), f"{ours} at {longest} tokens")


def theorems(evidence: StudyEvidence) -> ClaimOutcome:
    """The weights of both theorems do what they say, up to rounding."""
    rows = evidence.measures.get("theorems", ())
    if not rows:
        return not_run("not built")
    largest = max(max(row["position"], row["relative"]) for row in rows)
    longest = max(row["positions"] for row in rows)
    return outcome(largest < 1e-6, f"largest error {largest:.1e} at up to {longest} positions")


RULES: dict[str, Rule] = {
    "attention_order": attention_order,
    "attention_itself": attention_itself,
    "nearest": nearest,
    "grows": grows,
    "stays": stays,
    "cost": cost,
    "theorems": theorems,
}
