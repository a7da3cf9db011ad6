"""Every document of every rulebook on every printer in four languages: `python tests/units/run_paper_gate.py [DIR]`.

Prints what is wrong (nothing: all is well), and with DIR leaves a picture of each sheet there to be looked at.
"""

from __future__ import annotations

import sys
from pathlib import Path

from paper_gate import documents, printed, printed_lines, setup_prints
from PIL import ImageOps

from roundtap_core.words import LANGUAGES
from roundtap_devices.printing.known_printers import PROFILES
from roundtap_units.unit_words import unit_words


def main(folder: Path | None) -> int:
    count = wrong = 0
    for profile in PROFILES.values():
        for language in LANGUAGES:
            words = unit_words(language)
            sheets = [printed(name, kind, content, profile, words) for name, kind, content in documents()]
            sheets += [printed_lines(name, lines, profile) for name, lines in setup_prints(profile, words)]
            for sheet in sheets:
                count += 1
                wrong += bool(sheet.wrong)
                for what in sheet.wrong:
                    print(f"{profile.name} {language} {sheet.name}: {what}")
                if folder is not None:
                    folder.mkdir(parents=True, exist_ok=True)
                    picture = ImageOps.expand(sheet.picture.convert("L"), 16, 200)
                    picture.save(folder / f"{profile.name}-{language}-{sheet.name}.png")
    print(f"{count} sheets, {wrong} with something wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
