"""A real table unit as it comes out of its box: its screen shows digits, they are typed at a real hub, and it plays."""

import http.cookiejar
import re
import urllib.error
import urllib.parse
import urllib.request
from contextlib import closing, suppress
from pathlib import Path

from kit import Kit, Table, end, wait_until
from patience import GUARD_S
from roundtap.kit.virtual_kit import start_roundtap
from roundtap_hub.store.login_pins import hash_pin
from roundtap_hub.store.secure_files import write_private

PIN = "24681012"


class Organizer:
    """A browser on the hub's own machine."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._open = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())).open
        self.post("/login", self.get("/login"), pin=PIN)

    def get(self, path: str) -> str:
        with self._open(self._url + path, timeout=GUARD_S) as answer:
            return str(answer.read().decode())

    def post(self, path: str, page: str, **fields: str) -> str:
        found = re.search(r'name="csrf" value="([^"]+)"', page)
        assert found
        data = urllib.parse.urlencode({"csrf": found[1], **fields}).encode()
        asked = urllib.request.Request(self._url + path, data, {"Origin": self._url})
        with self._open(asked, timeout=GUARD_S) as answer:
            return str(answer.read().decode())


def test_a_table_out_of_its_box_gets_its_key_keeps_it_and_plays(kit: Kit, tmp_path: Path) -> None:
    write_private(kit.hub_folder / "pin", hash_pin(PIN, "salt"))
    kit.start_hub()
    config = tmp_path / "new.toml"
    config.write_text(f'hub = "{kit.url}"\nlocal = false\nfolder = "{tmp_path / "new"}"\n')
    command = ("table", str(config), "--panel", str(tmp_path / "new-panel"))
    unit = start_roundtap(*command)
    try:
        with closing(Table(tmp_path / "new-panel")) as table:
            table.wait_for("Type on the console")
            organizer = Organizer(kit.url)

            def is_enrolled() -> bool:
                """A unit of a busy machine may answer too late: then its next digits are typed."""
                digits = re.search(r"(\d\d)  (\d{3}) (\d{3})", table.text)
                page = organizer.get("/console/units/enrol?table=9")
                with suppress(urllib.error.HTTPError):
                    code = "".join(digits.groups()) if digits else ""
                    return "table-9" in organizer.post("/console/units/enrol", page, code=code, table="9")
                return False

            wait_until(is_enrolled, "the unit to have its key", every_s=1.0)
            table.wait_for("table-9")
            table.wait_for("no match at this table")
            assert table.times_shown("Waiting for the hub") == 0
        end(unit)
        assert (tmp_path / "new/enrolled.json").stat().st_mode & 0o777 == 0o600
        # After a power cut it needs nobody.
        unit = start_roundtap(*command)
        with closing(Table(tmp_path / "new-panel")) as table:
            wait_until(lambda: table.text and "Type on the console" not in table.text, "a screen of play")
            table.wait_for("no match at this table")
    finally:
        end(unit)
