"""A result in a full hall: how soon it stands on each page that is open in a real browser.

    python tests/benchmarks/bench_live.py [--quick] [--nice N]

128 players at 64 tables; console, pairings, a player's page and a personal one are open in Chromium, and
an official enters one result after the other. Counted from before the hub is told until the page's own script has put
it in place; hub and browser share this machine.
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
for beside in (TESTS, TESTS / "browser", TESTS / "hub"):
    sys.path.insert(0, str(beside))

from hall_kit import Hall, open_hall  # noqa: E402
from pages_kit import PIN  # noqa: E402
from rig.table import Options, Row, alone, p50, p99  # noqa: E402
from screen_kit import NOWHERE, Screen, chromedriver, open_screen  # noqa: E402

from roundtap.kit.player_names import player_names  # noqa: E402
from roundtap_core.event.commands import EnterResult, SetClock  # noqa: E402
from roundtap_core.records import Result, SidePair  # noqa: E402

GATE_MS = 500
SINCE = "2026-11-22"
PATIENCE_S = 2.0
PLAYERS = 128
FELT = {"result → every open page shows it": "the same in real browsers"}

WATCH = r"""
// Notes when the page first shows the result that is waited for: clocks that tick are not it.
window.wanted = null;
window.shown_ms = null;
new MutationObserver(() => {
    if (window.wanted === null || window.shown_ms !== null) return;
    const text = document.querySelector("main").textContent;
    if (new RegExp("100\\D{1,60}" + window.wanted + "(?!\\d)").test(text)) window.shown_ms = Date.now();
}).observe(document.querySelector("main"), {childList: true, subtree: true, characterData: true});
"""


def measure(options: Options, folder: Path) -> Iterator[Row]:
    if chromedriver() is None:
        yield Row(
            "result → every open page shows it, p99",
            None,
            "ms",
            GATE_MS,
            since=SINCE,
            note=f"left out: {NOWHERE}",
            felt=FELT["result → every open page shows it"],
        )
        return
    folder.mkdir(parents=True, exist_ok=True)
    with open_hall(folder) as hall, open_screen() as screen:
        event = hall.create("Grand Open", people=player_names(PLAYERS), swiss_rounds=3)
        hall.publish(event)
        hall.tell(event, SetClock("start"))
        taken = _shown(hall, screen, event, options.pick(15, 2))
    everything = [ms for found in taken.values() for ms in found if ms is not None]
    each = "; ".join(
        f"{page} p50 {p50(seen) or 0:.0f} ms, {len(seen)} of {len(found)} seen"
        for page, found in taken.items()
        for seen in [[ms for ms in found if ms is not None]]
    )
    yield Row(
        "result → every open page shows it, p99",
        p99(everything),
        "ms",
        GATE_MS,
        since=SINCE,
        note=each,
        felt=FELT["result → every open page shows it"],
    )


def _shown(hall: Hall, screen: Screen, event: str, count: int) -> dict[str, list[float | None]]:
    """Milliseconds by page; None: not in time."""
    live = hall.event(event).live
    assert live
    first = live.open_matches[0].match
    screen.log_in(hall.url, PIN)
    personal = hall.house.hub.access.links.path(event, first.a)
    pages = {
        "console": f"/console/{event}",
        "pairings": f"/e/{event}/pairings",
        "a player's page": f"/e/{event}/p/{first.a}",
        "a personal page": personal,
    }
    windows = {}
    for page, path in pages.items():
        screen.driver.switch_to.new_window("window")
        screen.prepare_tab()
        screen.open(hall.url + path)
        screen.run(WATCH)
        windows[page] = screen.driver.current_window_handle
    time.sleep(2)
    taken: dict[str, list[float | None]] = {page: [] for page in pages}
    for number in range(11, 11 + count):
        for handle in windows.values():
            screen.driver.switch_to.window(handle)
            screen.run("window.shown_ms = null; window.wanted = arguments[0]", number)
        # One match is corrected again and again: it stands on all of these pages.
        match = hall.event(event).find_match(live.open_matches[0].id)
        assert match
        told_ms = time.time() * 1000
        hall.tell(event, EnterResult(match[1].id, match[1].revision, Result(score=SidePair(100, number))))
        time.sleep(PATIENCE_S)
        for page, handle in windows.items():
            screen.driver.switch_to.window(handle)
            at = screen.run("return window.shown_ms")
            taken[page].append(None if at is None else at - told_ms)
    return taken


if __name__ == "__main__":
    alone(measure, __doc__)
