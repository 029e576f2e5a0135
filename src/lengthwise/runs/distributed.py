"""Was this process started by ``torchrun`` together with others? Asked without loading torch."""

import os


def active() -> bool:
    """Say whether torchrun started this process together with others."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1 and "LOCAL_RANK" in os.environ


def leader() -> bool:
    """Say whether this process is the one that writes and prints."""
    return not active() or os.environ.get("RANK", "0") == "0"
