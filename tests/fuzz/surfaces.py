"""Throws strangers' inputs at a real hub, at the headless commands and at the journal's rows, and counts what breaks.

Asserted of every target: no answer 5xx, none that takes ten seconds of processor time, no process that ends, no growth
of more than 100 MB. 503 is no failure: it is how a busy hub says so.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import in_a_child
import on_the_wire
from under_fire import HubUnderFire, Tally, cpu_s, rss_mb

GROWTH_MB = 100.0
BUSY = 503
SHARES = {"device": 0.30, "asked": 0.20, "forms": 0.20, "import": 0.06, "raw": 0.06, "headless": 0.08, "rows": 0.10}
"""Of all inputs; an import costs a hundred times what a report does."""
WARM = 300
"""Inputs of each target before growth is counted: pages and caches are loaded for the first time."""


def fire(inputs: int, rng: random.Random, folder: Path, tell: Callable[[str], None]) -> dict[str, tuple[Tally, float]]:
    """Every target with its share of the inputs, seeds first: its tally, and how much its process grew, in MB."""
    found: dict[str, tuple[Tally, float]] = {}
    with _deep(), HubUnderFire(folder) as hub, closing(on_the_wire.Wire(hub)) as wire:
        for name, share in SHARES.items():
            many = round(inputs * share)
            found[name] = (
                in_a_child.fire(name, many, rng, folder)
                if name in ("headless", "rows")
                else _at_the_hub(name, many, rng, hub, wire)
            )
            tell(line(name, *found[name]))
        ends = Counter(each[-400:] for each in hub.breakdowns())
        tell(
            "\n    ".join(
                [
                    f"tracebacks in the hub's log: {ends.total()}",
                    *(f"{many} x {each}" for each, many in ends.most_common(10)),
                ]
            )
        )
    return found


@contextmanager
def _deep() -> Iterator[None]:
    """What is nested deeper than the hub reads has to be made, too."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _at_the_hub(
    name: str, many: int, rng: random.Random, hub: HubUnderFire, wire: on_the_wire.Wire
) -> tuple[Tally, float]:
    tally, before_mb = Tally(), rss_mb(hub.process)
    at_random, of_seed = on_the_wire.targets(wire)[name]
    work: list[tuple[Callable[[Any], Any], Any]] = [
        (of_seed, seed) for seed in on_the_wire.seeds().get(name, []) if of_seed is not None
    ]
    for number in range(max(many, len(work))):
        act, given = work[number] if number < len(work) else (at_random, rng)
        before_s = cpu_s(hub.process)
        said = act(given)
        slow = tally.took(worked_s := cpu_s(hub.process) - before_s)
        if said.status >= 500 and said.status != BUSY:
            tally.failed(f"{said.status} {describe(given, rng)} {said.body[:200]!r} {hub.last_breakdown()[-900:]}")
        elif said.status == -1 or slow:
            tally.failed(f"{'slow' if slow else 'no answer'}: processor {worked_s:.1f} s {describe(given, rng)}")
        if not hub.lives():
            tally.ends += 1
            tally.failed(f"the hub ended {describe(given, rng)}")
            break
        if number == WARM:
            before_mb = rss_mb(hub.process)
    return tally, (rss_mb(hub.process) - before_mb) if hub.lives() else 0.0


def describe(given: Any, rng: random.Random) -> str:
    return "at random" if given is rng else repr(given)[:200]


def line(name: str, tally: Tally, growth_mb: float) -> str:
    head = (
        f"{name:10} {tally.inputs:8} inputs  {tally.failures:4} failures  "
        f"processor {tally.busiest_s:4.2f} s at most  {tally.ends} ends  {growth_mb:+7.1f} MB"
    )
    return "\n    ".join([head, *tally.first_failures])


def holds(found: dict[str, tuple[Tally, float]]) -> bool:
    return all(not tally.failures and not tally.ends and growth_mb <= GROWTH_MB for tally, growth_mb in found.values())
