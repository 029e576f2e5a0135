"""What Kazemnejad et al. (2023) say about accuracy, as rules; the claims stand in the frozen file.

A rule judges by intervals over seeds and instances. A seed that did not fit the training lengths
has no say, and where fewer than half of the seeds fitted nothing is decided. Fewer seeds than the
file asks for decide nothing either.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from lengthwise.evaluation.ranks import TIES
from lengthwise.records.intervals import Interval
from lengthwise.records.outcomes import Status, all_of, at_least, at_most, not_below
from lengthwise.records.published import reported
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.kazemnejad2023 import scores
from lengthwise.studies.kazemnejad2023.inside import RULES as INSIDE
from lengthwise.studies.kazemnejad2023.scores import ENCODINGS, LINES
from lengthwise.studies.study import ClaimOutcome, Rule, inconclusive, not_run, outcome


def published(task: str) -> str:
    """Return the published mean accuracies over unseen lengths, NoPE first."""
    names = ("nope", "t5-bias", "alibi", "rotary", "sinusoidal")
    known = {line.encoding: line.accuracy[0] / 100 for line in reported(task)}
    return " / ".join(f"{known[name]:.2f}" for name in names if name in known)


def shown(values: Sequence[float]) -> str:
    """Write several numbers in a row."""
    return " / ".join(f"{value:.2f}" for value in values)


def ready(
    evidence: StudyEvidence, task: str, names: tuple[str, ...], pad: str = ""
) -> ClaimOutcome | None:
    """Say why some cells cannot be judged: not run, too few seeds, not fitted; None if they can."""
    seeds = scores.seeds(evidence, task, names, pad)
    if not seeds:
        return not_run()
    if seeds < LINES["seeds"]:
        return inconclusive(f"{seeds} of {LINES['seeds']:.0f} seeds")
    if missed := scores.unfitted(evidence, task, names, pad):
        return inconclusive(f"training lengths not fitted: {', '.join(missed)}")
    return None


# ---- accuracy at one length, in distribution, over unseen lengths ----


def fits(evidence: StudyEvidence, task: str, names: Sequence[str]) -> ClaimOutcome:
    """All of some encodings learn the training lengths; here an unfitted seed counts."""
    seeds = scores.seeds(evidence, task, tuple(names))
    if seeds < LINES["seeds"]:
        return not_run() if not seeds else inconclusive(f"{seeds} of {LINES['seeds']:.0f} seeds")
    found = [scores.trained(evidence, task, name) for name in names]
    parts: list[Status] = [at_least(one.interval, LINES["claimed_fit"]) for one in found]
    return outcome(all_of(parts), shown([one.accuracy for one in found]))


def _at_one_length(
    evidence: StudyEvidence,
    judge: Callable[[Interval, float], Status],
    task: str,
    names: Sequence[str],
    place: str,
    line: float,
) -> ClaimOutcome:
    if problem := ready(evidence, task, tuple(names)):
        return problem
    found = [scores.at(evidence, task, name, place) for name in names]
    ours = f"{shown([one.accuracy for one in found])} at {place}"
    around = found[0].interval if len(found) == 1 else None
    return outcome(all_of(judge(one.interval, line) for one in found), ours, around)


def decays(
    evidence: StudyEvidence, task: str, name: str, near: str, far: str, high: float, low: float
) -> ClaimOutcome:
    """An encoding is still high at one length and low at a longer one."""
    if problem := ready(evidence, task, (name,)):
        return problem
    first, second = (scores.at(evidence, task, name, place) for place in (near, far))
    ours = f"{first.accuracy:.2f} at {near}, {second.accuracy:.2f} at {far}"
    return outcome(all_of([at_least(first.interval, high), at_most(second.interval, low)]), ours)


def in_order(evidence: StudyEvidence, task: str, order: Sequence[Sequence[str]]) -> ClaimOutcome:
    """Encodings of an earlier group are not below those of the next, over unseen lengths."""
    names = tuple(name for group in order for name in group)
    if problem := ready(evidence, task, names):
        return problem
    found = {name: scores.unseen(evidence, task, name) for name in names}
    parts: list[Status] = [
        not_below(found[one].interval, found[other].interval, LINES["close"])
        for before, after in pairwise(order)
        for one in before
        for other in after
    ]
    ours = ", ".join(f"{name} {found[name].accuracy:.2f}" for name in ENCODINGS if name in found)
    return outcome(all_of(parts), ours)


# ---- ranks ----


def ranks(
    evidence: StudyEvidence, order: Sequence[Sequence[str]], group: str | None = None
) -> ClaimOutcome:
    """Encodings of an earlier group rank before those of the next, by either rule for ties.

    A difference counts if its interval over seeds leaves out 0; where the two rules for ties say
    different things, nothing is decided.
    """
    parts: list[Status] = []
    texts: list[str] = []
    for ties in TIES:
        found = scores.reciprocal(evidence, ties, group)
        if found is None:
            return not_run("no split that an encoding learned")
        if len(found[ENCODINGS[0]]) < LINES["seeds"]:
            return inconclusive("too few seeds")
        parts.append(
            all_of(
                _before(scores.lead(found, one, other))
                for before, after in pairwise(order)
                for one in before
                for other in after
            )
        )
        means = shown([scores.mean(found[name]) for name in ENCODINGS])
        texts.append(f"{means} ({ties} ties)")
    status = parts[0] if len(set(parts)) == 1 else "inconclusive"
    reason = "" if len(set(parts)) == 1 else f"by the rule for ties: {' and '.join(parts)}"
    return outcome(status, "; ".join(texts), None, reason)


def _before(difference: Interval) -> Status:
    if difference[0] > 0:
        return "held"
    return "not held" if difference[1] <= 0 else "inconclusive"


# ---- scratchpads ----


def pad_raises(evidence: StudyEvidence, task: str, names: Sequence[str], pad: str) -> ClaimOutcome:
    """A scratchpad raises final answers over unseen lengths, with each of some encodings."""
    return _pads(evidence, [(task, name) for name in names], pad, gained)


def pad_does_not_raise(
    evidence: StudyEvidence, tasks: Sequence[str], name: str, pad: str
) -> ClaimOutcome:
    """A scratchpad raises final answers on none of some tasks."""
    opposite: dict[Status, Status] = {"held": "not held", "not held": "held"}

    def judge(without: Interval, with_pad: Interval) -> Status:
        status = gained(without, with_pad)
        return opposite.get(status, status)

    return _pads(evidence, [(task, name) for task in tasks], pad, judge)


def _pads(
    evidence: StudyEvidence,
    cells: Sequence[tuple[str, str]],
    pad: str,
    judge: Callable[[Interval, Interval], Status],
) -> ClaimOutcome:
    parts: list[Status] = []
    texts: list[str] = []
    for task, name in cells:
        problem = ready(evidence, task, (name,)) or ready(evidence, task, (name,), pad)
        if problem:
            parts.append(problem.status)
            texts.append(f"{name} {problem.reason}")
            continue
        plain, padded = (scores.unseen(evidence, task, name, one) for one in ("", pad))
        parts.append(judge(plain.interval, padded.interval))
        label = name if len({t for t, _ in cells}) == 1 else task
        texts.append(f"{label} {plain.accuracy:.2f} to {padded.accuracy:.2f}")
    return outcome(all_of(parts), ", ".join(texts))


def gained(without: Interval, with_pad: Interval) -> Status:
    """Held if the gain is above 0 for sure, not held if it is below the line for sure.

    Example:
        >>> gained((0.0, 0.01), (0.2, 0.3)), gained((0.0, 0.01), (0.0, 0.01))
        ('held', 'not held')
    """
    if with_pad[0] > without[1]:
        return "held"
    return "not held" if with_pad[1] - without[0] < LINES["gain"] else "inconclusive"


RULES: dict[str, Rule] = {
    "fits": fits,
    "high": partial(_at_one_length, judge=at_least),
    "low": partial(_at_one_length, judge=at_most),
    "decays": decays,
    "order": in_order,
    "ranks": ranks,
    "pad_raises": pad_raises,
    "pad_does_not_raise": pad_does_not_raise,
    **INSIDE,
}
