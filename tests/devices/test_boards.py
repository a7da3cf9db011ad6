"""Boards: the three known ones, a soldered one from TOML, and what is said about a wrong file."""

import pytest

from roundtap_devices import boards
from roundtap_devices.boards import BoardError, load_board, parse_board


def test_the_recommended_board_has_four_buttons_and_faces_two_people():
    made = load_board("recommended")
    assert set(made.pins.keys()) == {"a", "b", "up", "down"}
    assert (made.screen.driver, made.facing) == ("ssd1309", "opposite")


@pytest.mark.parametrize("name", ["adafruit-oled-bonnet", "waveshare-oled-hat"])
def test_the_ready_made_boards_are_read_from_the_edge_and_have_a_call_key(name):
    made = load_board(name)
    assert made.facing == "edge"
    assert made.pins.call is not None
    assert made.joystick


@pytest.mark.parametrize("made", boards.BOARDS.values(), ids=lambda made: made.name)
def test_every_known_board_passes_its_own_check(made):
    assert parse_board(f'like = "{made.name}"') == made


@pytest.mark.parametrize("bus", boards.BUSES)
def test_the_recommended_board_takes_a_screen_on_either_bus(bus):
    assert parse_board(f'[screen]\nbus = "{bus}"').pins == boards.RECOMMENDED.pins


def test_nothing_of_the_recommended_board_stands_on_a_pin_that_a_bus_of_the_pi_wants():
    # https://pinout.xyz: ID EEPROM 0 1, I2C1 2 3, 1-Wire 4, SPI0 7 to 11, UART 14 15.
    wanted = {0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 14, 15}
    pins = boards.RECOMMENDED.pins
    assert not wanted & {*pins.keys().values(), *pins.signals().values()}


def test_no_light_or_buzzer_stands_on_a_pin_that_is_pulled_up_at_power_on():
    # BCM2835 ARM Peripherals, table 6-31: GPIO 0 to 8 are pulled high at reset.
    assert min(boards.RECOMMENDED.pins.signals().values()) > 8


def test_a_lamp_from_the_supply_to_its_pin_shines_while_the_pin_is_low():
    made = parse_board("lamps_active_low = true")
    assert [made.low_is_on(name) for name in ("lamp", "lamp_a", "lamp_b", "buzzer")] == [True, True, True, False]


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("", []),
        ("buzzer_active_low = true", [("buzzer", 12, "3.3 V")]),
        ("lamps_active_low = true", [("lamp", 26, "3.3 V"), ("lamp_a", 13, "3.3 V"), ("lamp_b", 16, "3.3 V")]),
        ("[pins]\nbuzzer = 8", [("buzzer", 8, "GND")]),
        ("[pins]\nbuzzer = 9", []),
        ("buzzer_active_low = true\n[pins]\nbuzzer = 8", []),
    ],
)
def test_what_a_pin_s_pull_at_reset_turns_on_is_known_by_the_board(text, on):
    assert parse_board(text).on_at_reset() == on
    assert parse_board(f"held_off = true\n{text}").on_at_reset() == []


def test_a_board_of_ones_own(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('name = "mine"\nactive_low = false\n[pins]\na = 5\n[screen]\ni2c_address = 0x3D\nrotation = 180\n')
    made = load_board(str(file))
    assert (made.name, made.active_low, made.pins.a, made.pins.b) == ("mine", False, 5, 27)
    assert (made.screen.i2c_address, made.screen.rotation) == (0x3D, 180)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[pins]\nup = 40", "board.toml: pins.up: 40 is not a BCM pin (0 to 27)"),
        ("[pins]\nup = 17", "board.toml: pins.up: pin 17 is already used by pins.a"),
        ("[pins]\na = 2", "board.toml: pins.a: pin 2 is already used by screen (I2C SDA)"),
        ("[pins]\na = 1", "board.toml: pins.a: pin 1 is reserved as ID_SC; use another pin"),
        ("[pins]\nlamp = 14", "board.toml: pins.lamp: pin 14 is reserved as UART TXD; use another pin"),
        ('[screen]\nbus = "spi"\n[pins]\ncall = 7', "board.toml: pins.call: pin 7 is already used by screen (SPI CE1)"),
        ('[screen]\nbus = "spi"\ndc = 9', "board.toml: screen.dc: pin 9 is already used by SPI MISO"),
        ('[screen]\nbus = "spi"\nreset = 24', "board.toml: screen.reset: pin 24 is already used by screen.dc"),
        ("lamps_active_low = 1", "board.toml: lamps_active_low: 1 should be true or false"),
        (
            "[pins]\nleft = 4",
            "board.toml: pins.left: unknown key; known are a, b, up, down, call, lamp, lamp_a, lamp_b, buzzer",
        ),
        ('[pins]\na = "4"', "board.toml: pins.a: 4 should be a whole number"),
        ("[pins]\na = true", "board.toml: pins.a: True should be a whole number"),
        ("pins = 4", "board.toml: pins: 4 should be a table"),
        ('facing = "up"', "board.toml: facing: up is not one of opposite, edge"),
        ('[screen]\ndriver = "ssd1305"', "board.toml: screen.driver: ssd1305 is not one of ssd1309, ssd1306, sh1106"),
        (
            "[screen]\ni2c_address = 300",
            "board.toml: screen.i2c_address: 0x12C is not a screen's address. Use 0x3C or 0x3D, which "
            "modules call 0x78 and 0x7A",
        ),
        ("[screen]\nrotation = 90", "board.toml: screen.rotation: 90 is not one of 0, 180"),
        (
            'like = "yours"',
            "board.toml: like: yours is not one of recommended, adafruit-oled-bonnet, waveshare-oled-hat",
        ),
    ],
)
def test_a_wrong_board_file_says_what_where_and_what_would_be_right(text, says):
    with pytest.raises(BoardError) as caught:
        parse_board(text)
    assert str(caught.value) == says


def test_a_file_in_another_encoding(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_bytes('name = "Tisch für Köln"'.encode("latin-1"))
    with pytest.raises(BoardError, match=r"mine\.toml: this is not a TOML file: .*utf-8"):
        load_board(str(file))


def test_a_file_that_notepad_begins_with_a_mark(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_bytes(b'\xef\xbb\xbffacing = "edge"\r\n')
    assert load_board(str(file)).facing == "edge"


def test_no_toml_and_no_file():
    with pytest.raises(BoardError, match="not a TOML file"):
        parse_board("pins = {")
    with pytest.raises(BoardError, match="name one of recommended"):
        load_board("nowhere")
