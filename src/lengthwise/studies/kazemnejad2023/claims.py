"""The claims of Kazemnejad et al. (2023) as predicates, with the published numbers."""

from collections.abc import Callable, Sequence
from functools import partial

from lengthwise.records.published import reported
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.kazemnejad2023 import scores
from lengthwise.studies.kazemnejad2023.inside import inside
from lengthwise.studies.kazemnejad2023.splits import ENCODINGS, NAMES
from lengthwise.studies.study import Claim, ClaimOutcome, inconclusive, not_run, outcome

NOPE, T5, ALIBI, ROTARY, APE = ENCODINGS
CLAIMED_FIT = 0.98
"""Exact match on the training lengths of which the paper speaks."""
FITS = 0.9
"""Exact match on the training lengths from which an encoding counts in a comparison."""
CLOSE = 0.02
"""Accuracies this close count as equal in an ordering."""


def claims(size: str) -> list[Claim]:
    """Return all claims; which can be tested depends on the evidence."""
    return [*_fits(), *_counting(), *_orders(), *_exceptions(), *_ranks(), *_addition(), *inside()]


def published(task: str) -> str:
    """Return the published mean accuracies over unseen lengths, NoPE first."""
    names = ("nope", "t5-bias", "alibi", "rotary", "sinusoidal")
    known = {line.encoding: line.accuracy[0] / 100 for line in reported(task)}
    return " / ".join(f"{known[name]:.2f}" for name in names if name in known)


def _shown(values: Sequence[float]) -> str:
    return " / ".join(f"{value:.2f}" for value in values)


def _fitted(evidence: StudyEvidence, task: str, encodings: Sequence[str]) -> list[str]:
    """Return the encodings whose runs did not fit the training lengths."""
    values = {name: scores.trained(evidence, task, name) for name in encodings}
    return [NAMES[name] for name, value in values.items() if value is not None and value < FITS]


Rule = Callable[[dict[str, float]], bool]


def _by_row(evidence: StudyEvidence, task: str, rule: Rule) -> ClaimOutcome:
    """Apply a rule to the accuracies of the five encodings over unseen lengths."""
    found = scores.row(evidence, task)
    if found is None:
        return not_run("not run")
    missed = _fitted(evidence, task, ENCODINGS)
    reason = f"training lengths not fitted: {', '.join(missed)}" if missed else ""
    ours = _shown([found[name] for name in ENCODINGS])
    if len(missed) == len(ENCODINGS):
        return inconclusive(f"no encoding fitted the training lengths (unseen: {ours})")
    return outcome(rule(found), ours, None, reason)


def _row_claim(name: str, where: str, sentence: str, task: str, rule: Rule) -> Claim:
    return Claim(name, where, sentence, published(task), partial(_by_row, task=task, rule=rule))


# ---- 1: in distribution ----


def _fits() -> list[Claim]:
    tasks = ("copy-v1-text", "copy-v2-text", "reverse-v1-text", "parity-text", "sort-text")
    but_alibi = tuple(name for name in ENCODINGS if name != ALIBI)
    fitted = [(task, "all encodings learn", ENCODINGS) for task in tasks]
    return [
        Claim(
            f"fits-{task}",
            "section 4",
            f"{who} {task} on the training lengths",
            "at least 0.98",
            partial(_check_fits, task=task, encodings=encodings),
        )
        for task, who, encodings in (*fitted, ("scan", "all but ALiBi learn", but_alibi))
    ]


def _check_fits(evidence: StudyEvidence, task: str, encodings: Sequence[str]) -> ClaimOutcome:
    values = [scores.trained(evidence, task, name) for name in encodings]
    known = [value for value in values if value is not None]
    if len(known) < len(encodings):
        return not_run("not run")
    return outcome(min(known) >= CLAIMED_FIT, _shown(known))


# ---- 2: counting ----


def _counting() -> list[Claim]:
    return [
        Claim(
            "counting-nope",
            "Figure 3",
            "copy of one repeated symbol: NoPE holds to twice the training length",
            "0.96 at 2L, 0.986 in the mean",
            partial(_check_high, task="copy-v1-text", encodings=(NOPE,), line=0.95),
        ),
        Claim(
            "counting-t5",
            "Figure 3",
            "copy of one repeated symbol: T5 holds to 1.4 times the training length, not to twice",
            "0.98 at 1.4L, 0.21 at 2L",
            _check_decay,
        ),
        Claim(
            "counting-alibi",
            "Figure 3",
            "copy of one repeated symbol: ALiBi has collapsed at 1.5 times the training length",
            "0.64 at 1.3L, 0.00 at 1.5L",
            partial(_check_zero, task="copy-v1-text", encodings=(ALIBI,), factor=1.5),
        ),
        Claim(
            "counting-rotary-ape",
            "Figure 3",
            "copy of one repeated symbol: Rotary and APE are at 0 one symbol beyond training",
            "0.00 and 0.00 at L+1",
            partial(_check_zero, task="copy-v1-text", encodings=(ROTARY, APE)),
        ),
        _row_claim(
            "counting-order",
            "Figure 3",
            "copy of one repeated symbol: NoPE above T5 above ALiBi above Rotary and APE",
            "copy-v1-text",
            lambda v: (
                v[NOPE] >= v[T5] - CLOSE
                and v[T5] >= v[ALIBI] - CLOSE
                and v[ALIBI] >= max(v[ROTARY], v[APE]) - CLOSE
            ),
        ),
    ]


def _check_high(
    evidence: StudyEvidence, task: str, encodings: Sequence[str], line: float, at: float = 2
) -> ClaimOutcome:
    values = [scores.at(evidence, task, name, at) for name in encodings]
    known = [value for value in values if value is not None]
    if len(known) < len(encodings):
        return not_run("not run")
    return outcome(min(known) > line, f"{_shown(known)} at {at}L")


def _check_zero(
    evidence: StudyEvidence, task: str, encodings: Sequence[str], factor: float | None = None
) -> ClaimOutcome:
    """Check for 0 at a multiple of the longest training length, by default one beyond it."""
    place = "L+1" if factor is None else f"{factor}L"
    values = [
        scores.beyond(evidence, task, name, 1)
        if factor is None
        else scores.at(evidence, task, name, factor)
        for name in encodings
    ]
    known = [value for value in values if value is not None]
    if len(known) < len(encodings):
        return not_run("not run")
    missed = _fitted(evidence, task, encodings)
    if missed:
        return inconclusive(f"training lengths not fitted: {', '.join(missed)}")
    return outcome(max(known) <= 0.05, f"{_shown(known)} at {place}")


def _check_decay(evidence: StudyEvidence) -> ClaimOutcome:
    near = scores.at(evidence, "copy-v1-text", T5, 1.4)
    far = scores.at(evidence, "copy-v1-text", T5, 2.0)
    if near is None or far is None:
        return not_run("not run")
    return outcome(near >= 0.9 and far <= 0.5, f"{near:.2f} at 1.4L, {far:.2f} at 2L")


# ---- 3 to 5: reverse, SCAN, sorting, parity ----


def _best_two(values: dict[str, float]) -> bool:
    return min(values[NOPE], values[T5]) >= values[ALIBI] - CLOSE


def _worst_two(values: dict[str, float]) -> bool:
    return min(values[NOPE], values[T5], values[ALIBI]) >= max(values[ROTARY], values[APE]) - CLOSE


def _orders() -> list[Claim]:
    found: list[Claim] = []
    for task in ("reverse-v1-text", "reverse-v1-2x-text", "scan"):
        found += [
            _row_claim(
                f"{task}-best",
                "Figures 3, F.4",
                f"{task}: NoPE and T5 above ALiBi",
                task,
                _best_two,
            ),
            _row_claim(
                f"{task}-worst",
                "Figures 3, F.4",
                f"{task}: Rotary and APE below the others",
                task,
                _worst_two,
            ),
        ]
    return [
        *found,
        *(
            Claim(
                f"sorting-{name.lower()}",
                "Figure 3",
                f"sorting single symbols: {name} stays high at twice the length",
                f"{paper} at 2L",
                partial(_check_high, task="sort-text", encodings=(encoding,), line=0.90),
            )
            for name, encoding, paper in (("NoPE", NOPE, 0.98), ("T5", T5, 0.95))
        ),
        Claim(
            "sorting-ape",
            "Figure 3",
            "sorting single symbols: APE is at 0 by 1.4 times the training length",
            "0.01 at 1.4L",
            partial(_check_zero, task="sort-text", encodings=(APE,), factor=1.4),
        ),
        _row_claim(
            "parity-order",
            "Figure 3",
            "parity: NoPE above T5 above ALiBi",
            "parity-text",
            lambda v: v[NOPE] >= v[T5] - CLOSE and v[T5] >= v[ALIBI] - CLOSE,
        ),
        Claim(
            "parity-near",
            "Figure 3",
            "parity: NoPE, T5 and ALiBi stay above chance at 1.4 times the training length",
            "0.90 / 0.84 / 0.76 at 1.4L",
            partial(_check_high, task="parity-text", encodings=(NOPE, T5, ALIBI), line=0.6, at=1.4),
        ),
        Claim(
            "parity-chance",
            "Figure 3",
            "parity: Rotary and APE are at or below chance two bits beyond training",
            "0.22 and 0.42 at L+2",
            _check_parity,
        ),
    ]


def _check_parity(evidence: StudyEvidence) -> ClaimOutcome:
    values = [scores.beyond(evidence, "parity-text", name, 2) for name in (ROTARY, APE)]
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return not_run("not run")
    missed = _fitted(evidence, "parity-text", (ROTARY, APE))
    if missed:
        return inconclusive(f"training lengths not fitted: {', '.join(missed)}")
    return outcome(max(known) <= 0.6, _shown(known) + " at L+2")


# ---- 6: exceptions ----


def _exceptions() -> list[Claim]:
    def best(name: str) -> Rule:
        return lambda v: v[name] >= max(v.values()) - CLOSE

    return [
        _row_claim(
            "polynomial", "Figure F.5", "polynomial: ALiBi best", "polynomial-text", best(ALIBI)
        ),
        _row_claim("lego", "Figure F.5", "LEGO: ALiBi best", "lego-text", best(ALIBI)),
        _row_claim(
            "sort-multi",
            "Figure F.5",
            "sorting numbers of several digits: Rotary best",
            "sort-multi-text",
            best(ROTARY),
        ),
        _row_claim(
            "pcfg",
            "Figure F.4",
            "PCFG: APE lowest, the others within 0.05",
            "pcfg",
            lambda v: (
                v[APE] <= min(v.values()) + CLOSE
                and max(v[n] for n in ENCODINGS[:4]) - min(v[n] for n in ENCODINGS[:4]) <= 0.05
            ),
        ),
    ]


# ---- 8: ranks ----


def _ranks() -> list[Claim]:
    return [
        Claim(
            "rank-first",
            "Figure 1",
            "mean reciprocal rank over all splits: NoPE first",
            "0.69 / 0.55 / 0.50 / 0.33 / 0.22",
            partial(_check_ranks, rule=lambda order: order[0] == NOPE),
        ),
        Claim(
            "rank-last",
            "Figure 1",
            "mean reciprocal rank over all splits: Rotary and APE last",
            "0.33 and 0.22",
            partial(_check_ranks, rule=lambda order: set(order[3:]) == {ROTARY, APE}),
        ),
        Claim(
            "rank-primitive",
            "Figure 2",
            "mean reciprocal rank on copy and reverse: NoPE first, then T5",
            "0.80 / 0.60 / 0.43 / 0.24 / 0.21",
            partial(_check_ranks, rule=lambda order: order[:2] == [NOPE, T5], group="primitive"),
        ),
    ]


def _check_ranks(
    evidence: StudyEvidence, rule: Callable[[list[str]], bool], group: str | None = None
) -> ClaimOutcome:
    fair = scores.reciprocal(evidence, "fair", group)
    if fair is None:
        return not_run("not run")
    as_published = scores.reciprocal(evidence, "published", group) or {}
    ours = _shown([fair[name] for name in ENCODINGS])
    note = f"published tie rule: {_shown([as_published[name] for name in ENCODINGS])}"
    return outcome(rule(sorted(fair, key=lambda name: -fair[name])), ours, None, note)


# ---- 7: addition and scratchpads ----


def _addition() -> list[Claim]:
    return [
        Claim(
            "addition-far",
            "Figure F.5",
            "addition without scratchpad: no encoding adds numbers three digits beyond training",
            "0 at L+3",
            _check_addition,
        ),
        Claim(
            "addition-rotary-ape",
            "Figure F.5",
            "addition without scratchpad: Rotary and APE are at 0 one digit beyond training",
            "0.00 and 0.05 at L+1",
            partial(_check_zero, task="addition-text", encodings=(ROTARY, APE)),
        ),
        Claim(
            "addition-pad",
            "Figure 6",
            "a scratchpad raises addition on unseen lengths",
            "0.085 to 0.15 (NoPE), 0.072 to 0.15 (T5), 0.004 to 0.06 (APE)",
            _check_pad,
        ),
        Claim(
            "other-pads",
            "Figure 6",
            "a scratchpad does not help the other tasks (minimal format, NoPE)",
            "summation 0.30 to 0.23, parity 0.75 to 0.71, sorting 1.00 to 0.91",
            _check_other_pads,
        ),
    ]


def _check_addition(evidence: StudyEvidence) -> ClaimOutcome:
    values = [scores.beyond(evidence, "addition-text", name, 3) for name in ENCODINGS]
    known = [value for value in values if value is not None]
    if len(known) < len(ENCODINGS):
        return not_run("not run")
    missed = _fitted(evidence, "addition-text", ENCODINGS)
    if len(missed) == len(ENCODINGS):
        return inconclusive("no encoding fitted the training lengths")
    reason = f"training lengths not fitted: {', '.join(missed)}" if missed else ""
    return outcome(max(known) <= 0.05, _shown(known) + " at L+3", None, reason)


def pads(evidence: StudyEvidence, task: str, encoding: str) -> dict[str, tuple[float, float]]:
    """Return exact match (trained, unseen) for every scratchpad that was run."""
    found: dict[str, tuple[float, float]] = {}
    for record in evidence.find("scratchpad", None, encoding):
        if scores.inner(record.task) == task:
            kind = record.task.partition("scratchpad=")[2].partition(";")[0]
            found[kind] = record.accuracies[0], record.unseen.accuracy
    return found


def _check_pad(evidence: StudyEvidence) -> ClaimOutcome:
    pairs: list[tuple[str, float, float]] = []
    for encoding in (NOPE, T5, APE):
        plain = scores.unseen(evidence, "addition-text", encoding)
        found = pads(evidence, "addition-text", encoding)
        if plain is not None and found:
            pairs.append((NAMES[encoding], plain, max(far for _, far in found.values())))
    if not pairs:
        return not_run("not run")
    ours = ", ".join(f"{name} {plain:.2f} to {far:.2f}" for name, plain, far in pairs)
    return outcome(all(far > plain for _, plain, far in pairs), ours)


def _check_other_pads(evidence: StudyEvidence) -> ClaimOutcome:
    pairs: list[tuple[str, float, float]] = []
    for task in ("summation-text", "parity-text", "sort-text"):
        plain = scores.unseen(evidence, task, NOPE)
        found = pads(evidence, task, NOPE)
        fitted = not _fitted(evidence, task, (NOPE,))
        if plain is not None and found and fitted:
            pairs.append((task, plain, max(far for _, far in found.values())))
    if not pairs:
        return not_run("not run, or the training lengths were not fitted without scratchpad")
    ours = ", ".join(f"{name} {plain:.2f} to {far:.2f}" for name, plain, far in pairs)
    return outcome(all(far <= plain + CLOSE for _, plain, far in pairs), ours)
