"""Chromium told what to do, by its own protocol over two pipes: no port that anybody else could knock at."""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

COMMANDS_FD, EVENTS_FD = 3, 4
"""Where Chromium reads and writes with --remote-debugging-pipe."""
EVENT_BYTES_MAX = 8 * 1024 * 1024
ENDS_WITHIN_S = 5.0

# The pipes have to have these very numbers in the browser, and Python keeps what it opens to itself.
RENUMBER = ("import os,sys;os.dup2(int(sys.argv[1]),3);os.dup2(int(sys.argv[2]),4);"
            "os.execvp(sys.argv[3],sys.argv[3:])")


class Gone(Exception):
    """The browser has ended, or can no longer be told anything."""


class Browser:
    """One running browser and its only page. All methods run in one thread; nothing waits."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        """`words`: the program and its arguments; OSError where it cannot be started at all."""
        to_read, self._commands = os.pipe()
        self._events, to_write = os.pipe()
        # Away from the numbers that they will have in the browser.
        passed = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_read, to_write)]
        for fd in (to_read, to_write):
            os.close(fd)
        try:
            # A group of its own: what the browser started ends with it.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", RENUMBER, *map(str, passed), *words], pass_fds=passed, cwd=folder,
                env=dict(environment), stdin=subprocess.DEVNULL, start_new_session=True)
        except BaseException:
            os.close(self._commands)
            os.close(self._events)
            raise
        finally:
            for fd in passed:
                os.close(fd)
        os.set_blocking(self._commands, False)
        os.set_blocking(self._events, False)
        self._held = b""
        self._number = 0
        self._session = ""
        self._asked: dict[int, str] = {}

    @property
    def attached(self) -> bool:
        """Whether there is a page that can be told something."""
        return bool(self._session)

    def begin(self) -> None:
        """Ask for the page; what it says comes by `read` from then on."""
        self.send("Target.getTargets", {}, of_page=False)

    def send(self, method: str, values: Mapping[str, Any], of_page: bool = True) -> int:
        """Tell the browser, or its page, something; the number of the answer that `read` will bring. Gone if it has."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": dict(values)}
        if of_page:
            message["sessionId"] = self._session
        self._asked[self._number] = method
        try:
            os.write(self._commands, json.dumps(message).encode() + b"\0")
        except OSError as error:
            raise Gone from error
        return self._number

    def read(self, within_s: float) -> list[dict[str, Any]]:
        """What the browser said meanwhile: events (`method`, `params`), answers (`id`, `asked`, `result`). Waits so
        long for the first one. Gone if it has ended."""
        ready, _, _ = select.select([self._events], [], [], within_s)
        if not ready:
            if self._process.poll() is not None:
                raise Gone
            return []
        try:
            part = os.read(self._events, 1 << 20)
        except BlockingIOError:
            return []
        if not part:
            raise Gone
        *whole, self._held = (self._held + part).split(b"\0")
        if len(self._held) > EVENT_BYTES_MAX:
            raise Gone
        return [said for each in whole if (said := self._heard(each)) is not None]

    def _heard(self, text: bytes) -> dict[str, Any] | None:
        try:
            said: dict[str, Any] = json.loads(text)
        except ValueError:
            return None
        if "id" in said:
            said["asked"] = self._asked.pop(said["id"], "")
        if said.get("asked") == "Target.getTargets":
            pages = [each for each in said.get("result", {}).get("targetInfos", ()) if each.get("type") == "page"]
            if pages and not self._session and "Target.attachToTarget" not in self._asked.values():
                self.send("Target.attachToTarget", {"targetId": pages[0]["targetId"], "flatten": True}, of_page=False)
        elif said.get("asked") == "Target.attachToTarget" and "sessionId" in said.get("result", {}):
            self._session = said["result"]["sessionId"]
            self.send("Page.enable", {})
        return said

    def end(self) -> None:
        """End it and all that it started."""
        for fd in (self._commands, self._events):
            os.close(fd)
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, number)
                self._process.wait(ENDS_WITHIN_S)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue
        self._process.poll()
