"""The front panel's dialogue: a pure state machine of pages, on the caller's clock.

▲ ▼ cycle, ● leads further, ■ leads back. A change has its own page, and needs ● held after time to read it; what ends
the hub, or makes one, is asked twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from PIL import Image, ImageDraw

from roundtap_core.messages import PanelView, StandbyState
from roundtap_core.typed import DisplayText
from roundtap_core.words import Words
from roundtap_devices.input.gestures import HOLD, REPEAT, TAP, Gesture
from roundtap_devices.letters import draw_text, text_width
from roundtap_devices.printing.drawing import qr_image, qr_modules
from roundtap_machine.wifi import wifi_qr_text
from roundtap_units.table.screens.lettering import FittedText, Style, canvas, fit_text, line_height

NOBODY, ADDRESS, STANDBY = "nobody", "address", "standby"
HOTSPOT, TRUST, CONTINUE_ASK, EJECT_ASK, PIN_ASK, TURN_ASK, OFF_ASK = (
    "hotspot",
    "trust",
    "continue-ask",
    "eject-ask",
    "pin-ask",
    "turn-ask",
    "off-ask",
)
PLAYERS_QR, CONSOLE_QR, HOTSPOT_QR, CONTINUE_SURE, TURN_SURE, OFF_SURE = (
    "players-qr",
    "console-qr",
    "hotspot-qr",
    "continue-sure",
    "turn-sure",
    "off-sure",
)
WAITING, PIN_SHOWN, SAID, OFF = "waiting", "pin-shown", "said", "off"

NEXT_PAGE: Mapping[str, str] = {
    ADDRESS: PLAYERS_QR,
    PLAYERS_QR: CONSOLE_QR,
    CONSOLE_QR: ADDRESS,
    HOTSPOT: HOTSPOT_QR,
    HOTSPOT_QR: HOTSPOT,
    CONTINUE_ASK: CONTINUE_SURE,
    TURN_ASK: TURN_SURE,
    OFF_ASK: OFF_SURE,
}
PARENT_PAGE: Mapping[str, str] = {
    PLAYERS_QR: ADDRESS,
    CONSOLE_QR: ADDRESS,
    HOTSPOT_QR: HOTSPOT,
    CONTINUE_SURE: CONTINUE_ASK,
    TURN_SURE: TURN_ASK,
    OFF_SURE: OFF_ASK,
}
"""Where ■ leads; from everywhere else to the first page."""
CONTINUE, EJECT, NEW_PIN, TURN, POWER_OFF = "continue", "eject", "pin", "turn", "power-off"
PAGE_STEPS: Mapping[str, str] = {
    CONTINUE_SURE: CONTINUE,
    EJECT_ASK: EJECT,
    PIN_ASK: NEW_PIN,
    TURN_SURE: TURN,
    OFF_SURE: POWER_OFF,
}
DONE_TEXTS: Mapping[str, str] = {CONTINUE: "panel.continues", EJECT: "panel.pull_out", TURN: "panel.turned"}

UNREAD_MS = 900  # a question shown for less than this cannot have been read
IDLE_MS, PIN_MS, SAID_MS = 90_000, 180_000, 20_000  # how long such a page stays without a press
AWAY_MS = 6000  # after this long without an answer the hub is away
ANSWER_MS = 32_000
OK, BACK, UP, DOWN = "a", "b", "up", "down"
AWAY_SIGN, DISK_SIGN = "✕", "⚠"
GROUPS_A_LINE = 4
NO_BREAK_HYPHEN, OPEN_BOX = "\u2011", "\u2423"
LETTERS_A_LINE, LETTERS_BESIDE_CODE = 16, 11
WIDTH, HEIGHT = 128, 64
QR_QUIET = 4  # light modules around a code, where they fit: readers look for them
BIG = (28, 24, 20, 17, 14)
RULE, BELOW = 14, 16  # the line under the title, low enough for its descenders, and where the rest begins
LIGHT = 1


@dataclass(frozen=True, slots=True)
class PanelAction:
    """To be done once: CONTINUE of an offer (`stick`: its mark), EJECT of a stick and NEW_PIN by the hub, TURN by the
    standby, POWER_OFF by root."""

    number: int
    step: str
    stick: str = ""


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """The outcome of a press: `refused`, the hub's text; `trouble`, the key of a text where no answer came; a new
    `pin`."""

    number: int
    refused: str = ""
    trouble: str = ""
    pin: str = ""


@dataclass
class PanelDialogue:
    """`words`: the panel's texts. Times are the panel's monotonic milliseconds."""

    words: Words
    page: str = NOBODY
    stick: str = ""  # the stick that EJECT_ASK is about, or the mark of the offer
    hub: PanelView | None = None
    standby: StandbyState | None = None
    hotspot: tuple[str, str] | None = None  # name and password of the hub's own access point
    pin: str = ""
    said: str = ""
    waits: str = ""  # why the hub cannot open its journal
    _heard_ms: int = 0
    _page_ms: int = 0
    _press: PanelAction = PanelAction(0, "")
    _pin_asked: int = 0
    _presses: list[PanelAction] = field(default_factory=list)

    def on_hub(self, view: PanelView, now_ms: int) -> None:
        self._on_contact(now_ms, hub=view)

    def on_standby(self, state: StandbyState, now_ms: int) -> None:
        self._on_contact(now_ms, standby=state)

    def on_hub_waits(self, fault: str, now_ms: int) -> None:
        """The hub cannot open its journal; `fault`: a key below "panel.waits", others count as no contact."""
        self._on_contact(now_ms, waits=fault if f"panel.waits.{fault}" in self.words else "")

    def _on_contact(
        self, now_ms: int, hub: PanelView | None = None, standby: StandbyState | None = None, waits: str = ""
    ) -> None:
        self.hub, self.standby, self.waits, self._heard_ms = hub, standby, waits, now_ms
        self._leave_stale_page(now_ms)

    def on_done(self, done: ActionOutcome, now_ms: int) -> None:
        if done.pin and done.number == self._pin_asked:
            # However late: it is valid already, and shown only here.
            self._pin_asked, self.pin = 0, done.pin
            self._open_page(now_ms, PIN_SHOWN)
        elif self.page != WAITING or done.number != self._press.number:
            return
        elif done.refused or done.trouble:
            self._show_text(done.refused or self.words(done.trouble), now_ms)
        elif self._press.step == POWER_OFF:
            self._open_page(now_ms, OFF)
        else:
            self._show_text(
                self.words(DONE_TEXTS.get(self._press.step, "panel.no_answer"), stick=self._press.stick), now_ms
            )

    def on_gesture(self, gesture: Gesture, now_ms: int) -> None:
        self._leave_stale_page(now_ms)
        if gesture.kind not in (TAP, HOLD, REPEAT) or self.page in (WAITING, OFF):
            return
        ring, here = self.ring(), (self.page, self.stick)
        if gesture.key in (UP, DOWN) and here in ring:
            by = -1 if gesture.key == UP else 1
            self._open_page(now_ms, *ring[(ring.index(here) + by) % len(ring)])
        elif gesture.key == BACK:
            back = PARENT_PAGE.get(self.page, ring[0][0])
            self._open_page(now_ms, back, self.stick if back == CONTINUE_ASK else "")
        elif gesture.key == OK:
            self._confirm(gesture.kind == HOLD, now_ms)
        self._leave_stale_page(now_ms)

    def tick(self, now_ms: int) -> None:
        """Close pages after their time, and report an answer that does not come."""
        self._leave_stale_page(now_ms)
        stood_ms = now_ms - self._page_ms
        if self.page == WAITING:
            if stood_ms >= ANSWER_MS:
                self._show_text(self.words("panel.no_answer"), now_ms)
        elif self.page != OFF and stood_ms >= {PIN_SHOWN: PIN_MS, SAID: SAID_MS}.get(self.page, IDLE_MS):
            self._open_page(now_ms, self.ring()[0][0])

    def take_presses(self) -> list[PanelAction]:
        taken, self._presses = self._presses, []
        return taken

    def ring(self) -> list[tuple[str, str]]:
        """The pages that ▲ ▼ cycle through now, each with the stick it is about."""
        hub, standby = self.hub, self.standby
        ring = [(ADDRESS if hub is not None else STANDBY if standby is not None else NOBODY, "")]
        if self.hotspot is not None:
            ring.append((HOTSPOT, ""))
        if hub is not None:
            ring += [(CONTINUE_ASK, hub.offer.mark)] if hub.offer is not None else []
            if hub.fingerprint:
                ring.append((TRUST, ""))
            ring += [(EJECT_ASK, stick) for stick in hub.ejectable_sticks]
            ring.append((PIN_ASK, ""))
        if standby is not None:
            ring.append((TURN_ASK, ""))
        return [*ring, (OFF_ASK, "")]

    def _confirm(self, held: bool, now_ms: int) -> None:
        page = self.page
        further = NEXT_PAGE.get(page, page)
        if further in PAGE_STEPS and now_ms - self._page_ms < UNREAD_MS:
            return
        if further != page:
            self._open_page(now_ms, further, self.stick)
        elif page in PAGE_STEPS and held:
            self._press = PanelAction(self._press.number + 1, PAGE_STEPS[page], self.stick)
            self._presses.append(self._press)
            if page == PIN_ASK:
                self._pin_asked = self._press.number
            self._open_page(now_ms, WAITING)

    def _show_text(self, text: str, now_ms: int) -> None:
        self.said = text
        self._open_page(now_ms, SAID)

    def _leave_stale_page(self, now_ms: int) -> None:
        """Leave a page whose subject has gone."""
        if now_ms - self._heard_ms >= AWAY_MS:
            self.hub, self.standby, self.waits = None, None, ""
        ring = self.ring()
        if self.page == CONSOLE_QR:
            there = self.hub is not None and self.hub.console != ""
        elif self.page == TURN_SURE:
            there = self.standby is not None and self.standby.level
        else:
            there = (
                self.page in (WAITING, PIN_SHOWN, SAID, OFF)
                or (PARENT_PAGE.get(self.page, self.page), self.stick) in ring
            )
        if not there:
            self._open_page(now_ms, ring[0][0])

    def _open_page(self, now_ms: int, page: str, stick: str = "") -> None:
        if page != PIN_SHOWN:
            self.pin = ""
        self.page, self.stick, self._page_ms = page, stick, now_ms


@dataclass(frozen=True, slots=True)
class PanelScene:
    """A `title`; then one big figure and lines of text, or lines beside a QR code; at the bottom the buttons' meaning.
    `corner`: the time, a disk in trouble, no contact."""

    title: str
    lines: tuple[str, ...] = ()
    hint: str = ""
    big: str = ""
    qr: str = ""
    corner: str = ""

    def all_text(self) -> str:
        """All its text in reading order, for tests, logs and the virtual panel."""
        qr = f"[QR {self.qr}]" if self.qr else ""
        return " | ".join(text for text in (self.corner, self.title, self.big, qr, *self.lines, self.hint) if text)


def make_scene(panel: PanelDialogue) -> PanelScene:
    page, words = panel.page, panel.words
    if page == WAITING:
        return PanelScene(words("panel.waiting"))
    if page == SAID:
        return PanelScene(words("panel.title"), (panel.said,), words("panel.hint.back"))
    if page == PIN_SHOWN:
        half = len(panel.pin) // 2
        return PanelScene(
            words("panel.pin"),
            (words("panel.pin.once"),),
            words("panel.hint.hide"),
            big=f"{panel.pin[:half]} {panel.pin[half:]}",
        )
    if page == OFF:
        return PanelScene(words("panel.off"), (words("panel.off.what"),))
    if page == HOTSPOT_QR and panel.hotspot is not None:
        return PanelScene(
            words("panel.hotspot"), (panel.hotspot[0],), words("panel.hint.back"), qr=wifi_qr_text(*panel.hotspot)
        )
    if page in (PLAYERS_QR, CONSOLE_QR) and panel.hub is not None:
        return _address_code(panel, panel.hub)
    if page in PAGE_STEPS or NEXT_PAGE.get(page) in PAGE_STEPS:
        return _question(panel)
    return replace(_state(panel), corner=_corner(panel))


def qr_address_text(address: str) -> str:
    """The address for its QR code: scheme and host in capitals mean the same to browsers, and make a smaller code with
    larger dots. Only where nothing follows that capitals would change."""
    host = address.partition("://")[2]
    return address.upper() if "/" not in host else address


def _state(panel: PanelDialogue) -> PanelScene:
    """The hub's state and address."""
    page, hub, standby, words = panel.page, panel.hub, panel.standby, panel.words
    if page == ADDRESS and hub is not None:
        lines = _without_scheme(hub.players), hub.name, hub.console
        return PanelScene(words("panel.title"), tuple(line for line in lines if line), words("panel.hint.qr"))
    if page == TRUST and hub is not None:
        groups = hub.fingerprint.split()
        return PanelScene(
            words("panel.fingerprint"),
            tuple(" ".join(groups[at : at + GROUPS_A_LINE]) for at in range(0, len(groups), GROUPS_A_LINE)),
        )
    if page == HOTSPOT and panel.hotspot is not None:
        name, password = panel.hotspot
        return PanelScene(
            words("panel.hotspot"),
            (words("panel.hotspot.name", name=name), words("panel.hotspot.password"), *_verbatim_lines(password)),
            words("panel.hint.qr"),
        )
    if page == STANDBY and standby is not None:
        state = f"panel.standby.{standby.state}"
        return PanelScene(
            words("panel.standby"),
            (words(state if state in words else "panel.standby.away"), _without_scheme(standby.hub)),
            words("panel.hint.around"),
        )
    keys = (f"panel.waits.{panel.waits}",) if panel.waits else ("panel.away", "panel.away.what")
    return PanelScene(words("panel.title"), tuple(words(key) for key in keys), words("panel.hint.around"))


def _question(panel: PanelDialogue) -> PanelScene:
    page, hub, standby, words = panel.page, panel.hub, panel.standby, panel.words
    offer = hub.offer if hub is not None else None
    until = offer.until.replace("-", NO_BREAK_HYPHEN) if offer is not None else ""
    about = {"n": offer.entries, "until": until or "–"} if offer is not None else {}
    lines = [words(f"panel.{page}.what", stick=DisplayText.of(panel.stick.rpartition("/")[2]), **about)]
    hint = "hold" if page in PARENT_PAGE else "hold_around" if page in PAGE_STEPS else "yes_around"
    if page in (OFF_ASK, OFF_SURE) and hub is not None and hub.running:
        lines.insert(0, words("panel.round_runs"))
    if offer is not None and page == CONTINUE_ASK:
        lines.insert(0, offer.name)
    elif offer is not None and offer.own and page == CONTINUE_SURE:
        lines = [words("panel.continue-sure.own", names=offer.own)]
    if page == TURN_ASK and standby is not None:
        if not standby.level:
            lines, hint = [words("panel.turn.never_level")], "around"
        elif standby.state in ("following", "behind"):
            lines = [words("panel.turn.hub_lives"), _without_scheme(standby.hub)]
    return PanelScene(words(f"panel.{page}"), tuple(lines), words(f"panel.hint.{hint}"))


def _address_code(panel: PanelDialogue, hub: PanelView) -> PanelScene:
    players = panel.page == PLAYERS_QR
    address = hub.players if players else hub.console
    return PanelScene(
        panel.words("panel.qr.players" if players else "panel.qr.console"),
        _address_lines(address),
        panel.words("panel.hint.next" if players and hub.console else "panel.hint.back"),
        qr=qr_address_text(address),
    )


def _without_scheme(address: str) -> str:
    """As people type it: browsers add http:// themselves."""
    return address.removeprefix("http://")


def _address_lines(address: str) -> tuple[str, ...]:
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


def _verbatim_lines(text: str) -> tuple[str, ...]:
    """A text to be typed letter by letter: broken only where the line ends."""
    unbroken = text.replace("-", NO_BREAK_HYPHEN).replace(" ", OPEN_BOX)
    return tuple(unbroken[at : at + LETTERS_A_LINE] for at in range(0, len(unbroken), LETTERS_A_LINE))


def _corner(panel: PanelDialogue) -> str:
    if panel.hub is None:
        return DISK_SIGN if panel.waits else AWAY_SIGN if panel.standby is None else ""
    return f"{DISK_SIGN} {panel.hub.wall}".strip() if panel.hub.trouble else panel.hub.wall


def draw_panel(scene: PanelScene) -> Image.Image:
    return render_panel(scene)[0]


def render_panel(scene: PanelScene) -> tuple[Image.Image, bool]:
    image, pen = canvas(WIDTH, HEIGHT)
    if scene.qr:
        return image, _with_qr(image, pen, scene)
    corner = text_width(scene.corner, 10) + 4 if scene.corner else 0
    draw_text(pen, WIDTH, 9, scene.corner, 10, anchor="r")
    title = fit_text(scene.title, WIDTH - corner, 12, (11, 10, 9), bold=True)
    bottom, whole = HEIGHT, _put(pen, title, (12 - title.height) // 2, WIDTH - corner)
    pen.line([(0, RULE), (WIDTH, RULE)], fill=LIGHT)
    if scene.hint:
        bottom -= 11
        hint = fit_text(scene.hint, WIDTH, 10, (9, 8))
        whole = _put(pen, hint, HEIGHT - 1 - hint.height) and whole
    top = BELOW
    if scene.big:
        big = fit_text(scene.big, WIDTH, 28, BIG, bold=True)
        drawn = _draw(pen, big.lines[0], big.style, top + 22, WIDTH, centered=True)
        whole = whole and drawn and big.fits and len(big.lines) == 1
        top += 26
    return image, _lines(pen, scene.lines, top, bottom) and whole


def _lines(pen: ImageDraw.ImageDraw, lines: tuple[str, ...], top: int, bottom: int, wide: int = WIDTH) -> bool:
    """All lines in the one size in which they fit together, wrapped at spaces; whether there is one."""
    if not lines:
        return True
    for size in (11, 10, 9, 8):
        fitted = [fit_text(line, wide, bottom - top, (size,)) for line in lines]
        whole = all(each.fits for each in fitted) and sum(each.height for each in fitted) <= bottom - top
        if whole:
            break
    for each in fitted:
        whole = _put(pen, each, top, wide) and whole
        top += each.height
    return whole


def _with_qr(image: Image.Image, pen: ImageDraw.ImageDraw, scene: PanelScene) -> bool:
    """The code on the right, as large as whole pixels allow; its explanation beside it."""
    code = qr_picture(scene.qr)
    left = WIDTH - code.width
    wide = left - 3
    title = fit_text(scene.title, wide, 26, (11, 10, 9, 8), bold=True)
    whole = _put(pen, title, 0, wide)
    hint = fit_text(scene.hint, wide, 20, (9, 8))
    whole = _put(pen, hint, HEIGHT - 1 - hint.height, wide) and whole
    whole = _lines(pen, scene.lines, title.height + 2, HEIGHT - 1 - hint.height, wide) and whole
    # Last: a name too long for its place ends at the code, and does not spoil it.
    image.paste(code, (left, (HEIGHT - code.height) // 2))
    return whole


def qr_picture(text: str) -> Image.Image:
    """A code no taller than the screen. Lit pixels are its light modules, with as much of a margin as fits."""
    modules = len(qr_modules(text))
    dot = max(1, HEIGHT // (modules + 2))
    side = min(HEIGHT, (modules + 2 * QR_QUIET) * dot)
    picture = Image.new("1", (side, side), LIGHT)
    margin = (side - modules * dot) // 2
    picture.paste(qr_image(text, dot), (margin, margin))
    return picture


def _put(pen: ImageDraw.ImageDraw, fitted: FittedText, top: int, wide: int = WIDTH) -> bool:
    """At the left; descenders take one row more than its height. Whether all of it can be read."""
    whole = fitted.fits
    for text in fitted.lines:
        whole = _draw(pen, text, fitted.style, top + fitted.size - 1, wide) and whole
        top += line_height(fitted.size)
    return whole


def _draw(pen: ImageDraw.ImageDraw, text: str, style: Style, baseline: int, wide: int, centered: bool = False) -> bool:
    """One line in this style, which says whether it is no wider than its place."""
    draw_text(pen, wide // 2 if centered else 0, baseline, text, *style, anchor="m" if centered else "l")
    return text_width(text, *style) <= wide
