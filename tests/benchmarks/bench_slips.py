"""How long 16 slips take on a serial line, by printer and language, and how many bytes a slip is.

    python tests/benchmarks/bench_slips.py [--quick]

The slips are X-Wing's in the Swiss rounds, with names as people have them, half of them Polish. The printer answers, so
that each slip waits until the one before is on paper. It is the tests' model of a printer in time: 10 bits a byte on
the line at 19,200 baud, as most are delivered, 5 % slower than the profile's figures, half a second for a cut.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from rig.table import Options, Row, alone

# isort: split
from buffer_model import seconds_for

from gallery.on_paper import PEOPLE, slip_content
from roundtap_devices.printing.escpos_job import ComposedJob, compose_job
from roundtap_devices.printing.printer_profiles import PROFILES, PrinterProfile
from roundtap_units.documents.notices import layout_job
from roundtap_units.unit_config import unit_words

SLIPS = 16
BAUD, GATE_S = 19200, 60
LANGUAGES = ("en", "pl")
FELT = {"16 slips": "how long a judge stands beside the printer"}


def slips(profile: PrinterProfile, language: str, count: int) -> list[ComposedJob]:
    """The slips of a round: every name meets another, long ones and short ones."""
    names = [(PEOPLE[table % len(PEOPLE)], PEOPLE[(3 * table + 4) % len(PEOPLE)]) for table in range(count)]
    contents = [slip_content("xwing-standard", pair, table) for table, pair in enumerate(names, start=1)]
    words = unit_words(language)
    return [compose_job(layout_job("slip", content, profile.sheet, words), profile) for content in contents]


def measure(options: Options, folder: Path) -> Iterator[Row]:
    many = options.pick(SLIPS, 2)
    for profile, language in product(PROFILES.values(), LANGUAGES):
        jobs = slips(profile, language, many)
        each = sum(len(job.data) for job in jobs) / many
        yield Row(
            f"{many} slips, {profile.name}, {language}, {BAUD} baud",
            seconds_for(jobs, profile, BAUD),
            "s",
            GATE_S,
            sum(job.busy_ms for job in jobs) / 1000,
            "its own pace",
            since="2026-11-26",
            note=f"{each:,.0f} bytes a slip",
            felt=FELT["16 slips"],
        )


if __name__ == "__main__":
    alone(measure, __doc__)
