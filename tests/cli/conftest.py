"""The command line, called in this process."""

import pytest

from lengthwise.cli.main import main


@pytest.fixture
def run(capsys):
    """Call the command line; return exit code, output and errors."""

    def call(*words):
        code = 0
        try:
            main([str(word) for word in words])
        except SystemExit as end:
            code = int(end.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call
