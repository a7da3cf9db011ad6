"""What may be sent to somebody who helps: versions, checks, services, log. Only what is known to be harmless is let
through; whatever else stands there, a name, a PIN, a key, an address, becomes "▮".

Standard library and core only: a table's machine makes one, too.
"""

from __future__ import annotations

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
from roundtap_machine.checks import Check
from roundtap_machine.services import SERVICES, SystemdService

REDACTED = "▮"
FORMAT = 1
LINE_LETTERS_MAX, LINES_MAX = 400, 2000

OUR_UNIT = re.compile(r"\d{1,4}|(?:hub-)?(?:table|station|panel|standby|unit|wall)(?:-\d{1,4})?|[A-Z][1-9]?")
"""Names of units as the product itself gives them; others were typed by somebody."""
_FROM_A_FILE = re.compile(r"[A-Za-z0-9 ().+_@:,-]{1,60}")
SAFE_TEXTS: Mapping[str, re.Pattern[str]] = {
    "version": _FROM_A_FILE, "label": _FROM_A_FILE, "model": _FROM_A_FILE,
    "service": re.compile(f"roundtap-(?:{'|'.join(SERVICES)})"),
    "file": re.compile(f"/etc/roundtap/(?:{'|'.join(SERVICES)})\\.toml"),
    "reason": re.compile(r"\(at (?:line \d+, column \d+|end of document)\)"),
}
"""Texts of checks that come from the build and the machine. Names are looked at one by one, all others are struck."""

_SYSTEMD_WORDS = """
started starting stopped stopping main process exited code status failed with result exit signal core dump scheduled
restart job counter is at consumed cpu time deactivated successfully killed killing unit entered state service
roundtap hub standby table station wall panel systemd watchdog timeout success resources a notice the of for to in
dumped oom kill memory start request repeated too quickly dependency invocation id sent by not and succeeded boot
reboot traceback most recent call last file line none true false level name error warning info critical debug no
such kernel card unknown port listening on"""
_OWN_NAME = re.compile(r"(?:[\w.-]*/)*(?P<file>roundtap_\w+(?:/\w+)*/\w+\.py)|(?P<module>roundtap_\w+(?:\.[a-z_0-9]+)+)"
                   r"|\b(?:OS|IO|EOF)Error\b|\b[A-Z][a-z]+(?:[A-Z][a-z]+)*"
                   r"(?:Error|Exception|Problem|Warning|Refused|Gone|Stopped|Timeout)\b")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[+-]\d\d:?\d\d|Z)?")
_WORD = re.compile(r"[^\W_]+|.", re.DOTALL)
_LOG_CALL = re.compile(r"\b(?:log|_log|logger|logging)\.(?:debug|info|warning|error|exception|critical)\(\s*"
                       r'"((?:[^"\\\n]|\\.)*)"', re.ASCII)


def bundle(checks: Iterable[Check], services: Iterable[SystemdService], log: Iterable[str], counts: Mapping[str, int],
           settings: Mapping[str, str]) -> str:
    """One text for a person who helps. `counts`: figures of the journal; `settings`: of the configuration, only those
    of SETTINGS are told, and only where their value is harmless."""
    words = core_words("en")
    lines = [f"Roundtap diagnostics {FORMAT}", f"version {version()}",
             f"python {platform.python_version()} {platform.machine()} {sys.platform}", "", "[settings]"]
    lines += [f"{name} = {value}" for name, value in sorted(settings.items()) if is_safe_setting(name, value)]
    lines += ["", "[counts]", *(f"{name} = {int(value)}" for name, value in sorted(counts.items())), "", "[services]"]
    lines += [f"{each.name} {_plain(each.active)} {_plain(each.result)} restarts={each.restarts} wanted={each.wanted}"
              for each in services if each.name in SERVICES]
    lines += ["", "[checks]"]
    for check in checks:
        said = Check(check.key, check.state, redact_args(check.args), check.kind, check.group)
        lines.append(f"{said.group} {said.key} {said.state}: {said.saw(words)}")
    lines += ["", "[log]", *(redact_line(line) for line in list(log)[-LINES_MAX:])]
    return "\n".join(lines) + "\n"


SETTINGS: Mapping[str, re.Pattern[str]] = {
    "role": re.compile("hub|table|printer|wall|standby|panel"), "language": re.compile("en|es|de|pl"),
    "country": re.compile("[A-Z]{2}"), "board": re.compile("recommended|adafruit-oled-bonnet|waveshare-oled-hat"),
    "port": re.compile(r"\d{1,5}"), "baud": re.compile(r"\d{3,6}"), "on_database": re.compile("yes|no"),
    "encrypted": re.compile("yes|no"), "copies": re.compile(r"\d{1,2}"), "events": re.compile(r"\d{1,5}"),
}


def is_safe_setting(name: str, value: str) -> bool:
    """Whether a setting may be told: a known one, with a value out of few."""
    return name in SETTINGS and SETTINGS[name].fullmatch(value) is not None


def redact_args(args: Mapping[str, str | int]) -> dict[str, str | int]:
    """A check's figures as they are; of its texts what the build or the machine says; the rest is struck."""
    told: dict[str, str | int] = {}
    for name, value in args.items():
        if isinstance(value, int) or (name in SAFE_TEXTS and SAFE_TEXTS[name].fullmatch(value)):
            told[name] = value
        elif name in ("names", "unit"):
            told[name] = ", ".join(part if OUR_UNIT.fullmatch(part) else REDACTED for part in value.split(", "))
        else:
            told[name] = REDACTED
    return told


def redact_line(line: str) -> str:
    """A line of the log with every word struck that neither the product's own messages nor the system's have: names,
    PINs, keys, addresses, whatever was typed. Numbers stay up to four digits, and only where they stand alone."""
    line = line[:LINE_LETTERS_MAX]
    stamp = _STAMP.match(line)
    told, rest = ([stamp[0]], line[stamp.end():]) if stamp else ([], line)
    at = 0
    for found in _OWN_NAME.finditer(rest):
        ours = _own_name(found)
        if ours:
            told += [_redact_words(rest[at:found.start()]), ours]
            at = found.end()
    return "".join([*told, _redact_words(rest[at:])])


def _own_name(found: re.Match[str]) -> str:
    """A file, a module or a fault of the product's, as it is told; "" where it only looks like one."""
    told = found["file"] or found["module"] or found[0]
    module = found["file"] or f"{(found['module'] or '').replace('.', '/')}.py"
    return told if module in _own_names().modules or told in _error_names() else ""


def _redact_words(text: str) -> str:
    known, told, tokens = vocabulary(), [], _WORD.findall(text)
    for at, token in enumerate(tokens):
        if token in (" ", "\t") or token in _PUNCTUATION:
            told.append(token)
        elif token.isdecimal() and token.isascii():
            told.append(token if len(token) <= 4 and not _more_digits(tokens, at) else REDACTED)
        else:
            told.append(token if token in known else REDACTED)
    return re.sub(f"{REDACTED}(?:[^\\w\\s]?{REDACTED})+", REDACTED, "".join(told))


def _more_digits(tokens: list[str], at: int) -> bool:
    """Whether a number belongs to a longer one, or to a word: "1234-5678", "7f3a"."""
    for step in (-1, 1):
        beside, beyond = (tokens[place] if 0 <= place < len(tokens) else "" for place in (at + step, at + 2 * step))
        if beside == "_" or (beyond.isdigit() and (beside.isspace() or beside in "-.:/")):
            return True
    return False


@cache
def vocabulary() -> frozenset[str]:
    """Words that the product's log messages consist of, and those of the system's errors and of systemd: as they are
    written, so that a name with a capital is none of them."""
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
    """The lower-case words of a message, without what is filled in."""
    return set(re.findall(r"\b[a-z]{2,}\b", re.sub(r"%\(?\w*\)?[a-z]|{[^}]*}", " ", text)))


@dataclass(frozen=True)
class OwnNames:
    """What the product's own modules are called in logs ("roundtap_hub/store/service.py"), as far as they are
    installed, the exceptions that they define, and the words of their log messages."""

    modules: frozenset[str]
    faults: frozenset[str]
    words: frozenset[str]


@cache
def _own_names() -> OwnNames:
    found: dict[str, str] = {}
    for package in ("roundtap_core", "roundtap_hub", "roundtap_units", "roundtap_devices", "roundtap_machine"):
        spec = find_spec(package)
        for folder in map(Path, spec.submodule_search_locations or () if spec is not None else ()):
            found |= {path.relative_to(folder.parent).as_posix(): path.read_text(encoding="utf-8")
                      for path in folder.rglob("*.py")}
    faults = {name for text in found.values() for name in re.findall(r"^class (\w+)\(", text, re.MULTILINE)}
    messages = (said[1] for text in found.values() for said in _LOG_CALL.finditer(text))
    return OwnNames(frozenset(found), frozenset(faults),
                    frozenset(word for each in messages for word in _plain_words(each)))


@cache
def _error_names() -> frozenset[str]:
    """Of the product, and of Python."""
    return _own_names().faults | {name for module in (builtins, sqlite3) for name, value in vars(module).items()
                            if isinstance(value, type) and issubclass(value, BaseException)}


def _plain(word: str) -> str:
    return word if re.fullmatch(r"[a-z-]{1,24}", word) else REDACTED
