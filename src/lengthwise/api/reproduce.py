"""``reproduce``: a paper's claims beside what shows here."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from lengthwise.api.outline import Outline
from lengthwise.api.shown import Rows, Shown, writes
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Count, Processors
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.studies.reproduce import Reproduction


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

    def parts(self) -> Iterator[str | Rows]:
        """Yield the claims and how many of them held."""
        from lengthwise.studies.markdown import results, summary

        if self.markdown:
            yield results(self.data)
            return
        data = self.data
        yield Rows(_claims(data), f"{data['title']} ({data['size']})")
        yield (
            f"{summary(data)} {len(data['runs'])} runs, {data['seconds'] / 60:.0f} minutes on "
            f"{data['machine']['cores']} cores."
        )

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
    if kept:
        load_study(study)
        return Reproduced(kept_results(study, size or "laptop", edition), markdown)
    chosen = size or "smoke"
    if dry_run:
        return Outline(outline(load_study(study), chosen, Store(store), jobs))
    found = _run(study, chosen, Store(store), jobs, progress, so_far=so_far)
    return Reproduced(found.to_json(), markdown)


def _run(
    name: str, size: str, store: Any, jobs: int | None, progress: bool | None, *, so_far: bool
) -> "Reproduction":
    from lengthwise.api.progress import listening
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
        )
    target = store.root / f"{name}-{size}.json"
    write_json(target, found.to_json())
    _announce(f"results: {target}")
    return found


def _announce(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


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
