"""A real hub on a core of its own, in a made-up hall; watched from outside, and ended with whoever started it."""

from __future__ import annotations

import atexit
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from roundtap.demo.demo import make_event
from roundtap.kit.virtual_kit import start_roundtap
from roundtap_hub.store.login_pins import hash_pin

PIN = "135790"
START_S = 300.0
IDLE, SETTLE_S = 0.05, 60.0


@dataclass
class Hall:
    """A hub's data folder with its units' keys."""

    folder: Path
    keys: dict[str, bytes] = field(default_factory=dict)


def make_hall(folder: Path, players: int = 256, tables: int = 128, units: int = 128) -> Hall:
    """Event "e1", round 1 published, a unit at each of the first `units` tables."""
    folder.mkdir(parents=True)
    make_event(folder / "roundtap.db", players, tables, "xwing-standard", event_id="e1")
    return bare_hall(folder, units)


def bare_hall(folder: Path, units: int = 128, after: int = 0) -> Hall:
    """PIN and keys beside whatever journal the folder has; the units are those after table `after`."""
    folder.mkdir(parents=True, exist_ok=True)
    hall = Hall(folder, {f"table-{n}": secrets.token_bytes(32) for n in range(after + 1, after + units + 1)})
    (folder / "keys.json").write_text(json.dumps({unit: key.hex() for unit, key in hall.keys.items()}))
    (folder / "pin").write_text(hash_pin(PIN))
    return hall


def keep_off_the_hub_s_core(nice: int = 0) -> int | None:
    """Put this process, and all it starts, on the other cores; the core that is left to the hub (None: only one)."""
    cores = sorted(os.sched_getaffinity(0))
    if nice:
        os.setpriority(os.PRIO_PROCESS, 0, nice)
        # Where the kernel groups processes by session, niceness counts within a group, and groups have their own.
        with suppress(OSError):
            Path("/proc/self/autogroup").write_text(str(nice))
            atexit.register(Path("/proc/self/autogroup").write_text, "0")
    whole = sorted(range(os.cpu_count() or 1))
    if len(whole) < 2 or shutil.which("taskset") is None:
        return None
    if cores == whole:
        os.sched_setaffinity(0, whole[1:])
    return whole[0]


class HubProcess:
    """A hub that runs. `wrapper`: words before the command (a quota, a slow disk); `encrypted`: whether it has its
    encrypted port, too; `options`: further ones of `roundtap hub`. Leave it with `with`."""

    def __init__(
        self,
        hall: Hall,
        wrapper: tuple[str, ...] = (),
        core: int | None = None,
        encrypted: bool = False,
        options: tuple[str, ...] = (),
    ) -> None:
        self.hall = hall
        self.port = free_port()
        self.secure_port = free_port() if encrypted else 0
        on_core = ("taskset", "-c", str(core)) if core is not None else ()
        self._log = open(hall.folder / "hub.log", "wb")  # noqa: SIM115 — for the hub's life
        begun = time.monotonic()
        self.process: subprocess.Popen[bytes] = start_roundtap(
            "hub",
            "--data",
            str(hall.folder),
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
            # What is measured is the hub, not what one key may ask of it.
            "--generous",
            "1000",
            "--secure-port",
            str(self.secure_port),
            *options,
            wrapper=(*wrapper, *on_core),
            stdout=subprocess.DEVNULL,
            stderr=self._log,
        )
        try:
            self._wait_for_an_answer()
        except BaseException:
            self.stop()
            raise
        self.started_s = time.monotonic() - begun
        """From the command to the first answer."""
        self.started_cpu_s = self.cpu_s()

    def __enter__(self) -> HubProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cpu_s(self) -> float:
        """Processor time of the hub's whole process up to now: CPUCLOCK_SCHED of another process, in nanoseconds."""
        return time.clock_gettime((~self.pid << 3) | 2)

    def cpu_ms(self, asked: Sequence[Callable[[], object]], settle_s: float = 0.2) -> float:
        """The hub's milliseconds of processor for each of these, what it uses idle taken off."""
        time.sleep(settle_s)
        idle_from, begin = self.cpu_s(), time.monotonic()
        time.sleep(settle_s)
        idle = (self.cpu_s() - idle_from) / max(0.001, time.monotonic() - begin) if settle_s else 0.0
        cpu, begin = self.cpu_s(), time.monotonic()
        for ask in asked:
            ask()
        cpu, took = self.cpu_s() - cpu, time.monotonic() - begin
        return max(0.0, cpu - idle * took) * 1000 / len(asked)

    def rss_mb(self) -> float:
        return _kb(Path(f"/proc/{self.pid}/status"), "VmRSS:") / 1024

    def pss_mb(self) -> float:
        return _kb(Path(f"/proc/{self.pid}/smaps_rollup"), "Pss:") / 1024

    def wait_until_idle(self) -> None:
        """What it does in the background is done: two seconds with hardly any processor time."""
        give_up = time.monotonic() + SETTLE_S
        while time.monotonic() < give_up:
            cpu, begin = self.cpu_s(), time.monotonic()
            time.sleep(2)
            if self.cpu_s() - cpu < IDLE * (time.monotonic() - begin):
                return

    def stop(self) -> None:
        """End it as systemd would; killed where that takes too long."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdin:
            with suppress(OSError):
                self.process.stdin.close()
        self._log.close()
        complained = (self.hall.folder / "hub.log").read_text(errors="replace").splitlines()
        if complained:
            print(f"  the hub complained in {len(complained):,} lines, lastly: {complained[-1][:160]}", flush=True)

    def _wait_for_an_answer(self) -> None:
        give_up = time.monotonic() + START_S
        while time.monotonic() < give_up:
            if self.process.poll() is not None:
                raise RuntimeError(f"the hub ended with {self.process.returncode}")
            with suppress(OSError), urllib.request.urlopen(f"{self.url}/time", timeout=START_S):
                return
            time.sleep(0.01)
        raise RuntimeError(f"the hub did not answer within {START_S:.0f} s")


def _kb(file: Path, name: str) -> int:
    for line in file.read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    raise RuntimeError(f"no {name} in {file}")


def free_port() -> int:
    """A port that nobody has, below those that the kernel gives to connections: one of these could take it before the
    hub does."""
    while True:
        with closing(socket.socket()) as probe, suppress(OSError):
            port = 12_000 + secrets.randbelow(20_000)
            probe.bind(("127.0.0.1", port))
            return port
