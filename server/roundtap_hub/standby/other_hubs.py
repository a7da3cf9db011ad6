"""What pages know of the other machines that hold the journal: where to look when their hub is silent."""

from __future__ import annotations

import json
from collections.abc import MutableMapping, Sequence
from typing import Any

from roundtap_hub.http_answers import Send

POLICY = b"content-security-policy"
CONNECT = b"connect-src 'self'"


def hubs_event(lineage: str, addresses: Sequence[str]) -> bytes:
    """For a page's feed; empty where there is nothing to tell."""
    if not addresses:
        return b""
    return b"event: hubs\ndata: " + json.dumps({"lineage": lineage, "hubs": list(addresses)}).encode() + b"\n\n"


def allowing(send: Send, addresses: Sequence[str]) -> Send:
    """`send`, whose pages may ask these addresses, too, whether the event goes on there."""
    if not addresses:
        return send
    known = b" ".join([CONNECT, *(address.encode("ascii", "ignore") for address in addresses)])

    def widened(policy: bytes) -> bytes:
        return policy.replace(CONNECT, known) if CONNECT in policy else policy + b"; " + known

    async def sends(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [(name, widened(value) if name.lower() == POLICY else value)
                                              for name, value in message.get("headers", ())]}
        await send(message)

    return sends
