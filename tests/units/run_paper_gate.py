"""Every document of every rulebook on every printer in four languages, and 400 pairs of names of all kinds:
`python tests/units/run_paper_gate.py [DIR]`.

Prints what is wrong (nothing: all is well), and with DIR leaves a picture of each sheet there to be looked at. With
`--buffers` instead: how full each printer's buffer gets at three speeds of its line, with and without flow control.
"""

import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

from buffer_model import peak_of
from paper_gate import documents, sheets, sheets_for
from PIL import ImageOps

from every_script import name_pairs
from roundtap_core.words import LANGUAGES
from roundtap_devices.printing.escpos_job import compose_job
from roundtap_devices.printing.printer_profiles import NONE, PROFILES, RTSCTS
from roundtap_units.documents.notices import layout_job
from roundtap_units.unit_config import unit_words

WORDS = unit_words("pl")
PAIRS = 400


def main(folder: Path | None) -> int:
    count = wrong = 0
    for profile in PROFILES.values():
        for language in LANGUAGES:
            for sheet in sheets(profile, unit_words(language)):
                count += 1
                wrong += bool(sheet.wrong)
                for what in sheet.wrong:
                    print(f"{profile.name} {language} {sheet.name}: {what}")
                if folder is not None:
                    folder.mkdir(parents=True, exist_ok=True)
                    picture = ImageOps.expand(sheet.picture.convert("L"), 16, 200)
                    picture.save(folder / f"{profile.name}-{language}-{sheet.name}.png")
    for number, (a, b) in enumerate(name_pairs(PAIRS)):
        for sheet in sheets_for(number, a, b):
            count += 1
            wrong += bool(sheet.wrong)
            for what in sheet.wrong:
                print(f"{sheet.name}: {what}")
    print(f"{count} sheets, {wrong} with something wrong")
    return 1 if wrong else 0


def buffers() -> int:
    """The fullest that each printer's buffer gets with any document; 1 where one overflows."""
    wrong = 0
    for known in PROFILES.values():
        for flow, baud in product((NONE, RTSCTS), (9600, 19200, 115200)):
            profile = replace(known, flow=flow)
            jobs = (
                (compose_job(layout_job(kind, content, profile.sheet, WORDS), profile), name)
                for name, kind, content in documents()
            )
            peaks = [(peak_of(job, profile, baud), name) for job, name in jobs]
            peak, name = max(peaks)
            wrong += peak > profile.buffer
            print(f"{profile.name} {flow} {baud}: {peak} of {profile.buffer} bytes ({name})", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--buffers"]:
        raise SystemExit(buffers())
    raise SystemExit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
