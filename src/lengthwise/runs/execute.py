"""Execute one run in its folder: return its result if it exists, continue it if it was begun."""

import time
from collections.abc import Callable

from lengthwise.errors import InputError
from lengthwise.runs.files import write_json
from lengthwise.runs.result import RunResult, environment
from lengthwise.runs.spec import RunSpec
from lengthwise.runs.store import RESULT, WEIGHTS, Store, load_result
from lengthwise.training.checkpoint import save_weights
from lengthwise.training.loop import CHECKPOINT, EVENTS, Listener, Trainer


def execute(
    spec: RunSpec,
    store: Store,
    *,
    device: str = "auto",
    again: bool = False,
    listener: Listener = lambda progress: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> RunResult:
    """Run a specification to its result; nothing is computed twice unless ``again``."""
    device = choose_device(device)
    finished = store.record(store.folder(spec))
    if finished.state == "done" and not again:
        return load_result(finished)
    trainer = Trainer(spec, store.folder(spec), device)  # refuses bad input before it writes
    folder = store.open(spec)
    with store.lock(folder):
        if again:
            for name in (RESULT, CHECKPOINT, EVENTS):
                (folder / name).unlink(missing_ok=True)
        trainer.resume()
        started = time.monotonic()
        stopped = trainer.fit(listener, should_stop)
        result = RunResult(
            spec=spec,
            steps=trainer.step,
            stopped=stopped,
            bins=trainer.history[-1].bins,
            history=tuple(trainer.history),
            seconds=time.monotonic() - started,
            environment=environment(device),
        )
        save_weights(folder / WEIGHTS, trainer.model, {"run": spec.id})
        write_json(folder / RESULT, result.model_dump(mode="json", exclude={"spec"}))
        (folder / CHECKPOINT).unlink(missing_ok=True)
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
