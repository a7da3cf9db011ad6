"""The front panel's pages: what stands on its screen in each state of the dialogue, as data for `panel_drawing`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from roundtap_core.messages import PanelView
from roundtap_core.typed import Shown
from roundtap_systemd.wifi import wifi_code
from roundtap_units.panel import panel_dialogue as d
from roundtap_units.panel.panel_dialogue import PanelDialogue

AWAY_SIGN, DISK_SIGN = "✕", "⚠"
GROUPS_A_LINE = 4
NO_BREAK_HYPHEN, OPEN_BOX = "\u2011", "\u2423"
LETTERS_A_LINE, LETTERS_BESIDE_CODE = 16, 11


@dataclass(frozen=True, slots=True)
class PanelScene:
    """A `title`; then one big figure and lines of text, or lines beside a QR code; at the bottom what can be pressed.
    `corner`: the time, a disk in trouble, no contact."""

    title: str
    lines: tuple[str, ...] = ()
    hint: str = ""
    big: str = ""
    qr: str = ""
    corner: str = ""

    def says(self) -> str:
        """All its text in reading order, for tests, logs and the virtual panel."""
        qr = f"[QR {self.qr}]" if self.qr else ""
        return " | ".join(text for text in (self.corner, self.title, self.big, qr, *self.lines, self.hint) if text)


def scene_of(panel: PanelDialogue) -> PanelScene:
    """What is shown now."""
    page, words = panel.page, panel.words
    if page == d.WAITING:
        return PanelScene(words("panel.waiting"))
    if page == d.SAID:
        return PanelScene(words("panel.title"), (panel.said,), words("panel.hint.back"))
    if page == d.PIN_SHOWN:
        half = len(panel.pin) // 2
        return PanelScene(words("panel.pin"), (words("panel.pin.once"),), words("panel.hint.hide"),
                          big=f"{panel.pin[:half]} {panel.pin[half:]}")
    if page == d.OFF:
        return PanelScene(words("panel.off"), (words("panel.off.what"),))
    if page == d.HOTSPOT_QR and panel.hotspot is not None:
        return PanelScene(words("panel.hotspot"), (panel.hotspot[0],), words("panel.hint.back"),
                          qr=wifi_code(*panel.hotspot))
    if page in (d.PLAYERS_QR, d.CONSOLE_QR) and panel.hub is not None:
        return _address_code(panel, panel.hub)
    if page in d.DOES or d.FURTHER.get(page) in d.DOES:
        return _question(panel)
    return replace(_state(panel), corner=_corner(panel))


def address_code(address: str) -> str:
    """The address as its code says it: scheme and host in capitals are the same to every browser, and make a smaller
    code with larger dots. Only where nothing follows that would not be the same."""
    host = address.partition("://")[2]
    return address.upper() if "/" not in host else address


def _state(panel: PanelDialogue) -> PanelScene:
    """How it is, and where it is reached."""
    page, hub, standby, words = panel.page, panel.hub, panel.standby, panel.words
    if page == d.ADDRESS and hub is not None:
        lines = _typed(hub.players), hub.name, hub.console
        return PanelScene(words("panel.title"), tuple(line for line in lines if line), words("panel.hint.qr"))
    if page == d.TRUST and hub is not None:
        groups = hub.fingerprint.split()
        return PanelScene(words("panel.fingerprint"), tuple(
            " ".join(groups[at:at + GROUPS_A_LINE]) for at in range(0, len(groups), GROUPS_A_LINE)))
    if page == d.HOTSPOT and panel.hotspot is not None:
        name, password = panel.hotspot
        return PanelScene(words("panel.hotspot"), (
            words("panel.hotspot.name", name=name), words("panel.hotspot.password"), *_exactly(password)),
            words("panel.hint.qr"))
    if page == d.STANDBY and standby is not None:
        state = f"panel.standby.{standby.state}"
        return PanelScene(words("panel.standby"), (
            words(state if state in words else "panel.standby.away"), _typed(standby.hub)), words("panel.hint.around"))
    return PanelScene(words("panel.title"), (words("panel.away"), words("panel.away.what")),
                      words("panel.hint.around"))


def _question(panel: PanelDialogue) -> PanelScene:
    page, hub, standby, words = panel.page, panel.hub, panel.standby, panel.words
    lines = [words(f"panel.{page}.what", stick=Shown.of(panel.stick.rpartition("/")[2]))]
    hint = "hold" if page in d.ABOVE else "hold_around" if page in d.DOES else "yes_around"
    if page in (d.OFF_ASK, d.OFF_SURE) and hub is not None and hub.running:
        lines.insert(0, words("panel.round_runs"))
    if page == d.TURN_ASK and standby is not None:
        if not standby.level:
            lines, hint = [words("panel.turn.never_level")], "around"
        elif standby.state in ("following", "behind"):
            lines = [words("panel.turn.hub_lives"), _typed(standby.hub)]
    return PanelScene(words(f"panel.{page}"), tuple(lines), words(f"panel.hint.{hint}"))


def _address_code(panel: PanelDialogue, hub: PanelView) -> PanelScene:
    players = panel.page == d.PLAYERS_QR
    address = hub.players if players else hub.console
    return PanelScene(panel.words("panel.qr.players" if players else "panel.qr.console"), _in_parts(address),
                      panel.words("panel.hint.next" if players and hub.console else "panel.hint.back"),
                      qr=address_code(address))


def _typed(address: str) -> str:
    """As somebody types it: browsers add http:// by themselves."""
    return address.removeprefix("http://")


def _in_parts(address: str) -> tuple[str, ...]:
    """An address beside its code, where there is little room: broken before its port, and after dots."""
    scheme, _, rest = address.partition("://")
    host, colon, port = rest.rpartition(":") if ":" in rest.rpartition("]")[2] else (rest, "", "")
    lines = [""]
    for part in host.split("."):
        if len(lines[-1]) + len(part) >= LETTERS_BESIDE_CODE:
            lines.append("")
        lines[-1] += f"{part}."
    lines[-1] = lines[-1].removesuffix(".")
    return tuple(line for line in ("" if scheme == "http" else f"{scheme}://", *lines, f"{colon}{port}") if line)


def _exactly(text: str) -> tuple[str, ...]:
    """What somebody types letter by letter: broken where the line ends, and nowhere else."""
    unbroken = text.replace("-", NO_BREAK_HYPHEN).replace(" ", OPEN_BOX)
    return tuple(unbroken[at:at + LETTERS_A_LINE] for at in range(0, len(unbroken), LETTERS_A_LINE))


def _corner(panel: PanelDialogue) -> str:
    if panel.hub is None:
        return AWAY_SIGN if panel.standby is None else ""
    return f"{DISK_SIGN} {panel.hub.wall}".strip() if panel.hub.trouble else panel.hub.wall
