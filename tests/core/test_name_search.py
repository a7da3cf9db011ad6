"""What is typed finds a name, however a keyboard, a phone or a language writes it."""

import pytest

from roundtap_core.names import find, fold, is_found, search_text

FOUND_BY = {
    "Sean O'Brien": "o'brien|o’brien|o‘brien|oʼbrien|o`brien|o´brien|o＇brien|o′brien|obrien|o brien|O’BRIEN",
    "Sean O’Brien": "o'brien|obrien|o brien",
    "Sean OBrien": "o'brien|o brien|obrien",
    "Sean O Brien": "o'brien|obrien|sean obrien|obrien sean",
    "D’Angelo Ruiz": "dangelo|d'angelo|ruiz d angelo",
    "Jörg Müller": "jörg|joerg|jorg|müller|mueller|muller|JOERG|mue|mü|mu|jo\u0308rg",
    "Joerg Mueller": "jörg|joerg|jorg|müller|mueller|muller|mu",
    "Jorg Muller": "jörg|joerg|jorg|müller|mueller|muller",
    "Zoë Bauer": "zoe|zoë|zo|bauer|baue|bau",
    "Zoe Israel": "zoë|zoe|israel|israël",
    "Hans Strauß": "strauß|strauss|straus|STRAUSS|STRAUẞ|strau",
    "Hans Strauss": "strauß|strauss|straus",
    "Søren Ærø": "soren|soeren|søren|sören|ærø|aero|aeroe|aro",
    "Åse Håkansson": "åse|ase|aase|aa|aas|hakansson|haakansson|håkanson|hakan",
    "Aase Haakansson": "åse|ase|håkansson",
    "Łukasz Żółć": "lukasz|łukasz|zolc|żółć|zolc lukasz|ZÓŁĆ",
    "Lukasz Zolc": "łukasz|żółć",
    "Novak Đoković": "dokovic|djokovic|đoković|dj|doko",
    "Novak Djokovic": "đoković|djokovic|dokovic",
    "Guðmundur Þórsson": "gudmundur|gudhmundur|guðmundur|thorsson|þórsson|thor",
    "Íñigo Peña-Ñandú": "inigo|pena|nandu|íñigo|pena-nandu|pena nandu|penanandu|nandu pena inigo",
    "Nguyễn Văn Đức": "nguyen|nguyễn|van duc|đức|nguyen van duc|duc nguyen",
    "İlkay Işık": "ilkay|İlkay|ILKAY|isik|ışık|IŞIK|işik",
    "Ilkay Isik": "İlkay|ışık",
    "Ştefan Țepeș": "stefan|tepes|ștefan|țepeș",
    "Gal·la Coll": "galla|gal.la|gal·la",
    "Anna Müller-Lüdenscheidt": "müller lüdenscheidt|mueller-luedenscheidt|mullerludenscheidt|Müller‐Lüd",
    "Jean Luc Picard": "jean-luc|jeanluc|jean  luc|picard, jean luc",
    "Ana  Ruiz": "ana ruiz|ruiz ana|ruiz,ana|  ana   ruiz  |ana　ruiz|ANA RUIZ",
    "Ａｎａ Ｒｕｉｚ": "ana|ruiz",
    "Ana Ruiz": "Ａｎａ|𝐀𝐧𝐚|ａｎａ ｒｕｉｚ",
    "ﬁona Ⅷ": "fiona|viii",
    "Αθηνά Σωκράτους": "αθηνα|σωκρατουσ|ΣΩΚΡΆΤΟΥΣ|σωκράτους",
    "Фёдор Чайкин": "федор|фёдор|чаикин|ЧАЙКИН",
    "أحمد علي": "احمد|على",
    "王小明 (Wang)": "王小明|wang|小明|Ｗａｎｇ|王 小明",
    "김민수": "김|김민수|김민",
}


@pytest.mark.parametrize(("name", "queries"), FOUND_BY.items())
def test_a_name_is_found_by_every_spelling(name: str, queries: str) -> None:
    text = search_text(name)
    assert [query for query in queries.split("|") if not is_found(query, text)] == []


@pytest.mark.parametrize("name", FOUND_BY)
def test_a_name_is_found_by_all_that_is_typed_on_the_way_to_any_spelling_of_it(name: str) -> None:
    text = search_text(name)
    spellings = [name, *FOUND_BY[name].split("|")]
    missed = [
        spelling[:end] for spelling in spellings for end in range(len(spelling)) if not is_found(spelling[:end], text)
    ]
    assert missed == []


def test_a_short_name_is_found_by_the_long_one() -> None:
    """The hall sees "Franz K."; Franz types what he is called."""
    shown = ["Franz K.", "Franz L.", "Sean O.", "Anna M.", "Jan v. d. B.", "Bo Oe.", "王小明"]

    def found(query: str) -> list[str]:
        return list(find(query, shown, lambda name: search_text(name, shortened=True)))

    assert found("Franz Keller") == found("keller franz") == ["Franz K."]
    assert found("Sean O’Brien") == found("Sean O Brien") == found("sean obrien") == ["Sean O."]
    assert found("Anna Müller-Lüdenscheidt") == found("Anna Müller Lüdenscheidt") == ["Anna M."]
    assert found("Jan van der Berg") == ["Jan v. d. B."]
    assert found("Bo Östlund") == found("bo oestlund") == ["Bo Oe."]
    assert found("Nobody") == []
    assert found("") == found(" ’ ") == shown


def test_nobody_is_found_by_another_name() -> None:
    text = search_text("Ana Ruiz", "Bo Li")
    assert not any(is_found(query, text) for query in ("eva", "ruizana", "ana lopez", "12"))
    assert is_found("12", search_text(12, "Ana", None))
    assert is_found("ru", text, begins=True)
    assert not is_found("uiz", text, begins=True)


def test_what_is_folded() -> None:
    assert fold("  O’Brien-ŁUŹ ") == "obrien luz"
    assert search_text("Søren Ærø") == "soren aero sorenaero soren aro sorenaro"
    assert search_text("Cher") == "cher"
    assert search_text("Franz Ke.", shortened=True) == "franz ke franzke ke."
