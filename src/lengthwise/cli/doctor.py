"""``lengthwise doctor``: what this machine has, and what is missing with the command to get it."""

import os
import platform
import re
import shutil
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from lengthwise.cli.console import Json, print_json, print_table, say

# extra of the package -> what it adds. The packages themselves stand in pyproject.toml.
EXTRAS = {
    "bench": "peers for `lengthwise bench`, export to GPT-2",
    "fast": "C-RASP programs and generation compiled to machine code",
    "ray": "sweeps on Ray: --executor ray",
    "slurm": "sweeps on SLURM: --executor slurm",
    "tensorboard": "--tracker tensorboard:DIRECTORY",
    "wandb": "--tracker wandb:PROJECT",
    "mlflow": "--tracker mlflow:EXPERIMENT",
    "docs": "building the documentation: make docs",
    "dev": "tests, linter and type checker: make test",
}

# program -> (names it goes by, what it adds, how to get it)
PROGRAMS = {
    "graphviz": (("dot",), "drawings of automata: decide --svg", "apt-get install graphviz"),
    "chromium": (
        ("chromium", "chromium-browser", "google-chrome"),
        "tests of the pages in a browser",
        "make browser",
    ),
}


def doctor(*, store: Path | None = None, as_json: Json = False) -> None:
    """Say what this machine has: versions, devices, threads, the store, and what is missing.

    Missing optional parts are listed with the command that installs them. The exit code is 0
    whenever the command could look.

    Example: lengthwise doctor --json

    Parameters
    ----------
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    as_json
        Print everything as JSON.
    """
    found = {
        "versions": versions(),
        "devices": devices(),
        "threads": threads(),
        "store": describe_store(store),
        "extras": extras(),
        "programs": programs(),
    }
    if as_json:
        print_json(found)
    else:
        _print(found)


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


def _print(found: dict[str, Any]) -> None:
    for part in ("versions", "devices", "threads"):
        values = ", ".join(
            f"{name} {value}" for name, value in found[part].items() if value is not None
        )
        say(f"{part}: {values}")
    store = found["store"]
    state = "exists" if store["exists"] else "does not exist yet"
    writable = "writable" if store["writable"] else "NOT writable"
    say(f"store: {store['path']} ({store['from']}): {state}, {writable}, {store['runs']} runs")
    rows = [
        {
            "optional part": part["extra"],
            "adds": part["adds"],
            "missing": ", ".join(part["missing"]) or "nothing",
            "install": part["install"] if part["missing"] else None,
        }
        for part in found["extras"]
    ] + [
        {
            "optional part": program["program"],
            "adds": program["adds"],
            "missing": "nothing" if program["path"] else program["program"],
            "install": None if program["path"] else program["install"],
        }
        for program in found["programs"]
    ]
    print_table(rows)
    if not store["writable"]:
        sys.stderr.write("warning: training needs a store that can be written; see --store\n")
