"""Whether a screen is connected to this machine, as the kernel says it: a look costs nothing, and wakes nobody."""

from __future__ import annotations

from pathlib import Path

CONNECTORS = Path("/sys/class/drm")


def connected(folder: Path = CONNECTORS) -> tuple[str, ...]:
    """The connectors with a screen: ("HDMI-A-1",); none where there is no screen, or no graphics at all."""
    found = []
    for connector in sorted(folder.glob("card*-*")):
        try:
            if (connector / "status").read_text(encoding="ascii").strip() == "connected":
                found.append(connector.name.partition("-")[2])
        except (OSError, ValueError):
            continue
    # What is drawn for nobody is no screen.
    return tuple(name for name in found if not name.startswith("Writeback"))
