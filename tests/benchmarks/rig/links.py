"""128 table units in one process: their real link and outbox, each with a report in its own moment of ten seconds.

Run by `ClientProcess("rig.links", port=…, units={id: key in hex}, folder=…, seed=…)`.
"""

import logging
import random
import threading
import time
from pathlib import Path
from typing import Any

from rig.client_process import Orders
from roundtap_core.wire import REPORT, sign
from roundtap_units.link.link import HubAddress, HubLink
from roundtap_units.link.outbox import Outbox

STATUS = {"seated": ["a", "b"], "draft": False, "call": False, "leave": None, "clock_ms": None, "lot": None}


class Unit:
    """One unit: a view from the hub, presses, and what became of each."""

    def __init__(self, port: int, name: str, key: bytes, folder: Path, one_sided: bool) -> None:
        self.name = name
        self.key = key
        self.view: dict[str, Any] = {}
        self.seen = threading.Event()
        self.pressed_at: dict[str, float] = {}
        self.saved_ms: list[float] = []
        self.others: list[str] = []
        self.put_ms: list[float] = []
        self._presses = 0
        # One table's round stays open, or every further report would change everybody's standing.
        self._one_sided = one_sided
        self.outbox = Outbox(folder / name / "outbox.jsonl")
        self.link = HubLink(HubAddress("127.0.0.1", port, name, key), self.outbox, self._receive)

    @property
    def waits(self) -> bool:
        return bool(self.outbox.waiting())

    def press(self) -> bool:
        """The confirming press; False while the one before has no answer."""
        if self.waits:
            return False
        match, number = self.view["match"], self._presses
        self._presses += 1
        # Side a reports, in a later moment side b says the same; then both again, corrected.
        step, side = (number, "a") if self._one_sided else (number // 2, "ab"[number % 2])
        report = {
            "report_id": f"{self.name}-{number}-{random.getrandbits(48):x}",
            "unit": self.name,
            "event": self.view["event"]["id"],
            "match": match["id"],
            "side": side,
            "revision": match["revision"],
            "draw": match["draw"],
            "result": {"score": {"a": 100, "b": 10 + step % 80}},
        }
        mac = sign(self.key, REPORT, report)
        begin = time.monotonic()
        self.pressed_at[str(report["report_id"])] = begin
        self.outbox.put(report, mac)
        self.put_ms.append((time.monotonic() - begin) * 1000)
        self.link.send_reports()
        return True

    def _receive(self, kind: str, value: Any) -> None:
        now = time.monotonic()
        if kind == "fate":
            begin = self.pressed_at.pop(value.id, None)
            if value.fate == "accepted" and begin is not None:
                self.saved_ms.append((now - begin) * 1000)
            elif value.fate is not None:
                self.others.append(f"{value.fate}: {value.reason}")
        elif kind == "view" and value.get("match"):
            self.view = value
            self.link.send_status({**STATUS, "match": value["match"]["id"]}) if not self.seen.is_set() else None
            self.seen.set()


def press_all(units: list[Unit], order: dict[str, Any], rand: random.Random) -> dict[str, Any]:
    """`windows` times, each unit in its own moment of `window_s`; then up to `patience_s` for the last answers."""
    begin, missed = time.monotonic() + 0.1, 0
    for unit in units:
        unit.saved_ms, unit.put_ms, unit.others, unit.pressed_at = [], [], [], {}
    moments = sorted(
        (begin + order["window_s"] * (number + rand.random()), i)
        for number in range(order["windows"])
        for i in range(len(units))
    )
    cpu = time.process_time()
    for moment, i in moments:
        time.sleep(max(0.0, moment - time.monotonic()))
        missed += not units[i].press()
    give_up = time.monotonic() + order["patience_s"]
    while any(unit.waits for unit in units) and time.monotonic() < give_up:
        time.sleep(0.05)
    return {
        "wanted": len(moments),
        "missed": missed,
        "cpu_s": time.process_time() - cpu,
        "took_s": time.monotonic() - begin,
        "saved_ms": [ms for unit in units for ms in unit.saved_ms],
        "put_ms": [ms for unit in units for ms in unit.put_ms],
        "others": [said for unit in units for said in unit.others],
    }


def clock_errors(units: list[Unit], order: dict[str, Any]) -> dict[str, Any]:
    """How far each unit's idea of the hub's clock is off, each second: both clocks are this machine's."""
    begin, errors = time.monotonic(), []
    while time.monotonic() < begin + order["seconds"]:
        time.sleep(1)
        after_s = time.monotonic() - begin
        for unit in units:
            here_ms = time.monotonic_ns() // 1_000_000
            there_ms = unit.link.time.hub_ms(here_ms)
            errors.append([after_s, None if there_ms is None else there_ms - here_ms])
    return {"errors": errors}


def main() -> None:
    # What the link logs while a hub is too slow for it is the very thing that is measured here.
    logging.disable(logging.ERROR)
    orders = Orders()
    config = orders.next()
    rand = random.Random(config["seed"])
    random.seed(config["seed"])
    names = list(config["units"])
    units = [
        Unit(config["port"], name, bytes.fromhex(key), Path(config["folder"]), name == names[-1])
        for name, key in config["units"].items()
    ]
    for unit in units:
        unit.link.start()
        time.sleep(config.get("over_s", len(units) / 64) / len(units))
    give_up = time.monotonic() + config.get("patience_s", 120.0)
    ready = sum(unit.seen.wait(max(0.0, give_up - time.monotonic())) for unit in units)
    orders.answer(ready=ready)
    while True:
        order = orders.next()
        if order["say"] == "press":
            orders.answer(**press_all(units, order, rand))
        elif order["say"] == "clocks":
            orders.answer(**clock_errors(units, order))


if __name__ == "__main__":
    main()
