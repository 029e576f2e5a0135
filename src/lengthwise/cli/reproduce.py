"""``lengthwise reproduce``: a paper's claims beside what shows here."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lengthwise.cli.console import Count, Json, console, print_json, print_table, say

if TYPE_CHECKING:
    from lengthwise.studies.reproduce import Reproduction


def reproduce(
    study: str | None = None,
    *,
    size: Literal["smoke", "laptop", "paper"] = "smoke",
    store: Path | None = None,
    output: Path | None = None,
    report: Path | None = None,
    jobs: Count | None = None,
    kept: bool = False,
    markdown: bool = False,
    dry_run: bool = False,
    as_json: Json = False,
) -> None:
    """Run a paper's experiments at a size and mark each claim held, not held or not tested.

    Runs live in the store: stop it, start it again, it goes on. Without a study, list them.

    Example: lengthwise reproduce huang2024 --size laptop --report huang2024.html

    Parameters
    ----------
    study
        Name of a study; the list is printed without one.
    size
        Smoke (minutes; tests the machinery, decides no claim), laptop (hours on two cores, small
        models and shorter lengths) or paper (the published settings, for GPUs).
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    output
        Write all results to this .json file; by default STUDY-SIZE.json in the store.
    report
        Write the page to this .html file.
    jobs
        Runs at the same time; by default as many as there are cores.
    kept
        Show the results that come with the library instead of training.
    markdown
        Print Markdown tables instead of tables for the terminal.
    dry_run
        Say what would be trained and how long it would take, and stop.
    as_json
        Print JSON instead of tables.
    """
    from lengthwise.core.files import write_json
    from lengthwise.studies.catalogue import STUDIES, load_study
    from lengthwise.studies.catalogue import kept as kept_file
    from lengthwise.studies.reproduce import Reproduction, outline

    if study is None:
        rows = [{"study": name, "about": about} for name, (_, about) in STUDIES.items()]
        print_json(rows) if as_json else print_table(rows)
        return
    if kept:
        found = Reproduction.read(kept_file(study, size))
        if output is not None:
            write_json(output, found.to_json())
    elif dry_run:
        from lengthwise.runs.store import Store

        _print_outline(outline(load_study(study), size, Store(store), jobs), as_json)
        return
    else:
        found = _run(study, size, store, jobs, output, quiet=as_json)
    if report is not None:
        from lengthwise.report.study_page import save_study_page

        save_study_page(found.to_json(), report)
        sys.stderr.write(f"page: {report}\n")
    if as_json:
        print_json(found.to_json())
    elif markdown:
        from lengthwise.studies.markdown import results

        say(results(found))
    else:
        _print(found)


def _run(
    name: str, size: str, store: Path | None, jobs: int | None, output: Path | None, *, quiet: bool
) -> "Reproduction":
    from lengthwise.cli.progress import show_progress
    from lengthwise.core.files import write_json
    from lengthwise.runs.store import Store
    from lengthwise.studies.catalogue import load_study
    from lengthwise.studies.reproduce import reproduce as run

    where = Store(store)
    with show_progress(quiet=quiet) as listener:
        found = run(
            load_study(name),
            size,
            where,
            jobs=jobs,
            on_progress=listener,
            announce=lambda line: _say(line),
        )
    target = output or where.root / f"{name}-{size}.json"
    write_json(target, found.to_json())
    _say(f"results: {target}")
    return found


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _print_outline(facts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(facts)
        return
    for name, value in facts.items():
        if isinstance(value, dict):
            value = ", ".join(f"{key} {count}" for key, count in value.items())
        shown = ", ".join(value) if isinstance(value, list) else value
        console().print(f"{name}: {shown}", markup=False, highlight=False)


def _print(found: "Reproduction") -> None:
    rows = [
        {
            "claim": claim.sentence,
            "where": claim.where,
            "paper": claim.paper,
            "ours": outcome.ours,
            "95%": "" if outcome.interval is None else _range(outcome.interval),
            "outcome": outcome.status,
            "reason": outcome.reason,
        }
        for claim, outcome in found.outcomes
    ]
    evidence = found.evidence
    print_table(rows, title=f"{found.study.title} ({evidence.size})")
    held, tested = found.share
    statuses = [outcome.status for _, outcome in found.outcomes]
    counts = ", ".join(f"{statuses.count(s)} {s}" for s in ("held", "not held", "not tested"))
    console().print(
        f"{counts}. Of the claims expected with small models {held} of {tested} tested held. "
        f"{len(evidence.records)} runs, {found.seconds / 60:.0f} minutes on "
        f"{found.machine['cores']} cores.",
        highlight=False,
    )


def _range(interval: tuple[float, float]) -> str:
    return f"{interval[0]:.3f}-{interval[1]:.3f}"
