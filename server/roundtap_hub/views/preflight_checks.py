"""The checks before the doors open: one line each, all tables counted together, worst first; and the units as the
console lists them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from roundtap_core.event.rounds import tables_drafted, tables_in_play
from roundtap_core.messages import Health
from roundtap_core.version import same_build, version
from roundtap_hub.access.unit_keys import PANEL, ROLES, STATION, TABLE
from roundtap_hub.store.copies import CATCHING_UP, CURRENT
from roundtap_hub.store.own_machine import UNSET, UNSURE
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.known_displays import display_rows
from roundtap_hub.views.running_hub import RunningHub
from roundtap_hub.views.tables import ms_since, out_of_contact
from roundtap_hub.views.unit_presence import UnitStatus, decode_health, known_units
from roundtap_machine.health import (
    COPIES,
    FINE,
    LOW_NOW,
    NETWORK,
    NOTE,
    PRINTER,
    SINCE_SHIFT,
    SPACE_LOW_BYTES,
    TABLES,
    WALLS,
    WRONG,
    Check,
    printer_check,
)


@dataclass(frozen=True, slots=True)
class UnitRow:
    """One unit of the hall. `age_ms`: since its last contact; None: never in contact."""

    unit: str
    table: int | None
    status: UnitStatus
    age_ms: int | None
    silent: bool

    @property
    def name(self) -> str:
        """Its table's number where it stands at one, else its own name."""
        return self.unit if self.table is None else str(self.table)

    @property
    def health(self) -> Health | None:
        """Its health; None where it has sent none."""
        return decode_health(self.status.health)

    @property
    def version(self) -> str:
        """Its software version; "" where it has sent none."""
        return self.status.core or (self.health.version if self.health else "")

    @property
    def same_version(self) -> bool:
        """Whether that is the hub's own version."""
        return same_build(self.version, version())


def unit_rows(snapshot: Snapshot, listed: Iterable[str], units: Mapping[str, UnitStatus], now_ms: int) -> list[UnitRow]:
    """These units in the order of the tables, those without one last."""
    rows = []
    for unit in listed:
        status = units.get(unit) or UnitStatus(unit, 0)
        heard = status.contact_ms > 0
        rows.append(
            UnitRow(
                unit,
                snapshot.venue.tables.get(unit),
                status,
                ms_since(status.contact_ms, now_ms) if heard else None,
                out_of_contact(status if heard else None, now_ms),
            )
        )
    return sorted(rows, key=lambda row: (row.table is None, row.table or 0, _by_number(row.unit)))


def key_rows(hub: RunningHub, snapshot: Snapshot, units: Mapping[str, UnitStatus], now_ms: int) -> list[UnitRow]:
    """Every unit with a key: those with troubles first, then by role and number."""
    keys = hub.units.keys
    return sorted(
        unit_rows(snapshot, keys, units, now_ms),
        key=lambda row: (
            not row.status.troubles,
            (*ROLES, PANEL).index(keys.role(row.unit) or TABLE),
            _by_number(row.unit),
        ),
    )


def _by_number(unit: str) -> tuple[str, int, str]:
    """A sort key: "table-2" before "table-10"."""
    name = unit.rstrip("0123456789")
    return name, int(unit[len(name) :] or 0), unit


def table_units(hub: RunningHub, snapshot: Snapshot, units: Mapping[str, UnitStatus]) -> set[str]:
    """Units that can stand at a table: no print stations or standbys, unless one was placed."""
    return {
        unit
        for unit in known_units(snapshot, hub.units.keys, units)
        if unit in snapshot.venue.tables or hub.units.keys.role(unit) in (None, TABLE)
    }


NAMES_MAX = 16  # tables named in one line; the rest are only counted
PIN_OLD_DAYS = 180
HARDWARE_REASONS = ("lgpio", "luma", "spidev", "chip", "pins", "i2c", "spi", "permission")
"""Why a unit's buttons or screen fail, as `roundtap_devices/hardware_errors.py` names it, where a person can mend it.
"display" is a screen that does not answer; other reasons, of newer units, are shown as "other"."""
DISPLAY = "display"

Units = Mapping[str, UnitStatus]


def all_checks(hub: RunningHub, snapshot: Snapshot, units: Units, now_ms: int) -> list[Check]:
    return [
        *_machine(hub),
        Check("build", FINE, {"version": version()}),
        *([Check("restored", WRONG)] if hub.restored() else []),
        *_network(hub),
        *_tables(hub, snapshot, units, now_ms),
        *_walls(hub, snapshot, now_ms),
        *printer_checks(hub, units, now_ms),
        *_copies(hub),
    ]


def failed_checks(given: Iterable[Check]) -> list[Check]:
    return [check for check in given if check.state == WRONG]


def count_failed(hub: RunningHub, snapshot: Snapshot, units: Units, now_ms: int, playing: bool) -> int:
    """The number of failed checks, for the console's one line. `playing`: the hub's own machine only, as the console
    itself shows what the tables need."""
    if playing:
        return hub.host.machine.cached("machine", lambda: len(failed_checks(_machine(hub))))
    return hub.host.machine.cached("all", lambda: len(failed_checks(all_checks(hub, snapshot, units, now_ms))))


# --- the hub --------------------------------------------------------------------------------------------------------


def _machine(hub: RunningHub) -> list[Check]:
    """The machine's own checks, with the hub's verdict on the clock, which an organizer may have set."""
    return [_clock(hub, check) if check.key == "clock" else check for check in hub.host.machine.checks()]


def _clock(hub: RunningHub, of_machine: Check) -> Check:
    hall_time = hub.host.hall_time
    if hall_time is None:
        return of_machine
    doubt = hall_time.doubt()
    if doubt == UNSET:
        return Check("clock", WRONG, kind="unset")
    if doubt:
        return Check("clock", NOTE if doubt == UNSURE else WRONG, kind="doubted")
    if hall_time.was_set and of_machine.kind == "rtc_empty":
        # The battery still needs changing, but today the time is right.
        return Check("clock", NOTE, kind="rtc_empty")
    return Check("clock", FINE, kind="browser") if hall_time.was_set and of_machine.kind != "network" else of_machine


def _network(hub: RunningHub) -> list[Check]:
    url, encrypted = hub.host.hall_addresses.url, hub.access.encrypted
    return [
        Check("address", FINE, {"url": url}, group=NETWORK) if url else Check("address", WRONG, group=NETWORK),
        Check("encrypted", NOTE, group=NETWORK)
        if encrypted is None
        else Check("encrypted", FINE, {"fingerprint": encrypted.fingerprint}, group=NETWORK),
    ]


# --- the hall's tables ----------------------------------------------------------------------------------------------


def _tables(hub: RunningHub, snapshot: Snapshot, units: Units, now_ms: int) -> list[Check]:
    lines = unit_rows(snapshot, table_units(hub, snapshot, units), units, now_ms)
    if not lines:
        return [Check("contact", NOTE, kind="none", group=TABLES)]
    heard = [line for line in lines if not line.silent]
    reported = [line for line in heard if line.health is not None]
    checks = [
        _units_check("contact", lines, lambda line: line.silent, {"here": len(heard)}),
        *_placement_checks(snapshot, lines),
        _units_check(
            "builds",
            [line for line in heard if line.version],
            lambda line: not line.same_version,
            {"version": version()},
        ),
        _voltage(reported),
        _units_check(
            "screens",
            [line for line in reported if _health(line).screen is not None],
            lambda line: _health(line).screen is False and _health(line).blind in ("", DISPLAY),
        ),
        *_missing_hardware(reported),
        _units_check("unit_cards", reported, _card_is_bad),
        _buttons(reported),
        _units_check("troubles", lines, lambda line: bool(line.status.troubles)),
        _units_check(
            "waiting", [line for line in lines if line.status.waiting], lambda _: True, {"all": len(lines)}, state=NOTE
        ),
    ]
    return [check for check in checks if check is not None]


def _units_check(
    key: str,
    lines: Sequence[UnitRow],
    is_bad: Callable[[UnitRow], bool],
    args: Mapping[str, str | int] | None = None,
    state: str = WRONG,
) -> Check | None:
    """One check of many units: FINE, or `state` with the names of the bad ones; None without units."""
    if not lines:
        return None
    bad = [line for line in lines if is_bad(line)]
    params: dict[str, str | int] = {"n": len(bad) or len(lines), "all": len(lines), **(args or {})}
    if bad:
        params["names"] = _names(line.name for line in bad)
    return Check(key, state if bad else FINE, params, group=TABLES)


def _names(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:NAMES_MAX]) + (f" … (+{len(listed) - NAMES_MAX})" if len(listed) > NAMES_MAX else "")


def _names_check(key: str, state: str, names: Iterable[str], group: str, kind: str = "") -> Check:
    listed = list(names)
    return Check(key, state, {"n": len(listed), "names": _names(listed)}, kind, group)


def _placement_checks(snapshot: Snapshot, lines: Sequence[UnitRow]) -> list[Check]:
    there = {line.table for line in lines if line.table is not None}
    played = set().union(
        *(tables_in_play(state) | tables_drafted(state) for state in snapshot.events.values() if not state.finished),
        set(),
    )
    bare = [str(table) for table in sorted(played - there)]
    spare = [line.unit for line in lines if line.table is None]
    checks = [
        _names_check("places", NOTE, names, TABLES, kind) for kind, names in (("bare", bare), ("spare", spare)) if names
    ]
    return checks or [Check("places", FINE, {"n": len(there)}, group=TABLES)]


def _health(line: UnitRow) -> Health:
    return line.health or Health()


def _voltage(reported: Sequence[UnitRow]) -> Check | None:
    lines = [line for line in reported if _health(line).throttled is not None]
    now = _units_check("power", lines, lambda line: bool((_health(line).throttled or 0) & LOW_NOW))
    if now is None or now.state == WRONG:
        return now
    return _units_check(
        "power", lines, lambda line: bool((_health(line).throttled or 0) >> SINCE_SHIFT & LOW_NOW), state=NOTE
    )


def _card_is_bad(line: UnitRow) -> bool:
    health = _health(line)
    return health.read_only is True or (health.free_mb is not None and health.free_mb < SPACE_LOW_BYTES >> 20)


def _missing_hardware(reported: Sequence[UnitRow]) -> list[Check]:
    by_reason: dict[str, list[str]] = {}
    for line in reported:
        health = _health(line)
        for reason in dict.fromkeys((health.deaf, health.blind)):
            if reason not in ("", DISPLAY):
                by_reason.setdefault(reason if reason in HARDWARE_REASONS else "other", []).append(line.name)
    return [
        _names_check("lacks", WRONG, dict.fromkeys(names), TABLES, reason)
        for reason, names in sorted(by_reason.items())
    ]


def _buttons(reported: Sequence[UnitRow]) -> Check | None:
    with_keys = [line for line in reported if _health(line).keys and not _health(line).deaf]
    return _units_check("buttons", with_keys, lambda line: bool(_health(line).unpressed), state=NOTE)


# --- walls, paper, copies -------------------------------------------------------------------------------------------


def _walls(hub: RunningHub, snapshot: Snapshot, now_ms: int) -> list[Check]:
    rows = display_rows(hub.hall.displays.contacts, snapshot.venue.display_plan.screens, now_ms)
    silent = [row.name for row in rows if row.screen is not None and not row.here]
    new = [row.name for row in rows if row.screen is None and row.here]
    here = [row.name for row in rows if row.screen is not None and row.here]
    states = ((WRONG, "", silent), (NOTE, "new", new), (FINE, "", [] if silent else here))
    checks = [_names_check("walls", state, names, WALLS, kind) for state, kind, names in states if names]
    return checks or [Check("walls", NOTE, kind="none", group=WALLS)]


def printer_checks(hub: RunningHub, units: Units, now_ms: int) -> list[Check]:
    """Of each station its printer first, then what else is wrong with it."""
    checks = []
    mute = hub.paper.mute_units if hub.paper is not None else []
    for unit in sorted(unit for unit in hub.units.keys if hub.units.keys.role(unit) == STATION):
        status = units.get(unit)
        health = decode_health(status.health) if status is not None else None
        if out_of_contact(status, now_ms):
            checks.append(Check("printer", WRONG, {"unit": unit}, "away", PRINTER))
            continue
        printer = "mute" if unit in mute else health.printer if health is not None else ""
        checks.append(
            printer_check(unit, printer)
            or Check("printer", FINE, {"unit": unit}, printer if printer in ("ready", "unasked") else "there", PRINTER)
        )
        build = health.version if health is not None else ""
        if build and not same_build(build, version()):
            checks.append(Check("printer", WRONG, {"unit": unit, "version": version()}, "build", PRINTER))
    return checks or [Check("printer", NOTE, kind="none", group=PRINTER)]


def _copies(hub: RunningHub) -> list[Check]:
    checks = []
    copies = hub.service.copies
    if hub.host.on_database:
        checks.append(Check("copy", FINE, kind="database", group=COPIES))
    elif copies is not None:
        states = copies.states
        current = [state.name for state in states if state.state == CURRENT]
        away = [state.name for state in states if state.state not in (CURRENT, CATCHING_UP)]
        if away:
            checks.append(Check("copy", WRONG, {"name": away[0]}, "away", COPIES))
        if current:
            checks.append(Check("copy", FINE, {"name": ", ".join(current)}, group=COPIES))
        elif not away:
            checks.append(Check("copy", NOTE, group=COPIES))
    days = hub.host.machine.pin_age_days()
    if days is not None:
        checks.append(Check("pin", NOTE if days >= PIN_OLD_DAYS else FINE, {"n": days}, group=COPIES))
    return checks
