"""``lengthwise export playground``: the playground as files for a web host."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from lengthwise.cli.console import say
from lengthwise.core.errors import InputError


def playground(
    folder: Path,
    /,
    *,
    language: Annotated[Sequence[str], Parameter(negative_iterable=())] = (),
    studies: bool = True,
    time_limit: float = 20.0,
) -> None:
    """Write the playground as a site that needs no server: a gallery of languages, and studies.

    Each language comes with verdicts, automaton, program, its transformer step by step, and
    certificates that the browser checks. Open index.html, or copy the folder to a web host. What
    needs Python (other languages, training, runs of a store) is left to `lengthwise ui`.

    Example: lengthwise export playground site

    Parameters
    ----------
    folder
        The folder to write; a site that was written there before is replaced.
    language
        A further regular expression for the gallery; may be repeated.
    studies
        Write the pages of the studies whose results come with the library.
    time_limit
        Seconds for each language.
    """
    from lengthwise.playground.site import write_site

    if not 1 <= time_limit <= 3600:
        raise InputError(f"--time-limit is {time_limit:g}; use 1 to 3600 seconds.")
    files = write_site(folder, language, studies=studies, seconds=time_limit, say=_progress)
    size = sum(files.values()) / 1e6
    say(f"{folder / 'index.html'}: {len(files)} files, {size:.1f} MB; no server is needed")


def _progress(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
