"""Collect what is compared, in the compact form in which it is kept."""

import hashlib
import json
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

from tests.snapshot import entry

HERE = Path(__file__).parent
DATA = HERE / "data"

TINY = "--layers 1 --width 16 --steps 60 --batch 16 --evaluate-every 20 --instances 96 "
SHORT = "--learning-rate 0.01 --train-length 1:4 --test-length 5:8 "
RUNS = {
    "parity, ape, regularised": "parity --encoding ape --regularize 1e-4 --weight-decay 0.1 "
    + SHORT,
    "majority, nope, log-n": "binary-majority --encoding nope --attention-scale log-n --warmup 4 "
    + SHORT,
    "copy, rope, dropout": "copy-v1-text:symbols=2 --encoding rope --dropout 0.05 "
    "--schedule cosine " + SHORT,
    "addition, alibi": "addition --encoding alibi --weight-decay 0 --first-seed 3 "
    "--learning-rate 0.01 --train-length 4:8 --test-length 9:14 ",
    "regular language, t5": "tomita-4 --encoding t5 --preset t5 --dropout 0.2 --heads 4 " + SHORT,
    "copy with steps, ipe": "copy-steps --encoding ipe --schedule constant --learning-rate 0.01 "
    "--train-length 1:2 --test-length 3:4 ",
}
"""Tiny trainings: the command line's options."""

STORED = (
    "parity --encoding ape --layers 1 --width 8 --steps 40 --batch 16 --evaluate-every 20 "
    "--instances 50 --train-length 1:6 --test-length 7:12"
)
"""The run of a kept store."""


def answers() -> dict[str, Any]:
    """Return what `decide` says of the published languages."""
    return {
        f"{row['regex']} over {''.join(row['alphabet'])}": {
            name: row[name]["answer"] for name in ("plain", "periodic_local")
        }
        for row in entry.decide_published()
    }


def predictions(folder: Path) -> dict[str, Any]:
    """Return the answer and the strength of every cell of the scoreboard."""
    return {
        f"{cell['subject']}, {cell['encoding']}": {
            "answer": cell["predicted"],
            "strength": cell["strength"],
        }
        for cell in entry.scoreboard(folder)
    }


def study(name: str) -> dict[str, Any]:
    """Return a kept study: claims in full without their prose, a digest for all other numbers."""
    found = entry.study(name)
    numbers = ("status", "paper", "ours", "interval", "reason")
    return {
        "about": {
            key: found[key]
            for key in ("edition", "frozen", "size", "seconds", "specifications", "machine")
        },
        "claims": {claim["id"]: {key: claim[key] for key in numbers} for claim in found["claims"]},
        "runs": {f"{run['group']} {run['id']}": _run(run) for run in found["runs"]},
        "measures": {name: _parts(value) for name, value in found["measures"].items()},
        "tables": [_parts([table["columns"], *table["rows"]]) for table in found["tables"]],
        "figures": [digest(figure["data"]) for figure in found["figures"]],
    }


def _run(run: dict[str, Any]) -> str:
    bins = [
        f"{sum(b['correct'].values())}/{sum(b['total'].values())}"
        if isinstance(b["correct"], dict)
        else f"{b['correct']}/{b['total']}"
        for b in run["bins"]
    ]
    return " ".join([digest(run), *bins])


def _parts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: digest(part) for key, part in value.items()}
    return [digest(part) for part in value]


def digest(value: Any) -> str:
    """Return a short hash of plain data."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]


def training(name: str, store: Path) -> dict[str, Any]:
    """Train a tiny run; return all of it that must repeat."""
    id = entry.train(RUNS[name] + TINY, store)["id"]
    result = entry.run(id, store)["result"]
    return {
        "id": id,
        "loss": [event["loss"] for event in result["history"]],
        "total": [list(bin_["total"].values()) for bin_ in result["bins"]],
        "correct": [
            [list(bin_["correct"].values()) for bin_ in event["bins"]]
            for event in result["history"]
        ],
        **tensors(entry.weights(id, store)),
    }


def tensors(path: Path) -> dict[str, str]:
    """Return one hash of all values, whatever the parameters are called, and one of the names."""
    from safetensors.numpy import load_file

    values = load_file(path)
    each = sorted(hashlib.sha256(value.tobytes()).hexdigest() for value in values.values())
    named = [[name, list(value.shape), str(value.dtype)] for name, value in sorted(values.items())]
    return {
        "weights": hashlib.sha256("".join(each).encode()).hexdigest(),
        "parameters": digest(named),
    }


def machine() -> dict[str, Any]:
    """Return what the last bits of a float32 depend on."""
    import torch

    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    facts = {key.strip(): value.strip() for key, _, value in (s.partition(":") for s in lines)}
    vector = [f for f in facts.get("flags", "").split() if f.startswith(("avx", "fma", "amx"))]
    try:
        numba = version("numba")
    except PackageNotFoundError:
        numba = None
    return {
        "torch": torch.__version__,
        "capability": torch.backends.cpu.get_cpu_capability(),
        "cpu": facts.get("model name", platform.processor()),
        "vector": " ".join(sorted(vector)),
        "numba": numba,
    }


def stores() -> list[Path]:
    """Return the stores kept of this and earlier versions."""
    return sorted(HERE.glob("store-*"))


def stored(store: Path) -> dict[str, Any]:
    """Return what a store says about its one run."""
    (row,) = entry.runs(store)
    shown = entry.run(row["id"], store)
    return {
        "id": row["id"],
        "state": row["state"],
        "exact match": row["exact match"],
        "loss": [event["loss"] for event in shown["result"]["history"]],
        "by length": [
            [line["length"], line["correct"], line["total"]] for line in entry.lengths(store)
        ],
        "attended": entry.attended(row["id"], store),
    }


def costs() -> dict[str, Any]:
    """Measure what starting costs in processor time, and what is imported."""
    found = {}
    for name, script in entry.SCRIPTS.items():
        seconds = [entry.cpu_seconds(script) for _ in range(5)]
        loaded = entry.modules(script)
        packages = {module.partition(".")[0] for module in loaded} - set(sys.stdlib_module_names)
        found[name] = {
            "cpu seconds, median of 5": round(median(seconds), 3),
            "torch": "torch" in loaded,
            "modules": len(loaded),
            "packages": sorted(package for package in packages if package[0] != "_"),
        }
    return found


ABSENT = "(nothing)"


def differences(kept: Any, now: Any, where: str = "") -> Iterator[str]:
    """Say where two pieces of plain data differ."""
    if isinstance(kept, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*kept, *now]):
            yield from differences(kept.get(key, ABSENT), now.get(key, ABSENT), f"{where}/{key}")
    elif isinstance(kept, list) and isinstance(now, list) and len(kept) == len(now):
        for number, pair in enumerate(zip(kept, now, strict=True)):
            yield from differences(*pair, f"{where}/{number}")
    elif kept != now or type(kept) is not type(now):
        yield f"{where}: {kept!r} -> {now!r}"


def far_apart(kept: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Say where a training differs from that of another machine by more than rounding."""
    exact = ("id", "total", "parameters")
    yield from differences({k: kept[k] for k in exact}, {k: now[k] for k in exact})
    for before, after in zip(kept["loss"], now["loss"], strict=True):
        if abs(before - after) > 1e-4:
            yield f"/loss: {before} -> {after}"


def read(name: str) -> Any:
    """Read a kept file."""
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
