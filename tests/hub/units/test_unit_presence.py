"""What the hub knows of the hall right now: who is told of a change, and what a reader holds in his hand."""

from functools import partial

from roundtap_hub.views.unit_presence import TAKEN, Presence, UnitStatus, close_call, take_call


def told(presence: Presence) -> list[str | None]:
    heard: list[str | None] = []
    presence.listen(heard.append)
    return heard


def test_a_change_is_told_with_the_unit_that_it_is_about() -> None:
    presence = Presence()
    heard = told(presence)
    presence.update("table-1", 5, match="1.1", call=True)
    presence.change("table-1", partial(take_call, by="Ann"))
    presence.change("table-1", close_call)
    presence.update("table-2", 6, draft=True)
    assert heard == ["table-1"] * 3 + ["table-2"]
    presence.mark_at_table("e1", "1.1", "p1")
    assert heard[-1] is None


def test_a_sign_of_life_alone_is_told_to_nobody() -> None:
    presence = Presence()
    presence.update("table-1", 5, draft=True)
    heard = told(presence)
    presence.update("table-1", 6)
    presence.update("table-1", 7, draft=True)
    assert heard == []
    assert presence.units["table-1"].contact_ms == 7


def test_what_a_reader_was_handed_does_not_change_under_him() -> None:
    presence = Presence()
    presence.update("table-1", 5)
    before = presence.units
    presence.update("table-1", 6, draft=True)
    presence.update("table-2", 6)
    assert before == {"table-1": UnitStatus("table-1", 5)}
    assert set(presence.units) == {"table-1", "table-2"}


def test_all_who_ask_in_between_are_handed_the_same() -> None:
    presence = Presence()
    presence.update("table-1", 5)
    assert presence.units is presence.units
    assert presence.status_of("table-1") is presence.units["table-1"]
    assert presence.status_of("table-9") is None


def test_a_unit_is_gone_with_its_last_feed() -> None:
    """A unit that reconnects has two for a moment; the older one's end says nothing."""
    presence = Presence()
    presence.sessions.open("table-1", "s1")
    presence.sessions.open("table-1", "s2")
    presence.sessions.open("table-2", "s3")
    assert presence.sessions.close("table-1", "s1") is False
    assert presence.sessions.close("table-1", "s2") is True
    assert presence.sessions.advances("table-2", "s3", 1)
    assert not presence.sessions.advances("table-1", "s2", 1)


def test_a_request_is_one_however_often_it_comes_and_is_settled_once() -> None:
    presence, what = Presence(), (TAKEN, "e1", "p3")
    heard = told(presence)
    for _ in range(2):
        presence.add_request(what, "slip", 5)
    assert set(presence.units.asked) == {what}
    presence.set_request(what, None)
    presence.set_request(what, None)
    assert (presence.units.asked, heard) == ({}, [None, None])
