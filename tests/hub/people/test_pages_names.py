"""Names at the hub's forms: one that nobody could read on the wall is refused where it is typed."""

from pathlib import Path

import pytest
from pages_kit import open_house, problem_of

UNSEEN, TURNED, LONG = "\u200b\u2060", "Ana \u202eziuR", "x" * 81


@pytest.mark.parametrize("name", [UNSEEN, TURNED, LONG])
def test_no_form_takes_a_name_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    with open_house(tmp_path) as house:
        organizer = house.with_event()
        before = house.event.head
        forms = {
            "/console": {"name": name, "rulebook": "xwing-standard", "color": "#00785A"},
            "/console/e1/competitors": {"names": f"Eva Luz\n{name}"},
            "/console/e1/competitors/p1/details": {"name": name},
            "/console/e1/officials": {"name": name, "role": "judge"},
        }
        for path, fields in forms.items():
            assert problem_of(organizer.post(path, **fields)), path
        assert problem_of(organizer.post("/console/e1/competitors/p1/details", name="Ana Ruiz", came_with=name))
        for more in ({"public_name": name}, {"came_with": name}, {"member_1": "Ida Roth", "member_2": name}):
            assert problem_of(organizer.post("/console/e1/competitors", names="Eva Luz", **more)), more
        assert house.event.head == before
        assert list(house.service.snapshot.events) == ["e1"]
