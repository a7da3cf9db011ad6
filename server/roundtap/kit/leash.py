"""Processes that end with the one that started them, however that one ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import Any

from roundtap.main import END_WITH_STDIN

AGAIN_S = 0.05


def start_roundtap(*command: str, wrapper: tuple[str, ...] = (), **options: Any) -> subprocess.Popen[Any]:
    """Start `roundtap COMMAND …`; `options` are Popen's. Its stdin is a pipe that closes when this process dies in
    whatever way, and it ends with it."""
    return subprocess.Popen([*wrapper, sys.executable, "-m", "roundtap.main", *command, END_WITH_STDIN],
                            stdin=subprocess.PIPE, **options)


def exit_on_signals(code: int | None = None) -> None:
    """From now on SIGINT, SIGTERM and SIGHUP are a SystemExit: what stands in `finally` and `with` is done. `code`: the
    process's exit code; None: as a shell says it, 128 and the signal.

    A signal may come while Python clears something away, and what is raised there is raised to nobody: then it is
    raised once more a moment later. Ctrl-C is no KeyboardInterrupt: one that passes through an `exec`, as where an
    import makes dataclasses, ends the process by the signal at its exit, even if caught (CPython's run_eval_code_obj).
    """
    unheard: list[BaseException] = []
    before = sys.unraisablehook

    def end(number: int, _: object) -> None:
        sys.exit(128 + number if code is None else code)

    def raise_again(*_: object) -> None:
        raise unheard.pop()

    def hear(unraisable: Any) -> None:
        if isinstance(unraisable.exc_value, SystemExit):
            unheard.append(unraisable.exc_value)
            signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
        else:
            before(unraisable)

    sys.unraisablehook = hear
    signal.signal(signal.SIGALRM, raise_again)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
