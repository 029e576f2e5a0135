"""``doctor``: what this machine has, and what is missing with the command to get it."""

import os
import platform
import re
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from lengthwise.api.shown import Rows, Shown
from lengthwise.api.verb import verb

# extra of the package -> what it adds. The packages themselves stand in pyproject.toml.
EXTRAS = {
    "bench": "peers for `lengthwise dev bench`, export to GPT-2",
    "fast": "C-RASP programs and generation compiled to machine code",
    "ray": "sweeps on Ray: --executor ray",
    "slurm": "sweeps on SLURM: --executor slurm",
    "tensorboard": "--tracker tensorboard:DIRECTORY",
    "wandb": "--tracker wandb:PROJECT",
    "mlflow": "--tracker mlflow:EXPERIMENT",
    "pretrained": "tokenizers of checkpoints and of texts: evaluate FOLDER, text:FILES;level=bpe",
    "harness": "running an exported task in the evaluation harness: export task",
    "lens": "hooks of TransformerLens on any model: lw.export.lens",
    "docs": "building the documentation: make docs",
    "dev": "tests, linter and type checker: make test",
}

# program -> (names it goes by, what it adds, how to get it)
PROGRAMS = {
    "chromium": (
        ("chromium", "chromium-browser", "google-chrome"),
        "tests of the pages in a browser",
        "make browser",
    ),
}


@dataclass(frozen=True)
class Installation(Shown):
    """Versions, devices, threads, the store, and the optional parts."""

    versions: dict[str, str]
    devices: dict[str, str]
    threads: dict[str, Any]
    store: dict[str, Any]
    extras: list[dict[str, Any]]
    programs: list[dict[str, Any]]

    def parts(self) -> Iterator[str | Rows]:
        """Yield one line per subject and a table of the optional parts."""
        for title in ("versions", "devices", "threads"):
            known = [f"{n} {v}" for n, v in getattr(self, title).items() if v is not None]
            yield f"{title}: {', '.join(known)}"
        store = self.store
        state = "exists" if store["exists"] else "does not exist yet"
        writable = "writable" if store["writable"] else "NOT writable"
        yield f"store: {store['path']} ({store['from']}): {state}, {writable}, {store['runs']} runs"
        yield Rows([*map(_extra_row, self.extras), *map(_program_row, self.programs)])
        if not store["writable"]:
            yield "warning: training needs a store that can be written; see --store"

    def to_json(self) -> dict[str, Any]:
        """Return everything."""
        return asdict(self)


@verb()
def doctor(*, store: Path | None = None) -> Installation:
    """Check your installation: versions, devices, threads, the store, and what is missing.

    Missing optional parts are listed with the command that installs them. The exit code is 0
    whenever the command could look.

    Example: lengthwise doctor --json

    Args:
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    """
    return Installation(
        versions=versions(),
        devices=devices(),
        threads=threads(),
        store=describe_store(store),
        extras=extras(),
        programs=programs(),
    )


def versions() -> dict[str, str]:
    """Return the versions on which results may depend."""
    import numpy
    import torch

    from lengthwise._version import __version__

    return {
        "lengthwise": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def devices() -> dict[str, str]:
    """Say of every kind of device whether this torch can use it here, and what --device auto is."""
    import torch

    from lengthwise.runs.execute import choose_device

    built = torch.version.cuda or torch.version.hip
    if torch.cuda.is_available():
        names = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
        cuda = ", ".join(names)
    else:
        cuda = "no device" if built else "no: this torch was built for the CPU only"
    return {
        "cpu": f"{os.cpu_count()} cores",
        "cuda": cuda,
        "mps": "yes" if torch.backends.mps.is_available() else "no",
        "auto": choose_device("auto"),
    }


def threads() -> dict[str, Any]:
    """Return how many threads torch would take here, and what the environment asks for."""
    import torch

    return {
        "torch": torch.get_num_threads(),
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS"),
        "usable cores": _usable_cores(),
    }


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def describe_store(path: Path | None) -> dict[str, Any]:
    """Say where runs are kept, whether they could be written, and how many there are."""
    from lengthwise.runs.store import Store

    store = Store(path)
    root = store.root.absolute()
    existing = next(parent for parent in (root, *root.parents) if parent.exists())
    return {
        "path": str(root),
        "from": "--store" if path else "LENGTHWISE_STORE" if _named() else "the default, ./runs",
        "exists": root.is_dir(),
        "writable": existing.is_dir() and os.access(existing, os.W_OK | os.X_OK),
        "runs": len(store.folders()),
    }


def _named() -> bool:
    return "LENGTHWISE_STORE" in os.environ


def extras() -> list[dict[str, Any]]:
    """Return every optional part with the packages it lacks and the command that installs them."""
    wanted: dict[str, list[str]] = {}
    for line in metadata.requires("lengthwise") or []:
        match = re.match(r"(?P<package>[\w.-]+)(?P<own>\[)?.*extra == ['\"](?P<extra>\w+)", line)
        if match and not (match["own"] and match["package"] == "lengthwise"):
            wanted.setdefault(match["extra"], []).append(match["package"])
    return [
        {
            "extra": extra,
            "adds": EXTRAS.get(extra, ""),
            "missing": [name for name in packages if not _installed(name)],
            "install": f"pip install 'lengthwise[{extra}]'",
        }
        for extra, packages in sorted(wanted.items())
    ]


def _installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def programs() -> list[dict[str, Any]]:
    """Return the programs outside Python that some commands and tests use."""
    return [
        {
            "program": program,
            "adds": adds,
            "path": next(filter(None, map(shutil.which, names)), None),
            "install": install,
        }
        for program, (names, adds, install) in PROGRAMS.items()
    ]


def _extra_row(part: dict[str, Any]) -> dict[str, Any]:
    return {
        "optional part": part["extra"],
        "adds": part["adds"],
        "missing": ", ".join(part["missing"]) or "nothing",
        "install": part["install"] if part["missing"] else None,
    }


def _program_row(program: dict[str, Any]) -> dict[str, Any]:
    return {
        "optional part": program["program"],
        "adds": program["adds"],
        "missing": "nothing" if program["path"] else program["program"],
        "install": None if program["path"] else program["install"],
    }
