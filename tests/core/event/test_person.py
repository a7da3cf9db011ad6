"""What organizers know of a person: kept apart, told in no file, and old rows read as before."""

import pytest

from roundtap_core.errors import Problem
from roundtap_core.event.entries import NOTE_LETTERS, Person, refuse_unfit_person
from roundtap_core.records import Competitor


def test_a_person_of_whom_nothing_new_is_known_is_stored_and_hashed_as_ever() -> None:
    old = Person("Ana Ruiz", club="Falken", external_id="77")
    assert old.to_json() == {"name": "Ana Ruiz", "club": "Falken", "external_id": "77"}
    assert Person.from_json(old.to_json()) == old


def test_paid_link_and_note_come_back_and_change_the_digest() -> None:
    person = Person("Ana Ruiz", paid=True, list_link="https://lists.example/7", note="vegan\nallergic to nuts")
    assert Person.from_json(person.to_json()) == person
    assert person.digest("s") != Person("Ana Ruiz").digest("s")
    refuse_unfit_person(person)


def test_what_is_organizers_alone_is_no_part_of_a_competitor() -> None:
    said = repr(Person("Ana Ruiz", paid=True, list_link="https://secret.example/7", note="owes 5").to_competitor("p1"))
    assert "secret" not in said
    assert "owes" not in said
    assert not {"paid", "note", "list_link"} & set(Competitor.__struct_fields__)


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "ftp://x",
        "//lists.example",
        "https://",
        "https://a b",
        'https://a"onclick',
        "https://<x>",
        "data:text/html,x",
        "https://" + "x" * 600,
        "https://a\u202eb",
        "\nhttps://a",
    ],
)
def test_a_link_is_one_that_leads_to_a_page(link: str) -> None:
    with pytest.raises(Problem, check=lambda problem: problem.key in ("link_unfit", "unfit_text", "text_too_long")):
        refuse_unfit_person(Person("Ana", list_link=link))


@pytest.mark.parametrize("note", ["x" * (NOTE_LETTERS + 1), "a\x00b", "a\u202eb"])
def test_a_note_is_prose_of_a_certain_length(note: str) -> None:
    with pytest.raises(Problem):
        refuse_unfit_person(Person("Ana", note=note))
