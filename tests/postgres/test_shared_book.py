"""Paper at several hubs on one database: a slip is claimed by one station, and an order is known everywhere."""

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest
from postgres_kit import Cluster

from event_kit import refused
from kit import wait_until
from roundtap_hub.app.presence_relay import BOOK_CHANNEL, SharedPrintBook
from roundtap_hub.store.journal import database_url
from roundtap_hub.store.postgres import PostgresJournal
from roundtap_hub.store.print_book import PRINTED, QUEUED, SENT, PrintJob, PrintState
from roundtap_hub.store.shared_service import NotificationListener

SLIP = PrintJob("slip/e1/1.1", "e1", "slip", 1, "1.1")


@pytest.fixture
def books(url: str) -> Iterator[list[SharedPrintBook]]:
    PostgresJournal(url).close()
    made = [SharedPrintBook(url, name) for name in ("a", "b")]
    yield made
    for book in made:
        book.close()


def test_what_one_hub_noted_another_finds_when_it_starts(url: str, books: list[SharedPrintBook]) -> None:
    books[0].order(SLIP)
    books[0].update_states([(SLIP.id, PrintState(SENT, "", "station-1"))])
    with closing(SharedPrintBook(url, "c")) as again:
        assert again.orders == [SLIP]
        assert again.states == {SLIP.id: PrintState(SENT, "", "station-1")}


def test_two_stations_at_two_hubs_never_claim_the_same_slip(books: list[SharedPrintBook]) -> None:
    slips = [f"slip/e1/1.{n}" for n in range(60)]
    claimed: list[set[str]] = [set(), set()]

    def claim(at: int) -> None:
        for first in range(0, len(slips), 6):
            claimed[at] |= books[at].claim(slips[first : first + 6], f"station-{at}")

    threads = [threading.Thread(target=claim, args=(at,)) for at in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert claimed[0] | claimed[1] == set(slips)
    assert not claimed[0] & claimed[1]


def test_an_older_word_is_dropped_whichever_hub_hears_it(books: list[SharedPrintBook]) -> None:
    books[0].claim([SLIP.id], "station-1")
    books[0].update_states([(SLIP.id, PrintState(PRINTED, "", "station-1"))])
    books[1].update_states([(SLIP.id, PrintState(QUEUED, "", "station-1"))])
    assert books[1].states[SLIP.id].state == PRINTED
    assert books[1].claim([SLIP.id], "station-2") == set()


def test_an_order_given_at_one_hub_is_heard_at_the_other(url: str, books: list[SharedPrintBook]) -> None:
    address = database_url(url)
    follower = NotificationListener(
        address,
        "b",
        lambda told: books[1].handle_notice(None) if told is None else None,
        {BOOK_CHANNEL: books[1].handle_notice},
    )
    follower.start()
    try:
        books[0].order(SLIP)
        wait_until(lambda: books[1].orders == [SLIP], "the order")
        books[0].update_states([(SLIP.id, PrintState(SENT, "", "station-1"))])
        wait_until(lambda: SLIP.id in books[1].states, "what became of it")
    finally:
        follower.stop()


def test_a_database_out_of_reach_refuses_and_a_later_word_is_taken(
    books: list[SharedPrintBook], postgres: Cluster
) -> None:
    with postgres.out_of_reach(), refused("not_saved"):
        books[0].claim([SLIP.id], "station-1")
    assert books[1].claim([SLIP.id], "station-2") == {SLIP.id}
    assert books[0].claim([SLIP.id], "station-1") == set()
