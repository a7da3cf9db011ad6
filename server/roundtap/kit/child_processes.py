"""Child processes that end with their parent, however it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from roundtap.main import END_WITH_STDIN
from roundtap_core.version import VERSION_VARIABLE, version

AGAIN_S = 0.05


def start_roundtap(
    *command: str, wrapper: tuple[str, ...] = (), env: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[Any]:
    """Start `roundtap COMMAND …`; `options` are Popen's. It ends when its stdin closes, that is, with this process,
    whose version it has: a checkout may change while both run."""
    return subprocess.Popen(
        [*wrapper, sys.executable, "-m", "roundtap.main", *command, END_WITH_STDIN],
        stdin=subprocess.PIPE,
        env={VERSION_VARIABLE: version(), **(os.environ if env is None else env)},
        **options,
    )


def exit_on_signals(code: int | None = None) -> None:
    """Turn SIGINT, SIGTERM and SIGHUP into a SystemExit, so that `finally` and `with` clean up. `code`: the exit code;
    None: 128 plus the signal, as in a shell.

    An exception raised in a finalizer is lost, so if the signal comes there it is raised again a moment later. Ctrl-C
    is no KeyboardInterrupt: one that passes through an `exec`, as where an import makes dataclasses, ends the process
    by the signal at its exit, even if caught (CPython's run_eval_code_obj).
    """
    lost: list[BaseException] = []
    before = sys.unraisablehook

    def end(number: int, _: object) -> None:
        sys.exit(128 + number if code is None else code)

    def raise_again(*_: object) -> None:
        raise lost.pop()

    def hear(unraisable: Any) -> None:
        if isinstance(unraisable.exc_value, SystemExit):
            lost.append(unraisable.exc_value)
            signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
        else:
            before(unraisable)

    sys.unraisablehook = hear
    signal.signal(signal.SIGALRM, raise_again)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
