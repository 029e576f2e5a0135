"""``lengthwise dev mutants``: do the tests notice small faults in the code?"""

import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, Seed, print_json, print_table

if TYPE_CHECKING:
    from lengthwise.bench.mutation.campaign import Tried

Many = Parameter(consume_multiple=False, negative="")
Flag = Parameter(negative="")


def mutants(
    *,
    file: Annotated[tuple[str, ...], Many] = (),
    count: Count = 120,
    every: Annotated[bool, Flag] = False,
    seed: Seed = 0,
    jobs: Count | None = None,
    listed: Annotated[bool, Flag] = False,
    as_json: Json = False,
) -> None:
    """Put small faults into the code, one at a time, and see whether the tests notice.

    Comparisons are flipped, operators swapped, constants changed by one, conditions negated and
    guards switched off in a temporary copy of the repository; the tests that run the changed line
    are run, the fastest first, until one fails. Survivors that change nothing that matters stand in
    `tests/mutants.toml` with the reason. Exit code 1 if others survive.

    Example: lengthwise dev mutants --file margin.py --count 20 --seed 1

    Parameters
    ----------
    file
        Only this file, as the end of its path; give it several times for several. By default the
        files behind verdicts, compiled weights, measured numbers and stored runs.
    count
        Mutants to draw, every part of the code in turn.
    every
        Try all mutants of these files instead.
    seed
        The same seed draws the same mutants.
    jobs
        Mutants tried at the same time; by default half of the cores.
    listed
        Run those that are listed in `tests/mutants.toml` too.
    as_json
        Print every mutant and what became of it as JSON.
    """
    from lengthwise.bench.mutation.accepted import FILE, read_accepted, stale
    from lengthwise.bench.mutation.campaign import campaign, table, usual_jobs
    from lengthwise.bench.mutation.mutated_files import sample, sought
    from lengthwise.bench.mutation.trial import PACKAGE, checkout

    root = checkout()
    files = sought(root / PACKAGE, file)
    drawn = sample(files, None if every else count, seed)
    accepted = read_accepted(root / FILE)
    tried: list[Tried] = []
    for one in campaign(root, drawn, {} if listed else accepted, jobs or usual_jobs()):
        tried.append(one)
        sys.stderr.write(f"{len(tried)}/{len(drawn)} {_line(one)}\n")
        sys.stderr.flush()
    survivors = [one for one in tried if one.outcome == "survived"]
    if as_json:
        print_json([one.to_json() for one in tried])
    else:
        print_table(table(tried))
        for one in tried:
            if one.outcome in ("survived", "not judged"):
                sys.stdout.write(f"{one.outcome}: {_place(one)}\n")
    named = {one.file for one in files}
    old = {name: why for name, why in accepted.items() if name[0] in named}
    for entry in stale(old, [mutant for one in files for mutant in one.mutants]):
        sys.stderr.write(f"{FILE}: no such mutant any more: {entry}\n")
    if any(one.mutant.name not in accepted for one in survivors):
        sys.exit(1)


def _place(one: "Tried") -> str:
    mutant = one.mutant
    return f"{mutant.file}:{mutant.line} {mutant.where}: {' '.join(mutant.change.split())}"


def _line(one: "Tried") -> str:
    return f"{one.outcome:8} {_place(one)} ({one.by}, {one.seconds:.1f} s)"
