"""Commands called in this process as a user would, with all that they print."""

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lengthwise.bench.faults.ledger import Fault
from lengthwise.bench.faults.sandbox import End

Main = Callable[[list[str]], None]
"""The command line; it ends with ``SystemExit``."""

ALLOWED = (0, 1, 2)
MOST_PRINTED = 20_000


@dataclass(frozen=True)
class Call:
    """The words of one command, and the folder in which it is given."""

    words: tuple[str, ...]
    folder: str

    @property
    def what(self) -> str:
        """The command as typed, cut short."""
        text = " ".join(self.words)
        return text if len(text) < 160 else f"{text[:150]}..."


def calling(main: Main) -> Callable[[Call], tuple[int, str, str]]:
    """Return a function that calls a command; return its exit code, output and errors."""

    def call(one: Call) -> tuple[int, str, str]:
        os.chdir(one.folder)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            sys.stdout = open(1, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
            sys.stderr = open(2, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
            try:
                main(list(one.words))
                code = -1
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else int(end.code is not None)
            sys.stdout.flush()
            sys.stderr.flush()
            return code, _text(out.fileno()), _text(err.fileno())

    return call


def _text(descriptor: int) -> str:
    os.lseek(descriptor, 0, os.SEEK_SET)
    return os.read(descriptor, MOST_PRINTED).decode(errors="replace")


def judged(call: Call, end: End, found: Sequence[object] | None) -> Fault:
    """Say what is wrong with how a command ended, if anything."""
    if end == "hang":
        return Fault(call.what, False, "hang")
    if found is None:
        return Fault(call.what, False, "traceback", "the process died")
    code, out, err = int(str(found[0])), str(found[1]), str(found[2])
    if code not in ALLOWED or "Traceback (most recent call last)" in out + err:
        return Fault(call.what, False, "traceback", _last(err))
    if code == 2:
        lines = [line for line in err.splitlines() if line.startswith("error: ")]
        clear = len(lines) == 1 and len(lines[0]) < 4_000
        return Fault(call.what, True, None if clear else "unclear", "" if clear else _last(err))
    return Fault(call.what, code == 1)


def _last(err: str) -> str:
    return err[-400:]
