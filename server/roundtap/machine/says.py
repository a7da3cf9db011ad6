"""What a machine says to whoever set it up: on its own screen, and as `roundtap-says.txt` beside `roundtap.txt`."""

from __future__ import annotations

import locale
from collections.abc import Sequence
from pathlib import Path

from roundtap.machine.settings_file import Said, Settings
from roundtap_core.words import Words, catalogue, choose_language

SAYS = "roundtap-says.txt"
CONSOLES = ("/dev/tty1",)


def words_for(settings: Settings) -> Words:
    """The language that the file names, else the machine's own."""
    return catalogue("roundtap", settings.language or choose_language(locale.getlocale()[0] or ""))


def report(settings: Settings, told: Sequence[Said], words: Words, services: Sequence[str]) -> str:
    """What `roundtap-says.txt` has: what this machine is, then one line for each thing to mend."""
    role = words(f"role.{settings.role or 'undecided'}")
    lines = [words("says.role", role=role), words("says.services", services=", ".join(services) or "–"), ""]
    lines += [one.text(words) for one in told] or [words("says.fine")]
    return "\n".join([*lines, ""])


def tell(boot: Path | None, text: str, mend: bool, consoles: Sequence[str] = CONSOLES) -> None:
    """Write it beside the settings if it says something new; on the screen only what is to be mended."""
    # CRLF and a mark: this is read with Notepad.
    raw = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    if boot is not None:
        path = boot / SAYS
        try:
            if not path.is_file() or path.read_bytes() != raw:
                path.write_bytes(raw)
        except OSError:
            # The card may be read-only or full: the screen says it all the same.
            pass
    for console in consoles if mend else ():
        try:
            with open(console, "w", encoding="utf-8", errors="replace") as screen:
                screen.write(f"\r\n{text}".replace("\n", "\r\n"))
        except OSError:
            continue
