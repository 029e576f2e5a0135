"""Claims of Kazemnejad et al. (2023) about attention, perplexity, cost and constructions."""

from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.kazemnejad2023.splits import ENCODINGS, NAMES, TEXTS
from lengthwise.studies.study import Claim, ClaimOutcome, not_run, outcome


def inside() -> list[Claim]:
    """Return the claims about what models look at, what they cost and what can be built."""
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
            _check_rotary,
            headline=False,
        ),
        Claim(
            "perplexity-nope-alibi",
            "section 7",
            "perplexity: NoPE and ALiBi hold to 1.4 times the trained context",
            "NoPE 2.67 to 2.50, ALiBi 2.74 to 2.74 (documents of 2750-3000)",
            _check_others,
            headline=False,
        ),
        Claim(
            "cost",
            "section 4",
            "NoPE costs no more than any other encoding",
            "forward at 1001 tokens: 29.6 ms against 30.3 to 48.5 (authors' records)",
            _check_cost,
            headline=False,
        ),
        Claim(
            "theorems",
            "Theorems 1 and 2",
            "a decoder without position encoding can write absolute and use relative positions",
            "proved; weights are ours",
            _check_theorems,
            headline=False,
        ),
    ]


def _similarity(evidence: StudyEvidence, method: str) -> tuple[dict[str, float], str]:
    """Return the distance of every encoding's attention from NoPE's, and a line that shows them."""
    rows = {r["encoding"]: r[method] for r in evidence.measures.get("similarity", ())}
    return rows, ", ".join(f"{name} {value:.3f}" for name, value in rows.items())


def _check_order(evidence: StudyEvidence) -> ClaimOutcome:
    rows, ours = _similarity(evidence, "published")
    order = ("T5", "ALiBi", "APE", "Rotary")
    if not rows.keys() >= set(order):
        return not_run("not measured")
    values = [rows[name] for name in order]
    return outcome(values == sorted(values), ours)


def _check_nearest(evidence: StudyEvidence) -> ClaimOutcome:
    rows, ours = _similarity(evidence, "jensen-shannon")
    others = [value for name, value in rows.items() if name not in ("T5", "NoPE'")]
    if "T5" not in rows or not others:
        return not_run("not measured")
    return outcome(rows["T5"] <= min(others), ours)


def _check_itself(evidence: StudyEvidence) -> ClaimOutcome:
    rows, ours = _similarity(evidence, "published")
    if not rows.keys() >= {"T5", "NoPE'"}:
        return not_run("not measured")
    return outcome(rows["T5"] <= 1.25 * rows["NoPE'"], ours)


def _check_near(evidence: StudyEvidence) -> ClaimOutcome:
    rows = {r["encoding"]: r["near"] for r in evidence.measures.get("distances", ())}
    if len(rows) < len(ENCODINGS):
        return not_run("not measured")
    ours = ", ".join(f"{name} {value:.2f}" for name, value in rows.items())
    return outcome(rows["ALiBi"] >= max(rows.values()), ours)


def growth(evidence: StudyEvidence, encoding: str, factor: float) -> float | None:
    """Return perplexity at a multiple of the trained context over that at the trained context."""
    for row in evidence.measures.get("perplexity", ()):
        if row["encoding"] == NAMES[encoding]:
            values = row["perplexity"]
            return values[str(round(row["trained"] * factor))] / values[str(row["trained"])]
    return None


def _growths(evidence: StudyEvidence) -> tuple[dict[str, float], str]:
    """Return how perplexity grows beyond the trained context, and a line that shows it."""
    found = {NAMES[name]: growth(evidence, name, 1.4) for name in TEXTS}
    known = {name: value for name, value in found.items() if value is not None}
    shown = ", ".join(f"{name} {value:.2f}" for name, value in known.items())
    return known, f"perplexity at 1.4x over that at 1x: {shown}"


def _check_rotary(evidence: StudyEvidence) -> ClaimOutcome:
    known, ours = _growths(evidence)
    if len(known) < len(TEXTS):
        return not_run("not measured")
    return outcome(known["Rotary"] > 1.05 and known["Rotary"] >= max(known.values()), ours)


def _check_others(evidence: StudyEvidence) -> ClaimOutcome:
    known, ours = _growths(evidence)
    if len(known) < len(TEXTS):
        return not_run("not measured")
    return outcome(max(known["NoPE"], known["ALiBi"]) <= 1.05, ours)


def _check_cost(evidence: StudyEvidence) -> ClaimOutcome:
    rows = evidence.measures.get("cost", ())
    if not rows:
        return not_run("not measured")
    longest = max(row["length"] for row in rows)
    times = {row["encoding"]: row["forward"] for row in rows if row["length"] == longest}
    ours = ", ".join(f"{name} {1000 * value:.1f} ms" for name, value in times.items())
    return outcome(times["NoPE"] <= 1.05 * min(times.values()), f"{ours} at {longest} tokens")


def _check_theorems(evidence: StudyEvidence) -> ClaimOutcome:
    rows = evidence.measures.get("theorems", ())
    if not rows:
        return not_run("not built")
    largest = max(max(row["position"], row["relative"]) for row in rows)
    longest = max(row["positions"] for row in rows)
    return outcome(largest < 1e-6, f"largest error {largest:.1e} at up to {longest} positions")
