"""For all tests: hypothesis draws the same examples every time, and a busy machine is never a failure."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("roundtap", derandomize=True, deadline=None)
settings.load_profile("roundtap")
