"""The process that `in_a_child` gives its work to, line by line: a command on a file, or the rows of a journal."""

import contextlib
import io
import json
import os
import sys


def headless(command: str, path: str) -> str:
    from roundtap.main import main

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        code = main([command, path])
    if code not in (0, 1, 2) or "Traceback" in said.getvalue():
        return f"exit code {code}"
    return "well" if code != 2 or said.getvalue().strip() else "refused without a word"


def rows(path: str) -> str:
    """The hub starts with it, or says what is wrong; it never breaks down."""
    from roundtap_core.errors import Problem
    from roundtap_hub.store.clocks import system_clocks
    from roundtap_hub.store.journal import Journal
    from roundtap_hub.store.service import Service

    journal = None
    try:
        journal = Journal(f"sqlite:///{path}")
        service = Service(journal, system_clocks())
        service.start()
        service.stop()
    except Problem as problem:
        return "well" if problem.say() else "refused without a word"
    finally:
        if journal is not None:
            journal.close()
    return "well"


def serve() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    for asked in sys.stdin.buffer:
        name, *work = json.loads(asked)
        try:
            said = headless(*work) if name == "headless" else rows(*work)
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        answers.write(said.replace("\n", " ").encode(errors="backslashreplace") + b"\n")
        answers.flush()


if __name__ == "__main__":
    serve()
