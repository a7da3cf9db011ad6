"""Console pages of the hall: what is wrong at each place, the checks before the doors open, and the bundle for whoever
helps; and this hub's fingerprint and trust, clock, addresses, sessions and staff.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from flask import abort, g, jsonify, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_hub.access.staff import Session, StaffIdentity, StaffLogin, StaffPerson
from roundtap_hub.hall.diagnostics import diagnostics_text
from roundtap_hub.http.hall_addresses import is_hotspot
from roundtap_hub.http.qr_svg import qr_svg
from roundtap_hub.http.requester import is_local_request
from roundtap_hub.http.routes import EVERYBODY, ORGANIZERS, STAFF, STAFF_ROLES, PageKey, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.views import places
from roundtap_hub.views.preflight_checks import all_checks, failed_checks, table_units, unit_rows
from roundtap_hub.views.round_clock import DATE_AND_TIME, announcement_lines, time_of_day
from roundtap_machine import health as machine_checks
from roundtap_machine.services import list_services, log_lines
from roundtap_machine.wifi import DEVICES_MAX, known_hotspot

SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
BROWSERS = (
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Edg", "Edge"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
"""(Part of the user agent, name); the first match counts."""

DIGITS_MAX = 15

KIND = "application/x-x509-ca-cert"  # makes phones offer to install it


def staff_rows(organizers: StaffLogin) -> list[tuple[StaffPerson, int]]:
    """Active staff by name, each with the number of browsers logged in."""
    counted = Counter(session.person for session, _, _ in organizers.listed())
    rows = [(each, counted[each.id]) for each in organizers.staff.people if each.active]
    return sorted(rows, key=lambda row: row[0].name.casefold())


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A logged-in browser, perhaps `this` one; `since` and `used`: hours and minutes ago, as text."""

    session: Session
    browser: str
    since: str
    used: str
    who: StaffIdentity | None
    this: bool


def session_rows(organizers: StaffLogin) -> list[SessionRow]:
    """The logged-in browsers, this one first."""
    own = current.current_visit().session
    rows = [
        SessionRow(
            each,
            browser_name(each.agent),
            hours_text(began_ms),
            hours_text(used_ms),
            organizers.identity_of(each),
            own is not None and each.id == own.id,
        )
        for each, began_ms, used_ms in organizers.listed()
    ]
    return sorted(rows, key=lambda row: not row.this)


def browser_name(agent: str) -> str:
    """ "Firefox · Android": enough to tell one's own devices apart; "" where unknown."""
    parts = (next((name for mark, name in marks if mark in agent), "") for marks in (BROWSERS, SYSTEMS))
    return " · ".join(part for part in parts if part)


def hours_text(age_ms: int) -> str:
    """An age as hours and minutes: "2:05"; "" under a minute."""
    minutes = max(0, age_ms) // 60_000
    return f"{minutes // 60}:{minutes % 60:02d}" if minutes else ""


@route("GET /console/hub", ORGANIZERS)
def this_hub_page(**shown: Any) -> AnyResponse:
    """`shown`: a new PIN, for this response only (`_pin_page`)."""
    hub, hotspot = current.hub(), known_hotspot()
    organizers = hub.access.organizers
    reached = hub.host.hall_addresses
    return render.place_page(
        "this_hub.html",
        "hub",
        rows=session_rows(organizers),
        reached=reached,
        # This hub's addresses, best first, and whether each is a hotspot's, which serves only its own Wi-Fi.
        ways=[(url, is_hotspot(ip_address(urlsplit(url).hostname or ""))) for url in reached.urls],
        hotspot=hotspot,
        hotspot_most=DEVICES_MAX,
        wifi_qr=qr_svg(hotspot.qr, current.words()("hub.wifi.qr")) if hotspot is not None else "",
        wall=time_of_day(hub.clocks.wall(), form=DATE_AND_TIME),
        encrypted=hub.access.encrypted,
        roles=STAFF_ROLES,
        staff=staff_rows(organizers),
        revoked=[each for each in organizers.staff.people if not each.active],
        **{key: shown.get(key, "") for key in ("made", "pin", "login", "qr")},
    )


@route("POST /console/hub/sessions/<session_id>/end", ORGANIZERS)
@forms.shows_problem_on(this_hub_page)
def end_session(session_id: str) -> None:
    current.hub().access.organizers.sessions.end(session_id)


@route("POST /console/hub/sessions/end", ORGANIZERS)
@forms.shows_problem_on(this_hub_page)
def end_other_sessions() -> None:
    if (own := current.current_visit().session) is not None:
        current.hub().access.organizers.sessions.end_others(own)


@route("POST /console/hub/time", ORGANIZERS)
@forms.shows_problem_on(this_hub_page, "time")
def set_hall_time() -> None:
    """`epoch_ms`: the browser's clock, filled in by a script; else `time`, typed as local time."""
    hall_time, from_script, typed = current.hub().host.hall_time, forms.field("epoch_ms"), forms.field("time")
    if hall_time is None:
        raise Problem("hall_time_elsewhere")
    if from_script.isdecimal() and len(from_script) <= DIGITS_MAX:
        epoch_ms = int(from_script)
    else:
        try:
            epoch_ms = int(datetime.fromisoformat(typed[:19]).astimezone().timestamp() * 1000)
        except (ValueError, OverflowError, OSError):
            raise Problem("hall_time_typed", where="/time") from None
    hall_time.set_to(epoch_ms)


@route("POST /console/hub/staff", ORGANIZERS)
@forms.shows_problem_on(this_hub_page)
def add_staff() -> AnyResponse:
    """Add a member of staff; the PIN is shown in this response only."""
    person, pin = current.hub().access.organizers.staff.add(forms.field("name"), forms.field("role"), current.actor())
    return _pin_page(person.name, pin)


@route("POST /console/hub/staff/<person>/pin", ORGANIZERS)
@forms.shows_problem_on(this_hub_page)
def replace_pin(person: str) -> AnyResponse:
    """Make a new PIN; the old one is void, and its sessions end."""
    staff_person, pin = current.hub().access.organizers.staff.replace_pin(person, current.actor())
    return _pin_page(staff_person.name, pin)


@route("POST /console/hub/staff/<person>/role", ORGANIZERS)
@forms.shows_problem_on(this_hub_page, "staff")
def change_staff_role(person: str) -> None:
    current.hub().access.organizers.staff.change_role(person, forms.field("role"), current.actor())


@route("POST /console/hub/staff/<person>/revoke", ORGANIZERS)
@forms.shows_problem_on(this_hub_page, "staff")
def revoke_pin(person: str) -> None:
    current.hub().access.organizers.staff.revoke(person, current.actor())


def _pin_page(name: str, pin: str) -> AnyResponse:
    """The page with a new PIN, shown once: a reload does not show it."""
    g.address = url_for("console.this_hub_page")
    return this_hub_page(made=name, pin=f"{pin[:4]} {pin[4:]}", login=login_address(), qr=qr_svg(login_address()))


def login_address() -> str:
    """The login's address for other devices; "" where unknown, as the request came from the hub itself."""
    encrypted = current.hub().access.encrypted
    if is_local_request(request.remote_addr or "", request.host) or encrypted is None:
        return ""
    host = request.host.rpartition(":")[0] if ":" in request.host.rpartition("]")[2] else request.host
    return f"https://{host}:{encrypted.port}/login"


@route("GET /trust", EVERYBODY)
def trust_page() -> AnyResponse:
    encrypted = current.hub().access.encrypted
    if encrypted is None:
        abort(404)
    return render.page("trust.html", encrypted=encrypted)


@route("GET /ca.crt", EVERYBODY)
def authority_certificate() -> AnyResponse:
    encrypted = current.hub().access.encrypted
    if encrypted is None:
        abort(404)
    return render.download(encrypted.authority, KIND, "roundtap-ca.crt")


@route("GET /console/hall", STAFF)
def hall_page() -> AnyResponse:
    """Each place with what is wrong or noted there, the worst first."""
    checks = [check for check in render.hall_checks() if check.state in (machine_checks.WRONG, machine_checks.NOTE)]
    rows = [
        (place, machine_checks.worst_first(check for check in checks if check.group in place.counts))
        for place in places.OF_HALL
        if place.key not in ("overview", "preflight")
    ]
    rows.sort(key=lambda row: machine_checks.STATES.index(machine_checks.worst(row[1])))
    lines = announcement_lines(
        current.snapshot().venue.display_plan.announcements, current.instant(), current.hub().clocks.wall()
    )
    return render.place_page("hall_overview.html", "overview", PageKey("before-doors"), rows=rows, said=lines)


@dataclass(frozen=True, slots=True)
class CheckGroup:
    """A part of the hall: `findings` are the checks that are wrong or notes, worst first; `fine` the others."""

    name: str
    findings: tuple[machine_checks.Check, ...]
    fine: tuple[machine_checks.Check, ...]

    @property
    def wrong(self) -> int:
        return sum(check.state == machine_checks.WRONG for check in self.findings)


def group_checks(checks: Collection[machine_checks.Check]) -> list[CheckGroup]:
    """The checks by part of the hall, in the order of GROUPS."""
    groups = [
        CheckGroup(
            name,
            tuple(
                machine_checks.worst_first(
                    c for c in checks if c.group == name and c.state in (machine_checks.WRONG, machine_checks.NOTE)
                )
            ),
            tuple(c for c in checks if c.group == name and c.state not in (machine_checks.WRONG, machine_checks.NOTE)),
        )
        for name in machine_checks.GROUPS
    ]
    return [group for group in groups if group.findings or group.fine]


@route("GET /console/before-doors", STAFF)
def preflight_page() -> AnyResponse:
    """One line per check with what to do, by part of the hall, worst first; checks that are fine share one line."""
    hub, snapshot, units = current.hub(), current.snapshot(), current.units()
    checks = all_checks(hub, snapshot, units, current.now_ms())
    return render.place_page(
        "preflight.html",
        "preflight",
        PageKey("before-doors"),
        groups=group_checks(checks),
        wrong=failed_checks(checks),
        noted=[check for check in checks if check.state == machine_checks.NOTE],
        unit_rows=unit_rows(snapshot, table_units(hub, snapshot, units), units, current.now_ms()),
        wall=time_of_day(hub.clocks.wall(), form=f"{DATE_AND_TIME} %Z"),
    )


@route("GET /checks", EVERYBODY)
def checks_for_doctor() -> AnyResponse:
    """All checks of that page as JSON, for `roundtap doctor` on the hub's own machine; for nobody else."""
    if not is_local_request(request.remote_addr or "", request.host):
        abort(404)
    return jsonify(
        checks=[
            each.as_json() for each in all_checks(current.hub(), current.snapshot(), current.units(), current.now_ms())
        ]
    )


@route("GET /console/before-doors/diagnostics.txt", ORGANIZERS)
def diagnostics() -> AnyResponse:
    """Diagnostics for a remote helper, without anything confidential."""
    hub, snapshot = current.hub(), current.snapshot()
    states = list(snapshot.events.values())
    counts = {
        "events": len(snapshot.ids),
        "events_open": sum(not state.finished for state in states),
        "players": sum(len(state.entrants) for state in states),
        "units": len(hub.units.keys),
        "units_heard": len(current.units()),
        "venue_entries": snapshot.venue.number,
    }
    copies = hub.service.copies
    settings = {
        "role": "hub",
        "language": hub.language,
        "on_database": "yes" if hub.host.on_database else "no",
        "encrypted": "yes" if hub.access.encrypted is not None else "no",
        "copies": str(len(copies.states) if copies is not None else 0),
    }
    text = diagnostics_text(
        all_checks(hub, snapshot, current.units(), current.now_ms()), list_services(), log_lines(), counts, settings
    )
    return render.download(text, "text/plain; charset=utf-8", "roundtap-diagnostics.txt")
