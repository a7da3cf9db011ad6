"""The station's configuration: read whole, or refused with the place and what would be right."""

from __future__ import annotations

import argparse

import pytest

from roundtap_units.station.main import ConfigError, add_arguments, read_station_config, run

GOOD = f'unit = "station-1"\nkey = "{"ab" * 32}"\nhub = "http://10.42.0.1:8080"\nfolder = "/var/lib/roundtap"\n'


def test_a_small_file_is_enough(tmp_path):
    path = tmp_path / "station.toml"
    path.write_text(GOOD)
    config = read_station_config(path)
    assert (config.hubs, config.printer, config.baud, config.flow, config.device) == (
        (("10.42.0.1", 8080),), "epson-80", 0, "", "auto")


def test_a_hub_may_have_others_beside_it(tmp_path):
    path = tmp_path / "station.toml"
    path.write_text(GOOD.replace('"http://10.42.0.1:8080"', '["http://10.42.0.1:8080", "http://standby"]'))
    config = read_station_config(path)
    assert config.hubs == (("10.42.0.1", 8080), ("standby", 80))


@pytest.mark.parametrize(("text", "says"), [
    (GOOD.replace("station-1", ""), "unit: a text is wanted, or leave the line out"),
    (GOOD.replace('unit = "station-1"', ""), "unit is missing: a key belongs to a unit's name"),
    (GOOD + 'local = "yes"', "local: true or false is wanted, not 'yes'"),
    (GOOD.replace('"http://10.42.0.1:8080"', '["http://10.42.0.1:8080", 5]'), "or a list of such, not 5"),
    (GOOD.replace("8080", "80800000"), "or a list of such, not 'http://10.42.0.1:80800000'"),
    (GOOD.replace("abab", "xy"), "key: 64 hex digits are wanted"),
    (GOOD.replace("http", "ftp"), 'hub: an address like "http://10.42.0.1:8080" is wanted'),
    (GOOD + 'baud = "fast"', "baud: a whole number is wanted, not 'fast'"),
    (GOOD + "baud = 9601", "baud: one of 1200, 2400, 4800, 9600"),
    (GOOD + 'flow = "dsrdtr"', "flow: one of none, rtscts, xonxoff is wanted, not 'dsrdtr'"),
    (GOOD + "flow = 1", "flow: a text is wanted, not 1"),
    (GOOD + 'language = "xx"', "language: one of en, es, de, pl"),
    (GOOD + "bauds = 9600", "bauds: unknown; known are unit, key, hub"),
    ("unit", "not a TOML file"),
])
def test_what_is_wrong_is_said(tmp_path, text, says):
    path = tmp_path / "station.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        read_station_config(path)
    assert says in str(error.value)


def test_an_unknown_printer_ends_the_command_with_the_reason(tmp_path, capsys):
    path = tmp_path / "station.toml"
    path.write_text(GOOD.replace("/var/lib/roundtap", str(tmp_path)) + 'printer = "laser"')
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert run(parser.parse_args([str(path)])) == 2
    assert "laser: no such printer: name one of epson-80" in capsys.readouterr().err
