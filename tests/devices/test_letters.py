"""Names of every script: drawn, shaped and turned, within their line, and never an empty box."""

import pytest
from PIL import Image, ImageDraw, features

from every_script import ALL, EAST_ASIAN, EMOJI, RIGHT_TO_LEFT, chinese_letters, right_to_left
from roundtap_devices import letters
from roundtap_devices.letters import draw_text, load_font, look_alike, text_width

SIZES = (9, 10, 11, 12, 13, 14, 19, 21, 24, 40)


@pytest.fixture
def without_packages(monkeypatch):
    """A machine that has neither the font nor the library."""
    monkeypatch.setattr(letters, "EAST_ASIAN_FONT", "/nowhere/font.ttc")
    monkeypatch.setattr(features, "check", lambda feature: False)
    caches = [each for each in vars(letters).values() if hasattr(each, "cache_clear")]
    for each in caches:
        each.cache_clear()
    yield
    for each in caches:
        each.cache_clear()


def drawn(text: str, size: int, bold: bool = False, anchor: str = "l") -> tuple[Image.Image, tuple[int, int, int, int]]:
    """The text in the middle of a sheet, and its ink's box from the left end of its baseline."""
    image = Image.new("1", (2400, 200))
    draw_text(ImageDraw.Draw(image), 1000, 100, text, size, bold, anchor=anchor)
    left, top, right, bottom = image.getbbox() or (1000, 100, 1000, 100)
    return image, (left - 1000, top - 100, right - 1000, bottom - 100)


def line_of(size: int, bold: bool) -> tuple[int, int]:
    """The rows that a line's letters may take, from its baseline."""
    _, (_, top, _, bottom) = drawn("ŹŻg", size, bold)
    return top, bottom


def has_a_box(text: str, size: int) -> bool:
    """Whether a font's sign for a letter that it lacks stands anywhere in the text as drawn."""
    runs, _ = letters._layout(text, size, False, False)
    for run in runs:
        missing = bytes(run.font.getmask("\u0378"))
        # Right to left a letter is drawn in another form than alone: that it has a glyph is enough.
        if any(bytes(run.font.getmask(letter)) == missing for letter in run.letters):
            return True
    return False


@pytest.mark.parametrize("name", [*ALL, "● Łukasz Żak", "✓ Ærøskøbing", "Ана Ђорђевић"])
@pytest.mark.parametrize("bold", [False, True])
def test_a_name_is_drawn_whole_within_its_line(name: str, bold: bool) -> None:
    for size in SIZES:
        _, (left, top, right, bottom) = drawn(name, size, bold)
        highest, lowest = line_of(size, bold)
        assert right - left >= size // 3
        assert highest <= top
        assert bottom <= lowest
        assert left >= -1, "DejaVu's own letters reach a pixel to the left, too"
        assert right <= text_width(name, size, bold) + 1
        assert not has_a_box(name, size)


@chinese_letters
def test_letters_of_two_scripts_stand_beside_each_other() -> None:
    for text in ("● 王小明", "王小明 (2)", "Ana 王", "王Ana明"):
        assert text_width(text, 12) == sum(run.advance for run in letters._layout(text, 12, False, False)[0])
        for anchor, place in (("m", text_width(text, 12) // 2), ("r", text_width(text, 12))):
            assert drawn(text, 12, anchor=anchor)[1][0] == drawn(text, 12)[1][0] - place


@chinese_letters
def test_twelve_pixels_are_enough_to_tell_letters_of_many_strokes_apart() -> None:
    pictures = {drawn(letter, 12)[0].tobytes() for letter in "邊邉辺渡度憂優"}
    assert len(pictures) == 7


@right_to_left
def test_arabic_is_joined_and_hebrew_begins_at_the_right() -> None:
    image, (left, top, right, bottom) = drawn("محمد", 24)
    name = image.crop((1000 + left, 100 + top, 1000 + right, 100 + bottom))
    assert all(name.crop((x, 0, x + 1, name.height)).getbbox() for x in range(name.width)), "no gap between letters"
    image, (left, _, right, _) = drawn("דן", 24)
    first = drawn("ד", 24)[0].crop((1000, 0, 1200, 200)).getbbox()
    assert first
    last_letters = image.crop((1000 + right - (first[2] - first[0]), 0, 1000 + right, 200))
    assert last_letters.tobytes() == drawn("ד", 24)[0].crop((1000 + first[0], 0, 1000 + first[2], 200)).tobytes()


@right_to_left
def test_a_name_from_right_to_left_turns_nothing_around_it() -> None:
    for text, kinds in (
        ("● محمد علي (2)", "prn"),
        ("محمد – דוד", "rnr"),
        ("Ana 2:1 محمد", "pr"),
        ("م. ع.", "r"),
        ("محمد…", "r"),
    ):
        found = [kind for kind, _ in letters._split(text, False)]
        assert "".join(found) == kinds, text
        assert "".join(piece for _, piece in letters._split(text, False)) == text


def test_an_emoji_is_one_neutral_sign_whatever_it_is_made_of() -> None:
    for name, shown in (*zip(EMOJI, ("☺", "☺ Ana", "Bo ☺", "1", "☺", "☺"), strict=True), ("★ Ana", "★ Ana")):
        assert "".join(piece for _, piece in letters._split(name, False)) == shown
        assert drawn(name, 12)[0].tobytes() == drawn(shown, 12)[0].tobytes()


def test_two_who_look_alike_are_known_as_such() -> None:
    assert look_alike("😀", "🤖")
    assert look_alike("Ana 🔥", "ana 🚀")
    assert not look_alike("Ana", "Bo")
    assert not look_alike("Ana 🔥", "Ana")


@pytest.mark.usefixtures("without_packages")
@pytest.mark.parametrize("name", [*EAST_ASIAN, *RIGHT_TO_LEFT, *EMOJI])
def test_without_font_and_library_there_is_a_sign_and_no_box(name: str) -> None:
    for size in SIZES:
        _, (left, _, right, _) = drawn(name, size)
        assert right > left
        assert not has_a_box(name, size)


@pytest.mark.usefixtures("without_packages")
def test_without_the_font_all_its_names_look_alike() -> None:
    assert look_alike("王小明", "김민수")
    assert not look_alike("王小明", "Ana")


def test_what_was_drawn_before_is_drawn_as_before() -> None:
    """DejaVu's own letters, at all three anchors, dot by dot."""
    for text in ("● Aleksandra Wiśniewska (2)", "▲▼   ■ OK", "24:100", "Drop: hold ●+▼ …", ""):
        for anchor in "lmr":
            image = Image.new("1", (2400, 200))
            pen = ImageDraw.Draw(image)
            pen.fontmode = "1"
            pen.text((1000, 100), text, font=load_font(13), fill=1, anchor=f"{anchor}s")
            assert image.tobytes() == drawn(text, 13, anchor=anchor)[0].tobytes()
        assert text_width(text, 13) == -int(-load_font(13).getlength(text, mode="1") // 1)
