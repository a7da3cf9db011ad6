"""The front panel's pages, by the state of its dialogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from roundtap_core.clock import show
from roundtap_units.panel import panel_dialogue as d
from roundtap_units.panel.hub_says import COUNTING, RUNNING, EventSaid
from roundtap_units.panel.panel_dialogue import PanelDialogue, call_text
from roundtap_units.panel.panel_scenes import PanelScene

CALL_SIGN, AWAY_SIGN, DISK_SIGN = "⚑", "✕", "⚠"
GROUPS_A_LINE = 4
NO_BREAK_HYPHEN, OPEN_BOX = "\u2011", "\u2423"
LETTERS_A_LINE = 16


def scene_of(panel: PanelDialogue, now_ms: int) -> PanelScene:
    """What is shown now."""
    return _PAGES[panel.page](panel, now_ms)


def wifi_code(name: str, password: str) -> str:
    """What a phone reads to join a WPA2 network (as Android and iOS understand it)."""

    def plain(text: str) -> str:
        return "".join(f"\\{letter}" if letter in '\\;,":' else letter for letter in text)

    return f"WIFI:T:WPA;S:{plain(name)};P:{plain(password)};;" if password else f"WIFI:T:nopass;S:{plain(name)};;"


def address_code(address: str) -> str:
    """The address as its code says it: scheme and host in capitals are the same to every browser, and make a smaller
    code with larger dots. Only where nothing follows that would not be the same."""
    host = address.partition("://")[2]
    return address.upper() if "/" not in host else address


def _corner(panel: PanelDialogue, now_ms: int) -> str:
    if panel.away(now_ms):
        return AWAY_SIGN
    hub = panel.hub
    if hub is None:
        return ""
    waiting = sum(1 for call in hub.calls if not call.taken)
    signs = [DISK_SIGN] if hub.trouble else []
    if waiting:
        signs.append(f"{CALL_SIGN}{waiting}")
    return " ".join([*signs, hub.wall]).strip()


def _home(panel: PanelDialogue, now_ms: int) -> PanelScene:
    words, event = panel.words, panel.event
    corner = _corner(panel, now_ms)
    if panel.standby is not None:
        said = panel.standby
        state = f"panel.standby.{said.state}"
        return PanelScene(d.HOME, words("panel.standby"), lines=(
            words(state if state in words else "panel.standby.away"), said.hub), corner=corner,
            hint=words("panel.hint.around"))
    if panel.hub is None or panel.away(now_ms):
        return PanelScene(d.HOME, words("panel.title"), lines=(words("panel.away"), words("panel.away.what")),
                          corner=corner, hint=words("panel.hint.around"))
    if event is None:
        return PanelScene(d.HOME, words("panel.title"), lines=(words("panel.no_event"), _short(panel.hub.players)),
                          corner=corner, hint=words("panel.hint.around"))
    return PanelScene(d.HOME, event.name, big=_time(panel, event, now_ms), lines=(_round(panel, event),),
                      corner=corner, hint=words("panel.hint.home"))


def _time(panel: PanelDialogue, event: EventSaid, now_ms: int) -> str:
    if event.clock is None:
        return ""
    return show(event.clock.left_at(panel.hub_ms(now_ms)))


def _round(panel: PanelDialogue, event: EventSaid) -> str:
    if not event.round:
        return panel.words("panel.no_round")
    if event.clock is None:
        return event.round
    state = f"panel.state.{event.clock.state}"
    what = panel.words(state) if state in panel.words else panel.words("panel.open", n=event.open)
    return f"{event.round} · {what}"


def _clock(panel: PanelDialogue, now_ms: int) -> PanelScene:
    event = panel.event
    if event is None:
        return _home(panel, now_ms)
    items, time = panel.items(now_ms), _time(panel, event, now_ms)
    state = event.clock.state if event.clock is not None else ""
    title = f"{time} {event.name}" if time else event.name
    lines: tuple[str, ...] = ()
    if not items:
        lines = (panel.words("panel.no_round" if not event.round else "panel.no_clock"),)
    return PanelScene(d.CLOCK, title, lines=lines, items=tuple(item.text for item in items),
                      cursor=panel.cursor(items) if items else 0, corner=AWAY_SIGN if panel.away(now_ms) else "",
                      hint=panel.words("panel.hint.counting" if state == COUNTING and items else
                                       "panel.hint.list" if items else "panel.hint.back"))


def _list(kind: str, title: str) -> Callable[[PanelDialogue, int], PanelScene]:
    def made(panel: PanelDialogue, now_ms: int) -> PanelScene:
        items = panel.items(now_ms)
        empty = f"panel.{kind}.none"
        return PanelScene(kind, panel.words(title), items=tuple(item.text for item in items),
                          lines=() if items or empty not in panel.words else (panel.words(empty),),
                          cursor=panel.cursor(items) if items else 0, corner=_corner(panel, now_ms),
                          hint=panel.words("panel.hint.calls" if kind == d.CALL_LIST and items else
                                           "panel.hint.list" if items else "panel.hint.back"))

    return made


def _calls(panel: PanelDialogue, now_ms: int) -> PanelScene:
    calls = panel.hub.calls if panel.hub is not None else ()
    lines = tuple(call_text(panel, call, now_ms) for call in calls[:3]) or (panel.words("panel.call-list.none"),)
    return PanelScene(d.CALLS, panel.words("panel.calls"), lines=lines, corner=_corner(panel, now_ms),
                      hint=panel.words("panel.hint.in" if calls else "panel.hint.around"))


def _address(panel: PanelDialogue, now_ms: int) -> PanelScene:
    hub = panel.hub
    if hub is None:
        return _home(panel, now_ms)
    lines = [panel.words("panel.players", address=_short(hub.players))]
    if hub.console:
        lines.append(panel.words("panel.console", address=hub.console))
    if hub.name:
        lines.append(panel.words("panel.name", name=hub.name))
    return PanelScene(d.ADDRESS, panel.words("panel.address"), lines=tuple(lines), corner=_corner(panel, now_ms),
                      hint=panel.words("panel.hint.qr"))


def _qr(panel: PanelDialogue, now_ms: int) -> PanelScene:
    hub, words = panel.hub, panel.words
    if panel.page == d.HOTSPOT_QR and panel.hotspot is not None:
        return PanelScene(panel.page, words("panel.hotspot"), lines=(panel.hotspot[0],),
                          qr=wifi_code(*panel.hotspot), hint=words("panel.hint.back"))
    if hub is None:
        return _home(panel, now_ms)
    players = panel.page == d.PLAYERS_QR
    address = hub.players if players else hub.console
    return PanelScene(panel.page, words("panel.qr.players" if players else "panel.qr.console"),
                      lines=_in_parts(address), qr=address_code(address),
                      hint=words("panel.hint.next" if players and hub.console else "panel.hint.back"))


def _hotspot(panel: PanelDialogue, now_ms: int) -> PanelScene:
    name, password = panel.hotspot or ("", "")
    return PanelScene(d.HOTSPOT, panel.words("panel.hotspot"), lines=(
        panel.words("panel.hotspot.name", name=name), panel.words("panel.hotspot.password"), *_exactly(password)),
        corner=_corner(panel, now_ms), hint=panel.words("panel.hint.qr"))


def _trust(panel: PanelDialogue, now_ms: int) -> PanelScene:
    said = (panel.hub.fingerprint if panel.hub is not None else "").split()
    lines = tuple(" ".join(said[at:at + GROUPS_A_LINE]) for at in range(0, len(said), GROUPS_A_LINE))
    return PanelScene(d.TRUST, panel.words("panel.fingerprint"), lines=lines)


def _machine(panel: PanelDialogue, now_ms: int) -> PanelScene:
    return PanelScene(d.MACHINE, panel.words("panel.machine"),
                      lines=tuple(item.text for item in d._task_items(panel, now_ms)),
                      corner=_corner(panel, now_ms), hint=panel.words("panel.hint.in"))


def _pin_shown(panel: PanelDialogue, now_ms: int) -> PanelScene:
    half = len(panel.pin) // 2
    return PanelScene(d.PIN_SHOWN, panel.words("panel.pin"), big=f"{panel.pin[:half]} {panel.pin[half:]}",
                      lines=(panel.words("panel.pin.once"),), hint=panel.words("panel.hint.hide"))


def _ask(kind: str, hint: str) -> Callable[[PanelDialogue, int], PanelScene]:
    def made(panel: PanelDialogue, now_ms: int) -> PanelScene:
        words = panel.words
        lines = [words(f"panel.{kind}.what", stick=panel.stick)]
        running = panel.hub is not None and any(
            each.clock is not None and each.clock.state == RUNNING for each in panel.hub.events)
        if kind in (d.OFF_ASK, d.OFF_SURE) and running:
            lines.insert(0, words("panel.round_runs"))
        if kind == d.TURN_ASK and panel.standby is not None:
            if not panel.standby.level:
                lines = [words("panel.turn.never_level")]
            elif panel.standby.state in ("following", "behind"):
                lines = [words("panel.turn.hub_lives"), panel.standby.hub]
        never = kind == d.TURN_ASK and panel.standby is not None and not panel.standby.level
        return PanelScene(kind, words(f"panel.{kind}"), lines=tuple(lines),
                          hint=words("panel.hint.back" if never else hint))

    return made


def _waiting(panel: PanelDialogue, now_ms: int) -> PanelScene:
    return PanelScene(d.WAITING, panel.words("panel.waiting"))


def _said(panel: PanelDialogue, now_ms: int) -> PanelScene:
    return PanelScene(d.SAID, panel.words("panel.title"), lines=(panel.said,), hint=panel.words("panel.hint.back"))


def _off(panel: PanelDialogue, now_ms: int) -> PanelScene:
    return PanelScene(d.OFF, panel.words("panel.off"), lines=(panel.words("panel.off.what"),))


def _in_parts(address: str) -> tuple[str, ...]:
    """An address beside its code, where there is little room."""
    scheme, _, rest = address.partition("://")
    host, colon, port = rest.rpartition(":") if ":" in rest.rpartition("]")[2] else (rest, "", "")
    parts = [] if scheme == "http" else [f"{scheme}://"]
    return tuple(part for part in (*parts, host, f"{colon}{port}") if part)


def _exactly(text: str) -> tuple[str, ...]:
    """What somebody types letter by letter: broken where the line ends, and nowhere else."""
    unbroken = text.replace("-", NO_BREAK_HYPHEN).replace(" ", OPEN_BOX)
    return tuple(unbroken[at:at + LETTERS_A_LINE] for at in range(0, len(unbroken), LETTERS_A_LINE))


def _short(address: str) -> str:
    """As somebody types it: browsers add http:// by themselves."""
    return address.removeprefix("http://")


_PAGES: Mapping[str, Callable[[PanelDialogue, int], PanelScene]] = {
    d.HOME: _home, d.CALLS: _calls, d.ADDRESS: _address, d.HOTSPOT: _hotspot, d.TRUST: _trust, d.MACHINE: _machine,
    d.CLOCK: _clock, d.EVENTS: _list(d.EVENTS, "panel.other_event"), d.CALL_LIST: _list(d.CALL_LIST, "panel.calls"),
    d.TASKS: _list(d.TASKS, "panel.machine"), d.PLAYERS_QR: _qr, d.CONSOLE_QR: _qr, d.HOTSPOT_QR: _qr,
    d.PIN_ASK: _ask(d.PIN_ASK, "panel.hint.hold"), d.PIN_SHOWN: _pin_shown,
    d.EJECT_ASK: _ask(d.EJECT_ASK, "panel.hint.yes"), d.OFF_ASK: _ask(d.OFF_ASK, "panel.hint.yes"),
    d.OFF_SURE: _ask(d.OFF_SURE, "panel.hint.hold"), d.TURN_ASK: _ask(d.TURN_ASK, "panel.hint.yes"),
    d.TURN_SURE: _ask(d.TURN_SURE, "panel.hint.hold"), d.WAITING: _waiting, d.SAID: _said, d.OFF: _off,
}
