"""How a command ends: its exit code, one line for a mistake, and a log for a bug of ours.

0     done
1     done, and the answer is no: a check failed, runs are damaged
2     a mistake in what was given, or something that this machine lacks: one line
70    a bug of Lengthwise: two lines and a log to attach to a report
130   interrupted
"""

import codecs
import errno
import io
import json
import os
import platform
import shlex
import sys
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import suppress

from lengthwise._version import __version__
from lengthwise.core.errors import MOST_QUOTED, shortened
from lengthwise.core.text import printable

MISTAKE, BUG, INTERRUPTED = 2, 70, 130
_FULL = (errno.ENOSPC, errno.EDQUOT)


def check_words(words: Sequence[str]) -> str:
    """Say which word is not text, if one is not: bytes that are no UTF-8 cannot be shown."""
    for number, word in enumerate(words, 1):
        try:
            word.encode()
        except UnicodeEncodeError:
            return f"argument {number} is not UTF-8 text: {word!a}"
    return ""


def quoted_little(message: str, words: Sequence[str]) -> str:
    """Cut long words of the command out of a message that repeats them.

    Example:
        >>> len(quoted_little("no file " + "a b " * 1000, ["verify", "a b " * 1000]))
        201
    """
    for word in words:
        for form in dict.fromkeys((word, " ".join(word.split()))):
            if len(form) > MOST_QUOTED:
                message = message.replace(form, f"{form[: MOST_QUOTED - 10]}...")
    return shortened(message)


def say_mistake(message: str, code: int = MISTAKE) -> int:
    """Say in one line what was wrong; return the exit code."""
    with suppress(OSError, ValueError):  # nobody can be told
        sys.stderr.write(f"error: {printable(message)}\n")
    return code


def say_bug(error: BaseException, words: Sequence[str]) -> int:
    """Say that this is our bug, and where its log is; return the exit code."""
    kind = f"{type(error).__name__}: {' '.join(str(error).split())}"
    report = "\n".join(
        [
            f"lengthwise {__version__}, Python {platform.python_version()}, {platform.platform()}",
            f"command: lengthwise {shlex.join(words)}",
            "",
            "".join(traceback.format_exception(error)),
        ]
    )
    try:
        descriptor, path = tempfile.mkstemp(prefix="lengthwise-", suffix=".log")
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as log:
            log.write(report)
        attach = f"please report it and attach {path}"
    except OSError as failed:
        attach = f"please report it; no log could be written ({failed.strerror})"
    return say_mistake(f"a bug in Lengthwise ({shortened(kind)})\n  {attach}", BUG)


def explain_system(error: OSError) -> str:
    """Say in one line what the system refused."""
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if error.errno in _FULL:
        return "standard output: the disk is full; what was printed is cut short"
    return f"the system refuses: {error.strerror or error}"


def explain_library(error: ImportError) -> str:
    """Say that a library of another package does not load here; nothing if it is our mistake.

    Example:
        >>> explain_library(ImportError("libx.so: failed to map segment from shared object"))
        'a library cannot be loaded: libx.so: failed to map segment from shared object'
    """
    told = " ".join(str(error).split())
    return f"a library cannot be loaded: {shortened(told)}" if ".so" in told else ""


def flush() -> None:
    """Write out what was printed; it may not fit on the disk."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()


def give_up_output() -> None:
    """Forget what could not be printed, which would fail again when Python ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)


def ensure_streams() -> None:
    """Print to nowhere where a stream is closed (``>&-``), and escapes where it lacks a letter."""
    codecs.register_error("escaped", _escaped)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  (as long as the process)
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="escaped")


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Replace what an encoding cannot say as JSON would: an output in JSON stays JSON.

    Example:
        >>> codecs.register_error("escaped", _escaped)
        >>> "(é💥)*".encode("ascii", "escaped").decode()
        '(\\\\u00e9\\\\ud83d\\\\udca5)*'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end
