"""The claims of Kazemnejad et al. (2023) as predicates, with the published numbers."""

from collections.abc import Callable, Sequence
from functools import partial

from lengthwise.studies.evidence import Evidence
from lengthwise.studies.kazemnejad2023 import scores
from lengthwise.studies.kazemnejad2023.splits import ENCODINGS, NAMES, TEXTS
from lengthwise.studies.study import Claim, Outcome, outcome, untested
from lengthwise.tasks.reported import reported

NOPE, T5, ALIBI, ROTARY, APE = ENCODINGS
FITTED = 0.98
CLOSE = 0.02
"""Accuracies this close count as equal in an ordering."""


def claims(size: str) -> list[Claim]:
    """Return all claims; which can be tested depends on the evidence."""
    return [*_fits(), *_counting(), *_orders(), *_exceptions(), *_ranks(), *_addition(), *_inside()]


def published(task: str) -> str:
    """Return the published mean accuracies over unseen lengths, NoPE first."""
    names = ("nope", "t5-bias", "alibi", "rotary", "sinusoidal")
    known = {line.encoding: line.accuracy[0] / 100 for line in reported(task)}
    return " / ".join(f"{known[name]:.2f}" for name in names if name in known)


def _shown(values: Sequence[float]) -> str:
    return " / ".join(f"{value:.2f}" for value in values)


def _fitted(evidence: Evidence, task: str, encodings: Sequence[str]) -> list[str]:
    """Return the encodings whose runs did not fit the training lengths."""
    values = {name: scores.trained(evidence, task, name) for name in encodings}
    return [NAMES[name] for name, value in values.items() if value is not None and value < 0.9]


Rule = Callable[[dict[str, float]], bool]


def _by_row(evidence: Evidence, task: str, rule: Rule) -> Outcome:
    """Apply a rule to the accuracies of the five encodings over unseen lengths."""
    found = scores.row(evidence, task)
    if found is None:
        return untested("not run")
    missed = _fitted(evidence, task, ENCODINGS)
    reason = f"training lengths not fitted: {', '.join(missed)}" if missed else ""
    ours = _shown([found[name] for name in ENCODINGS])
    if len(missed) == len(ENCODINGS):
        return untested(f"no encoding fitted the training lengths (unseen: {ours})")
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


def _check_fits(evidence: Evidence, task: str, encodings: Sequence[str]) -> Outcome:
    values = [scores.trained(evidence, task, name) for name in encodings]
    known = [value for value in values if value is not None]
    if len(known) < len(encodings):
        return untested("not run")
    return outcome(min(known) >= FITTED, _shown(known))


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
    evidence: Evidence, task: str, encodings: Sequence[str], line: float, at: float = 2
) -> Outcome:
    values = [scores.at(evidence, task, name, at) for name in encodings]
    known = [value for value in values if value is not None]
    if len(known) < len(encodings):
        return untested("not run")
    return outcome(min(known) > line, f"{_shown(known)} at {at}L")


def _check_zero(
    evidence: Evidence, task: str, encodings: Sequence[str], factor: float | None = None
) -> Outcome:
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
        return untested("not run")
    missed = _fitted(evidence, task, encodings)
    if missed:
        return untested(f"training lengths not fitted: {', '.join(missed)}")
    return outcome(max(known) <= 0.05, f"{_shown(known)} at {place}")


def _check_decay(evidence: Evidence) -> Outcome:
    near = scores.at(evidence, "copy-v1-text", T5, 1.4)
    far = scores.at(evidence, "copy-v1-text", T5, 2.0)
    if near is None or far is None:
        return untested("not run")
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


def _check_parity(evidence: Evidence) -> Outcome:
    values = [scores.beyond(evidence, "parity-text", name, 2) for name in (ROTARY, APE)]
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return untested("not run")
    missed = _fitted(evidence, "parity-text", (ROTARY, APE))
    if missed:
        return untested(f"training lengths not fitted: {', '.join(missed)}")
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
    evidence: Evidence, rule: Callable[[list[str]], bool], group: str | None = None
) -> Outcome:
    fair = scores.reciprocal(evidence, "fair", group)
    if fair is None:
        return untested("not run")
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


def _check_addition(evidence: Evidence) -> Outcome:
    values = [scores.beyond(evidence, "addition-text", name, 3) for name in ENCODINGS]
    known = [value for value in values if value is not None]
    if len(known) < len(ENCODINGS):
        return untested("not run")
    missed = _fitted(evidence, "addition-text", ENCODINGS)
    if len(missed) == len(ENCODINGS):
        return untested("no encoding fitted the training lengths")
    reason = f"training lengths not fitted: {', '.join(missed)}" if missed else ""
    return outcome(max(known) <= 0.05, _shown(known) + " at L+3", None, reason)


def pads(evidence: Evidence, task: str, encoding: str) -> dict[str, tuple[float, float]]:
    """Return exact match (trained, unseen) for every scratchpad that was run."""
    from lengthwise.studies.evidence import part

    found: dict[str, tuple[float, float]] = {}
    for record in evidence.find("scratchpad", None, encoding):
        if scores.inner(record.task) == task:
            kind = record.task.partition("scratchpad=")[2].partition(";")[0]
            found[kind] = record.accuracies[0], part(record.unseen)
    return found


def _check_pad(evidence: Evidence) -> Outcome:
    pairs: list[tuple[str, float, float]] = []
    for encoding in (NOPE, T5, APE):
        plain = scores.unseen(evidence, "addition-text", encoding)
        found = pads(evidence, "addition-text", encoding)
        if plain is not None and found:
            pairs.append((NAMES[encoding], plain, max(far for _, far in found.values())))
    if not pairs:
        return untested("not run")
    ours = ", ".join(f"{name} {plain:.2f} to {far:.2f}" for name, plain, far in pairs)
    return outcome(all(far > plain for _, plain, far in pairs), ours)


def _check_other_pads(evidence: Evidence) -> Outcome:
    pairs: list[tuple[str, float, float]] = []
    for task in ("summation-text", "parity-text", "sort-text"):
        plain = scores.unseen(evidence, task, NOPE)
        found = pads(evidence, task, NOPE)
        fitted = not _fitted(evidence, task, (NOPE,))
        if plain is not None and found and fitted:
            pairs.append((task, plain, max(far for _, far in found.values())))
    if not pairs:
        return untested("not run, or the training lengths were not fitted without scratchpad")
    ours = ", ".join(f"{name} {plain:.2f} to {far:.2f}" for name, plain, far in pairs)
    return outcome(all(far <= plain + CLOSE for _, plain, far in pairs), ours)


# ---- 9 and beyond: attention, perplexity, cost, theorems ----


def _inside() -> list[Claim]:
    return [
        Claim(
            "attention-order",
            "Figure 4",
            "NoPE's attention is nearest to T5's, then ALiBi's, APE's, Rotary's (figures' formula)",
            "T5 0.30, ALiBi 0.61, APE 0.90, Rotary 1.24 (SCAN, length 30)",
            _check_order,
        ),
        Claim(
            "attention-t5",
            "Figure 4",
            "NoPE's attention is nearest to T5's (Jensen-Shannon, the formula in the text)",
            "figures use another formula",
            _check_nearest,
        ),
        Claim(
            "attention-itself",
            "Figure 4",
            "T5 is as close to NoPE as another NoPE model is (figures' formula)",
            "0.30 and 0.30 (SCAN, length 30)",
            _check_itself,
        ),
        Claim(
            "attention-alibi",
            "Figure 7",
            "ALiBi attends nearest of all encodings",
            "0.86 of it within a tenth of the length; NoPE 0.59, T5 0.60, Rotary 0.25, APE 0.23",
            _check_near,
        ),
        Claim(
            "perplexity-rotary",
            "section 7",
            "perplexity: Rotary degrades at once beyond the trained context",
            "1.38x the trained context: 157 against 2.6 (documents of 2750-3000)",
            partial(_check_perplexity, encoding=ROTARY, worse=True),
            small=False,
        ),
        Claim(
            "perplexity-nope-alibi",
            "section 7",
            "perplexity: NoPE and ALiBi hold to 1.4 times the trained context",
            "NoPE 2.67 to 2.50, ALiBi 2.74 to 2.74 (documents of 2750-3000)",
            partial(_check_perplexity, encoding=NOPE, worse=False),
            small=False,
        ),
        Claim(
            "cost",
            "section 4",
            "NoPE costs no more than any other encoding",
            "forward at 1001 tokens: 29.6 ms against 30.3 to 48.5 (authors' records)",
            _check_cost,
            small=False,
        ),
        Claim(
            "theorems",
            "Theorems 1 and 2",
            "a decoder without position encoding can write absolute and use relative positions",
            "proved; weights are ours",
            _check_theorems,
            small=False,
        ),
    ]


def _similarity(evidence: Evidence, method: str) -> tuple[dict[str, float], str]:
    """Return the distance of every encoding's attention from NoPE's, and a line that shows them."""
    rows = {r["encoding"]: r[method] for r in evidence.measures.get("similarity", ())}
    return rows, ", ".join(f"{name} {value:.3f}" for name, value in rows.items())


def _check_order(evidence: Evidence) -> Outcome:
    rows, ours = _similarity(evidence, "published")
    order = ("T5", "ALiBi", "APE", "Rotary")
    if not rows.keys() >= set(order):
        return untested("not measured")
    values = [rows[name] for name in order]
    return outcome(values == sorted(values), ours)


def _check_nearest(evidence: Evidence) -> Outcome:
    rows, ours = _similarity(evidence, "jensen-shannon")
    others = [value for name, value in rows.items() if name not in ("T5", "NoPE'")]
    if "T5" not in rows or not others:
        return untested("not measured")
    return outcome(rows["T5"] <= min(others), ours)


def _check_itself(evidence: Evidence) -> Outcome:
    rows, ours = _similarity(evidence, "published")
    if not rows.keys() >= {"T5", "NoPE'"}:
        return untested("not measured")
    return outcome(rows["T5"] <= 1.25 * rows["NoPE'"], ours)


def _check_near(evidence: Evidence) -> Outcome:
    rows = {r["encoding"]: r["near"] for r in evidence.measures.get("distances", ())}
    if len(rows) < len(ENCODINGS):
        return untested("not measured")
    ours = ", ".join(f"{name} {value:.2f}" for name, value in rows.items())
    return outcome(rows["ALiBi"] >= max(rows.values()), ours)


def growth(evidence: Evidence, encoding: str, factor: float) -> float | None:
    """Return perplexity at a multiple of the trained context over that at the trained context."""
    for row in evidence.measures.get("perplexity", ()):
        if row["encoding"] == NAMES[encoding]:
            values = row["perplexity"]
            return values[str(round(row["trained"] * factor))] / values[str(row["trained"])]
    return None


def _check_perplexity(evidence: Evidence, encoding: str, worse: bool) -> Outcome:
    found = {NAMES[name]: growth(evidence, name, 1.4) for name in TEXTS}
    known = {name: value for name, value in found.items() if value is not None}
    if len(known) < len(TEXTS):
        return untested("not measured")
    ours = "perplexity at 1.4x over that at 1x: " + ", ".join(
        f"{name} {value:.2f}" for name, value in known.items()
    )
    if worse:
        return outcome(known["Rotary"] > 1.05 and known["Rotary"] >= max(known.values()), ours)
    return outcome(max(known["NoPE"], known["ALiBi"]) <= 1.05, ours)


def _check_cost(evidence: Evidence) -> Outcome:
    rows = evidence.measures.get("cost", ())
    if not rows:
        return untested("not measured")
    longest = max(row["length"] for row in rows)
    times = {row["encoding"]: row["forward"] for row in rows if row["length"] == longest}
    ours = ", ".join(f"{name} {1000 * value:.1f} ms" for name, value in times.items())
    return outcome(times["NoPE"] <= 1.05 * min(times.values()), f"{ours} at {longest} tokens")


def _check_theorems(evidence: Evidence) -> Outcome:
    rows = evidence.measures.get("theorems", ())
    if not rows:
        return untested("not built")
    largest = max(max(row["position"], row["relative"]) for row in rows)
    longest = max(row["positions"] for row in rows)
    return outcome(largest < 1e-6, f"largest error {largest:.1e} at up to {longest} positions")
