"""The kit's services: what systemd knows of each, what it says of itself, and the check of it.

A service's own word is its STATUS= (sd_notify(3), `SystemdNotifier.say`): what is wrong, or nothing where all is well.
systemd forgets it at the next start, so of one that ends again and again the journal is asked.
"""

import os
import re
import subprocess
import textwrap
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from roundtap_machine.health import FINE, NOTE, WRONG, Check, MachineProbe, check_health, printer_check, whole_number
from roundtap_machine.wifi import hotspot_checks

APPLIED = Path("run/roundtap-settings")  # the role, then what to correct; written whenever roundtap.txt is applied
NEW_PIN = Path("run/roundtap-new-pin")  # of a new hub, until somebody has logged in with it
SETTINGS = "first-boot"  # the service that applies roundtap.txt
SERVICES = (SETTINGS, "hub", "standby", "table", "station", "wall", "panel", "hotspot")  # roundtap-NAME.service
# Role → the service that it cannot do without.
ROLE_SERVICES = {"hub": "hub", "standby": "standby", "table": "table", "printer": "station", "wall": "wall"}
# How the word of a service begins that waits for hardware; a station's port is named by its state.
WAITS = ("waiting: ", "no-port", "unplugged")
OF_A_HUB = ("panel", "station", "wall")  # on the hub's machine they wait for hardware that it need not have

ASKED_WITHIN_S = 10.0
RESTARTS_MANY = 5
STEADY_S = 60.0  # one that has run for this long is no longer in a restart loop
WORDS_LETTERS_MAX = 600

PROPERTIES = (
    "Id",
    "LoadState",
    "UnitFileState",
    "ActiveState",
    "Result",
    "NRestarts",
    "ExecMainStatus",
    "StatusText",
    "ActiveEnterTimestampMonotonic",
)
WANTED = ("enabled", "enabled-runtime", "static", "generated")
_OWN_ERROR = re.compile(
    r"roundtap [a-z]+: .+|(?:ERROR|WARNING|CRITICAL) .+|[\w.]*(?:Error|Exception|Problem)\b.*"
    r"|roundtap-\S+: (Failed (?:at step|to (?:execute|locate|set up)) .+"
    r"|Main process exited, code=(?:killed|dumped), .+)"
)

Run = Callable[[Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class SystemdService:
    """One service. `wanted`: starts at power-on; `active`: "active", "failed", "inactive", "activating"…; `result`: how
    it ended last; `restarts`: the number of restarts by systemd since power-on; `says`: its own word on what is wrong,
    "" where there is none; `active_s`: how long it has been active; `of_role`: roundtap.txt makes this machine one that
    cannot do without it."""

    name: str
    wanted: bool
    active: str
    result: str
    restarts: int
    says: str = ""
    active_s: float = STEADY_S
    of_role: bool = False

    @property
    def is_looping(self) -> bool:
        return self.restarts >= RESTARTS_MANY and is_in_trouble(self.active, self.restarts, self.active_s)


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """A program's exit code, 127 if it is missing, and what it wrote: of an error, else of its result."""

    code: int
    text: str


def run_program(words: Sequence[str], within_s: float = 40.0) -> ProgramResult:
    """Run it, in English; its output goes nowhere else."""
    # systemd's own programs would notify of their errors, as if they were this service.
    environment = {name: value for name, value in os.environ.items() if name != "NOTIFY_SOCKET"} | {"LC_ALL": "C"}
    try:
        done = subprocess.run(
            list(words),
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=within_s,
            errors="replace",
            env=environment,
        )
    except FileNotFoundError:
        return ProgramResult(127, "")
    except (OSError, subprocess.TimeoutExpired) as error:
        return ProgramResult(1, str(error))
    return ProgramResult(done.returncode, (done.stdout if done.returncode == 0 else done.stderr or done.stdout).strip())


def program_output(words: Sequence[str]) -> str:
    """A program's output; "" where it is missing, fails or does not answer."""
    done = run_program(words, ASKED_WITHIN_S)
    return done.text if done.code == 0 else ""


def applied_settings(root: Path = Path("/")) -> tuple[str, str]:
    """The role that roundtap.txt gave this machine, and what to correct there; ("", "") where none was applied."""
    try:
        role, _, says = (root / APPLIED).read_text(encoding="utf-8").partition("\n")
    except OSError:
        return "", ""
    return role, says


def list_services(
    run: Run = program_output, now_s: Callable[[], float] = time.monotonic, root: Path = Path("/")
) -> list[SystemdService]:
    """The services that this machine has; none without systemd. `now_s`: systemd's monotonic clock."""
    services = []
    role, mistakes = applied_settings(root)
    units = {f"roundtap-{name}.service": name for name in SERVICES}
    for block in run(["systemctl", "show", *units, f"--property={','.join(PROPERTIES)}"]).split("\n\n"):
        properties = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        unit = properties.get("Id", "")
        if properties.get("LoadState") != "loaded" or unit not in units:
            continue
        active, result, says = (properties.get(name, "") for name in ("ActiveState", "Result", "StatusText"))
        restarts = whole_number(properties.get("NRestarts")) or 0
        active_s = now_s() - (whole_number(properties.get("ActiveEnterTimestampMonotonic")) or 0) / 1e6
        wanted = properties.get("UnitFileState") in WANTED
        if wanted and is_in_trouble(active, restarts, active_s):
            # Newest first: with --since, older versions take the first lines instead of the last ones otherwise.
            says = (
                last_words(
                    run(
                        ["journalctl", "--no-pager", "-r", "-n", "40", "--since", "-10min", "-o", "cat", "-u", unit]
                    ).splitlines()
                )
                or says
            )
        if not says and result not in ("", "success"):
            says = f"{result}, {properties.get('ExecMainStatus', '')}"
        if units[unit] == SETTINGS:
            says = mistakes
        services.append(
            SystemdService(
                units[unit],
                wanted,
                active,
                result,
                restarts,
                textwrap.shorten(says, WORDS_LETTERS_MAX, placeholder=" …"),
                active_s,
                units[unit] == ROLE_SERVICES.get(role),
            )
        )
    return services


def is_in_trouble(active: str, restarts: int, active_s: float) -> bool:
    """Whether it does not run, or only between one restart and the next."""
    return active != "active" or (restarts >= RESTARTS_MANY and active_s < STEADY_S)


def last_words(newest_first: Iterable[str]) -> str:
    """What a service said of an error before it ended last, or systemd of one that was killed; "" for other lines, in
    which there may be a PIN."""
    lines = [line.strip() for line in newest_first]
    ended = next((place for place, line in enumerate(lines) if ": Main process exited, " in line), 0)
    errors = map(_OWN_ERROR.fullmatch, lines[ended:])
    return next((each[1] or each[0] for each in errors if each), "")


def role_of(services: Iterable[SystemdService]) -> str:
    """The machine's role by the services that it runs; "" without any. A hub has those of other roles, too."""
    running = {each.name for each in services if each.of_role} or {
        each.name for each in services if each.wanted or each.active == "active"
    }
    return next((role for role, service in ROLE_SERVICES.items() if service in running), "")


def service_checks(services: Sequence[SystemdService]) -> list[Check]:
    """One check for each service that this machine should run; others are ignored."""
    on_hub = role_of(services) in ("hub", "standby")
    return [check for each in services if (check := _service_check(each, on_hub and each.name in OF_A_HUB)) is not None]


def _service_check(each: SystemdService, may_wait: bool) -> Check | None:
    if not each.wanted and not each.of_role and each.active not in ("active", "activating"):
        return None
    args: dict[str, str | int] = {"service": f"roundtap-{each.name}", "n": each.restarts, "says": each.says or "–"}
    if each.name == SETTINGS and each.active in ("active", "inactive"):
        # Without a start since the role was set, what the file says was told where it was set.
        return (
            Check("settings", WRONG, {"says": each.says}, "says")
            if each.says
            else Check("settings", FINE)
            if each.active == "active"
            else None
        )
    if each.is_looping:
        return Check("service", WRONG, args, "looping")
    if each.active == "active":
        if not each.says:
            return (
                Check("service", NOTE, args, "restarted")
                if each.restarts >= RESTARTS_MANY
                else Check("service", FINE, args)
            )
        if may_wait and each.says.startswith(WAITS):
            return Check("service", FINE, args, "waits")
        return printer_check(f"roundtap-{each.name}", each.says) or Check("service", WRONG, args, "says")
    if each.active == "activating" and not each.restarts and each.result == "success":
        return Check("service", NOTE, args, "starting")
    return Check("service", WRONG, args)


def log_lines(run: Run = program_output, lines: int = 400) -> list[str]:
    """The last log lines of all services; none where this user may not read them."""
    units = [word for name in SERVICES for word in ("-u", f"roundtap-{name}.service")]
    return run(["journalctl", "--no-pager", "-o", "short-iso", "-n", str(lines), *units]).splitlines()[-lines:]


def data_folder(role: str, root: Path = Path("/")) -> Path | None:
    """Where the service of this role keeps what must last; None where there is no such folder."""
    service = ROLE_SERVICES.get(role, "hub")
    folder = root / "var/lib" / ("roundtap" if service == "hub" else f"roundtap-{service}")
    return folder if folder.is_dir() else None


def machine_checks(
    machine: MachineProbe,
    now_s: float,
    services: Sequence[SystemdService],
    hotspot: Callable[[], list[Check]] = hotspot_checks,
) -> list[Check]:
    """All that a machine of any role knows of itself: for *Before the doors open*, and for `roundtap doctor`."""
    return [*check_health(machine, now_s), *service_checks(services), *hotspot()]
