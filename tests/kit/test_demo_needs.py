"""What the demo needs of a machine, and does not find there, it says before anything starts."""

import errno
import os
import subprocess

import pytest

from faults import fails
from roundtap.main import main


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "as root"),
        ("es", "como root"),
        ("de_DE.UTF-8", "als root"),
        ("pl_PL.UTF-8", "jako root"),
    ],
)
def test_a_machine_without_pseudo_terminals_is_told_how_it_gets_them(
    language: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "openpty", fails(OSError(errno.ENODEV, "No such device")))
    monkeypatch.setattr(subprocess, "Popen", fails(AssertionError("a process was started")))
    monkeypatch.setenv("ROUNDTAP_LANG", language)
    assert main(["demo"]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "(No such device)" in told
    assert "mount -t devpts devpts /dev/pts" in told
