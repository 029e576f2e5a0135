"""Run a study to the end, resumably, and put its claims beside its evidence."""

import hashlib
import os
import platform
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from lengthwise._version import __version__
from lengthwise.core.errors import InputError, unknown
from lengthwise.core.files import read_json, read_sealed, write_json, write_sealed
from lengthwise.records.record import load_result
from lengthwise.records.result import RunResult
from lengthwise.runs.estimate import estimate
from lengthwise.runs.local import OnProgress, execute_all
from lengthwise.runs.processes import plan as processes
from lengthwise.runs.store import Store
from lengthwise.studies.catalogue import kept, load_study
from lengthwise.studies.evidence import StudyEvidence, StudyRun
from lengthwise.studies.frozen_file import frozen
from lengthwise.studies.study import SIZES, Bench, Claim, ClaimOutcome, Measure, Planned, Study

FORMAT = "lengthwise-study"
MEASURES = ".studies"
"""Folder of the store that keeps what was measured besides training."""


@dataclass(frozen=True)
class Reproduction:
    """A study at one size with its evidence, where it ran and how long it took."""

    study: Study
    evidence: StudyEvidence
    machine: Mapping[str, Any]
    seconds: float

    @property
    def outcomes(self) -> list[tuple[Claim, ClaimOutcome]]:
        """Every claim with what became of it."""
        return [(claim, claim.check(self.evidence)) for claim in self.study.claims]

    @property
    def progress(self) -> tuple[int, int]:
        """How many groups of runs are complete, of all that the plan has."""
        known = {(record.group, record.spec.id) for record in self.evidence.records}
        whole: dict[str, bool] = {}
        for one in self.study.plan(self.evidence.size, self.evidence):
            whole[one.group] = whole.get(one.group, True) and (one.group, one.spec.id) in known
        return sum(whole.values()), len(whole)

    def to_json(self) -> dict[str, Any]:
        """Return plain data from which everything can be checked again."""
        evidence, (run, planned) = self.evidence, self.progress
        board = self.study.board(evidence)
        return {
            "format": FORMAT,
            "version": 2,
            "study": self.study.name,
            "edition": self.study.frozen.edition,
            "frozen": self.study.frozen.digest,
            "progress": {"run": run, "planned": planned},
            "title": self.study.title,
            "source": self.study.source,
            "size": evidence.size,
            "note": self.study.notes.get(evidence.size, ""),
            "command": f"lengthwise reproduce {self.study.name} --size {evidence.size}",
            "machine": dict(self.machine),
            "seconds": round(self.seconds),
            "specifications": digest(record.spec.id for record in evidence.records),
            "claims": [
                {
                    "id": claim.name,
                    "section": claim.where,
                    "sentence": claim.sentence,
                    "paper": claim.paper,
                    "headline": claim.headline,
                    **asdict(found),
                }
                for claim, found in self.outcomes
            ],
            "runs": [record.to_json() for record in evidence.records],
            "measures": dict(evidence.measures),
            "tables": [asdict(table) for table in self.study.tables(evidence)],
            "figures": [asdict(figure) for figure in self.study.figures(evidence)],
            **({} if board is None else {"board": board.to_json()}),
        }

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a saved reproduction; its claims are checked anew, not believed.

        Results that were made under another edition of the study's file are refused.
        """
        data = read_results(path)
        try:
            study = load_study(data["study"])
            if data["frozen"] != study.frozen.digest:
                raise InputError(
                    f"{path.name}: made under edition {data['edition']} ({data['frozen']}), the "
                    f"study's file is {study.frozen.name}; these are not its results."
                )
            records = tuple(StudyRun.read(run) for run in data["runs"])
            evidence = StudyEvidence(data["size"], records, data["measures"])
            return cls(study, evidence, data["machine"], data["seconds"])
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path}: damaged ({error}).") from error


def read_results(path: Path) -> dict[str, Any]:
    """Read the plain data of a saved reproduction, of whatever edition."""
    data = read_json(path)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError(f"{path}: not written by `lengthwise reproduce`.")
    return data


def kept_results(name: str, size: str = "laptop", edition: int | None = None) -> dict[str, Any]:
    """Return results that come with the library: of the current edition, checked anew.

    An earlier edition is returned as it was said then.
    """
    if edition in (None, frozen(name).edition):
        return Reproduction.read(kept(name, size)).to_json()
    found = read_results(kept(name, size, edition))
    if found["frozen"] != frozen(name, edition).digest:
        raise InputError(f"{name}: the results of edition {edition} belong to another file.")
    return found


def reproduce(
    study: Study,
    size: str,
    store: Store,
    *,
    jobs: int | None = None,
    on_progress: OnProgress = lambda spec, progress: None,
    announce: Callable[[str], None] = lambda line: None,
    so_far: bool = False,
    before: Reproduction | None = None,
) -> Reproduction:
    """Execute what is missing of a study and return it whole; a stopped study goes on.

    With ``so_far`` nothing is trained: what the store has of the study is returned. The runs of
    ``before`` count as made.
    """
    check_size(size)
    started = time.monotonic()
    known = StudyEvidence(size)
    if before is not None:
        known = _planned_of(study.plan, known, before.evidence, announce)
    folder = store.root / MEASURES / f"{study.name}-{size}"
    try:
        evidence = (
            finished(study.plan, known, _stored(store))
            if so_far
            else train(study.plan, known, store, jobs, on_progress, announce)
        )
        whole = not so_far or not _missing(study.plan(size, evidence), evidence)
        for measure in study.measures(size):
            if measure.from_runs and not whole:
                continue
            if measure.from_runs and known.records:
                raise InputError(
                    f"--from: {measure.name} of {study.name} is measured on weights of runs, which "
                    "only the store has in which they were trained; go on there."
                )
            value = _measured(measure, folder, Bench(store, evidence), announce)
            evidence = replace(evidence, measures={**evidence.measures, measure.name: value})
    finally:
        seconds = _clock(folder / "clock.json", time.monotonic() - started)
    earlier = 0.0 if before is None else before.seconds
    return Reproduction(study, evidence, machine(), earlier + seconds)


def train(
    plan: Callable[[str, StudyEvidence], Sequence[Planned]],
    evidence: StudyEvidence,
    store: Store,
    jobs: int | None = None,
    on_progress: OnProgress = lambda spec, progress: None,
    announce: Callable[[str], None] = lambda line: None,
) -> StudyEvidence:
    """Execute what a plan asks for, a portion at a time, and ask it again, until nothing is new.

    A portion is the first of what is missing, in the order of the plan: a study that is stopped has
    its first groups complete, rather than the first run of each.
    """
    announced = 0
    while new := _missing(plan(evidence.size, evidence), evidence):
        if len(new) + len(evidence.records) > announced:
            announced = len(new) + len(evidence.records)
            announce(f"{len(new)} runs")
        ids = list(dict.fromkeys(p.spec.id for p in new))[:PORTION]
        part = [p for p in new if p.spec.id in ids]
        specs = list({p.spec.id: p.spec for p in part}.values())
        results = execute_all(specs, store, processes(specs, jobs), on_progress=on_progress)
        evidence = _with(evidence, part, {result.spec.id: result for result in results})
    return evidence


PORTION = 20
"""Runs after which a plan is asked again."""


def finished(
    plan: Callable[[str, StudyEvidence], Sequence[Planned]],
    evidence: StudyEvidence,
    made: Callable[[Planned], StudyRun | None],
) -> StudyEvidence:
    """Return what is made of a plan, and of what the plan asks for after that."""
    while True:
        runs = map(made, _missing(plan(evidence.size, evidence), evidence))
        new = tuple(run for run in runs if run is not None)
        if not new:
            return evidence
        evidence = replace(evidence, records=evidence.records + new)


def _stored(store: Store) -> Callable[[Planned], StudyRun | None]:
    def made(planned: Planned) -> StudyRun | None:
        record = store.record(store.folder(planned.spec))
        if record.state != "done":
            return None
        return StudyRun.of(planned.group, load_result(record), planned.rung)

    return made


def _planned_of(
    plan: Callable[[str, StudyEvidence], Sequence[Planned]],
    evidence: StudyEvidence,
    earlier: StudyEvidence,
    announce: Callable[[str], None],
) -> StudyEvidence:
    """Return the earlier runs that the plan asks for; what it does not ask for has no say."""
    runs = {(run.group, run.spec.id): run for run in earlier.records}

    def made(planned: Planned) -> StudyRun | None:
        run = runs.get((planned.group, planned.spec.id))
        return None if run is None else replace(run, rung=planned.rung)

    found = finished(plan, evidence, made)
    if left := len(earlier.records) - len(found.records):
        announce(f"left out, not in the study's plan: {left} of the file's runs")
    return found


def _missing(planned: Sequence[Planned], evidence: StudyEvidence) -> list[Planned]:
    known = {(record.group, record.spec.id) for record in evidence.records}
    return [p for p in planned if (p.group, p.spec.id) not in known]


def _with(
    evidence: StudyEvidence, part: Sequence[Planned], results: Mapping[str, RunResult]
) -> StudyEvidence:
    added = tuple(StudyRun.of(p.group, results[p.spec.id], p.rung) for p in part)
    return replace(evidence, records=evidence.records + added)


def _measured(measure: Measure, folder: Path, bench: Bench, announce: Callable[[str], None]) -> Any:
    """Return what was measured before on the same runs, or measure now."""
    path = folder / f"{measure.name}.json"
    records = bench.evidence.records if measure.from_runs else ()
    runs = digest(record.spec.id for record in records)
    with suppress(InputError, KeyError, TypeError):  # damaged, or of another form: measured anew
        known = read_sealed(path)
        if known["runs"] == runs:
            return known["value"]
    announce(f"measuring {measure.name}")
    value = measure.compute(bench)
    folder.mkdir(parents=True, exist_ok=True)
    write_sealed(path, {"runs": runs, "value": value})
    return value


def _clock(path: Path, seconds: float) -> float:
    """Add to the time spent on a study over all its starts."""
    before = read_json(path) if path.exists() else {"seconds": 0.0}
    try:
        total = seconds + before["seconds"]
    except (KeyError, TypeError):
        raise InputError(f"{path}: damaged; remove it to count the time from now on.") from None
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {"seconds": total})
    return total


def digest(ids: Any) -> str:
    """Return one hash for a set of run ids.

    Example:
        >>> digest(["b", "a"]) == digest(["a", "b"])
        True
    """
    return hashlib.sha256(",".join(sorted(ids)).encode()).hexdigest()[:12]


def machine() -> dict[str, Any]:
    """Describe this machine in a few words."""

    return {
        "system": platform.system(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "torch": version("torch"),
        "lengthwise": __version__,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def check_size(size: str) -> None:
    """Refuse a size that does not exist."""
    if size not in SIZES:
        raise unknown("size", size, SIZES)


def outline(study: Study, size: str, store: Store, jobs: int | None = None) -> dict[str, Any]:
    """Say what a study would train first, and estimate its time by a few steps of a few runs."""

    check_size(size)
    planned: Sequence[Planned] = study.plan(size, StudyEvidence(size))
    specs = list({p.spec.id: p.spec for p in planned}.values())
    groups = Counter(one.group.partition("/")[0] for one in planned)
    expected = study.expected(size)
    facts: dict[str, Any] = {
        "study": study.name,
        "size": size,
        "note": study.notes.get(size, ""),
        "runs": len(specs),
        "cells": len({one.group for one in planned}),
        "groups": dict(groups),
        "measures": [measure.name for measure in study.measures(size)],
        "claims": len(study.claims),
    }
    if size != "paper":
        how = processes(specs, jobs)
        found = estimate(specs, store, how)
        facts["finished already"] = found.done
        facts["processes"] = how.jobs
        if found.seconds is not None:
            facts["at most"] = f"{found.seconds / 60:.0f} minutes for these runs"
    if expected is not None:
        facts["planned"] = f"{expected / 3600:.1f} hours of one core, further rungs included"
    facts["edition"] = study.frozen.name
    return facts
