"""What people write into `roundtap.txt` besides the words that the file itself suggests, in its four languages."""

from __future__ import annotations

from roundtap_core import words

LANGUAGES = words.LANGUAGES

KEYS = {
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
"""Other names of the keys, in small letters, with _ between words."""

ROLES = {
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
"""What word processors put in place of plain signs, which no Wi-Fi password has."""


def timezones() -> set[str]:
    """Every time zone that this machine knows; none where it has no list of them."""
    import zoneinfo

    return zoneinfo.available_timezones()
