"""What a stock Raspberry Pi OS loses when it becomes a machine of the kit: its questions, and other set-up tools."""

from __future__ import annotations

from pathlib import Path

from roundtap.machine.applying import Machine, write_whole

ASKS_FOR_A_USER = "userconfig.service"
"""Pi OS asks for the first user's name on the screen, and waits for it."""
CLOUD_OFF = "etc/cloud/cloud-init.disabled"
RADIO_OFF = "var/lib/NetworkManager/NetworkManager.state"
"""Pi OS keeps the Wi-Fi off until somebody names the country."""
TRIED = "var/lib/roundtap-machine/restarted-for"


def quieten(machine: Machine) -> None:
    """Nothing of the stock system waits for a person, and no second tool sets the machine up."""
    machine.run(["systemctl", "--quiet", "mask", ASKS_FOR_A_USER])
    if (machine.root / "etc/cloud").is_dir() and not _imager_set_something(machine.boot()):
        # Its own switch, as its documentation has it. What somebody chose in Imager still comes true.
        (machine.root / CLOUD_OFF).touch()
    if (machine.root / "etc/modules-load.d").is_dir():
        write_whole(machine.root / "etc/modules-load.d/roundtap.conf", "i2c-dev\n")
    state = machine.root / RADIO_OFF
    if state.is_file() and "WirelessEnabled=false" in state.read_text(encoding="utf-8"):
        write_whole(state, "[main]\nWirelessEnabled=true\n", 0o600)
    machine.run(["rfkill", "unblock", "wifi"])


def _imager_set_something(boot: Path | None) -> bool:
    try:
        lines = (boot / "user-data").read_text(encoding="utf-8").splitlines() if boot else []
    except OSError:
        return False
    return any(line.strip() and not line.lstrip().startswith("#") for line in lines)


def restart_wanted(machine: Machine) -> bool:
    """Once for each state of the boot files: a card that forgets what is written to it does not restart for ever."""
    boot = machine.boot()
    if boot is None:
        return False
    state = "\0".join((boot / name).read_text(encoding="utf-8", errors="replace")
                      for name in ("config.txt", "cmdline.txt") if (boot / name).is_file())
    path = machine.root / TRIED
    if path.is_file() and path.read_text(encoding="utf-8", errors="replace") == state:
        return False
    write_whole(path, state, 0o600)
    return True
