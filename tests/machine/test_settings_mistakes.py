"""What people with Windows get wrong in `roundtap.txt`: each mistake is told on the desk and at the first start, with
its line and what would be right, in four languages, and no service is left with a file that it cannot read."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from machine_kit import machine_in

from roundtap.main import main
from roundtap.provisioning.applying import apply_settings, saved_passwords
from roundtap.provisioning.settings_file import FILE
from roundtap_core.words import LANGUAGES, catalogue
from roundtap_hub.store.login_pins import verify_pin
from roundtap_units.link.hub_address import parse_endpoint
from roundtap_units.panel.main import read_panel_config
from roundtap_units.station.main import read_station_config
from roundtap_units.table.main import read_table_config

SECRET = "Geheim-4711"

STANDBY = b'hub = "http://10.42.0.1:8080"\nunit = "standby-1"\nkey = "' + b"7f3a" * 16 + b'"\n'
OURS = b'like = "waveshare-oled-hat"\n'

HALL = f"country = PL\r\nwifi = Kawiarnia „Pod Różą”\r\nwifi_password = {SECRET}\r\n"
RIGHT: dict[str, tuple[str | bytes, dict[str, bytes]]] = {
    "an empty file": (b"", {}),
    "a table, in German": (
        "Rolle: Tisch\r\nSprache: deutsch\r\nLand: Deutschland\r\nPlatine: adafruit-oled-bonnet",
        {},
    ),
    "a hub with its hotspot": (
        f"role = hub\r\nhotspot = Tom's Games\r\nhotspot_password = {SECRET}\r\npin = four of my words\r\n"
        "country = GB\r\nprinter = epson-t88\r\nport = /dev/ttyUSB0\r\nboard = recommended",
        {},
    ),
    "a hub without a hotspot on the store's Wi-Fi": (f"rola = hub\r\nhotspot = nie\r\n{HALL}".encode("cp1250"), {}),
    "an open network, said so": ("wifi = Free\r\nwifi_password =\r\ncountry = ES", {}),
    "a password with a hash, in quotes": ('wifi = S\r\ncountry = US\r\nwifi_password = "it # is mine"', {}),
    "a password without a space before its hash": ("wifi = S\r\ncountry = US\r\nwifi_password = it#is;mine", {}),
    "a PIN with accents, saved as UTF-8": ("role = hub\r\npin = Größe żółw", {}),
    "a PIN without accents in a file saved as ANSI": (
        f"role = hub\r\npin = {SECRET}\r\n# für uns".encode("cp1252"),
        {},
    ),
    "a wall with its hub": ("role = wall\r\nhub = http://hub.example.org:8080/", {}),
    "a printer of one's own": (
        "role = printer\r\nprinter = till.toml\r\nhub = [fd00::1]",
        {"till.toml": b"columns = 42\n"},
    ),
    "a board of one's own, saved by Notepad": (
        "role = table\r\nboard = our-box.toml",
        {"our-box.toml": b"\xef\xbb\xbf" + OURS},
    ),
    "a buzzer that its resistor keeps quiet": (
        "role = table\r\nboard = our-box.toml",
        {"our-box.toml": b"buzzer_active_low = true\r\nheld_off = true\r\n"},
    ),
    "a hub without a panel, with a phrase in capitals": ("role = hub\r\npanel = no\r\npin = Kmwp-4HD7-Xqre", {}),
    "a hub whose PIN is eight digits of no order": ("role = hub\r\npin = 4071 9362\r\ntimezone = Atlantic/Canary", {}),
    "a hub whose PIN a program made": ("role = hub\r\npin = xK9#mQ2pL\r\nname = roundtap", {}),
    "a serial printer by its name, and last year's file": (
        "role = printer\r\nport = /dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0\r\nhub = 192.168.0.20",
        {"roundtap-2025.txt": b"role = table", "roundtap-says.txt": b"", "roundtap/first-boot.log": b""},
    ),
    "a table on a home network": (
        "name = Table 7\r\nhub = roundtap.fritz.box:8080\r\nwifi = Store\r\nwifi_password = 88888888\r\ncountry = DE",
        {},
    ),
    "a hub and its keeper": (
        "role = hub\r\nuser = tom\r\nssh_key = ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + "Ab0/" * 10 + "xyz\r\n"
        "password_hash = $y$j9T$" + "a" * 22 + "$" + "b" * 43,
        {},
    ),
    "a standby with its key": ("role = standby", {"standby.toml": STANDBY}),
    "Notepad's Unicode": (
        b"\xff\xfer\x00o\x00l\x00e\x00 \x00=\x00 \x00h\x00u\x00b\x00\r\x00\n"
        b"\x00l\x00a\x00n\x00g\x00u\x00a\x00g\x00e\x00 \x00=\x00 \x00d\x00e\x00\r\x00\n"
        b"\x00c\x00o\x00u\x00n\x00t\x00r\x00y\x00 \x00=\x00 \x00D\x00E\x00\r\x00\n"
        b"\x00n\x00a\x00m\x00e\x00 \x00=\x00 \x00s\x00p\x00i\x00e\x00l\x00e\x00h\x00a\x00f\x00e\x00n\x00\r"
        b"\x00\n\x00",
        {},
    ),
    "an old Mac's lines": (b"role = wall\rhub = 192.168.178.20\rcountry = ES\r", {}),
    "tabs and capitals": (
        "ROLE\t=\tTable\nLANGUAGE\t=\tPL\nCountry\t=\tpl\nWiFi\t=\tSklep Pod Lasem\n"
        "WiFi_Password\t=\tza#b=c\"d'e$f\\g\n",
        {},
    ),
    "Polish by the card's comments": (
        "\ufeffrole = stół\nlanguage = pl\ncountry = PL\nwifi = Kawiarnia: sala 2\nwifi_password = 12345678\n",
        {},
    ),
    "Spanish by the card's comments": (
        b"role = impresora\nlanguage = es\ncountry = ES\nprinter = epson-t88\n"
        b"port = /dev/usb/lp0\ntimezone = Atlantic/Canary\n",
        {},
    ),
    "a hub with all of it": (
        "role = hub\ncountry = GB\nlanguage = en\nhotspot = Tom's Games & Café\n"
        "hotspot_password = correct horse battery\npin = 40718263\nuser = tom\n"
        "ssh_key = ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJd4yRrW3k7m1eW1Xb0m5cS3mW1V7q8m1u6h2o0Yb5lK tom@l"
        "aptop\npanel = no\nread_only = yes\nname = hub-2\ntimezone = Europe/London\n",
        {},
    ),
    "a comment before, an empty line between": (
        "# our table by the door\n\nrole = table\n\n# Wi-Fi as on the sticker\n"
        "wifi = FRITZ!Box 7590 ÄX\nwifi_password = 63481075938264018375\n"
        "country = DE\nhub = roundtap.local\n",
        {},
    ),
    "a board of one's own": (
        "role = table\nboard = my-wires\nname = table-12\ntimezone = America/Argentina/Buenos_Aires\n",
        {"my-wires.toml": b'like = "adafruit-oled-bonnet"\n'},
    ),
    "a table by cable, its Wi-Fi noted": ("role = table\n#wifi = Store\n# role: what it is\n", {}),
    **{
        f"the password {password}": (f"wifi = S\r\ncountry = DE\r\nwifi_password = {password}", {})
        for password in ("(secret)123)", "{Hall-2026}", "<3coffee>", "bar***foo1", "[back]door", "aaaaaaaa")
    },
    **{
        f"a hub at {place}": (f"role = table\r\nhub = {place}", {})
        for place in (
            *("129.168.178.20", "141.20.5.7", "10.42.1.255", "10.42.1.0", "[2001:db8::7]", "hub.uni.example"),
            *("3.local", "1.hub.lan", "2026.hall.example:8080", "4players.local.", "10-42.local"),
        )
    },
    **{
        f"a printer at {port}": (f"role = printer\r\nport = {port}", {})
        for port in (
            *("/dev/roundtap-printer", "/dev/till", "/dev/printers/left", "/dev/ttySC0", "/dev/ttyUSB_printer"),
            *("/dev/ttyEPSON", "/dev/ttyPRINTER", "/dev/ttyBON", "/dev/video-desk-printer", "/dev/log-printer"),
            *("/dev/usb/lp1", "/dev/usblp0", "/dev/ttyACM0", "/dev/ttyXRUSB0", "/dev/rfcomm0", "/dev/star"),
        )
    },
}


@dataclass(frozen=True)
class Mistake:
    """A file as it was saved, the line (0: the file as a whole) and some words of what is told, and what lies beside
    it."""

    text: str | bytes
    line: int
    told: tuple[str, ...]
    beside: dict[str, bytes] = field(default_factory=dict)

    def save(self, folder: Path) -> Path:
        for name, content in self.beside.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)
        (folder / FILE).write_bytes(self.text if isinstance(self.text, bytes) else self.text.encode())
        return folder / FILE


MISTAKES = {
    # What is on the line.
    "no equals sign": Mistake("role hub", 1, ("role = table",)),
    "an arrow": Mistake("role -> hub", 1, ("role = table",)),
    "a typing slip in a key": Mistake("roel = hub", 1, ("Did you mean “role”?",)),
    "a key that does not exist": Mistake("\r\nvolume = 11", 2, ("Known names", "wifi_password")),
    "a typing slip in a role": Mistake("role = tabel", 1, ("Did you mean “table”?",)),
    "a role with a full stop": Mistake("role = hub.", 1, ("Did you mean “hub”?",)),
    "two equals signs": Mistake("role == printer", 1, ("Did you mean “printer”?",)),
    "two roles on one line": Mistake(
        "role = hub + printer", 1, ("hub + printer is unknown", "Did you mean “printer”?")
    ),
    "a role that does not exist": Mistake("role = boss", 1, ("hub, table, printer, wall, standby",)),
    "an empty role": Mistake("role =\r\n", 1, ("role = table", "#")),
    "only the comment behind it": Mistake("role = # hub", 1, ("role = table",)),
    "the role twice": Mistake("role = hub\r\nrole = wall", 2, ("Line 1 counts",)),
    "a heading of the template without its sign": Mistake(
        "# Roundtap\r\nen, es, de or pl\r\nlanguage = de", 2, ("role = table",)
    ),
    "a key and its value on two lines": Mistake("role\r\n= hub", 1, ("“role” has no “=”",)),
    "a slip in a file with an old Mac's line ends": Mistake("role = table\rlanguage = Latin\r", 2, ("en, es, de, pl",)),
    # Country, language, time zone, name.
    "XX is no country": Mistake("country = XX", 1, ("DE, ES, GB, PL, US",)),
    "EU is no country": Mistake("country = EU", 1, ("DE, ES, GB, PL, US",)),
    "the language as country": Mistake("country = EN", 1, ("DE, ES, GB, PL, US",)),
    "a part of a country": Mistake("Land = Bayern", 1, ("two letters",)),
    "a language that it lacks": Mistake("Sprache = Französisch", 1, ("en, es, de, pl",)),
    "a city as time zone": Mistake("timezone = Berlin", 1, ("Europe/Berlin",)),
    "an offset as time zone": Mistake("Zeitzone = GMT+1 Europa", 1, ("Use a name like",)),
    "an umlaut in the machine's name": Mistake("name = Größe 7", 1, ("a to z", "table-1")),
    "a time zone's initials": Mistake("timezone = MEZ", 1, ("Europe/Berlin", "country")),
    "initials that are a zone of no place": Mistake("timezone = EST", 1, ("Europe/Berlin", "country")),
    "Windows' time zone": Mistake("timezone = W. Europe Standard Time", 1, ("Europe/Berlin", "country")),
    "Windows' list of cities": Mistake(
        "timezone = (UTC+01:00) Sarajevo, Skopje, Warsaw, Zagreb", 1, ("Europe/Sarajevo", "country")
    ),
    "an offset whose sign means the other way": Mistake("timezone = Etc/GMT+1", 1, ("Europe/Berlin",)),
    "yes or no": Mistake("read_only = maybe", 1, ("yes, no",)),
    # Addresses.
    "an address with 300": Mistake("hub = 300.1.1.1", 1, ("10.42.0.1",)),
    "an address with three numbers": Mistake("hub = 10.42.0", 1, ("10.42.0.1",)),
    "an address with a comma": Mistake("hub = 10,42,0,1", 1, ("10.42.0.1",)),
    "a secure address": Mistake("hub = https://10.42.0.1", 1, ("10.42.0.1",)),
    "a Windows address": Mistake("hub = \\\\HUB\\roundtap", 1, ("roundtap.local",)),
    "a port beyond all ports": Mistake("hub = 10.42.0.1:80800", 1, ("10.42.0.1",)),
    "the full-width full stops of a Chinese keyboard": Mistake("hub = 10。42。0。1", 1, ("10.42.0.1",)),
    "this machine itself as the hub": Mistake("hub = 127.0.0.1", 1, ("10.42.0.1",)),
    "this machine's other name as the hub": Mistake("hub = http://localhost:8080/", 1, ("10.42.0.1",)),
    "this machine itself, in IPv6": Mistake("hub = [::1]", 1, ("10.42.0.1",)),
    "no address at all": Mistake("role = wall\r\nhub = 0.0.0.0", 2, ("10.42.0.1",)),
    "everybody's address": Mistake("hub = 255.255.255.255", 1, ("10.42.0.1",)),
    "an address for many": Mistake("hub = 224.0.0.251", 1, ("10.42.0.1",)),
    "the encrypted port": Mistake("hub = 10.42.0.1:8443", 1, ("port 8443", "8080")),
    "the port of secure pages": Mistake("hub = roundtap.local:443", 1, ("port 443", "8080")),
    "the port to log in": Mistake("role = printer\r\nhub = 10.42.0.1:22", 2, ("port 22", "8080")),
    "the hub's name for a table": Mistake("role = table\r\nname = Roundtap", 2, ("the hub's", "table-1")),
    "the hub's name for a standby": Mistake(
        "name = roundtap\r\nrole = standby", 1, ("the hub's",), {"standby.toml": STANDBY}
    ),
    "every machine's own name": Mistake("name = localhost", 1, ("a to z", "table-1")),
    "the table's own name as the hub's": Mistake(
        "role = table\r\nname = table-7\r\nhub = table-7.local", 3, ("this machine's own name",)
    ),
    # Boards and printers.
    "the address that is printed on the display": Mistake(
        "board = our-box.toml",
        1,
        ("our-box.toml", "0x3C or 0x3D", "0x78"),
        {"our-box.toml": b"[screen]\r\ni2c_address = 0x78"},
    ),
    "the other address that is printed on the display": Mistake(
        "board = our-box.toml",
        1,
        ("our-box.toml", "0x3C or 0x3D", "0x7A"),
        {"our-box.toml": b"[screen]\r\ni2c_address = 0x7A"},
    ),
    "an address without its 0x": Mistake(
        "board = our-box.toml",
        1,
        ("our-box.toml", "0x3C or 0x3D"),
        {"our-box.toml": b"[screen]\r\ni2c_address = 78"},
    ),
    "half a board's name": Mistake("board = bonnet", 1, ("Did you mean “adafruit-oled-bonnet”?",)),
    "a board that is not known": Mistake(
        "board = hat7000", 1, ("recommended, adafruit-oled-bonnet, waveshare-oled-hat",)
    ),
    "a printer by what is printed on it": Mistake(
        "role = printer\r\nprinter = TM-T88V", 2, ("Did you mean “epson-t88”?",)
    ),
    "a printer with its maker": Mistake(
        "role = printer\r\nprinter = Epson TM-T20III", 2, ("Did you mean “epson-80”?",)
    ),
    "a printer that is not known": Mistake("role = hub\r\nprinter = Brother QL-820", 2, ("epson-80", "plain-58")),
    "a board file that is not there": Mistake("board = our-box.toml", 1, ("not beside roundtap.txt", "recommended")),
    "a printer file that is not there": Mistake("role = printer\r\nprinter = till.toml", 2, ("not beside", "epson-80")),
    "a board file's path": Mistake("board = C:\\Users\\Tom\\our-box.toml", 1, ("letters, digits",)),
    "Pi OS's own TOML as board": Mistake("board = custom.toml", 1, ("not beside roundtap.txt",), {"custom.toml": OURS}),
    "a board file that is no TOML": Mistake(
        "board = our-box.toml", 1, ("our-box.toml", "not a TOML file"), {"our-box.toml": b"facing: edge\r\n"}
    ),
    "a board file with smart quotes": Mistake(
        "board = our-box.toml",
        1,
        ("our-box.toml", "not a TOML file"),
        {"our-box.toml": "like = “recommended”".encode()},
    ),
    "a board file saved as Unicode": Mistake(
        "board = our-box.toml",
        1,
        ("our-box.toml", "not a TOML file"),
        {"our-box.toml": b"\xff\xfe" + OURS.decode().encode("utf-16-le")},
    ),
    "a board file with a pin used twice": Mistake(
        "board = our-box.toml",
        1,
        ("pins.a", "pin 22", "already used by"),
        {"our-box.toml": b"[pins]\r\na = 22\r\nup = 22\r\n"},
    ),
    "a printer file with an impossible width": Mistake(
        "role = printer\r\nprinter = till.toml", 2, ("dots", "from 128 to 1600"), {"till.toml": b"dots = 80\r\n"}
    ),
    "a board file with a hidden ending": Mistake(
        "role = table", 0, ("our-box.toml.txt is not read", "Rename it to our-box.toml."), {"our-box.toml.txt": OURS}
    ),
    "a printer's port of Windows": Mistake("role = printer\r\nport = COM3", 2, ("/dev/ttyUSB0",)),
    "nothing as a printer": Mistake("role = printer\r\nport = /dev/null", 2, ("/dev/ttyUSB0",)),
    "a memory card as a printer": Mistake("role = hub\r\nport = /dev/mmcblk0", 2, ("/dev/ttyUSB0",)),
    "a stick as a printer": Mistake("role = hub\r\nport = /dev/sda1", 2, ("/dev/ttyUSB0",)),
    "the screen's console as a printer": Mistake("role = printer\r\nport = /dev/tty1", 2, ("/dev/ttyUSB0",)),
    "a keyboard as a printer": Mistake("role = printer\r\nport = /dev/input/event0", 2, ("/dev/ttyUSB0",)),
    "a port in small letters": Mistake("role = printer\r\nport = /dev/ttyusb0", 2, ("/dev/ttyUSB0",)),
    "a network printer": Mistake("role = printer\r\nport = 192.168.1.50:9100", 2, ("/dev/ttyUSB0",)),
    "a printer's port with backslashes": Mistake("role = printer\r\nport = \\dev\\usb\\lp0", 2, ("/dev/usb/lp0",)),
    # Wi-Fi, passwords and PIN.
    "a Wi-Fi without a password": Mistake("wifi = Store\r\ncountry = DE", 1, ("wifi_password =",)),
    "a Wi-Fi without a country": Mistake(f"wifi = Store\r\nwifi_password = {SECRET}", 1, ("country = DE",)),
    "a password without its Wi-Fi": Mistake(f"wifi_password = {SECRET}", 1, ("is missing",)),
    "a short password": Mistake("wifi = S\r\ncountry = DE\r\nKennwort = Geheim", 3, ("6 characters", "8 to 63")),
    "a comment behind the password": Mistake(
        f"wifi = S\r\ncountry = DE\r\nwifi_password = {SECRET} # upstairs",
        3,
        ("looks like a comment", "on their own line", "use quotes"),
    ),
    "a comment behind the password, without a space in it": Mistake(
        f"wifi = S\r\ncountry = DE\r\nwifi_password = {SECRET} #upstairs",
        3,
        ("looks like a comment", "on their own line", "use quotes"),
    ),
    "a comment behind the PIN, without a space in it": Mistake(
        f"role = hub\r\npin = {SECRET} //upstairs", 2, ("pin: the end", "looks like a comment")
    ),
    "an open quotation mark before the password": Mistake(
        f'wifi = S\r\ncountry = DE\r\nwifi_password = "{SECRET}', 3, ("wifi_password", "has no closing one")
    ),
    "an open quotation mark before the Wi-Fi's name": Mistake(
        f"wifi = „Store\r\ncountry = DE\r\nwifi_password = {SECRET}", 1, ("wifi:", "has no closing one")
    ),
    "an open quotation mark before the PIN": Mistake(
        f"role = hub\r\npin = '{SECRET}", 2, ("pin:", "has no closing one")
    ),
    "a comment behind the Wi-Fi's name": Mistake(
        f"wifi = Store  // the router's\r\ncountry = DE\r\nwifi_password = {SECRET}",
        1,
        ("looks like a comment", "on their own line"),
    ),
    "a smart quote in the password": Mistake(
        f"wifi = S\r\ncountry = DE\r\nwifi_password = {SECRET}’s", 3, ("plain '",)
    ),
    "a Word dash in the password": Mistake(f"wifi=S\r\ncountry=DE\r\nwifi_password={SECRET}–1", 3, ("plain -",)),
    "an umlaut in the password, saved as ANSI": Mistake(
        f"wifi = S\r\ncountry = DE\r\nWLAN-Passwort = {SECRET}ü".encode("cp1252"), 3, ("contains ü", "US keyboard")
    ),
    "a Polish letter in the password, saved as ANSI": Mistake(
        f"wifi = S\r\nkraj = PL\r\nhasło = {SECRET}ś".encode("cp1250"), 3, ("contains ś", "US keyboard")
    ),
    "a Spanish letter in the password": Mistake(
        f"red = S\r\npaís = ES\r\ncontraseña = {SECRET}ñ", 3, ("contains ñ", "US keyboard")
    ),
    "a full-width digit in the password": Mistake(
        f"wifi = S\r\ncountry = DE\r\nwifi_password = {SECRET}１", 3, ("contains １", "US keyboard")
    ),
    "a tab in the Wi-Fi's name": Mistake(
        f"wifi = The\tStore\r\ncountry = DE\r\nwifi_password = {SECRET}", 1, ("invisible", "Type the name")
    ),
    "a hard space in the Wi-Fi's name": Mistake(
        f"wifi = The\u00a0Store\r\ncountry = DE\r\nwifi_password = {SECRET}", 1, ("invisible",)
    ),
    "a Wi-Fi's name of 33 bytes": Mistake(
        f"wifi = {'ü' * 16}n\r\ncountry = DE\r\nwifi_password = {SECRET}", 1, ("at most 32 bytes",)
    ),
    "the template's network": Mistake(
        f"wifi = Name of the network\r\ncountry = DE\r\nwifi_password = {SECRET}", 1, ("your own",)
    ),
    "the template's password": Mistake("wifi = S\r\ncountry = DE\r\nwifi_password = its password", 3, ("your own",)),
    "the template's PIN": Mistake("role = hub\r\npin = eight digits or some words", 2, ("your own",)),
    "half of the template's PIN": Mistake("role = hub\r\npin = Some Words", 2, ("your own",)),
    "the PIN of an older template": Mistake("role = hub\r\npin = 1234 5678", 2, ("your own",)),
    "a masked password": Mistake("wifi = S\r\ncountry = DE\r\nwifi_password = ********", 3, ("the password itself",)),
    "a password masked by x": Mistake(
        "role = hub\r\nhotspot = S\r\nhotspot_password = xxxxxxxx", 3, ("the password itself",)
    ),
    "a password masked by full stops": Mistake(
        "wifi = S\r\ncountry = DE\r\nwifi_password = ..........", 3, ("the password itself",)
    ),
    "a password's place": Mistake(
        "wifi = S\r\ncountry = DE\r\nwifi_password = <password>", 3, ("the password itself",)
    ),
    "one digit as PIN": Mistake("role = hub\r\npin = 11111111", 2, ("easy to guess", "two words")),
    "a row of digits as PIN": Mistake("role = hub\r\npin = 87654321", 2, ("easy to guess", "two words")),
    "a row of digits with its nought": Mistake("role = hub\r\npin = 1234567890", 2, ("easy to guess", "two words")),
    "this machine by another of its names": Mistake("hub = localhost.localdomain", 1, ("10.42.0.1",)),
    "a PIN that repeats itself": Mistake("role = hub\r\npin = 4711 4711", 2, ("easy to guess", "two words")),
    "one word as PIN": Mistake("role = hub\r\npin = password", 2, ("easy to guess", "two words")),
    "one word with the year as PIN": Mistake("role = hub\r\npin = Roundtap2026", 2, ("easy to guess", "two words")),
    "a row of keys as PIN": Mistake("role = hub\r\npin = qwertzuiop", 2, ("easy to guess", "two words")),
    "the same word twice as PIN": Mistake("role = hub\r\npin = hub hub hub", 2, ("easy to guess", "two words")),
    "a masked PIN": Mistake("role = hub\r\npin = ********", 2, ("easy to guess",)),
    "a short PIN": Mistake("role = hub\r\npin = 4711", 2, ("8 to 64",)),
    "a PIN with accents, saved as ANSI": Mistake(
        f"role = hub\r\npin = Größe {SECRET}".encode("cp1252"), 2, ("pin: letters beyond a to z", "UTF-8")
    ),
    "a Polish PIN, saved as ANSI": Mistake(
        f"rola = hub\r\npin = żółw {SECRET}".encode("cp1250"), 2, ("pin: letters beyond a to z", "UTF-8")
    ),
    "an empty PIN": Mistake("role = hub\r\npin =", 2, ("eight digits or some words",)),
    # Ways in.
    "a plain password": Mistake("user = tom\r\npassword_hash = Geheim-4711", 2, ("openssl passwd -6",)),
    "an old hash": Mistake("password_hash = $1$salt$" + "a" * 22, 1, ("openssl passwd -6",)),
    "a hash that is cut off": Mistake("password_hash = $6$salt$" + "a" * 80, 1, ("openssl passwd -6",)),
    "the private key": Mistake("ssh_key = -----BEGIN OPENSSH PRIVATE KEY-----", 1, (".pub", "ssh-ed25519")),
    "the key's file": Mistake("ssh_key = C:\\Users\\Tom\\.ssh\\id_ed25519.pub", 1, (".pub", "ssh-ed25519")),
    "a key that is cut off": Mistake("ssh_key = ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAb0", 1, (".pub",)),
    "a fingerprint for a key": Mistake("ssh_key = SHA256:" + "a" * 43, 1, (".pub", "ssh-ed25519")),
    "root as user": Mistake("user = root", 1, ("lowercase letters", "root")),
    **{
        f"the system's account {name} as user": Mistake(f"user = {name}", 1, ("lowercase letters", "root"))
        for name in ("games", "mail", "backup", "www-data")
    },
    "a user's full name": Mistake("user = Tom Müller", 1, ("lowercase letters",)),
    "a user without a way in": Mistake("role = table\r\nuser = tom", 2, ("ssh_key", "password_hash")),
    # Lines that do not go together.
    "hotspot and Wi-Fi together": Mistake(
        f"role = hub\r\nwifi = S\r\nwifi_password = {SECRET}\r\ncountry = DE\r\nhotspot = yes", 5, ("Put # before",)
    ),
    "a hotspot at a table": Mistake("role = table\r\nhotspot = Roundtap", 2, ("role = hub",)),
    "a printer at a table": Mistake("role = table\r\nprinter = epson-80", 2, ("role = hub, printer",)),
    "a printer's port at a wall": Mistake("role = wall\r\nport = /dev/usb/lp0", 2, ("role = hub, printer",)),
    "a board at a wall": Mistake("Rolle = Beamer\r\nPlatine = recommended", 2, ("role = hub, table",)),
    "a PIN without a role": Mistake(f"pin = {SECRET}", 1, ("with role = table", "for role = hub")),
    "the hub's address at the hub": Mistake("role = hub\r\nhub = 10.42.0.1", 2, ("table, printer, wall",)),
    "a standby without its key": Mistake("language = de\r\nrole = standby", 2, ("standby.toml", "Units and keys")),
    "a standby's key with letters that no key has": Mistake(
        "role = standby",
        1,
        ("standby.toml cannot be used", "hexadecimal", "Units and keys"),
        {"standby.toml": STANDBY.replace(b"7f3a", b"zzzz")},
    ),
    "half of a standby's key": Mistake(
        "role = standby",
        1,
        ("standby.toml cannot be used", "standby-1"),
        {"standby.toml": STANDBY.replace(b"7f3a" * 8, b"")},
    ),
    "a standby's file saved as Unicode": Mistake(
        "role = standby",
        1,
        ("standby.toml cannot be used",),
        {"standby.toml": b"\xff\xfe" + STANDBY.decode().encode("utf-16-le")},
    ),
    # How it was saved.
    "saved by WordPad": Mistake(b"{\\rtf1\\ansi\\deff0 role = hub\\par}", 0, ("Notepad", ".txt")),
    "saved by Word": Mistake(b"PK\x03\x04\x14\x00\x06\x00[Content_Types].xml", 0, ("Notepad", ".txt")),
    "saved with a hidden ending": Mistake(
        "#role = table",
        0,
        ("roundtap.txt.txt is not read", "Rename it to roundtap.txt."),
        {"roundtap.txt.txt": b"role = hub"},
    ),
    "a numbered copy": Mistake(
        "#role = table", 0, ("roundtap (1).txt", "Rename it to roundtap.txt."), {"roundtap (1).txt": b"role=hub"}
    ),
    "saved with another ending": Mistake(
        "#role = table", 0, ("roundtap.cfg", "Rename it to roundtap.txt."), {"roundtap.cfg": b"role = hub"}
    ),
    "saved without an ending": Mistake("", 0, ("roundtap is not read", "roundtap.txt"), {"roundtap": b"role = hub"}),
    "a slip in the file's name": Mistake(
        "", 0, ("rountap.txt", "Rename it to roundtap.txt."), {"rountap.txt": b"role = hub"}
    ),
    "a name in two words": Mistake("", 0, ("Round Tap.txt", "roundtap.txt."), {"Round Tap.txt": b"role = hub"}),
    "saved in the folder beside": Mistake(
        "#role = table", 0, ("overlays/roundtap.txt", "beside config.txt"), {"overlays/roundtap.txt": b"role = hub"}
    ),
    "saved in the kit's own folder": Mistake(
        "", 0, ("roundtap/roundtap.txt", "beside config.txt"), {"roundtap/roundtap.txt": b"role = hub"}
    ),
    "a slip in a file that Notepad saved as Unicode": Mistake(
        b"\xff\xfe" + "# für den Hub\r\nrole = hib".encode("utf-16-le"), 2, ("Did you mean “hub”?",)
    ),
    "a slip in a file with a byte order mark": Mistake(b"\xef\xbb\xbfrole = hib\r\n", 1, ("Did you mean “hub”?",)),
    "smart quotes around a slip": Mistake("role = „Tissch“", 1, ("Did you mean “table”?",)),
    # What strangers wrote, who had ADMIN and the card's own file alone.
    "the # is still there": Mistake(
        "#role = hub\n#wifi = Brettspielhafen\n#wifi_password = Meeple-2024\n", 1, ("Remove the #",)
    ),
    "the # is still there, with a space": Mistake("language = de\n# role = printer\n", 2, ("Remove the #",)),
    "JSON": Mistake('{\n  "role": "hub",\n  "language": "de"\n}\n', 2, ("Did you mean “hub”?",)),
    "two settings on one line": Mistake("role = hub, language = de\n", 1, ("hub, table",)),
    "two settings on one line, blanks between": Mistake(
        "role=printer language=pl\n", 1, ("role = printer language=pl",)
    ),
    "a tab only": Mistake("role\thub\n", 1, ("“role” has no “=”",)),
    "a list of YAML's": Mistake("roundtap:\n  - role hub\n  - language de\n", 1, ("Known names",)),
    "angle brackets, as in XML": Mistake("<role>wall</role>\n", 1, ("role = table",)),
    "a Cyrillic letter in the key": Mistake("rоle = hub\n", 1, ("Did you mean “role”?",)),
    "a shell's line": Mistake("export role hub\n", 1, ("role = table",)),
    "a value in the next line": Mistake("role =\nhub\n", 1, ("role = table",)),
    "saved by an older WordPad": Mistake(
        b"{\\rtf1\\ansi\\deff0 {\\fonttbl {\\f0 Calibri;}}\\f0\\fs22 role = hub\\par language = de\\par }",
        0,
        ("Notepad",),
    ),
    "two roles with and": Mistake("role = hub and printer\n", 1, ("hub, table",)),
    "a role that is not there": Mistake("rolle = Kasse\n", 1, ("hub, table",)),
    "a role with a number behind it": Mistake("role = table 7\n", 1, ("Did you mean “table”?",)),
    "a password of seven characters": Mistake(
        "country = ES\nwifi = Cafe\nwifi_password = meeple1\n",
        3,
        (
            "7 characters",
            "8 to 63",
        ),
    ),
    "a password of 70 characters": Mistake(
        "country = ES\nwifi = Cafe\nwifi_password = 01234567890123456789012345678901234567890123456789012"
        "34567890123456789\n",
        3,
        ("70 characters",),
    ),
    "a network's name of 41 characters": Mistake(
        "country = ES\nwifi = La cafetería de los juegos de mesa, sala 2\nwifi_password = meeple-123\n",
        2,
        ("at most 32 bytes",),
    ),
    "a password with letters no router takes": Mistake(
        "country = PL\nwifi = Sklep\nwifi_password = zażółć-gęślą\n",
        3,
        (
            "contains ż",
            "US keyboard",
        ),
    ),
    "a country's three letters": Mistake(
        "wifi = Cafe\nwifi_password = meeple-123\ncountry = ESP\n", 3, ("two letters",)
    ),
    "a dialling code": Mistake("wifi = Cafe\nwifi_password = meeple-123\ncountry = +34\n", 3, ("two letters",)),
    "a network for the hub": Mistake("role = table\nhub = 192.168.178.0/24\n", 2, ("10.42.0.1",)),
    "a MAC address": Mistake("role = table\nhub = DC:A6:32:1B:7F:04\n", 2, ("10.42.0.1",)),
    "a Windows address of a page": Mistake(
        "role = wall\nhub = http:\\\\192.168.178.20\\wall\n", 2, ("roundtap.local",)
    ),
    "all lines of a private key": Mistake(
        "role = hub\nssh_key = -----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n"
        "-----END OPENSSH PRIVATE KEY-----\n",
        2,
        (".pub",),
    ),
    "a key of two lines": Mistake(
        "role = hub\nssh_key = ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA\nIJd4yRrW3k7m1eW1Xb0m5cS3mW1V7q8m1u6h"
        "2o0Yb5lK tom@laptop\n",
        2,
        (".pub",),
    ),
    "a password where its hash belongs": Mistake(
        "role = hub\nuser = tom\npassword_hash = Meeple-2024\n", 3, ("openssl passwd -6",)
    ),
    "a user with a space": Mistake(
        "role = hub\nuser = Tom Berg\nssh_key = ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJd4yRrW3k7m1eW1Xb0m5"
        "cS3mW1V7q8m1u6h2o0Yb5lK tom@laptop\n",
        2,
        ("lowercase letters",),
    ),
    "a printer by its box": Mistake("role = printer\nprinter = Epson TM-m30III\n", 2, ("Did you mean “epson-t88”?",)),
    "a port of Windows": Mistake("role = printer\nprinter = epson-80\nport = USB001\n", 3, ("/dev/ttyUSB0",)),
    "an hour instead of a zone": Mistake("role = hub\ntimezone = GMT+1\n", 2, ("Use a name like",)),
    "a city that has no zone": Mistake("role = hub\ntimezone = Europe/Munich\n", 2, ("Europe/",)),
    "a board's file that is not there": Mistake(
        "role = table\nboard = my-wires.toml\n", 2, ("not beside roundtap.txt",)
    ),
    "a board's file with a table that no board has": Mistake(
        "role = table\nboard = my-wires\n",
        2,
        ("my-wires.toml",),
        {"my-wires.toml": b'like = "recommended"\n\n[display]\naddress = "0x78"\n'},
    ),
    "an address without its colon": Mistake("role = table\nhub = http//10.42.0.1", 2, ("10.42.0.1",)),
    "an answer for an address": Mistake("role = table\nhub = yes", 2, ("10.42.0.1",)),
    "hyphens in an address": Mistake("role = table\nhub = 10-42-0-1", 2, ("10.42.0.1",)),
    "an address whose end is left open": Mistake("role = table\nhub = 192.168.178.xx", 2, ("10.42.0.1",)),
    "a person at the hub": Mistake("role = table\nhub = tom@10.42.0.1", 2, ("10.42.0.1",)),
    "a service's name for the hub": Mistake("role = table\nhub = _roundtap._tcp.local", 2, ("10.42.0.1",)),
    "a folder of printers": Mistake("role = printer\nport = /dev/usb", 2, ("/dev/usb/lp0",)),
    **{
        f"{port} as a printer": Mistake(f"role = printer\nport = {port}\n", 2, ("/dev/ttyUSB0",))
        for port in (
            *("/dev/serial/by-id", "/dev/serial/by-path/", "/dev/ttyACM", "/dev/ttyAMA/", "/dev/ttyS", "/dev/stdout"),
            *("/dev/stdin", "/dev/stderr", "/dev/fd/0", "/dev/fd", "/dev/shm", "/dev/shm/x", "/dev/watchdog"),
            *("/dev/watchdog0", "/dev/video0", "/dev/ttyprintk", "/dev/uinput", "/dev/uhid", "/dev/vcs", "/dev/vcs1"),
            *("/dev/vcsa", "/dev/vcsu2", "/dev/rtc", "/dev/rtc0", "/dev/vchiq", "/dev/vcio", "/dev/media1"),
            *("/dev/usb/hiddev0", "/dev/hwrng", "/dev/fuse", "/dev/log", "/dev/cec0", "/dev/rfkill", "/dev/port"),
            *("/dev/zram0", "/dev/sg1", "/dev/block/8:0", "/dev/char/4:1", "/dev/mqueue", "/dev/vhost-net"),
        )
    },
    **{
        f"{place} as the hub": Mistake(f"role = table\nhub = {place}\n", 2, ("10.42.0.1",))
        for place in (
            "10.42.0.0",
            "10.42.0.255",
            "http://10.42.0.255:8080",
            "10.42.o.1",
            "10.42.0.l",
            "10.x.0.1",
            "1.2",
        )
    },
    "half a port": Mistake("role = printer\nport = /dev/ttyUSB", 2, ("/dev/ttyUSB0",)),
    "a port on the bus": Mistake("role = printer\nport = /dev/bus/usb/001/004", 2, ("/dev/usb/lp0",)),
    "a folder of serial ports": Mistake("role = printer\nport = /dev/serial/", 2, ("/dev/ttyUSB0",)),
    "a word before a row of digits": Mistake("role = hub\npin = PIN 12345678", 2, ("easy to guess",)),
    "a role that is only noted": Mistake(
        "wifi = S\ncountry = DE\nwifi_password = Meeple-2024\n#role: Drucker", 4, ("Remove the #",)
    ),
}


@pytest.fixture(autouse=True)
def in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUNDTAP_LANG", "en")


def checked(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    code = main(["card", "--check", str(path)])
    said, wrong = capsys.readouterr()
    assert wrong == ""
    lines = said.splitlines()
    # Where nothing is to correct, the last line says what the machine becomes.
    assert code or re.fullmatch("This machine is .+", lines.pop())
    return code, lines


@pytest.mark.parametrize("name", MISTAKES)
def test_the_desk_tells_a_mistake_with_its_line_and_what_would_be_right(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mistake = MISTAKES[name]
    path = mistake.save(tmp_path)
    place = f"roundtap.txt, line {mistake.line}: " if mistake.line else "roundtap.txt: "
    code, lines = checked(path, capsys)
    assert code == 2
    assert any(line.startswith(place) and all(words in line for words in mistake.told) for line in lines), lines
    assert SECRET not in "".join(lines)


@pytest.mark.parametrize("name", MISTAKES)
def test_the_first_start_tells_the_same_in_four_languages(name: str, tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, b"")
    MISTAKES[name].save(tmp_path / "boot/firmware")
    notes = apply_settings(machine).notes
    assert MISTAKES[name].line in {note.line for note in notes}
    for language in LANGUAGES:
        texts = [note.text(catalogue("roundtap", language)) for note in notes]
        assert not any("{" in text or SECRET in text for text in texts)


@pytest.mark.parametrize("name", MISTAKES)
def test_no_mistake_leaves_a_service_with_a_file_that_it_cannot_read(name: str, tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, b"")
    MISTAKES[name].save(tmp_path / "boot/firmware")
    apply_settings(machine)
    etc = tmp_path / "etc/roundtap"
    assert read_table_config(etc / "table.toml").board.name
    assert read_panel_config(etc / "panel.toml").board.name
    assert read_station_config(etc / "station.toml").file_settings.printer == "epson-80"
    if (etc / "wall.env").exists():
        parse_endpoint((etc / "wall.env").read_text().partition('"')[2].strip('"\n'))


def test_there_are_a_hundred_mistakes_and_fifteen_right_files() -> None:
    assert (len(MISTAKES) >= 100, len(RIGHT) >= 15) == (True, True)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_file_gets_no_note_on_the_desk_nor_at_the_first_start(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, beside = RIGHT[name]
    mistake_free = Mistake(text, 0, (), beside)
    (tmp_path / "desk").mkdir()
    assert checked(mistake_free.save(tmp_path / "desk"), capsys) == (0, ["roundtap.txt: no errors."])
    machine, _ = machine_in(tmp_path / "machine", b"")
    mistake_free.save(tmp_path / "machine/boot/firmware")
    assert apply_settings(machine).notes == ()
    # Once its passwords are taken over, too.
    assert apply_settings(machine).notes == ()
    assert checked(tmp_path / "machine/boot/firmware" / FILE, capsys)[0] == 0


@pytest.mark.parametrize(
    ("board", "told"),
    [
        (b"buzzer_active_low = true", ("pins.buzzer", "GPIO 12", "3.3 V")),
        (b"lamps_active_low = true", ("pins.lamp_a", "GPIO 13", "3.3 V")),
        (b"[pins]\r\nlamp_b = 6", ("pins.lamp_b", "GPIO 6", "GND")),
    ],
)
def test_a_board_whose_buzzer_would_whistle_from_power_on_is_used_and_told(
    board: bytes, told: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    early = Mistake("role = table\r\nboard = our-box.toml", 2, (), {"our-box.toml": board})
    code, lines = checked(early.save(tmp_path), capsys)
    assert (code, lines[0].startswith("roundtap.txt, line 2: our-box.toml: ")) == (2, True)
    assert any(all(words in line for words in (*told, "10 kΩ", "held_off = true")) for line in lines), lines
    machine, _ = machine_in(tmp_path / "machine", b"")
    early.save(tmp_path / "machine/boot/firmware")
    notes = apply_settings(machine).notes
    for language in LANGUAGES:
        texts = [note.text(catalogue("roundtap", language)) for note in notes]
        assert any(all(words in text for words in (*told, "10 kΩ", "held_off = true")) for text in texts)
    assert "our-box.toml" in (tmp_path / "machine/etc/roundtap/table.toml").read_text()


def test_the_password_of_another_network_does_not_count_for_this_one(tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, f"wifi = Store\ncountry = DE\nwifi_password = {SECRET}\n")
    assert apply_settings(machine).notes == ()
    path = tmp_path / "boot/firmware" / FILE
    path.write_text(path.read_text().replace("Store", "Other"))
    assert [(note.line, note.key) for note in apply_settings(machine).notes] == [(1, "wifi_open")]


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("comment", f"wifi_password = {SECRET} # upstairs"),
        ("comment", f"wifi_password = {SECRET} #upstairs"),
        ("comment", f"wifi_password = {SECRET} ;upstairs"),
        ("open_quote", f'wifi_password = "{SECRET}'),
        ("open_quote", f"wifi_password = „{SECRET}"),
        ("guessed", f"pin = Größe {SECRET}"),
    ],
)
def test_a_secret_that_may_be_meant_otherwise_is_neither_used_nor_wiped(tmp_path: Path, key: str, line: str) -> None:
    encoding = "cp1252" if key == "guessed" else "utf-8"
    text = f"role = hub\nwifi = Store\ncountry = DE\n{line}\n".encode(encoding)
    machine, _ = machine_in(tmp_path, text)
    for _ in range(2):
        assert (4, key) in [(note.line, note.key) for note in apply_settings(machine).notes]
    assert (tmp_path / "boot/firmware" / FILE).read_bytes() == text
    assert not saved_passwords(machine)
    # The hub has one by chance instead.
    assert not verify_pin(SECRET, (tmp_path / "var/lib/roundtap/pin").read_text())


def test_a_password_is_wiped_from_a_polish_file_saved_as_ansi(tmp_path: Path) -> None:
    """Its key's line alone would be read in another code page than the whole file."""
    rest = "# Kawiarnia\r\nkraj = PL\r\nwifi = Pod Różą\r\n".encode("cp1250")
    machine, _ = machine_in(tmp_path, rest + f"Hasło-WiFi = {SECRET}\r\n".encode("cp1250"))
    assert apply_settings(machine).notes == ()
    assert saved_passwords(machine) == {"Pod Różą": SECRET}
    raw = (tmp_path / "boot/firmware" / FILE).read_bytes()
    assert SECRET.encode() not in raw
    assert raw.startswith(rest + b"# wifi_password: taken over")
    assert apply_settings(machine).notes == ()


def test_the_desk_s_file_may_have_any_name_and_has_to_be_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "for table 7.txt").write_text("role = tabel")
    assert checked(tmp_path / "for table 7.txt", capsys)[1][0].startswith("for table 7.txt, line 1: ")
    assert main(["card", "--check", str(tmp_path / "none.txt")]) == 2
    assert "none.txt" in capsys.readouterr().err
