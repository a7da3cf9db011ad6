"""Requests that are in no journal: players who found their page taken, or their slip old."""

import msgspec
from msgspec.structs import replace

TAKEN, OLD_SLIP = "taken", "old-slip"

RequestKey = tuple[str, str, str]
"""TAKEN, event and competitor: that one scanned their slip, but another phone has their page; OLD_SLIP,
too, but its round is over."""


class PhoneRequest(msgspec.Struct, frozen=True):
    """A request that is in no journal. `sources`: the requesters, "phone:p3"; `since_ms`: the time of the first, in the
    hub's monotonic milliseconds."""

    since_ms: int
    sources: frozenset[str]


def with_source(before: PhoneRequest | None, source: str, now_ms: int) -> PhoneRequest:
    """The request, also by this requester."""
    if before is None:
        return PhoneRequest(now_ms, frozenset({source}))
    return replace(before, sources=before.sources | {source})
