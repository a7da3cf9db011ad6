"""What a machine says of itself, read from trees of files as a Pi, a PC and a container have them."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from roundtap_core.words import LANGUAGES, core_words
from roundtap_machine.health import (
    FINE,
    NOTE,
    UNKNOWN,
    WRONG,
    Check,
    MachineProbe,
    check_health,
    chip_labels,
    is_mounted_read_only,
    throttle_bits,
)

NOW_S = 1_790_000_000.0


def mounts(*said: str) -> str:
    """/proc/self/mountinfo of "PLACE KIND OWN-OPTIONS SYSTEM-OPTIONS" each."""
    return "".join(
        f"{n} 1 8:{n} / {place} {own} shared:1 - {kind} /dev/x {system}\n"
        for n, (place, kind, own, system) in enumerate((each.split() for each in said), 20)
    )


PI = {
    "proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\0",
    "sys/devices/platform/soc/soc:firmware/get_throttled": "0\n",
    "sys/class/thermal/thermal_zone0/type": "cpu-thermal\n",
    "sys/class/thermal/thermal_zone0/temp": "48312\n",
    "sys/fs/ext4/mmcblk0p2/errors_count": "0\n",
    "sys/class/rtc/rtc0/since_epoch": "1790000000\n",
    "sys/class/watchdog/watchdog0/state": "active\n",
    "proc/meminfo": "MemTotal: 948000 kB\nMemAvailable:   612000 kB\n",
    "proc/self/mountinfo": mounts("/ ext4 rw,noatime rw", "/var/lib/roundtap ext4 rw rw"),
    "dev/i2c-1": "",
    "dev/spidev0.0": "",
}


def machine(folder: Path, files: Mapping[str, str | None], **said: object) -> MachineProbe:
    """A machine whose kernel shows these files; None: not there."""
    for name, text in files.items():
        if text is not None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return MachineProbe(**{"root": folder, "labels": lambda _: ["pinctrl-bcm2711"], **said})  # type: ignore[arg-type]


def checks(found: MachineProbe, now_s: float = NOW_S) -> dict[str, Check]:
    return {check.key: check for check in check_health(found, now_s)}


def kinds(found: MachineProbe) -> dict[str, str]:
    return {key: check.kind or check.state for key, check in checks(found).items()}


def test_a_pi_as_it_should_be(tmp_path: Path) -> None:
    found = checks(machine(tmp_path, PI, data=tmp_path, board=True))
    assert {check.state for check in found.values()} == {FINE}
    assert found["model"].args == {"model": "Raspberry Pi 4 Model B Rev 1.4"}
    assert found["heat"].args == {"celsius": 48}
    assert found["buses"].args == {"names": "i2c-1, spidev0.0"}


def test_a_machine_that_says_nothing_is_unknown_and_no_trouble(tmp_path: Path) -> None:
    found = checks(machine(tmp_path, {}, board=True, labels=lambda _: []))
    unknown = {key for key, check in found.items() if check.state == UNKNOWN}
    assert unknown == {"voltage", "speed", "heat", "card", "pins", "buses", "memory", "watchdog", "root"}
    assert found["model"].kind == "pc"


@pytest.mark.parametrize(
    ("said", "voltage", "speed", "heat"),
    [
        ("0", FINE, FINE, FINE),
        ("50005", WRONG, WRONG, FINE),
        ("50000", NOTE, NOTE, FINE),
        ("1", WRONG, FINE, FINE),
        ("20002", FINE, WRONG, FINE),
        ("80008", FINE, FINE, WRONG),
        ("80000", FINE, FINE, NOTE),
        ("d0008", NOTE, NOTE, WRONG),
    ],
)
def test_the_firmware_s_bits_now_and_since_the_start(
    tmp_path: Path, said: str, voltage: str, speed: str, heat: str
) -> None:
    found = checks(machine(tmp_path, {**PI, "sys/devices/platform/soc/soc:firmware/get_throttled": f"{said}\n"}))
    assert (found["voltage"].state, found["speed"].state, found["heat"].state) == (voltage, speed, heat)


@pytest.mark.parametrize("model", ["Raspberry Pi Zero 2 W Rev 1.0\0", "Raspberry Pi Zero W Rev 1.1\0"])
def test_a_zero_does_not_measure_its_supply_and_its_bits_prove_nothing(tmp_path: Path, model: str) -> None:
    """raspberrypi/documentation, power-supplies.adoc: all models since the B+ do, except the Zero range."""
    found = checks(machine(tmp_path, {**PI, "proc/device-tree/model": model}))["voltage"]
    assert found.state == UNKNOWN
    assert found.finding(core_words("en")) == "A Pi Zero does not measure it."
    # As BUILD.md has it, and power-supplies.adoc: 2 A.
    assert all(" 2 A" in found.to_do(core_words(each)) for each in LANGUAGES)


@pytest.mark.parametrize(
    ("total_kb", "kind"), [(426_000, "wall"), (599_000, "wall"), (948_000, "fine"), (1_850_000, "fine")]
)
def test_a_wall_on_half_a_gigabyte_is_told_what_would_be_right(tmp_path: Path, total_kb: int, kind: str) -> None:
    files = {**PI, "proc/meminfo": f"MemTotal: {total_kb} kB\nMemAvailable:   300000 kB\n"}
    found = checks(machine(tmp_path, files, wall=True))["memory"]
    assert (found.kind or found.state) == kind
    assert ("1 GB" in found.to_do(core_words("de"))) is (kind == "wall")
    assert checks(machine(tmp_path, files))["memory"].state == FINE, "any other role has room"


def test_a_small_wall_that_has_no_memory_left_is_wrong_first(tmp_path: Path) -> None:
    files = {**PI, "proc/meminfo": "MemTotal: 426000 kB\nMemAvailable:   20000 kB\n"}
    found = checks(machine(tmp_path, files, wall=True))["memory"]
    assert (found.state, found.kind) == (WRONG, checks(machine(tmp_path, files))["memory"].kind)


@pytest.mark.parametrize(("alarm", "bits"), [("0\n", 0), ("1\n", 1)])
def test_without_the_firmware_s_file_the_voltage_sensor_says_it(tmp_path: Path, alarm: str, bits: int) -> None:
    files = {
        "sys/class/hwmon/hwmon0/name": "cpu_thermal\n",
        "sys/class/hwmon/hwmon1/name": "rpi_volt\n",
        "sys/class/hwmon/hwmon1/in0_lcrit_alarm": alarm,
    }
    assert throttle_bits(machine(tmp_path, files)) == bits | bits << 16


def test_what_was_low_once_is_remembered_though_the_kernel_forgets_it(tmp_path: Path) -> None:
    file = "sys/devices/platform/soc/soc:firmware/get_throttled"
    found = machine(tmp_path, {**PI, file: "1"})
    assert checks(found)["voltage"].state == WRONG
    (tmp_path / file).write_text("0", encoding="ascii")
    assert checks(found)["voltage"].state == NOTE
    assert throttle_bits(found) == 0x10000


@pytest.mark.parametrize("rubbish", ["", "hello", "0x", "\0\0"])
def test_what_is_no_number_is_not_known(tmp_path: Path, rubbish: str) -> None:
    files = dict.fromkeys(
        [
            "sys/devices/platform/soc/soc:firmware/get_throttled",
            "proc/meminfo",
            "proc/self/mountinfo",
            "sys/class/thermal/thermal_zone0/temp",
            "sys/fs/ext4/sda1/errors_count",
        ],
        rubbish,
    )
    found = checks(machine(tmp_path, {**files, "sys/class/thermal/thermal_zone0/type": "cpu-thermal"}))
    assert {found[key].state for key in ("voltage", "memory", "heat", "card")} == {UNKNOWN}


@pytest.mark.parametrize(("measured", "state"), [("69999", FINE), ("70000", NOTE), ("79999", NOTE), ("80000", WRONG)])
def test_warm_and_hot(tmp_path: Path, measured: str, state: str) -> None:
    assert checks(machine(tmp_path, {**PI, "sys/class/thermal/thermal_zone0/temp": measured}))["heat"].state == state


def test_errors_of_every_file_system_are_counted(tmp_path: Path) -> None:
    found = machine(
        tmp_path, {**PI, "sys/fs/ext4/mmcblk0p2/errors_count": "2\n", "sys/fs/ext4/mmcblk0p3/errors_count": "3\n"}
    )
    assert (checks(found)["card"].state, checks(found)["card"].args) == (WRONG, {"n": 5})


def test_an_emmc_says_how_worn_it_is(tmp_path: Path) -> None:
    found = checks(machine(tmp_path, {**PI, "sys/block/mmcblk0/device/life_time": "0x03 0x09\n"}))["card"]
    assert (found.state, found.kind, found.args) == (NOTE, "worn", {"percent": 80})


def test_a_data_folder_that_became_read_only_is_found_by_the_mount_it_lies_on(tmp_path: Path) -> None:
    found = machine(
        tmp_path,
        {
            "proc/self/mountinfo": mounts(
                "/ ext4 rw rw", "/var/lib/roundtap ext4 rw ro,errors=remount-ro", "/var/lib/roundtap-x ext4 rw rw"
            )
        },
    )
    said = [
        is_mounted_read_only(found, Path(folder))
        for folder in (
            "/var/lib/roundtap",
            "/var/lib/roundtap/a",
            "/var/lib",
            "/var/lib/roundtap-x",
            "/var/lib/roundtap-xyz",
        )
    ]
    assert said == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("said", "kind", "space"),
    [
        ("/ overlay rw,relatime rw,lowerdir=/x", "guarded", False),
        ("/ ext4 ro ro", "guarded", False),
        ("/ ext4 rw,noatime rw", "written", True),
        ("/ ext4 ro,noatime rw", "written", True),
    ],
)
def test_a_root_that_is_only_read_is_said_to_be_safe_and_its_space_is_nobody_s_matter(
    tmp_path: Path, said: str, kind: str, space: bool
) -> None:
    """The last one is what a service sees that systemd forbids to write (ProtectSystem=strict)."""
    found = checks(machine(tmp_path, {**PI, "proc/self/mountinfo": mounts(said)}))
    assert (found["root"].kind, "space_root" in found) == (kind, space)


def test_a_service_that_may_not_write_its_folder_is_told_so(tmp_path: Path) -> None:
    found = machine(tmp_path, {"proc/self/mountinfo": mounts("/ ext4 ro rw")}, data=Path("/var/lib/roundtap"))
    assert checks(found)["writable"].state == WRONG


@pytest.mark.parametrize(
    ("blocks", "inodes", "kind", "state"),
    [
        (1 << 20, 10**6, "", FINE),
        ((512 << 20) // 4096 - 1, 10**6, "", NOTE),
        ((64 << 20) // 4096 - 1, 10**6, "", WRONG),
        (1 << 20, 999, "inodes", WRONG),
    ],
)
def test_space_and_inodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blocks: int, inodes: int, kind: str, state: str
) -> None:
    class Space:
        f_bavail, f_frsize, f_files, f_favail = blocks, 4096, 10**6, inodes

    monkeypatch.setattr(os, "statvfs", lambda _: Space)
    found = checks(machine(tmp_path, PI, data=tmp_path))["space"]
    assert (found.state, found.kind) == (state, kind)


@pytest.mark.parametrize(
    ("files", "now_s", "kind"),
    [
        ({"run/systemd/timesync/synchronized": "", "sys/class/rtc/rtc0/since_epoch": None}, NOW_S, "network"),
        ({}, NOW_S, "rtc"),
        ({"sys/class/rtc/rtc0/since_epoch": "1700\n"}, NOW_S, "rtc_empty"),
        ({"sys/class/rtc/rtc0/since_epoch": None}, NOW_S, "guessed"),
        ({"sys/class/rtc/rtc0/since_epoch": None}, 9e8, "unset"),
    ],
)
def test_where_the_time_comes_from(tmp_path: Path, files: dict[str, str | None], now_s: float, kind: str) -> None:
    assert checks(machine(tmp_path, {**PI, **files}), now_s)["clock"].kind == kind


def test_a_pi_without_its_pins_or_buses_is_told_one_without_a_board_is_not(tmp_path: Path) -> None:
    files = {**PI, "dev/i2c-1": None, "dev/spidev0.0": None}
    found = checks(machine(tmp_path, files, board=True, labels=lambda _: ["gpio-brcmstb@107d517c00"]))
    assert (found["pins"].state, found["buses"].state) == (WRONG, WRONG)
    assert not {"pins", "buses"} & set(checks(machine(tmp_path, files)))


def test_this_very_machine_is_asked_without_a_stumble() -> None:
    found = check_health(MachineProbe(data=Path("/tmp"), board=True), NOW_S)
    assert len(found) >= 10
    assert isinstance(chip_labels(Path("/dev")), list)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_check_of_a_machine_has_its_texts(tmp_path: Path, language: str) -> None:
    """Whatever a machine can be in: all is said, and what is wrong says what to do."""
    words = core_words(language)
    for number, (files, now_s) in enumerate(
        (
            (PI, NOW_S),
            ({}, NOW_S),
            ({}, 0.0),
            (
                {
                    **PI,
                    "sys/devices/platform/soc/soc:firmware/get_throttled": "d000d",
                    "proc/meminfo": "MemAvailable: 9 kB",
                    "sys/fs/ext4/mmcblk0p2/errors_count": "1",
                    "sys/class/watchdog/watchdog0/state": "inactive",
                    "sys/class/rtc/rtc0/since_epoch": "1",
                    "proc/self/mountinfo": mounts("/ ext4 ro ro"),
                },
                NOW_S,
            ),
            (
                {
                    **PI,
                    "sys/devices/platform/soc/soc:firmware/get_throttled": "d0000",
                    "proc/meminfo": "MemAvailable: 60000 kB",
                    "sys/block/mmcblk0/device/life_time": "0x0b",
                    "sys/fs/ext4/mmcblk0p2/errors_count": None,
                    "dev/i2c-1": None,
                    "dev/spidev0.0": None,
                },
                NOW_S,
            ),
        )
    ):
        found = machine(tmp_path / str(number), files, data=Path("/nowhere/at/all"), board=True)
        for check in check_health(found, now_s):
            assert check.title(words)
            assert check.finding(words)
            if check.state == WRONG:
                assert check.to_do(words), check
