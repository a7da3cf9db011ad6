"""`roundtap.txt` as people write it: any editor, quotes, language; a slip is told with its line, the rest counts."""

import pytest

from roundtap.provisioning.settings_file import KEYS, PARSERS, Settings, read_settings
from roundtap_core.words import LANGUAGES, catalogue

ZONES = {"Europe/Berlin", "Europe/Madrid", "Europe/Warsaw", "America/New_York"}

FULL = """\
# What this machine is
role = hub
wifi = Café Würfel & Söhne
wifi_password = "correct horse #1"
country = DE
language = de
board = recommended
timezone = Europe/Berlin
"""
MEANT = Settings(
    role="hub",
    wifi="Café Würfel & Söhne",
    wifi_password="correct horse #1",
    country="DE",
    language="de",
    board="recommended",
    timezone="Europe/Berlin",
)


def settings(text: str | bytes) -> Settings:
    """What a file says of which nothing is to be told."""
    found, told = read_settings(text if isinstance(text, bytes) else text.encode(), lambda: ZONES)
    assert told == []
    return found


def told(text: str) -> list[tuple[int, str]]:
    return [(one.line, one.key) for one in read_settings(text.encode(), lambda: ZONES)[1]]


def english(text: str) -> list[str]:
    return [one.text(catalogue("roundtap", "en")) for one in read_settings(text.encode(), lambda: ZONES)[1]]


@pytest.mark.parametrize(
    "raw",
    [
        FULL.encode(),
        FULL.replace("\n", "\r\n").encode(),
        FULL.replace("\n", "\r").encode(),
        b"\xef\xbb\xbf" + FULL.replace("\n", "\r\n").encode(),
        b"\xff\xfe" + FULL.replace("\n", "\r\n").encode("utf-16-le"),
        b"\xfe\xff" + FULL.encode("utf-16-be"),
        FULL.encode("utf-16-le"),
        FULL.encode("utf-16-be"),
        FULL.encode("cp1252"),
    ],
    ids=["unix", "windows", "old-mac", "bom", "notepad-unicode", "big-endian", "le-no-mark", "be-no-mark", "ansi"],
)
def test_every_editor_s_way_of_saving_is_read(raw: bytes) -> None:
    assert settings(raw) == MEANT


@pytest.mark.parametrize(
    "text", ["country = PL\nwifi = Gęś", "rola = stół\ncountry = CZ\nwifi = Gęś", "country=DE\nsieć = Gęś"]
)
def test_polish_letters_of_an_old_windows_are_read_as_polish(text: str) -> None:
    assert settings(f"{text}\nwifi_password=\n".encode("cp1250")).wifi == "Gęś"


def test_an_empty_file_and_none_at_all_say_nothing() -> None:
    assert settings(b"") == settings("\n # only this\n; and that\n// this too\n[section]\n") == Settings()


@pytest.mark.parametrize(
    "line",
    [
        "role = table",
        "role=table",
        "Role: Table",
        "ROLE :table",
        "  role\t=\ttable  ",
        '"role" = "table"',
        "role = “table”",
        "role = „table“",
        "role = «table»",
        "role = table   # the one at the door",
        "Rolle = Tisch",
        "rol = mesa",
        "rola: stół",
        "role = unit",
        "\u200brole = table",
        "role\u00a0= table",
    ],
)
def test_a_line_may_be_written_in_many_ways(line: str) -> None:
    assert settings(line).role == "table"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("My = Net: 5", "My = Net: 5"),
        ('"quoted "', "quoted "),
        ("it's", "it's"),
        ('"a # b"', "a # b"),
        ("a #b", "a #b"),
        ("“typographic”", "typographic"),
        ('half"', 'half"'),
    ],
)
def test_a_wifi_s_name_is_taken_whole(said: str, name: str) -> None:
    assert settings(f"country = ES\nwifi = {said}\nwifi_password = 12345678").wifi == name


def test_what_looks_like_a_comment_is_told_and_a_name_is_still_taken_whole() -> None:
    found, said = read_settings(b"country=ES\nwifi = Shop # 2\nwifi_password = secret12 # mine", lambda: ZONES)
    assert (found.wifi, found.wifi_password) == ("Shop # 2", "")
    assert [(one.line, one.key) for one in said] == [(2, "comment"), (3, "comment")]
    assert read_settings(b"role = hub\nhotspot = no # nowhere", lambda: ZONES)[0].hotspot == ""
    assert settings('country=ES\nwifi=a\nwifi_password = "secret12 # mine"').wifi_password == "secret12 # mine"


@pytest.mark.parametrize(
    ("said", "hub"),
    [
        ("10.42.0.1", "http://10.42.0.1:8080"),
        ("http://roundtap.local", "http://roundtap.local:8080"),
        ("roundtap.local:9000", "http://roundtap.local:9000"),
        ("HTTP://Hub/", "http://hub:8080"),
        ("[fd00::1]", "http://[fd00::1]:8080"),
        ("http://10.0.0.1:80", "http://10.0.0.1:80"),
    ],
)
def test_the_hub_s_address_may_be_short(said: str, hub: str) -> None:
    assert settings(f"hub = {said}").hub == hub


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("country = Deutschland", "country", "DE"),
        ("country = uk", "country", "GB"),
        ("language = de_AT", "language", "de"),
        ("idioma = español", "language", "es"),
        ("name = Table 7", "name", "table-7"),
        ("hotspot = nein", "hotspot", "no"),
        ("timezone = europe/warsaw", "timezone", "Europe/Warsaw"),
        ("role = printer\nport = /dev/usb/lp0", "port", "/dev/usb/lp0"),
        ("role = printer\nport = usb-0416-5011", "port", "usb-0416-5011"),
        ("role = printer\nprinter = Epson-80", "printer", "epson-80"),
        ("role = hub\nhotspot = yes", "hotspot", "Roundtap"),
        ("read_only = no", "read_only", False),
        ("board = our-box.toml", "board", "our-box.toml"),
        ("ｒｏｌｅ＝ｈｕｂ", "role", "hub"),
        ("role = hub\npin = ２４６８１３５７", "pin", "24681357"),
    ],
)
def test_a_value_is_taken_as_it_was_meant(line: str, key: str, value: object) -> None:
    assert getattr(settings(line), key) == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("role", "roundtap.txt, line 1: “role” has no “=”. Write name = value, for example: role = table"),
        ("\nroel = hub", "roundtap.txt, line 2: “roel” is unknown. Did you mean “role”?"),
        ("wlan_passwrod = 12345678", "roundtap.txt, line 1: “wlan_passwrod” is unknown. Did you mean “wifi_password”?"),
        ("role = tabel", "roundtap.txt, line 1: role = tabel is unknown. Did you mean “table”?"),
        (
            "role = king",
            "roundtap.txt, line 1: role = king is unknown. Use one of these: hub, table, printer, wall, standby",
        ),
        (
            "timezone = Berlin",
            "roundtap.txt, line 1: timezone = Berlin is unknown. Use a name like Europe/Berlin, or delete the "
            "line: country sets it.",
        ),
    ],
)
def test_a_slip_is_told_with_its_line_and_what_was_meant(text: str, says: str) -> None:
    assert english(text) == [says]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("colour = blue", [(1, "unknown")]),
        ("role = hub\nrole = table", [(2, "twice")]),
        ("country = Bavaria", [(1, "country")]),
        ("name = /etc", [(1, "name")]),
        ("name = " + "a" * 33, [(1, "name")]),
        ("country = DE\nwifi = " + "ü" * 17, [(2, "ssid_long")]),
        ("wifi = Store\nwifi_password =", [(1, "no_country")]),
        ("country = DE\nwifi = Store", [(2, "wifi_open")]),
        (f"country = DE\nwifi = {'ü' * 17}\nwifi_password = 12345678", [(2, "ssid_long")]),
        ("wifi_password = 12345678", [(1, "password_alone")]),
        ("country = DE\nwifi = x\nwifi_password = short", [(3, "password_length")]),
        ("country = DE\nwifi = x\nwifi_password = it’s long enough", [(3, "password_quote")]),
        ("country = DE\nwifi = x\nwifi_password = schlüssel1", [(3, "password_sign")]),
        ("hub = https://hub", [(1, "hub")]),
        ("hub = my hub", [(1, "hub")]),
        ("hub = http://x:port", [(1, "hub")]),
        ("role = hub\npin = 1234-567", [(2, "pin_length")]),
        ("pin = 24681357", [(1, "other_role")]),
        ("port = COM3", [(1, "port")]),
        ("port = /dev/../etc/passwd", [(1, "port")]),
        ("board = ../../etc/passwd", [(1, "value")]),
        ("board = ../box.toml", [(1, "plain_name")]),
        ("role = hub\nhotspot = yes\nhotspot_password = " + "a" * 64, [(3, "password_length")]),
    ],
)
def test_what_cannot_be_taken_is_told_and_left_out(text: str, where: list[tuple[int, str]]) -> None:
    assert told(text) == where


def test_one_slip_leaves_all_other_lines_as_they_are() -> None:
    spoilt = FULL.replace("country = DE", "contry = DE").replace("role", "\x00\ufffd!!")
    found, said = read_settings(spoilt.encode(), lambda: ZONES)
    assert found.wifi_password == MEANT.wifi_password
    assert found.role == found.country == ""
    assert [one.key for one in said] == ["unknown", "no_country", "meant"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_repeats_a_password(language: str) -> None:
    secret = "geheim…"
    _, said = read_settings(
        f"wifi = a\nwifi_password = {secret}\nhotspot_password = {secret}\n{secret} = {secret}\n{secret}: 1".encode(),
        lambda: ZONES,
    )
    assert len(said) == 5
    assert secret not in "".join(one.text(catalogue("roundtap", language)) for one in said)


@pytest.mark.parametrize(
    "line", ["wifi_password geheim42", "Wi-Fi password   geheim42", "geheim42", "pin 24681357 geheim42"]
)
def test_a_line_without_its_sign_is_told_without_what_may_be_a_password(line: str) -> None:
    """What is told lies on the boot partition and in the log of the first start."""
    _, said = read_settings(f"role = table\n{line}".encode(), lambda: ZONES)
    text = said[0].text(catalogue("roundtap", "en"))
    assert (said[0].key, said[0].line) == ("no_equals", 2)
    assert "geheim" not in text
    assert "2468" not in text


def test_whatever_bytes_the_file_has_it_is_read() -> None:
    for raw in (bytes(range(256)), b"\xff\xfe\x00", b"\x00" * 50, b"role = \xff\xff", b"=" * 1000, b"wifi="):
        found, _ = read_settings(raw, lambda: ZONES)
        assert isinstance(found, Settings)


def test_every_key_has_a_field_and_a_parser_and_is_optional() -> None:
    assert set(KEYS) == set(PARSERS) == set(Settings.__dataclass_fields__)
    assert Settings() == read_settings(b"".join(f"{key} =\n".encode() for key in KEYS), lambda: ZONES)[0]


def test_a_hidden_network_without_its_name_is_told() -> None:
    assert told("wifi_hidden = yes") == [(1, "password_alone")]
    assert english("wifi_hidden = yes") == ["roundtap.txt, line 1: wifi_hidden is set, but wifi is missing."]
    assert settings("wifi_hidden = no") == Settings(wifi_hidden=False)
