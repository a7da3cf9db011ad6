"""Names in many scripts, and what a machine needs to draw them."""

from __future__ import annotations

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
ALL = (*(pytest.param(name, marks=chinese_letters) for name in EAST_ASIAN),
       *(pytest.param(name, marks=right_to_left) for name in RIGHT_TO_LEFT), *EMOJI)
