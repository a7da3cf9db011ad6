"""Every page of the front panel as a picture."""

from __future__ import annotations

from collections.abc import Iterator

from PIL import Image

from roundtap_core.messages import ContinueOffer, PanelView, StandbyState, UsbStick
from roundtap_core.words import LANGUAGES
from roundtap_units.panel import panel_dialogue as d
from roundtap_units.panel.panel_dialogue import PanelDialogue, PanelScene, draw_panel, make_scene
from roundtap_units.unit_words import unit_words

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
    offer=ContinueOffer("a mark", STICK, "Mistrzostwa Wielkopolski", 2680, "2026-11-28 17:05", False, "Winter Open"),
)
STANDBY = StandbyState("following", "http://192.168.178.101:8080", True)
OF_HUB = (
    d.ADDRESS,
    d.PLAYERS_QR,
    d.CONSOLE_QR,
    d.HOTSPOT,
    d.HOTSPOT_QR,
    d.TRUST,
    d.CONTINUE_ASK,
    d.CONTINUE_SURE,
    d.EJECT_ASK,
    d.PIN_ASK,
    d.PIN_SHOWN,
    d.OFF_ASK,
    d.OFF_SURE,
    d.WAITING,
    d.SAID,
    d.OFF,
)
OF_STANDBY = (d.STANDBY, d.TURN_ASK, d.TURN_SURE, d.OFF_ASK)


def panel_gallery(languages: tuple[str, ...] = LANGUAGES) -> list[tuple[str, Image.Image]]:
    """(name, picture) of every page, in each language."""
    return [(f"panel-{name}", draw_panel(scene)) for name, scene in panel_scenes(languages)]


def panel_scenes(languages: tuple[str, ...] = LANGUAGES) -> Iterator[tuple[str, PanelScene]]:
    for language in languages:
        for page in OF_HUB:
            yield f"{language}-{page}", _shot(language, page, HUB)
        yield f"{language}-{d.NOBODY}", _shot(language, d.NOBODY, None)
        for fault in ("full", "read-only", "failing", "damaged"):
            yield f"{language}-waits-{fault}", _shot(language, d.NOBODY, None, waits=fault)
        for page in OF_STANDBY:
            yield f"{language}-standby-{page}", _shot(language, page, None, STANDBY)
        for state in ("behind", "away", "refused"):
            for page in (d.STANDBY, d.TURN_ASK):
                yield f"{language}-standby-{state}-{page}", _shot(language, page, None, STANDBY.replace(state=state))
        yield f"{language}-standby-never", _shot(language, d.TURN_ASK, None, STANDBY.replace(level=False))


def _shot(
    language: str, page: str, hub: PanelView | None, standby: StandbyState | None = None, waits: str = ""
) -> PanelScene:
    panel = PanelDialogue(
        unit_words(language),
        page,
        STICK if page == d.EJECT_ASK else "",
        hub,
        standby,
        ("Roundtap", "drei-Wege-2026"),
        pin="12345678",
        waits=waits,
    )
    panel.said = panel.words("panel.pull_out", stick=STICK)
    return make_scene(panel)
