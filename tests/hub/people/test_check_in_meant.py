"""Whom a name typed at the check-in means: the very name, or all who are called so; never one of several."""

from roundtap_hub.people.regulars import find_by_name
from roundtap_hub.views.competitors import IN, CompetitorRow


def test_a_name_that_several_begin_with_means_all_of_them_and_a_number_tells_nobody_apart() -> None:
    def names(typed: str, *known: str) -> list[str]:
        some = [CompetitorRow(name, name, name, IN, None, False, None, None, 0) for name in known]
        return [each.name for each in find_by_name(typed, some)]

    assert names("Maria", "Maria (Mia) Schulz", "Maria Berg") == ["Maria (Mia) Schulz", "Maria Berg"]
    assert names("Kai Eich", "Kai Eich (1)", "Kai Eich (2)") == ["Kai Eich (1)", "Kai Eich (2)"]
    assert names("maria berg", "Maria (Mia) Schulz", "Maria Berg") == ["Maria Berg"]
