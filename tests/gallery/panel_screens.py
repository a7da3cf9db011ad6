"""Every page of the front panel as a picture."""

from collections.abc import Iterator
from typing import Any

from PIL import Image

from gallery import event_name
from roundtap_core.messages import ContinueOffer, PanelView, StandbyState, UsbStick
from roundtap_core.words import LANGUAGES
from roundtap_devices.input.gestures import HOLD, Gesture
from roundtap_units.panel import panel_dialogue as d
from roundtap_units.panel.panel_dialogue import ActionOutcome, PanelDialogue, PanelScene, draw_panel, make_scene
from roundtap_units.unit_config import unit_words

STICK = "/media/roundtap"
HUB = PanelView(
    "14:32",
    "http://192.168.178.101:8080",
    "https://192.168.178.101:8443",
    "mistrzostwa-wielkopolski-2026.local",
    " ".join(["A1B2"] * 16),
    (UsbStick(STICK, "current"),),
    running=True,
    trouble=True,
    offer=ContinueOffer("a mark", STICK, "Mistrzostwa Wielkopolski", 2680, "2026-11-28 17:05", False, event_name("en")),
)
STANDBY = StandbyState("following", "http://192.168.178.101:8080", True)
HOTSPOT = ("Roundtap", "drei-Wege-2026")
READ_MS = 1000


def panel_gallery(languages: tuple[str, ...] = LANGUAGES) -> list[tuple[str, Image.Image]]:
    """(name, picture) of every page, in each language."""
    return [(f"panel-{name}", draw_panel(scene)) for name, scene in panel_scenes(languages)]


def panel_scenes(languages: tuple[str, ...] = LANGUAGES) -> Iterator[tuple[str, PanelScene]]:
    for language in languages:
        for told, contact in CONTACTS.items():
            for page in panel_with(language, **contact).ring():
                yield f"{language}{told}-{page.name}", make_scene(shown(language, page, contact))
                if page.sure is not None:
                    yield f"{language}{told}-{page.name}-sure", page.sure
        yield from ((f"{language}-{name}", scene) for name, scene in notices(language))


CONTACTS: dict[str, dict[str, Any]] = {
    "": {"hub": HUB},
    "-other-event": {"hub": HUB.replace(offer=HUB.offer.replace(own=""))},
    "-nobody": {},
    **{f"-waits-{fault}": {"waits": fault} for fault in ("full", "read-only", "failing", "damaged")},
    **{
        f"-standby-{state}": {"standby": STANDBY.replace(state=state)}
        for state in ("following", "behind", "away", "refused")
    },
    "-standby-never": {"standby": STANDBY.replace(level=False)},
}


def panel_with(language: str, **contact: Any) -> PanelDialogue:
    panel = PanelDialogue(unit_words(language), hotspot=HOTSPOT)
    if (hub := contact.get("hub")) and hub.offer.own:
        contact = {**contact, "hub": hub.replace(offer=hub.offer.replace(own=event_name(language)))}
    panel.on_contact(0, **contact)
    return panel


def shown(language: str, page: d.Page, contact: dict[str, Any]) -> PanelDialogue:
    panel = panel_with(language, **contact)
    panel.page, panel.stick = page.name, page.stick
    return panel


def notices(language: str) -> Iterator[tuple[str, PanelScene]]:
    """What stands in place of a page: an answer that is waited for, and each that may come."""
    for name, step, done in (
        ("pin", d.NEW_PIN, ActionOutcome(1, pin="12345678")),
        ("pull-out", d.EJECT, ActionOutcome(1)),
        ("continues", d.CONTINUE, ActionOutcome(1)),
        ("off", d.POWER_OFF, ActionOutcome(1)),
        ("off-failed", d.POWER_OFF, ActionOutcome(1, trouble="panel.off.failed")),
        ("no-answer", d.NEW_PIN, ActionOutcome(1, trouble="panel.no_answer")),
        ("away", d.NEW_PIN, ActionOutcome(1, trouble="panel.away.what")),
        ("turned", d.TURN, ActionOutcome(1)),
        ("turn-failed", d.TURN, ActionOutcome(1, trouble="panel.turn.failed")),
    ):
        panel = panel_with(language, hub=HUB, standby=STANDBY)
        page = next(page for page in panel.ring() if page.step == step)
        panel.page, panel.stick, panel.sure = page.name, page.stick, page.sure is not None
        panel.on_gesture(Gesture(HOLD, d.OK, READ_MS), READ_MS)
        if name == "pin":
            yield "waiting", make_scene(panel)
        panel.on_done(done, READ_MS)
        yield name, make_scene(panel)
