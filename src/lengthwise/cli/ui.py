"""``lengthwise ui``: the playground in a browser."""

import sys
import threading
import webbrowser
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from lengthwise.cli.console import Whole, say
from lengthwise.core.errors import InputError


def ui(
    *,
    port: Whole = 0,
    store: Path | None = None,
    browser: Annotated[bool, Parameter(name="--browser", negative="--no-browser")] = True,
    time_limit: float = 20.0,
) -> None:
    """Open the playground: languages, programs, runs and sweeps in a web page of this machine.

    Only this machine can reach it, and only with the address printed, which holds a secret. Ctrl-C
    stops it.

    Example: lengthwise ui --store runs --no-browser

    Parameters
    ----------
    port
        Port to listen on; by default any free one.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    browser
        Open the page in a browser.
    time_limit
        Seconds for each computation; beyond that it is killed.
    """
    from lengthwise.playground.server import Playground
    from lengthwise.playground.workers import Workers
    from lengthwise.runs.store import Store

    if not 1 <= time_limit <= 3600:
        raise InputError(f"--time-limit is {time_limit:g}; use 1 to 3600 seconds.")
    if not 0 <= port <= 65535:
        raise InputError(f"--port {port}: use 0 (any free one) to 65535.")
    workers = Workers(store=str(Store(store).root), seconds=time_limit)
    with Playground(workers, port) as server:
        workers.warm_up()
        say(f"playground: {server.address}")
        sys.stdout.flush()
        sys.stderr.write("Ctrl-C stops it\n")
        if browser:
            threading.Thread(target=webbrowser.open, args=[server.address], daemon=True).start()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            sys.stderr.write("stopped\n")
