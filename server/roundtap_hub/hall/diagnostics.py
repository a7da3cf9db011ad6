"""Diagnostics for a helper: versions, checks, services, log. All but known harmless text (a name, a PIN) becomes "▮".

Standard library and core only, as a table's machine makes one, too.
"""

import builtins
import errno
import os
import platform
import re
import sqlite3
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from roundtap_core.version import version
from roundtap_core.words import core_words
from roundtap_machine.health import Check
from roundtap_machine.services import SERVICES, SystemdService

REDACTED = "▮"
FORMAT = 1
LINE_LETTERS_MAX, LINES_MAX = 400, 2000

OUR_UNIT = re.compile(r"\d{1,4}|(?:hub-)?(?:table|station|panel|standby|unit|wall)(?:-\d{1,4})?|[A-Z][1-9]?")
"""Names of units as the product gives them; others were typed by a person."""
_FROM_A_FILE = re.compile(r"[A-Za-z0-9 ().+_@:,-]{1,60}")
SAFE_TEXTS: Mapping[str, re.Pattern[str]] = {
    "version": _FROM_A_FILE,
    "label": _FROM_A_FILE,
    "model": _FROM_A_FILE,
    "packages": re.compile(r"[a-z0-9 +.,-]{1,300}"),
    "service": re.compile(f"roundtap-(?:{'|'.join(SERVICES)})"),
}
"""Texts of checks that come from the build and the machine. Names are checked one by one, all others redacted."""

_SYSTEMD_WORDS = """
started starting stopped stopping main process exited code status failed with result exit signal core dump scheduled
restart job counter is at consumed cpu time deactivated successfully killed killing unit entered state service
roundtap hub standby table station wall panel systemd watchdog timeout success resources a notice the of for to in
dumped oom kill memory start request repeated too quickly dependency invocation id sent by not and succeeded boot
reboot traceback most recent call last file line none true false level name error warning info critical debug no
such kernel card unknown port listening on"""
_OWN_NAME = re.compile(
    r"(?:[\w.-]*/)*(?P<file>roundtap_\w+(?:/\w+)*/\w+\.py)|(?P<module>roundtap_\w+(?:\.[a-z_0-9]+)+)"
    r"|\b(?:OS|IO|EOF)Error\b|\b[A-Z][a-z]+(?:[A-Z][a-z]+)*"
    r"(?:Error|Exception|Problem|Warning|Refused|Gone|Stopped|Timeout)\b"
)
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[+-]\d\d:?\d\d|Z)?")
_WORD = re.compile(r"[^\W_]+|.", re.DOTALL)
_LOG_CALL = re.compile(
    r"\b(?:log|_log|logger|logging)\.(?:debug|info|warning|error|exception|critical)\(\s*"
    r'"((?:[^"\\\n]|\\.)*)"',
    re.ASCII,
)

SETTINGS: Mapping[str, re.Pattern[str]] = {
    "role": re.compile("hub|table|printer|wall|standby|panel"),
    "language": re.compile("en|es|de|pl"),
    "country": re.compile("[A-Z]{2}"),
    "board": re.compile("recommended|adafruit-oled-bonnet|waveshare-oled-hat"),
    "port": re.compile(r"\d{1,5}"),
    "baud": re.compile(r"\d{3,6}"),
    "on_database": re.compile("yes|no"),
    "encrypted": re.compile("yes|no"),
    "copies": re.compile(r"\d{1,2}"),
    "events": re.compile(r"\d{1,5}"),
}


def diagnostics_text(
    checks: Iterable[Check],
    services: Iterable[SystemdService],
    log: Iterable[str],
    counts: Mapping[str, int],
    settings: Mapping[str, str],
) -> str:
    """One text for a helper. `counts`: figures of the journal; `settings`: of the configuration, included only where
    SETTINGS has them and their value is harmless."""
    words = core_words("en")
    lines = [
        f"Roundtap diagnostics {FORMAT}",
        f"version {version()}",
        f"python {platform.python_version()} {platform.machine()} {sys.platform}",
        "",
        "[settings]",
    ]
    lines += [f"{name} = {value}" for name, value in sorted(settings.items()) if is_safe_setting(name, value)]
    lines += ["", "[counts]", *(f"{name} = {int(value)}" for name, value in sorted(counts.items())), "", "[services]"]
    lines += [
        f"{each.name} {_plain(each.active)} {_plain(each.result)} restarts={each.restarts} wanted={each.wanted}"
        for each in services
        if each.name in SERVICES
    ]
    lines += ["", "[checks]"]
    for check in checks:
        safe = Check(check.key, check.state, redact_args(check.args), check.kind, check.group)
        lines.append(f"{safe.group} {safe.key} {safe.state}: {safe.finding(words)}")
    lines += ["", "[log]", *(redact_line(line) for line in list(log)[-LINES_MAX:])]
    return "\n".join(lines) + "\n"


def is_safe_setting(name: str, value: str) -> bool:
    """Whether a setting may be included: a known one with one of few values."""
    return name in SETTINGS and SETTINGS[name].fullmatch(value) is not None


def redact_args(args: Mapping[str, str | int]) -> dict[str, str | int]:
    """A check's figures and its texts from the build or the machine; the rest is redacted."""
    safe: dict[str, str | int] = {}
    for name, value in args.items():
        if isinstance(value, int) or (name in SAFE_TEXTS and SAFE_TEXTS[name].fullmatch(value)):
            safe[name] = value
        elif name == "says":
            safe[name] = redact_line(value)
        elif name in ("names", "unit"):
            safe[name] = ", ".join(part if OUR_UNIT.fullmatch(part) else REDACTED for part in value.split(", "))
        else:
            safe[name] = REDACTED
    return safe


def redact_line(line: str) -> str:
    """A log line without words that are neither in the product's messages nor in the system's: names, PINs, keys,
    addresses, typed text. Numbers stay up to four digits, and only where they stand alone."""
    line = line[:LINE_LETTERS_MAX]
    stamp = _STAMP.match(line)
    parts, rest = ([stamp[0]], line[stamp.end() :]) if stamp else ([], line)
    at = 0
    for name in _OWN_NAME.finditer(rest):
        if ours := _own_name(name):
            parts += [_redact_words(rest[at : name.start()]), ours]
            at = name.end()
    return "".join([*parts, _redact_words(rest[at:])])


def _own_name(match: re.Match[str]) -> str:
    """The name of a file, module or exception of the product; "" where it only looks like one."""
    name = match["file"] or match["module"] or match[0]
    module = match["file"] or f"{(match['module'] or '').replace('.', '/')}.py"
    return name if module in _own_names().modules or name in _own_names().errors else ""


def _redact_words(text: str) -> str:
    vocabulary, safe, tokens = log_vocabulary(), [], _WORD.findall(text)
    for at, token in enumerate(tokens):
        if token in (" ", "\t") or token in _PUNCTUATION:
            safe.append(token)
        elif token.isdecimal() and token.isascii():
            safe.append(token if len(token) <= 4 and not _more_digits(tokens, at) else REDACTED)
        else:
            safe.append(token if token in vocabulary else REDACTED)
    return re.sub(f"{REDACTED}(?:[^\\w\\s]?{REDACTED})+", REDACTED, "".join(safe))


def _more_digits(tokens: list[str], at: int) -> bool:
    """Whether a number is part of a longer one or of a word: "1234-5678", "7f3a"."""
    for step in (-1, 1):
        beside, beyond = (tokens[place] if 0 <= place < len(tokens) else "" for place in (at + step, at + 2 * step))
        if beside == "_" or (beyond.isdigit() and (beside.isspace() or beside in "-.:/")):
            return True
    return False


@cache
def log_vocabulary() -> frozenset[str]:
    """The words of the product's log messages, of the system's errors and of systemd; case-sensitive, so that a
    capitalized name is not among them."""
    words = set(_SYSTEMD_WORDS.split())
    words |= {word.capitalize() for word in _SYSTEMD_WORDS.split()[:20]}
    words |= {"ERROR", "WARNING", "FAILURE", "SUCCESS", "INFO", "CRITICAL", "HTTP"}
    for number in errno.errorcode:
        words |= set(re.findall(r"[A-Za-z]+", os.strerror(number)))
    for text in core_words("en").texts("problem."):
        words |= _plain_words(text)
    words |= _own_names().words
    return frozenset(words)


def _plain_words(text: str) -> set[str]:
    return set(re.findall(r"\b[a-z]{2,}\b", re.sub(r"%\(?\w*\)?[a-z]|{[^}]*}", " ", text)))


@dataclass(frozen=True)
class ProductNames:
    """The product's installed modules ("roundtap_hub/store/service.py"), their exceptions and Python's own, and the
    words of their log messages."""

    modules: frozenset[str]
    errors: frozenset[str]
    words: frozenset[str]


@cache
def _own_names() -> ProductNames:
    sources: dict[str, str] = {}
    for package in ("roundtap_core", "roundtap_hub", "roundtap_units", "roundtap_devices", "roundtap_machine"):
        spec = find_spec(package)
        for folder in map(Path, spec.submodule_search_locations or () if spec is not None else ()):
            sources |= {
                path.relative_to(folder.parent).as_posix(): path.read_text(encoding="utf-8")
                for path in folder.rglob("*.py")
            }
    faults = {name for text in sources.values() for name in re.findall(r"^class (\w+)\(", text, re.MULTILINE)}
    faults |= {
        name
        for module in (builtins, sqlite3)
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, BaseException)
    }
    messages = (call[1] for text in sources.values() for call in _LOG_CALL.finditer(text))
    return ProductNames(
        frozenset(sources), frozenset(faults), frozenset(word for each in messages for word in _plain_words(each))
    )


def _plain(word: str) -> str:
    return word if re.fullmatch(r"[a-z-]{1,24}", word) else REDACTED
