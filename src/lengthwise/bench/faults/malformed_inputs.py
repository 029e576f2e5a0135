"""Commands with words that make no sense, made from the commands' own signatures."""

import json
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lengthwise.bench.faults.commands_called import Call, Main, calling, judged
from lengthwise.bench.faults.ledger import Fault
from lengthwise.bench.faults.sandbox import isolated

Kind = Literal["flag", "number", "path", "text"]
SECONDS = 60.0
"""An input that takes longer counts as a hang."""


@dataclass(frozen=True)
class Signature:
    """What a command takes: its words, its positional arguments and its options by kind."""

    words: tuple[str, ...]
    arguments: tuple[Kind, ...]
    options: Mapping[str, Kind]


LEFT_OUT = {
    "ui": "it serves until it is stopped; its requests are fuzzed by its own tests",
    "quickstart": "minutes of training, and one option",
    "dev": "for developers",
    "doctor": "looks at the machine, not at inputs",
}
"""Commands, or families, that are not given malformed inputs, and why."""
CHEAP = {
    "train": "--steps 2 --batch 2 --layers 1 --heads 1 --width 8 --train-length 1:3 --test-length "
    "4:5 --instances 4 --device cpu --jobs 1",
    "sweep": "--no-calibrate --jobs 1",
    "reproduce": "--dry-run",
    "runs watch": "--once",
    "runs work": "--jobs 1",
    "lab scoreboard": "--dry-run",
    "lab infer": "--steps 2",
    "analyse cost": "--length 8 --encoding nope --rounds 1 --width 8 --layers 1",
    "lab positional-fit": "--steps 2",
    "compile": "--length 4",
}
"""What keeps a command short that would work for long with what makes sense."""
NUMBERS = (
    *("", " ", "x", "-1", "-0", "0", "nan", "inf", "-inf", "1e400", "2.5", "1_0", "0x10", "true"),
    *("99999999999999999999", "-99999999999999999999", "9" * 5000, "1:2", "٣", "1,5", "++1"),
)
TEXTS = (
    *("", " ", "-", "--", "''", "\n", "a\nb", "\t", "é", "💥", "\u202e", "%s", "{}", "{0}", "$(x)"),
    *("x" * 5000, "(" * 300, "((a)", "a)", "[", "*", "a**b", "(a|b", "a{5,2}", "a{-1}", "a{", "\\"),
    *("regex:", "regex:(", "task:", "encoding:", "parity:", "parity:size=x", "parity:=", ":", "::"),
    *(
        "nope:x=1",
        "rope:base=nan",
        "rope:base=-1",
        "rope:base=",
        "hybrid:",
        "hybrid:nope+",
        "bias:",
    ),
    *("ipe:relation=", "ipe:relation=9**9**9", "ipe:relation=i j", "ipe:relation=__import__('os')"),
    *(
        "fixed:parity;size=x",
        "bad.py:f",
        "bad.py:",
        "bad.py",
        "raises.py:f",
        "exits.py:f",
        "no.py:f",
    ),
    *("number.py:f", "bad.json", "deep.json", "list.json", "bytes.bin", "empty", "here", "loop"),
    *(
        "bad.cr",
        "deep.cr",
        "bad.toml",
        "types.toml",
        "deep.toml",
        "select",
        "select * from nothing",
    ),
    *("select 1; drop table runs", "#[i-99999999999] > 1", 'x = #"a" ==', "alphabet", "0/0", "5/2"),
    *(
        "parity",
        "(ab)*",
        "dyck-1",
        "nope",
        "binary-majority",
        "1:50",
        "50:1",
        "a:b",
        "1:2:3",
        "-1:5",
    ),
)
PATHS = (
    *("", "here", "here/absent/x.json", "empty/x.json", "loop", "loop/x", "/", "/dev/null"),
    *("/dev/full", "x" * 300, "x" * 5000, "/proc/self/mem", "a\nb.json", "out.json", "out.html"),
    *(
        "out.svg",
        "out.png",
        "out.pdf",
        "out.cr",
        "out.npz",
        "out.csv",
        "out.parquet",
        "out.unknown",
    ),
    *("out.safetensors", "bad.json", "deep.json", "bytes.bin", "bad.toml", "types.toml", "bad.cr"),
    *("raises.py", "exits.py", "store", "out.unknown", "~", "*", "?"),
)
POOLS: dict[Kind, tuple[str, ...]] = {"number": NUMBERS, "text": TEXTS, "path": PATHS, "flag": ()}

FILES = {
    "bad.py": "def f(word:\n",
    "raises.py": "raise RuntimeError('no\\nno')\n",
    "exits.py": "import sys\nsys.exit(7)\n",
    "number.py": "f = 3\nSWEEP = 3\n",
    "bad.json": '{"format": "none"}',
    "deep.json": "[" * 100_000,
    "list.json": json.dumps([1, None, {"states": -1}]),
    "empty": "",
    "bad.cr": 'x = #"a" == 1\ny = x &&\n',
    "deep.cr": "x = " + "(" * 5_000,
    "bad.toml": "[axes\n",
    "types.toml": '[axes]\ntask = ["parity"]\nposition = ["nope"]\n[fixed]\n'
    '"training.length" = 5\n',
    "deep.toml": "x = " + "[" * 5_000,
}


def prepare_folder(folder: Path) -> None:
    """Make the files that malformed inputs name."""
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "bytes.bin").write_bytes(bytes(range(256)))
    (folder / "here").mkdir()
    (folder / "loop").symlink_to("loop")


def malformed(signatures: Sequence[Signature], count: int, seed: int, folder: Path) -> list[Call]:
    """Return commands with malformed words, each in its turn; the same seed gives the same."""
    rng = random.Random(seed)
    tried = [s for s in signatures if not {s.words[0], " ".join(s.words)} & LEFT_OUT.keys()]
    return [
        Call(tuple(_words(tried[number % len(tried)], rng)), str(folder)) for number in range(count)
    ]


def _words(command: Signature, rng: random.Random) -> Iterator[str]:
    yield from command.words
    wanted = len(command.arguments) + rng.choice((0, 0, 0, 0, -1, 1))
    for number in range(wanted):
        kind = command.arguments[number] if number < len(command.arguments) else "text"
        yield rng.choice(POOLS[kind] or TEXTS)
    chosen = rng.sample(
        sorted(command.options), min(len(command.options), rng.choice((0, 1, 1, 2)))
    )
    given = CHEAP.get(" ".join(command.words), "").split()
    if "--time-limit" in command.options and "--time-limit" not in chosen:
        given += ["--time-limit", "2"]
    for word in chosen:  # the malformed value comes alone, not beside the sensible one
        if word in given:
            place = given.index(word)
            del given[place : place + (1 if command.options[word] == "flag" else 2)]
    yield from given
    for option in chosen:
        yield option
        if command.options[option] != "flag":
            pool = POOLS[command.options[option]]
            yield rng.choice(pool if rng.random() < 0.8 else TEXTS)


def try_inputs(
    main: Main, signatures: Sequence[Signature], count: int, seed: int, folder: Path
) -> Iterator[Fault]:
    """Call commands with malformed words."""
    prepare_folder(folder)
    os.environ["LENGTHWISE_STORE"] = str(folder / "store")
    calls = malformed(signatures, count, seed, folder)
    for call, end, found in isolated(calls, calling(main), SECONDS):
        yield judged(call, end, found)
