"""Every pixel of every screen: names of all kinds meet nothing, nothing is cut, and letters are large enough."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from ink_reader import InkReader, ink_reader

from every_script import name_pairs
from gallery.other_rulebooks import other_rulebooks
from gallery.own_games import own_games
from gallery.table_screens import LONG, SHORT, UsualTable
from roundtap_core.words import LANGUAGES, core_words
from roundtap_devices.letters import text_width
from roundtap_units.table.screens.lettering import fit_pair, fit_text, wordings
from roundtap_units.table.screens.scenes import (
    FiguresScene,
    HalvesScene,
    Name,
    NameRow,
    Scene,
    ScoreRow,
    SideBySideScene,
    TextScene,
)
from roundtap_units.table.screens.screens import BUTTONS, LEAST, PRESS
from roundtap_units.unit_config import unit_words

FACINGS = ("opposite", "edge")
PLAYS = [(language, facing) for language in LANGUAGES for facing in FACINGS]
BADGES = ("badge.virtual", "badge.practice", "badge.fault", "badge.deaf")


def played(language: str, facing: str, names: tuple[str, str]) -> Iterator[tuple[str, Scene]]:
    yield from UsualTable(language, facing, names).everything()
    yield from other_rulebooks(language, facing, names)


def faults_of(reader: InkReader, scene: Scene, names: tuple[str, str]) -> set[str]:
    """What a reader of this scene would stumble over."""
    found, small_texts = set(), _plain(" ".join(may_be_small(scene)))
    for canvas in reader.read(scene):
        found |= set(canvas.faults())
        for text in canvas.texts:
            said = _plain(text.text)
            if text.size < LEAST:
                found.add(f"under {LEAST}: {text.text!r}")
            before, dots, _ = said.partition("…")
            shortened = dots and said not in _plain(scene.all_text())
            if shortened and not any(name.startswith(before.lstrip("●■✓ ")) for name in map(_plain, names)):
                found.add(f"shortened: {text.text!r}")
            if text.size < PRESS and not shortened and said not in small_texts:
                found.add(f"under {PRESS}: {text.text!r}")
    return found


def _plain(text: str) -> str:
    return " ".join(text.split())


def may_be_small(scene: Scene) -> Iterator[str]:
    """The texts of a scene that nobody has to read in order to press."""
    yield from ("◄ ● ■ ► ✓ – A B C D", scene.mark, scene.badge)
    if isinstance(scene, HalvesScene):
        for half in (scene.a, scene.b):
            if isinstance(half.small, ScoreRow):
                yield half.small.figures
                for name in half.small.names:
                    yield from _forms(name)
            yield half.role
            for text in (half.head, half.small, half.note):
                if isinstance(text, Name) or not any(sign in text for sign in BUTTONS) or text[0] in "●■":
                    yield from _forms(text)
    if isinstance(scene, FiguresScene):
        yield from (scene.info, scene.note, scene.clock)
        for column in (scene.left, scene.right):
            yield from _forms(column.name)
    if isinstance(scene, SideBySideScene):
        for part in (scene.a, scene.b):
            yield from (*_forms(part.head), *_forms(part.label))
    if isinstance(scene, TextScene):
        listed = any(str(line).startswith("►") for line in scene.lines)
        for line in scene.lines:
            if isinstance(line, NameRow):
                yield from (line.figure, *_forms(line.name))
            elif not listed and not any(sign in line for sign in BUTTONS):
                yield from _forms(line)


def _forms(text: str) -> Iterator[str]:
    """All its wordings; a line of a wrapped name ends at its hyphen."""
    for form in wordings(text):
        yield f"{form} {form.lstrip('●■ ')}"


def faults_in(pairs: list[tuple[str, str]], language: str, facing: str) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    seen: set[int] = set()
    with ink_reader() as reader:
        for names in pairs:
            for name, scene in played(language, facing, names):
                if hash(scene) not in seen:
                    seen.add(hash(scene))
                    found |= {(f"{language}-{facing}-{name}", fault) for fault in faults_of(reader, scene, names)}
    return found


@pytest.mark.parametrize(
    ("language", "facing"),
    [play if play[0] in ("de", "pl") else pytest.param(*play, marks=pytest.mark.long) for play in PLAYS],
)
def test_every_screen_is_readable(language: str, facing: str) -> None:
    assert faults_in([SHORT, LONG], language, facing) == set()


@pytest.mark.parametrize(("language", "facing"), PLAYS)
def test_a_store_s_own_games_are_readable_with_labels_as_long_as_they_may_be(language: str, facing: str) -> None:
    with ink_reader() as reader:
        for names in (SHORT, LONG):
            for name, scene in own_games(language, facing, names):
                assert faults_of(reader, scene, names) == set(), name


@pytest.mark.parametrize(
    "language",
    [language if language == "es" else pytest.param(language, marks=pytest.mark.long) for language in LANGUAGES],
)
def test_the_words_for_a_joystick_are_readable_too(language: str) -> None:
    with ink_reader() as reader:
        for name, scene in UsualTable(language, "edge", LONG, joystick=True).everything():
            assert faults_of(reader, scene, LONG) == set(), name


@pytest.mark.parametrize(
    ("language", "facing"), [play if play[0] == "pl" else pytest.param(*play, marks=pytest.mark.long) for play in PLAYS]
)
def test_every_badge_and_an_old_contact_leave_the_text_alone(language: str, facing: str) -> None:
    words = unit_words(language)
    corners = [("⌁ 12:05", ""), *(("", words(badge)) for badge in BADGES)]
    with ink_reader() as reader:
        for name, scene in played(language, facing, SHORT):
            for mark, badge in corners:
                assert faults_of(reader, replace(scene, mark=mark, badge=badge), SHORT) == set(), (name, mark, badge)


@pytest.mark.parametrize(("language", "facing"), PLAYS)
def test_names_of_all_kinds_meet_nothing(language: str, facing: str) -> None:
    """Each play with its own eight of 64 pairs."""
    first = PLAYS.index((language, facing))
    assert faults_in([*name_pairs(64)][first :: len(PLAYS)], language, facing) == set()


@pytest.mark.long
@pytest.mark.parametrize(("language", "facing"), PLAYS)
def test_two_thousand_pairs_of_names_meet_nothing(language: str, facing: str) -> None:
    assert faults_in([*name_pairs(2000)], language, facing) == set()


def test_the_reader_sees_what_meets_what_is_cut_and_what_lies_under_a_frame() -> None:
    with ink_reader() as reader:
        _, pen = reader.canvas(128, 64)
        for x, text in ((0, "Ana"), (10, "Bruno"), (120, "Eva"), (60, "Kai")):
            reader.string(pen, x, 20, text, 12)
        pen.rectangle([58, 15, 90, 30], outline=1)
        assert set(reader.canvases[0].faults()) == {"overlap: 'Ana' and 'Bruno'", "cut: 'Eva'", "frame over 'Kai'"}


def test_a_nickname_gets_narrow_before_it_gets_small_and_loses_letters_last() -> None:
    tried = [fit_text(Name("Xwingfan77"), wide, 15, (12, 10)) for wide in (80, 66, 53, 40)]
    assert [(fitted.lines[0], fitted.size, fitted.narrow) for fitted in tried] == [
        ("Xwingfan77", 12, False),
        ("Xwingfan77", 12, True),
        ("Xwingfan77", 10, True),
        ("Xwingf…", 10, True),
    ]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Mandalorian1", "Mandalorian2"),
        ("WWWWWWWWWW", "WWWWWWWWWM"),
        ("Commander", "Commander1"),
        ("Aleksandra Wiśniewska", "Aleksandra Wójcik"),
    ],
)
def test_two_who_are_shortened_stay_distinct(left: str, right: str) -> None:
    for wide in (104, 80, 60):
        one, two = fit_pair(left, right, wide, 15, (12, 10))
        assert one.lines != two.lines
        assert one.width + two.width + 4 <= wide
        alone = [fit_text(Name.of(name, other), wide // 2, 15, (10,)) for name, other in ((left, right), (right, left))]
        assert alone[0].lines != alone[1].lines


def test_narrow_letters_have_one_dark_column_between_them() -> None:
    assert text_width("ill", 10, narrow=True) == 5
    assert text_width("Xwingfan77", 10, narrow=True) < text_width("Xwingfan77", 10)


REASONS = (
    *("draw_before_time", "no_draws", "not_played_out", "games_unfinished", "winner_missing", "time_not_up"),
    *("winner_contradicts_score", "both_won", "conceded_after_winning", "rank_decides", "winner_concedes"),
)


@pytest.mark.parametrize("facing", FACINGS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_reads_whole_why_its_result_is_impossible(language: str, facing: str) -> None:
    numbers = {"a": 100, "b": 99, "n": 2, "right": 2, "winner": "b"}
    with ink_reader() as reader:
        for key in REASONS:
            text = core_words(language)(f"problem.{key}", **numbers)
            scene = TextScene(kind="impossible", facing=facing, turn="a", title="", lines=(text,))
            read = " ".join(" ".join(drawn.text for canvas in reader.read(scene) for drawn in canvas.texts).split())
            assert text in read, (key, read)
