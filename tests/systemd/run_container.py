"""Everything of the kit in one container with all hardware missing: what starts, what says what is missing, and what
comes back once it is there. Prints a line a gate, ends with 1 if one does not hold.

    python tests/systemd/run_container.py ROOT [FOLDER]

FOLDER: where pictures of the wall go.
ROOT: a Debian root with systemd, dbus, network-manager, dnsmasq-base, avahi-daemon, iproute2, cage, chromium and grim,
and Roundtap installed (the .deb, or a virtual environment in /opt/roundtap); it is told its role here. It is changed:
give it a copy. As root, with systemd-container; no network is touched but the container's own.
"""

import base64
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from container import Container, until

SERVICES = ("hub", "table", "station", "wall", "panel", "hotspot")
LASTING = ("hub", "station", "wall")
"""Those that run without pins; table and panel need some, and say so."""
BACK_WITHIN_S, RESTART_S = 5.0, 0.5
"""What the units wait before they start again. Where others load the machine, a start takes its processor time."""

ASK = """
import sys, urllib.request
class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_): return None
asked = urllib.request.Request(sys.argv[1], headers={"Host": sys.argv[2]} if len(sys.argv) > 2 else {})
try:
    answer = urllib.request.build_opener(Stay).open(asked, timeout=5)
except urllib.error.HTTPError as error:
    answer = error
print(answer.status, answer.headers.get("location", ""), answer.read().decode("utf-8", "replace")[:60000])
"""
LOOK_UP = """
import socket, struct, sys
name = sys.argv[2]
asked = struct.pack(">6H", 7, 0x0100, 1, 0, 0, 0) + b"".join(
    bytes([len(part)]) + part.encode() for part in name.split(".")) + struct.pack(">BHH", 0, 1, 1)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as talk:
    talk.settimeout(5)
    talk.sendto(asked, (sys.argv[1], 53))
    answer = talk.recv(512)
print(socket.inet_ntoa(answer[-4:]) if struct.unpack(">H", answer[6:8])[0] else "no answer")
"""
PRINTER = """
import os, pty, select, sys, termios, tty
near, far = pty.openpty()
tty.setraw(far)
os.chmod(os.ttyname(far), 0o666)
path = sys.argv[1]
os.symlink(os.ttyname(far), path + ".new")
os.replace(path + ".new", path)
print("there", flush=True)
got = 0
while True:
    ready, _, _ = select.select([near, 0], [], [])
    if 0 in ready and not os.read(0, 1):
        break
    if near in ready:
        said = os.read(near, 4096)
        got += len(said)
        print("bytes", got, flush=True)
        # An honest printer: all its sensors are well, and what was asked to be confirmed is.
        if b"\\x10\\x04" in said: os.write(near, b"\\x12")
        if b"\\x1dr" in said: os.write(near, b"\\x00")
os.unlink(path)
"""
CPU = """
import os, sys
total = 0
old = "/systemd" if os.path.isdir("/sys/fs/cgroup/systemd") else ""
for line in open(f"/sys/fs/cgroup{old}{sys.argv[1]}/cgroup.procs"):
    fields = open(f"/proc/{line.strip()}/stat").read().rpartition(")")[2].split()
    total += int(fields[11]) + int(fields[12])
print(total / os.sysconf("SC_CLK_TCK"))
"""
CPU_OF = """
import os, sys
fields = open(f"/proc/{sys.argv[1]}/stat").read().rpartition(")")[2].split()
print((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
"""

Gate = tuple[str, Callable[[Container], str]]

PICTURES: Path | None = None


def gates() -> Iterator[Gate]:
    yield "every unit file is understood: systemd-analyze verify says nothing", verified
    yield "every service is hardened to OK", hardened
    yield "all services are up, or say why not, with all hardware missing", started
    yield "the journal says what is missing", said_missing
    yield "a wall without a screen costs next to nothing", wall_at_rest
    yield "killed, each is back within 5 s", killed
    yield "a screen appears: the wall finds the hub on this machine", screen_appears
    yield "a network appears: wall and hub say its address", network_appears
    yield "the hub goes, and comes later than the wall", hub_later
    yield "a printer appears: the station opens it", printer_appears
    yield "roundtap hotspot: NetworkManager takes the profile", hotspot_profile
    yield "names and probes on a shared network are answered", shared_network


def verified(box: Container) -> str:
    said = box.done(
        "sh",
        "-c",
        "systemd-analyze verify --man=no $(systemctl list-unit-files --no-legend "
        "'roundtap-*' | cut -d' ' -f1 | grep -v @) 2>&1",
    ).stdout.strip()
    # What is said of units of the distribution is not ours.
    own = [line for line in said.splitlines() if "roundtap" in line]
    assert not own, own
    return "nothing on stderr"


def hardened(box: Container) -> str:
    found = {}
    for unit in box.run("systemctl", "list-unit-files", "--no-legend", "roundtap-*.service").splitlines():
        name = unit.split()[0]
        if "@" in name:
            continue
        said = box.run("systemd-analyze", "security", "--no-pager", name)
        exposure = re.search(r"exposure level for \S+ (\d+\.\d+)", said)
        assert exposure, said[-300:]
        found[name.removeprefix("roundtap-").removesuffix(".service")] = float(exposure[1])
    assert max(found.values()) < 5, found
    return ", ".join(f"{name} {exposure}" for name, exposure in sorted(found.items()))


def started(box: Container) -> str:
    # A hub, and a table unit on the same machine: nothing starts before there is a role.
    assert "hub" in box.run("roundtap", "role", "hub")
    box.run("systemctl", "start", "--no-block", "roundtap-table.service")
    for name in LASTING:
        until(lambda name=name: box.state(f"roundtap-{name}.service") == "active", 90, f"{name} is up")
    said = []
    for name in SERVICES:
        unit = f"roundtap-{name}.service"
        if box.state(unit, "LoadState") == "loaded" and name not in LASTING:
            state = box.state(unit)
            assert state == "active" or box.journal(unit).strip(), f"{unit} is {state} and says nothing"
            said.append(f"{name} {state}")
    return f"{', '.join(LASTING)} active; {', '.join(said)}"


def said_missing(box: Container) -> str:
    until(lambda: "no screen is connected" in box.journal("roundtap-wall.service"), 20, "the wall has no screen")
    until(lambda: "no printer connected" in box.journal("roundtap-station.service"), 20, "no printer is named")
    said = ["wall: no screen", "station: no printer"]
    if box.state("roundtap-table.service", "LoadState") == "loaded":
        until(
            lambda: re.search(r"lgpio is missing|no gpiochip|gpio", box.journal("roundtap-table.service")),
            30,
            "the table says it has no pins",
        )
        said.append("table: no pins")
    until(lambda: "has no network" in box.python(ASK, "http://127.0.0.1/wall"), 10, "the hub's wall says so")
    return "; ".join([*said, "hub's wall: on no network"])


def wall_at_rest(box: Container) -> str:
    group = box.state("roundtap-wall.service", "ControlGroup")
    before = float(box.python(CPU, group))
    time.sleep(20)
    used_s = float(box.python(CPU, group)) - before
    assert used_s < 0.4, used_s
    return f"{used_s * 1000 / 20:.1f} ms of a core a second"


def killed(box: Container) -> str:
    said = []
    for name in LASTING:
        unit = f"roundtap-{name}.service"
        before = box.state(unit, "MainPID")
        began_s = time.monotonic()
        box.run("systemctl", "kill", "-s", "KILL", "--kill-whom=main", unit)
        until(
            lambda unit=unit, before=before: (
                box.state(unit) == "active" and box.state(unit, "MainPID") not in ("0", before)
            ),
            60,
            f"{name} is back",
        )
        took_s = time.monotonic() - began_s
        cpu_s = float(box.python(CPU_OF, box.state(unit, "MainPID")))
        said.append(f"{name} {took_s:.1f} s ({cpu_s:.1f} s of a core)")
        assert min(took_s, RESTART_S + cpu_s) < BACK_WITHIN_S, said
        # What systemd waits between one process and the next is nobody's load: a session that lingers, a pause.
        waited_s = float(box.state(unit, "ExecMainStartTimestampMonotonic")) / 1e6 - began_s
        assert waited_s < BACK_WITHIN_S, f"{name}: {waited_s:.1f} s before it was started again"
    return ", ".join(said)


def screen_appears(box: Container) -> str:
    # A screen in /sys, and a compositor that draws it into memory.
    box.write(
        "/usr/local/bin/cage", '#!/bin/sh\nWLR_BACKENDS=headless WLR_RENDERER=pixman exec /usr/bin/cage "$@"\n', "755"
    )
    box.write("/run/class/drm/card0-HDMI-A-1/status", "connected\n")
    # Into every view of /sys that there is: the service has its own.
    pid = box.state("roundtap-wall.service", "MainPID")
    for at in dict.fromkeys(("1", pid)):
        box.run(
            "nsenter",
            "-t",
            at,
            "-m",
            "--",
            "sh",
            "-c",
            "test -e /sys/class/drm/card0-HDMI-A-1 || { mkdir -p "
            "/run/class/net; mount --bind /sys/class/net /run/class/net; mount --rbind /run/class /sys/class; }",
        )
    began_s = time.monotonic()
    until(
        lambda: re.search(r"opens http://127\.0\.0\.1:(8080|80)/wall", box.journal("roundtap-wall.service")),
        60,
        "the wall opens the hub's page",
    )
    took_s = time.monotonic() - began_s
    until(lambda: box.run("cat", "/var/lib/roundtap-wall/wall.json"), 90, "the wall remembers who it is")
    return f"{took_s:.1f} s after the screen"


def network_appears(box: Container) -> str:
    box.run("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "far0")
    # NetworkManager would ask for an address by DHCP, in vain, and take this one away.
    box.run("nmcli", "device", "set", "eth0", "managed", "no")
    for words in (
        ("addr", "add", "192.168.77.1/24", "dev", "eth0"),
        ("link", "set", "eth0", "up"),
        ("link", "set", "far0", "up"),
    ):
        box.run("ip", *words)
    began_s = time.monotonic()
    until(lambda: "<b>192.168.77.1</b>" in box.python(ASK, "http://127.0.0.1/wall"), 60, "the wall says the address")
    took_s = time.monotonic() - began_s
    assert box.python(ASK, "http://192.168.77.1/time").startswith("200")
    return f"{took_s:.1f} s after the address; port 80 answers"


def hub_later(box: Container) -> str:
    known = box.run("cat", "/var/lib/roundtap-wall/wall.json")
    box.run("systemctl", "stop", "roundtap-hub.service")
    box.run("systemctl", "restart", "roundtap-wall.service")
    time.sleep(8)
    opened = box.journal("roundtap-wall.service").count("opens http")
    picture(box, "wall-waiting")
    began_s = time.monotonic()
    box.run("systemctl", "start", "roundtap-hub.service")
    until(lambda: box.journal("roundtap-wall.service").count("opens http") > opened, 60, "the wall opens it again")
    took_s = time.monotonic() - began_s
    time.sleep(12)
    picture(box, "wall")
    assert box.run("cat", "/var/lib/roundtap-wall/wall.json") == known, "the wall is another one to its hub"
    return f"{took_s:.1f} s after the hub was started; the same name on the console"


def printer_appears(box: Container) -> str:
    config = box.run("cat", "/etc/roundtap/station.toml")
    if "device" not in config:
        box.write("/etc/roundtap/station.toml", config + '\ndevice = "/dev/roundtap-printer"\n')
    box.run("systemctl", "restart", "roundtap-station.service")
    time.sleep(3)
    assert box.state("roundtap-station.service") == "active", "without its printer the station does not run"
    printer = box.begin(PRINTER, "/dev/roundtap-printer")
    try:
        assert printer.stdout.readline().strip() == "there"
        began_s = time.monotonic()
        ready, _, _ = select.select([printer.stdout], [], [], 60)
        assert ready, f"nothing was said to it: {box.journal('roundtap-station.service')[-300:]}"
        return f"spoken to {time.monotonic() - began_s:.1f} s after it was plugged in"
    finally:
        printer.kill()


def hotspot_profile(box: Container) -> str:
    done = box.done("roundtap", "hotspot", "on", "--name", "Tom's; Games", "--country", "DE")
    assert done.returncode == 0, done.stderr
    assert "At most 8 devices" in done.stdout
    said = box.run(
        "nmcli",
        "-t",
        "-f",
        "802-11-wireless.ssid,802-11-wireless.mode,802-11-wireless-security.proto,"
        "802-11-wireless-security.pairwise,802-11-wireless-security.pmf,ipv4.method,ipv4.addresses",
        "connection",
        "show",
        "roundtap-hotspot",
    ).split("\n")
    for line in (
        "802-11-wireless.ssid:Tom's; Games",
        "802-11-wireless.mode:ap",
        "802-11-wireless-security.proto:rsn",
        "802-11-wireless-security.pairwise:ccmp",
        "802-11-wireless-security.pmf:1",
        "ipv4.method:shared",
        "ipv4.addresses:10.42.0.1/24",
    ):
        assert line in said, said
    box.run("roundtap", "hotspot", "off")
    assert "roundtap-hotspot" not in box.run("nmcli", "-t", "-f", "NAME", "connection", "show")
    return "as NetworkManager shows it (no radio here: nothing was sent)"


def shared_network(box: Container) -> str:
    """The same sharing as on the hotspot, over a cable: NetworkManager's own dnsmasq with the kit's names."""
    box.run("ip", "link", "add", "share0", "type", "veth", "peer", "name", "phone0")
    box.run("ip", "link", "set", "phone0", "up")
    box.run("nmcli", "device", "set", "share0", "managed", "yes")
    added = box.done(
        "nmcli",
        "connection",
        "add",
        "type",
        "ethernet",
        "con-name",
        "share",
        "ifname",
        "share0",
        "ipv4.method",
        "shared",
        "ipv4.addresses",
        "10.42.0.1/24",
        "ipv6.method",
        "disabled",
    )
    up = box.done("nmcli", "--wait", "20", "connection", "up", "share")
    assert up.returncode == 0, (added.stderr, up.stderr)
    until(lambda: box.python(LOOK_UP, "10.42.0.1", "roundtap.local") == "10.42.0.1", 15, "roundtap.local is known")
    for name, address in (
        ("captive.apple.com", "10.42.0.1"),
        ("connectivitycheck.gstatic.com", "10.42.0.1"),
        ("dns.msftncsi.com", "131.107.255.255"),
    ):
        assert box.python(LOOK_UP, "10.42.0.1", name) == address, name
    assert box.python(ASK, "http://10.42.0.1/generate_204", "connectivitycheck.gstatic.com").startswith("204")
    assert "Success" in box.python(ASK, "http://10.42.0.1/hotspot-detect.html", "captive.apple.com")
    led = box.python(ASK, "http://10.42.0.1/anything", "www.example.com")
    assert led.startswith("302 http://10.42.0.1/"), led
    return "roundtap.local, probes of Apple, Google and Microsoft by dnsmasq and hub"


def picture(box: Container, name: str) -> None:
    """What is on the wall, where ROOT has grim: PICTURES/NAME.png."""
    box.run("sh", "-c", "XDG_RUNTIME_DIR=/run/roundtap-wall WAYLAND_DISPLAY=wayland-0 grim /tmp/shot.png")
    drawn = base64.b64decode(box.run("base64", "/tmp/shot.png"))
    if PICTURES is not None and drawn:
        (PICTURES / f"{name}.png").write_bytes(drawn)


def main() -> int:
    global PICTURES
    if len(sys.argv) not in (2, 3) or shutil.which("systemd-nspawn") is None:
        print(__doc__, file=sys.stderr)
        return 2
    PICTURES = Path(sys.argv[2]) if len(sys.argv) == 3 else None
    failed = 0
    with Container(Path(sys.argv[1])) as box:
        for name, gate in gates():
            try:
                print(f"holds   {name}: {gate(box)}", flush=True)
            except (AssertionError, ValueError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAILS   {name}: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
