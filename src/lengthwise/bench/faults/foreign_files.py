"""A store from elsewhere whose runs name a Python file: no command executes it unasked.

The file leaves a mark when it is executed. It stands as task, as encoding, as relation and inside
of others; its content is the one that the run was made with, or another.
"""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from lengthwise.bench.faults.commands_called import Call, Main, calling, judged
from lengthwise.bench.faults.ledger import Fault
from lengthwise.bench.faults.other_structure import READERS
from lengthwise.bench.faults.sandbox import isolated
from lengthwise.records.spec import RunSpec
from lengthwise.runs.execute import execute
from lengthwise.runs.store import Store
from lengthwise.runs.sweep import note_sweep

SECONDS = 120.0
TRAP = """
from dataclasses import dataclass
from pathlib import Path
from lengthwise.positions.alibi import ALiBi
from lengthwise.tasks.algorithmic.majority import BinaryMajority

Path(__file__).with_name("executed").touch()

@dataclass(frozen=True, kw_only=True)
class T(BinaryMajority):
    name = "trap"

@dataclass(frozen=True, kw_only=True)
class E(ALiBi):
    name = "trap"

def phi(i, j):
    return i - j
"""
NAMED = {
    "task": ("{}:T", "nope"),
    "encoding": ("binary-majority", "{}:E"),
    "relation": ("binary-majority", "ipe:relation={}:phi"),
    "function": ("binary-majority", "bias:function={}:phi"),
    "inside a task": ("fixed:{}:T;size=100", "nope"),
    "inside an encoding": ("binary-majority", "hybrid:nope+{}:E"),
    "relation inside an encoding": ("binary-majority", "hybrid:nope+ipe:relation={}:phi"),
}
OF_ONE_RUN = (
    *("analyse attention RUN", "analyse relation RUN", "analyse perplexity RUN"),
    *("analyse positional RUN", "analyse probe RUN", "analyse regulariser --run RUN"),
    *("analyse limit RUN", "analyse products --run RUN"),
)
OF_ALL = (*(line for line in READERS if "analyse" not in line), "predict (ab)* --encoding nope")


def try_foreign(main: Main, folder: Path) -> Iterator[Fault]:
    """Let every command read such a store; what is trusted must be the very same file."""
    folder.mkdir()
    trap, store = folder / "trap.py", Store(folder / "store")
    trap.write_text(TRAP)
    specs = {how: _spec(*(text.format(trap) for text in named)) for how, named in NAMED.items()}
    for spec in specs.values():
        execute(spec, store, device="cpu")
    note_sweep(store, "trap", list(specs.values()))
    for name in [name for name in sys.modules if name.startswith("lengthwise_user_trap")]:
        del sys.modules[name]
    for content, trusts in ((TRAP, ("",)), (TRAP + "# edited\n", ("", " --trust-code"))):
        trap.write_text(content)
        for how, spec in specs.items():
            lines = [f"{line}{trust}" for line in OF_ONE_RUN for trust in trusts]
            yield from _calls(main, [*lines, *OF_ALL], spec.id, how, folder)


def _calls(main: Main, lines: list[str], run: str, how: str, folder: Path) -> Iterator[Fault]:
    mark, store = folder / "executed", str(folder / "store")
    mark.unlink(missing_ok=True)
    calls = [
        Call((*(w.replace("RUN", run) for w in shlex.split(line)), "--store", store), str(folder))
        for line in lines
    ]
    for call, end, found in isolated(calls, calling(main), SECONDS):
        trial = judged(call, end, found)
        sin = "foreign code" if mark.exists() else trial.sin
        yield Fault(f"{how}: {trial.what}", trial.refused, sin, trial.details)
        mark.unlink(missing_ok=True)


def _spec(task: str, position: str) -> RunSpec:
    return RunSpec.create(
        task=task,
        position=position,
        model={"layers": 1, "heads": 1, "width": 8},
        training={"length": (1, 5), "steps": 2, "batch": 4, "evaluate_every": 2},
        evaluation={"lengths": ((6, 8),), "instances": 5},
    )
