"""`config.txt` and `cmdline.txt` of the Pi: changed once however often, and nobody else's lines are touched."""

from pathlib import Path

import pytest
from machine_kit import CMDLINE, CONFIG

from roundtap.provisioning import roles
from roundtap.provisioning.settings_file import Settings

I2C = "dtparam=i2c_arm=on,i2c_arm_baudrate=400000"


def boot(folder: Path, config: str = CONFIG, cmdline: str = CMDLINE) -> Path:
    (folder / "config.txt").write_bytes(config.encode())
    (folder / "cmdline.txt").write_bytes(cmdline.encode())
    return folder


def taken(folder: Path, **said: str) -> tuple[list[str], list[str]]:
    """(the lines of config.txt, the words of cmdline.txt) with these settings."""
    roles.write_boot_files(folder, Settings(**said), folder)
    return ((folder / "config.txt").read_text().splitlines(), (folder / "cmdline.txt").read_text().split())


@pytest.mark.parametrize(
    ("board", "lines"),
    [
        ("", [I2C]),
        ("recommended", [I2C]),
        ("waveshare-oled-hat", ["dtparam=spi=on"]),
        ("nobody-knows-it", [I2C]),
    ],
)
def test_the_board_decides_the_bus(tmp_path: Path, board: str, lines: list[str]) -> None:
    config, _ = taken(boot(tmp_path), board=board)
    assert [line for line in config if "i2c" in line or "spi" in line] == lines
    assert "dtparam=watchdog=on" in config


@pytest.mark.parametrize(
    ("board", "lines"),
    [
        ("buzzer_active_low = true", ["gpio=12=op,dh"]),
        ("buzzer_active_low = true\nheld_off = true", []),
        ("lamps_active_low = true", ["gpio=26=op,dh", "gpio=13=op,dh", "gpio=16=op,dh"]),
        ("[pins]\nbuzzer = 6", ["gpio=6=op,dl"]),
        ("buzzer_active_low = true\n[pins]\nbuzzer = 6", []),
        ("facing = 'edge'", []),
    ],
)
def test_what_a_pin_s_own_resistor_turns_on_the_firmware_turns_off(
    tmp_path: Path, board: str, lines: list[str]
) -> None:
    (tmp_path / "our-box.toml").write_text(board)
    config, _ = taken(boot(tmp_path), board="our-box.toml")
    assert [line for line in config if line.startswith("gpio=")] == lines


def test_lines_of_others_stay_and_ours_count_for_every_model(tmp_path: Path) -> None:
    config, _ = taken(boot(tmp_path, "dtparam=audio=on\n[pi5]\ndtoverlay=nospi10"))
    assert config[:3] == ["dtparam=audio=on", "[pi5]", "dtoverlay=nospi10"]
    assert config.index("[all]", 3) < config.index("dtparam=watchdog=on")


def test_a_printer_on_the_header_has_the_serial_line_to_itself(tmp_path: Path) -> None:
    config, words = taken(boot(tmp_path), role="printer", port="/dev/serial0")
    assert "enable_uart=1" in config
    assert [word for word in words if word.startswith("console=")] == ["console=tty1"]


def test_a_printer_on_usb_leaves_the_console(tmp_path: Path) -> None:
    config, words = taken(boot(tmp_path), role="printer", port="/dev/usb/lp0")
    assert "enable_uart=1" not in config
    assert "console=serial0,115200" in words


def test_the_country_is_told_to_the_radio_and_replaces_the_last_one(tmp_path: Path) -> None:
    folder = boot(tmp_path)
    taken(folder, country="DE")
    _, words = taken(folder, country="PL")
    assert [word for word in words if "regdom" in word] == ["cfg80211.ieee80211_regdom=PL"]
    assert words[:2] == ["console=serial0,115200", "console=tty1"]
    assert (folder / "cmdline.txt").read_text().count("\n") == 1


@pytest.mark.parametrize("config", [CONFIG, CONFIG.replace("\n", "\r\n"), "", "dtparam=audio=on", "# Grüße\n"])
def test_changed_twice_is_changed_once(tmp_path: Path, config: str) -> None:
    folder = boot(tmp_path, config)
    settings = Settings(role="hub", board="waveshare-oled-hat", country="DE", port="/dev/serial0")
    assert roles.write_boot_files(folder, settings, folder) == ["config.txt", "cmdline.txt"]
    once = [(folder / name).read_bytes() for name in ("config.txt", "cmdline.txt")]
    assert roles.write_boot_files(folder, settings, folder) == []
    assert [(folder / name).read_bytes() for name in ("config.txt", "cmdline.txt")] == once
    assert roles.write_boot_files(folder, Settings(board="recommended"), folder) == ["config.txt"]
    assert (folder / "config.txt").read_text().count(roles.BEGIN) == 1


def test_lines_that_somebody_adds_behind_ours_stay(tmp_path: Path) -> None:
    folder = boot(tmp_path)
    taken(folder)
    with (folder / "config.txt").open("a") as file:
        file.write("dtoverlay=disable-bt\n")
    config, _ = taken(folder, board="waveshare-oled-hat")
    assert "dtoverlay=disable-bt" in config


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("added", ["dtoverlay=disable-bt", "dtparam=audio=off\n[pi5]\nusb_max_current_enable=1\n"])
def test_lines_behind_ours_stay_in_their_own_section(tmp_path: Path, ends: str, added: str) -> None:
    """Moved above our [all], a line for each model would be one for the CM4 alone."""
    folder = boot(tmp_path, f"dtparam=audio=on{ends}[cm4]{ends}otg_mode=1{ends}")
    taken(folder)
    with (folder / "config.txt").open("ab") as file:
        file.write(added.replace("\n", ends).encode())
    for _ in range(2):
        config, _ = taken(folder, board="waveshare-oled-hat")
        assert config[:3] == ["dtparam=audio=on", "[cm4]", "otg_mode=1"]
        at = config.index(roles.END)
        assert config[at + 1 :] == added.splitlines()
        assert config.index("[all]") < config.index("dtparam=spi=on") < at
    once = (folder / "config.txt").read_bytes()
    taken(folder, board="waveshare-oled-hat")
    assert (folder / "config.txt").read_bytes() == once
