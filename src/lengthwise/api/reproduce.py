"""``reproduce``: a paper's claims beside what shows here."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from lengthwise.api.outline import Outline
from lengthwise.api.shown import Rows, Sentence, Shown, writes
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Count, Processors
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.report.document import Document
    from lengthwise.studies.reproduce import Reproduction

LINES = 24
"""Claims that are printed at most, without --all."""


@dataclass(frozen=True)
class StudyList(Shown):
    """The studies that there are."""

    unwritable: ClassVar[str] = "name a study; `lengthwise reproduce` lists them."
    rows: Sequence[dict[str, str]]

    def parts(self) -> Iterator[str | Rows]:
        """Yield one table."""
        yield Rows(self.rows)

    def to_json(self) -> list[dict[str, str]]:
        """Return the rows."""
        return list(self.rows)


@dataclass(frozen=True)
class Reproduced(Shown):
    """A study's claims, each held, not held, inconclusive or not run, with the evidence."""

    data: Mapping[str, Any]
    """What its file holds; everything can be checked again from it."""
    markdown: bool = False
    full: bool = False
    """Whether every claim is printed, and not only those that did not hold."""

    def parts(self) -> Iterator[str | Rows]:
        """Yield how the study came out, then the claims that did not hold, or all of them."""
        from lengthwise.studies.markdown import provenance, results
        from lengthwise.studies.verdict import verdict

        if self.markdown:
            yield results(self.data, full=self.full)
            return
        data = self.data
        yield f"{data['title']} ({data['size']})"
        yield Sentence(verdict(data["claims"]))
        yield Sentence(
            f"{provenance(data)} {len(data['runs'])} runs, {data['seconds'] / 60:.0f} minutes on "
            f"{data['machine']['cores']} cores."
        )
        if self.full:
            yield Rows(_claims(data))
            return
        yield from _not_held(data["claims"])

    def laid_out(self) -> "Document":
        """Return what the page shows before anything is unfolded."""
        from lengthwise.report.document import unfolded
        from lengthwise.report.study_page import study_document

        return unfolded(study_document(self.data))

    def rows_of_frame(self) -> list[dict[str, Any]]:
        """Return one row for every claim."""
        return _claims(self.data)

    def to_json(self) -> dict[str, Any]:
        """Return everything from which the claims can be checked again."""
        return dict(self.data)

    @writes(".json", option="output", aliases=("-o",))
    def save(self, path: Path) -> None:
        """Write all results to this .json file too; the store keeps them as STUDY-SIZE.json."""
        from lengthwise.core.outputs import save_json

        save_json(path, self.to_json())

    @writes(".html")
    def report(self, path: Path) -> None:
        """Write the page to this .html file."""
        from lengthwise.report.study_page import save_study_page

        save_study_page(self.data, path)


@verb()
def reproduce(
    study: str | None = None,
    *,
    size: Literal["smoke", "laptop", "paper"] | None = None,
    store: Path | None = None,
    jobs: Processors | None = None,
    kept: bool = False,
    edition: Count | None = None,
    so_far: bool = False,
    from_: Path | None = None,
    all: bool = False,
    markdown: bool = False,
    dry_run: bool = False,
    progress: bool | None = None,
) -> Reproduced | Outline | StudyList:
    """Run a paper's experiments and mark each claim held, not held, inconclusive or not run.

    Claims, lines and settings are frozen in the study's file; results carry its hash. Runs live in
    the store: stop it, start it again, it goes on. Without a study, list them.

    Example: lengthwise reproduce huang2024 --size laptop --report huang2024.html

    Args:
        study: Name of a study; the list is printed without one.
        size: Smoke (minutes; tests the machinery, decides no claim), laptop (hours on two cores,
            small models and shorter lengths) or paper (the published settings, for GPUs). By
            default smoke, and laptop with --kept.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        jobs: Runs at the same time; by default as many as there are cores.
        kept: Show the results that come with the library instead of training.
        edition: With --kept, an earlier edition of the study's file and the results made under it.
        so_far: Train nothing; show what the store has of the study, and how much is missing.
        from_: Results of this study that --output wrote, of the same edition and size: their runs
            count as made, and what is missing is trained. The kept results are such a file.
        all: Print every claim; by default only those that did not hold.
        markdown: Print Markdown tables instead of tables for the terminal.
        dry_run: Say what would be trained and how long it would take, and stop.
        progress: Whether progress is shown; by default in a terminal or a notebook.
    """
    from lengthwise.runs.store import Store
    from lengthwise.studies.catalogue import STUDIES, load_study
    from lengthwise.studies.reproduce import kept_results, outline

    if study is None:
        if kept or dry_run or so_far:
            raise InputError("reproduce: name a study; `lengthwise reproduce` lists them.")
        return StudyList([{"study": name, "about": about} for name, (_, about) in STUDIES.items()])
    if edition is not None and not kept:
        raise InputError("--edition is for --kept: only the current edition is run.")
    if from_ is not None and (kept or dry_run):
        raise InputError("--from goes on with a study: it takes neither --kept nor --dry-run.")
    if kept:
        load_study(study)
        return Reproduced(kept_results(study, size or "laptop", edition), markdown, all)
    chosen = size or "smoke"
    if dry_run:
        return Outline(outline(load_study(study), chosen, Store(store), jobs))
    before = None if from_ is None else _earlier(from_, study, chosen)
    found = _run(study, chosen, Store(store), jobs, progress, so_far=so_far, before=before)
    return Reproduced(found.to_json(), markdown, all)


def _earlier(path: Path, study: str, size: str) -> "Reproduction":
    from lengthwise.studies.reproduce import Reproduction

    found = Reproduction.read(path)
    if (found.study.name, found.evidence.size) != (study, size):
        raise InputError(
            f"--from {path}: results of {found.study.name} at size {found.evidence.size}, "
            f"not of {study} at size {size}."
        )
    return found


def _run(
    name: str,
    size: str,
    store: Any,
    jobs: int | None,
    progress: bool | None,
    *,
    so_far: bool,
    before: "Reproduction | None",
) -> "Reproduction":
    from lengthwise.api.progress_bars import listening
    from lengthwise.core.files import write_json
    from lengthwise.studies.catalogue import load_study
    from lengthwise.studies.reproduce import reproduce as run

    with listening(progress) as listener:
        found = run(
            load_study(name),
            size,
            store,
            jobs=jobs,
            on_progress=listener,
            announce=_announce,
            so_far=so_far,
            before=before,
        )
    target = store.root / f"{name}-{size}.json"
    write_json(target, found.to_json())
    _announce(f"results: {target}")
    return found


def _announce(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _not_held(claims: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the claims that did not hold, then those that say nothing, a line each."""
    from lengthwise.records.outcomes import STATUSES

    room = LINES
    for status in STATUSES[1:]:
        found = [claim for claim in claims if claim["status"] == status]
        if found:
            yield f"\n{status}:"
            yield from (_told(claim) for claim in found[:room])
            if len(found) > room:
                yield f"  and {len(found) - room} more" if room else f"  {len(found)} claims"
            room = max(0, room - len(found))
    if claims:
        yield f"\n--all prints all {len(claims)} claims; --report FILE.html writes them as a page."


def _told(claim: Mapping[str, Any]) -> str:
    measured = f" (paper: {claim['paper']}; ours: {claim['ours']})"
    reason = f" ({claim['reason']})" if claim["reason"] else ""
    return f"  {claim['sentence']}{measured if claim['status'] == 'not held' else reason}"


def _claims(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "claim": claim["sentence"],
            "where": claim["section"],
            "paper": claim["paper"],
            "ours": claim["ours"],
            "95%": "" if claim["interval"] is None else "{:.3f}-{:.3f}".format(*claim["interval"]),
            "outcome": claim["status"],
            "reason": claim["reason"],
        }
        for claim in data["claims"]
    ]
