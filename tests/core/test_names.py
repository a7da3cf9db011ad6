"""How people are named in public."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from published_schema import EVENT_SCHEMA
from roundtap_core.errors import Problem
from roundtap_core.names import clean_name, display_name, public_names, shorten_name
from roundtap_core.records import Competitor


def shown(*names: str, **changes: object) -> list[str]:
    people = [Competitor(f"p{n}", name, **changes) for n, name in enumerate(names)]  # type: ignore[arg-type]
    return list(public_names(people).values())


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Franz Keller", "Franz K."),
        ("Aleksandra Wiśniewska-Szczepańska", "Aleksandra W."),
        ("Łukasz Żak", "Łukasz Ż."),
        ("Ana María Ruiz", "Ana M. R."),
        ("Inés García López", "Inés G. L."),
        ("Jan van der Berg", "Jan v. d. B."),
        ("Cher", "Cher"),
        ("  Eva   Luz ", "Eva L."),
        ("Kai E", "Kai E"),
        ("Gerard 't Hooft", "Gerard 't H."),
        ("Anna O'Brien-Díaz", "Anna O."),
        ("Player 12", "Player 12"),
        # What stands in brackets or quotes is no last name.
        ("王小明 (Wang)", "王小明"),
        ("Anna Schmidt (Köln)", "Anna S."),
        ("Anna (Köln)", "Anna"),
        ("Anna [GM] Schmidt", "Anna S."),
        ("Anna Schmidt （東京）", "Anna S."),
        ("Anna Schmidt (Köln", "Anna S."),
        ("(Team A) Anna Schmidt", "Anna S."),
        ("(Anna Schmidt)", "Anna S."),
        ("Anna “Ace of Spades” Schmidt", "Anna S."),
        ('Anna "Ace" Schmidt', "Anna S."),
        ("Anna „Ace“ Schmidt", "Anna S."),
        ("Anna «Ace» Schmidt", "Anna S."),
        ("Anna 'Ace High' Schmidt", "Anna S."),
        ("Anna ‘Ace’ Schmidt", "Anna S."),
        # Words of Chinese, Japanese and Korean have no initials.
        ("王 小明", "王 小明"),
        ("山田 太郎", "山田 太郎"),
        ("やまだ はなこ", "やまだ はなこ"),
        ("김 민수", "김 민수"),
        ("小明 Wang", "小明 W."),
        ("Wang 小明", "Wang 小明"),
        # What comes after the last name, and titles before the first, are no names.
        ("Robert Downey Jr.", "Robert D."),
        ("Robert Downey, Jr.", "Robert D."),
        ("Robert Downey jr", "Robert D."),
        ("Henry Ford III", "Henry F."),
        ("Bob Jr.", "Bob"),
        ("Dr. Anna Schmidt", "Anna S."),
        ("Prof. Dr. Anna Schmidt", "Anna S."),
        ("Dr. Schmidt", "Dr. S."),
        # An initial is a whole letter, with its marks.
        ("E\u0301va A\u0301bel", "E\u0301va A\u0301."),
        ("रवि किरण", "रवि कि."),
        ("Ana 🎲🎲", "Ana 🎲🎲"),
        ("John F. Kennedy", "John F. K."),
    ],
)
def test_a_name_is_shortened(name: str, short: str) -> None:
    assert shorten_name(name, 1) == short


def test_two_who_are_short_alike_differ_by_what_else_their_names_have() -> None:
    assert shown("王小明 (Wang)", "王小明 (Li)") == ["王小明 (Wang)", "王小明 (Li)"]
    assert shown("王小明 (Wang)", "王小明") == ["王小明 (Wang)", "王小明"]
    assert shown("Anna Schmidt (Köln)", "Anna Schmidt (Bonn)") == ["Anna Schmidt (Köln)", "Anna Schmidt (Bonn)"]
    assert shown("Bob Smith Jr.", "Bob Smith Sr.") == ["Bob Smith Jr.", "Bob Smith Sr."]
    assert shown('Anna "Ace" Schmidt', "Anna Schulz") == ["Anna Schm.", "Anna Schu."]


def test_as_long_as_it_takes_to_tell_two_apart() -> None:
    assert shown("Franz Keller", "Franz Kohl", "Ana Ruiz") == ["Franz Ke.", "Franz Ko.", "Ana R."]
    assert shown("Inés García López", "Inés Gil Luna") == ["Inés Ga. Ló.", "Inés Gi. Lu."]
    assert shown("Franz Keller", "Franz Kellermann") == ["Franz Keller", "Franz Kellerm."]


def test_two_of_the_same_name_get_a_number() -> None:
    assert shown("Ana Ruiz", "Ana Ruiz", "Bruno Maier") == ["Ana Ruiz", "Ana Ruiz (2)", "Bruno M."]


def test_upper_and_lower_case_do_not_tell_people_apart() -> None:
    assert shown("Ana Ruiz", "ANA Rot") == ["Ana Ru.", "ANA Ro."]


def test_a_chosen_public_name_is_kept_even_with_full_names() -> None:
    people = [Competitor("p1", "Ana Ruiz", public_name="Nova"), Competitor("p2", "Bruno  Maier")]
    assert public_names(people) == {"p1": "Nova", "p2": "Bruno M."}
    assert public_names(people, full_names=True) == {"p1": "Nova", "p2": "Bruno Maier"}


def test_teams_keep_their_name() -> None:
    assert shown("Red Five", members=("Ana Ruiz", "Eva Luz")) == ["Red Five"]


def test_every_name_is_one_of_its_kind() -> None:
    people = [
        Competitor("p1", "Ana Ruiz", public_name="Eva L."),
        Competitor("p2", "Eva Luz"),
        Competitor("p3", "Eva Luz", public_name="Ana R."),
    ]
    names = list(public_names(people).values())
    assert len({name.casefold() for name in names}) == 3


def test_what_is_displayed() -> None:
    ana = Competitor("p1", "Ana Ruiz")
    assert display_name(ana) == "Ana R."
    assert display_name(ana, {"p1": "Ana Ru."}) == "Ana Ru."
    assert display_name(Competitor("p1", "Ana Ruiz", public_name="Nova"), {"p1": "Ana Ru."}) == "Nova"


@pytest.mark.parametrize("typed", ["\u200b", " \u3164 ", "Ana\u202eziuR", "Ana\u2067R", "\u2060", "a\ud800"])
def test_a_name_that_cannot_be_read_is_none(typed: str) -> None:
    with pytest.raises(Problem, check=lambda problem: problem.key == "name_unfit"):
        clean_name(typed)


def test_a_name_is_kept_in_single_blanks_and_80_letters() -> None:
    assert clean_name("  Ana   Ruiz ") == "Ana Ruiz"
    assert clean_name("   ") == ""
    assert clean_name("x" * 80) == "x" * 80
    with pytest.raises(Problem, check=lambda problem: problem.key == "name_too_long"):
        clean_name("x" * 81)


@given(st.text(st.sampled_from("aŻ \u200b\u202e\u2066\u00ad\u3164\ufe0f\n\u2028👩\u200d-"), max_size=6))
def test_forms_and_files_take_the_same_names(typed: str) -> None:
    """What a form takes, a file may hold; a file refuses what a form would refuse."""
    try:
        name = clean_name(typed)
    except Problem:
        name = ""
    pattern = EVENT_SCHEMA["$defs"]["line"]["pattern"]
    assert bool(name) == bool(re.search(pattern, " ".join(typed.split())))
