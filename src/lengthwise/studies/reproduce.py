"""Run a study to the end, resumably, and put its claims beside its evidence."""

import hashlib
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from lengthwise._version import __version__
from lengthwise.core.errors import InputError, unknown
from lengthwise.core.files import read_json, read_sealed, write_json, write_sealed
from lengthwise.runs.estimate import estimate
from lengthwise.runs.local import OnProgress, execute_all
from lengthwise.runs.processes import plan as processes
from lengthwise.runs.store import Store
from lengthwise.studies.catalogue import load_study
from lengthwise.studies.evidence import StudyEvidence, StudyRun
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
        claims = self.study.claims(self.evidence.size)
        return [(claim, claim.check(self.evidence)) for claim in claims]

    @property
    def share(self) -> tuple[int, int]:
        """Held and tested among the claims that are expected to show with small models."""
        tested = [o for c, o in self.outcomes if c.small and o.status != "not tested"]
        return sum(o.status == "held" for o in tested), len(tested)

    def to_json(self) -> dict[str, Any]:
        """Return plain data from which everything can be checked again."""
        evidence = self.evidence
        return {
            "format": FORMAT,
            "version": 1,
            "study": self.study.name,
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
                    "small": claim.small,
                    **asdict(found),
                }
                for claim, found in self.outcomes
            ],
            "runs": [record.to_json() for record in evidence.records],
            "measures": dict(evidence.measures),
            "tables": [asdict(table) for table in self.study.tables(evidence)],
            "figures": [asdict(figure) for figure in self.study.figures(evidence)],
        }

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a saved reproduction; its claims are checked anew, not believed."""

        data = read_json(path)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise InputError(f"{path}: not written by `lengthwise reproduce`.")
        try:
            records = tuple(StudyRun.read(run) for run in data["runs"])
            evidence = StudyEvidence(data["size"], records, data["measures"])
            return cls(load_study(data["study"]), evidence, data["machine"], data["seconds"])
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path}: damaged ({error}).") from error


def reproduce(
    study: Study,
    size: str,
    store: Store,
    *,
    jobs: int | None = None,
    on_progress: OnProgress = lambda spec, progress: None,
    announce: Callable[[str], None] = lambda line: None,
) -> Reproduction:
    """Execute what is missing of a study and return it whole; a stopped study goes on."""
    check_size(size)
    started = time.monotonic()
    folder = store.root / MEASURES / f"{study.name}-{size}"
    try:
        evidence = train(
            study.plan, size, store, jobs=jobs, on_progress=on_progress, announce=announce
        )
        for measure in study.measures(size):
            value = _measured(measure, folder, Bench(store, evidence), announce)
            evidence = replace(evidence, measures={**evidence.measures, measure.name: value})
    finally:
        seconds = _clock(folder / "clock.json", time.monotonic() - started)
    return Reproduction(study, evidence, machine(), seconds)


def train(
    plan: Callable[[str, StudyEvidence], Sequence[Planned]],
    size: str,
    store: Store,
    *,
    jobs: int | None = None,
    on_progress: OnProgress = lambda spec, progress: None,
    announce: Callable[[str], None] = lambda line: None,
) -> StudyEvidence:
    """Execute what a plan asks for, and ask it again, until it asks for nothing new."""

    evidence, done = StudyEvidence(size), set[tuple[str, str]]()
    while new := [p for p in plan(size, evidence) if (p.group, p.spec.id) not in done]:
        specs = list({p.spec.id: p.spec for p in new}.values())
        announce(f"{len(specs)} runs")
        results = execute_all(specs, store, processes(specs, jobs), on_progress=on_progress)
        by_id = {result.spec.id: result for result in results}
        added = tuple(StudyRun.of(p.group, by_id[p.spec.id]) for p in new)
        evidence = replace(evidence, records=evidence.records + added)
        done |= {(p.group, p.spec.id) for p in new}
    return evidence


def _measured(measure: Measure, folder: Path, bench: Bench, announce: Callable[[str], None]) -> Any:
    """Return what was measured before on the same runs, or measure now."""
    path = folder / f"{measure.name}.json"
    runs = digest(record.spec.id for record in bench.evidence.records)
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
    groups: dict[str, int] = {}
    for one in planned:
        groups[one.group] = groups.get(one.group, 0) + 1
    facts: dict[str, Any] = {
        "study": study.name,
        "size": size,
        "note": study.notes.get(size, ""),
        "runs": len(specs),
        "groups": groups,
        "measures": [measure.name for measure in study.measures(size)],
        "claims": len(study.claims(size)),
    }
    if size != "paper":
        how = processes(specs, jobs)
        found = estimate(specs, store, how)
        facts["finished already"] = found.done
        facts["processes"] = how.jobs
        if found.seconds is not None:
            facts["at most"] = f"{found.seconds / 60:.0f} minutes for these runs"
    return facts
