"""The only file of this folder that knows where things are in the package, or how commands look."""

import contextlib
import io
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from lengthwise import RunSpec, __version__
from lengthwise.cli.main import main
from lengthwise.studies.catalogue import kept_names

VERSION = __version__
STUDIES = ("huang2024", "kazemnejad2023", "chen2025", "questions")

_MAIN = "from lengthwise.cli.main import main\n"
SCRIPTS = {
    "lengthwise --help": _MAIN + "main(['--help'])",
    "import lengthwise": "import lengthwise",
    "lengthwise predict '(ab)*'": _MAIN + "main(['predict', '(ab)*', '--json'])",
}
"""What a new process is timed with: as shown, and as Python."""


def ask(*words: object) -> Any:
    """Call the command line in this process and return the JSON it prints."""
    screen, errors, code = io.StringIO(), io.StringIO(), None
    with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(errors):
        try:
            main([*map(str, words), "--json"])
        except SystemExit as end:
            code = end.code
    assert not code, errors.getvalue()
    return json.loads(screen.getvalue())


def decide_published() -> list[dict[str, Any]]:
    return ask("decide", "--suite", "published", "--accept", "end")


def scoreboard(store: Path) -> list[dict[str, Any]]:
    words = ("--suite", "huang2024", "--against", "published", "--store", store)
    return ask("lab", "scoreboard", *words)["cells"]


def study(name: str) -> dict[str, Any]:
    """Return a study's newest results that come with the library."""
    kept = kept_names()
    edition = () if name in kept else ("--edition", 1)
    return ask("reproduce", name, "--size", "laptop", "--kept", *edition)


def train(options: str, store: Path) -> dict[str, Any]:
    """Train one run on one thread of the CPU, to its last step."""
    fixed = "--device cpu --jobs 1 --threads 1 --no-stop-when-perfect"
    (result,) = ask("train", *options.split(), *fixed.split(), "--store", store)
    return result


def runs(store: Path) -> list[dict[str, Any]]:
    return ask("runs", "list", "--store", store)


def run(id: str, store: Path) -> dict[str, Any]:
    """Return one run with its specification and its result."""
    return ask("runs", "list", id, "--store", store)


def lengths(store: Path) -> list[dict[str, Any]]:
    """Return the table of accuracy by length."""
    return ask("runs", "query", "select * from lengths order by all", "--store", store)


def attended(id: str, store: Path) -> list[float]:
    """Return how far each head looks: smooth in the weights that are read."""
    return [head["expected"] for head in ask("analyse", "attention", id, "--store", store)["heads"]]


def weights(id: str, store: Path) -> Path:
    return store / id / "model.safetensors"


def run_id(spec: dict[str, Any]) -> str:
    return RunSpec.read(spec).id


def cpu_seconds(script: str) -> float:
    """Return the user and system seconds of a new process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def modules(script: str) -> list[str]:
    """Return all that a new process has imported when it is done."""
    lines = "\n".join(f"    {line}" for line in script.splitlines())
    code = f"import sys\ntry:\n{lines}\nexcept SystemExit: pass\nprint('\\n', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()[-1].split()
