"""What the C library and Python keep of memory that is no longer needed: asked for it back, where they can be asked."""

from __future__ import annotations

import contextlib
import gc
from typing import Any

M_ARENA_MAX, HEAPS = -8, 2
"""glibc's name for the number of heaps, and ours."""


def limit_heaps() -> None:
    """Threads share two heaps; each would get its own else, which keeps what was once needed. Before any thread."""
    with contextlib.suppress(OSError, AttributeError):
        _libc().mallopt(M_ARENA_MAX, HEAPS)


def freeze_gc() -> None:
    """What stands by now stays: to look through it for garbage again and again would hold up everything."""
    gc.collect()
    gc.freeze()
    trim_heap()


def trim_heap() -> None:
    """Free pages go back to the system. Takes some milliseconds, without Python's lock."""
    with contextlib.suppress(OSError, AttributeError):
        _libc().malloc_trim(0)


def _libc() -> Any:
    """Other C libraries have no such calls: AttributeError."""
    import ctypes

    return ctypes.CDLL(None)
