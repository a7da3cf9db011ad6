"""Makes the C library and Python give back memory that is no longer needed, where they can."""

import contextlib
import gc
from typing import Any

M_ARENA_MAX, HEAPS = -8, 2  # glibc's option for the number of heaps, and our value


def limit_heaps() -> None:
    """Let all threads share two heaps, as each heap keeps its peak size. Call before any thread starts."""
    with contextlib.suppress(OSError, AttributeError):
        _libc().mallopt(M_ARENA_MAX, HEAPS)


def freeze_gc() -> None:
    """Exempt all present objects from garbage collection: scanning them again and again would stall everything."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    trim_heap()


def trim_heap() -> None:
    """Return free pages to the system. Takes some milliseconds, without Python's lock."""
    with contextlib.suppress(OSError, AttributeError):
        _libc().malloc_trim(0)


def _libc() -> Any:
    """The C library. Those other than glibc lack these calls: AttributeError."""
    import ctypes

    return ctypes.CDLL(None)
