"""How this machine is, hub, table, station or wall: one line a check, what to do, and a bundle for who helps.

It needs no running hub and no root. Exit code 0: nothing has to be done; 1: something has; 2: it was asked wrongly.
"""

import contextlib
import http.client
import json
import time
import tomllib
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from roundtap.doctor.wall_programs import wall_checks
from roundtap.headless import cli_io
from roundtap.provisioning import applying
from roundtap.provisioning.settings_file import Settings
from roundtap_core.words import Words, core_words
from roundtap_hub.hall.diagnostics import diagnostics_text
from roundtap_machine.checks import FINE, GROUPS, NETWORK, NOTE, UNKNOWN, WRONG, Check, worst, worst_first
from roundtap_machine.health import MachineProbe, SystemdService, check_health, list_services, log_lines, program_output
from roundtap_machine.wifi import hotspot_checks
from roundtap_units.link.find_hub import PORTS, request_json
from roundtap_units.link.hub_choice import Endpoint, endpoint_url, parse_endpoints

DATA = Path("/var/lib/roundtap")
MARKS = {WRONG: "✗", NOTE: "–", UNKNOWN: "?", FINE: "✓"}
EXIT_TO_DO = 1
ETC = Path("/etc/roundtap")
FILES = ("table.toml", "station.toml", "panel.toml", "standby.toml")
ENROLLED_FILES = (Path("/var/lib/roundtap-table/enrolled.json"), Path("/var/lib/roundtap-station/enrolled.json"))
"""What units received at enrolment, their hub's addresses included."""
RESTARTS_MANY = 5

Ask = Callable[[str, int], bool]  # whether a hub answers at host and port


def service_checks(known: Sequence[SystemdService]) -> list[Check]:
    """One check for each service that this machine should run; others are ignored."""
    found = []
    for each in known:
        args: dict[str, str | int] = {"service": f"roundtap-{each.name}", "n": each.restarts}
        if each.active == "active":
            many = each.restarts >= RESTARTS_MANY
            found.append(Check("service", NOTE if many else FINE, args, "restarted" if many else ""))
        elif each.wanted or each.active in ("failed", "activating"):
            found.append(Check("service", WRONG, args))
    return found


def config_checks(etc: Path) -> list[Check]:
    """Whether the existing configuration files can be read."""
    found = []
    for name in FILES:
        path = etc / name
        try:
            tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            continue
        except PermissionError:
            found.append(Check("config", NOTE, {"file": str(path)}, "not_yours"))
        except OSError as error:
            found.append(Check("config", WRONG, {"file": str(path), "reason": error.strerror or ""}))
        except ValueError as error:
            # Only the place is repeated: a key may be on that line.
            _, at, place = str(error).rpartition("(at ")
            found.append(Check("config", WRONG, {"file": str(path), "reason": f"{at}{place}" if at else "TOML"}))
        else:
            found.append(Check("config", FINE, {"file": str(path)}))
    return found


def settings_checks(machine: applying.Machine | None = None) -> list[Check]:
    """Whether every line of `roundtap.txt` was understood; empty without the file."""
    settings, notes = (machine or applying.machine_at(Path("/"))).settings()
    if notes:
        return [Check("settings", WRONG, {"n": len(notes)})]
    return [Check("settings", FINE, {"role": settings.role or "–"})] if settings != Settings() else []


def hub_checks(given: str | None, etc: Path, is_hub: bool, ask: Ask | None = None,
               enrolled: Sequence[Path] = ENROLLED_FILES) -> list[Check]:
    """Whether the hub answers: the given one, this machine's own, the configured one, or the one that enrolled it."""
    if given is not None:
        places = _places([given])
        if not places:
            return [Check("hub", WRONG, {"url": given}, "address", NETWORK)]
    elif is_hub:
        places = [("127.0.0.1", port) for port in PORTS]
    else:
        places = _configured_hubs(etc) or _enrolled_hubs(enrolled)
    for place in places:
        if (ask or is_hub_answering)(*place):
            return [Check("hub", FINE, {"url": endpoint_url(place)}, group=NETWORK)]
    kind = "here" if is_hub and given is None else ""
    return [Check("hub", WRONG, {"url": endpoint_url(place)}, kind, NETWORK) for place in places[:1]]


def is_hub_answering(host: str, port: int) -> bool:
    """Whether a hub sends its time there, unlike the page of some other access point."""
    try:
        _, answer = request_json((host, port), "/time")
    except (OSError, ValueError, http.client.HTTPException):
        return False
    return isinstance(answer.get("now_ms"), int)


def _configurations(etc: Path) -> Iterator[dict[str, Any]]:
    for name in FILES:
        with contextlib.suppress(OSError, ValueError):
            yield tomllib.loads((etc / name).read_text(encoding="utf-8-sig"))


def _configured_hubs(etc: Path) -> list[Endpoint]:
    for configuration in _configurations(etc):
        hubs = configuration.get("hub", ())
        if found := _places(hubs if isinstance(hubs, list) else [hubs]):
            return found
    return []


def _enrolled_hubs(files: Sequence[Path]) -> list[Endpoint]:
    for path in files:
        # Only root may read it; a broken one is reported by the unit itself.
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            return _places(json.loads(path.read_bytes())["hubs"])
    return []


def _places(urls: Sequence[object]) -> list[Endpoint]:
    return parse_endpoints([url if "//" in str(url) else f"http://{url}" for url in urls])


def shareable_settings(etc: Path) -> dict[str, str]:
    """The configuration's plain values for a helper; the bundle filters them once more."""
    return {key: str(value) for configuration in _configurations(etc) for key, value in configuration.items()
            if isinstance(value, str | int)}


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=None, metavar="DIR",
                        help=f"the folder that has to be writable; {DATA}, where it is there")
    parser.add_argument("--hub", default=None, metavar="URL",
                        help="where the hub is; what this machine's configuration says, where it is not given")
    parser.add_argument("--config", type=Path, default=ETC, metavar="DIR", help=f"where the configuration is; {ETC}")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text, or JSON for programs")
    parser.add_argument("--bundle", type=Path, default=None, metavar="FILE",
                        help="write versions, checks and log for who helps, without names, PIN, keys and passwords")


def run(args: Namespace) -> int:
    words = core_words(cli_io.reader_words().language)
    known = list_services(program_output)
    # The package installs the services of every role on every machine.
    roles = [each.name for each in known if each.wanted or each.active == "active"]
    found = all_checks(args.data, args.config, args.hub, roles, service_checks(known))
    if args.bundle is not None:
        try:
            text = diagnostics_text(found, known, log_lines(program_output), {}, shareable_settings(args.config))
            args.bundle.touch(0o600)
            args.bundle.write_text(text, encoding="utf-8")
        except OSError as error:
            return cli_io.print_refusal(f"roundtap doctor: {args.bundle}: {error.strerror or error}")
    if args.format == "json":
        cli_io.write_stdout(cli_io.json_text({"checks": [each.as_json() for each in found], "worst": worst(found)}))
    else:
        cli_io.write_lines(report_lines(found, words))
        if args.bundle is not None:
            cli_io.write_stdout(words("doctor.bundle", file=args.bundle) + "\n")
    return EXIT_TO_DO if worst(found) == WRONG else cli_io.DONE


def all_checks(data: Path | None, etc: Path, hub: str | None, roles: Sequence[str],
               of_services: Sequence[Check]) -> list[Check]:
    """Every check of this machine. `roles`: its services; `of_services`: their checks."""
    folder = data if data is not None else DATA if DATA.is_dir() else None
    board = bool({"table", "panel"} & set(roles)) or (etc / "table.toml").exists()
    return [*check_health(MachineProbe(folder, board), time.time()), *of_services, *settings_checks(), *config_checks(etc),
            *hotspot_checks(), *wall_checks(roles), *hub_checks(hub, etc, "hub" in roles or "standby" in roles)]


def report_lines(found: Sequence[Check], words: Words) -> list[str]:
    lines = []
    for group in GROUPS:
        ours = worst_first(check for check in found if check.group == group)
        if ours:
            lines.append(words(f"check.group.{group}"))
        for check in ours:
            lines.append(f"  {MARKS[check.state]} {check.title(words)}: {check.finding(words)}")
            if check.to_do(words):
                lines.append(f"      → {check.to_do(words)}")
    n = sum(check.state == WRONG for check in found)
    return [*lines, "", words("doctor.wrong", n=n) if n else words("doctor.fine")]
