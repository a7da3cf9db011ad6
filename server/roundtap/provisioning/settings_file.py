"""Reads `roundtap.txt`, the settings of a machine on its boot partition, as edited by any user in any editor."""

import difflib
import re
import unicodedata
import zoneinfo
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from roundtap.provisioning.settings_places import InvalidValue, hub_url, printer_port, shortened
from roundtap_core.errors import Problem
from roundtap_core.words import LANGUAGES, Words
from roundtap_devices.printing.header_port import TAKEN_FOR_IT, UNKNOWN, HeaderPort

FILE = "roundtap.txt"
TEMPLATE = Path(__file__).with_name("card_files") / FILE
ROLES = ("hub", "table", "printer", "wall", "standby")
UNDECIDED = "table"  # a machine without a role is a table unit, which looks for a hub and shows so
# The roles whose services read a setting; every role reads the others.
USED_BY = {
    "pin": ("hub",),
    "hotspot": ("hub",),
    "hotspot_password": ("hub",),
    "board": ("hub", "table", "standby"),
    "panel": ("hub", "standby"),
    "printer": ("hub", "printer"),
    "port": ("hub", "printer"),
    "hub": ("table", "printer", "wall"),
}
HUB_NAME = "roundtap"  # the hub's name on the network, unless it has another
STANDBY_FILE = "standby.toml"
TAKEN_OVER = "# {key}: taken over"  # begins the line that stands where a password or PIN was

# Their values may contain #: the whole rest of the line counts.
_LITERAL = ("wifi", "wifi_password", "hotspot", "hotspot_password", "pin")
_RADIO = _LITERAL[:4]
_LIKE_COMMENT = re.compile(r"(^|\s)(#|;|//)(\s|$)")
_COMMENT_IN_SECRET = re.compile(r"(^|\s)(#|;|//)")  # the name of a network may well be "Shop #1"
_BEHIND_QUOTE = re.compile("(?<=[\"'“”‘’»«])\\s*(#|;|//)[^\"'“”‘’»«]*$")
_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“”", "”": "”", "‘": "’", "‚": "‘’", "«": "»", "»": "«"}
_COMMENT = ("#", ";", "//", "[")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
# How the files of WordPad, Word and LibreOffice begin.
_NO_TEXT_FILE = (b"{\\rtf", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF")
# Names that Windows makes, which hides the endings of files and numbers copies.
_MISNAMED = re.compile(
    r"(.+\.toml|roundtap(\.txt)?)\.(txt|rtf|docx?|odt)|roundtap( \(\d+\)| [-–] .+)\.txt", re.IGNORECASE
)
OWN_FILES = (FILE, "roundtap-says.txt")
_SIMILAR_NAME, TEXT_BYTES_MAX = (
    0.8,
    100_000,
)  # of a file that is meant as ours: its name without the ending, and its size
SSID_BYTES_MAX, PASSWORD_MIN, PASSWORD_MAX, NAME_MAX = 32, 8, 63, 32
PIN_MIN, PIN_MAX = 8, 64

# Zones of a place. The others are initials without summer time, and offsets whose sign means the other way.
ZONE = re.compile("(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)/.+|(Etc/)?UTC")
# A public key as ssh-keygen writes it; by crypt(5) a password's hash that is not quickly guessed.
FORMS = {
    # Not one of Debian's own accounts; a machine's others are known there.
    "user": re.compile(
        "(?!(root|daemon|bin|sys|sync|games|man|lp|mail|news|uucp|proxy|www-data|backup|list|irc|nobody|sshd|messagebus"
        "|avahi|polkitd|dnsmasq|tss|rpc|statd)$|roundtap|systemd-)[a-z][a-z0-9_-]{0,30}"
    ),
    "ssh_key": re.compile(
        r"(ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[\w+/]{43}|ssh-rsa AAAAB3NzaC1yc2EA[\w+/]{200,}={0,2}"
        r"|ecdsa-sha2-nistp(256|384|521) AAAAE2VjZHNhLXNoYTItbmlzdHA[\w+/]{100,}={0,2}"
        r"|sk-(ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com AAAA[\w+/]{80,}={0,2})( .*)?",
        re.ASCII,
    ),
    "password_hash": re.compile(
        r"\$g?y\$[./\w]+\$[./\w]+\$[./\w]{43}|\$6\$(rounds=\d+\$)?[./\w]{1,16}\$[./\w]{86}"
        r"|\$5\$(rounds=\d+\$)?[./\w]{1,16}\$[./\w]{43}|\$2[aby]\$\d\d\$[./\w]{53}",
        re.ASCII,
    ),
}
_PLACEHOLDER = re.compile(r"[*•.xX]+|<[A-Za-z_ -]+>")  # a mask, or words in angle brackets
# Different digits; letters of a word; and its letters, digits and other signs in turn: P@ssw0rd has five.
PIN_DIGITS_MIN, PIN_WORD_MIN, PIN_PARTS_MAX = 4, 3, 5
SECRET = ("wifi_password", "hotspot_password", "pin")
# Of templates on earlier cards.
FORMER_EXAMPLES = {"pin": ("12345678", "12345678 or some words"), "hotspot_password": ("at least eight signs",)}
DEFAULT_HOTSPOT = "Roundtap"

# What people write instead of the file's own keys, in its four languages: in lower case, with _ between words.
KEY_ALIASES = {
    "ssid": "wifi",
    "wlan": "wifi",
    "wi_fi": "wifi",
    "network": "wifi",
    "red": "wifi",
    "sieć": "wifi",
    "siec": "wifi",
    "password": "wifi_password",
    "wifi_pass": "wifi_password",
    "wi_fi_password": "wifi_password",
    "psk": "wifi_password",
    "passwort": "wifi_password",
    "wlan_passwort": "wifi_password",
    "wifi_passwort": "wifi_password",
    "wlan_password": "wifi_password",
    "contraseña": "wifi_password",
    "contrasena": "wifi_password",
    "clave": "wifi_password",
    "hasło": "wifi_password",
    "haslo": "wifi_password",
    "wlan_schlüssel": "wifi_password",
    "kennwort": "wifi_password",
    "wlan_kennwort": "wifi_password",
    "wifi_kennwort": "wifi_password",
    "netzwerkschlüssel": "wifi_password",
    "contraseña_wifi": "wifi_password",
    "clave_wifi": "wifi_password",
    "hasło_wifi": "wifi_password",
    "netzwerk": "wifi",
    "wlan_name": "wifi",
    "wifi_name": "wifi",
    "nazwa_sieci": "wifi",
    "rolle": "role",
    "rol": "role",
    "rola": "role",
    "type": "role",
    "sprache": "language",
    "idioma": "language",
    "lengua": "language",
    "język": "language",
    "jezyk": "language",
    "lang": "language",
    "land": "country",
    "país": "country",
    "pais": "country",
    "kraj": "country",
    "platine": "board",
    "placa": "board",
    "płytka": "board",
    "plytka": "board",
    "hat": "board",
    "nombre": "name",
    "nazwa": "name",
    "unit": "name",
    "hostname": "name",
    "zeitzone": "timezone",
    "zona_horaria": "timezone",
    "strefa_czasowa": "timezone",
    "tz": "timezone",
    "time_zone": "timezone",
    "drucker": "printer",
    "impresora": "printer",
    "drukarka": "printer",
    "printer_profile": "printer",
    "device": "port",
    "printer_port": "port",
    "server": "hub",
    "hub_address": "hub",
    "adresse": "hub",
    "readonly": "read_only",
    "hidden": "wifi_hidden",
    "versteckt": "wifi_hidden",
    "oculta": "wifi_hidden",
    "ukryta": "wifi_hidden",
    "hotspot_name": "hotspot",
    "hotspot_passwort": "hotspot_password",
}

ROLE_ALIASES = {
    "server": "hub",
    "zentrale": "hub",
    "central": "hub",
    "table unit": "table",
    "unit": "table",
    "tisch": "table",
    "mesa": "table",
    "stół": "table",
    "stol": "table",
    "stolik": "table",
    "station": "printer",
    "print": "printer",
    "drucker": "printer",
    "impresora": "printer",
    "drukarka": "printer",
    "display": "wall",
    "screen": "wall",
    "beamer": "wall",
    "wand": "wall",
    "anzeige": "wall",
    "pantalla": "wall",
    "ekran": "wall",
    "ściana": "wall",
    "second hub": "standby",
    "backup": "standby",
    "reserve": "standby",
    "ersatz": "standby",
    "reserva": "standby",
    "rezerwa": "standby",
}

LANGUAGE_NAMES = {
    "english": "en",
    "englisch": "en",
    "inglés": "en",
    "ingles": "en",
    "angielski": "en",
    "german": "de",
    "deutsch": "de",
    "alemán": "de",
    "niemiecki": "de",
    "spanish": "es",
    "spanisch": "es",
    "español": "es",
    "espanol": "es",
    "castellano": "es",
    "hiszpański": "es",
    "polish": "pl",
    "polnisch": "pl",
    "polaco": "pl",
    "polski": "pl",
}

COUNTRY_NAMES = {
    "uk": "GB",
    "england": "GB",
    "united kingdom": "GB",
    "great britain": "GB",
    "usa": "US",
    "united states": "US",
    "germany": "DE",
    "deutschland": "DE",
    "austria": "AT",
    "österreich": "AT",
    "switzerland": "CH",
    "schweiz": "CH",
    "spain": "ES",
    "españa": "ES",
    "espana": "ES",
    "spanien": "ES",
    "poland": "PL",
    "polska": "PL",
    "polen": "PL",
    "france": "FR",
    "frankreich": "FR",
    "italy": "IT",
    "italien": "IT",
    "mexico": "MX",
    "méxico": "MX",
    "netherlands": "NL",
    "canada": "CA",
    "ireland": "IE",
    "australia": "AU",
}

_COUNTRY_CODES = """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA
    CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA
    GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
    KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS
    MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS
    RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW
    TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
"""
# ISO 3166-1. The kernel ignores any other code without a word, XX and EU included; of these it has rules for 180
# (wireless-regdb 2026.05.30), and the others stay with the channels that are free everywhere.
COUNTRIES = frozenset(_COUNTRY_CODES.split())

YES = frozenset({"yes", "on", "true", "1", "ja", "an", "sí", "si", "tak"})
NO = frozenset({"no", "off", "false", "0", "nein", "aus", "nie", "none", "kein"})

# Characters that word processors put in place of plain ones, and that no Wi-Fi password has.
PLAIN_SIGNS = {
    "‘": "'",
    "’": "'",
    "‚": "'",
    "“": '"',
    "”": '"',
    "„": '"',
    "–": "-",
    "—": "-",
    "…": "...",
    "\u00a0": "␣",
}


@dataclass(frozen=True, slots=True)
class SettingsNote:
    """A note for the author of the file: the key of its text and its parameters. The text is "settings.KEY", or of the
    units' catalogues where the key has a dot ("board.no_pin"). `line` counts from 1; 0 is the file as a whole.
    `is_hint`: the line was read, and what it names is certain."""

    key: str
    line: int = 0
    params: Mapping[str, object] = field(default_factory=dict)
    is_hint: bool = field(default=False, compare=False)

    def text(self, words: Words, file: str = FILE) -> str:
        """One line with its place: "roundtap.txt, line 3: …"."""
        from roundtap_units.unit_config import unit_words

        where = words("settings.line", file=file, line=self.line) if self.line else file
        what = (
            unit_words(words.language)(self.key, **self.params)
            if "." in self.key
            else words(f"settings.{self.key}", **self.params)
        )
        return f"{where}: {what}"


@dataclass(frozen=True, slots=True)
class Settings:
    """The file's settings, all optional; "" (or None) where one is not set. `hub`: "http://HOST:PORT". `hotspot`: "",
    "no", or the network's name. `board`: a known board or a TOML file beside `roundtap.txt`. `port`: the printer's, a
    path in /dev, or the name that `roundtap printer` lists. `country`: two capitals. `panel`: whether the hub's machine
    (or a standby's) has buttons and a screen; None: as found. `wifi_hidden`: the network does not show its name."""

    role: str = ""
    name: str = ""
    hub: str = ""
    wifi: str = ""
    wifi_password: str = ""
    hotspot: str = ""
    hotspot_password: str = ""
    pin: str = ""
    country: str = ""
    language: str = ""
    timezone: str = ""
    board: str = ""
    printer: str = ""
    port: str = ""
    user: str = ""
    ssh_key: str = ""
    password_hash: str = ""
    panel: bool | None = None
    read_only: bool | None = None
    wifi_hidden: bool | None = None


KEYS = tuple(setting.name for setting in fields(Settings))


@dataclass(frozen=True, slots=True)
class _Reading:
    """What values are read by: the file's encoding, the time zones, the folders of TOML files, the port on the pins."""

    encoding: str
    timezones: Callable[[], set[str]]
    folders: Sequence[Path] | None
    header: HeaderPort


def read_settings(
    raw: bytes,
    timezones: Callable[[], set[str]] = zoneinfo.available_timezones,
    folders: Sequence[Path] | None = None,
    saved: Collection[str] | None = None,
    header: HeaderPort = UNKNOWN,
) -> tuple[Settings, list[SettingsNote]]:
    """(the settings, notes in the file's order). An invalid line only gives a note: no typo stops a machine.

    folders: where the TOML files are that it names, the first one first; None: unknown, and none is read. saved: the
    networks whose passwords the machine has; None: unknown, and a comment where a password was says so. header: the
    serial port on the machine's pins.

    >>> read_settings(b"Role = Hub\\r\\nLand: DE\\r\\n")[0].role
    'hub'
    """
    if raw.startswith(_NO_TEXT_FILE):
        return Settings(), [SettingsNote("no_text_file")]
    reading = _Reading(encoding_of(raw), timezones, folders, header)
    notes: list[SettingsNote] = []
    values: dict[str, object] = {}
    setting_lines: dict[str, int] = {}  # also of an invalid one
    commented: list[tuple[int, str]] = []  # the lines that would set something without their #, and what
    for number, line in enumerate(raw.decode(reading.encoding, errors="replace").splitlines(), start=1):
        line = line.translate(_INVISIBLE).strip()
        if not line or line.startswith(_COMMENT):
            if saved is None and line.startswith(TAKEN_OVER.format(key="wifi_password")):
                setting_lines["wifi_password"] = number
            if key := _commented_key(line, reading):
                commented.append((number, key))
            continue
        try:
            key, value, with_comment = _split(line)
            if key in values:
                raise InvalidValue("twice", key=key, first=setting_lines[key])
            setting_lines[key] = number
            if with_comment and key == "wifi":
                notes.append(SettingsNote("comment", number, {"key": key}, is_hint=True))
            values[key] = _value(key, value, with_comment, reading)
        except InvalidValue as wrong:
            notes.append(SettingsNote(wrong.key, number, wrong.params))
    values = {key: value for key, value in values.items() if value != ""}
    settings = replace(Settings(), **values)  # type: ignore[arg-type]
    if settings.name == HUB_NAME and settings.role != "hub":
        settings = replace(settings, name="")
        notes.append(SettingsNote("name_of_hub", setting_lines["name"], {"name": HUB_NAME}, is_hint=True))
    notes += [
        SettingsNote("commented", number)
        for number, key in commented
        # A file of which nothing counts, or that lacks but the role, was hardly meant so.
        if "role" not in setting_lines and (key == "role" or not setting_lines)
    ]
    notes += [
        replace(note, is_hint=True) for note in _contradictions(settings, values, setting_lines, folders, saved, header)
    ]
    return settings, sorted(notes, key=lambda note: note.line)


def _commented_key(line: str, reading: _Reading) -> str:
    """What a line would set without its #; "" for words, and for what the template says there."""
    bare = line.strip("# ")
    if not line.startswith("#") or bare.startswith(_COMMENT) or bare.split(" = ", 1) in map(list, _template().items()):
        return ""
    try:
        key, value, with_comment = _split(bare)
        meant = _value(key, value, with_comment, reading)
    except InvalidValue:
        return ""
    return "" if meant == "" or (key, meant) == ("name", HUB_NAME) else key


def read_settings_file(
    path: Path,
    more: Sequence[Path] = (),
    saved: Collection[str] | None = None,
    header: HeaderPort = UNKNOWN,
) -> tuple[Settings, list[SettingsNote]]:
    """The same for a file: also with notes on files beside it that have a wrong name. Its TOML files are beside it, or
    in one of the folders `more`. A missing file is read as an empty one. Raises OSError."""
    raw = path.read_bytes() if path.exists() else b""
    settings, notes = read_settings(raw, folders=(path.parent, *more), saved=saved, header=header)
    is_empty = settings == Settings() and not notes
    stray = [
        SettingsNote(
            "misnamed", params={"name": each.name, "right": each.stem if each.stem.endswith(".toml") else FILE}
        )
        for each in sorted(path.parent.glob("*"))
        if (_MISNAMED.fullmatch(each.name) and each.name != FILE) or (is_empty and _is_meant(each))
    ] + [
        SettingsNote("misplaced", params={"name": f"{each.parent.name}/{each.name}"})
        for each in sorted(path.parent.glob("*/*.*") if is_empty else ())
        if each.name.casefold() == FILE
    ]
    return settings, [*stray, *notes]


def _is_meant(path: Path) -> bool:
    """Whether a file beside one that sets nothing seems to be meant: its name is ours but for an ending or a slip."""
    stem = re.sub(r"[\W_]+", "", path.stem.casefold())
    return (
        difflib.SequenceMatcher(None, stem, Path(FILE).stem).ratio() >= _SIMILAR_NAME
        and path.name.casefold() not in OWN_FILES
        and not path.name.startswith(".")
        and path.is_file()
        and path.stat().st_size <= TEXT_BYTES_MAX
    )


def toml_files(folder: Path) -> list[Path]:
    """The TOML files of a folder that are copied to where the services look for them; custom.toml is Pi OS's own."""
    return sorted({*folder.glob("*.toml")} - {folder / "custom.toml"})


def _contradictions(
    settings: Settings,
    values: Mapping[str, object],
    lines: Mapping[str, int],
    folders: Sequence[Path] | None,
    saved: Collection[str] | None,
    header: HeaderPort,
) -> list[SettingsNote]:
    """Notes on lines that are right by themselves, but not with the others, for this role or on this machine."""
    from roundtap_devices.boards import load_board

    notes = []
    role = settings.role or ("" if "role" in lines else UNDECIDED)
    for key, users in USED_BY.items():
        if role and role not in users and values.get(key, "no") != "no":
            notes.append(SettingsNote("other_role", lines[key], {"key": key, "role": role, "roles": ", ".join(users)}))
    for key, network in (("wifi_password", "wifi"), ("wifi_hidden", "wifi"), ("hotspot_password", "hotspot")):
        if (
            values.get(key)
            and role in USED_BY.get(key, (role,))
            and (network not in lines or values.get(network) == "no")
        ):
            notes.append(SettingsNote("password_alone", lines[key], {"key": key, "network": network}))
    if settings.wifi:
        notes += [
            SettingsNote(key, lines["wifi"])
            for key, missing in (
                ("no_country", "country" not in lines),
                ("wifi_open", "wifi_password" not in lines and settings.wifi not in (saved or ())),
            )
            if missing
        ]
    if settings.user and not (settings.ssh_key or settings.password_hash):
        notes.append(SettingsNote("user_alone", lines["user"]))
    if settings.name and settings.hub and urlsplit(settings.hub).hostname in (settings.name, f"{settings.name}.local"):
        notes.append(SettingsNote("hub_is_self", lines["hub"], {"name": settings.name}))
    if settings.wifi and settings.hotspot not in ("", "no") and role == "hub":
        notes.append(SettingsNote("wifi_and_hotspot", max(lines["wifi"], lines["hotspot"])))
    if role == "standby" and folders is not None:
        standby_path = next((folder / STANDBY_FILE for folder in folders if (folder / STANDBY_FILE).exists()), None)
        if reason := _standby_refusal(standby_path) if standby_path else "":
            notes.append(SettingsNote("standby_file", lines["role"], {"file": STANDBY_FILE, "reason": reason}))
        if standby_path is None:
            notes.append(SettingsNote("no_standby_file", lines["role"], {"file": STANDBY_FILE}))
    if header.model and not header.path and settings.port in TAKEN_FOR_IT:
        notes.append(SettingsNote("port_unknown", lines["port"], {"text": settings.port, "model": header.model}))
    own = [folder / settings.board for folder in folders or () if (folder / settings.board).is_file()]
    return notes + [
        SettingsNote("board.on_at_reset", lines["board"], {"file": settings.board, "name": name, "pin": pin, "to": to})
        for board in own[:1]
        for name, pin, to in load_board(str(board)).on_at_reset()
    ]


def _standby_refusal(file: Path) -> str:
    """Why the standby's own reader refuses its file; "" where it does not."""
    from roundtap_hub.app.standby.main import read_hub

    try:
        read_hub(file)
    except Problem as problem:
        return str(problem.params["reason"])
    return ""


@cache
def _template() -> dict[str, str]:
    """The examples in the file as it comes with a card, by their keys."""
    return dict(re.findall(r"^#(\w+) = (.+)$", TEMPLATE.read_text(encoding="utf-8"), flags=re.MULTILINE))


def encoding_of(raw: bytes) -> str:
    """How the file was saved: UTF-8 or UTF-16 with or without a mark, or a Windows code page ("cp1250", "cp1252")."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if raw.startswith(mark):
            return encoding
    zeros = (raw[0:400:2].count(0), raw[1:400:2].count(0))
    if max(zeros) > len(raw[:400]) // 5:
        return "utf-16-le" if zeros[1] > zeros[0] else "utf-16-be"
    try:
        raw.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        polish = re.search(
            rb"(?im)^\s*((language|country)\s*[=:]\s*['\"]?(pl|polski|polska)\b|"
            rb"(j.zyk|kraj|rola|sie.|has.o|nazwa|p.ytka|drukarka)(\s+wi.?fi)?\s*[=:])",
            raw,
        )
        return "cp1250" if polish else "cp1252"


def key_of(line: bytes) -> str:
    """The key of a line of the file; "" for comments and invalid lines."""
    text = line.decode(encoding_of(line), errors="replace").translate(_INVISIBLE).strip()
    try:
        return "" if text.startswith(_COMMENT) else _split(text)[0]
    except InvalidValue:
        return ""


def _split(line: str) -> tuple[str, str, bool]:
    """Key, value, and whether the value seems to end with a comment."""
    place = re.search(r"[=:＝：]", line)
    if place is None:
        # Repeat only what is surely no password: the note is shown where others can read it.
        word = line.split()[0].casefold()
        raise InvalidValue("no_equals", text=shortened(word) if word in (*KEYS, *KEY_ALIASES) else "…")
    typed = line[: place.start()].strip().strip("\"'“”„")
    key = re.sub(r"[\s\-–_.]+", "_", unicodedata.normalize("NFKC", typed).casefold()).strip("_")
    key = KEY_ALIASES.get(key, key)
    if key not in KEYS:
        if likely := difflib.get_close_matches(key, [*KEYS, *KEY_ALIASES], n=1, cutoff=0.7):
            raise InvalidValue("meant", text=shortened(typed), meant=KEY_ALIASES.get(likely[0], likely[0]))
        raise InvalidValue("unknown", known=", ".join(KEYS))
    value = line[place.end() :].strip()
    if key not in _RADIO:
        # Full-width letters and digits, as some keyboards for Chinese and Japanese write them.
        value = unicodedata.normalize("NFKC", value)
    # What follows the closing quote is a comment.
    plain = _unquoted(_BEHIND_QUOTE.sub("", value) if value[:1] in _QUOTES else value)
    if key in _LITERAL or plain != value:
        like_comment = _COMMENT_IN_SECRET if key in SECRET else _LIKE_COMMENT
        return key, plain, plain == value and like_comment.search(value) is not None
    return key, _unquoted(re.split(r"\s[#;]|\s//\s", f" {value}", maxsplit=1)[0].strip()).strip(), False


def _unquoted(value: str) -> str:
    closing = _QUOTES.get(value[:1], "")
    return value[1:-1] if len(value) > 1 and closing and value[-1] in closing else value


def _value(key: str, value: str, with_comment: bool, reading: _Reading) -> object:
    """The value of a key, as its parser reads it; "" for an open network's password."""
    if with_comment and key != "wifi":
        raise InvalidValue("comment", key=key)
    # Nothing behind it is how an open network is said.
    if not value and key != "wifi_password":
        raise InvalidValue("empty", key=key, example=_template()[key])
    if key == "pin" and reading.encoding.startswith("cp") and not value.isascii():
        raise InvalidValue("guessed", key=key)
    if key in _LITERAL and value[:1] in _QUOTES and value[-1] not in _QUOTES[value[0]]:
        raise InvalidValue("open_quote", key=key)
    if value and key in ("wifi", *SECRET) and _is_example(key, value):
        raise InvalidValue("example", key=key)
    return PARSERS[key](key, value, reading) if value else ""


def _country(key: str, value: str, reading: _Reading) -> str:
    code = COUNTRY_NAMES.get(value.casefold(), value.upper())
    if code not in COUNTRIES:
        raise InvalidValue("country", text=shortened(value))
    return code


def _name(key: str, value: str, reading: _Reading) -> str:
    name = re.sub(r"[\s_]+", "-", value.casefold())
    if not re.fullmatch(r"(?!localhost$)[a-z0-9]([a-z0-9-]*[a-z0-9])?", name) or len(name) > NAME_MAX:
        raise InvalidValue("name", text=shortened(value), longest=NAME_MAX)
    return name


def _timezone(key: str, value: str, reading: _Reading) -> str:
    zones = set(filter(ZONE.fullmatch, reading.timezones()))
    wanted = {zone.casefold(): zone for zone in zones}.get(value.casefold().replace(" ", "_"))
    if wanted or not zones:
        return wanted or value
    words = re.findall(r"\w+", value.casefold().replace(" ", "_" if "," not in value else " "))
    cities = [zone for zone in zones - {"Etc/UTC"} if zone.casefold().rpartition("/")[2] in words]
    likely = cities or difflib.get_close_matches(value, zones, n=1, cutoff=0.8)
    raise InvalidValue("timezone", text=shortened(value), example=min(likely, default="Europe/Berlin"))


def _in_its_form(key: str, value: str, reading: _Reading) -> str:
    if not FORMS[key].fullmatch(value):
        raise InvalidValue(key)
    return value


def _yes_or_no(key: str, value: str, reading: _Reading) -> bool:
    plain = value.casefold()
    if plain not in {*YES, *NO}:
        raise InvalidValue("value", key=key, text=shortened(value), known="yes, no")
    return plain in YES


def _network(key: str, value: str, reading: _Reading) -> str:
    if len(value.encode()) > SSID_BYTES_MAX:
        raise InvalidValue("ssid_long", key=key, longest=SSID_BYTES_MAX)
    if not value.isprintable():
        raise InvalidValue("ssid_sign", key=key)
    return value


def _hotspot(key: str, value: str, reading: _Reading) -> str:
    if value.casefold() in YES:
        return DEFAULT_HOTSPOT
    return "no" if value.casefold() in NO else _network(key, value, reading)


def _pin(key: str, value: str, reading: _Reading) -> str:
    # Spaces and hyphens do not count.
    if not PIN_MIN <= len(re.sub(r"[\s-]", "", value)) <= PIN_MAX:
        raise InvalidValue("pin_length", least=PIN_MIN, most=PIN_MAX)
    if is_guessable(value):
        raise InvalidValue("pin_weak")
    return value


def _hub(key: str, value: str, reading: _Reading) -> str:
    return hub_url(value)


def _port(key: str, value: str, reading: _Reading) -> str:
    return printer_port(value, reading.header)


def _is_example(key: str, value: str) -> bool:
    """Whether it is a template's, which every reader of it knows: all of it, or one side of its "or"."""
    example = _template()[key]
    return any(
        re.sub(r"[\s-]", "", value.casefold()) == re.sub(r"[\s-]", "", each.casefold())
        for each in (example, *example.split(" or "), *FORMER_EXAMPLES.get(key, ()))
    )


def _board_or_printer(key: str, value: str, reading: _Reading) -> str:
    """A name that the service knows, or a TOML file that it can read: by the service's own reader."""
    from roundtap_devices.boards import BOARDS, load_board
    from roundtap_devices.printing.printer_profiles import PROFILES, SOLD_AS, load_profile
    from roundtap_devices.toml_tables import TomlTableError

    names: dict[str, Any] = {**BOARDS} if key == "board" else {**PROFILES}
    read: Callable[[str], object] = load_board if key == "board" else load_profile
    # As on the card's own file system, capitals do not matter.
    there = {path.name.casefold(): path for folder in reversed(reading.folders or ()) for path in toml_files(folder)}
    if value.casefold() not in names and f"{value}.toml".casefold() in there:
        # Windows hides the ending.
        value = f"{value}.toml"
    if not value.casefold().endswith(".toml"):
        # The names on the devices themselves, the words in them, and the words in our names.
        similar = {
            word.casefold(): name
            for name in reversed(names)
            for sold_as in [SOLD_AS.get(name, "")]
            for word in (*sold_as.split(", "), *re.findall(r"\w+-\w+|\w{5,}|\d{3}", f"{name} {sold_as}"))
        }
        return _one_of(key, value, tuple(names), {}, similar)
    if not re.fullmatch(r"[\w][\w.-]*", value):
        raise InvalidValue("plain_name", key=key, text=shortened(value))
    if reading.folders is not None:
        if value.casefold() not in there:
            raise InvalidValue("no_file", key=key, text=value, known=", ".join(names))
        try:
            read(str(there[value.casefold()]))
        except TomlTableError as wrong:
            raise InvalidValue(f"{key}.{wrong.key}", **wrong.params) from None
        return there[value.casefold()].name
    return value


def _password(key: str, value: str, reading: _Reading) -> str:
    """A WPA2 password: 8 to 63 ASCII characters, or a network's key of 64 hex digits. The note never repeats it."""
    foreign = next((sign for sign in value if not " " <= sign <= "~"), None)
    if foreign is not None:
        if plain := PLAIN_SIGNS.get(foreign):
            raise InvalidValue("password_quote", key=key, sign=foreign, plain=plain)
        raise InvalidValue("password_sign", key=key, sign=foreign if foreign.isprintable() else ascii(foreign)[1:-1])
    if not PASSWORD_MIN <= len(value) <= PASSWORD_MAX and not (
        key == "wifi_password" and re.fullmatch(r"[0-9A-Fa-f]{64}", value)
    ):
        raise InvalidValue("password_length", key=key, signs=len(value), least=PASSWORD_MIN, most=PASSWORD_MAX)
    if _PLACEHOLDER.fullmatch(value):
        raise InvalidValue("placeholder", key=key)
    return value


def is_guessable(pin: str) -> bool:
    """Whether a PIN is easy to guess: digits in a row, or that repeat; one word, even with a year behind it.

    >>> [is_guessable(pin) for pin in ("4071 9362", "four of my words", "12341234", "Summer2026")]
    [False, False, True, True]
    """
    groups = re.findall(r"[^\s-]+", pin.casefold())
    signs = "".join(groups)
    if signs.isdecimal():
        in_order = signs in ("".join(sorted(signs)), "".join(sorted(signs, reverse=True))) or signs in "0123456789" * 2
        return in_order or signs in (signs + signs)[1:-1] or len({*signs}) < PIN_DIGITS_MIN
    parts = re.findall(r"[^\W\d_]+|\d+|[\W_]+", signs)
    # A row of digits beside a word is no second word.
    rows = {group for group in groups if group.isdecimal() and len(group) >= PIN_MIN and is_guessable(group)}
    words = {group for group in groups if len(group) >= PIN_WORD_MIN} - rows
    return len(words) < 2 and len(parts) <= PIN_PARTS_MAX


def _one_of(
    key: str,
    value: str,
    options: tuple[str, ...],
    others: Mapping[str, str],
    similar: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """One of `options`, also by another name; what is `similar` is only asked about."""
    plain = value.casefold().strip()
    if plain in options or plain in others:
        return others.get(plain, plain)
    meant = {**dict.fromkeys(options), **others, **similar}
    if likely := difflib.get_close_matches(plain, meant, n=1, cutoff=0.65):
        raise InvalidValue("value_meant", key=key, text=shortened(value), meant=meant[likely[0]] or likely[0])
    raise InvalidValue("value", key=key, text=shortened(value), known=", ".join(options))


PARSERS: dict[str, Callable[[str, str, _Reading], object]] = {
    "role": lambda key, value, _: _one_of(key, value, ROLES, ROLE_ALIASES),
    "name": _name,
    "hub": _hub,
    "wifi": _network,
    "wifi_password": _password,
    "hotspot": _hotspot,
    "hotspot_password": _password,
    "pin": _pin,
    "country": _country,
    "language": lambda key, value, _: _one_of(key, value.replace("_", "-").split("-")[0], LANGUAGES, LANGUAGE_NAMES),
    "timezone": _timezone,
    "board": _board_or_printer,
    "printer": _board_or_printer,
    "port": _port,
    "user": _in_its_form,
    "ssh_key": _in_its_form,
    "password_hash": _in_its_form,
    "panel": _yes_or_no,
    "read_only": _yes_or_no,
    "wifi_hidden": _yes_or_no,
}
