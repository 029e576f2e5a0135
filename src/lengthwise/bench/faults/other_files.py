"""Certificates and compiled weights from elsewhere that say something else than they should."""

import copy
import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lengthwise.bench.faults.commands_called import Call, Main, calling, judged
from lengthwise.bench.faults.ledger import Fault
from lengthwise.bench.faults.other_structure import ODD, changed_node, places
from lengthwise.bench.faults.sandbox import isolated

SECONDS = 60.0
MADE = ("decide (ab)* --certificate {0}/c.json", "compile dyck-1 --length 4 -o {0}/w.safetensors")


def try_files(main: Main, count: int, seed: int, folder: Path) -> Iterator[Fault]:
    """Change nodes of a certificate, and of the description inside of weights, checksum and all."""
    folder.mkdir()
    made = [Call(tuple(line.format(folder).split()), str(folder)) for line in MADE]
    for call, end, found in isolated(made, calling(main), SECONDS):
        assert end == "done", call
        assert found[0] == 0, found
    rng = random.Random(seed)
    certificate = json.loads((folder / "c.json").read_text())
    weights = (folder / "w.safetensors").read_bytes()
    calls = []
    for number in range(count):
        if number % 2:
            name = f"c{number}.json"
            (folder / name).write_text(json.dumps(_edited(certificate, rng)))
            calls.append(Call(("verify", name), str(folder)))
        else:
            name = f"w{number}.safetensors"
            (folder / name).write_bytes(_described(weights, rng))
            calls.append(Call(("ask", name, "()"), str(folder)))
    for call, end, found in isolated(calls, calling(main), SECONDS):
        yield judged(call, end, found)


def _edited(data: Any, rng: random.Random) -> Any:
    data = copy.deepcopy(data)
    act = rng.choice(("replace", "replace", "remove", "add"))
    return changed_node(
        data, rng.choice(list(places(data))), act, copy.deepcopy(rng.choice(ODD)), rng
    )


def _described(content: bytes, rng: random.Random) -> bytes:
    """Return a file of weights with another description, and the checksum that fits it."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    facts = json.loads(header["__metadata__"]["lengthwise"])
    facts["about"] = json.dumps(_edited(json.loads(facts["about"]), rng))
    facts["about_sha256"] = hashlib.sha256(facts["about"].encode()).hexdigest()
    header["__metadata__"]["lengthwise"] = json.dumps(facts)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + content[8 + length :]
