"""Where results live: specifications, one folder per run, and how runs are executed."""

import os
from pathlib import Path


def store_root(named: str | Path | None = None) -> Path:
    """Return the directory of runs: the one that is named, $LENGTHWISE_STORE, or ./runs."""
    return Path(named or os.environ.get("LENGTHWISE_STORE", "runs"))
