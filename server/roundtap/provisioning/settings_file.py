"""Reads `roundtap.txt`, the settings of a machine on its boot partition, as edited by any user in any editor."""

import difflib
import re
import zoneinfo
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from urllib.parse import urlsplit

from roundtap_core.words import LANGUAGES, Words

FILE = "roundtap.txt"
ROLES = ("hub", "table", "printer", "wall", "standby")
HUB_PORT = 8080

_LITERAL = ("wifi", "wifi_password", "hotspot", "hotspot_password", "pin")
"""Their values may contain #: the whole rest of the line counts."""
_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“”", "”": "”", "‘": "’", "‚": "‘’", "«": "»", "»": "«"}
_COMMENT = ("#", ";", "//", "[")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
SSID_BYTES_MAX, PASSWORD_MIN, PASSWORD_MAX, NAME_MAX = 32, 8, 63, 32
PIN_MIN, PIN_MAX = 8, 64


@dataclass(frozen=True, slots=True)
class SettingsNote:
    """A note for the author of the file: the key of its text ("settings.KEY") and its parameters. `line` counts from 1;
    0 is the file as a whole."""
    key: str
    line: int = 0
    params: Mapping[str, object] = field(default_factory=dict)

    def text(self, words: Words) -> str:
        """One line with its place: "roundtap.txt, line 3: …"."""
        where = words("settings.line", file=FILE, line=self.line) if self.line else FILE
        return f"{where}: {words(f'settings.{self.key}', **self.params)}"


@dataclass(frozen=True, slots=True)
class Settings:
    """The file's settings, all optional; "" (or None) where one is not set. `hub`: "http://HOST:PORT". `hotspot`: "",
    "no", or the network's name. `board`: a known board or a TOML file beside `roundtap.txt`. `port`: the printer's, a
    path in /dev. `country`: two capitals."""
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
    read_only: bool | None = None


KEYS = tuple(setting.name for setting in fields(Settings))
SECRET = ("wifi_password", "hotspot_password", "pin")
DEFAULT_HOTSPOT = "Roundtap"

KEY_ALIASES = {
    "ssid": "wifi", "wlan": "wifi", "wi_fi": "wifi", "network": "wifi", "red": "wifi", "sieć": "wifi", "siec": "wifi",
    "password": "wifi_password", "wifi_pass": "wifi_password", "wi_fi_password": "wifi_password",
    "psk": "wifi_password",
    "passwort": "wifi_password", "wlan_passwort": "wifi_password", "wifi_passwort": "wifi_password",
    "wlan_password": "wifi_password", "contraseña": "wifi_password", "contrasena": "wifi_password",
    "clave": "wifi_password", "hasło": "wifi_password", "haslo": "wifi_password", "wlan_schlüssel": "wifi_password",
    "rolle": "role", "rol": "role", "rola": "role", "type": "role",
    "sprache": "language", "idioma": "language", "lengua": "language", "język": "language", "jezyk": "language",
    "lang": "language",
    "land": "country", "país": "country", "pais": "country", "kraj": "country",
    "platine": "board", "placa": "board", "płytka": "board", "plytka": "board", "hat": "board",
    "nombre": "name", "nazwa": "name", "unit": "name", "hostname": "name",
    "zeitzone": "timezone", "zona_horaria": "timezone", "strefa_czasowa": "timezone", "tz": "timezone",
    "time_zone": "timezone",
    "drucker": "printer", "impresora": "printer", "drukarka": "printer", "printer_profile": "printer",
    "device": "port", "printer_port": "port",
    "server": "hub", "hub_address": "hub", "adresse": "hub", "readonly": "read_only",
    "hotspot_name": "hotspot", "hotspot_passwort": "hotspot_password",
}
"""What people write instead of the file's own keys, in its four languages: in lower case, with _ between words."""

ROLE_ALIASES = {
    "server": "hub", "zentrale": "hub", "central": "hub", "table unit": "table", "unit": "table", "tisch": "table",
    "mesa": "table", "stół": "table", "stol": "table", "stolik": "table", "station": "printer", "print": "printer",
    "drucker": "printer", "impresora": "printer", "drukarka": "printer", "display": "wall", "screen": "wall",
    "beamer": "wall", "wand": "wall", "anzeige": "wall", "pantalla": "wall", "ekran": "wall", "ściana": "wall",
    "second hub": "standby", "backup": "standby", "reserve": "standby", "ersatz": "standby", "reserva": "standby",
    "rezerwa": "standby",
}

LANGUAGE_NAMES = {
    "english": "en", "englisch": "en", "inglés": "en", "ingles": "en", "angielski": "en",
    "german": "de", "deutsch": "de", "alemán": "de", "niemiecki": "de",
    "spanish": "es", "spanisch": "es", "español": "es", "espanol": "es", "castellano": "es", "hiszpański": "es",
    "polish": "pl", "polnisch": "pl", "polaco": "pl", "polski": "pl",
}

COUNTRY_NAMES = {
    "uk": "GB", "england": "GB", "united kingdom": "GB", "great britain": "GB", "usa": "US", "united states": "US",
    "germany": "DE", "deutschland": "DE", "austria": "AT", "österreich": "AT", "switzerland": "CH", "schweiz": "CH",
    "spain": "ES", "españa": "ES", "espana": "ES", "spanien": "ES", "poland": "PL", "polska": "PL", "polen": "PL",
    "france": "FR", "frankreich": "FR", "italy": "IT", "italien": "IT", "mexico": "MX", "méxico": "MX",
    "netherlands": "NL", "canada": "CA", "ireland": "IE", "australia": "AU",
}

YES = frozenset({"yes", "on", "true", "1", "ja", "an", "sí", "si", "tak"})
NO = frozenset({"no", "off", "false", "0", "nein", "aus", "nie", "none", "kein"})

PLAIN_SIGNS = {
    "‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "…": "...", "\u00a0": "␣",
}
"""Characters that word processors put in place of plain ones, and that no Wi-Fi password has."""


class _InvalidValue(Exception):
    """An invalid value: the key of its text, and its parameters."""

    def __init__(self, key: str, /, **params: object) -> None:
        super().__init__(key)
        self.key, self.params = key, params


def read_settings(raw: bytes, timezones: Callable[[], set[str]] = zoneinfo.available_timezones) -> tuple[Settings,
    list[SettingsNote]]:
    """(the settings, notes in the file's order). An invalid line only gives a note: no typo stops a machine.

    >>> read_settings(b"Role = Hub\\r\\nLand: DE\\r\\n")[0].role
    'hub'
    """
    notes: list[SettingsNote] = []
    found: dict[str, tuple[int, object]] = {}
    for number, line in enumerate(_text(raw).splitlines(), start=1):
        line = line.translate(_INVISIBLE).strip()
        if not line or line.startswith(_COMMENT):
            continue
        try:
            key, value = _split(line)
            if key in found:
                raise _InvalidValue("twice", key=key, first=found[key][0])
            found[key] = (number, _value(key, value, timezones) if value else "")
        except _InvalidValue as wrong:
            notes.append(SettingsNote(wrong.key, number, wrong.params))
    values = {key: value for key, (_, value) in found.items() if value != ""}
    settings = replace(Settings(), **values)  # type: ignore[arg-type]
    for key, network in (("wifi_password", "wifi"), ("hotspot_password", "hotspot")):
        if values.get(key) and values.get(network, "no") == "no":
            notes.append(SettingsNote("password_alone", found[key][0], {"key": key, "network": network}))
    if settings.pin and settings.role != "hub":
        notes.append(SettingsNote("pin_alone", found["pin"][0]))
    if settings.wifi and not settings.country:
        notes.append(SettingsNote("no_country", found["wifi"][0]))
    return settings, sorted(notes, key=lambda note: note.line)


def _text(raw: bytes) -> str:
    """The text in whatever encoding it was saved: UTF-8 or UTF-16 with or without a mark, or a Windows code page."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if raw.startswith(mark):
            return raw[len(mark):].decode(encoding, errors="replace")
    zeros = (raw[0:400:2].count(0), raw[1:400:2].count(0))
    if max(zeros) > len(raw[:400]) // 5:
        return raw.decode("utf-16-le" if zeros[1] > zeros[0] else "utf-16-be", errors="replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        polish = re.search(rb"(?im)^\s*(language|country|j.zyk|kraj)\s*[=:]\s*['\"]?(pl|polski|polska)\b", raw)
        return raw.decode("cp1250" if polish else "cp1252", errors="replace")


def key_of(line: bytes) -> str:
    """The key of a line of the file; "" for comments and invalid lines."""
    text = _text(line).translate(_INVISIBLE).strip()
    try:
        return "" if text.startswith(_COMMENT) else _split(text)[0]
    except _InvalidValue:
        return ""


def _split(line: str) -> tuple[str, str]:
    place = re.search(r"[=:]", line)
    if place is None:
        # Repeat only what is surely no password: the note is shown where others can read it.
        word = line.split()[0].casefold()
        raise _InvalidValue("no_equals", text=_short(word) if word in (*KEYS, *KEY_ALIASES) else "…")
    typed = line[:place.start()].strip().strip("\"'“”„")
    key = re.sub(r"[\s\-_.]+", "_", typed.casefold()).strip("_")
    key = KEY_ALIASES.get(key, key)
    if key not in KEYS:
        likely = difflib.get_close_matches(key, [*KEYS, *KEY_ALIASES], n=1, cutoff=0.7)
        if likely:
            raise _InvalidValue("meant", text=_short(typed), meant=KEY_ALIASES.get(likely[0], likely[0]))
        raise _InvalidValue("unknown", text=_short(typed), known=", ".join(KEYS))
    value = line[place.end():].strip()
    if key in _LITERAL or _unquoted(value) != value:
        return key, _unquoted(value)
    return key, _unquoted(re.split(r"\s[#;]|\s//\s", f" {value}", maxsplit=1)[0].strip()).strip()


def _unquoted(value: str) -> str:
    closing = _QUOTES.get(value[:1], "")
    return value[1:-1] if len(value) > 1 and closing and value[-1] in closing else value


def _value(key: str, value: str, timezones: Callable[[], set[str]]) -> object:
    if key == "role":
        return _one_of(key, value, ROLES, ROLE_ALIASES)
    if key == "language":
        return _one_of(key, value.replace("_", "-").split("-")[0], LANGUAGES, LANGUAGE_NAMES)
    if key == "country":
        code = COUNTRY_NAMES.get(value.casefold(), value.upper())
        if not re.fullmatch(r"[A-Z]{2}", code):
            raise _InvalidValue("country", text=_short(value))
        return code
    if key == "name":
        name = re.sub(r"[\s_]+", "-", value.casefold())
        if not re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", name) or len(name) > NAME_MAX:
            raise _InvalidValue("name", text=_short(value), longest=NAME_MAX)
        return name
    if key == "timezone":
        zones = timezones()
        by_name = {zone.casefold(): zone for zone in zones}
        wanted = by_name.get(value.casefold().replace(" ", "_"))
        if zones and wanted is None:
            ends = [zone for zone in zones if zone.casefold().endswith("/" + value.casefold().replace(" ", "_"))]
            likely = ends or difflib.get_close_matches(value, zones, n=1)
            raise _InvalidValue("timezone", text=_short(value), example=min(likely, default="Europe/Berlin"))
        return wanted or value
    if key == "read_only":
        return _parse_bool(key, value)
    if key in ("wifi", "hotspot"):
        if key == "hotspot" and value.casefold() in {*YES, *NO}:
            return DEFAULT_HOTSPOT if _parse_bool(key, value) else "no"
        if len(value.encode()) > SSID_BYTES_MAX:
            raise _InvalidValue("ssid_long", key=key, longest=SSID_BYTES_MAX)
        return value
    if key == "pin":
        # Spaces and hyphens do not count.
        if not PIN_MIN <= len(re.sub(r"[\s-]", "", value)) <= PIN_MAX:
            raise _InvalidValue("pin_length", least=PIN_MIN, most=PIN_MAX)
        return value
    if key in SECRET:
        return _password(key, value)
    if key == "hub":
        return _address(value)
    if key == "port":
        if not re.fullmatch(r"/dev/[\w./:@+-]+", value) or ".." in value:
            raise _InvalidValue("port", text=_short(value))
        return value
    if not re.fullmatch(r"[\w][\w.-]*", value):
        raise _InvalidValue("plain_name", key=key, text=_short(value))
    return value


def _password(key: str, value: str) -> str:
    """A WPA2 password: 8 to 63 ASCII characters, or 64 hex digits. The note never repeats it."""
    foreign = next((sign for sign in value if not " " <= sign <= "~"), None)
    if foreign is not None:
        plain = PLAIN_SIGNS.get(foreign)
        if plain:
            raise _InvalidValue("password_quote", key=key, sign=foreign, plain=plain)
        raise _InvalidValue("password_sign", key=key, sign=foreign if foreign.isprintable() else ascii(foreign)[1:-1])
    if not PASSWORD_MIN <= len(value) <= PASSWORD_MAX and not re.fullmatch(r"[0-9A-Fa-f]{64}", value):
        raise _InvalidValue("password_length", key=key, signs=len(value), least=PASSWORD_MIN, most=PASSWORD_MAX)
    return value


def _address(value: str) -> str:
    try:
        parts = urlsplit(value if "//" in value else f"//{value}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    # An IPv6 address has colons; a name has letters, digits, dots.
    if not host or parts.scheme not in ("", "http") or not re.fullmatch(r"[a-z0-9.\-]+|[0-9a-f:.]+", host):
        raise _InvalidValue("hub", text=_short(value))
    shown = f"[{host}]" if ":" in host else host
    default = 80 if parts.scheme and value.rstrip("/").endswith(":80") else HUB_PORT
    return f"http://{shown}:{port or default}"


def _one_of(key: str, value: str, known: tuple[str, ...], others: Mapping[str, str]) -> str:
    plain = value.casefold().strip()
    if plain in known or plain in others:
        return others.get(plain, plain)
    likely = difflib.get_close_matches(plain, [*known, *others], n=1, cutoff=0.6)
    if likely:
        raise _InvalidValue("value_meant", key=key, text=_short(value), meant=others.get(likely[0], likely[0]))
    raise _InvalidValue("value", key=key, text=_short(value), known=", ".join(known))


def _parse_bool(key: str, value: str) -> bool:
    plain = value.casefold()
    if plain not in {*YES, *NO}:
        raise _InvalidValue("value", key=key, text=_short(value), known="yes, no")
    return plain in YES


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
