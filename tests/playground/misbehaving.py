"""Actions that behave badly, run in worker processes by the tests."""

import os
import time
from pathlib import Path

from lengthwise.playground import api
from lengthwise.playground.workers import work as original


def sleep(request):
    draft = Path(request["note"] + ".draft")
    draft.write_text(str(os.getpid()))
    draft.rename(request["note"])
    while True:
        time.sleep(0.05)


def crash(request):
    os.kill(os.getpid(), 11)
    return {}


def eat(request):
    return {"eaten": len(bytearray(request["megabytes"] * 1_000_000))}


def fail(request):
    raise KeyError("a defect")


def shout(request):
    return {"said": "here"}


def work(channel, **arguments):
    """Work like the playground's processes do, with the actions above."""
    for name in ("sleep", "crash", "eat", "fail", "shout"):
        api.ACTIONS[name] = (f"{__name__}:{name}", "compute")
    original(channel, **arguments)
