"""Runs whose files say something else, or are no files: every command reads the others still.

A store of three finished runs; one of them is changed. Somebody who changes a file may also renew
the digests, so this is done half of the time.
"""

import copy
import json
import os
import random
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lengthwise.bench.faults.broken_writes import small_run
from lengthwise.bench.faults.commands_called import Call, Main, calling, judged
from lengthwise.bench.faults.ledger import Fault
from lengthwise.bench.faults.sandbox import End, isolated
from lengthwise.playground.results import runs as playground_runs
from lengthwise.records.manifest import (
    BOUND,
    EVENTS,
    MANIFEST,
    RESULT,
    SPEC,
    WEIGHTS,
    Digest,
    Manifest,
)
from lengthwise.records.record import CHECKPOINT, FAILURE, Record, read_record
from lengthwise.runs.execute import execute
from lengthwise.runs.store import LOCK, Store
from lengthwise.runs.sweep import note_sweep

SECONDS = 120.0
READERS = (
    "runs",
    "runs --json --rebuild",
    "runs verify",
    "runs verify --digests --json",
    "runs watch --once --json",
    "runs query --json 'select * from runs'",
    "runs query --json 'select * from lengths join history using (id)'",
    "runs export --csv out.csv --table bins",
    "report --no-predict -o page.html",
    "plot -o plot.svg",
    "analyse ranks",
    "predict binary-majority --encoding nope --time-limit 5",
    "analyse attention RUN",
    "analyse probe RUN",
    "runs RUN",
)
"""Commands that read a store; RUN is the changed one."""
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**70, 1.5, -0.0, 1e308, "", "1", "nan", [], {}, [[]], [None]),
    *({"a": 1}, "../../x", "x.py:T", "\u0000", "💥" * 50, [1, 2], {"1": -1}, "parity", 10**400),
)
SPECIAL = ("folder", "pipe", "loop", "link away", "device", "unreadable", "gone", "empty", "cut")


def make_store(root: Path) -> tuple[Store, Path]:
    """Return a store of three finished runs and the folder of the one that is changed."""
    store = Store(root)
    specs = [small_run(seed) for seed in range(3)]
    for spec in specs:
        execute(spec, store, device="cpu")
    note_sweep(store, "three", specs)
    return store, store.folder(specs[0])


def try_structure(main: Main, count: int, seed: int, folder: Path) -> Iterator[Fault]:
    """Change a run in every way, and let every command read the store."""
    whole, run = make_store(folder / "whole")
    expected = read_record(run)
    rng = random.Random(seed)
    changes = [
        _special(name, how) for name in (*BOUND, MANIFEST, LOCK, CHECKPOINT) for how in SPECIAL
    ]
    changes += [_renamed, _deep, _failure]
    changes += [_edited(rng.random()) for _ in range(count)]
    for number, change in enumerate(changes):
        store = Store(folder / "changed")
        shutil.rmtree(store.root, ignore_errors=True)
        shutil.copytree(whole.root, store.root)
        what = change(store.root / run.name)
        words = READERS if number % 10 == 0 else rng.sample(READERS, 2)
        yield from _read(main, store, run.name, expected, what, words)
    shutil.rmtree(folder)


def _read(
    main: Main, store: Store, run: str, expected: Record, what: str, lines: Any
) -> Iterator[Fault]:
    yield from _record(store, run, expected, what)
    calls = [_call(line, run, store) for line in lines]
    for call, end, found in isolated(calls, calling(main), SECONDS):
        trial = judged(call, end, found)
        yield Fault(f"{what}: {trial.what}", trial.refused, trial.sin, trial.details)


def _call(line: str, run: str, store: Store) -> Call:
    words = [word.replace("RUN", run) for word in shlex.split(line)]
    return Call((*words, "--store", str(store.root)), str(store.root.parent))


def _record(store: Store, run: str, expected: Record, what: str) -> Iterator[Fault]:
    """Compare what the reader of all commands says of each run."""

    def read(_: int) -> list[Any]:
        json.dumps(playground_runs({"store": str(store.root)}), allow_nan=False)
        found = {record.id: record for record in store.records()}
        changed = found.pop(run, None)
        others = [record.state for record in found.values() if record.id != run]
        if changed is None or changed.state != "done":
            return [others, changed.state if changed else "gone", True]
        same = (changed.spec, changed.bins, changed.history) == (
            *(expected.spec, expected.bins, expected.history),
        )
        return [others, "done", same]

    for _, end, told in isolated([0], read, SECONDS):
        yield _judge(what, end, told)


def _judge(what: str, end: End, told: Any) -> Fault:
    if end != "done":
        return Fault(what, False, "hang" if end == "hang" else "traceback", "reading the records")
    others, state, same = told
    if others.count("done") < 2 or not same:
        return Fault(what, False, "silent", f"{others}, {state}")
    return Fault(what, state != "done")


Change = Callable[[Path], str]


def _special(name: str, how: str) -> Change:
    def change(folder: Path) -> str:
        path = folder / name
        data = path.read_bytes() if path.is_file() else b"x"
        path.unlink(missing_ok=True)
        if how == "folder":
            path.mkdir()
        elif how == "pipe":
            os.mkfifo(path)
        elif how == "loop":
            path.symlink_to(path.name)
        elif how == "link away":
            path.symlink_to("/etc/hostname")
        elif how == "device":
            path.symlink_to("/dev/zero")
        elif how == "unreadable":
            path.write_bytes(data)
            path.chmod(0)
        elif how in ("empty", "cut"):
            path.write_bytes(data[: len(data) // 2 if how == "cut" else 0])
        return f"{name} {how}"

    return change


def _renamed(folder: Path) -> str:
    folder.rename(folder.with_name("0123456789ab"))
    return "folder renamed"


def _deep(folder: Path) -> str:
    for name in (SPEC, RESULT, EVENTS, MANIFEST, FAILURE):
        (folder / name).write_text("[" * 10**6)
    return "deep JSON everywhere"


def _failure(folder: Path) -> str:
    for name in (RESULT, MANIFEST, WEIGHTS):
        (folder / name).unlink()
    (folder / FAILURE).write_text('{"reason": [1e999, {}]}')
    return "failure.json of another form"


def _edited(number: float) -> Change:
    """Replace, remove or add a node of a file; perhaps make the digests anew."""

    def change(folder: Path) -> str:
        rng = random.Random(number)
        name = rng.choice((SPEC, RESULT, RESULT, EVENTS, MANIFEST))
        lines = (folder / name).read_text().splitlines() if name == EVENTS else []
        data = json.loads(lines[0] if lines else (folder / name).read_text())
        where = rng.choice(list(places(data)))
        act = rng.choice(("replace", "replace", "remove", "add"))
        data = changed_node(data, where, act, copy.deepcopy(rng.choice(ODD)), rng)
        text = json.dumps(data)
        (folder / name).write_text("\n".join([text, *lines[1:], ""]))
        if rng.random() < 0.5 and name != MANIFEST:
            contents = {file: (folder / file).read_bytes() for file in BOUND}
            digests = {file: Digest.of(content) for file, content in contents.items()}
            Manifest(folder.name, digests).write(folder)
        return f"{name}: {act} at {'.'.join(map(str, where)) or 'the root'}"

    return change


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every node of plain data."""
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def changed_node(value: Any, path: tuple[Any, ...], act: str, new: Any, rng: random.Random) -> Any:
    """Return plain data with one node replaced or removed, or something put beside it."""
    if not path:
        return new
    first, *rest = path
    if rest:
        value[first] = changed_node(value[first], tuple(rest), act, new, rng)
    elif act == "remove":
        del value[first]
    elif act == "add" and isinstance(value, dict):
        value[rng.choice(("x", "", "1", "id", "run"))] = new
    elif act == "add":
        value.insert(first, new)
    else:
        value[first] = new
    return value
