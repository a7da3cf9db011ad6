"""The wall's own machine in a real browser: its page before the hub, the hub's wall, and the wall of who takes over."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver

from kit import wait_until
from roundtap_hub.http.tls import https_port
from roundtap_units.link.hub_choice import find_hub
from roundtap_units.wall.proxy import HERE, HubWatch, OwnHub, WallMemory, WallProxy, waiting_page
from standby_kit import StandbyKit


def KIT(folder: Path) -> StandbyKit:
    """A hub with a certificate, so the wall is given a key."""
    made = StandbyKit(folder)
    made.secure = ("--secure-port", str(https_port(made.port)))
    return made


@pytest.fixture
def proxy(kit: StandbyKit, tmp_path: Path) -> Iterator[WallProxy]:
    # Other suites have hubs on this machine, too.
    memory = WallMemory(tmp_path / "wall.json")
    watch = HubWatch(
        [("127.0.0.1", kit.port)],
        OwnHub(memory).ask,
        lambda first, ask: find_hub(first, ask=ask, candidates=lambda places: [p for p in places if p not in HERE]),
    )
    watch.start()
    made = WallProxy(watch, memory, lambda: waiting_page("en", "192.168.1.33", ""))
    threading.Thread(target=made.serve_forever, args=(0.05,), daemon=True).start()
    yield made
    watch.stop()
    made.shutdown()
    made.server_close()


@pytest.mark.long
def test_a_wall_waits_for_its_hub_and_follows_it_to_the_standby(
    kit: StandbyKit, browser: webdriver.Chrome, proxy: WallProxy
) -> None:
    def shown() -> str:
        return str(browser.execute_script("return document.body.innerText"))

    browser.get(proxy.url)
    assert "Looking for the hub" in shown()
    assert "192.168.1.33" in shown()

    kit.start_hub()
    wait_until(lambda: "Friday night" in shown(), "the hub's wall to come by itself")
    wait_until(lambda: proxy.memory.pin.display, "the hub to know the wall again")
    display, key = proxy.memory.pin.display, proxy.memory.pin.key
    assert key
    kit.start_standby()
    wait_until(lambda: list(proxy.watch.standbys) == [("127.0.0.1", kit.second_port)], "the standby to be known")

    kit.kill_hub()
    kit.promote()
    wait_until(
        lambda: proxy.opened is not None and proxy.opened.place == ("127.0.0.1", kit.second_port),
        "the wall of the hub that took over",
    )
    wait_until(lambda: browser.execute_script("return document.body.className") == "", "the wall to have contact")
    assert "Friday night" in shown()
    # It never left this machine, and is the same wall to the new hub.
    assert browser.current_url == proxy.url
    assert (proxy.memory.pin.display, proxy.memory.pin.key) == (display, key)
