"""Write the snapshot anew: ``python -m tests.snapshot.make``. Read the difference, then commit.

A store that was kept is never written again: it is what that version left behind.
"""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.snapshot import collect, entry

WIDTH = 100


def main() -> None:
    os.environ["OMP_NUM_THREADS"] = "1"
    collect.DATA.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _keep_store(folder / "stored")
        _write("answers", collect.answers())
        _write("predictions", collect.predictions(folder / "board"))
        for study in entry.STUDIES:
            _write(f"study-{study}", collect.study(study))
        _write("training", _trainings(folder / "trained"))
        _write("stores", {path.name: _stored(path, folder) for path in collect.stores()})
    _write("costs", collect.costs())


def _keep_store(folder: Path) -> None:
    """Keep a store of this version, if there is none yet."""
    target = collect.HERE / f"store-{entry.VERSION}"
    if target.exists():
        return
    id = entry.train(collect.STORED, folder)["id"]
    shutil.copytree(folder / id, target / id, ignore=shutil.ignore_patterns(".*"))


def _stored(path: Path, folder: Path) -> dict[str, Any]:
    """Read a copy, since reading remembers what it has read beside the runs."""
    return collect.stored(Path(shutil.copytree(path, folder / path.name)))


def _trainings(store: Path) -> list[dict[str, Any]]:
    """Return the runs of this machine, and those of others that still agree with them."""
    here = collect.machine()
    runs = {name: collect.training(name, store) for name in collect.RUNS}
    kept = collect.read("training") if (collect.DATA / "training.json").exists() else []
    others = [
        known
        for known in kept
        if known["machine"] != here
        and known["runs"].keys() == runs.keys()
        and not any(list(collect.far_apart(known["runs"][name], runs[name])) for name in runs)
    ]
    return [*others, {"machine": here, "runs": runs}]


def _write(name: str, data: Any) -> None:
    path = collect.DATA / f"{name}.json"
    path.write_text(_lines(data) + "\n", encoding="utf-8")
    sys.stderr.write(f"{path.name}: {path.stat().st_size} bytes\n")


def _lines(data: Any) -> str:
    """Return compact JSON that still has a line for everything that can differ by itself."""
    flat = json.dumps(data, ensure_ascii=False)
    if len(flat) <= WIDTH or not isinstance(data, dict | list):
        return flat
    if isinstance(data, dict):
        inner = [f"{json.dumps(k, ensure_ascii=False)}: {_lines(v)}" for k, v in data.items()]
        return "{\n" + ",\n".join(inner) + "\n}"
    if not any(isinstance(part, dict | list) for part in data):
        return flat
    return "[\n" + ",\n".join(map(_lines, data)) + "\n]"


if __name__ == "__main__":
    main()
