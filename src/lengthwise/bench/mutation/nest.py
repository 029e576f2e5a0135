"""A process that has loaded what is slow to load, and forks once per mutant to run its tests.

It is run as a file and imports nothing of ours: each fork imports the changed package afresh (a
child of `core.child` would have it loaded, unchanged, before it begins). A request is one line of
JSON on standard input: where to write what happened, and which tests to run in which order
(nothing: all of the files, measured). The answer is the fork's process id, then its exit code.
"""

import json
import multiprocessing.util
import os
import resource
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

SLOW_TO_LOAD = ("numpy", "torch", "pytest", "hypothesis", "beartype", "jaxtyping", "pydantic")
SLOW_TO_LOAD += ("coverage", "cyclopts", "rich", "lark", "safetensors.torch", "duckdb", "flint")
MEMORY = 6 * 2**30
"""A mutant that collects without end is stopped here."""
SPAWNS = ("subprocess.Popen", "os.fork", "os.posix_spawn", "os.exec")
"""Events after which a test may run code that its own process does not see."""


class Tests:
    """A plugin of pytest: runs tests in the order asked for, or all, noting what each touches."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.wanted: list[str] | None = request["tests"]
        self.sources: list[str] = request["sources"]
        self.notes: dict[str, dict[str, Any]] = {}
        self.now: str | None = None
        self.failed: list[str] = []
        self.coverage: Any = None
        if self.wanted is None:
            self.measure()

    def measure(self) -> None:
        """Note from now on which lines each test runs, and which tests start processes."""
        import coverage

        self.coverage = coverage.Coverage(data_file=None, include=self.sources, config_file=False)
        self.coverage.start()
        sys.addaudithook(self.hear)
        spawn = multiprocessing.util.spawnv_passfds  # the one way that raises no event

        def spawned(*args: Any) -> int:
            self.hear(SPAWNS[0], args)
            return spawn(*args)

        multiprocessing.util.spawnv_passfds = spawned

    def hear(self, event: str, _: object) -> None:
        """Note that a test starts a process."""
        if event in SPAWNS and self.now is not None:
            self.notes[self.now]["spawns"] = True

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep what was asked for, in that order."""
        if self.wanted is not None:
            known = {item.nodeid: item for item in items}
            items[:] = [known[name] for name in self.wanted if name in known]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Give what runs from now on to this test."""
        self.now = nodeid
        self.notes[nodeid] = {"spawns": False, "started": time.monotonic()}
        if self.coverage is not None:
            self.coverage.switch_context(nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note how long the test took."""
        started = self.notes[nodeid].pop("started")
        self.notes[nodeid]["seconds"] = round(time.monotonic() - started, 3)
        self.now = None
        if self.coverage is not None:
            self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note a test that fails."""
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        """Note a file that cannot be loaded: the mutant broke an import."""
        if report.failed:
            self.failed.append(report.nodeid)

    def report(self) -> dict[str, Any]:
        """Return what happened."""
        found: dict[str, Any] = {"failed": self.failed, "tests": self.notes, "lines": {}}
        if self.coverage is not None:
            self.coverage.stop()
            data = self.coverage.get_data()
            for file in data.measured_files():
                lines = data.contexts_by_lineno(file)
                found["lines"][file] = {str(n): names for n, names in lines.items()}
        return found


def run(request: dict[str, Any]) -> int:
    """Run tests in this process, which is a fork, and write what happened."""
    import pytest

    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (request["work"], request["work"] + 5))
    log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for stream, place in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(stream, place)
    tests = Tests(request)
    arguments = ["-q", "--tb=short", "-p", "no:cacheprovider"]
    arguments += [] if tests.wanted is None else ["-x"]
    arguments.append(f"--basetemp={request['temporary']}")
    code = int(pytest.main([*arguments, *request["files"]], plugins=[tests]))
    Path(request["report"]).write_text(json.dumps(tests.report()), encoding="utf-8")
    sys.stdout.flush()
    return code


def serve() -> None:
    """Fork for each request until there are no more."""
    for name in SLOW_TO_LOAD:
        with suppress(ImportError):
            __import__(name)
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            os.setsid()
            code = 99
            try:
                code = run(request)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
