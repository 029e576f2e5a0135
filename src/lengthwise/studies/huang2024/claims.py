"""The claims of Huang et al. (2024) as predicates, with the published numbers."""

from collections.abc import Iterator, Sequence
from functools import partial

from lengthwise.records.published import reported
from lengthwise.records.thresholds import FITTED, LINE
from lengthwise.studies.evidence import StudyEvidence, StudyRun, interval
from lengthwise.studies.huang2024.problems import ENCODINGS, FORMAL, PROBLEMS, cell
from lengthwise.studies.study import Claim, ClaimOutcome, inconclusive, not_run, outcome
from lengthwise.studies.tuning import chosen

NAMES = {"ape": "learned absolute positions", "nope": "no position encoding"}
STAR_FREE = frozenset(FORMAL) - {
    *("aa-star", "aaaa-star", "abab-star", "tomita-3", "tomita-5", "tomita-6")
}
OUTSIDE_AC0 = frozenset(
    {"binary-majority", "majority", "interleaved-majority", "parity", "tomita-5", "tomita-6"}
)


def claims(size: str) -> list[Claim]:
    """Return all claims; which can be tested depends on the evidence."""
    cells = [
        _cell_claim(
            f"{name}-{encoding}",
            "Figure 1",
            f"{name} with {NAMES[encoding]}",
            published(name, encoding),
            cell(name, encoding),
        )
        for name in PROBLEMS
        for encoding in ENCODINGS
    ]
    return [*cells, *_predictors(), *_regulariser(), *_distance(), *_side()]


def published(problem: str, encoding: str) -> tuple[float, ...]:
    """Return the published accuracies of the three bins, in percent."""
    name = {"ape": "learned"}.get(encoding, encoding)
    return next(
        line.accuracy
        for line in reported(problem)
        if line.paper == "huang2024" and line.encoding == name
    )


def best(evidence: StudyEvidence, group: str) -> StudyRun | None:
    """Return the run that was chosen for a problem, if there is one."""
    records = evidence.find(group)
    return chosen(records) if records else None


def held_far(record: StudyRun) -> bool:
    """Whether exact match between two and three times the training length reaches the line."""
    return record.accuracies[-1] >= LINE


def shown(record: StudyRun) -> str:
    """Write the accuracies of the bins as the paper does."""
    return " / ".join(f"{100 * value:.1f}" for value in record.accuracies)


# ---- one claim for every problem and encoding ----


def _cell_claim(name: str, where: str, subject: str, values: Sequence[float], group: str) -> Claim:
    """Claim that a group of runs ends as the published accuracies of its bins do."""
    holds = values[-1] >= 100 * LINE
    verb = "carries to three times the training length" if holds else "fails beyond it"
    paper = " / ".join(f"{value:g}" for value in values)
    check = partial(_check_cell, group=group, holds=holds)
    return Claim(name, where, f"{subject} {verb}", paper, check)


def _check_cell(evidence: StudyEvidence, group: str, holds: bool) -> ClaimOutcome:
    record = best(evidence, group)
    if record is None:
        return not_run("not run")
    around = interval([record], -1)
    fitted = record.accuracies[0] >= FITTED
    if holds:
        reason = "" if fitted else "the training lengths were not fitted"
        return outcome(held_far(record), shown(record), around, reason)
    drops = around[1] < record.accuracies[0]
    reason = "" if fitted else "the training lengths were not fitted either"
    return outcome(not held_far(record) and drops, shown(record), around, reason)


# ---- predicted against measured, and weaker predictors ----


def _predictors() -> list[Claim]:
    return [
        Claim(
            "predicted",
            "section 5",
            "membership in C-RASP predicts which problems carry over (at least 90% of the cells)",
            "50 of 50",
            _check_predicted,
        ),
        Claim(
            "star-free",
            "section 5",
            "star-freeness does not separate: non-star-free languages carry over with learned "
            "positions, star-free ones fail",
            "(aa)*, (aaaa)*, (abab)* hold; {0,1,2}*02* fails",
            partial(_check_split, class_=STAR_FREE, among=FORMAL),
        ),
        Claim(
            "dot-depth",
            "section 5",
            "dot-depth does not separate: D_12 (12) carries over, {0,1,2}*02* (2) fails",
            "100 against 1.2",
            _check_dot_depth,
        ),
        Claim(
            "circuits",
            "section 5",
            "AC0 does not separate: problems inside fail while problems outside carry over",
            "copy with repeats and addition fail; majority holds",
            partial(_check_split, class_=frozenset(PROBLEMS) - OUTSIDE_AC0, among=PROBLEMS),
        ),
    ]


def measured(evidence: StudyEvidence) -> Iterator[tuple[str, str, str, StudyRun]]:
    """Yield problem, encoding, predicted answer and chosen run of every measured cell."""
    predicted = evidence.measures.get("predictions", {})
    for problem in PROBLEMS:
        for encoding in ENCODINGS:
            record = best(evidence, cell(problem, encoding))
            if record is not None and problem in predicted:
                answer = predicted[problem]["encodings"][encoding]["answer"]
                yield problem, encoding, answer, record


def agrees(answer: str, record: StudyRun) -> bool:
    """Whether a prediction is the measured answer; undecided never is."""
    return answer == ("yes" if held_far(record) else "no")


def _check_predicted(evidence: StudyEvidence) -> ClaimOutcome:
    rows = list(measured(evidence))
    if not rows:
        return not_run("no predictions or no runs")
    right = sum(agrees(answer, record) for _, _, answer, record in rows)
    wrong = [f"{p} {e}" for p, e, answer, record in rows if not agrees(answer, record)]
    reason = f"disagree: {', '.join(wrong)}" if wrong else ""
    return outcome(right >= 0.9 * len(rows), f"{right} of {len(rows)}", None, reason)


def _check_split(
    evidence: StudyEvidence, class_: frozenset[str], among: Sequence[str]
) -> ClaimOutcome:
    """A class does not separate if some member fails and some non-member holds."""
    runs = {name: best(evidence, cell(name, "ape")) for name in among}
    fails = [n for n, r in runs.items() if n in class_ and r is not None and not held_far(r)]
    holds = [n for n, r in runs.items() if n not in class_ and r is not None and held_far(r)]
    if not any(runs.values()):
        return not_run("not run")
    shown_ = f"inside and fail: {', '.join(fails) or 'none'}; outside and hold: "
    return outcome(bool(fails and holds), shown_ + (", ".join(holds) or "none"))


def _check_dot_depth(evidence: StudyEvidence) -> ClaimOutcome:
    deep, shallow = (best(evidence, cell(name, "ape")) for name in ("d-12", "zero-twos"))
    if deep is None or shallow is None:
        return not_run("not run")
    ours = f"{100 * deep.accuracies[-1]:.1f} against {100 * shallow.accuracies[-1]:.1f}"
    return outcome(held_far(deep) and not held_far(shallow), ours)


# ---- regulariser, distance copy ----


_REGULARISED: dict[str, tuple[float, ...]] = {
    "binary-majority": (100, 99.97, 99.90),
    "majority": (100, 99.93, 98.99),
    "interleaved-majority": (100, 97.31, 86.20),
    "sort": (100, 99.99, 99.56),
    "unique-copy": (100, 99.79, 99.33),
    "repeat-copy": (100, 25.10, 0),
    "parity": (100, 83.40, 64.16),
    "addition": (99.78, 25.82, 0),
    **dict.fromkeys(("aa-star", "aaaa-star", "abab-star"), (100, 100, 100)),
    "tomita-3": (57.1, 6.9, 0),
    "tomita-5": (52.1, 0, 0),
    "tomita-6": (58.6, 0, 0),
    **dict.fromkeys(("d-2", "d-3", "d-4", "d-12", "tomita-1", "tomita-2"), (100, 100, 100)),
    "tomita-4": (100, 81.3, 79.3),
    "tomita-7": (100, 91.2, 90.9),
    **dict.fromkeys(("abcde", "ab-d-bc"), (100, 100, 100)),
    "zero-twos": (99.6, 25.6, 2.1),
}
"""Published accuracies of the three bins with the regulariser at weight 1e-4, in percent."""


def _regulariser() -> list[Claim]:
    return [
        *(
            _cell_claim(
                f"{problem}-regularised",
                "section 5, appendix E",
                f"{problem} with {NAMES['ape']} and the regulariser",
                _REGULARISED[problem],
                cell(problem, "ape", "regularised"),
            )
            for problem in PROBLEMS
        ),
        Claim(
            "regulariser",
            "section 5, appendix E",
            "the regulariser changes no answer: what carries over does so with it, the rest fails",
            "25 of 25",
            _check_regulariser,
        ),
    ]


def _check_regulariser(evidence: StudyEvidence) -> ClaimOutcome:
    pairs: list[tuple[str, StudyRun, StudyRun]] = []
    for name in PROBLEMS:
        with_it = best(evidence, cell(name, "ape", "regularised"))
        without = best(evidence, cell(name, "ape"))
        if with_it is not None and without is not None:
            pairs.append((name, without, with_it))
    if not pairs:
        return not_run("not run")
    same = [name for name, without, with_it in pairs if held_far(without) == held_far(with_it)]
    other = [
        f"{name} {shown(without)} -> {shown(with_it)}"
        for name, without, with_it in pairs
        if name not in same
    ]
    reason = "; ".join(other)
    return outcome(not other, f"{len(same)} of {len(pairs)} problems", None, reason)


_DISTANCE = {
    (1, "ape"): (100, 100, 98.56),
    (2, "ape"): (100, 100, 97.65),
    (3, "ape"): (100, 100, 98.97),
    (1, "nope"): (100, 77.01, 4.36),
    (2, "nope"): (99.88, 23.20, 0),
    (3, "nope"): (100, 11.56, 0),
}


def _distance() -> list[Claim]:
    return [
        Claim(
            f"distance-{distance}-{encoding}",
            "appendix G.7",
            f"copying at distance {distance} with {NAMES[encoding]} "
            + ("carries over" if values[-1] >= 100 * LINE else "fails"),
            " / ".join(f"{value:g}" for value in values),
            partial(_check_distance, distance=distance, encoding=encoding, values=values),
        )
        for (distance, encoding), values in _DISTANCE.items()
    ]


def _check_distance(
    evidence: StudyEvidence, distance: int, encoding: str, values: tuple[float, ...]
) -> ClaimOutcome:
    record = best(evidence, cell(f"distance-{distance}", encoding, "distance-copy"))
    if record is None:
        return not_run("not run")
    holds = values[-1] >= 100 * LINE
    fitted = record.accuracies[0] >= FITTED
    reason = "" if fitted else "the training lengths were not fitted"
    return outcome(held_far(record) is holds, shown(record), interval([record], -1), reason)


# ---- fits, messages, parity by ones ----


def _side() -> list[Claim]:
    return [
        Claim(
            "narrow-periodic",
            "appendix G.2",
            "narrow position tables carry periodic relations better than local ones",
            "width 32, length 100: below 0.001 of a constant's error against above 280",
            partial(_check_fit, wide=False),
        ),
        Claim(
            "wide-local",
            "appendix G.2",
            "wide position tables carry local relations better than narrow ones do",
            "length 100: 0.18 of a constant's error at width 256, above 280 at width 32",
            partial(_check_fit, wide=True),
        ),
        Claim(
            "messages",
            "section 4",
            "what C-RASP can do needs logarithmic messages; copy with repeats and addition need "
            "linear ones",
            "logarithmic against linear",
            _check_messages,
        ),
        Claim(
            "parity-ones",
            "section 5 (our question)",
            "parity's accuracy above chance at longer lengths comes from words with few ones",
            "not reported; 83.0 and 62.1 over all words",
            _check_parity,
        ),
    ]


def relative_errors(evidence: StudyEvidence, name: str, width: int) -> tuple[float, ...] | None:
    """Return errors of a fit relative to the best constant, by length."""
    for fit in evidence.measures.get("positional", ()):
        if fit["relation"] == name and fit["width"] == width:
            return tuple(e / b for e, b in zip(fit["error"], fit["baseline"], strict=True))
    return None


def _check_fit(evidence: StudyEvidence, wide: bool) -> ClaimOutcome:
    fits = evidence.measures.get("positional", ())
    widths = sorted({fit["width"] for fit in fits})
    if len(widths) < 2 or evidence.size == "smoke":
        return not_run("not fitted at this size")
    narrow, broad = widths[0], widths[-1]
    local = relative_errors(evidence, "j=i-1", narrow)
    other = relative_errors(evidence, "j=i-1" if wide else "mod3=0", broad if wide else narrow)
    if local is None or other is None:
        return inconclusive("not fitted")
    name = f"width {broad}, j=i-1" if wide else f"width {narrow}, mod 3"
    ours = f"{other[1]:.3g} ({name}) against {local[1]:.3g} (width {narrow}, j=i-1)"
    return outcome(other[1] < local[1], ours)


def _check_messages(evidence: StudyEvidence) -> ClaimOutcome:
    found = {row["subject"]: row["verdict"] for row in evidence.measures.get("messages", ())}
    if not found:
        return not_run("not counted")
    small = all(found[name] in ("silent", "log") for name in ("binary-majority", "dyck-1"))
    large = all(found[name] == "linear" for name in ("repeat-copy", "addition"))
    return outcome(small and large, ", ".join(f"{k} {v}" for k, v in found.items()))


def _check_parity(evidence: StudyEvidence) -> ClaimOutcome:
    rows = [
        row
        for row in evidence.measures.get("parity-ones", ())
        if row["encoding"] == "ape" and row["few"][1] and row["many"][1]
    ]
    if not rows:
        return not_run("no longer words with more ones than in training")
    few, many = (
        sum(row[kind][0] for row in rows) / sum(row[kind][1] for row in rows)
        for kind in ("few", "many")
    )
    ours = f"{100 * few:.1f} with as few ones as in training, {100 * many:.1f} with more"
    return outcome(few > 0.6 and abs(many - 0.5) < 0.1, ours)
