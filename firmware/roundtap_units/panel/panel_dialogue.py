"""The front panel's dialogue: pages in a ring, on the caller's clock.

▲ ▼ turn the pages, ■ leads to the first. What a page offers needs ● held after time to read it; what ends the hub, or
makes one, is asked once more on the same page.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from PIL import Image, ImageDraw

from roundtap_core.messages import PanelView, StandbyState
from roundtap_core.typed import DisplayText
from roundtap_core.words import Words
from roundtap_devices.input.gestures import HOLD, REPEAT, TAP, Gesture
from roundtap_devices.letters import draw_text, text_width
from roundtap_devices.printing.drawing import qr_image, qr_modules
from roundtap_machine.wifi import wifi_qr_text
from roundtap_units.table.screens.lettering import FittedText, canvas, fit_text, line_height

# The pages of the ring, in its order; then what stands in place of one.
HOME, PLAYERS_QR, CONSOLE_QR, HOTSPOT, HOTSPOT_QR = "home", "players-qr", "console-qr", "hotspot", "hotspot-qr"
CONTINUE_ASK, TRUST, EJECT_ASK, PIN_ASK = "continue-ask", "trust", "eject-ask", "pin-ask"
TURN_ASK, OFF_ASK = "turn-ask", "off-ask"
WAITING, NOTICE, OFF = "waiting", "notice", "off"
CONTINUE, EJECT, NEW_PIN, TURN, POWER_OFF = "continue", "eject", "pin", "turn", "power-off"
DONE_TEXTS: Mapping[str, str] = {CONTINUE: "panel.continues", EJECT: "panel.pull_out", TURN: "panel.turned"}

UNREAD_MS = 900  # a question shown for less than this cannot have been read
IDLE_MS, PIN_MS, NOTICE_MS = 90_000, 180_000, 20_000  # how long such a page stays without a press
AWAY_MS = 6000  # after this long without an answer the hub is away
ANSWER_MS = 32_000
UNPLUGGED_MS = 2**40
OK, BACK, UP, DOWN = "a", "b", "up", "down"
AWAY_SIGN, DISK_SIGN = "✕", "⚠"
GROUPS_A_LINE = 4
NO_BREAK_HYPHEN, OPEN_BOX = "\u2011", "\u2423"
LETTERS_A_LINE = 16
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


@dataclass(frozen=True, slots=True)
class PanelScene:
    """A `title`; then one big figure and lines of text, or a QR code beside it; at the bottom the buttons' meaning.
    `corner`: the time, a disk in trouble, no contact."""

    title: str
    lines: Sequence[str] = ()
    hint: str = ""
    big: str = ""
    qr: str = ""
    corner: str = ""

    def all_text(self) -> str:
        """All its text in reading order, for tests, logs and the virtual panel."""
        qr = f"[QR {self.qr}]" if self.qr else ""
        return " | ".join(text for text in (self.corner, self.title, self.big, qr, *self.lines, self.hint) if text)


class Page(NamedTuple):
    """A page of the ring. `step`: what ● held does there, to `stick`; `sure`: what is asked once more before that."""

    name: str
    scene: PanelScene
    step: str = ""
    stick: str = ""  # the stick, or the mark of the offer
    sure: PanelScene | None = None


@dataclass
class PanelDialogue:
    """`words`: the panel's texts. Times are the panel's monotonic milliseconds."""

    words: Words
    page: str = HOME
    stick: str = ""  # that the page is about
    sure: bool = False  # whether the page asks once more
    notice: PanelScene | None = None  # in place of a page
    hub: PanelView | None = None
    standby: StandbyState | None = None
    waits: str = ""  # why the hub cannot open its journal
    hotspot: tuple[str, str] | None = None  # name and password of the hub's own access point
    _heard_ms: int = 0
    _opened_ms: int = 0
    _closes_ms: int = 0
    _press: PanelAction = PanelAction(0, "")
    _pin_asked: int = 0
    _presses: list[PanelAction] = field(default_factory=list)

    def on_contact(
        self, now_ms: int, hub: PanelView | None = None, standby: StandbyState | None = None, waits: str = ""
    ) -> None:
        """The hub or the standby was heard; `waits`: the hub cannot open its journal. A key below "panel.waits";
        another one counts as no contact."""
        self.hub, self.standby, self._heard_ms = hub, standby, now_ms
        self.waits = waits if f"panel.waits.{waits}" in self.words else ""
        self._leave_stale_page(now_ms)

    def on_done(self, done: ActionOutcome, now_ms: int) -> None:
        words, press = self.words, self._press
        if done.pin and done.number == self._pin_asked:
            # However late: it is valid already, and shown only here.
            self._pin_asked, half = 0, len(done.pin) // 2
            big = f"{done.pin[:half]} {done.pin[half:]}"
            scene = PanelScene(words("panel.pin"), (words("panel.pin.once"),), words("panel.hint.hide"), big)
            self._open_page(now_ms, NOTICE, notice=scene, stays_ms=PIN_MS)
        elif self.page != WAITING or done.number != press.number:
            return
        elif done.refused or done.trouble:
            self._tell(done.refused or words(done.trouble), now_ms)
        elif press.step == POWER_OFF:
            scene = PanelScene(words("panel.off"), (words("panel.off.what"),))
            self._open_page(now_ms, OFF, notice=scene, stays_ms=UNPLUGGED_MS)
        else:
            self._tell(words(DONE_TEXTS.get(press.step, "panel.no_answer"), stick=press.stick), now_ms)

    def on_gesture(self, gesture: Gesture, now_ms: int) -> None:
        self._leave_stale_page(now_ms)
        if gesture.kind not in (TAP, HOLD, REPEAT) or self.page in (WAITING, OFF):
            return
        page = self.here()
        if gesture.key == BACK:
            self._open_page(now_ms, *((self.page, self.stick) if self.sure else ()))
        elif page is None:
            return
        elif gesture.key in (UP, DOWN) and not self.sure:
            ring = self.ring()
            following = ring[(ring.index(page) + (1 if gesture.key == DOWN else -1)) % len(ring)]
            self._open_page(now_ms, following.name, following.stick)
        elif gesture.key == OK and page.step and now_ms - self._opened_ms >= UNREAD_MS:
            self._confirm(page, gesture.kind == HOLD, now_ms)

    def tick(self, now_ms: int) -> None:
        """Close pages after their time, and report an answer that does not come."""
        self._leave_stale_page(now_ms)
        if now_ms >= self._closes_ms and self.page == WAITING:
            self._tell(self.words("panel.no_answer"), now_ms)
        elif now_ms >= self._closes_ms:
            self._open_page(now_ms)

    def take_presses(self) -> list[PanelAction]:
        taken, self._presses = self._presses, []
        return taken

    def ring(self) -> list[Page]:
        """The pages that ▲ ▼ turn now."""
        return list(_pages(self))

    def here(self) -> Page | None:
        """The page of the ring that is shown; None where a notice stands in its place."""
        return next((page for page in self.ring() if (page.name, page.stick) == (self.page, self.stick)), None)

    def _confirm(self, page: Page, held: bool, now_ms: int) -> None:
        if page.sure is not None and not self.sure:
            self._open_page(now_ms, page.name, page.stick, sure=True)
        elif held:
            self._press = PanelAction(self._press.number + 1, page.step, page.stick)
            self._presses.append(self._press)
            if page.step == NEW_PIN:
                self._pin_asked = self._press.number
            self._open_page(now_ms, WAITING, notice=PanelScene(self.words("panel.waiting")), stays_ms=ANSWER_MS)

    def _tell(self, text: str, now_ms: int) -> None:
        scene = PanelScene(self.words("panel.title"), (text,), self.words("panel.hint.back"))
        self._open_page(now_ms, NOTICE, notice=scene, stays_ms=NOTICE_MS)

    def _leave_stale_page(self, now_ms: int) -> None:
        """Leave a page whose subject has gone."""
        if now_ms - self._heard_ms >= AWAY_MS:
            self.hub, self.standby, self.waits = None, None, ""
        page = self.here()
        if self.notice is None and (page is None or (self.sure and page.sure is None)):
            self._open_page(now_ms)

    def _open_page(
        self,
        now_ms: int,
        page: str = HOME,
        stick: str = "",
        sure: bool = False,
        notice: PanelScene | None = None,
        stays_ms: int = IDLE_MS,
    ) -> None:
        self.page, self.stick, self.sure, self.notice = page, stick, sure, notice
        self._opened_ms, self._closes_ms = now_ms, now_ms + stays_ms


def make_scene(panel: PanelDialogue) -> PanelScene:
    page = panel.here()
    if page is None:
        return panel.notice or panel.ring()[0].scene
    if panel.sure and page.sure is not None:
        return page.sure
    return page.scene


def _pages(panel: PanelDialogue) -> Iterator[Page]:
    hub, words = panel.hub, panel.words
    yield Page(HOME, replace(_home(panel), hint=words("panel.hint.around")))
    codes = (
        [(PLAYERS_QR, "panel.qr.players", hub.players), (CONSOLE_QR, "panel.qr.console", hub.console)] if hub else []
    )
    for name, key, address in codes:
        if address:
            yield Page(name, PanelScene(words(key), hint=words("panel.hint.around"), qr=qr_address_text(address)))
    if panel.hotspot is not None:
        title, hint = words("panel.hotspot").replace("-", NO_BREAK_HYPHEN), words("panel.hint.around")
        name, password = panel.hotspot
        lines = words("panel.hotspot.name", name=name), words("panel.hotspot.password"), *_verbatim_lines(password)
        yield Page(HOTSPOT, PanelScene(title, lines, hint))
        yield Page(HOTSPOT_QR, PanelScene(title, hint=hint, qr=wifi_qr_text(name, password)))
    if hub is not None:
        yield from _of_hub(hub, words)
    if panel.standby is not None:
        yield _turn(panel.standby, words)
    running = [words("panel.round_runs")] if hub is not None and hub.running else []
    ask, sure = ([*running, words(f"panel.off-{which}.what")] for which in ("ask", "sure"))
    yield _question(words, OFF_ASK, POWER_OFF, ask, sure=sure)


def _home(panel: PanelDialogue) -> PanelScene:
    hub, standby, words = panel.hub, panel.standby, panel.words
    if hub is not None:
        lines = [line for line in (_without_scheme(hub.players), hub.name, hub.console) if line]
        return PanelScene(words("panel.title"), lines, corner=f"{DISK_SIGN if hub.trouble else ''} {hub.wall}".strip())
    if standby is not None:
        state = f"panel.standby.{standby.state}"
        lines = [words(state if state in words else "panel.standby.away"), _without_scheme(standby.hub)]
        return PanelScene(words("panel.standby"), lines)
    if panel.waits:
        return PanelScene(words("panel.title"), [words(f"panel.waits.{panel.waits}")], corner=DISK_SIGN)
    return PanelScene(words("panel.title"), [words("panel.away"), words("panel.away.what")], corner=AWAY_SIGN)


def _of_hub(hub: PanelView, words: Words) -> Iterator[Page]:
    if (offer := hub.offer) is not None:
        until = offer.until.replace("-", NO_BREAK_HYPHEN) or "–"
        about = words("panel.continue-ask.what", n=offer.entries, until=until)
        own = words("panel.continue-sure.own", names=offer.own)
        sure = [own if offer.own else words("panel.continue-sure.what")]
        yield _question(words, CONTINUE_ASK, CONTINUE, [offer.name, about], offer.mark, sure)
    if groups := hub.fingerprint.split():
        lines = [" ".join(groups[at : at + GROUPS_A_LINE]) for at in range(0, len(groups), GROUPS_A_LINE)]
        yield Page(TRUST, PanelScene(words("panel.fingerprint"), lines))
    for stick in hub.ejectable_sticks:
        named = DisplayText.of(stick.rpartition("/")[2])
        yield _question(words, EJECT_ASK, EJECT, [words("panel.eject-ask.what", stick=named)], stick)
    yield _question(words, PIN_ASK, NEW_PIN, [words("panel.pin-ask.what")])


def _turn(standby: StandbyState, words: Words) -> Page:
    if not standby.level:
        lines = [words("panel.turn.never_level")]
        return Page(TURN_ASK, PanelScene(words("panel.turn-ask"), lines, words("panel.hint.around")))
    lines = [words("panel.turn-ask.what")]
    if standby.state in ("following", "behind"):
        lines = [words("panel.turn.hub_lives"), _without_scheme(standby.hub)]
    return _question(words, TURN_ASK, TURN, lines, sure=[words("panel.turn-sure.what")])


def _question(
    words: Words, name: str, step: str, lines: Sequence[str], stick: str = "", sure: Sequence[str] = ()
) -> Page:
    hint = words("panel.hint.yes_around" if sure else "panel.hint.hold_around")
    scene = PanelScene(words(f"panel.{name}"), lines, hint)
    if not sure:
        return Page(name, scene, step, stick)
    title = words(f"panel.{name.replace('ask', 'sure')}")
    return Page(name, scene, step, stick, PanelScene(title, sure, words("panel.hint.hold")))


def qr_address_text(address: str) -> str:
    """The address for its QR code: scheme and host in capitals mean the same to browsers, and make a smaller code with
    larger dots. Only where nothing follows that capitals would change."""
    host = address.partition("://")[2]
    return address.upper() if "/" not in host else address


def _without_scheme(address: str) -> str:
    """As people type it: browsers add http:// themselves."""
    return address.removeprefix("http://")


def _verbatim_lines(text: str) -> list[str]:
    """A text to be typed letter by letter: broken only where the line ends."""
    unbroken = text.replace("-", NO_BREAK_HYPHEN).replace(" ", OPEN_BOX)
    return [unbroken[at : at + LETTERS_A_LINE] for at in range(0, len(unbroken), LETTERS_A_LINE)]


def draw_panel(scene: PanelScene) -> Image.Image:
    image, pen = canvas(WIDTH, HEIGHT)
    room = WIDTH
    if scene.qr:
        # On the right, as large as whole pixels allow.
        code = qr_picture(scene.qr)
        room -= code.width + 3
        image.paste(code, (WIDTH - code.width, (HEIGHT - code.height) // 2))
    else:
        pen.line([(0, RULE), (WIDTH, RULE)], fill=LIGHT)
    draw_text(pen, room, 9, scene.corner, 10, anchor="r")
    corner = text_width(scene.corner, 10) + 4 if scene.corner else 0
    title = fit_text(scene.title, room - corner, 38 if scene.qr else 12, (11, 10, 9, 8), bold=True)
    hint = fit_text(scene.hint, room, 20 if scene.qr else 10, (9, 8))
    _put(pen, title, 0 if scene.qr else (12 - title.height) // 2)
    _put(pen, hint, HEIGHT - 1 - hint.height)
    top, bottom = BELOW, HEIGHT - 11 if scene.hint else HEIGHT
    if scene.big:
        big = fit_text(scene.big, WIDTH, 28, BIG, bold=True)
        draw_text(pen, WIDTH // 2, top + 22, big.lines[0], *big.style, anchor="m")
        top += 26
    for each in _in_one_size(scene.lines, bottom - top):
        _put(pen, each, top)
        top += each.height
    return image


def _in_one_size(lines: Sequence[str], high: int) -> list[FittedText]:
    """All lines in the largest size in which they fit together, wrapped at spaces."""
    fitted: list[FittedText] = []
    for size in (11, 10, 9, 8):
        fitted = [fit_text(line, WIDTH, high, (size,)) for line in lines]
        if all(each.fits for each in fitted) and sum(each.height for each in fitted) <= high:
            break
    return fitted


def _put(pen: ImageDraw.ImageDraw, fitted: FittedText, top: int) -> None:
    """At the left; descenders take one row more than its height."""
    for text in fitted.lines:
        draw_text(pen, 0, top + fitted.size - 1, text, *fitted.style)
        top += line_height(fitted.size)


def qr_picture(text: str) -> Image.Image:
    """A code no taller than the screen. Lit pixels are its light modules, with as much of a margin as fits."""
    modules = len(qr_modules(text))
    dot = max(1, HEIGHT // (modules + 2))
    side = min(HEIGHT, (modules + 2 * QR_QUIET) * dot)
    picture = Image.new("1", (side, side), LIGHT)
    margin = (side - modules * dot) // 2
    picture.paste(qr_image(text, dot), (margin, margin))
    return picture
