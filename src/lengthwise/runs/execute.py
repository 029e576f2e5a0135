"""Execute one run in its folder: return its result if it exists, continue it if it was begun."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from lengthwise.core.errors import InputError
from lengthwise.core.files import remove_leftovers, write_json
from lengthwise.records.result import RunResult, environment
from lengthwise.records.spec import RunSpec
from lengthwise.runs.store import FAILURE, RESULT, WEIGHTS, Store, load_result
from lengthwise.runs.trackers import Tracker, following
from lengthwise.training.checkpoint import save_weights
from lengthwise.training.loop import CHECKPOINT, EVENTS, Listener, Trainer

DAMAGED = "checkpoint.damaged"


def execute(
    spec: RunSpec,
    store: Store,
    *,
    device: str = "auto",
    again: bool = False,
    restart_damaged: bool = False,
    trackers: Sequence[Tracker] = (),
    listener: Listener = lambda progress: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> RunResult:
    """Run a specification to its result; nothing is computed twice unless ``again``.

    With ``restart_damaged`` a run whose checkpoint is damaged begins anew (and ends with the same
    numbers, a little later); otherwise the damage is an error.
    """
    how = {"device": device, "again": again, "restart_damaged": restart_damaged}
    how |= {"trackers": trackers, "listener": listener, "should_stop": should_stop}
    return attempt(spec, store, **how)[0]


def attempt(
    spec: RunSpec,
    store: Store,
    *,
    device: str,
    again: bool,
    restart_damaged: bool,
    trackers: Sequence[Tracker],
    listener: Listener,
    should_stop: Callable[[], bool],
) -> tuple[RunResult, bool]:
    """Do what ``execute`` does; say also whether this call took the run to its end."""
    device = choose_device(device)
    if not again and (result := finished(spec, store)):
        return result, False
    trainer = Trainer(spec, store.folder(spec), device)  # refuses bad input before it writes
    folder = store.open(spec)
    with store.lock(folder):
        if not again and (result := finished(spec, store)):  # while this one waited
            return result, False
        prepare(folder, again=again)
        trainer = resumed(trainer, restart_damaged=restart_damaged)
        started = time.monotonic()
        with following(trackers, spec, trainer, listener) as listen:
            stopped = trainer.fit(listen, should_stop)
        return finish(trainer, stopped, time.monotonic() - started), True


def finished(spec: RunSpec, store: Store) -> RunResult | None:
    """Return the stored result of a run, if it is done."""
    if not (store.folder(spec) / RESULT).exists():
        return None
    record = store.record(store.folder(spec))
    return load_result(record) if record.state == "done" else None


def prepare(folder: Path, *, again: bool) -> None:
    """Clear what earlier attempts left that must not be seen by this one."""
    remove_leftovers(folder)
    (folder / FAILURE).unlink(missing_ok=True)
    if again:
        for name in (RESULT, CHECKPOINT, EVENTS):
            (folder / name).unlink(missing_ok=True)


def resumed(trainer: Trainer, *, restart_damaged: bool) -> Trainer:
    """Continue from the checkpoint; set a damaged one aside and begin anew if asked to."""
    try:
        trainer.resume()
    except InputError as error:
        if not restart_damaged:
            raise InputError(
                f"{error} Remove it, or train with --again, to begin the run anew."
            ) from error
        (trainer.folder / CHECKPOINT).replace(trainer.folder / DAMAGED)
        return type(trainer)(trainer.spec, trainer.folder, trainer.device)
    return trainer


def finish(trainer: Trainer, stopped: str, seconds: float) -> RunResult:
    """Write weights and result; the result comes last because its presence means done."""
    spec, folder = trainer.spec, trainer.folder
    result = RunResult(
        spec=spec,
        steps=trainer.step,
        stopped=stopped,
        bins=trainer.history[-1].bins,
        history=tuple(trainer.history),
        seconds=seconds,
        environment=environment(trainer.device),
    )
    save_weights(folder / WEIGHTS, trainer.model, {"run": spec.id})
    write_json(folder / RESULT, result.model_dump(mode="json", exclude={"spec"}))
    for name in (CHECKPOINT, DAMAGED):
        (folder / name).unlink(missing_ok=True)
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
