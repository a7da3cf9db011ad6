"""The demo's hall as a visitor has it half-way: one result is SAVED, and a phone is to report the next one."""

import base64
import time

from demo_visitor import Visitor, running_demo
from engines import ENGINES
from roundtap_core.words import catalogue

WIDTH, HEIGHT = 830, 1102
"""As wide as a page of code shows a picture, so that it is read as it is."""
DRAWN_S = 2.0
"""A second of the clocks, and the pages settle in their new width."""


def demo_hall() -> bytes:
    """As PNG, of a demo that plays in English."""
    step = catalogue("roundtap_hub", "en")("me.report")
    with running_demo("--language", "en") as address, ENGINES["chromium"]() as browser:
        visitor = Visitor(browser, address)
        while not visitor.step[0].startswith(step):
            visitor.follow()
        size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        browser.execute_script("document.documentElement.style.scrollbarWidth = 'none'")
        time.sleep(DRAWN_S)
        return base64.b64decode(browser.get_screenshot_as_base64())
