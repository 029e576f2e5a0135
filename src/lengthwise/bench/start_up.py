"""What a command costs before it computes anything: processor time against bare Python."""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from lengthwise.bench.measure import Figure

# row -> (the arguments of Python, at most so many times the processor time of bare Python)
COMMANDS: dict[str, tuple[tuple[str, ...], float]] = {
    "import lengthwise": (("-c", "import lengthwise"), 3.0),
    "lengthwise --help": (("-m", "lengthwise", "--help"), 22.0),
    "lengthwise crasp run dyck-1": (("-m", "lengthwise", "crasp", "run", "dyck-1", "(())"), 40.0),
    "lengthwise decide (ab)*": (("-m", "lengthwise", "decide", "(ab)*"), 32.0),
    "lengthwise predict (ab)*": (("-m", "lengthwise", "predict", "(ab)*"), 32.0),
}
BARE = ("-c", "pass")


def start_up(rounds: int) -> Iterator[Figure]:
    """Run each command and bare Python in turn, and compare the least processor seconds of each.

    Modules are compiled once into a folder of this benchmark, as an installation has them.
    """
    with tempfile.TemporaryDirectory() as compiled:
        for name, (arguments, limit) in COMMANDS.items():
            for warm in (BARE, arguments):
                processor_seconds(warm, compiled)
            pairs = [
                (processor_seconds(arguments, compiled), processor_seconds(BARE, compiled))
                for _ in range(rounds)
            ]
            ours, bare = (min(times) for times in zip(*pairs, strict=True))
            yield Figure(
                group="start-up",
                name=name,
                value=ours / bare,
                unit="x bare Python",
                at_most=limit,
            )


def processor_seconds(arguments: tuple[str, ...], compiled: str) -> float:
    """Return the processor time of one Python process, children of its own included."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments],
        env={**kept, "PYTHONPYCACHEPREFIX": compiled},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
