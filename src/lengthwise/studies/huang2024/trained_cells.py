"""The cells of the study at the sizes a laptop can do, trained by the recipe; and what they became.

cell         25 problems, uniform words, tested to two and three times the training length
words        17 languages with the authors' words, tested at the published ratios and beyond
regularised  some problems with the regulariser
distance     copying at a distance (appendix G.7)
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from lengthwise.records.outcomes import LINE
from lengthwise.records.published import reported
from lengthwise.records.selection import configuration
from lengthwise.records.spec import Range
from lengthwise.studies.climbing import Climb, ClimbingStudy, climb
from lengthwise.studies.evidence import Cell, StudyEvidence, StudyRun
from lengthwise.studies.frozen_file import frozen
from lengthwise.studies.huang2024.problems import ENCODINGS, FORMAL, PROBLEMS, SYMBOLS, cell
from lengthwise.studies.tuning import chosen
from lengthwise.tasks.formal.lengths import windows

FILE = frozen("huang2024")
SUCCESSES = 5


def published(problem: str, encoding: str) -> tuple[float, ...]:
    """Return the published accuracies of the three bins, in percent."""
    name = {"ape": "learned"}.get(encoding, encoding)
    return next(
        line.accuracy
        for line in reported(problem)
        if line.paper == "huang2024" and line.encoding == name
    )


def in_order() -> list[str]:
    """Return the problems so that every beginning has some that hold, some that fail, and both.

    Example:
        >>> in_order()[:3]
        ['binary-majority', 'interleaved-majority', 'repeat-copy']
    """
    groups: dict[tuple[bool, ...], list[str]] = {}
    for name in PROBLEMS:
        kind = tuple(published(name, encoding)[-1] >= 100 * LINE for encoding in ENCODINGS)
        groups.setdefault(kind, []).append(name)
    rounds = max(map(len, groups.values()))
    return [group[n] for n in range(rounds) for group in groups.values() if n < len(group)]


def published_bins(problem: str, trained: int) -> tuple[Range, ...]:
    """Return the tests of a language: the published ratios to the training length, then 2 and 3.

    Example:
        >>> published_bins("aaaa-star", 20)
        ((21, 24), (25, 28), (29, 40), (41, 60))
    """
    disjoint = windows(problem)
    longest = disjoint.train[1]
    ends = {trained * high // longest for _, high in disjoint.bins[1:]}
    ends |= {2 * trained, 3 * trained}
    starts = [trained, *sorted(ends)]
    return tuple((low + 1, high) for low, high in pairwise(starts))


def published_last(problem: str, trained: int) -> int:
    """Return which bin is the last published one; the Tomita languages' third is their second.

    Example:
        >>> published_last("aaaa-star", 20), published_last("tomita-4", 20)
        (2, 1)
    """
    both = windows(problem, faithful=True).bins
    number = 1 if both[1][1] >= both[2][1] - 10 else 2
    end = trained * windows(problem).bins[number][1] // windows(problem).train[1]
    bins = published_bins(problem, trained)
    return 1 + next(n for n, (_, high) in enumerate(bins) if high >= end)


def cells(size: str) -> Iterator[Climb]:
    """Yield every cell of a laptop or smoke size, in an order that can be cut anywhere."""
    about = FILE.of_size(size)
    for name in in_order():
        for encoding in ENCODINGS:
            yield _cell(name, encoding, size, about)
        if name in FORMAL:
            for encoding in ENCODINGS:
                yield _words(name, encoding, size, about)
    for name in about["regularised"]:
        plain = _cell(name, "ape", size, about)
        training = {"regularize": 1e-4}
        yield replace(plain, group=cell(name, "ape", "regularised"), training=training)
    for distance in about["distances"]:
        for encoding in ENCODINGS:
            plain = _cell("unique-copy", encoding, size, about)
            task = f"distance-copy:distance={distance},symbols={plain.tests[-1][1]}"
            group = cell(f"distance-{distance}", encoding, "distance-copy")
            yield replace(plain, task=task, group=group, trained=(3, plain.trained[1]))


def _cell(name: str, encoding: str, size: str, about: Any) -> Climb:
    trained = about["lengths"].get(name, about["trained"])
    task = f"{name}:symbols={3 * trained}" if name in SYMBOLS else name
    return climb(FILE, size, trained, group=cell(name, encoding), task=task, encoding=encoding)


def _words(name: str, encoding: str, size: str, about: Any) -> Climb:
    plain = _cell(name, encoding, size, about)
    low = max(windows(name).train[0], 1)
    trained = (low, plain.trained[1])
    return replace(
        plain,
        group=cell(name, encoding, "words"),
        task=f"{name}:distribution=published",
        trained=trained,
        tests=plain.tests if size == "smoke" else published_bins(name, trained[1]),
    )


CELLS = ClimbingStudy(FILE, cells)


# ---- what became of them ----


def found(evidence: StudyEvidence, group: str) -> Cell | None:
    """Return a cell: of the rungs that fitted, or at paper size of the chosen setting's successes.

    Published numbers are means over the first five runs of the chosen setting that fitted (all
    runs of the twelve-layer model); the seeds that were tried are counted.
    """
    if evidence.size != "paper":
        return evidence.cell(group)
    sweep = [record for record in evidence.find(group) if record.spec.seed == 0]
    if not sweep:
        return None
    return repeated(evidence.find(group), chosen(sweep))


def repeated(records: Sequence[StudyRun], best: StudyRun) -> Cell:
    """Return the first five successes of a setting, or all its runs where there is none."""
    mine = [r for r in records if configuration(r.spec) == configuration(best.spec)]
    mine.sort(key=lambda record: record.spec.seed)
    every = best.spec.model.layers == 12
    successes = [record for record in mine if every or record.accuracies[0] >= 1.0]
    return Cell(tuple(successes[:SUCCESSES] or mine), len(mine))
