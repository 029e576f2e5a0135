"""Execute one run in its folder: return its result if it exists, continue it if it was begun."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from lengthwise.core.errors import InputError
from lengthwise.core.files import (
    json_bytes,
    put,
    remove_aside,
    remove_leftovers,
    set_aside,
    write_bytes,
)
from lengthwise.records.manifest import EVENTS, MANIFEST, RESULT, SPEC, WEIGHTS, Digest, Manifest
from lengthwise.records.progress import Listener
from lengthwise.records.record import (
    CHECKPOINT,
    FAILURE,
    Record,
    history_bytes,
    load_result,
    read_record,
)
from lengthwise.records.result import RunResult, environment
from lengthwise.records.spec import RunSpec
from lengthwise.runs.repair import examined, mend
from lengthwise.runs.store import Store
from lengthwise.runs.trackers import Tracker, following
from lengthwise.training.checkpoint import weights_bytes
from lengthwise.training.loop import DisagreementError, Trainer

STATE = "state.safetensors"
"""The checkpoint of a finished run that more steps would continue (`runs.extension`)."""

T = TypeVar("T", bound=Trainer)


def execute(
    spec: RunSpec,
    store: Store,
    *,
    device: str = "auto",
    again: bool = False,
    restart_damaged: bool = False,
    repair: bool = False,
    trackers: Sequence[Tracker] = (),
    listener: Listener = lambda progress: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> RunResult:
    """Run a specification to its result; nothing is computed twice unless ``again``.

    With ``restart_damaged`` a run whose checkpoint is damaged begins anew (and ends with the same
    numbers, a little later), and with ``repair`` one whose result or specification is damaged is
    put right; otherwise the damage is an error.
    """
    how = {"device": device, "again": again, "restart_damaged": restart_damaged, "repair": repair}
    how |= {"trackers": trackers, "listener": listener, "should_stop": should_stop}
    return attempt(spec, store, **how)[0]


def attempt(
    spec: RunSpec,
    store: Store,
    *,
    device: str,
    again: bool,
    restart_damaged: bool,
    repair: bool,
    trackers: Sequence[Tracker],
    listener: Listener,
    should_stop: Callable[[], bool],
) -> tuple[RunResult, bool]:
    """Do what ``execute`` does; say also whether this call took the run to its end."""
    device = choose_device(device)
    if not again and (result := finished(store.record(store.folder(spec)), repair=repair)):
        return result, False
    trainer = Trainer(spec, store.folder(spec), device)  # refuses bad input before it writes
    folder = store.open(spec)
    with store.lock(folder):
        if not again and (result := finished(read_record(folder), repair=repair)):
            return result, False  # another process has, while this one waited
        prepare(folder, spec, again=again, repair=repair)
        if repair and (result := finished(read_record(folder))):
            return result, False  # nothing was lost that had to be trained
        trainer = resumed(trainer, restart_damaged=restart_damaged)
        started = time.monotonic()
        with following(trackers, spec, trainer, listener) as listen:
            stopped = trainer.fit(listen, should_stop)
        return finish(trainer, stopped, time.monotonic() - started), True


def finished(record: Record, *, repair: bool = False) -> RunResult | None:
    """Return the stored result of a run, if it is done; a damaged one is an error or repaired."""
    if repair:
        record = examined(record)
    if record.state == "done" or (record.state == "damaged" and not repair):
        return load_result(record)
    return None


def prepare(folder: Path, spec: RunSpec, *, again: bool, repair: bool = False) -> None:
    """Clear what earlier attempts left that must not be seen by this one."""
    remove_leftovers(folder)
    (folder / FAILURE).unlink(missing_ok=True)
    if repair:
        mend(folder, spec)
    if again:
        for name in (MANIFEST, RESULT, CHECKPOINT, STATE, EVENTS):
            (folder / name).unlink(missing_ok=True)


def resumed(trainer: T, *, restart_damaged: bool) -> T:
    """Continue from the checkpoint; set a damaged one aside and begin anew if asked to.

    A checkpoint that does not fit the evaluations is no consistent point to continue from, and
    the run begins anew in any case; it ends with the same numbers.
    """
    try:
        trainer.resume()
    except InputError as error:
        if not (restart_damaged or isinstance(error, DisagreementError)):
            raise InputError(
                f"{error} Remove it, or train with --again, to begin the run anew."
            ) from error
        set_aside(trainer.folder / CHECKPOINT)
        return type(trainer)(trainer.spec, trainer.folder, trainer.device)
    return trainer


def finish(trainer: Trainer, stopped: str, seconds: float) -> RunResult:
    """Write weights and result; the manifest comes last because its presence means done."""
    spec, folder, chosen = trainer.spec, trainer.folder, trainer.keep()
    result = RunResult(
        spec=spec,
        steps=trainer.step,
        stopped=stopped,
        bins=chosen.bins,
        history=tuple(trainer.history),
        seconds=seconds,
        environment=environment(trainer.device),
    )
    contents = {
        SPEC: json_bytes(spec.model_dump(mode="json")),
        EVENTS: history_bytes(result.history),
        RESULT: json_bytes({"run": spec.id} | result.model_dump(mode="json", exclude={"spec"})),
        WEIGHTS: weights_bytes(trainer.model, {"run": spec.id}),
    }
    write_bytes(folder / WEIGHTS, contents[WEIGHTS])
    for name in (SPEC, EVENTS):  # written long ago
        put(folder / name, contents[name])
    write_bytes(folder / RESULT, contents[RESULT])
    Manifest(spec.id, {name: Digest.of(data) for name, data in contents.items()}).write(folder)
    if spec.training.schedule == "constant" and (folder / CHECKPOINT).exists():
        (folder / CHECKPOINT).replace(folder / STATE)
    (folder / CHECKPOINT).unlink(missing_ok=True)
    remove_aside(folder)
    return result


def choose_device(name: str) -> str:
    """Turn ``auto`` into the best device present; refuse one that is not there.

    CUDA and MPS take the same path as the CPU; they are not exercised by the tests.
    """
    import torch

    present = {
        "cpu": True,
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
    }
    if name == "auto":
        return next(kind for kind in ("cuda", "mps", "cpu") if present[kind])
    if not present.get(name.partition(":")[0], False):
        usable = ", ".join(["auto", *(kind for kind, here in present.items() if here)])
        raise InputError(f"--device {name!r} is not available here; use one of {usable}.")
    return name
