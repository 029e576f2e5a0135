"""Trying mutants one after the other, and counting what the tests noticed."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from lengthwise.bench.mutation.accepted import Names
from lengthwise.bench.mutation.mutant import Mutant
from lengthwise.bench.mutation.mutated_files import PARTS, Sought
from lengthwise.bench.mutation.touched import Touched, touched
from lengthwise.bench.mutation.trial import Copy, copied


@dataclass(frozen=True)
class Tried:
    """One mutant and what became of it: caught, accepted (with the reason), survived or not judged.

    Not judged: the tests ended without naming one that fails, and do so without the mutant too.
    """

    part: str
    mutant: Mutant
    outcome: str
    by: str
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        m = self.mutant
        return {
            "part": self.part,
            "file": m.file,
            "line": m.line,
            "where": m.where,
            "text": m.text,
            "change": m.change,
            "outcome": self.outcome,
            "by": self.by,
            "seconds": round(self.seconds, 2),
        }


def campaign(
    root: Path, drawn: Sequence[tuple[Sought, Mutant]], accepted: Names, jobs: int = 1
) -> Iterator[Tried]:
    """Yield what became of each mutant, as it is known; those that are accepted are not run."""
    left: list[tuple[Sought, Mutant]] = []
    for one, mutant in drawn:
        if mutant.name in accepted:
            yield Tried(one.part, mutant, "accepted", accepted[mutant.name], 0.0)
        else:
            left.append((one, mutant))
    if not left:
        return
    with ExitStack() as stack:
        copies = [stack.enter_context(copied(root)) for _ in range(min(jobs, len(left)))]
        maps = _maps(copies[0], left)
        free: SimpleQueue[Copy] = SimpleQueue()
        for copy in copies:
            free.put(copy)

        def attempt(one: Sought, mutant: Mutant) -> Tried:
            copy = free.get()
            try:
                return judge(copy, one, mutant, maps[one.tests])
            finally:
                free.put(copy)

        pool = stack.enter_context(ThreadPoolExecutor(len(copies)))
        stack.callback(pool.shutdown, cancel_futures=True)
        for done in as_completed([pool.submit(attempt, *pair) for pair in left]):
            yield done.result()


def _maps(copy: Copy, left: Sequence[tuple[Sought, Mutant]]) -> dict[tuple[str, ...], Touched]:
    """Measure every set of tests that is needed, over all files that it is asked about."""
    files: dict[tuple[str, ...], set[str]] = {}
    for one, mutant in left:
        files.setdefault(one.tests, set()).add(mutant.file)
    return {tests: touched(copy, tests, sorted(names)) for tests, names in files.items()}


def judge(copy: Copy, one: Sought, mutant: Mutant, known: Touched) -> Tried:
    """Run the tests that may notice a mutant in a copy, and say whether one does."""
    tests = known.tests_of(mutant)
    copy.change(mutant)
    files = sorted({test.partition("::")[0] for test in tests})
    trial = copy.run(files, tests, known.time_for(tests))
    outcome = "caught" if trial.caught else "survived"
    if trial.caught and not trial.failed:  # a crash or the time: the mutant's, or the machine's?
        copy.change(None)
        if copy.run(files, tests, known.time_for(tests)).caught:
            outcome = "not judged"
    by = (trial.failed or [trial.ended])[0] if trial.caught else f"{len(tests)} tests passed"
    return Tried(one.part, mutant, outcome, by, trial.seconds)


def usual_jobs() -> int:
    """Return how many mutants are tried at once: half of the cores."""
    return max(1, (os.cpu_count() or 1) // 2)


def table(tried: Sequence[Tried]) -> list[dict[str, Any]]:
    """Return the counts per part, and of all."""
    rows = [_row(part, [t for t in tried if t.part == part]) for part in PARTS]
    rows = [row for row in rows if row["mutants"]]
    return [*rows, _row("all", tried)] if len(rows) > 1 else rows


def _row(part: str, tried: Sequence[Tried]) -> dict[str, Any]:
    counts = {name: sum(t.outcome == name for t in tried) for name in OUTCOMES}
    judged = len(tried) - counts["not judged"]
    share = f"{100 * counts['caught'] / judged:.0f}%" if judged else ""
    return {"part": part, "mutants": len(tried), **counts, "share caught": share}


OUTCOMES = ("caught", "accepted", "survived", "not judged")
