"""A table to play at: Ana (●) and Bruno (■), a hub that answers when told to, and a clock that is set by hand."""

from __future__ import annotations

from typing import Any

from form_kit import form_to_json
from own_games.shelf import rules_text
from press_script import Press
from roundtap_core.records import Result, Side, SidePair, result_to_json
from roundtap_core.rulebooks.base import MatchSituation, Rulebook
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.typed import parse_message
from roundtap_core.view_types import TableView
from roundtap_devices.input.gestures import CALL, HOLD, LEAVE, REPEAT, TAP, Gesture
from roundtap_units.table.dialogue.dialogue import Dialogue, ReportRefused, Saved, SendReport, StatusChanged
from roundtap_units.unit_config import unit_words

BOOK = rulebook("xwing-standard")
KEYS = {"ana": "a", "bruno": "b", "▲": "up", "▼": "down"}


def score(a: int, b: int, ended: str = "played", winner: str | None = None) -> Result:
    return Result(ended=ended, winner=winner, score=SidePair(a, b))


class Table:
    """`presses("ana ▲▲ ana")` presses; `says` is the screen; `reports` what went out, as (side, result)."""

    def __init__(
        self,
        language: str = "en",
        facing: str = "opposite",
        seated: bool = True,
        clock_ms: int | None = 1_800_000,
        book: Rulebook = BOOK,
        situation: MatchSituation = MatchSituation(),  # noqa: B008
        options: dict[str, Any] | None = None,
        lot: Side = "b",
        joystick: bool = False,
    ):
        self.dialogue = Dialogue(unit_words(language, joystick), facing, chance=lambda: lot)
        self.book, self.situation, self.options = book, situation, book.options(options or {})
        self.now_ms = 0
        self.clock_ms: int | None = clock_ms
        self.stores = True
        self.reports: list[tuple[str, Result]] = []
        self.effects: list[SendReport] = []
        self.ids: list[str] = []
        self.statuses: list[StatusChanged] = []
        self.told: dict[str, Any] = {}
        self.dialogue.on_contact(0)
        self.hub_says()
        if seated:
            self.hub_says(clock="idle")
            self.presses("ana bruno")
            self.hub_says(clock="running")

    # --- the hub ---

    def hub_says(self, **changes: Any) -> None:
        """The view as last told, with these changes; `result`, `a` and `b` (reports) are Results."""
        told = self.told = {
            "options": self.options,
            "state": "open",
            "revision": 0,
            "result": None,
            "a": None,
            "b": None,
            "number": None,
            "clock": "running",
            "match": "3.7",
            "call": None,
            "status": "published",
            "next": None,
            "to_field": {},
            "must": {},
            "rounds_left": 2,
            "phases": [],
            "open_end": False,
            "over": False,
            "total_ms": None,
            "lots": {},
            "initiative": None,
            "leave_refused": [],
            "leave_asked": None,
            "call_closed": False,
            "call_ms": 0,
            "last_round": False,
            **self.told,
            **changes,
        }

        def plain(result: Result | None) -> Any:
            return result and result_to_json(result)

        self.dialogue.on_view(
            parse_message(
                TableView,
                {
                    "event": {"id": "e1", "name": "Winter Open", "color": "#0072B2", "rulebook": self.book.id},
                    "table": 12,
                    "round": {"number": 3, "of": 5, "stage": "swiss", "status": told["status"]},
                    "match": told["match"]
                    and {
                        "id": told["match"],
                        "revision": told["revision"],
                        "a": {
                            "id": told.get("a_id"),
                            "name": told.get("a_name", "Ana R."),
                            "to_field": told["to_field"].get("a"),
                            "must": told["must"].get("a", False),
                        },
                        "b": {
                            "id": told.get("b_id"),
                            "name": told.get("b_name", "Bruno M."),
                            "to_field": told["to_field"].get("b"),
                            "must": told["must"].get("b", False),
                        },
                        "state": told["state"],
                        "reports": {"a": plain(told["a"]), "b": plain(told["b"])},
                        "result": plain(told["result"]),
                        "number": told["number"],
                        "lots": told["lots"],
                        "before_play": told["initiative"]
                        and {
                            "about": "initiative",
                            "side": told["initiative"] if told["initiative"] in ("a", "b") else None,
                            "lot": told["initiative"] == "lot",
                        },
                        "corrected": told.get("corrected", False),
                        "last": told.get("last"),
                    },
                    "options": told["options"],
                    **({"rules": rules} if (rules := rules_text(self.book)) is not None else {}),
                    "form": form_to_json(self.book.form(told["options"], self.situation)),
                    "situation": {
                        "stage": self.situation.stage,
                        "totals": dict(zip("ab", self.situation.totals, strict=True)),
                    },
                    "rounds_left": told["rounds_left"],
                    "clock": {
                        "state": told["clock"],
                        "deadline_ms": None,
                        "remaining_ms": None,
                        "total_ms": told["total_ms"],
                        "phases": told["phases"],
                        "open_end": told["open_end"],
                        "over": told["over"],
                    },
                    "call": told["call"],
                    "next": told["next"],
                    "leave_refused": told["leave_refused"],
                    "leave_asked": told["leave_asked"],
                    "call_closed": told["call_closed"],
                    "call_ms": told["call_ms"],
                    "last_round": told["last_round"],
                },
            ),
            self.now_ms,
        )
        self._work()
        self.wait(1000)

    def hub_saves(self, number: int, report: int = -1) -> None:
        self.dialogue.on_fate(self.ids[report], Saved(number), self.now_ms)
        self._work()

    def hub_refuses(self, reason: str, report: int = -1) -> None:
        self.dialogue.on_fate(self.ids[report], ReportRefused(reason), self.now_ms)
        self._work()

    # --- the people ---

    def presses(self, what: str) -> Table:
        """ "ana ▲▲ ana": own buttons by name, arrows; "ana…" and "▼…" hold."""
        for word in what.split():
            for press in [word] if word.strip("…") in KEYS else list(word):
                key = KEYS[press.strip("…")]
                held = REPEAT if key in ("up", "down") else HOLD
                for _ in range(2 if press.endswith("…") and held == REPEAT else 1):
                    self.gesture(held if press.endswith("…") else TAP, key)
        return self

    def do(self, made: list[Press]) -> Table:
        """Presses as fingers make them."""
        for press in made:
            if press == Press("down", "hold"):
                self.presses("▼…")
            else:
                self.gesture(press.kind, press.key)
        return self

    def gesture(self, kind: str, key: str, after_ms: int = 500) -> None:
        self.wait(after_ms)
        self.dialogue.on_gesture(Gesture(kind, key, self.now_ms), self.now_ms)
        self._work()

    def calls(self) -> None:
        self.gesture(CALL, "call")

    def asks_to_leave(self, who: str) -> None:
        self.gesture(LEAVE, KEYS[who])

    def wait(self, ms: int) -> None:
        self.now_ms += ms
        self.dialogue.on_clock(self.clock_ms)
        self.dialogue.tick(self.now_ms)
        self._work()

    # --- what comes of it ---

    @property
    def scene(self) -> Any:
        return self.dialogue.scene(self.now_ms, self.clock_ms)

    @property
    def says(self) -> str:
        return self.scene.all_text()

    @property
    def kind(self) -> str:
        return self.scene.kind

    @property
    def status(self) -> StatusChanged:
        return self.statuses[-1] if self.statuses else StatusChanged()

    def _work(self) -> None:
        for effect in self.dialogue.take_effects():
            if isinstance(effect, StatusChanged):
                self.statuses.append(effect)
                continue
            self.effects.append(effect)
            self.reports.append((effect.side, effect.result))
            self.ids.append(f"r{len(self.ids) + 1}")
            if self.stores:
                self.dialogue.on_stored(self.ids[-1], effect)
