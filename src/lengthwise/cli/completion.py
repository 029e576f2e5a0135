"""``lengthwise dev completion``: a script that lets the shell complete commands and options."""

import sys
from typing import Literal


def completion(shell: Literal["bash", "zsh", "fish"]) -> None:
    """Print a script with which the shell completes commands, options and choices.

    Put it where the shell looks for it, for bash for example in
    `~/.local/share/bash-completion/completions/lengthwise`.

    Example: lengthwise dev completion bash

    Parameters
    ----------
    shell
        The shell that will read the script.
    """
    from lengthwise.cli.main import COMMANDS, build_app

    sys.stdout.write(build_app(COMMANDS).generate_completion(prog_name="lengthwise", shell=shell))
