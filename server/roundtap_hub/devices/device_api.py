"""The device API: signed reports and statuses of table units. Their feed is in device_feed.py."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response, jsonify, request

from roundtap_core.errors import Problem
from roundtap_core.wire import ECHO, REPORT, REQUEST, envelope, opened, verify
from roundtap_hub.devices.reports import BODY_BYTES_MAX, take_lot, take_report, well_formed
from roundtap_hub.hub import Hub
from roundtap_hub.journal.service import HubStopped


def register(app: Flask, hub: Hub) -> None:
    """Put the device API's three addresses on the application."""

    @app.get("/time")
    def hub_time() -> Response:
        """The hub's monotonic milliseconds, for browsers' clocks."""
        answer = jsonify(now_ms=hub.clocks.mono_ms())
        answer.headers["Cache-Control"] = "no-store"
        return answer

    @app.post("/device/report")
    def device_report() -> tuple[Response, int]:
        """A report {"report": {…}, "mac"}; the echo is the hub's word, a status code is not."""
        message = _small_json()
        report = message.get("report")
        unit, key = _claimed_unit(hub, report)
        if key is None:
            return jsonify(error="unknown unit"), 403
        if not verify(key, REPORT, report, message.get("mac")):
            return jsonify(error="the signature does not fit"), 403
        try:
            echo = take_report(hub, well_formed(report))
        except Problem as problem:
            return jsonify(error=problem.say()), 503 if problem.key == "not_saved" else 400
        except (HubStopped, TimeoutError):
            return jsonify(error="try again"), 503
        hub.presence.heard(unit, hub.clocks.mono_ms())
        return jsonify(envelope(key, ECHO, echo)), 200

    @app.post("/device/status")
    def device_status() -> tuple[Response, int]:
        """What a unit sees and does just now; answered with the hub's time, for its clock."""
        message = _small_json()
        unit, key = _claimed_unit(hub, message.get("payload"))
        if key is None:
            return jsonify(error="unknown unit"), 403
        payload = opened(key, REQUEST, message)
        if payload is None:
            return jsonify(error="the signature does not fit"), 403
        if not hub.presence.session_advances(unit, str(payload.get("session")), payload.get("seq")):
            return jsonify(error="open the feed first"), 409
        try:
            said = _status(payload)
        except (KeyError, TypeError, ValueError):
            return jsonify(error="malformed status"), 400
        now_ms = hub.clocks.mono_ms()
        hub.presence.heard(unit, now_ms, **said)
        if isinstance(payload.get("lot"), dict):
            take_lot(hub, unit, payload["lot"])
        answer = {"session": payload["session"], "seq": payload["seq"], "now_ms": now_ms}
        return jsonify(envelope(key, ECHO, answer)), 200


def _small_json() -> dict[str, Any]:
    """The body as a JSON object; empty where it is none, or larger than any honest message."""
    if (request.content_length or 0) > BODY_BYTES_MAX:
        return {}
    try:
        message = request.get_json(force=True, silent=True)
    except RecursionError:
        return {}
    return message if isinstance(message, dict) else {}


def _claimed_unit(hub: Hub, message: object) -> tuple[str, bytes | None]:
    """The unit that a message says it comes from, and its key; nothing is believed before the signature holds."""
    unit = message.get("unit") if isinstance(message, dict) else None
    return (unit, hub.unit_keys.get(unit)) if isinstance(unit, str) else ("", None)


def _status(payload: dict[str, Any]) -> dict[str, object]:
    seated = frozenset(side for side in payload["seated"] if side in ("a", "b"))
    match, leave, clock_ms = payload["match"], payload["leave"], payload["clock_ms"]
    if not (match is None or isinstance(match, str)) or leave not in (None, "a", "b", "ab"):
        raise ValueError("match and leave")
    if not (clock_ms is None or isinstance(clock_ms, int)):
        raise ValueError("clock_ms")
    return {"match": match, "seated": seated, "draft": payload["draft"] is True, "call": payload["call"] is True,
            "leave": leave, "clock_ms": clock_ms, "waiting": int(payload["waiting"])}
