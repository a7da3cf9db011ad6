"""A table in motion: a real unit on mock pins takes a result, and the wall and a player's phone follow, by the same
hub. Time is given, so that the picture is the same each time."""

import base64
import html
import io
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources

from PIL import Image

from gallery.camera import Camera
from press_script import Press
from roundtap_core.event import commands as c
from roundtap_core.event.entries import Person
from roundtap_core.event.states import Entrant
from roundtap_core.records import SIDES
from roundtap_devices.display.screen import HEIGHT, WIDTH
from roundtap_hub.app.flask_app import create_app
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step
from virtual_hall import EVENT, VirtualHall

NAMES = ("Łukasz Żak", "Bruno Maier", "Inés Roth", "Ana Ruiz", "Kai Eich", "Eva Luz")
"""Round 1 seats Ana at table 1, on the side of ●, and Eva opposite."""
SEED, TABLE = 7, 1
PLAYED_MS = (61 * 60 + 12) * 1000
SIZE = (830, 536)
STAGES: tuple[tuple[str, str, int], ...] = (
    ("", "Round 1. The wall and the phone count down with the table.", 1600),
    ("a", "Ana presses her button: she has won.", 1700),
    ("^^^^", "She turns the loser's points up to 40 …", 1000),
    ("aa", "… and confirms. Eva is asked, at the table and on her phone.", 2300),
    ("b", "Eva presses her button. Both agree: SAVED.", 1900),
    ("", "Eva's phone has the result. The wall waits for two more tables.", 2300),
)
"""Buttons to press, what is said of it, and how long (ms) the last of them stands."""
QUICK_MS, READ_MS = 300, 1500
"""How long a press is shown that others follow, and what the hall's own time goes on by before it."""
KEYS = {"a": "a", "b": "b", "^": "up", "v": "down"}
BUTTONS = (("a", "●"), ("up", "▲"), ("down", "▼"), ("b", "■"))

PAGE = """<!doctype html><meta charset="utf-8"><style>{bench}
body {{ width: {width}px; height: {height}px; overflow: hidden; background: #e9e7e0; }}
.said {{ position: absolute; left: 16px; top: 10px; margin: 0; font-size: 21px; font-weight: 700; line-height: 30px; }}
.table {{ position: absolute; left: 16px; top: 50px; width: 442px; padding: 8px; }}
.table::after {{ display: none; }}
.screen {{ padding: 4px; }}
.screen img {{ display: block; margin: auto; width: 384px; height: 192px; image-rendering: pixelated; }}
.buttons {{ margin-top: 8px; }} button {{ min-height: 44px; }}
.down {{ filter: none; outline: 4px solid #D55E00; outline-offset: 1px; translate: none; }}
.view {{ position: absolute; background: #fff; border: 1px solid #d5d3cc; }}
.view iframe {{ border: 0; }}
#wall {{ left: 16px; top: 330px; width: 442px; height: 196px; }}
#wall iframe {{ width: 580px; height: 256px; zoom: 0.758; }}
#phone {{ left: 474px; top: 50px; width: 340px; height: 476px; border: 8px solid #3d4247; border-radius: 16px; }}
#phone iframe {{ width: 390px; height: 554px; zoom: 0.83; }}
</style><p class="said">{said}</p>
<section class="table"><div class="screen"><img src="{screen}"></div><div class="buttons">{buttons}</div></section>
<div class="view" id="wall"><iframe srcdoc="{wall}"></iframe></div>
<div class="view" id="phone"><iframe srcdoc="{phone}"></iframe></div>
"""


@dataclass(frozen=True, slots=True)
class Frame:
    """HTML of SIZE, and how long it is shown (ms)."""

    html: str
    shown_ms: int


def frames() -> Iterator[Frame]:
    """The whole story, in English."""
    with VirtualHall(len(NAMES) // 2) as hall:
        _seat_and_start(hall)
        camera = Camera(create_app(hall.hub).test_client(), "en", "")
        for keys, said, shown_ms in STAGES:
            for at, key in enumerate(keys or " "):
                _pass_time(hall, READ_MS)
                if key in KEYS:
                    hall.tables[TABLE].press(Press(KEYS[key]))
                last = at >= len(keys) - 1
                yield Frame(_page(hall, camera, said, KEYS.get(key, "")), shown_ms if last else QUICK_MS)


def _seat_and_start(hall: VirtualHall) -> None:
    people = [PersonRecord(EVENT, f"p{at}", f"salt {at}", Person(name)) for at, name in enumerate(NAMES, start=1)]
    options = {"structure": "own", "swiss_rounds": 3, "cut": 0, "lists_required": False}
    create = c.CreateEvent("Winter Open", "xwing-standard", None, options, "#0072B2", SEED)
    entered = [c.EnterCompetitor(Entrant(each.competitor, each.person.digest(each.salt))) for each in people]
    drawn = (c.DrawRound(SEED), c.PublishRound(1, 1, noted="a picture"))
    hall.service.execute([Step(EVENT, command) for command in (create, *entered, *drawn)], "gallery", people)
    hall.step()
    for table in hall.tables.values():
        for side in SIDES:
            table.press(Press(side))
    hall.submit(c.SetClock("start"))
    _pass_time(hall, PLAYED_MS)


def _pass_time(hall: VirtualHall, ms: int) -> None:
    """Meanwhile the hub is heard, as over a network that works."""
    hall.wait(ms)
    for number, table in hall.tables.items():
        hall.hub.presence.update(f"table-{number}", hall.clock.now_ms, connected=True)
        table.link.incoming.put(("contact", None))
    hall.step()


def _page(hall: VirtualHall, camera: Camera, said: str, pressed: str) -> str:
    match = next(match for match in hall.state.rounds[0].matches if match.match.table == TABLE)
    assert match.match.b
    picture = io.BytesIO()
    Image.frombytes("1", (WIDTH, HEIGHT), hall.tables[TABLE].screen.glass.frame).save(picture, "PNG")
    phone = camera.take("phone", hall.hub.access.links.path(EVENT, match.match.b), (390, 490))
    wall = camera.take("wall", f"/wall/{EVENT}", (1000, 512))
    return PAGE.format(
        bench=resources.files("roundtap.demo").joinpath("static/bench.css").read_text(encoding="utf-8"),
        width=SIZE[0],
        height=SIZE[1],
        said=html.escape(said),
        screen=f"data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}",
        buttons="".join(
            f'<button class="{key if key in SIDES else "arrow"}{" down" * (key == pressed)}">{sign}</button>'
            for key, sign in BUTTONS
        ),
        wall=html.escape(wall.html),
        phone=html.escape(phone.html),
    )
