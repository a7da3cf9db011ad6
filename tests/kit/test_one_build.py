"""Hub and units that one process starts are one build, also where the checkout is edited or committed meanwhile."""

from __future__ import annotations

import subprocess

import pytest

from kit import end, read_until
from roundtap.kit import virtual_kit
from roundtap.kit.virtual_kit import start_roundtap


def test_who_is_started_after_a_commit_is_of_the_build_of_who_was_started_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A table that was there before showed "This unit's version differs" to a hub from then on, and took no press: so a
    campaign stalled, once its second Pi had taken over."""
    monkeypatch.setattr(virtual_kit, "version", lambda: "a9ffbd210")
    child = start_roundtap("--version", stdout=subprocess.PIPE, text=True)
    said = read_until(child, "roundtap")
    end(child)
    assert said == "roundtap a9ffbd210\n"
