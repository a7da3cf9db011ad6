"""What a unit's file may leave open: all of it. What it says and cannot mean is refused with the place."""

from pathlib import Path

import pytest

from roundtap_units.link.enrolling import EnrolledIdentity, known_identity, read_enrolled, save_enrolled
from roundtap_units.unit_config import ConfigError, read_unit_config

KEY = bytes(range(32))
GATEWAY = (("10.42.0.1", 8080),)


def test_no_file_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    nothing = {
        "unit": "",
        "key": b"",
        "hubs": (),
        "folder": Path("/var/lib/roundtap-table"),
        "language": "en",
        "local": False,
    }
    assert read_unit_config(None, (), "table") == (nothing, {})
    assert read_unit_config(tmp_path / "table.toml", ("board",), "table") == (nothing, {})


def test_systemd_says_where_the_folder_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/roundtap-table:/var/lib/more")
    assert read_unit_config(None, (), "table")[0]["folder"] == Path("/var/lib/roundtap-table")


def test_a_file_written_on_windows_that_says_only_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b'\xef\xbb\xbflanguage = "de"\r\nboard = "duo"\r\n')
    common, own = read_unit_config(path, ("board",), "table")
    assert (common["language"], own) == ("de", {"board": "duo"})


def test_a_key_without_a_name_says_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(f'key = "{KEY.hex()}"')
    with pytest.raises(ConfigError, match="unit is missing"):
        read_unit_config(path, (), "table")


def test_a_file_that_may_not_be_read_is_not_taken_for_none(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_unit_config(tmp_path, (), "table")


def test_what_the_configuration_says_counts_more_than_what_was_enrolled(tmp_path: Path) -> None:
    save_enrolled(tmp_path, EnrolledIdentity("table-7", KEY[::-1], (("10.0.0.9", 80),), "h"))
    made = known_identity("table-1", KEY, (("hub", 8080),), tmp_path, lambda: GATEWAY)
    assert (made.unit, made.key, made.endpoints, made.enrolled) == ("table-1", KEY, (("hub", 8080),), False)


def test_a_configured_key_without_a_hub_looks_where_hubs_are(tmp_path: Path) -> None:
    made = known_identity("table-1", KEY, (), tmp_path, lambda: GATEWAY)
    assert made.endpoints == GATEWAY


def test_what_was_enrolled_is_found_again_and_its_hub_may_have_moved(tmp_path: Path) -> None:
    assert known_identity("", b"", (), tmp_path) is None
    save_enrolled(tmp_path, EnrolledIdentity("table-7", KEY, (("10.0.0.9", 80),), "h"))
    made = known_identity("", b"", (), tmp_path, lambda: GATEWAY)
    assert (made.unit, made.key, made.endpoints, made.enrolled) == ("table-7", KEY, (("10.0.0.9", 80), *GATEWAY), True)
    assert (made.host, made.others) == ("10.0.0.9", GATEWAY)


def test_nobody_else_may_read_what_was_enrolled(tmp_path: Path) -> None:
    save_enrolled(tmp_path / "new", EnrolledIdentity("table-7", KEY, (("10.0.0.9", 80),), "h"))
    assert (tmp_path / "new/enrolled.json").stat().st_mode & 0o777 == 0o600
    assert read_enrolled(tmp_path / "new") == EnrolledIdentity("table-7", KEY, (("10.0.0.9", 80),), "h")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda raw: raw[:-9],
        lambda raw: raw.replace(b"table-7", b"table-8"),
        lambda _: b"{}",
        lambda _: b"",
        lambda _: b"[" * 100_000,
    ],
)
def test_a_spoilt_file_means_to_enrol_again(tmp_path: Path, spoil) -> None:  # type: ignore[no-untyped-def]
    save_enrolled(tmp_path, EnrolledIdentity("table-7", KEY, (("10.0.0.9", 80),), "h"))
    path = tmp_path / "enrolled.json"
    path.write_bytes(spoil(path.read_bytes()))
    assert known_identity("", b"", (), tmp_path) is None
