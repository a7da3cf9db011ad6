"""The station's configuration: read whole, or refused with the place and what would be right."""

import argparse

import pytest

from roundtap_core.command_arguments import add_arguments
from roundtap_units.station.main import ConfigError, read_station_config, run
from roundtap_units.unit_arguments import ARGUMENTS

GOOD = f'unit = "station-1"\nkey = "{"ab" * 32}"\nhub = "http://10.42.0.1:8080"\nfolder = "/var/lib/roundtap"\n'


def test_a_small_file_is_enough(tmp_path):
    path = tmp_path / "station.toml"
    path.write_text(GOOD)
    config = read_station_config(path)
    assert (config.hubs, config.printer, config.baud, config.flow, config.device) == (
        (("10.42.0.1", 8080),),
        "epson-80",
        0,
        "",
        "auto",
    )


def test_a_hub_may_have_others_beside_it(tmp_path):
    path = tmp_path / "station.toml"
    path.write_text(GOOD.replace('"http://10.42.0.1:8080"', '["http://10.42.0.1:8080", "http://standby"]'))
    config = read_station_config(path)
    assert config.hubs == (("10.42.0.1", 8080), ("standby", 80))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (GOOD.replace("station-1", ""), "unit: must be a text; otherwise remove the line"),
        (GOOD.replace('unit = "station-1"', ""), "unit is missing: a key needs its unit's name"),
        (GOOD + 'local = "yes"', "local: must be true or false, not 'yes'"),
        (GOOD.replace('"http://10.42.0.1:8080"', '["http://10.42.0.1:8080", 5]'), "or a list of them, not 5"),
        (GOOD.replace("8080", "80800000"), "or a list of them, not 'http://10.42.0.1:80800000'"),
        (GOOD.replace("abab", "xy"), "key: must be 64 hex digits"),
        (GOOD.replace("http", "ftp"), 'hub: must be an address like "http://10.42.0.1:8080"'),
        (GOOD + 'baud = "fast"', "baud: must be a whole number, not 'fast'"),
        (GOOD + "baud = 9601", "baud: must be one of 1200, 2400, 4800, 9600"),
        (GOOD + 'flow = "dsrdtr"', "flow: must be one of none, rtscts, xonxoff, not 'dsrdtr'"),
        (GOOD + "flow = 1", "flow: must be a text, not 1"),
        (GOOD + 'language = "xx"', "language: must be one of en, es, de, pl"),
        (GOOD + "bauds = 9600", "bauds: unknown; known are unit, key, hub"),
        ("unit", "not a TOML file"),
    ],
)
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
    add_arguments(parser, ARGUMENTS["station"])
    assert run(parser.parse_args([str(path)])) == 2
    assert "laser: no such printer: name one of epson-80" in capsys.readouterr().err
