"""BUILD.md's first page: ten steps with what must be seen, and the ten likeliest failures of a first builder. Each is
brought about here, and what the kit says then is what the page says."""

import re
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from luma.core.error import DeviceNotFoundError
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement

from kit import Kit, Table, end, free_port, wait_until
from patience import GUARD_S
from roundtap.doctor.doctor import report_lines
from roundtap.kit.virtual_kit import start_roundtap
from roundtap.main import main
from roundtap_core.words import catalogue, core_words
from roundtap_devices.boards import ScreenWiring
from roundtap_devices.display import screen
from roundtap_devices.hardware_errors import HardwareMissing
from roundtap_devices.printing.printer import Printer
from roundtap_devices.printing.printer_profiles import load_profile
from roundtap_machine.health import MachineProbe, check_health, printer_check
from roundtap_machine.services import SystemdService, service_checks
from roundtap_units.link.enrolling import LOOKING, EnrolProgress
from roundtap_units.station.main import Station
from roundtap_units.station.printer_desk import PrintLog
from roundtap_units.table.enrol_table import EnrolTable
from roundtap_units.unit_config import unit_words
from roundtap_units.wiring import main as board_command

ROOT = Path(__file__).parents[2]
BUILD = (ROOT / "firmware/BUILD.md").read_text(encoding="utf-8")
FIRST_BOOT = ROOT / "server/roundtap/provisioning/card_files/first-boot.sh"
AGAIN_S = 5.0
ENGLISH = catalogue("roundtap", "en").also(core_words("en"))


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading, without its head."""
    section = BUILD.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]]


def quoted(cell: str) -> list[str]:
    """What the kit is said to say: in italics, or a sentence between backticks."""
    return re.findall(r"\*([^*]+)\*", cell) + [said for said in re.findall(r"`([^`]+)`", cell) if said.count(" ") > 3]


def test_the_first_hour_has_ten_steps_each_with_what_must_be_seen_and_what_it_means_if_not() -> None:
    steps = rows("The first hour")
    assert [step[0] for step in steps] == [str(number) for number in range(1, 11)]
    assert all(len(step) == 4 and all(step) for step in steps)
    assert [step[0] for step in steps if "roundtap board NAME --test" in step[1]] == ["7"]
    assert "SAVED" in steps[-1][2]


# --- what the kit says when it fails ----------------------------------------------------------------------------------


def no_login(folder: Path) -> str:
    """A card that sets none: what it says of itself."""
    boot = folder / "boot/firmware"
    boot.mkdir(parents=True)
    (folder / "etc").mkdir()
    (boot / "roundtap.txt").write_text("role = table\nlanguage = en\n")
    assert main(["role", "--apply", "--root", str(folder)]) == 0
    return (boot / "roundtap-says.txt").read_text("utf-8-sig")


def no_pin(folder: Path) -> str:
    """The page of a new hub that asks for it."""
    kit = Kit(folder)
    try:
        kit.start_hub()
        with urllib.request.urlopen(f"{kit.url}/login") as page:
            return str(page.read().decode())
    finally:
        kit.stop()


def first_start_gives_up(folder: Path) -> str:
    """The first start's own words after its last try."""
    script = FIRST_BOOT.read_text(encoding="utf-8")
    functions = script[script.index("disarm() {") : script.index("fail() {")]
    (folder / "cmdline.txt").write_text("root=/dev/mmcblk0p2 systemd.run=/boot/firmware/roundtap/first-boot.sh\n")
    (folder / "log").write_text("libgbm1 : Depends: mesa-libgallium (= 25.0.7-2)\n")
    shell = f"boot={folder} log={folder}/log\n{functions}\ngive_up\n"
    subprocess.run(["sh", "-c", shell], check=True, timeout=GUARD_S, stderr=subprocess.DEVNULL)
    assert "systemd.run" not in (folder / "cmdline.txt").read_text()
    return (folder / "roundtap-says.txt").read_text("utf-8-sig")


def no_panel(folder: Path) -> str:
    """A hub whose panel's service waits for a screen that nobody has wired: the doctor's lines, with nothing to do."""
    hub = SystemdService("hub", True, "active", "success", 0, of_role=True)
    panel = SystemdService("panel", True, "active", "success", 0, f"waiting: {HardwareMissing('display')}")
    lines = report_lines(service_checks([hub, panel]), ENGLISH, "hub")
    assert not any("✗" in line for line in lines)
    return "\n".join(lines)


def board_test_says(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """`roundtap board recommended --test`, on mock pins; of the screen's bus nobody answers, and to each question the
    person says no."""
    import gpiozero

    class Silent:
        def command(self, *values: int) -> None:
            raise DeviceNotFoundError("I2C device not found on address: 0x3C")

        def cleanup(self) -> None: ...

    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    monkeypatch.setattr(screen, "_serial", lambda wiring, pin_factory: Silent())
    monkeypatch.setattr(board_command, "BUTTON_WAIT_MS", 0)
    monkeypatch.setattr("time.sleep", lambda s: None)
    monkeypatch.setattr("builtins.input", lambda question: "n")
    assert main(["board", "recommended", "--test"]) == board_command.SILENT
    return capsys.readouterr().out


def label_0x78(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """A board's file with the number that stands on the module. (That a display at the other address is found:
    test_oled.py.)"""
    monkeypatch.chdir(folder)
    Path("mine.toml").write_text('like = "recommended"\n[screen]\ni2c_address = 0x78\n')
    assert main(["board", "mine.toml"]) == board_command.BAD_INPUT
    return capsys.readouterr().err


def no_network() -> str:
    """A new table that is in no Wi-Fi."""
    nothing: Any = SimpleNamespace()
    table = EnrolTable(
        nothing, "en", unit_words, "opposite", lambda words: "", nothing, nothing, print, print, lambda: ""
    )
    return " ".join(table.page(EnrolProgress(LOOKING), 0).lines)


def weak_charger(folder: Path) -> str:
    """The firmware's flag on a Pi 4, and a Zero, which has none."""
    said = []
    for model, name in (("Raspberry Pi 4 Model B Rev 1.5", "4"), ("Raspberry Pi Zero 2 W Rev 1.0", "zero")):
        root = folder / name
        for path, text in (
            ("proc/device-tree/model", f"{model}\0"),
            ("sys/devices/platform/soc/soc:firmware/get_throttled", "50005"),
        ):
            (root / path).parent.mkdir(parents=True)
            (root / path).write_text(text)
        said += [check.finding(ENGLISH) for check in check_health(MachineProbe(root=root), 0) if check.key == "voltage"]
    return "\n".join(said)


def silent_printer(folder: Path) -> str:
    """A printer on the pins that takes all and answers nothing, as soon as the station has looked at it."""
    port: Any = SimpleNamespace(baud=19200, write_some=len, read_some=bytes, close=lambda: None)
    printer = Printer(lambda: port, load_profile("plain-58"))
    log = PrintLog(folder / "printed.jsonl")
    hub: Any = SimpleNamespace(next_jobs=list)
    station = Station(hub, printer, log, lambda job: None, 1)  # type: ignore[arg-type, return-value]
    for now_ms in range(0, 60_000, 20):
        station.step(now_ms)
    check = printer_check("station-1", station.printer_state)
    assert check, station.printer_state
    return check.finding(ENGLISH)


@pytest.fixture
def said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> dict[str, Callable[[], str]]:
    """What the page calls it → how it is brought about."""
    return {
        "no way to log in": lambda: no_login(tmp_path),
        "no PIN": lambda: no_pin(tmp_path),
        "the first start gives up": lambda: first_start_gives_up(tmp_path),
        "a panel that is not there": lambda: no_panel(tmp_path),
        "the buzzer whistles": lambda: board_test_says(monkeypatch, capsys),
        "a dark screen with seven pins": lambda: board_test_says(monkeypatch, capsys),
        "a screen labeled 0x78 or 0x7A": lambda: label_0x78(tmp_path, monkeypatch, capsys),
        "a Wi-Fi of 5 GHz only, or hidden": no_network,
        "restarts, a weak charger": lambda: weak_charger(tmp_path),
        "a silent printer": lambda: silent_printer(tmp_path),
    }


FAILURES = rows("The ten likeliest failures")


@pytest.mark.parametrize(("seen", "page_says"), FAILURES, ids=[seen for seen, _ in FAILURES])
def test_when_it_fails_the_kit_says_what_the_page_says(
    said: dict[str, Callable[[], str]], seen: str, page_says: str
) -> None:
    kit_says = " ".join(said[seen]().split())
    words = [each.rstrip(" …") for each in quoted(page_says) if each not in ("Before the doors open",)]
    assert words
    assert [each for each in words if each not in kit_says] == []


def test_the_page_has_all_ten(said: dict[str, Callable[[], str]]) -> None:
    assert [seen for seen, _ in FAILURES] == list(said)


def test_a_screen_with_seven_pins_never_answers_at_either_address(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def nobody(wiring: ScreenWiring, pin_factory: Any) -> Any:
        asked.append(wiring.i2c_address)
        raise DeviceNotFoundError(f"I2C device not found on address: 0x{wiring.i2c_address:02X}")

    monkeypatch.setattr(screen, "_serial", nobody)
    with pytest.raises(HardwareMissing, match="seven pins"):
        screen.Oled(ScreenWiring())
    assert asked == [0x3C, 0x3D]


# --- the ten steps, walked --------------------------------------------------------------------------------------------


class Newcomer:
    """Somebody with this page, a browser and a table's buttons, who presses what the page has in italics."""

    def __init__(self, browser: WebDriver, url: str) -> None:
        self._browser, self._url = browser, url

    def open(self, path: str) -> None:
        self._browser.get(self._url + path)

    def reaches(self, path: str) -> bool:
        with suppress(WebDriverException):
            self.open(path)
            return True
        return False

    def _visible(self, css: str) -> Iterator[WebElement]:
        with suppress(WebDriverException):  # the page changes by itself
            yield from (each for each in self._browser.find_elements(By.CSS_SELECTOR, css) if each.is_displayed())

    def sees(self, words: str) -> bool:
        return any(words in each.text for each in self._visible("main"))

    def _press(self, words: str) -> bool:
        for each in self._visible("a, button, summary"):
            with suppress(WebDriverException):
                if each.text.strip().partition("\n")[0] == words:
                    each.click()
                    return True
        return False

    def press(self, words: str, then: Callable[[], bool]) -> None:
        """Until it has helped: the page may have changed by itself under the finger."""
        pressed_s = float("-inf")

        def helped() -> bool:
            nonlocal pressed_s
            if then():
                return True
            if time.monotonic() - pressed_s > AGAIN_S and self._press(words):
                pressed_s = time.monotonic()
            return False

        wait_until(helped, f"{words!r} to help on {self._browser.current_url}")

    def has_field(self, name: str) -> bool:
        return any(True for _ in self._visible(f"[name={name}]"))

    def offers(self, words: str) -> bool:
        return any(each.text.strip().partition("\n")[0] == words for each in self._visible("a, button, summary"))

    def type(self, name: str, text: str) -> None:
        wait_until(lambda: self.has_field(name), f"the field {name}")
        field = next(self._visible(f"[name={name}]"))
        field.send_keys(text)
        field.submit()


def of_step(number: int, column: int = 1) -> list[str]:
    return re.findall(r"\*([^*]+)\*", rows("The first hour")[number - 1][column])


def test_by_the_page_alone_a_newcomer_comes_to_saved(tmp_path: Path, browser: WebDriver) -> None:
    """From the hub's card on, with a virtual table. What no machine here can do is left out: cards, wires and a
    login (steps 1, 5, 7); `board --test` is played above."""
    boot, port = tmp_path / "boot/firmware", free_port()
    boot.mkdir(parents=True)
    for folder in ("etc", "run"):
        (tmp_path / folder).mkdir()
    (boot / "roundtap.txt").write_text("role = hub\n")
    assert main(["role", "--apply", "--root", str(tmp_path)]) == 0
    pin = (tmp_path / "run/roundtap-new-pin").read_text().removeprefix("PIN: ").strip()
    url, data = f"http://127.0.0.1:{port}", tmp_path / "var/lib/roundtap"
    (tmp_path / "table.toml").write_text(
        f'hub = "{url}"\nlocal = false\nunit = "table-1"\nfolder = "{tmp_path}/unit"\n'
    )
    with ExitStack() as stack:
        hub = start_roundtap(
            "hub", "--data", str(data), "--host", "127.0.0.1", "--port", str(port), "--secure-port", "0"
        )
        stack.callback(end, hub)
        newcomer = Newcomer(browser, url)
        wait_until(lambda: newcomer.reaches("/"), "the hub")
        stack.callback(end, start_roundtap("table", str(tmp_path / "table.toml"), "--panel", str(tmp_path / "panel")))
        table = stack.enter_context(closing(Table(tmp_path / "panel")))
        table.wait_for(of_step(6, 2)[0])
        newcomer.press(of_step(4)[0], lambda: newcomer.has_field("pin"))
        newcomer.type("pin", pin)
        wait_until(lambda: newcomer.offers(of_step(4, 2)[0]), "step 4")
        hall, units, add = of_step(8)
        newcomer.press(hall, lambda: newcomer.offers(units))
        newcomer.press(units, lambda: newcomer.offers(add))
        newcomer.press(add, lambda: newcomer.has_field("code"))

        def has_its_key() -> bool:
            """Where a busy machine's table was too late, the newcomer types what it shows then."""
            if (shown := re.search(r"\d\d  \d{3} \d{3}", table.text)) and newcomer.has_field("code"):
                newcomer.type("code", "".join(shown[0].split()))
            return newcomer.sees(of_step(8, 2)[1])

        wait_until(has_its_key, "step 8", every_s=1.0)
        table.wait_for(of_step(8, 2)[0])
        newcomer.open("/console")
        event, draw, publish, start = of_step(9)
        newcomer.press(event, lambda: newcomer.has_field("rulebook") or newcomer.has_field("name"))
        browser.execute_script("document.querySelector('[name=level]').click()")
        newcomer.type("name", "Our first")
        newcomer.press("Register players", lambda: newcomer.has_field("names"))
        newcomer.type("names", "Ana Ruiz\nTom Wood\nEva Luz\nJan Kot")
        newcomer.press(draw, lambda: newcomer.offers(publish))
        newcomer.press(publish, lambda: newcomer.offers(start))
        table.wait_for("press button")
        table.tap("a", "b")
        table.wait_for("75:00")
        newcomer.press(start, lambda: " 74:" in table.text)
        table.tap("a")
        table.wait_for("● OK")
        table.tap("a")
        table.wait_for("Right?")
        table.tap("b")
        assert table.wait_for(of_step(10, 2)[0].rstrip("…")).startswith("SAVED #")
