"""The hub's challenge: asked for before a hello, so that no kept packet passes for a new one."""

from __future__ import annotations

import http.client
import json

PATH = "/device/challenge"
ANSWER_BYTES_MAX = 4096
LENGTH_MAX = 64


def ask_challenge(connection: http.client.HTTPConnection) -> str:
    """A fresh one, over a connection that may go on being used. OSError, HTTPException or ValueError where none came:
    it is not signed, and who makes one up opens nothing with it."""
    connection.request("GET", PATH)
    answer = connection.getresponse()
    try:
        message = json.loads(answer.read(ANSWER_BYTES_MAX))
    except RecursionError as error:
        raise ValueError("no challenge, but something deep") from error
    challenge = message.get("challenge") if isinstance(message, dict) else None
    if answer.status != 200 or not isinstance(challenge, str) or not 0 < len(challenge) <= LENGTH_MAX:
        raise ValueError(f"no challenge: {str(message)[:200]}")
    return challenge
