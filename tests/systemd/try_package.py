"""The Debian package in a container with the network cut: install, every role, upgrade, downgrade, remove, purge.

Needs root, systemd-nspawn and a Debian root with systemd and python3 (never changed: it is copied). Ends with 1 where
something does not hold. The later package is made of the given one: a later version, and a journal of a made-up form.
usage: python3 tests/systemd/try_package.py ROOT PACKAGE.deb [BUNDLE.tar]
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

HUB = "http://127.0.0.1:8080/"
DATA = "/var/lib/roundtap"
LATER_FORM = """    "0003": ("ALTER TABLE person ADD COLUMN mood VARCHAR NOT NULL DEFAULT 'calm'",),
}
CURRENT ="""
# What an organizer's browser sends; the console answers this machine itself without encryption.
EVENING = """
import http.cookiejar, re, sys, urllib.parse, urllib.request
browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
def get(path):
    return browser.open("http://127.0.0.1:8080" + path, timeout=20).read().decode()
def post(page, path, **said):
    said["csrf"] = re.search('name="csrf" value="([^"]+)"', get(page))[1]
    sent = urllib.parse.urlencode(said).encode()
    return browser.open("http://127.0.0.1:8080" + path, sent, timeout=20).read().decode()
post("/login", "/login", pin=sys.argv[1])
if sys.argv[2:] == ["begin"]:
    post("/console", "/console", name="Winter Open", color="#00785A", rulebook="xwing-standard", structure="own",
         swiss_rounds="2")
    event = "/console/" + re.search('/console/(e[^/"?]+)', get("/console"))[1]
    post(event, event + "/competitors", names="\\n".join("Player %d" % n for n in range(8)))
print("Winter Open" in get("/console"))
"""


class Container:
    """A booted copy of the root, alone in a network of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        # nspawn wants its own folder on a file system of its own.
        Path("/run/systemd/nspawn").mkdir(parents=True, exist_ok=True)
        if not os.path.ismount("/run/systemd/nspawn"):
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run/systemd/nspawn"], check=True)
        with open(root.parent / "boot.log", "wb") as log:
            self._nspawn = subprocess.Popen(
                ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "-D", root, "-b"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._leader = self._wait_for_leader()
        self.until("systemctl is-system-running | grep -qE 'running|degraded'", 180)

    def _wait_for_leader(self) -> int:
        children = Path(f"/proc/{self._nspawn.pid}/task/{self._nspawn.pid}/children")
        for _ in range(300):
            for child in children.read_text().split():
                if Path(f"/proc/{child}/comm").read_text().strip() == "systemd":
                    return int(child)
            time.sleep(0.1)
        raise SystemExit("the container does not start")

    def run(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [
                "nsenter",
                "--target",
                str(self._leader),
                "--all",
                "env",
                "-i",
                "LC_ALL=C.UTF-8",
                "PATH=/usr/sbin:/usr/bin",
                "DEBIAN_FRONTEND=noninteractive",
                *words,
            ],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=900,
            check=False,
        )
        if check and done.returncode:
            raise SystemExit(f"{' '.join(words)}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        return done

    def sh(self, script: str, check: bool = True) -> str:
        return self.run("sh", "-c", script, check=check).stdout

    def until(self, script: str, within_s: float) -> float:
        """How long it took until the script ended with 0."""
        from_s = time.monotonic()
        while time.monotonic() - from_s < within_s:
            if self.run("sh", "-c", script, check=False).returncode == 0:
                return time.monotonic() - from_s
            time.sleep(0.3)
        raise SystemExit(f"not within {within_s:.0f} s: {script}\n{self.sh('journalctl --no-pager | tail -40', False)}")

    def stop(self) -> None:
        self._nspawn.terminate()
        try:
            self._nspawn.wait(60)
        except subprocess.TimeoutExpired:
            os.kill(self._leader, 9)
            self._nspawn.wait(20)

    def answers(self) -> bool:
        return (
            self.run(
                "python3", "-c", f"import urllib.request as u; u.urlopen({HUB!r}, timeout=10)", check=False
            ).returncode
            == 0
        )

    def wait_for_hub(self) -> float:
        return self.until(f"python3 -c \"import urllib.request as u; u.urlopen('{HUB}', timeout=10)\"", 180)

    def journal(self) -> dict[str, tuple[int, str]]:
        """Every stream with its number of entries and its last hash, after all of it was looked through."""
        said = json.loads(self.sh(f"runuser -u roundtap-hub -- roundtap journal verify --data {DATA} --format json"))
        assert not any(each["wrong"] for each in said["streams"]), said
        return {each["stream"]: (each["entries"], each["head"]) for each in said["streams"]}

    def form(self) -> str:
        return self.sh(
            f"python3 -c \"import sqlite3; print(*sqlite3.connect('{DATA}/roundtap.db')"
            ".execute('SELECT version_num FROM alembic_version').fetchone())\""
        ).strip()


@contextmanager
def booted(base: Path, folder: Path, files: Sequence[Path]) -> Iterator[Container]:
    root = folder / "root"
    subprocess.run(["cp", "-a", "--one-file-system", str(base), str(root)], check=True)
    for file in files:
        shutil.copy(file, root / "root")
    container = Container(root)
    try:
        yield container
    finally:
        container.stop()


def later_package(package: Path, folder: Path) -> Path:
    """The same package as a later version with another form of the journal."""
    tree = folder / "later"
    subprocess.run(["dpkg-deb", "-R", str(package), str(tree)], check=True)
    [site] = tree.glob("opt/roundtap/lib/python3*/site-packages")
    forms = site / "roundtap_hub" / "store"
    known = (forms / "models.py").read_text()
    assert known.count("}\nCURRENT =") == 1
    (forms / "models.py").write_text(known.replace("}\nCURRENT =", LATER_FORM))
    # What was compiled would hold unasked.
    for compiled in (forms / "__pycache__").glob("models*"):
        compiled.unlink()
    (site / "roundtap_core" / "built_version.txt").write_text("0.9.dev900+gfeedbeef0")
    control = tree / "DEBIAN" / "control"
    control.write_text(
        "".join(
            "Version: 0.9~dev900+gfeedbeef0\n" if line.startswith("Version:") else line
            for line in control.read_text().splitlines(keepends=True)
        )
    )
    made = folder / "later.deb"
    subprocess.run(["dpkg-deb", "--build", "-Znone", str(tree), str(made)], check=True, stdout=subprocess.DEVNULL)
    return made


class Away:
    """How long the hub did not answer while something was done."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._over = threading.Event()
        self.longest_s = 0.0
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Away:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._container.wait_for_hub()
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        heard = time.monotonic()
        while not self._over.is_set():
            if self._container.answers():
                heard = time.monotonic()
            self.longest_s = max(self.longest_s, time.monotonic() - heard)
            time.sleep(0.1)


def say(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", flush=True)


def holds(what: str, is_so: bool) -> None:
    say(f"{'ok  ' if is_so else 'FAIL'} {what}")
    if not is_so:
        raise SystemExit(1)


def install(container: Container, what: str, *more: str) -> subprocess.CompletedProcess[str]:
    return container.run("apt-get", "install", "-y", "--no-install-recommends", *more, what, check=False)


def main(base: Path, package: Path, bundle: Path | None) -> None:
    with tempfile.TemporaryDirectory(prefix="roundtap-package.", dir=os.environ.get("TMPDIR")) as made:
        folder = Path(made)
        first = shutil.copy(package, folder / "first.deb")
        later = later_package(package, folder)
        with booted(base, folder, [Path(first), later, *([bundle] if bundle else [])]) as container:
            play(container, bundle)


def play(container: Container, bundle: Path | None) -> None:
    holds("the network is cut", "default" not in container.sh("cat /proc/net/route; ip route || true"))
    from_s = time.monotonic()
    if bundle:
        container.sh(f"cd /root && tar -xf {bundle.name} && sh */install.sh")
    else:
        done = install(container, "/root/first.deb")
        holds(f"installed ({done.stderr[-300:] if done.returncode else 'without network'})", done.returncode == 0)
    say(f"     installation {time.monotonic() - from_s:.1f} s")
    running = container.sh("systemctl list-units --plain --no-legend 'roundtap-*' --state=running")
    holds("nothing runs before there is a role", not running)
    for role, service in (("wall", "wall"), ("printer", "station")):
        said = container.run("roundtap", "role", role).stdout
        took_s = container.until(f"systemctl is-active roundtap-{service}", 60)
        holds(f"role {role}: its service is up after {took_s:.1f} s", True)
        if role == "wall":
            # Beside the package alone there is no browser; a bundle brings it (unless WALL=no).
            there = container.run("which", "chromium", check=False).returncode == 0
            doctor = container.run("roundtap", "doctor", check=False).stdout
            holds(
                f"role and doctor say whether there is a browser: {there}",
                ("roundtap-wall" in said.partition("\n\n")[2]) != there and ("chromium" in doctor) != there,
            )
    container.run("roundtap", "role", "standby")
    container.until("test -d /run/roundtap/local", 60)
    container.run("roundtap", "role", "hub")
    say(f"     from standby to the hub's first answer {container.wait_for_hub():.1f} s")
    for reader in ("panel", "station"):
        holds(
            f"standby, then hub, without a restart: the {reader} is enrolled",
            "key" in container.sh(f"runuser -u roundtap-{reader} -- cat /run/roundtap/local/{reader}.json"),
        )
    pin = container.sh("journalctl -u roundtap-hub | grep -o 'shown once): .*' | head -1 | cut -d' ' -f3").strip()
    (container.root / "root" / "evening.py").write_text(EVENING)
    holds("an event is made", container.sh(f"python3 /root/evening.py '{pin}' begin").strip() == "True")
    before, version = container.journal(), container.sh("roundtap --version")

    container.sh(f"mkdir -p {DATA}/backups && touch {DATA}/backups/before-upgrade")
    done = install(container, "/root/later.deb")
    refused = "no backup could be made" in done.stderr + done.stdout
    holds("without a backup no upgrade", done.returncode != 0 and refused)
    holds("the hub never stopped for it", container.answers() and container.sh("roundtap --version") == version)
    container.sh(f"rm {DATA}/backups/before-upgrade; dpkg --configure -a")

    with Away(container) as away:
        done = install(container, "/root/later.deb")
    holds(f"upgraded ({done.stderr[-300:] if done.returncode else 'later.deb'})", done.returncode == 0)
    say(f"     the hub was away for {away.longest_s:.1f} s")
    holds("the later version runs", "0.9.dev900" in container.sh("roundtap --version"))
    holds("the journal has the later form", container.form() == "0003")
    kept = container.sh(f"ls {DATA}/backups/before-upgrade").split()
    holds(f"backups were made: {kept}", bool(kept))
    holds("every entry is there", container.journal() == before)
    holds("the organizer's PIN is the same", container.sh(f"python3 /root/evening.py '{pin}'").strip() == "True")

    done = install(container, "/root/first.deb", "--allow-downgrades")
    holds(f"downgraded ({done.stderr[-300:] if done.returncode else 'first.deb'})", done.returncode == 0)
    holds("the first version is there", container.sh("roundtap --version") == version)
    container.until("journalctl -u roundtap-hub --no-pager | grep -q before-upgrade/0002", 120)
    holds("it refuses the later form and names the backup", not container.answers())
    container.sh(
        f"systemctl stop roundtap-hub; mv {DATA} {DATA}-newer; roundtap recover --data {DATA} --from "
        f"$(ls -t {DATA}-newer/backups/before-upgrade/0002/*.backup | head -1); "
        "systemctl reset-failed roundtap-hub; systemctl start roundtap-hub"
    )
    container.wait_for_hub()
    holds("the journal has the form before", container.form() == "0002")
    after = container.journal()
    holds("every entry of the event is there", {**after, "venue": before["venue"]} == before)
    before = after
    container.run("dpkg", "--verify", "roundtap")

    done = container.run("apt-get", "remove", "-y", "roundtap")
    wrong = [
        line
        for line in (done.stdout + done.stderr).splitlines()
        if re.search(r"\b(failed|error|warning)\b", line, re.I)
    ]
    holds(f"removed without an error {wrong}", not wrong)
    holds(
        "removed: nothing runs, nothing starts",
        not container.answers() and "roundtap-hub" not in container.sh("ls /etc/systemd/system/*.wants"),
    )
    holds("removed: the journal is there", container.sh(f"ls {DATA}/roundtap.db").strip() != "")
    holds("removed: /opt is empty", not container.sh("ls -A /opt 2> /dev/null || true").strip())
    holds("installed again", install(container, "/root/first.deb").returncode == 0)
    container.run("roundtap", "role", "hub")
    container.wait_for_hub()
    holds("every entry is there", container.journal() == before)

    said = container.run("apt-get", "purge", "-y", "roundtap").stdout
    holds("purge says what it takes", f"purged: {DATA}" in said)
    left = container.sh(
        "ls -d /var/lib/roundtap* /opt/roundtap /run/roundtap* 2>/dev/null; "
        "find /etc /usr/lib -name '*roundtap*'; "
        "getent passwd | grep roundtap; getent group | grep roundtap; true"
    )
    holds(f"nothing is left {left.split()}", not left.strip())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
