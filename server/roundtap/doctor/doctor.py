"""How this machine is, hub, table, station or wall: one line a check, what to do, and a bundle for who helps.

It needs no running hub and no root. Exit code 0: nothing has to be done; 1: something has; 2: it was asked wrongly.
"""

import contextlib
import http.client
import json
import time
import tomllib
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from roundtap.headless import cli_io
from roundtap_core.command_arguments import argument
from roundtap_core.words import Words
from roundtap_hub.hall.diagnostics import diagnostics_text
from roundtap_machine import services
from roundtap_machine.addresses import own_address
from roundtap_machine.deadline_http import request_json
from roundtap_machine.health import (
    FINE,
    GROUPS,
    HUB,
    NETWORK,
    NOTE,
    UNKNOWN,
    WRONG,
    Check,
    MachineProbe,
    worst,
    worst_first,
)
from roundtap_units.link.hub_address import Endpoint, endpoint_url, parse_endpoints
from roundtap_units.link.hub_choice import PORTS

MARKS = {WRONG: "✗", NOTE: "–", UNKNOWN: "?", FINE: "✓"}
EXIT_TO_DO = 1
ETC = Path("/etc/roundtap")
OWN_PLACES = [("127.0.0.1", port) for port in PORTS]

Ask = Callable[[Endpoint, str], dict[str, Any]]  # a hub's JSON answer for a path; {} where none answers


ARGUMENTS = (
    argument(
        "--data",
        type=Path,
        default=None,
        metavar="DIR",
        help="the folder that has to be writable; the one of this machine's role, where it is there",
    ),
    argument(
        "--hub",
        default=None,
        metavar="URL",
        help="where the hub is; what this machine's configuration says, where it is not given",
    ),
    argument("--config", type=Path, default=ETC, metavar="DIR", help=f"where the configuration is; {ETC}"),
    argument("--format", choices=("text", "json"), default="text", help="text, or JSON for programs"),
    argument(
        "--bundle",
        type=Path,
        default=None,
        metavar="FILE",
        help="write versions, checks and log for who helps, without names, PIN, keys and passwords",
    ),
)


def hub_checks(given: str | None, etc: Path, role: str, data: Path | None, ask: Ask | None = None) -> list[Check]:
    """Whether the hub answers: the given one, this machine's own, the configured one, or the one that enrolled it. Of
    this machine's own also all that its page *Before the doors open* shows."""
    ask = ask or ask_hub
    own = OWN_PLACES if given is None and role in ("hub", "standby") else []
    if given is not None:
        elsewhere = _places([given])
        if not elsewhere:
            return [Check("hub", WRONG, {"url": given}, "address", NETWORK)]
    else:
        elsewhere = _configured_hubs(etc, services.ROLE_SERVICES.get(role, "")) or _enrolled_hubs(data)
    for place in (*own, *elsewhere):
        # Unlike the page of some other access point, a hub sends its time.
        if isinstance(ask(place, "/time").get("now_ms"), int):
            of_page = ask(place, "/checks").get("checks", ()) if place in own else ()
            checks = (Check(**told) for told in of_page)
            return [Check("hub", FINE, {"url": endpoint_url(place)}, group=NETWORK), *checks]
    if own and role == "hub":
        return [Check("hub", WRONG, {"url": endpoint_url(own[0])}, "here", NETWORK)]
    return [Check("hub", WRONG, {"url": endpoint_url(place)}, group=NETWORK) for place in elsewhere[:1]]


def ask_hub(place: Endpoint, path: str) -> dict[str, Any]:
    try:
        return request_json(place, path)[1]
    except (OSError, ValueError, http.client.HTTPException):
        return {}


def _configurations(etc: Path, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    for name in names:
        # A broken one is reported by the service that reads it.
        with contextlib.suppress(OSError, ValueError):
            yield tomllib.loads((etc / f"{name}.toml").read_text(encoding="utf-8-sig"))


def _configured_hubs(etc: Path, service: str) -> list[Endpoint]:
    hubs = next(_configurations(etc, [service]), {}).get("hub", [])
    return _places(hubs if isinstance(hubs, list) else [hubs])


def _enrolled_hubs(data: Path | None) -> list[Endpoint]:
    # Only root may read it; a broken one is reported by the unit itself.
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        return _places(json.loads((data / "enrolled.json").read_bytes())["hubs"]) if data is not None else []
    return []


def _places(urls: Sequence[object]) -> list[Endpoint]:
    return parse_endpoints([url if "//" in str(url) else f"http://{url}" for url in urls])


def shareable_settings(etc: Path) -> dict[str, str]:
    """The configuration's plain values for a helper; the bundle filters them once more."""
    return {
        key: str(value)
        for configuration in _configurations(etc, services.SERVICES)
        for key, value in configuration.items()
        if isinstance(value, str | int)
    }


def run(args: Namespace) -> int:
    words = cli_io.cli_words()
    listed = services.list_services(services.program_output)
    # The package installs the services of every role on every machine.
    role = services.role_of(listed)
    checks = all_checks(args.data, args.config, args.hub, role, listed)
    if args.bundle is not None:
        try:
            logged = services.log_lines(services.program_output)
            text = diagnostics_text(checks, listed, logged, {}, shareable_settings(args.config))
            args.bundle.touch(0o600)
            args.bundle.write_text(text, encoding="utf-8")
        except OSError as error:
            return cli_io.print_refusal(f"roundtap doctor: {cli_io.error_of_system(error, args.bundle)}")
    if args.format == "json":
        cli_io.write_stdout(
            cli_io.json_text({"role": role, "checks": [each.as_json() for each in checks], "worst": worst(checks)})
        )
    else:
        cli_io.write_lines(report_lines(checks, words, role))
        if args.bundle is not None:
            cli_io.write_stdout(words("doctor.bundle", file=args.bundle) + "\n")
    return EXIT_TO_DO if worst(checks) == WRONG else cli_io.DONE


def all_checks(
    data: Path | None, etc: Path, hub: str | None, role: str, listed: Sequence[services.SystemdService]
) -> list[Check]:
    """Every check of this machine. `listed`: its services. A hub's are those of *Before the doors open*, by the hub
    itself where it answers."""
    folder = data if data is not None else services.data_folder(role)
    of_hub = hub_checks(hub, etc, role, folder)
    told = {check.key for check in of_hub} - {"service"}
    own = [
        *services.machine_checks(MachineProbe(folder, role == "table", wall=role == "wall"), time.time(), listed),
        *([] if own_address() else [Check("address", WRONG, kind="none", group=NETWORK)]),
    ]
    # The log of a service that ends again and again is root's to read, if not the hub's.
    return [*(check for check in own if check.key not in told), *(each for each in of_hub if each.key != "service")]


def report_lines(checks: Sequence[Check], words: Words, role: str) -> list[str]:
    """The checks by group, worst first; the machine's own under its role."""
    lines = []
    for group in GROUPS:
        ours = worst_first(check for check in checks if check.group == group)
        if ours:
            lines.append(
                words("says.role", role=words(f"role.{role}"))
                if group == HUB and role
                else words(f"check.group.{'machine' if group == HUB else group}")
            )
        for check in ours:
            lines.append(f"  {MARKS[check.state]} {check.title(words)}: {check.finding(words)}")
            if check.to_do(words):
                lines.append(f"      → {check.to_do(words)}")
    n = sum(check.state == WRONG for check in checks)
    return [*lines, "", words("doctor.wrong", n=n) if n else words("doctor.fine")]
