"""What the desk does beside the course of an event, by clicks: settings, who leaves, calls, minutes, the clock. Each is
read, and the first of its kind undone."""

from typing import Any

from hand_kit import Hand

from roundtap_core.event.commands import AskToDrop, CallJudge

Seat = tuple[str, str, str, str]
"""An open table as the console shows it: match, table, and the two names."""


def before_round_1(hand: Hand, event_id: str, officials: bool = False) -> None:
    """The event's own settings, and one who drops and is reinstated."""
    page, screen, hall = f"{hand.url}/console/{event_id}", hand.look(), hand.hall

    def about() -> None:
        screen.open(f"{page}/event")
        hand.click("#about > summary")
        hand.type("#about [name=club]", "Falken")
        hand.leads("#about form > button", "the club", lambda: hall.event(event_id).about.get("club") == "Falken")

    def options() -> None:
        screen.open(f"{page}/event")
        screen.run("arguments[0].value = 60", screen.one("#settings [name='minutes.swiss']"))
        hand.leads("#settings form > button", "60 minutes", lambda: "60" in str(hall.event(event_id).given_options))

    def prizes() -> None:
        screen.open(f"{page}/prizes")
        hand.type("#prize-list", "1: a cup")
        hand.leads("#edit form > button", "a prize", lambda: hall.event(event_id).prizes)

    def sign_up() -> None:
        screen.open(f"{page}/sign-up")
        hand.click("#join-open label:has([value=open])")
        hand.leads("#join-open form > button", "sign-up", lambda: hall.event(event_id).sign_up)

    _, second, *_ = hall.event(event_id).entrants

    def drops() -> None:
        screen.open(f"{page}/person/{second}")
        hand.leads(".person-drop button", "the drop", lambda: not hall.event(event_id).entrants[second].active)

    def returns() -> None:
        screen.open(f"{page}/person/{second}")
        hand.leads("form[action$='/return'] button", "them", lambda: hall.event(event_id).entrants[second].active)

    deeds = [about, options, prizes, sign_up, drops, returns]
    if officials:
        deeds += officials_of(hand, event_id)
    for deed in deeds:
        hand.tries(event_id, deed)
    screen.open(page)


def officials_of(hand: Hand, event_id: str) -> list[Any]:
    """An organizer and a judge, who goes off duty."""
    page, screen, hall = f"{hand.url}/console/{event_id}/officials", hand.look(), hand.hall

    def added() -> None:
        before = len(hall.event(event_id).officials)
        screen.open(page)
        hand.type("form[action$='/officials'] [name=name]", f"Official {before}")
        hand.leads(
            "form[action$='/officials'] button", "one more", lambda: len(hall.event(event_id).officials) > before
        )

    def off_duty() -> None:
        judge = list(hall.event(event_id).officials)[-1]
        screen.open(page)
        hand.click(f"#official-{judge} > summary")
        hand.leads(
            f"#official-{judge} form[action$='/duty'] button",
            "them to be off duty",
            lambda: not hall.event(event_id).officials[judge].on_duty,
        )

    return [added, added, off_duty]


def in_a_round(hand: Hand, event_id: str, seat: Seat, other: Seat) -> None:
    """A call, a wish to leave, minutes for one table, the clock, and two of whom nobody came, after all."""
    page, screen, hall = f"{hand.url}/console/{event_id}", hand.look(), hand.hall
    match, absent = seat[0], other[0]
    player = hall.event(event_id).find_match(match)[1].match.a  # type: ignore[index]

    def from_play(button: str) -> None:
        number = hall.event(event_id).number
        screen.open(page)
        hand.leads(button, button, lambda: hall.event(event_id).number > number, twice=True)

    def from_match(part: str, button: str, typed: str = "") -> None:
        number = hall.event(event_id).number
        screen.open(f"{page}/match/{match if part == '#judge' else absent}")
        hand.click(f"{part} > summary")
        if typed:
            hand.type(f"{part} [name=minutes]", typed)
        hand.leads(f"{part} {button}", button, lambda: hall.event(event_id).number > number)

    hall.tell(event_id, CallJudge(match, f"phone:{player}"))
    hand.tries(event_id, lambda: from_play(".need-call form[action$='/call'] button"))
    hand.tries(event_id, lambda: from_play(".need-call form[action$='/call/settled'] button"))
    hall.tell(event_id, AskToDrop(player, f"phone:{player}"))
    hand.tries(event_id, lambda: from_play(".need-leave form[action$='/leave/refused'] button"))
    hand.tries(event_id, lambda: from_match("#judge", "form[action$='/extension'] button:not([name])", "5"))
    hand.tries(event_id, lambda: from_match("#judge", "form[action$='/extension'] [name=back]"))
    hand.tries(event_id, lambda: from_play("#clock form:has([value=pause]) button"))
    hand.tries(event_id, lambda: from_play("#clock form:has([value=start]) button"))
    hand.tries(event_id, lambda: from_match("#no-show", "form[action$='/nobody-came'] button"), again=False)
    screen.open(page)


def clears(hand: Hand, event_id: str, match: str) -> None:
    """A result that was entered at the wrong table."""
    page, screen, hall = f"{hand.url}/console/{event_id}", hand.look(), hand.hall

    def cleared() -> None:
        screen.open(f"{page}/match/{match}")
        hand.click("#clear > summary")
        hand.leads(
            "#clear button.danger", "no result", lambda: not hall.event(event_id).find_match(match)[1].match.result
        )  # type: ignore[index]

    hand.tries(event_id, cleared)
    screen.open(page)
