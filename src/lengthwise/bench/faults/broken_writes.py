"""A run whose process is killed, or refused by the disk, at every single write."""

import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lengthwise.bench.faults.ledger import Fault
from lengthwise.bench.faults.sandbox import isolated
from lengthwise.core.errors import InputError
from lengthwise.records.record import read_record
from lengthwise.records.spec import RunSpec
from lengthwise.runs.execute import execute
from lengthwise.runs.store import Store

SECONDS = 120.0
TOUCHED = ("fsync", "replace", "unlink", "mkdir", "rename")
"""What changes a file system; each is a moment at which a process may end."""
ERRORS = {"disk full": errno.ENOSPC, "device error": errno.EIO, "not permitted": errno.EACCES}


def small_run(seed: int = 0, steps: int = 6) -> RunSpec:
    """Return a run of a second that writes every kind of file."""
    return RunSpec.create(
        task="binary-majority",
        position="nope",
        model={"layers": 1, "heads": 1, "width": 8},
        training={"length": (1, 5), "steps": steps, "batch": 4, "evaluate_every": 3},
        evaluation={"lengths": ((6, 8),), "instances": 20},
        seed=seed,
    )


def outcome(store: Store, spec: RunSpec) -> list[str]:
    """Return what must not depend on accidents: the metrics and the digest of the weights."""
    folder = store.folder(spec)
    record = read_record(folder)
    if record.result is None:
        return [f"{record.state}: {record.problem}"]
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    return [repr(record.result.metrics), weights]


@contextmanager
def at_touch(number: int, act: Callable[[], None]) -> Iterator[list[int]]:
    """Act instead of the n-th change of the file system; the list counts them."""
    real = {name: getattr(os, name) for name in TOUCHED}
    count = [0]

    def replacement(name: str) -> Callable[..., Any]:
        def touch(*args: Any, **options: Any) -> Any:
            count[0] += 1
            if count[0] == number:
                act()
            return real[name](*args, **options)

        return touch

    for name in TOUCHED:
        setattr(os, name, replacement(name))
    try:
        yield count
    finally:
        for name, function in real.items():
            setattr(os, name, function)


def _count(store: Store, spec: RunSpec) -> int:
    with at_touch(0, lambda: None) as count:
        execute(spec, store, device="cpu")
    return count[0]


def try_kills(folder: Path) -> Iterator[Fault]:
    """Kill the process at every change of the file system; the next one must finish alike."""
    yield from _try("killed", range(1), folder / "kills", lambda _: os._exit(9))


def try_errors(folder: Path) -> Iterator[Fault]:
    """Let every change of the file system fail once, in three ways."""

    def fail(kind: int) -> None:
        code = list(ERRORS.values())[kind]
        raise OSError(code, os.strerror(code))

    yield from _try("refused", range(len(ERRORS)), folder / "errors", fail)


def _try(what: str, kinds: range, folder: Path, harm: Callable[[int], None]) -> Iterator[Fault]:
    spec = small_run()
    whole = Store(folder / "whole")
    touches = _count(whole, spec)
    expected = outcome(whole, spec)
    items = [(kind, number) for kind in kinds for number in range(1, touches + 1)]

    def first(item: tuple[int, int]) -> str:
        kind, number = item
        with at_touch(number, lambda: harm(kind)):
            try:
                execute(spec, Store(folder / f"{kind}-{number}"), device="cpu")
            except InputError as error:
                return f"refused: {error}"
        return "done"

    def second(item: tuple[int, int]) -> list[str]:
        store = Store(folder / f"{item[0]}-{item[1]}")
        before = read_record(store.folder(spec)).state
        execute(spec, store, device="cpu")
        left = [path.name for path in store.folder(spec).glob(".*.tmp")]
        return [before, *left, *outcome(store, spec)]

    begun = {item: (end, told) for item, end, told in isolated(items, first, SECONDS)}
    for item, end, found in isolated(items, second, SECONDS):
        name = f"{what} at touch {item[1]} of {touches} ({item[0]})"
        told = str(begun[item][1] or "")
        if end == "hang" or begun[item][0] == "hang":
            yield Fault(name, False, "hang")
        elif end == "died":
            yield Fault(name, False, "traceback", told)
        elif found[0] == "damaged" or found[1:] != expected:
            yield Fault(name, False, "silent", str(found)[:300])
        else:
            yield Fault(name, begun[item][0] == "died" or told.startswith("refused"))
        with suppress(OSError):
            shutil.rmtree(folder / f"{item[0]}-{item[1]}")
