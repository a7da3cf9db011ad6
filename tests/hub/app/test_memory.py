"""What a hub gives back: asking for it is harmless wherever it runs."""

import gc

from roundtap_hub.app import memory


def test_what_stands_is_no_longer_looked_through() -> None:
    try:
        memory.freeze_gc()
        assert gc.get_freeze_count()
    finally:
        gc.unfreeze()


def test_another_c_library_is_left_in_peace(monkeypatch) -> None:
    monkeypatch.setattr(memory, "_libc", object)
    memory.limit_heaps()
    memory.trim_heap()
