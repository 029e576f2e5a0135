"""``lengthwise ui`` from a shell: it prints its address, answers, and ends quietly."""

import re
import signal
import subprocess
import sys
import urllib.request

import pytest

from lengthwise.cli.main import main


def hear_interrupts() -> None:
    """Undo what a shell does to jobs in the background: they ignore Ctrl-C, and so do children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_the_command_prints_an_address_that_answers_and_stops_on_interrupt(tmp_path):
    command = [sys.executable, "-m", "lengthwise", "ui", "--no-browser", "--store", str(tmp_path)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"playground: (http://127\.0\.0\.1:\d+/[\w-]{32}/)\n", line)
        assert found, line
        with urllib.request.urlopen(found[1]) as response:
            assert str(tmp_path) in response.read().decode()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0
        assert said.endswith("stopped\n")
        assert "Traceback" not in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "70000"], "--port 70000"),
        (["--port", "-1"], "--port -1"),
        (["--time-limit", "0"], "--time-limit is 0"),
        (["--time-limit", "nan"], "--time-limit is nan"),
    ],
)
def test_bad_options_are_one_line(words, said, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["ui", "--no-browser", *words])
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err
