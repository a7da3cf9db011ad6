"""Builds the hub's container from a release, and tries it: started, used, killed, started again, stopped, nothing lost.

python tests/tools/try_container.py dist/release-0.1.0                       # by podman, on Debian's image of Python
python tests/tools/try_container.py FOLDER --base localhost/trixie-python    # on an image that is here

Without a registry of images a Debian root will do: tar -C ROOT -c . | podman import - localhost/trixie-python.
Where podman's own runtime or limits do not fit the machine: --podman "podman --runtime runc" and --run "--ulimit …".
"""

import argparse
import json
import re
import ssl
import subprocess
import sys
import time
from pathlib import Path

sys.path += [str(Path(__file__).resolve().parents[2] / "tests" / folder) for folder in (".", "kit")]

from console_client import ConsoleClient, HubRefused
from kit import free_port, wait_until

NAME, IMAGE = "roundtap-trial", "localhost/roundtap-trial"
STOPS_WITHIN_S = 8
PIN = re.compile(r"PIN for the organizer \(shown once\): (\d+)")


class Podman:
    def __init__(self, command: str) -> None:
        self._command = command.split()

    def __call__(self, *words: str, check: bool = True) -> str:
        done = subprocess.run([*self._command, *words], stdout=subprocess.PIPE, text=True, check=check)
        return done.stdout

    def logs(self) -> str:
        """What the container wrote, on both streams."""
        done = subprocess.run([*self._command, "logs", NAME], capture_output=True, text=True, check=True)
        return done.stdout + done.stderr


def console(port: int, pin: str) -> ConsoleClient:
    def reached() -> ConsoleClient | None:
        try:
            return ConsoleClient(f"https://127.0.0.1:{port}", pin)
        except HubRefused:
            return None

    return wait_until(reached, "the console", timeout_s=60, every_s=0.5)


def attempt(podman: Podman, folder: str, base: str, options: list[str]) -> None:
    more = ["--build-arg", f"BASE={base}"] if base else []
    podman("build", "--network", "host", *more, "--format", "docker", "--tag", IMAGE, folder)
    port = free_port()
    publish = ["--publish", f"127.0.0.1:{port}:8080", "--publish", f"127.0.0.1:{port + 1}:8443"]
    podman("run", "--detach", "--name", NAME, "--volume", f"{NAME}:/var/lib/roundtap", *publish, *options, IMAGE)
    [pin] = wait_until(lambda: PIN.findall(podman.logs()), "the PIN", timeout_s=60)
    desk = console(port + 1, pin)
    desk.post("/console", name="Spring Open", rulebook="xwing-standard")
    [event] = re.findall(r"/console/(\w+)", desk.address)
    desk.post(f"/console/{event}/competitors", names="Anna\nŁukasz\nZoë")
    before = desk.export(event)
    assert "Łukasz" in json.dumps(before, ensure_ascii=False)
    assert podman("exec", NAME, "id", "--user").strip() == "970", "the hub is root"
    podman("healthcheck", "run", NAME)
    print("started, healthy, not root, an event made")

    podman("kill", NAME)
    podman("wait", NAME)
    podman("start", NAME)
    assert console(port + 1, pin).export(event) == before
    assert len(PIN.findall(podman.logs())) == 1, "a second PIN"
    print("killed and started again: the same event, the same PIN")

    asked = time.monotonic()
    podman("stop", "--time", "60", NAME)
    took = time.monotonic() - asked
    [state] = json.loads(podman("inspect", NAME))
    assert (state["State"]["ExitCode"], took < STOPS_WITHIN_S) == (0, True), (state["State"], took)
    asked = ["--entrypoint", "/opt/roundtap/bin/roundtap", IMAGE, "journal", "verify", "--data", "/var/lib/roundtap"]
    said = podman("run", "--rm", "--volume", f"{NAME}:/var/lib/roundtap", *options, *asked)
    assert "intact" in said, said
    print(f"stopped in {took:.1f} s, exit code 0; its journal: {said.strip()}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="a release")
    parser.add_argument("--base", default="", help="the image to build on (default: as the Containerfile says)")
    parser.add_argument("--podman", default="podman", help="the command")
    parser.add_argument("--run", default="", help="more options for podman run")
    args = parser.parse_args()
    # The hub's certificate is of its own authority; what this asks is on this machine.
    ssl._create_default_https_context = ssl._create_unverified_context
    podman = Podman(args.podman)
    try:
        attempt(podman, args.folder, args.base, args.run.split())
    except (AssertionError, subprocess.CalledProcessError, HubRefused) as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 1
    finally:
        podman("rm", "--force", "--time", "1", NAME, check=False)
        podman("volume", "rm", "--force", NAME, check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
