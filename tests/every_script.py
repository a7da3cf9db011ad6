"""Names that players have: nicknames, long ones, many scripts; and what a machine needs to draw them."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import features

from roundtap_devices import letters

chinese_letters = pytest.mark.skipif(not Path(letters.EAST_ASIAN_FONT).exists(), reason="apt install fonts-wqy-zenhei")
EMOJI_FONT = Path("/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf")
right_to_left = pytest.mark.skipif(not features.check("raqm"), reason="apt install libfribidi0")

EAST_ASIAN = ("王小明", "李 雷", "渡邊健太郎", "田中 太郎", "アレックス", "김민수", "박 지성")
RIGHT_TO_LEFT = ("محمد علي", "یوسف چگونه", "דוד כהן", "שָׁלוֹם", "عائشة الحلّي")
EMOJI = ("🔥🔥", "👩‍🚀 Ana", "Bo 🇵🇱", "1️⃣", "नमस्ते", "🏴󠁧󠁢󠁷󠁬󠁳󠁿")
ALL = (
    *(pytest.param(name, marks=chinese_letters) for name in EAST_ASIAN),
    *(pytest.param(name, marks=right_to_left) for name in RIGHT_TO_LEFT),
    *EMOJI,
)
STEMS = (
    "Xwing",
    "Wookie",
    "Vader",
    "Maul",
    "Gwint",
    "Mistrz",
    "Wolf",
    "Jäger",
    "Ñandú",
    "Żbik",
    "Łoś",
    "Sith",
    "Mmm",
    "Ill",
    "Kraków",
    "Köln",
    "Grzmot",
    "Dark",
    "Red",
    "Jedi",
)
FIRST = ("Aleksandra", "Maximilian", "Łukasz", "Żaneta", "Jörg", "Bartłomiej", "Íñigo", "Karl-Heinz", "Wojciech")
LAST = (
    "Wiśniewska-Szczepańska",
    "von Hohenfels-Brandt",
    "Żółkiewski",
    "Müller-Lüdenscheidt",
    "Gżegżółka",
    "Brzęczyszczykiewicz",
    "Öztürk",
    "García Ibáñez",
)
LONG = (
    *(f"{first} {last}" for first, last in zip(FIRST, LAST, strict=False)),
    "Aleksandra Wiśniewska",
    "Aleksandra Wójcik-Wiśniewska",
    "Mandalorian1",
    "Mandalorian2",
    "WWWWWWWWWWWW",
    "WWWWWWWWWWWM",
    "عبد الرحمن بن محمد الأنصاري",
    "محمد عبد العزيز آل الشيخ",
    "خالد بن عبدالله القحطاني",
    "عبدالرحمن",
    "عبدالرحيم",
    "欧阳娜娜 司马相如",
    "諸葛亮孔明先生",
    "渡邊健太郎左衛門",
)
"""Names that fit beside another one in no way: Polish, German, Arabic, Chinese; some that differ only far behind."""
OTHER_SCRIPTS = (*EAST_ASIAN, *RIGHT_TO_LEFT, *EMOJI, "● محمد", "王Ana明", "Ana 🔥")


def name_pairs(count: int) -> Iterator[tuple[str, str]]:
    """Nicknames of ten letters, twins that differ in one letter, full names, other scripts; always the same ones."""
    chance = random.Random(26)
    for _ in range(count):
        one, two = _nickname(chance), _nickname(chance)
        kind = chance.random()
        if kind < 0.1:
            two = f"{one[:-1]}{chance.choice('13579')}"
        elif kind < 0.3:
            two = f"{chance.choice(FIRST)} {chance.choice(LAST)}"
        elif kind < 0.4:
            one, two = (f"{chance.choice(FIRST)} {chance.choice(LAST)[0]}." for _ in "ab")
        elif kind < 0.55:
            one = chance.choice(OTHER_SCRIPTS)
            two = chance.choice((two, *OTHER_SCRIPTS))
        if one != two:
            yield one, two


def _nickname(chance: random.Random) -> str:
    text = chance.choice(STEMS) + chance.choice(("", "_", "-")) + chance.choice(STEMS) + str(chance.randrange(1000))
    return text[:10]
