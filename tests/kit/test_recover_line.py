"""The command that goes on with a hub's event: one line, wherever it stands."""

import json
import re
from pathlib import Path

import pytest

from roundtap_core.words import LANGUAGES

ROOT = Path(__file__).parents[2]
LINE = "sudo roundtap recover --from /media/roundtap {folder} --data {folder} --restart"
LINE_OF_COPIES = LINE.replace(" --data", "{more} --data")
"""Where the hub knows that copies lie elsewhere."""
PLACES = ("systemd/ADMIN.md", "systemd/VENUE.md", "README.md", "server/HANDBOOK.md", "server/CODE.md")
OF_ONE_FILE = (
    "sudo roundtap recover --from /var/lib/roundtap/backups/before-upgrade/0001/….backup --data {folder} --restart"
)
"""After an upgrade: this backup's own state, and no newer one."""


def lines_in(text: str) -> set[str]:
    """Every command with its sources, of the service's folder or of the one that is put in."""
    found = re.findall(r"(?:sudo )?roundtap recover --from [^`“”„«»\n]+", text)
    return {re.sub(r"/var/lib/roundtap(?=\s|$)", "{folder}", each.strip()) for each in found}


@pytest.mark.parametrize("place", PLACES)
def test_every_document_names_the_same_line(place: str) -> None:
    assert lines_in((ROOT / place).read_text()) <= {LINE, OF_ONE_FILE}


def test_the_documents_for_the_hall_name_it() -> None:
    for place in ("systemd/ADMIN.md", "systemd/VENUE.md"):
        assert LINE in lines_in((ROOT / place).read_text())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_log_and_command_names_the_same_line(language: str) -> None:
    named = set()
    for words in ROOT.glob(f"server/*/words/{language}.json"):
        for key, text in json.loads(words.read_text()).items():
            for line in lines_in(json.dumps(text, ensure_ascii=False)):
                assert line == (LINE_OF_COPIES if key == "problem.journal_empty" else LINE), (key, line)
                named.add(key)
    assert {"waits.line", "problem.journal_damaged", "problem.people_wrong"} <= named
