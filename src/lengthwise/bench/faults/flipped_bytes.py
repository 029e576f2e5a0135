"""Every byte of a small run flipped: what a reader is told is the same, or damaged."""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lengthwise.bench.faults.broken_writes import small_run
from lengthwise.bench.faults.ledger import Fault
from lengthwise.records.manifest import EVENTS, MANIFEST, RESULT, SPEC, WEIGHTS
from lengthwise.records.progress import Interrupted
from lengthwise.records.record import CHECKPOINT, Record, read_record
from lengthwise.runs.execute import execute
from lengthwise.runs.repair import check_tensors, examined
from lengthwise.runs.store import Store

TEXTS = (SPEC, EVENTS, RESULT, MANIFEST)


def try_flips(folder: Path, *, every_bit: bool) -> Iterator[Fault]:
    """Flip one bit of every byte (or all eight) of every file of a finished run."""
    store, spec = Store(folder / "flips"), small_run()
    execute(spec, store, device="cpu")
    run = store.folder(spec)
    expected = examined(read_record(run))
    for name in TEXTS:
        yield from _flip(run / name, expected, every_bit, deep=False)
    yield from _flip(run / WEIGHTS, expected, every_bit, deep=True)
    yield from _checkpoint(folder / "begun", every_bit)


def _flip(path: Path, expected: Record, every_bit: bool, *, deep: bool) -> Iterator[Fault]:
    whole = path.read_bytes()
    for what, changed in _flipped(whole, every_bit):
        path.write_bytes(changed)
        record = read_record(path.parent)
        if deep:
            record = examined(record)
        same = record == expected
        sin = None if same or record.state == "damaged" else "silent"
        yield Fault(f"{path.name}: {what}", not same, sin, record.problem or "")
    path.write_bytes(whole)


def _checkpoint(folder: Path, every_bit: bool) -> Iterator[Fault]:
    """Flip what an interrupted run would be continued from."""
    store, spec = Store(folder), small_run(1)
    asked = iter(range(3))
    with suppress(Interrupted):
        execute(spec, store, device="cpu", should_stop=lambda: next(asked, None) is None)
    path = store.folder(spec) / CHECKPOINT
    whole = path.read_bytes()
    for what, changed in _flipped(whole, every_bit):
        path.write_bytes(changed)
        problem = check_tensors(read_record(path.parent))
        yield Fault(f"{CHECKPOINT}: {what}", bool(problem), None if problem else "silent")
    shutil.rmtree(folder)


def _flipped(whole: bytes, every_bit: bool) -> Iterator[tuple[str, bytes]]:
    for place in range(len(whole)):
        for bit in range(8) if every_bit else (place % 8,):
            changed = bytearray(whole)
            changed[place] ^= 1 << bit
            yield f"byte {place} bit {bit}", bytes(changed)
