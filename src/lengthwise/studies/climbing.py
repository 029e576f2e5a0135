"""Train a cell by the recipe: every seed climbs the rungs until one fits its training lengths.

    seed 0   rung 1 fits
    seed 1   rung 1 does not, rung 2 does      the run that counts is the one that fitted
    seed 2   rung 1 and 2 do not, rung 3 ...   or the last, which then confirms nothing

Size and steps follow from the fit in distribution alone; nobody looks at longer lengths.
"""

from collections.abc import Callable, Iterator, Sequence

from lengthwise.records.recipes import Rung
from lengthwise.records.spec import RunSpec
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.study import Planned


def climb(
    group: str,
    spec: Callable[[Rung, int], RunSpec],
    rungs: Sequence[Rung],
    seeds: int,
    evidence: StudyEvidence,
) -> Iterator[Planned]:
    """Yield the runs of a cell that are needed: those that were made, and the next of each seed."""
    known = {record.spec.id: record for record in evidence.records if record.group == group}
    for seed in range(seeds):
        for number, rung in enumerate(rungs):
            planned = spec(rung, seed)
            yield Planned(group, planned, number)
            record = known.get(planned.id)
            if record is None or record.fitted:
                break
