"""Print stations: their API (states in, jobs out, signed both ways like all device traffic), and their page."""

from collections.abc import Mapping
from typing import Any

from flask import Response, abort, current_app, jsonify, request
from msgspec import UNSET, to_builtins
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.messages import Job, StationRequest
from roundtap_core.wire import ECHO, envelope
from roundtap_hub.access.unit_keys import JOBS, RequestRefused
from roundtap_hub.http.host import hall_address
from roundtap_hub.http.requester import throttle_key
from roundtap_hub.http.routes import STAFF, STATION, PageKey, route
from roundtap_hub.live import current
from roundtap_hub.live.render import hall_checks, place_page
from roundtap_hub.paper.paper import asking_jobs
from roundtap_hub.paper.print_jobs import job_content, wanted_jobs
from roundtap_hub.store.print_book import GO_ON, PrintBook, PrintState
from roundtap_hub.views.running_hub import RunningHub
from roundtap_hub.views.unit_presence import encode_health
from roundtap_machine import health as machine_checks

BODY_BYTES_MAX = 32 * 1024
JOBS_AT_ONCE = 6  # few enough that two stations share a round's slips, and that cancelled jobs are soon known


@route("POST /station/jobs", STATION)
def station_jobs() -> tuple[Response, int]:
    """{"payload": {unit, nonce, challenge, states: [[job id, state, detail], …]}, "mac"}
    → {"payload": {nonce, challenge, jobs}, "mac"}, with the challenge for the next request; and `printer`, where this
    station's printer settings were confirmed on the console.

    Jobs are {id, kind, content}, with "go_on" where a person saw that the mute printer prints all the same: all that
    this station should print now, in order, a few at a time. It does not print jobs that are missing there.
    """
    hub: RunningHub = current_app.extensions["roundtap"]
    book = hub.paper
    if book is None:
        abort(404)
    try:
        key, station_request = hub.units.auth.verify_request(
            JOBS, _json(), throttle_key(request.remote_addr or ""), StationRequest
        )
        hub.units.admit(JOBS, station_request.unit, station_request.challenge)
    except RequestRefused as refusal:
        return jsonify(refusal.body), refusal.status
    unit = station_request.unit
    states = [(job_id, PrintState(state, detail, unit)) for job_id, state, detail in station_request.states]
    try:
        jobs = _exchange(hub, book, unit, states, hall_address(hub.host, request.host_url))
    except Problem as problem:
        return jsonify(error=problem.say()), 503
    book.record_printer(unit, station_request.printer)
    health = {} if station_request.health is UNSET else {"health": encode_health(station_request.health)}
    hub.presence.update(unit, hub.clocks.mono_ms(), **health)
    answer: dict[str, Any] = {
        "nonce": station_request.nonce,
        "challenge": hub.units.challenges.issue(),
        "jobs": to_builtins(jobs),
    }
    if (order := book.printer_order(unit)) is not None:
        answer["printer"] = order
    return jsonify(envelope(key, ECHO, answer)), 200


def _exchange(
    hub: RunningHub, book: PrintBook, unit: str, reported: list[tuple[str, PrintState]], base_url: str
) -> list[Job]:
    # A job belongs to the station that took it first: no other prints it or reports on it.
    # An unclaimed one counts only if it is wanted: made-up jobs would be kept for ever.
    states_before = book.states
    mine = {job_id for job_id, _ in reported if job_id in states_before and states_before[job_id].unit in ("", unit)}
    if any(job_id not in states_before for job_id, _ in reported):
        mine |= {job.id for job in wanted_jobs(hub.service.snapshot, book.orders, states_before, unit)}
    book.update_states((job_id, state) for job_id, state in reported if job_id in mine)
    snapshot, states = hub.service.snapshot, book.states
    jobs: list[Job] = []
    for job in wanted_jobs(snapshot, book.orders, states, unit):
        content = job_content(
            job, snapshot, base_url, hub.access.encrypted, hub.access.secret, states, hub.host.hall_addresses.by_name
        )
        if content is not None:
            go_on = states.get(job.id, PrintState()).detail == GO_ON
            jobs.append(Job(job.id, job.kind, to_builtins(content, enc_hook=str), go_on))
        if len(jobs) == JOBS_AT_ONCE:
            break
    # Two stations that ask at the same moment must not get the same job.
    own = book.claim([job.id for job in jobs], unit)
    return [job for job in jobs if job.id in own]


def _json() -> Mapping[str, object]:
    if (request.content_length or 0) > BODY_BYTES_MAX:
        return {}
    try:
        message = request.get_json(force=True, silent=True)
    except RecursionError:
        return {}
    return message if isinstance(message, dict) else {}


@route("GET /console/printer", STAFF)
def printer_page() -> AnyResponse:
    """The print stations, and what each event that is not over has waiting."""
    states = [state for state in current.snapshot().events.values() if not state.finished]
    return place_page(
        "printer.html",
        "printer",
        PageKey("before-doors"),
        jobs=[(state, asking_jobs(state, waiting=True)) for state in states],
        checks=[check for check in hall_checks() if check.group == machine_checks.PRINTER],
    )
