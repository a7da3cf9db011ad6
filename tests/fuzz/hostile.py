"""What strangers send: values beyond every limit, honest messages spoilt in one place, and bytes that mean nothing."""

import copy
import json
import random
from typing import Any

NUMBERS: list[Any] = [
    0,
    -1,
    1,
    31,
    4097,
    5000,
    99_999,
    100_000,
    10**9,
    2**31,
    2**53 - 1,
    9_007_199_254_740_991,
    -(2**53),
    2**63,
    2**64,
    10**30,
    10**400,
    -(10**400),
    0.5,
    1e308,
    True,
    False,
    None,
]
"""Each was somebody's undoing, or is next to what was."""

TEXTS = [
    "",
    " ",
    "\x00",
    "\x1b[2J",
    "\x85",
    "\u2028",
    "\u202eecila",
    "\u2066",
    "\u200f",
    "\ud800",
    "\udfff",
    "\u200b",
    "\u3164",
    "A" * 81,
    "A" * 65,
    "A" * 2001,
    "A" * 70_000,
    "9" * 5000,
    "-1",
    "1e999",
    "NaN",
    "Infinity",
    "0x10",
    "٣",
    "²",
    "½",
    "None",
    "../../etc/passwd",
    "%00",
    "%ff%fe",
    "{{7*7}}",
    "<script>alert(1)</script>",
    "'; DROP TABLE entry; --",
    "e1",
    "e0",
    "p1",
    "p2",
    "1.1",
    "1.99999999999",
    "a",
    "b",
    "ab",
    "venue",
    "table-1",
    "station-1",
    "swiss",
    "elimination",
    "own",
    "אבג",
    "محمد",
    "👩‍🚀",
    "ﷺ" * 40,
    "a\u0300" * 40,
    "Z\u0351\u036b" * 30,
    "\ufffe",
    "\U0010ffff",
]

KEYS = [
    "unit",
    "event",
    "match",
    "side",
    "revision",
    "result",
    "report_id",
    "draw",
    "score",
    "a",
    "b",
    "winner",
    "ended",
    "picks",
    "timeout",
    "session",
    "seq",
    "nonce",
    "challenge",
    "payload",
    "mac",
    "report",
    "reports",
    "core",
    "epoch",
    "instance",
    "heads",
    "holds",
    "damaged",
    "seated",
    "leave",
    "call",
    "draft",
    "waiting",
    "clock_ms",
    "lot",
    "about",
    "serial",
    "agrees_to",
    "round",
    "__class__",
    "constructor",
]


def text(rng: random.Random) -> str:
    if rng.random() < 0.7:
        return rng.choice(TEXTS)
    return "".join(
        chr(rng.choice((rng.randrange(128), rng.randrange(0x3000), rng.randrange(0x11_0000))))
        for _ in range(rng.randrange(1, 90))
    )


def value(rng: random.Random, levels: int = 3) -> Any:
    """Any JSON."""
    kind = rng.random()
    if kind < 0.35:
        return rng.choice(NUMBERS)
    if kind < 0.7 or not levels:
        return text(rng)
    if kind < 0.85:
        return [value(rng, levels - 1) for _ in range(rng.randrange(5))]
    return {
        rng.choice(KEYS) if rng.random() < 0.7 else text(rng): value(rng, levels - 1) for _ in range(rng.randrange(5))
    }


def deep(levels: int) -> Any:
    made: Any = 1
    for _ in range(levels):
        made = [made] if levels % 2 else {"x": made}
    return made


def spoilt(honest: Any, rng: random.Random) -> Any:
    """The same with one to three places changed, dropped, doubled, or added."""
    made = copy.deepcopy(honest)
    for _ in range(rng.randrange(1, 4)):
        where = list(_places(made))
        if not where:
            return value(rng)
        holder, key = rng.choice(where)
        how = rng.random()
        if how < 0.6:
            holder[key] = value(rng)
        elif how < 0.75:
            del holder[key]
        elif how < 0.85 and isinstance(holder, list):
            holder.extend(copy.deepcopy(holder[key]) for _ in range(rng.choice((1, 2, 50))))
        elif isinstance(holder, dict):
            holder[text(rng) if rng.random() < 0.5 else rng.choice(KEYS)] = value(rng)
        else:
            holder[key] = deep(rng.choice((5, 50, 150)))
    return made


def _places(made: Any) -> Any:
    if isinstance(made, dict):
        for key, inner in made.items():
            yield made, key
            yield from _places(inner)
    elif isinstance(made, list):
        for index, inner in enumerate(made):
            yield made, index
            yield from _places(inner)


def as_bytes(made: Any, rng: random.Random) -> bytes:
    """As JSON; now and then cut, flipped or doubled."""
    raw = json.dumps(made, ensure_ascii=rng.random() < 0.5).encode(errors="surrogatepass")
    return torn(raw, rng) if rng.random() < 0.2 else raw


def torn(raw: bytes, rng: random.Random) -> bytes:
    """Bytes with some of them changed."""
    if not raw or rng.random() < 0.1:
        return rng.randbytes(rng.choice((0, 1, 7, 300, 5000)))
    made, at = bytearray(raw), rng.randrange(len(raw))
    how = rng.random()
    if how < 0.3:
        return raw[:at]
    if how < 0.6:
        for _ in range(rng.randrange(1, 9)):
            made[rng.randrange(len(made))] = rng.randrange(256)
    elif how < 0.8:
        made[at:at] = rng.randbytes(rng.randrange(1, 40))
    else:
        made[at:at] = raw[: rng.randrange(len(raw)) + 1] * rng.choice((1, 2, 20))
    return bytes(made)
