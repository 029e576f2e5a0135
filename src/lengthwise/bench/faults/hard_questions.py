"""Questions that take too long or too much, given to every command with a time limit."""

import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from lengthwise.bench.faults.commands_called import Call, Main, calling, judged
from lengthwise.bench.faults.ledger import Fault
from lengthwise.bench.faults.malformed_inputs import Signature
from lengthwise.bench.faults.sandbox import isolated
from lengthwise.languages.dfa import DFA
from lengthwise.languages.formats import to_json

LIMIT = 2
"""Seconds that a question is given."""
LATE = 1.0
"""Seconds beyond it that are forgiven, and more on a machine that has other work."""
PROBED = 0.02
"""Seconds of work by which is measured how slow such a machine is."""
SECONDS = 60.0
STATES = (50, 300, 3_000)
"""Sizes of random automata."""
TEXTS = (
    *("(a|b){1,3000}", "((a|b){1000})*", "((a|b)*a(a|b){12})*", "(a|b|c)*aab(a|b|c)*|(abc)*"),
    *("(a(a(a(a(ab)*b)*b)*b)*b)*", "dyck-1", "parity", "majority"),
)
FILES = {
    "window.cr": 'alphabet "a" "b"\naccept = #[i-5000..i-1] "a" > 2500\n',
    "period.cr": 'alphabet "a" "b"\naccept = pos % 999983 == 3 && #"a" > #"b"\n',
    "periods.cr": 'alphabet "a" "b"\naccept = pos % 997 == 3 && pos % 991 == 5 && "a"\n',
    "nested.cr": 'alphabet "a" "b"\nx0 = "a"\n'
    + "".join(f'x{n} = #x{n - 1} > #"b" || "a"\n' for n in range(1, 60))
    + 'accept = #x59 > #"a"\n',
    "loops.py": "def f(word):\n    while len(word) > 3: pass\n    return True\n",
    "slow.py": "import time\ndef f(word):\n    time.sleep(0.02)\n    return len(word) % 3 == 0\n",
    "grows.py": "def f(word):\n    return len('x' * 10 ** (3 * len(word))) % 2 == 0\n",
}
COMMANDS = {
    "lab infer": "--context 6",
    "crasp compare": "dyck-1",
    "crasp check": "--against (ab)*",
    "crasp learn": "",
    "compile": "--length 64",
    "decide": "--program out.cr --certificate out.json",
}
"""What some commands take beside the subject; the time limit of ``lab infer`` is per context."""
LEFT_OUT = {
    "report": "it reads stored runs",
    "lab scoreboard": "it has a list of its own",
}


def hard(signatures: Sequence[Signature], folder: Path) -> list[Call]:
    """Write the files and return the commands: each with a time limit, on each hard subject."""
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    subjects = [*TEXTS, *(f"{name}:f" if name.endswith(".py") else name for name in FILES)]
    for states in STATES:
        (folder / f"random{states}.json").write_text(to_json(_random_automaton(states)))
        subjects.append(f"random{states}.json")
    return [
        Call(tuple(_words(command, subject)), str(folder))
        for command in signatures
        if "--time-limit" in command.options and " ".join(command.words) not in LEFT_OUT
        for subject in subjects
    ]


def _words(command: Signature, subject: str) -> Iterator[str]:
    yield from command.words
    yield subject
    yield from COMMANDS.get(" ".join(command.words), "").split()
    if ".py" in subject and "--alphabet" in command.options:
        yield from ("--alphabet", "ab")
    yield from ("--time-limit", str(LIMIT))


def _random_automaton(states: int) -> DFA:
    rng = random.Random(states)
    table = [[rng.randrange(states) for _ in "ab"] for _ in range(states)]
    return DFA(("a", "b"), table, 0, [rng.random() < 0.5 for _ in range(states)])


def timed(act: Callable[[Call], Any]) -> Callable[[Call], tuple[float, Any]]:
    """Return the function with the seconds that it took."""

    def call(one: Call) -> tuple[float, Any]:
        began = time.monotonic()
        found = act(one)
        return time.monotonic() - began, found

    return call


def slowness() -> float:
    """Return how many seconds a second of work takes: more than one where others work too."""
    began, busy = time.monotonic(), time.process_time()
    while time.process_time() - busy < PROBED:
        pass
    return max(1.0, (time.monotonic() - began) / PROBED)


def try_questions(
    main: Main, signatures: Sequence[Signature], count: int | None, folder: Path
) -> Iterator[Fault]:
    """Ask hard questions, a part of them if ``count`` says so."""
    calls = hard(signatures, folder)
    random.Random(0).shuffle(calls)
    os.environ["LENGTHWISE_STORE"] = str(folder / "store")
    for call, end, found in isolated(calls[:count], timed(calling(main)), SECONDS):
        seconds, ended = found or (SECONDS, None)
        trial, over = judged(call, end, ended), seconds - LIMIT
        if trial.sin is None and over > LATE and over > LATE * (slow := slowness()):
            took = f"{seconds:.1f} s at a limit of {LIMIT} s, on a machine {slow:.1f} times slow"
            trial = Fault(call.what, trial.refused, "late", took)
        yield trial
