"""Functions that misbehave in a hundred ways, given to ``predict`` as a user's own."""

from collections.abc import Iterator
from pathlib import Path

from lengthwise.bench.faults.commands_called import Call, Main, calling, judged
from lengthwise.bench.faults.ledger import Fault
from lengthwise.bench.faults.sandbox import isolated

LIMIT = 8
"""Seconds that a prediction may take."""
SECONDS = 60.0
DEEDS = {
    "loops": "while True: pass",
    "sleeps": "time.sleep(10**6)",
    "recurses": "def again(): again()\n{i}again()",
    "allocates": "x = [0]\n{i}while True: x = x + x",
    "raises": "raise ValueError('no\\nno')",
    "raises without end": "raise ValueError('no' * 10**6)",
    "raises something of its own": "raise type('Odd', (BaseException,), {{}})()",
    "raises GeneratorExit": "raise GeneratorExit",
    "interrupts": "raise KeyboardInterrupt",
    "stops iterating": "raise StopIteration",
    "exits": "sys.exit(7)",
    "exits at once": "os._exit(0)",
    "aborts": "os.abort()",
    "kills itself": "os.kill(os.getpid(), 9)",
    "stops itself": "os.kill(os.getpid(), signal.SIGSTOP)",
    "forks": "os.path.exists('once') or (open('once', 'w').close(), os.fork())",
    "leaves a child": "subprocess.Popen(['sleep', '20'])",
    "ignores signals": "[signal.signal(n, signal.SIG_IGN) for n in (2, 15)]\n{i}while True: pass",
    "closes everything": "os.closerange(0, 100)",
    "prints without end": "print('x' * 10**7)",
    "answers by itself": "os.write(1, b'1' * 100)",
    "reads the questions": "sys.stdin.read()",
    "starts threads": "[threading.Thread(target=time.sleep, args=(30,)).start() for _ in range(9)]",
    "removes modules": "sys.modules.clear()",
    "breaks json": "json.dumps = json.loads = None",
}
"""What may happen in Python, in one or two statements; ``{i}`` is the indentation."""
ANSWERS = ("None", "'yes'", "2", "0.5", "[True]", "float('nan')", "object()", "lambda: True", "...")
"""What is no truth value."""
PLACES = {
    "when loaded": "{deed0}\ndef f(word):\n    return True\n",
    "on the first word": "def f(word):\n    {deed4}\n    return True\n",
    "on long words": "def f(word):\n    if len(word) > 5:\n        {deed8}\n"
    "    return len(word) % 2 == 0\n",
}
WRONG = {"when loaded": "no", "on the first word": "no", "on long words": "yes"}
"""What is never true: all words are learnable, words of even length are not without positions."""
HEAD = "import json, os, random, signal, subprocess, sys, threading, time\n"


def hostile() -> dict[str, str]:
    """Return the source of every function by what it does."""
    found = {
        f"{deed} {place}": HEAD + _placed(text, frame)
        for place, frame in PLACES.items()
        for deed, text in DEEDS.items()
    }
    for answer in ANSWERS:
        found[f"answers {answer}"] = f"def f(word):\n    return {answer}\n"
        long = f"def f(word):\n    return {answer} if len(word) > 4 else True\n"
        found[f"answers {answer} on long words"] = long
    found["answers at random"] = HEAD + "def f(word):\n    return random.random() < 0.5\n"
    found["changes its mind"] = (
        "n = 0\ndef f(word):\n    global n\n    n += 1\n    return n % 7 < 3\n"
    )
    found["takes two words"] = "def f(word, other):\n    return True\n"
    found["is a generator"] = "def f(word):\n    yield True\n"
    found["is a coroutine"] = "async def f(word):\n    return True\n"
    found["is a class"] = "class f:\n    def __init__(self, word): pass\n"
    found["cannot be a truth value"] = (
        "class Odd:\n    def __bool__(self): raise ValueError\ndef f(word):\n    return Odd()\n"
    )
    return found


def _placed(deed: str, frame: str) -> str:
    filled = {f"deed{n}": deed.format(i=" " * n) for n in (0, 4, 8)}
    return frame.format(**filled)


def try_functions(main: Main, count: int, folder: Path) -> Iterator[Fault]:
    """Ask for a prediction of every hostile function."""
    folder.mkdir()
    calls = []
    for number, (what, source) in enumerate(list(hostile().items())[:count]):
        name = f"f{number}.py"
        (folder / name).write_text(f"# {what}\n{source}")
        options = f"--alphabet ab --encoding nope --time-limit {LIMIT} --json"
        calls.append(Call(("predict", f"{name}:f", *options.split()), str(folder)))
    names = dict(zip((call.words for call in calls), hostile(), strict=False))
    for call, end, found in isolated(calls, calling(main), SECONDS):
        trial, what = judged(call, end, found), names[call.words]
        wrong = next((no for place, no in WRONG.items() if what.endswith(place)), None)
        if trial.sin is None and wrong and found and f'"answer": "{wrong}"' in found[1]:
            trial = Fault(what, False, "silent", f"it answers {wrong}")
        yield Fault(what, trial.refused, trial.sin, trial.details)
