"""The hub's challenge: asked for before a hello, so that no kept packet passes for a new one."""

from __future__ import annotations

import http.client
import json

from roundtap_core.messages import Challenge
from roundtap_core.typed import read

PATH = "/device/challenge"
ANSWER_BYTES_MAX = 4096


def ask_challenge(connection: http.client.HTTPConnection) -> str:
    """A fresh one, over a connection that may go on being used. OSError, HTTPException or ValueError where none came:
    it is not signed, and who makes one up opens nothing with it."""
    connection.request("GET", PATH)
    answer = connection.getresponse()
    try:
        return read(Challenge, json.loads(answer.read(ANSWER_BYTES_MAX))).challenge
    except RecursionError as error:
        raise ValueError("no challenge, but something deep") from error
