"""A run on its way to a worker, and what comes back: plain data, whatever carries it."""

import json
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from lengthwise.core.errors import InputError
from lengthwise.core.files import write_json
from lengthwise.records.progress import Listener, Progress
from lengthwise.records.record import FAILURE
from lengthwise.records.spec import RunSpec

REPORT_SECONDS = 0.25
STOP = b"stop"
"""What the pool says to a worker whose run should end."""

Kind = Literal["progress", "done", "failed", "fatal", "busy", "stopped", "lost"]


@dataclass(frozen=True)
class Job:
    """One run to execute: where, and with which options of ``execute``."""

    spec: RunSpec
    root: Path
    device: str = "auto"
    again: bool = False
    restart_damaged: bool = False
    repair: bool = False
    trackers: tuple[str, ...] = ()

    def dump(self) -> bytes:
        """Return the job as JSON."""
        return json.dumps(
            {**vars(self), "spec": self.spec.model_dump(), "root": str(self.root)}
        ).encode()

    @classmethod
    def load(cls, data: bytes) -> Self:
        """Read what ``dump`` wrote."""
        fields = json.loads(data)
        spec, root = RunSpec.read(fields.pop("spec")), Path(fields.pop("root"))
        return cls(spec, root, **fields)


@dataclass(frozen=True)
class Message:
    """What an executor hears of a run.

    ``progress`` may come often; each of the others ends the job: ``done``; ``failed`` with a
    reason; ``fatal``, which would fail all others too; ``busy``, held by another process;
    ``stopped`` as asked, with a checkpoint; ``lost``, the worker is gone.
    """

    run: str
    kind: Kind
    data: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, run: str, progress: Progress) -> Self:
        """Wrap a progress report."""
        return cls(run, "progress", vars(progress))

    @property
    def progress(self) -> Progress:
        """The progress report inside."""
        return Progress(**{**self.data, "accuracy": tuple(self.data["accuracy"])})

    @property
    def reason(self) -> str:
        """Why the job did not end well."""
        return self.data.get("reason", self.kind)

    def dump(self) -> bytes:
        """Return the message as JSON."""
        return json.dumps(vars(self)).encode()

    @classmethod
    def load(cls, data: bytes) -> Self:
        """Read what ``dump`` wrote."""
        return cls(**json.loads(data))


def note_failure(folder: Path, error: BaseException | str) -> str:
    """Write why a run failed into its folder, if it has one; return the reason in one line."""
    kind = "" if isinstance(error, InputError | str) else f"{type(error).__name__}: "
    reason = kind + " ".join(str(error).split())
    trace = [] if isinstance(error, str) else traceback.format_exception(error)
    if folder.is_dir():
        with suppress(InputError):  # the disk is full or gone; the reason still reaches the user
            write_json(folder / FAILURE, {"reason": reason, "traceback": "".join(trace)})
    return reason


def throttled(report: Callable[[Progress], None]) -> Listener:
    """Pass progress on at most a few times a second, and always after an evaluation."""
    last = {"time": 0.0, "evaluated": 0}

    def listener(progress: Progress) -> None:
        now = time.monotonic()
        if now - last["time"] > REPORT_SECONDS or progress.evaluated != last["evaluated"]:
            last.update(time=now, evaluated=progress.evaluated)
            report(progress)

    return listener
