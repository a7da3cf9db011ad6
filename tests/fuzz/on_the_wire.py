"""Targets that are a running hub's: what units send, what browsers ask, forms, imports, and bytes that are no HTTP."""

import json
import random
import socket
import urllib.parse
from collections.abc import Callable
from typing import Any
from unittest.mock import MagicMock

import hostile
from under_fire import KEYS, PATIENCE_S, HubUnderFire, Line, Said

from roundtap_core.wire import REPORT, REQUEST, sign

UNIT = "table-1"

HEAD_S = 1.5
GETS = (
    "/",
    "/e/{}",
    "/e/{}/standings",
    "/e/{}/bracket",
    "/e/{}/player/{}",
    "/e/{}/find",
    "/e/{}/rules",
    "/e/{}/aid/{}",
    "/wall",
    "/wall/{}",
    "/e/e1",
    "/e/e1/standings",
    "/e/e1/player/{}",
    "/feed",
    "/time",
    "/static/{}",
    "/console",
    "/console/{}",
    "/console/e1",
    "/console/e1/match/{}",
    "/console/e1/match/1.1",
    "/login",
    "/console/e1/competitor/{}/list",
    "/console/e1/competitor/p1/list",
    "/console/e1/person/{}",
    "/console/e1/export.json",
    "/{}",
    "/device/{}",
    "/console/e1/standings.csv",
    "/console/e1/match/1.1/walk",
)
QUERIES = (
    "lang",
    "round",
    "since",
    "page",
    "next",
    "rulebook",
    "after",
    "who",
    "name",
    "q",
    "at",
    "way",
    "opener",
    "lines",
    "open",
    "variant",
    "version",
    "side",
    "a",
    "b",
    "cost",
    "life",
)
HONEST = (
    "1",
    "2",
    "3",
    "a",
    "b",
    "e1",
    "p1",
    "p2",
    "o1",
    "1.1",
    "1.2",
    "on",
    "own",
    "basic",
    "organizer",
    "judge",
    "100",
    "0",
    "played",
    "time",
    "concession",
    "ruling",
    "start",
    "pause",
    "adjust",
    "set",
    "swiss",
    "Ana Ruiz",
    "drop",
)
FIELDS = (
    "name",
    "names",
    "public_name",
    "came_with",
    "fixed_table",
    "won_bye",
    "member_1",
    "member_2",
    "captain",
    "meets",
    "reason",
    "by",
    "what",
    "on",
    "competitor",
    "text",
    "upheld",
    "minutes",
    "picks",
    "picks.a",
    "picks.b",
    "match",
    "side",
    "number",
    "revision",
    "seen",
    "score.a",
    "score.b",
    "wounds.a",
    "ended",
    "winner",
    "conceded_by",
    "attempt",
    "action",
    "time",
    "unit",
    "table",
    "role",
    "second",
    "plays",
    "official",
    "structure",
    "swiss_rounds",
    "cut",
    "squad_points",
    "prize_places",
    "late_minutes",
    "bye_score",
    "minutes.swiss",
    "best_of.swiss",
    "rulebook",
    "level",
    "color",
    "date",
    "venue",
    "club",
    "special_rules",
    "matches",
    "stage",
    "tiebreak_form",
    "step",
    "shown_at",
    "noted",
    "known",
    "absent",
    "about",
    "who",
    "lots",
    "ships/0/name",
    "ships/0/points",
    "faction",
    "more",
    "id",
    "same_name",
    "next",
    "answers",
    "way",
    "opener",
    "copies",
    "kind",
    "job",
    "paper",
    "lang",
)

NOT_PRESSED = ("log_out", "log_in")


class Wire:
    """One hub, one stranger's line, one organizer's."""

    def __init__(self, hub: HubUnderFire) -> None:
        self.hub = hub
        self.stranger = Line(hub)
        self.organizer = Line(hub)
        self.organizer.log_in()
        self.routes = post_routes()
        exported = self.organizer.ask("GET", "/console/e1/export.json")
        self.exported: Any = json.loads(exported.body)

    def close(self) -> None:
        self.stranger.close()
        self.organizer.close()

    # Each takes a source of chance, or one of its seeds, and returns what the hub said.

    def device(self, rng: random.Random) -> Said:
        path = rng.choice(("/device/report", "/device/status", "/device/time", "/device/feed"))
        return self._send_device(path, _message(path, rng), rng)

    def device_seed(self, seed: tuple[str, Any]) -> Said:
        return self._send_device(seed[0], seed[1], random.Random(1))

    def _send_device(self, path: str, payload: Any, rng: random.Random) -> Said:
        name = "report" if path.endswith("report") else "payload"
        try:
            mac = sign(KEYS[UNIT], REPORT if name == "report" else REQUEST, payload)
        except (TypeError, ValueError, UnicodeError):
            mac = "0" * 64
        message: Any = {name: payload, "mac": mac}
        if rng.random() < 0.2:
            message = hostile.spoilt(message, rng)
        return self.stranger.ask(
            "POST",
            path,
            hostile.as_bytes(message, rng),
            {"Content-Type": "application/json", "roundtap-unit": UNIT},
            stream=True,
        )

    def asked(self, rng: random.Random) -> Said:
        """GET of whatever: pages, feeds, calendars of nothing, with queries."""
        path = rng.choice(GETS)
        parts = [urllib.parse.quote(_word(rng), safe="", errors="surrogatepass") for _ in range(path.count("{}"))]
        query = "&".join(
            f"{rng.choice(QUERIES)}={urllib.parse.quote(_word(rng), errors='surrogatepass')}"
            for _ in range(rng.randrange(3))
        )
        line = self.organizer if rng.random() < 0.6 else self.stranger
        headers = {"Accept-Language": _header(rng)} if rng.random() < 0.3 else {}
        if rng.random() < 0.1:
            headers["If-None-Match"] = _header(rng)
        return line.ask(
            rng.choice(("GET", "GET", "GET", "HEAD")),
            path.format(*parts) + (f"?{query}" if query else ""),
            headers=headers,
            stream=True,
        )

    def form(self, rng: random.Random) -> Said:
        rule = rng.choice(self.routes)
        path = _filled(rule, rng)
        fields = [
            (rng.choice(FIELDS), rng.choice(HONEST) if rng.random() < 0.5 else hostile.text(rng)[:3000])
            for _ in range(rng.randrange(9))
        ]
        return self._form(path, fields)

    def form_seed(self, seed: tuple[str, list[tuple[str, str]]]) -> Said:
        return self._form(*seed)

    def _form(self, path: str, fields: list[tuple[str, str]]) -> Said:
        said = self.organizer.post_form(path, fields)
        if said.status == 403 or "/login" in said.headers.get("location", ""):
            self.organizer.log_in()
        return said

    def imported(self, rng: random.Random) -> Said:
        file = hostile.spoilt(self.exported, rng)
        return self._import(hostile.as_bytes(file, rng))

    def import_seed(self, raw: bytes) -> Said:
        return self._import(raw)

    def _import(self, raw: bytes) -> Said:
        said = self.organizer.upload("/console/import", raw, [("color", "#00785A"), ("anyway", "1")])
        event = said.headers.get("location", "").partition("/console/")[2].partition("#")[0].partition("?")[0]
        if said.status == 303 and event and event != "login":
            # Looked at, as who imported it does; then put away, so that ten thousand of them are no hall.
            seen = self.organizer.ask("GET", f"/console/{event}")
            if seen.status >= 500 or seen.status < 0:
                said = Said(seen.status, raw)
            self.organizer.ask("GET", f"/e/{event}")
            self._forget(event)
        return said

    def _forget(self, event: str) -> None:
        name = json.loads(self.organizer.ask("GET", f"/console/{event}/export.json").body or b"{}").get("name", "")
        self.organizer.post_form(f"/console/{event}/archive", [])
        self.organizer.post_form(f"/console/{event}/delete", [("name", str(name))])

    def raw(self, rng: random.Random) -> Said:
        honest = rng.choice(
            (
                b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
                b"POST /device/report HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n" + b"{" * 20,
                b"POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                b"GET /feed?page=e1 HTTP/1.1\r\nHost: x\r\nCookie: roundtap=" + b"A" * 50 + b"\r\n\r\n",
            )
        )
        return self.raw_seed(hostile.torn(honest, rng))

    def raw_seed(self, raw: bytes) -> Said:
        """Whatever it is, the hub answers or closes; what it waits for it is not given."""
        with socket.create_connection(("127.0.0.1", self.hub.port), timeout=PATIENCE_S) as line:
            try:
                line.sendall(raw)
                line.shutdown(socket.SHUT_WR)
                line.settimeout(HEAD_S)
                answer = line.recv(200)
            except OSError:
                answer = b""
        status = answer.split(b" ", 2)[1:2]
        return Said(int(status[0]) if status and status[0].isdigit() else 0)


def post_routes() -> list[str]:
    """Every address that takes a form, from the application's own list; logging out apart, and in."""
    from flask import Flask

    from roundtap_hub.app import flask_app

    app = Flask("roundtap_hub")
    app.config.update(SECRET_KEY=b"x")
    # Nobody asks it anything: addresses alone are wanted.
    hub = MagicMock()
    flask_app.register_pages(app, hub)
    return sorted(
        rule.rule
        for rule in app.url_map.iter_rules()
        if "POST" in (rule.methods or ()) and rule.endpoint.split(".")[-1] not in NOT_PRESSED
    )


def _filled(rule: str, rng: random.Random) -> str:
    usual = {"event_id": "e1", "competitor": "p1", "match_id": "1.1", "official": "o1"}
    parts = []
    for part in rule.split("/"):
        if part.startswith("<"):
            name = part.strip("<>").rpartition(":")[2]
            word = usual.get(name, "e1") if rng.random() < 0.8 else _word(rng)
            parts.append(urllib.parse.quote(word, safe="", errors="surrogatepass"))
        else:
            parts.append(part)
    return "/".join(parts)


def _word(rng: random.Random) -> str:
    return rng.choice(HONEST) if rng.random() < 0.5 else hostile.text(rng)[:200]


def _header(rng: random.Random) -> str:
    return "".join(c for c in hostile.text(rng)[:200] if " " <= c < "\x7f")


def _message(path: str, rng: random.Random) -> Any:
    if path.endswith("report"):
        honest: Any = {
            "report_id": rng.randbytes(8).hex(),
            "unit": UNIT,
            "event": "e1",
            "match": "1.1",
            "side": "a",
            "revision": 0,
            "result": {"score": {"a": 100, "b": 20}},
            "serial": 1,
            "agrees_to": None,
            "round": 1,
            "a": "p1",
            "b": "p2",
        }
    elif path.endswith("status"):
        honest = {
            "unit": UNIT,
            "session": "s",
            "seq": 1,
            "match": "1.1",
            "seated": ["a"],
            "draft": False,
            "call": False,
            "leave": None,
            "clock_ms": 1000,
            "waiting": 0,
            "lot": {"event": "e1", "match": "1.1", "draw": "x", "about": "initiative", "side": "a"},
        }
    elif path.endswith("time"):
        honest = {"unit": UNIT, "nonce": "n"}
    else:
        honest = {
            "unit": UNIT,
            "nonce": "n",
            "challenge": "c",
            "core": "x",
            "reports": [["e1", "r1"]],
            "instance": "i",
            "epoch": None,
            "heads": {"e1": [1, "h"]},
            "holds": None,
            "damaged": 0,
        }
    return honest if rng.random() < 0.1 else hostile.spoilt(honest, rng)


def seeds() -> dict[str, list[Any]]:
    """What was seen in the wild, by target."""
    huge = 9_007_199_254_740_991
    file: dict[str, Any] = {
        "format": "roundtap-event/1",
        "name": "E",
        "rulebook": "xwing-standard",
        "competitors": [{"id": f"p{n}", "name": f"P {n}"} for n in range(4)],
    }

    def spoilt(**more: Any) -> bytes:
        return json.dumps({**file, **more}).encode()

    new = [("name", "E"), ("rulebook", "xwing-standard")]
    many = "\n".join(f"Player {n}" for n in range(5000))
    report = {"report_id": "r1", "unit": UNIT, "event": "e1", "match": "1.1", "side": "a", "revision": 0, "result": {}}
    return {
        "device": [
            ("/device/report", {**report, "result": {"score": {"a": number, "b": 0}}}) for number in hostile.NUMBERS
        ]
        + [("/device/report", {**report, "result": hostile.deep(levels)}) for levels in (50, 99, 200)]
        + [
            ("/device/status", {"unit": UNIT, "session": "s", "seq": huge, "seated": None}),
            ("/device/feed", {"unit": UNIT, "nonce": "n" * 10**5, "reports": [["e1", str(n)] for n in range(50_000)]}),
            ("/device/feed", {"unit": UNIT, "nonce": "n", "reports": [[[]], {}, 7, [1, 2, 3]]}),
        ],
        "forms": [
            ("/console", [*new, ("structure", "own"), ("swiss_rounds", str(huge))]),
            ("/console", [*new, ("squad_points", str(10**9))]),
            ("/console/e1/competitors", [("names", many)]),
            ("/console/e1/competitors", [("names", "A" * 400_000)]),
            ("/console/e1/competitors", [("names", "Ana\u202eziuR")]),
            ("/console/e1/clock", [("action", "adjust"), ("minutes", str(10**12))]),
            ("/console/e1/match/1.1/extension", [("minutes", str(10**12))]),
            *[("/console/e1/competitors", [("names", "X"), ("fixed_table", text)]) for text in hostile.TEXTS],
        ],
        "import": [
            spoilt(options={"structure": "own", "swiss_rounds": huge}),
            spoilt(options={"squad_points": 10**9}),
            spoilt(competitors=[{"id": f"p{n}", "name": f"P {n}"} for n in range(5000)]),
            spoilt(competitors=[{"id": f"p{n}", "name": f"P {n}"} for n in range(4096)]),
            spoilt(seed=10**400),
            spoilt(name="\u202eE"),
            b"[" * 100_000,
            b'{"a":' * 50_000,
            b"\xff\xfe",
            b"",
            spoilt(options={"structure": "own", "swiss_rounds": 30, "cut": 32}),
            spoilt(competitors=[{"id": "p1", "name": "P", "list": {f"k{n}": "x" * 2000 for n in range(900)}}]),
            spoilt(competitors=[{"id": "p1", "name": "P", "fixed_table": 99_999}, {"id": "p2", "name": "Q"}]),
        ],
        "raw": [
            b"",
            b"\x16\x03\x01" + bytes(200),
            b"GET " + b"A" * 100_000,
            b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5000,
            b"POST /device/report HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
            b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"\r\n" * 1000,
        ],
    }


def targets(wire: Wire) -> dict[str, tuple[Callable[[random.Random], Said], Callable[[Any], Said] | None]]:
    """What is asked at random, and what takes a seed."""
    return {
        "device": (wire.device, wire.device_seed),
        "asked": (wire.asked, None),
        "forms": (wire.form, wire.form_seed),
        "import": (wire.imported, wire.import_seed),
        "raw": (wire.raw, wire.raw_seed),
    }
