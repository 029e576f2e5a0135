"""Processes of their own: nothing of them stays behind, whatever they do and whoever dies."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lengthwise.core.channel import Channel, GoneError, LateError
from lengthwise.core.child import Nursery, environment, nursery
from lengthwise.core.limits import LimitReachedError, Limits

HERE = "tests.core.children"
PATIENCE = 60.0
"""Coarse: only a hang is a failure."""


def start(name: str, limits: Limits | None = None, **arguments):
    return nursery().start(f"{HERE}:{name}", limits or Limits(PATIENCE), **arguments)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def gone(pid: int) -> bool:
    """Wait until a process has disappeared; a zombie of somebody else's counts as well."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if not alive(pid):
            return True
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):  # it went between the two questions
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def test_messages_arrive_whole_and_in_order():
    with start("echo") as child:
        for message in (True, False, None, 1, "é" * 100_000, {"a": [1.5, {}]}, [True, 1]):
            child.send(message)
            answer = child.receive(PATIENCE)
            assert (type(answer), answer) == (type(message), message)


def test_a_message_that_is_too_long_ends_the_conversation():
    one, two = socket.socketpair()
    with one, two:
        one.sendall(b"\xff\xff\xff\xff")
        with pytest.raises(GoneError):
            Channel(two).receive(PATIENCE)


def test_a_child_that_loops_is_killed_when_it_is_closed():
    with start("loop") as child:
        pid = child.receive(PATIENCE)
        with pytest.raises(LateError):
            child.receive(0.05)
        assert alive(pid)
    assert not alive(pid)
    child.close()  # twice does no harm


def test_what_a_child_has_started_goes_with_it_even_in_a_session_of_its_own():
    with start("family") as child:
        pids = [child.receive(PATIENCE) for _ in range(3)]
        assert all(map(alive, pids))
    assert all(map(gone, pids))


def test_a_child_that_ends_leaves_nothing_behind():
    with start("family", then="exit") as child:
        pids = [child.receive(PATIENCE) for _ in range(3)]
        with pytest.raises(GoneError):
            child.receive(PATIENCE)
        assert child.how() == "exit code 7"
        assert all(map(gone, pids))


@pytest.mark.parametrize(
    ("name", "how"),
    [("crash", "signal SIGSEGV"), ("leave", "exit code 7"), ("fail", "exit code 1")],
)
def test_how_a_child_ended_is_said(name, how):
    with start(name) as child:
        with pytest.raises(GoneError):
            child.receive(PATIENCE)
        assert child.how() == how


def test_memory_is_bounded():
    with start("eat", Limits(PATIENCE, memory=200 << 20)) as child:
        child.send(20)
        assert child.receive(PATIENCE) == "eaten"
        child.send(1_000)
        assert child.receive(PATIENCE) == "MemoryError"


def test_a_child_works_where_we_are(tmp_path, monkeypatch):
    (tmp_path / "helper.py").write_text("VALUE = 3\n")
    monkeypatch.chdir(tmp_path)
    with nursery().start("lengthwise.core.supervisor:echo", Limits(5)) as child:
        child.send("before")
        assert child.receive(PATIENCE) == "before"
    with nursery().start("helper:VALUE", Limits(5)) as child:  # imported, though not callable
        with pytest.raises(GoneError):
            child.receive(PATIENCE)
        assert child.how() == "exit code 1"


def test_everything_ends_with_the_process_that_started_it():
    code = (
        "import time\n"
        "from lengthwise.core.child import nursery\n"
        "from lengthwise.core.limits import Limits\n"
        f"child = nursery().start('{HERE}:family', Limits(5))\n"
        "print(*(child.receive() for _ in range(3)), flush=True)\n"
        "time.sleep(1000)\n"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as ours:
        assert ours.stdout is not None
        pids = list(map(int, ours.stdout.readline().split()))
        assert len(pids) == 3
        ours.send_signal(signal.SIGKILL)
    assert all(map(gone, pids))


def test_a_supervisor_that_was_killed_is_started_again():
    own = Nursery()
    with own.start("lengthwise.core.supervisor:echo", Limits(5)) as child:
        assert own._process is not None
        own._process.kill()
        own._process.wait()
        with pytest.raises(GoneError):
            child.receive(PATIENCE)
    with own.start("lengthwise.core.supervisor:echo", Limits(5)) as child:
        child.send(1)
        assert child.receive(PATIENCE) == 1
    own.close()


def test_a_supervisor_that_nobody_waits_for_any_more_ends_without_a_word():
    ours, theirs = socket.socketpair()
    ours.close()
    ended = subprocess.run(
        [sys.executable, "-m", "lengthwise.core.supervisor", str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        env=environment(),
        capture_output=True,
        text=True,
    )
    theirs.close()
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_a_module_that_cannot_be_loaded_is_one_line(capfd):
    with pytest.raises(LimitReachedError, match=r"no process could be started for no\.such"):
        Nursery("no.such").warm_up()
    assert "ModuleNotFoundError" in capfd.readouterr().err
