"""What children of the tests do: nothing good."""

import os
import time

from lengthwise.core.channel import Channel
from lengthwise.core.supervisor import echo as echo


def loop(channel: Channel) -> None:
    channel.send(os.getpid())
    while True:
        pass


def family(channel: Channel, then: str = "loop") -> None:
    """Start a process in the group and one in a session of its own, whose parent has ended."""
    channel.send(os.getpid())
    if os.fork() == 0:
        channel.send(os.getpid())
        time.sleep(1000)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            channel.send(os.getpid())
            time.sleep(1000)
        os._exit(0)
    time.sleep(0.2)
    if then == "exit":
        os._exit(7)
    while True:
        pass


def crash(channel: Channel) -> None:
    os.kill(os.getpid(), 11)


def leave(channel: Channel) -> None:
    os._exit(7)


def fail(channel: Channel) -> None:
    raise KeyError("a defect")


def eat(channel: Channel) -> None:
    while True:
        try:
            bytearray(channel.receive() * 1_000_000)
        except MemoryError:
            channel.send("MemoryError")
        else:
            channel.send("eaten")
