"""`roundtap site`: a folder of plain pages from event files, as a browser and a person find it."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from roundtap.headless.site import replace_site
from roundtap.main import main
from roundtap_core.eventfile.read import parse_event_file
from roundtap_core.eventfile.site import site_pages
from roundtap_core.standings.standings import LeagueResult, LeagueRow
from roundtap_core.words import LANGUAGES, core_words

NAMES = ["Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Eva Luz", "Kai <b>Eich</b>", "Aleksandra Wiśniewska-Szczepańska"]


def match(table: int, a: int, b: int, left: int, right: int, **more: Any) -> dict[str, Any]:
    result = {"score": {"a": left, "b": right}, **more.pop("how", {})}
    return {"table": table, "a": f"p{a}", "b": f"p{b}", "result": result, **more}


def event(name: str = "Winter Open", date: str = "2026-11-27", **more: Any) -> dict[str, Any]:
    """Five and one who comes late: after round 1 p1, p2, p3, then p4, p5; p6 has missed it."""
    return {
        "format": "roundtap-event/1",
        "name": name,
        "date": date,
        "rulebook": "xwing-standard",
        "seed": 7,
        "options": {"structure": "own", "swiss_rounds": 1, "cut": 4},
        "competitors": [
            {"id": f"p{n}", "name": each, "club": "Secret Club", "list": {"points": 197}}
            for n, each in enumerate(NAMES, start=1)
        ],
        "rounds": [
            {
                "number": 1,
                "matches": [
                    match(1, 1, 5, 100, 0),
                    match(2, 2, 4, 30, 0, how={"ended": "concession", "conceded_by": "b"}),
                    {"a": "p3", "bye": "bye"},
                    {"a": "p6", "bye": "unpaired-loss"},
                ],
            }
        ],
        **more,
    }


SEMIS = {
    "number": 2,
    "stage": "elimination",
    "matches": [match(1, 1, 4, 30, 100, game=1), match(2, 3, 2, 99, 100, game=2)],
}
FINAL = {"number": 3, "stage": "elimination", "matches": [match(1, 4, 2, 100, 0, game=1)]}


def with_cut() -> dict[str, Any]:
    return event(rounds=[*event()["rounds"], SEMIS, FINAL])


class Page(HTMLParser):
    """What a browser makes of a page: its elements, its links, its tables as rows of texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.attributes: dict[str, str] = {}
        self.ids: set[str] = set()
        self.tables: list[list[list[str]]] = []
        self.cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        self.tags.append(tag)
        self.links += [value for key, value in given.items() if key in ("href", "src")]
        self.ids |= {given[key] for key in given if key == "id"}
        self.attributes |= given
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        self.cell = tag in ("td", "th")

    def handle_endtag(self, tag: str) -> None:
        self.cell = False

    def handle_data(self, data: str) -> None:
        if self.cell:
            self.tables[-1][-1][-1] += data


def make(tmp_path: Path, *events: dict[str, Any], language: str = "en") -> Path:
    """The folder that the command makes."""
    files = []
    for number, data in enumerate(events):
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(json.dumps(data), encoding="utf-8")
    assert main(["site", *map(str, files), str(tmp_path / "site"), "--language", language]) == 0
    return tmp_path / "site"


def page_in(folder: Path, name: str) -> Page:
    return Page((folder / name).read_text(encoding="utf-8"))


def test_an_event_has_standings_and_rounds(tmp_path: Path) -> None:
    page = page_in(make(tmp_path, event()), "2026-11-27-winter-open.html")
    standings, first = page.tables
    assert standings[:4] == [
        ["#", "Name", "Points", "W–L", "MoV", "SoS"],
        ["1", "Ana R.", "1", "1–0", "200", "0.000"],
        ["2", "Bruno M.", "1", "1–0", "200", "0.000"],
        ["3", "Łukasz Ż.", "1", "1–0", "150", "0.000"],
    ]
    assert first == [
        ["1", "Ana R. ✓", "100:0", "Kai E."],
        ["2", "Bruno M. ✓", "30:0 · concession", "Eva L."],
        ["–", "Łukasz Ż.", "", "bye"],
        ["–", "Aleksandra W.", "", "missed round: loss"],
    ]


def test_after_a_cut_the_places_are_the_final_ones_and_the_bracket_is_drawn(tmp_path: Path) -> None:
    folder = make(tmp_path, with_cut())
    page = page_in(folder, "2026-11-27-winter-open.html")
    standings, _, semis, final = page.tables
    assert [(row[0], row[1], row[-1]) for row in standings] == [
        ("#", "Name", "Finished in"),
        ("1", "Eva L.", "Champion"),
        ("2", "Bruno M.", "Final"),
        ("3", "Ana R.", "Semi-final"),
        ("4", "Łukasz Ż.", "Semi-final"),
        ("5", "Kai E.", ""),
        ("6", "Aleksandra W.", ""),
    ]
    assert semis == [["1", "Ana R.", "30:100", "Eva L. ✓"], ["2", "Łukasz Ż.", "99:100", "Bruno M. ✓"]]
    assert final == [["1", "Eva L. ✓", "100:0", "Bruno M."]]
    assert page.tags.count("svg") == 1
    assert "Eva L. won" in (folder / "index.html").read_text(encoding="utf-8")


def test_a_drawn_final_ticks_who_goes_on_and_a_second_figure_has_its_name(tmp_path: Path) -> None:
    """In this game the better Swiss rank goes on."""
    swiss = {"number": 1, "matches": [match(1, 1, 2, 2, 0, how={"wounds": {"a": 5, "b": 1}})]}
    final = {
        "number": 2,
        "stage": "elimination",
        "matches": [match(1, 2, 1, 1, 1, game=1, how={"ended": "time", "wounds": {"a": 3, "b": 3}})],
    }
    data = event(rulebook="shatterpoint-premier", rounds=[swiss, final])
    data |= {
        "competitors": [{"id": one["id"], "name": one["name"]} for one in data["competitors"][:2]],
        "options": {"structure": "own", "swiss_rounds": 1, "cut": 2},
    }
    _, first, last = page_in(make(tmp_path, data), "2026-11-27-winter-open.html").tables
    assert first == [["1", "Ana R. ✓", "2:0 · Wounds inflicted 5:1", "Bruno M."]]
    [[_, bruno, score, ana]] = last
    assert (bruno, ana) == ("Bruno M.", "Ana R. ✓")
    assert score.startswith("1:1 · Wounds inflicted 3:3 · draw")


def test_only_public_names_are_told_and_a_name_is_no_html(tmp_path: Path) -> None:
    folder = make(tmp_path, with_cut(), event("<script>alert(1)</script>", options={"full_names": True}))
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert "Wiśniewska" not in texts["2026-11-27-winter-open.html"]
    whole = texts["2026-11-27-script-alert-1-script.html"]
    assert "Aleksandra Wiśniewska-Szczepańska" in whole
    assert "Kai &lt;b&gt;Eich&lt;/b&gt;" in whole
    for text in texts.values():
        assert "Secret Club" not in text
        assert "197" not in text
        assert "script" not in Page(text).tags


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_link_leads_somewhere_in_the_folder_and_nothing_is_fetched(tmp_path: Path, language: str) -> None:
    folder = make(tmp_path, with_cut(), event("Friday"), language=language)
    pages = {path.name: page_in(folder, path.name) for path in folder.iterdir()}
    assert set(pages) == {"index.html", "2026-11-27-winter-open.html", "2026-11-27-friday.html"}
    for name, page in pages.items():
        assert page.attributes["lang"] == language
        assert page.attributes["charset"] == "utf-8"
        assert not {"script", "link", "img", "iframe", "form"} & set(page.tags)
        for link in page.links:
            to, _, part = link.partition("#")
            assert pages[to or name].ids >= ({part} if part else set()), link
    assert core_words(language)("standings") in (folder / "2026-11-27-friday.html").read_text(encoding="utf-8")


def test_the_newest_event_comes_first(tmp_path: Path) -> None:
    folder = make(tmp_path, event("Old", "2025-01-02"), event("New", "2026-01-02"), event("Middle", "2025-12-31"))
    assert page_in(folder, "index.html").links == [
        "2026-01-02-new.html",
        "2025-12-31-middle.html",
        "2025-01-02-old.html",
    ]


def test_two_events_of_one_name_have_two_pages_and_none_takes_the_place_of_the_list(tmp_path: Path) -> None:
    undated = {**event("Index"), "date": None}
    folder = make(tmp_path, *({k: v for k, v in one.items() if v} for one in (undated, event(), event(), undated)))
    assert sorted(path.name for path in folder.iterdir()) == [
        "2026-11-27-winter-open-2.html",
        "2026-11-27-winter-open.html",
        "index-2.html",
        "index-3.html",
        "index.html",
    ]


def test_a_league_stands_below_the_events() -> None:
    results = {1: LeagueResult(1, 10, True), 2: LeagueResult(3, 6)}
    autumn = "Autumn league", [LeagueRow(1, "a", 12, 2, 2, results, "Ana R.")], ["2026-11-27", ""]
    pages = site_pages([parse_event_file(json.dumps(event()))], core_words("en"), [autumn])
    index = Page(pages["index.html"].decode())
    head = ["Rank", "Name", "Points", "Events", "Bonus", "11-27", "2"]
    assert index.tables == [[head, ["1", "Ana R.", "12", "2", "2", "10", "(6)"]]]


def test_a_league_s_bonus_that_all_have_alike_has_no_column() -> None:
    rows = [
        LeagueRow(1, "a", 10, 2, 0, {1: LeagueResult(1, 10, True)}, "Ana R."),
        LeagueRow(2, "b", 8, 1, 0, {}, "Eva L."),
    ]
    pages = site_pages(
        [parse_event_file(json.dumps(event()))], core_words("en"), [("Autumn league", rows, ["2026-11-27"])]
    )
    assert Page(pages["index.html"].decode()).tables[0][0] == ["Rank", "Name", "Points", "Events", "11-27"]


def test_an_older_site_is_replaced_whole(tmp_path: Path) -> None:
    make(tmp_path, event("Forgotten"), event())
    folder = make(tmp_path, event())
    assert sorted(path.name for path in folder.iterdir()) == ["2026-11-27-winter-open.html", "index.html"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.json", "1.json", "site"]


@pytest.mark.parametrize("stranger", ["photo.jpg", "index.html"])
@pytest.mark.parametrize(
    ("language", "said"), [("en", "is not a results page"), ("de", "ist kein Ordner mit Ergebnisseiten")]
)
def test_a_folder_with_anything_else_in_it_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    stranger: str,
    language: str,
    said: str,
) -> None:
    monkeypatch.setenv("ROUNDTAP_LANG", language)
    folder = make(tmp_path, event("Friday"))
    (folder / stranger).write_text("mine")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert main(["site", str(tmp_path / "0.json"), str(folder)]) == 2
    assert re.search(f"{stranger}.*{said}", capsys.readouterr().err)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_file_that_cannot_be_read_is_named_and_nothing_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "good.json").write_text(json.dumps(event()))
    assert main(["site", str(tmp_path / "good.json"), str(tmp_path / "bad.json"), str(tmp_path / "site")]) == 2
    assert "bad.json: " in capsys.readouterr().err
    assert not (tmp_path / "site").exists()


def test_a_failure_while_writing_leaves_the_older_site(tmp_path: Path) -> None:
    folder = make(tmp_path, event())
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(FileNotFoundError):
        replace_site(folder, {"index.html": b"", "no/such/folder.html": b""})
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
