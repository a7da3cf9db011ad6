"""The QR code of a printed slip is read again, dot by dot as the printer makes it, by another program than made it."""

import pytest
import zxingcpp
from PIL import Image, ImageOps

from gallery.on_paper import PEOPLE, SLIP_URL, printed, slip_content
from roundtap_core.records import ELIMINATION, SWISS
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_devices.printing.printer_profiles import PROFILES
from roundtap_units.documents.notices import layout_job
from roundtap_units.unit_config import unit_words

TOKEN = SLIP_URL.rpartition("/")[2]
ADDRESSES = (
    "http://10.42.0.1/s/",
    "http://192.168.178.101:8080/s/",
    "http://roundtap-poznan.local:8080/s/",
    "http://roundtap-stara-rzeznia-hala-glowna.fritz.box:8080/s/",
)


def slip(content, sheet, words):
    return layout_job("slip", content, sheet, words)


def read(picture: Image.Image) -> list[str]:
    """What a phone sees in it: grey, a little soft, on a table that is not white."""
    seen = ImageOps.expand(picture.convert("L"), 24, 225)
    seen = seen.resize((seen.width * 3 // 2, seen.height * 3 // 2), Image.Resampling.BILINEAR)
    return [found.text for found in zxingcpp.read_barcodes(seen)]


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda p: p.name)
@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_every_slip_s_code_is_read_at_every_printer_s_width(rulebook_id, profile):
    for stage in (SWISS, ELIMINATION):
        content = slip_content(rulebook_id, (PEOPLE[0], PEOPLE[8]), 104, stage)
        assert read(printed(slip(content, profile.sheet, unit_words("pl")), profile)) == [SLIP_URL]


@pytest.mark.parametrize(
    "address", [*(pytest.param(each, marks=pytest.mark.long) for each in ADDRESSES[:-1]), ADDRESSES[-1]]
)
@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda p: p.name)
def test_whatever_the_hub_is_called_its_slips_can_be_read(profile, address):
    content = slip_content("xwing-standard", ("Ana Ruiz", "Eva Luz")) | {"url": address + TOKEN}
    assert read(printed(slip(content, profile.sheet, unit_words("en")), profile)) == [address + TOKEN]
