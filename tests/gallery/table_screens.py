"""Every screen of a table unit as a large PNG."""

from dataclasses import replace

from PIL import Image

from gallery.other_rulebooks import other_rulebooks
from gallery.own_games import own_games
from gallery.played_table import Play, Shots
from roundtap_core.records import Result, SidePair
from roundtap_core.view_types import CallView
from roundtap_core.words import LANGUAGES
from roundtap_devices.input.gestures import CALL, LEAVE, Gesture
from roundtap_units.table.dialogue.dialogue import ReportRefused, Saved
from roundtap_units.table.faults import UnitFaults
from roundtap_units.table.screens.screens import draw_scene

LONG = ("Aleksandra Wiśniewska-Szczepańska", "Maximilian von Hohenfels-Brandt")
SHORT = ("Ana R.", "Bruno M.")
"""Two pairs of names: as public names usually are, and as long as full names get."""


def gallery(languages: tuple[str, ...] = LANGUAGES) -> list[tuple[str, Image.Image]]:
    """(name, picture) of every scene: both facings, short and long names, in each language."""
    return [(name, draw_scene(scene)) for name, scene in scenes(languages)]


def scenes(languages: tuple[str, ...] = LANGUAGES) -> Shots:
    for language in languages:
        for facing in ("opposite", "edge"):
            for kind, names in (("short", SHORT), ("long", LONG)):
                for scene_name, scene in UsualTable(language, facing, names).everything():
                    yield f"{language}-{facing}-{kind}-{scene_name}", scene
                for scene_name, scene in (
                    *other_rulebooks(language, facing, names),
                    *own_games(language, facing, names),
                ):
                    yield f"{language}-{facing}-{kind}-{scene_name}", scene


class UsualTable(Play):
    """The usual table, with a stop at each screen."""

    def everything(self) -> Shots:
        yield from self.before()
        yield from self.entering()
        yield from self.after_time()
        yield from self.disagreeing()
        yield from self.hub_says()
        yield from self.in_trouble()

    def before(self) -> Shots:
        self.table.on_contact(None)
        yield "waiting", self.shot()
        self.table.on_contact(0)
        yield "found", self.shot()
        self.view(round_=False, match=False, table=None)
        yield "unassigned", self.shot()
        self.view(round_=False, match=False)
        yield "between", self.shot()
        self.view(match=False)
        yield "no-match", self.shot()
        self.view(clock="idle")
        yield "seating", self.shot(75 * 60_000)
        self.tap("a")
        yield "seating-one", self.shot(75 * 60_000)
        self.tap("b")
        yield "idle-before", self.shot(75 * 60_000)
        self.view()
        yield "idle", self.shot()
        self.table.on_contact(42_000)
        yield "idle-stale", self.shot()
        self.table.on_contact(0)
        yield from self.restored("idle-restored")
        self.view(clock="paused")
        yield "idle-paused", self.shot()
        self.view()
        yield "idle-time-up", self.shot(-65_000)
        self.start("badge.practice")
        self.view()
        yield from self.walk(("", "idle-practice"), ("b", "who"), ("v", "wrong-place"))

    def entering(self) -> Shots:
        self.start()
        self.view()
        yield from self.walk(("aa", "entry-0"), ("^^", "entry-tens"), ("a^^^^", "entry-ones"))
        self.table.on_contact(125_000)
        yield "entry-stale", self.shot()
        self.table.on_contact(0)
        self.tap("a")
        yield "ask", self.shot()
        one = self.store()
        self.tap("b")
        yield "writing", self.shot()
        two = self.store()
        yield "sending", self.shot()
        self.table.on_contact(30_000)
        yield "sending-offline", self.shot()
        self.table.table.sent[-1].reread = True
        yield "sending-asking-offline", self.shot()
        self.table.on_contact(0)
        yield "sending-asking", self.shot()
        self.fate(one[0], Saved(1041))
        self.fate(two[0], Saved(1042))
        yield "saved", self.shot()
        self.now_ms += 4000
        yield "saved-leave", self.shot()
        self.table.on_gesture(Gesture(LEAVE, "b"), self.now_ms)
        yield "saved-leaving", self.shot()
        self.now_ms += 11_000
        yield "done", self.shot()
        self.tap("a")
        yield "correction", self.shot()

    def restored(self, name: str) -> Shots:
        """The hub lacks the round: a page for a while, then a line beside the clock."""
        self.table.on_lost_round(True, self.now_ms)
        yield f"{name}-notice", self.shot()
        self.table.tick(self.now_ms + 10_000)
        yield name, self.shot()
        self.table.on_lost_round(False, self.now_ms)

    def after_time(self) -> Shots:
        self.start()
        self.view()
        self.shot(-5000)
        yield from self.walk(
            ("bb", "time-winner"),
            ("vv", "time-tens"),
            ("bb^^^^^^^^b", "time-loser"),
            ("b", "time-salvo"),
            ("a", "time-confirm"),
            clock_ms=-5000,
        )

    def disagreeing(self) -> Shots:
        self.start()
        self.view()
        self.shot()
        yield from self.walk(("aa^^aav", "differ"), ("^", "who-won"), ("a", "edit"))
        self.table.on_gesture(Gesture(CALL, "call"), self.now_ms)
        self.now_ms += 130_000
        yield "call", self.shot()
        self.view(call=CallView("Eva"))
        yield "call-taken", self.shot()
        self.start()
        reports = {"a": Result(score=SidePair(100, 24)), "b": Result(score=SidePair(100, 48))}
        self.view(state="dispute", reports=reports)
        yield "dispute", self.shot()
        self.start()
        first, then = Result(score=SidePair(100, 24)), Result(score=SidePair(100, 48))
        self.view(state="second", reports={"a": then, "b": then}, result=first, number=1050)
        yield "second", self.shot()
        self.now_ms += 2000
        self.tap("b")
        yield "second-back", self.shot()

    def hub_says(self) -> Shots:
        for reason in (
            "judge",
            "late",
            "impossible",
            "unknown-match",
            "altered",
            "revision",
            "elsewhere",
            "older",
            "superseded",
            "early",
        ):
            self.start()
            self.view()
            self.shot()
            self.tap("aaa")
            self.fate(self.store()[0], ReportRefused(reason))
            yield f"refused-{reason}", self.shot()
        self.start()
        self.view()
        self.view(state="decided", number=1050, result=Result(score=SidePair(100, 24)), revision=1)
        yield "judge-decided", self.shot()
        self.now_ms += 11_000
        self.table.tick(self.now_ms)
        yield "decided-standing", self.shot()
        self.tap("a")
        yield "decided-press", self.shot()
        self.start()
        self.view(state="closed", status="closed")
        yield "closed", self.shot()
        self.view(state="closed", status="closed", next_table=5)
        yield "closed-moves", self.shot()
        self.start()
        self.view()
        self.tap("aa^")
        self.view(revision=1)
        yield "changed", self.shot()
        self.start()
        self.view()
        self.tap("aa^b")
        yield "drop", self.shot()
        self.view(match_id="4.2")
        yield "dropped", self.shot()
        self.table.on_mismatch()
        yield "update", self.shot()

    def in_trouble(self) -> Shots:
        """Pages about the unit itself, a clock that nobody knows, a report that is not taken."""
        self.start()
        self.view()
        troubles = UnitFaults(self.table)
        for name, value in (
            ("duplicate", True),
            ("card", "full"),
            ("card", "read-only"),
            ("card", "failing"),
            ("damaged", 1),
            ("refusal", "key"),
            ("refusal", "form"),
            ("refusal", "often"),
            ("pending", True),
        ):
            setattr(troubles, name, value)
            scene = troubles.scene(self.now_ms)
            assert scene is not None
            shown = f"card-{value}" if name == "card" else value if isinstance(value, str) else name
            yield f"trouble-{shown}", scene
            setattr(troubles, name, type(value)() if name != "refusal" else None)
        self.table.table.clock_unknown = True
        yield "idle-no-clock", self.shot()
        self.start()
        self.view()
        self.tap("aaa")
        self.store()
        self.tap("b")
        self.store()
        self.table.table.sending_text = "sending.refused"
        yield "sending-refused", self.shot()
        yield "fault", replace(self.shot(), badge=self.table.table.words("badge.fault"))
