"""The rules by which the claims of Huang et al. (2024) are judged; the claims are in the file."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lengthwise.records.intervals import over_seeds, wilson
from lengthwise.records.outcomes import agreement, agreement_sentence, all_of, at_least, at_most
from lengthwise.studies.board import Scoreboard, board_cell
from lengthwise.studies.evidence import Cell, StudyEvidence
from lengthwise.studies.huang2024.problems import ENCODINGS, FORMAL, PROBLEMS, cell
from lengthwise.studies.huang2024.trained_cells import FILE, found, published_last
from lengthwise.studies.study import ClaimOutcome, cell_claim, inconclusive, not_run, outcome

STAR_FREE = frozenset(FORMAL) - {
    *("aa-star", "aaaa-star", "abab-star", "tomita-3", "tomita-5", "tomita-6")
}
OUTSIDE_AC0 = frozenset(
    {"binary-majority", "majority", "interleaved-majority", "parity", "tomita-5", "tomita-6"}
)
CLASSES = {
    "star-free": (STAR_FREE, FORMAL),
    "AC0": (frozenset(PROBLEMS) - OUTSIDE_AC0, PROBLEMS),
}


def seeds_of(evidence: StudyEvidence) -> int:
    """Return how many seeds a cell needs at a size."""
    return int(FILE.of_size(evidence.size)["seeds"])


# ---- one claim for every cell ----


def _cell(
    evidence: StudyEvidence, group: str, holds: bool, ratio: str = "three times"
) -> ClaimOutcome:
    """Claim that a cell ends as published, at three times the length or the published ratio."""
    return cell_claim(at_ratio(evidence, group, ratio), holds, seeds_of(evidence))


def at_ratio(evidence: StudyEvidence, group: str, ratio: str) -> Cell | None:
    """Return a cell up to three times the training length, or up to the published ratio."""
    one = found(evidence, group)
    if one is None or ratio == "three times" or len(one.runs[0].bins) < 4:
        return one
    _, problem, _ = group.split("/")
    return one.until(published_last(problem, one.runs[0].spec.training.length[1]))


# ---- predicted against measured, and weaker predictors ----


def measured(
    evidence: StudyEvidence, kind: str = "cell", ratio: str = "three times"
) -> Iterator[tuple[str, str, str, Cell]]:
    """Yield problem, encoding, predicted answer and cell, where all seeds were run."""
    predicted = evidence.measures.get("predictions", {})
    for problem in PROBLEMS:
        for encoding in ENCODINGS:
            one = at_ratio(evidence, cell(problem, encoding, kind), ratio)
            if one is not None and problem in predicted and len(one.runs) >= seeds_of(evidence):
                yield problem, encoding, predicted[problem]["encodings"][encoding]["answer"], one


def board(evidence: StudyEvidence) -> Scoreboard | None:
    """Put every prediction beside its cell with uniform words."""
    predicted = evidence.measures.get("predictions", {})
    if not predicted:
        return None
    rows = [
        board_cell(
            str(one.runs[0].spec.task),
            encoding,
            {**predicted[problem]["encodings"][encoding], **predicted[problem]["facts"]},
            one,
        )
        for problem, encoding, _, one in measured(evidence)
    ]
    return Scoreboard("huang2024", evidence.size, tuple(rows))


def _predicted(
    evidence: StudyEvidence, least: float, cells: int, kind: str, ratio: str
) -> ClaimOutcome:
    """Claim that at least so many of the fitted cells are as predicted; mixed counts against."""
    rows = list(measured(evidence, kind, ratio))
    if not rows:
        return not_run("no predictions or no runs")
    fitted = [row for row in rows if row[3].outcome != "not fitted"]
    right = sum(agreement(answer, one.outcome) is True for _, _, answer, one in fitted)
    wrong = [
        f"{p} {e}" for p, e, answer, one in fitted if agreement(answer, one.outcome) is not True
    ]
    ours = agreement_sentence([(answer, one.outcome) for _, _, answer, one in rows])
    around = wilson(right, len(fitted))
    if len(rows) < cells:
        return inconclusive(f"{len(rows)} of {cells} cells run", ours, around)
    if 2 * len(fitted) < len(rows):
        return inconclusive("fewer than half of the cells were fitted", ours, around)
    reason = f"disagree: {', '.join(wrong)}" if wrong else ""
    return outcome(right >= least * len(fitted), ours, around, reason)


def _split(evidence: StudyEvidence, name: str) -> ClaimOutcome:
    """A class does not separate if some member fails and some non-member holds."""
    members, among = CLASSES[name]
    known = {problem: found(evidence, cell(problem, "ape")) for problem in among}
    outcomes = {problem: one.outcome for problem, one in known.items() if one is not None}
    if not outcomes:
        return not_run()
    fails = [n for n, o in outcomes.items() if n in members and o == "fails"]
    holds = [n for n, o in outcomes.items() if n not in members and o == "holds"]
    ours = f"inside and fail: {', '.join(fails) or 'none'}; outside and hold: "
    ours += ", ".join(holds) or "none"
    if fails and holds:
        return outcome("held", ours)
    if len(outcomes) < len(among) or {"not fitted", "mixed"} & set(outcomes.values()):
        return inconclusive("some cells were not run, not fitted or mixed", ours)
    return outcome("not held", ours)


def _dot_depth(evidence: StudyEvidence) -> ClaimOutcome:
    deep, shallow = (found(evidence, cell(name, "ape")) for name in ("d-12", "zero-twos"))
    if deep is None or shallow is None:
        return not_run()
    ours = f"d-12 {deep.shown}, zero-twos {shallow.shown}"
    enough = seeds_of(evidence)
    parts = (cell_claim(deep, True, enough).status, cell_claim(shallow, False, enough).status)
    return outcome(all_of(parts), ours)


# ---- regulariser ----


def _regulariser(evidence: StudyEvidence) -> ClaimOutcome:
    """Claim that no problem ends otherwise with the regulariser; unfitted pairs decide nothing."""
    pairs: list[tuple[str, Cell, Cell]] = []
    for name in PROBLEMS:
        with_it = found(evidence, cell(name, "ape", "regularised"))
        without = found(evidence, cell(name, "ape"))
        if with_it is not None and without is not None:
            pairs.append((name, without, with_it))
    if not pairs:
        return not_run()
    fitted = [p for p in pairs if "not fitted" not in (p[1].outcome, p[2].outcome)]
    other = [f"{n} {a.outcome} -> {b.outcome}" for n, a, b in fitted if a.outcome != b.outcome]
    ours = f"{len(fitted) - len(other)} of {len(fitted)} fitted problems end alike"
    if not fitted:
        return inconclusive("no pair was fitted", ours)
    return outcome(not other, ours, None, "; ".join(other))


# ---- fits, messages, parity by ones ----


def relative_errors(evidence: StudyEvidence, name: str, width: int) -> tuple[float, ...] | None:
    """Return errors of a fit relative to the best constant, by length."""
    for fit in evidence.measures.get("positional", ()):
        if fit["relation"] == name and fit["width"] == width:
            return tuple(e / b for e, b in zip(fit["error"], fit["baseline"], strict=True))
    return None


def _fit(evidence: StudyEvidence, wide: bool) -> ClaimOutcome:
    fits = evidence.measures.get("positional", ())
    widths = sorted({fit["width"] for fit in fits})
    if len(widths) < 2 or evidence.size == "smoke":
        return not_run("not fitted at this size")
    narrow, broad = widths[0], widths[-1]
    local = relative_errors(evidence, "j=i-1", narrow)
    other = relative_errors(evidence, "j=i-1" if wide else "mod3=0", broad if wide else narrow)
    if local is None or other is None:
        return not_run("not fitted at this size")
    name = f"width {broad}, j=i-1" if wide else f"width {narrow}, mod 3"
    ours = f"{other[1]:.3g} ({name}) against {local[1]:.3g} (width {narrow}, j=i-1)"
    return outcome(other[1] < local[1], ours)


def _messages(evidence: StudyEvidence) -> ClaimOutcome:
    found = {row["subject"]: row["verdict"] for row in evidence.measures.get("messages", ())}
    if not found:
        return not_run("not counted")
    small = all(found[name] in ("silent", "log") for name in ("binary-majority", "dyck-1"))
    large = all(found[name] == "linear" for name in ("repeat-copy", "addition"))
    return outcome(small and large, ", ".join(f"{k} {v}" for k, v in found.items()))


def _parity(evidence: StudyEvidence) -> ClaimOutcome:
    rows = [
        row
        for row in evidence.measures.get("parity-ones", ())
        if row["encoding"] == "ape" and row["few"][1] and row["many"][1]
    ]
    if not rows:
        return not_run("no longer words with more ones than in training")
    rows = [row for row in rows if row["fitted"]]
    if not rows:
        return inconclusive("no seed fitted the training lengths")
    few, many = (over_seeds(_by_seed(rows, kind)) for kind in ("few", "many"))
    ours = (
        f"{100 * few[0]:.0f} to {100 * few[1]:.0f} with as few ones as in training, "
        f"{100 * many[0]:.0f} to {100 * many[1]:.0f} with more"
    )
    lines = FILE.lines
    parts = (
        at_least(few, lines["few"]),
        at_least(many, 0.5 - lines["chance"]),
        at_most(many, 0.5 + lines["chance"]),
    )
    return outcome(all_of(parts), ours)


def _by_seed(rows: Sequence[Mapping[str, Any]], kind: str) -> list[tuple[int, int]]:
    """Add up right and tried instances of every seed."""
    sums: dict[int, tuple[int, int]] = {}
    for row in rows:
        right, tried = sums.get(row["seed"], (0, 0))
        sums[row["seed"]] = right + row[kind][0], tried + row[kind][1]
    return list(sums.values())


RULES = {
    "cell": _cell,
    "predicted": _predicted,
    "split": _split,
    "dot-depth": _dot_depth,
    "regulariser": _regulariser,
    "fit": _fit,
    "messages": _messages,
    "parity": _parity,
}
