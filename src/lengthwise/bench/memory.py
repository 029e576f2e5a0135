"""Ask the C library to keep freed memory, so that large arrays do not fault in their pages anew."""

import ctypes
import ctypes.util

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # glibc's names in malloc.h


def keep_freed_memory(limit: int = 1 << 28) -> bool:
    """Keep up to ``limit`` freed bytes in the process; return whether that was possible.

    Batches are allocated and freed all the time. By default glibc gives large blocks back to the
    system at once, and every new one costs a page fault for each 4 KB, which can take longer than
    filling it. Call it once when a process starts to train or to measure.
    """
    library = ctypes.util.find_library("c")
    if library is None:
        return False
    set_option = getattr(ctypes.CDLL(library), "mallopt", None)
    if set_option is None:
        return False
    return bool(set_option(_MMAP_THRESHOLD, 1 << 25) and set_option(_TRIM_THRESHOLD, limit))
