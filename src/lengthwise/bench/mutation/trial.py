"""Running tests on a copy of the repository in which one file is changed."""

import json
import os
import py_compile
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from lengthwise.bench.mutation import nest
from lengthwise.bench.mutation.mutant import Mutant, is_script
from lengthwise.core.errors import InputError

PACKAGE = Path("src") / "lengthwise"
NO_TESTS = 5
"""What pytest returns when there was nothing to run."""


@dataclass(frozen=True)
class TestRun:
    """What happened when tests ran: how they ended, which failed, and the rest."""

    ended: str
    failed: list[str]
    seconds: float
    report: dict[str, Any]

    @property
    def caught(self) -> bool:
        """Whether the tests noticed."""
        return self.ended != "passed"


def checkout() -> Path:
    """Return the repository around the package or the current folder; refuse elsewhere."""
    for start in (Path(__file__).resolve(), Path.cwd().resolve() / "x"):
        for folder in start.parents:
            if (folder / "tests" / "conftest.py").is_file() and (folder / PACKAGE).is_dir():
                return folder
    raise InputError(
        "dev mutants: needs the repository with its tests; clone it and run the command there."
    )


class Copy:
    """A copy of the repository with a process that runs tests in it."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.folder = root, folder
        for name in ("src", "tests", "docs", "examples", "tutorials"):
            if (root / name).is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(root / name, folder / name, ignore=ignored, symlinks=True)
        for path in root.iterdir():
            if path.is_file() and not path.is_symlink() and path.name != ".git":
                shutil.copy2(path, folder / path.name)
        if (root / ".venv").exists():
            (folder / ".venv").symlink_to((root / ".venv").resolve())
        self.changed: tuple[Path, bytes] | None = None
        self.scratch = folder / "_mutants"
        self.scratch.mkdir()
        self.process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        shell = dict(os.environ)
        shell |= {"PYTHONPATH": str(self.folder / "src"), "OMP_NUM_THREADS": "1"}
        shell |= {"OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
        shell |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        command = [sys.executable, "-P", nest.__file__]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, cwd=self.folder, env=shell, stdin=pipe, stdout=pipe, text=True
        )

    def compile(self) -> None:
        """Write bytecode once: the changed file alone is read anew."""
        for path in (self.folder / "src").rglob("*.py"):
            py_compile.compile(str(path), quiet=1)

    def change(self, mutant: Mutant | None) -> None:
        """Put one fault into the copy; the one before is taken back."""
        if self.changed is not None:
            path, before = self.changed  # the repository itself may have been edited meanwhile
            path.write_bytes(before)
            self._forget(path)
            self.changed = None
        if mutant is not None:
            path = self.folder / PACKAGE / mutant.file
            self.changed = path, path.read_bytes()
            path.write_text(mutant.applied(path.read_text(encoding="utf-8")), encoding="utf-8")
            self._forget(path)

    def _forget(self, path: Path) -> None:
        """Remove bytecode of a file: its time stamp is too coarse to tell that it is old."""
        if not is_script(path.name):
            for old in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
                old.unlink()

    def run(
        self,
        files: Sequence[str],
        tests: Sequence[str] | None,
        seconds: float,
        sources: Sequence[str] = (),
    ) -> TestRun:
        """Run tests within a time; without names all of the files' tests, measured.

        What computes is stopped after so many seconds of work, however busy the machine is; what
        waits may wait four times as long.
        """
        report, log = self.scratch / "report.json", self.scratch / "log.txt"
        report.unlink(missing_ok=True)
        request = {
            "files": list(files),
            "tests": None if tests is None else list(tests),
            "sources": [str(self.folder / PACKAGE / name) for name in sources],
            "report": str(report),
            "log": str(log),
            "work": ceil(seconds),
            "temporary": str(self.scratch / "t"),
        }
        started = time.monotonic()
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        code = self._wait(int(self._line()), started + 4 * seconds)
        found = json.loads(report.read_text()) if report.is_file() else {}
        ended = "passed" if code in (0, NO_TESTS) else "failed"
        if code is None or code == -signal.SIGXCPU:
            ended = "out of time"
        elif not found:
            ended = "crashed"
        took = time.monotonic() - started
        return TestRun(ended, found.get("failed", []), took, found)

    def log(self) -> str:
        """Return what the tests printed last."""
        return (self.scratch / "log.txt").read_text(errors="replace")

    def _line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the process that runs tests has ended")
        return line

    def _wait(self, group: int, deadline: float) -> int | None:
        """Return the exit code, or None when the time was over and everything was ended."""
        assert self.process.stdout is not None
        left = max(0.0, deadline - time.monotonic())
        ready, _, _ = select.select([self.process.stdout], [], [], left)
        with suppress(ProcessLookupError):
            if not ready:
                os.killpg(group, signal.SIGKILL)
        code = int(self._line())
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)  # what a test left running
        return code if ready else None

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.terminate()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextmanager
def copied(root: Path) -> Iterator[Copy]:
    """Yield a copy in a temporary folder; it is removed at the end."""
    with tempfile.TemporaryDirectory(
        prefix="lengthwise-mutants-", ignore_cleanup_errors=True
    ) as at:
        copy = Copy(root, Path(at).resolve())
        try:
            copy.compile()
            yield copy
        finally:
            copy.close()
