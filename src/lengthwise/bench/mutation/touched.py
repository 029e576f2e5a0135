"""Which tests run which lines: measured once per set of tests, kept in the user's cache."""

import hashlib
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.bench.mutation.mutant import Mutant, is_script
from lengthwise.bench.mutation.trial import PACKAGE, Copy
from lengthwise.core.errors import InputError
from lengthwise.core.files import write_json

LONGEST = 1_800.0
"""Seconds that the unchanged tests of one part may take."""
SPARE = 20.0
"""Seconds that a mutant has beside a multiple of what its tests took before."""
KEPT = 40
"""Measurements that the cache holds."""


@dataclass(frozen=True)
class Touched:
    """What the tests of a part touched: seconds per test, tests per line, tests with processes."""

    seconds: dict[str, float]
    lines: dict[str, dict[str, list[str]]]
    spawning: list[str]

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Return the tests that may notice, the fastest first.

        Those are the tests that run one of its lines, and those that start processes, since what
        happens there is not seen. What runs as a module is loaded may matter to all.
        """
        lines = self.lines.get(mutant.file, {})
        last = mutant.line + mutant.before.count("\n")
        running = {t for n in range(mutant.line, last + 1) for t in lines.get(str(n), ())}
        if "" in running:
            running = set(self.seconds)
        found = (running | set(self.spawning)) & self.seconds.keys() or set(self.seconds)
        return sorted(found, key=lambda test: (test not in running, self.seconds[test], test))

    def time_for(self, tests: Sequence[str]) -> float:
        """Return the seconds that tests may take: much longer than they do."""
        return SPARE + 6 * sum(self.seconds[test] for test in tests)


def touched(copy: Copy, tests: Sequence[str], files: Sequence[str]) -> Touched:
    """Return what tests touch, from the cache or by running them on the unchanged copy."""
    kept = cache_folder() / f"{_digest(copy.root, tests)}.json"
    found: dict[str, Any] = {}
    if kept.is_file():
        found = json.loads(kept.read_text())
    if not set(files) <= set(found.get("files", ())):
        found = {"files": list(files), **_measure(copy, tests, files)}
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_json(kept, found)
        for old in sorted(kept.parent.glob("*.json"), key=_age)[:-KEPT]:
            old.unlink(missing_ok=True)
    return Touched(found["seconds"], found["lines"], found["spawning"])


def _age(path: Path) -> float:
    return path.stat().st_mtime


def _measure(copy: Copy, tests: Sequence[str], files: Sequence[str]) -> dict[str, Any]:
    copy.change(None)
    sources = [file for file in files if not is_script(file)]
    trial = copy.run(tests, None, LONGEST, sources)
    notes: dict[str, dict[str, Any]] = trial.report.get("tests", {})
    for name in trial.failed:
        sys.stderr.write(f"left out, as it fails before anything is changed: {name}\n")
        notes.pop(name, None)
    if not notes:
        what = (trial.failed or [" ".join([trial.ended, *copy.log().splitlines()[-1:]])])[0]
        raise InputError(f"dev mutants: the tests fail before anything is changed: {what}.")
    inside = len(str(copy.folder / PACKAGE)) + 1
    return {
        "seconds": {name: note["seconds"] for name, note in notes.items()},
        "lines": {Path(f).as_posix()[inside:]: v for f, v in trial.report["lines"].items()},
        "spawning": [name for name, note in notes.items() if note["spawns"]],
    }


def cache_folder() -> Path:
    """Return the folder of measurements, outside of any repository."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "lengthwise" / "mutants"


def _digest(root: Path, tests: Sequence[str]) -> str:
    """Identify the package, these tests and what tests share."""
    digest = hashlib.sha256(json.dumps(list(tests)).encode())
    paths = set((root / PACKAGE).rglob("*.py"))
    for name in tests:
        paths |= {root / name} if (root / name).is_file() else set((root / name).rglob("*.py"))
    paths |= {p for p in (root / "tests").rglob("*.py") if not p.name.startswith("test_")}
    for path in sorted(paths):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:24]
